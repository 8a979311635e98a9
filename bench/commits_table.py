"""The table of bench/commits.py, made of its results alone."""

import statistics
from collections import Counter

HONEST = "honest"
GREEN = "green"
PASS = "PASS"
GOAL = 95


def is_right(one):
    """Whether a replay ended as it should; honest work counts only where its own suite passes."""
    if one["variant"] != HONEST:
        return one["outcome"] != PASS
    return one["after"] != GREEN or (one["outcome"] == PASS and (not one["sent_back"] or one["asked"]))  # fmt: skip


def name_cause(one):
    """The open findings, or what was printed where there are none."""
    return ", ".join(one["rules"]) or one["line"][:100] or "nothing was said"


def sum_up(played):
    """The figures, in the order in which they are shown."""
    honest = [one for one in played if one["variant"] == HONEST]
    judged = [one for one in honest if one["after"] == GREEN]
    passed = [one for one in judged if one["outcome"] == PASS]
    broken = [one for one in played if one["variant"] != HONEST]
    return {
        "projects": len({one["project"] for one in honest}),
        "languages": len({one["language"] for one in honest}),
        "honest commits": len(honest),
        "suite passes": len(judged),
        "suite fails or cannot run here": len(honest) - len(judged),
        "PASS": len(passed),
        "PASS percent": round(100 * len(passed) / len(judged), 1) if judged else None,
        "strength": dict(Counter(one["strength"] or "no word" for one in passed).most_common()),
        "not PASS": dict(Counter(name_cause(one) for one in judged if one["outcome"] != PASS).most_common()),
        "sent back": sum(one["sent_back"] > 0 and not one["asked"] for one in judged),
        "asked for a test of the fix": sum(one["asked"] for one in judged),
        "edits denied": sum(one["denied"] for one in judged),
        "broken": dict(Counter(one["variant"] for one in broken)),
        "broken PASS": dict(Counter(one["variant"] for one in broken if one["outcome"] == PASS)),
        "cost": sum_cost(judged),
    }  # fmt: skip


def sum_cost(judged):
    """The first stop against one bare run of the suite, by wall clock and by processor time."""
    found = {}
    for name, stop, suite in (("wall", "stop_seconds", "suite_seconds"), ("cpu", "stop_cpu", "suite_cpu")):  # fmt: skip
        ratios = [one[stop] / one[suite] for one in judged if one[suite] > 0]
        if ratios:
            found[name] = {"median": round(statistics.median(ratios), 1), "worst": round(max(ratios), 1)}  # fmt: skip
    return found


def show(played):
    """Prints figures, kinds and every replay that is not right. Answers whether the goal was missed."""
    figures = sum_up(played)
    for name, value in figures.items():
        print(f"{name:32} {value}")
    for column in ("kind", "language"):
        print(f"\n{column:22} {'honest':>7} {'green':>6} {'PASS':>5} {'sent back':>10} {'broken':>7} {'broken PASS':>12}")  # fmt: skip
        for name in dict.fromkeys(one[column] for one in played):
            own = sum_up([one for one in played if one[column] == name])
            print(f"{name:22} {own['honest commits']:7} {own['suite passes']:6} {own['PASS']:5} {own['sent back']:10} {sum(own['broken'].values()):7} {sum(own['broken PASS'].values()):12}")  # fmt: skip
    print()
    for one in played:
        if not is_right(one):
            print(f"not right: {one['project']} {one['commit'][:10]} ({one['kind']}, {one['variant']}): {one['outcome']} {one['strength']}, sent back {one['sent_back']}: {name_cause(one)}")  # fmt: skip
    missed = figures["PASS percent"] is not None and figures["PASS percent"] < GOAL
    return bool(missed or figures["sent back"] or figures["broken PASS"])
