"""What came of a file of cases, on paper."""

from collections import Counter

from .judge import AGREED, DIFFERS, FAILED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .judge import Outcome


def text(outcomes: "Sequence[Outcome]", *, verbose: bool = False) -> str:
    """A line for each case that differs or failed (all with `verbose`), then the counts by area."""
    lines = [
        f"{one.kind:<8} {one.case.id} {one.case.fn}{': ' if one.why else ''}{one.why}"
        for one in outcomes
        if verbose or one.kind != AGREED
    ]
    areas = sorted({one.case.area for one in outcomes})
    width = max((len(area) for area in areas), default=0) + 2
    lines.append(f"{'':<{width}}{AGREED:>8}{DIFFERS:>9}{FAILED:>8}")
    lines += [_row(name, [one for one in outcomes if one.case.area == name], width) for name in areas]
    return "\n".join([*lines, _row("all", outcomes, width)])


def _row(name: str, outcomes: "Sequence[Outcome]", width: int) -> str:
    counts = Counter(one.kind for one in outcomes)
    return f"{name:<{width}}{counts[AGREED]:>8}{counts[DIFFERS]:>9}{counts[FAILED]:>8}"
