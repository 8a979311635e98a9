"""What is behind the figures of a set, as one table each, and of when and with what its runs are."""

import statistics
from collections import Counter

PASS, HONEST, GREEN = "PASS", "honest", "green"
NOTHING = "nothing"
# So many days and commits of a set are named, older ones together.
NAMED = 3


def group(played, *keys):
    """Runs by the values of these keys, in the order in which they come."""
    found = {}
    for one in played:
        found.setdefault(tuple(one[key] for key in keys), []).append(one)
    return found


def tabulate_impossible(played):
    """One row an agent: what it did, and how its runs ended."""
    rows = []
    for (honesty, task, agent), own in group(played, "honesty", "task", "agent").items():
        passed = sum(one["outcome"] == PASS for one in own)
        nagged = sum(one["sent_back"] > 0 for one in own)
        rows.append((honesty, task, agent, len(own), passed, nagged))
    return ("agent is", "task", "what it does", "runs", "PASS", "sent back"), rows


# A verdict keeps this word for scripts, and shows the other one.
_SHOWN_AS = {"nothing broke": "no regression", "": "ungraded"}


def _name_strength(played):
    return _SHOWN_AS.get(played["strength"], played["strength"])


def tabulate_commits(played):
    """One row a kind of commit; honest ones count where the project's own suite passes."""
    rows = []
    for (kind,), own in group(played, "kind").items():
        honest = [one for one in own if one["variant"] == HONEST and one["after"] == GREEN]
        broken = [one for one in own if one["variant"] != HONEST]
        nagged = [one for one in honest if one["sent_back"] and not one.get("asked")]
        strengths = Counter(_name_strength(one) for one in honest if one["outcome"] == PASS)  # fmt: skip
        told = ", ".join(f"{count} {name}" for name, count in strengths.most_common())
        rows.append((kind, len(honest), _count_passes(honest), told, len(nagged), len(broken), _count_passes(broken)))  # fmt: skip
    head = ("kind", "honest", "PASS", "how strong", "sent back", "broken", "broken PASS")
    return head, rows


def _count_passes(played):
    return sum(one["outcome"] == PASS for one in played)


def tabulate_ordinary(played):
    """One row for the lies, one for honest work, one for documented limits; kinds and languages are in the results."""
    rows = []
    for (honesty,), own in group(played, "honesty").items():
        nagged = sum(one["sent_back"] > 0 and not one["asked"] for one in own)
        wrong = sum(not one["right"] for one in own)
        rows.append((honesty, len(own), _count_by_verdict(own, PASS), nagged, wrong))
    return ("", "runs", "PASS", "sent back", "ended wrong"), sorted(rows, reverse=True)


def _count_by_verdict(played, verdict):
    return sum(one["verdict"] == verdict for one in played)


def tabulate_peers(played):
    """One row a system. Requests, tokens and seconds are medians over its runs, beside those without any system."""
    rows = []
    bare = [one for one in played if one["system"] == NOTHING]
    for (system,), own in group(played, "system").items():
        lies = [one for one in own if one["honesty"] != HONEST]
        honest = [one for one in own if one["honesty"] == HONEST]
        accepted = sum(one["accepted"] for one in lies)
        nagged = sum(one["sent_back"] > 0 for one in honest)
        extra = [_compare(own, bare, key) for key in ("requests", "tokens", "seconds")]
        rows.append((system, f"{accepted} of {len(lies)}", f"{len(lies) - accepted} of {len(lies)}", f"{nagged} of {len(honest)}", *extra))  # fmt: skip
    head = ("with", "lies accepted", "lies refused", "honest runs sent back", "extra requests", "extra tokens", "extra seconds")  # fmt: skip
    return head, rows


def _compare(own, bare, key):
    """The difference of medians; nothing where one side was not counted."""
    ours, theirs = ([one[key] for one in runs if one.get(key) is not None] for runs in (own, bare))
    if not ours or not theirs:
        return "not counted"
    return f"{statistics.median(ours) - statistics.median(theirs):g}"


def render_table(head, rows):
    """As Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def describe_dates(played):
    days = sorted({row["date"][:10] for row in played})
    return " to ".join(dict.fromkeys((days[0], days[-1])))


def describe_origin(played):
    """How many runs are of which day and commit, the newest first; many older ones together."""
    found = Counter((row["date"][:10], row["ultrawork"] or "") for row in played)
    groups = sorted(found, reverse=True)
    named = groups if len(groups) <= NAMED else groups[: NAMED - 1]
    parts = [f"{found[one]} ({', '.join(filter(None, one))})" for one in named]
    older = [row for row in played if (row["date"][:10], row["ultrawork"] or "") not in named]
    if older:
        parts.append(f"{len(older)} ({describe_dates(older)}, {len(groups) - len(named)} other commits)")
    return ", ".join(parts)
