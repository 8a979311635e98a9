"""
Write what a stop prints: a refusal (the claim, the fact, the smallest useful output, the next step), the UNVERIFIED
block, and the one request to finish open items in a session that `ulw` does not watch.
"""

from collections.abc import Sequence
from textwrap import wrap

from ..wording import WIDTH, capitalize, count_things, cut, join_lines, wrap_sentence

LIMIT = 1000
_WAYS = "  Why: ulw why    Try again: ulw <task>    Accept as is: ulw accept <reason>"
_REPEAT = "If you cannot, end with exactly this line:"
_EXIT = "If you cannot, or the test is wrong, end with BLOCKED: why. Do not change the test to make it pass."
_SHORT_EXIT = "If you cannot, end with BLOCKED: why."


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
    """Return a refusal of at most 1 kB. `same`: the failure was shown before, so it gets one line. `verdict_line`: the
    user does not see this text, so the model is asked to repeat the verdict. `counted`: what the numbers count, if not
    refusals. The first refusal names the exits in full."""
    start = f"ultrawork: sent back ({counted}{number} of {limit}). "
    text = f'You said "{claim}", but {_lower(fact)}.'
    fits = bool(claim) and len(start + text) <= WIDTH
    head = start + text if fits else "\n  ".join(wrap_sentence(f"{start}{capitalize(fact)}."))
    body = ["  The failure is the same as in the last attempt."] if same else list(details)
    step = f"Next: {step}, then stop again."
    if not verdict_line and number == 1 and not counted:
        tail = [step, _EXIT]
    elif not verdict_line:
        tail = [f"{step} {_SHORT_EXIT}"]
    else:
        tail = [f"{step} {_REPEAT}", cut(verdict_line, 2 * WIDTH)]
    return _fit_limit(head, body, tail)


def _lower(fact: str) -> str:
    """Return a fact in the middle of a sentence: `No file changed` follows a comma in lower case, `README.md` stays."""
    word = fact.partition(" ")[0]
    return fact[:1].lower() + fact[1:] if word[1:].islower() and word.isalpha() else fact


def _fit_limit(head: str, body: Sequence[str], tail: Sequence[str]) -> str:
    """Return the text within the byte limit; the output in the middle is cut first."""
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
    """Return the agent's own reason in full, with what fails and what the user can decide."""
    text = f"The agent reports that test {disputed} is wrong:" if disputed else "The agent is blocked:"
    own = wrap(join_lines(reason), WIDTH - 4, break_on_hyphens=False)
    way = f"  Let the agent change it: ulw accept test {disputed}" if disputed else ""
    return "\n".join(
        [
            f"ultrawork: UNVERIFIED. {cut(text, 2 * WIDTH)}",
            *(f"    {line}" for line in own),
            *(cut(f"  {line.rstrip().removeprefix('  ')}", WIDTH) for line in details),
            f"  {changed}",
            *([way] if way else []),
            _WAYS,
        ]
    )


def render_unverified(lines: Sequence[str], why: str) -> str:
    """Return what is known, what is not, and what the user can do."""
    if not lines:
        return cut(f"ultrawork: UNVERIFIED. {why}", 3 * WIDTH)
    first = wrap_sentence(f"ultrawork: UNVERIFIED. {why}")
    return "\n".join(["\n  ".join(first), *(cut(f"  {line}", WIDTH) for line in lines), _WAYS])


_MOST_NAMES = 3


def explain_open_work(
    items: Sequence[str], boxes: Sequence[str], *, busy: bool, asked: bool, again: bool, plan_mode: bool
) -> str:
    """Return why the agent should continue; empty if it may stop. `again`: this stop follows a refusal."""
    if busy or asked or again or plan_mode or not (items or boxes):
        return ""
    parts = []
    if items:
        parts.append(f"{count_things(len(items), 'item')} open on your to-do list: {_few(items)}.")
    if boxes:
        parts.append(f"{count_things(len(boxes), 'box', 'boxes')} open in the plan: {_few(boxes)}.")
    return f"{' '.join(parts)} Finish or remove each, or say why it stays open."


def _few(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(name[:60] for name in names[:_MOST_NAMES]) + more
