"""
The words of a refusal: the claim, the fact, the smallest useful output, the next step; and whether a stop with
something left open, in a session that no `ulw` watches, is sent back once.
"""

from collections.abc import Sequence
from textwrap import wrap

from ..wording import WIDTH, cut, join_lines

LIMIT = 1000
_WAYS = "  why: ulw why    try again: ulw and what to do    take it as it is: ulw accept REASON"
_REPEAT = "If you cannot, end with this line, word for word:"
_EXIT = (
    "If you cannot, end with BLOCKED: why. If the test is wrong: BLOCKED: test NAME is wrong: why.",
    "That is a good outcome. Changing a test to make it pass is not.",
)
_SHORT_EXIT = "If you cannot: end with BLOCKED: why."


def render_refusal(
    *,
    number: int,
    limit: int,
    claim: str,
    fact: str,
    details: Sequence[str],
    step: str,
    same: bool = False,
    verdict_line: str = "",
    counted: str = "",
) -> str:
    """
    At most 1 kB. `same`: the failure was told before, so it gets one line. `verdict_line`: nobody sees
    our own words, so the model is asked to repeat the verdict if it cannot do better. `counted`: what
    the numbers count, where it is not refusals. The first one names the exits in full.
    """
    start = f"ultrawork: sent back ({counted}{number} of {limit}). "
    said = f'You said "{claim}"; '
    fits = bool(claim) and len(f"{start}{said}{fact}.") <= WIDTH
    head = cut(f"{start}{said if fits else ''}{fact}.", WIDTH)
    body = ["  the same failure as before"] if same else list(details)
    if not verdict_line and number == 1 and not counted:
        tail = [f"Next: {step} and stop again.", *_EXIT]
    elif not verdict_line:
        tail = [f"Next: {step} and stop again. {_SHORT_EXIT}"]
    else:
        tail = [f"Next: {step} and stop again. {_REPEAT}", cut(verdict_line, 2 * WIDTH)]
    return _fitted(head, body, tail)


def _fitted(head: str, body: Sequence[str], tail: Sequence[str]) -> str:
    """The output in the middle gives way first; what is counted are bytes."""
    room = LIMIT - sum(_size(line) for line in (head, *tail))
    kept: list[str] = []
    for line in body:
        if _size(line) > room:
            break
        kept.append(line)
        room -= _size(line)
    return "\n".join([head, *kept, *tail])


def _size(line: str) -> int:
    return len(line.encode("utf-8", "replace")) + 1


def render_blocked(reason: str, disputed: str, details: Sequence[str], changed: str) -> str:
    """The agent's own reason in full, with what fails and what the person can decide."""
    said = f"The agent says that test {disputed} is wrong:" if disputed else "The agent is blocked:"
    own = wrap(join_lines(reason), WIDTH - 4, break_on_hyphens=False)
    way = f"  allow the change: ulw accept test {disputed}" if disputed else ""
    return "\n".join(
        [
            f"ultrawork: UNVERIFIED. {cut(said, 2 * WIDTH)}",
            *(f"    {line}" for line in own),
            *(cut(f"  {line.strip()}", WIDTH) for line in details),
            f"  {changed}",
            *([way] if way else []),
            _WAYS,
        ]
    )


def render_unverified(lines: Sequence[str], why: str) -> str:
    """Said aloud, with what is known, what is not, and the ways on."""
    if not lines:
        return cut(f"ultrawork: UNVERIFIED. {why}", 3 * WIDTH)
    first = cut(f"ultrawork: UNVERIFIED. {why}", WIDTH)
    return "\n".join([first, *(cut(f"  {line}", WIDTH) for line in lines), _WAYS])


_MOST_NAMES = 3


def explain_open_work(
    items: Sequence[str],
    boxes: Sequence[str],
    *,
    busy: bool,
    asked: bool,
    again: bool,
    plan_mode: bool,
) -> str:
    """Why the agent should go on; empty if it may stop. `again`: this stop follows a refusal."""
    if busy or asked or again or plan_mode or not (items or boxes):
        return ""
    parts = []
    if items:
        parts.append(f"{len(items)} items of your own list are open: {_few(items)}")
    if boxes:
        parts.append(f"{len(boxes)} boxes of the active plan are open: {_few(boxes)}")
    return f"{'; '.join(parts)}. Finish them, take them off the list, or say why they stay open."


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(name[:60] for name in names[:_MOST_NAMES]) + more
