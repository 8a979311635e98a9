"""A table for a release at the end of a pytest run: what was reported for attacks and for honest changes."""

from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

OUTCOMES = ("PASS", "silent", "UNVERIFIED", "sent back", "FAIL", "said")


def told(reporter: "Any", key: str) -> "Iterator[list[str]]":
    """Yield the values that tests recorded under this name, including expected failures."""
    for kind in ("passed", "failed", "xfailed"):
        for report in reporter.stats.get(kind, []):
            for name, value in getattr(report, "user_properties", []):
                if name == key:
                    yield value


def lines(values: "Iterable[list[str]]", wrong: "tuple[str, ...]", title: str) -> "Iterator[str]":
    """Yield one row per kind, one column per outcome; the last line counts what should not have happened."""
    counts = Counter((kind, outcome) for kind, outcome, *_ in values)
    if not counts:
        return
    kinds = sorted({kind for kind, _ in counts})
    known = [one for one in OUTCOMES if any(outcome == one for _, outcome in counts)]
    heads = known + sorted({outcome for _, outcome in counts} - set(known))
    wide = max(map(len, kinds))
    yield " ".join([f"{'':{wide}}", *heads, "all"])
    for kind in kinds:
        cells = [f"{counts[kind, head]:>{len(head)}}" for head in heads]
        total = sum(counts[kind, head] for head in heads)
        yield " ".join([f"{kind:{wide}}", *cells, f"{total:>3}"])
    bad = sum(count for (_, outcome), count in counts.items() if outcome in wrong)
    yield f"{title}: {bad} of {sum(counts.values())}"
