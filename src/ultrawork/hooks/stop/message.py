"""What is said at the end of a turn: to the agent that is sent back, to the person that it is let go."""

from ...core.stop import last_message, rules
from ...core.stop.refusal import render_refusal, render_unverified
from ...core.wording import cut, join_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...core.stop.rules import OpenWork, StopDecision, StopFacts
    from .verdict import StopVerdict

ALLOW = "--allowedTools 'Bash(ultrawork verify:*)'"
OUTSIDE = "ulw verify, or codex --sandbox danger-full-access"
OPEN = "open"
RED = "red"
_LINES = 3


class StopMessage:
    """
    `number` is how often it was sent back, this time included; `paths` are the changed files; `way` is how
    checks can be run where nobody allowed it yet; `closed` is what a mode has done beside the gates.
    """

    __slots__ = (
        "closed",
        "facts",
        "message",
        "number",
        "paths",
        "program",
        "same",
        "standing",
        "way",
    )

    def __init__(
        self,
        facts: "StopFacts",
        *,
        message: str,
        program: str = "ultrawork",
        standing: "StopVerdict | None" = None,
        number: int = 1,
        same: bool = False,
        paths: "Sequence[tuple[str, int]]" = (),
        way: str = ALLOW,
        closed: str = "",
    ) -> None:
        self.facts = facts
        self.message = message
        self.program = program
        self.standing = standing
        self.number = number
        self.same = same
        self.paths = paths
        self.way = way
        self.closed = closed

    def words(self, decision: "StopDecision") -> str:
        if decision.action in rules.REFUSALS:
            return self._refusal(decision)
        if decision.action == rules.PASS and self.standing is not None:
            closed = f"; {self.closed}" if self.closed else ""
            return f"ultrawork: {self.standing.line}{closed}. Show: ulw evidence"
        return self._let_go(decision) if decision.action == rules.LET_GO else ""

    def _refusal(self, decision: "StopDecision") -> str:
        if self.standing is None:
            return f"ultrawork: {decision.because}"
        left = self.facts.open if decision.rule == OPEN else None
        others = self.facts.others
        details = [f"  changed by someone else: {', '.join(others[:3])}"] if others else []
        number, limit = self._counted
        return render_refusal(
            number=number,
            limit=limit,
            claim=last_message.find_claim(self.message),
            fact=left.what if left else self.standing.fact,
            details=self._left(left) if left else [*details, *self.standing.details],
            step=(left or self.standing).step.replace("`ultrawork ", f"`{self.program} "),
            same=self.same and decision.rule == RED,
            counted="round " if self.facts.loop else "",
            verdict_line=self._verdict_line(decision.because)
            if decision.last and not self.facts.attended
            else "",
        )

    def _left(self, left: "OpenWork") -> list[str]:
        """The same thing is not said twice while nothing has moved."""
        return [] if self.same else left.details

    @property
    def _counted(self) -> tuple[int, int]:
        """A loop counts rounds: sent back means that another one begins."""
        if self.facts.loop:
            return self.facts.refusals + 2, self.facts.limit + 1
        return self.number, self.facts.limit

    def _verdict_line(self, fact: str) -> str:
        """Where nobody sees our own words, the agent's last ones carry the verdict."""
        assert self.standing is not None
        denied = self.standing.not_run and not self.standing.slow
        way = f" If it was denied: {self.way}" if denied else ""
        return f"ultrawork: UNVERIFIED. {_sentence(cut(join_lines(fact), 100))}{way}"

    def _let_go(self, decision: "StopDecision") -> str:
        if self.standing is None:
            return render_unverified([], _sentence(decision.because))
        if not self.standing.document["gates"] and not self.standing.findings:
            return self._no_gate()
        return render_unverified(self._lines(), _sentence(decision.because))

    def _no_gate(self) -> str:
        what = _changed(self.paths, " changed")
        return cut(f"ultrawork: UNVERIFIED. No check here; {what}. Add one: ulw gates", 100)

    def _lines(self) -> list[str]:
        standing = self.standing
        assert standing is not None
        lines = [
            f"{'red' if one['level'] == 'strong' else 'open':<8} {one['what']}"
            for one in standing.findings[:_LINES]
        ]
        lines += [f"{'open':<8} your own list: {standing.items[0]}"] if standing.items else []
        left = self.facts.open
        lines += (
            [f"{'open':<8} {one.strip()}" for one in (left.details or [left.what])[:1]]
            if left
            else []
        )
        lines += [f"{'green':<8} {', '.join(standing.green)}"] if standing.green else []
        if standing.not_run and not standing.slow and not self.facts.attended:
            lines.append(f"{'to run':<8} {self.way}")
        word = cut(
            join_lines(last_message.extract_prose(self.message).strip().rpartition("\n")[2]), 40
        )
        what = _changed(self.paths) if self.paths else "nothing"
        return [*lines, f'{"changed":<8} {what}.  Agent\'s last word: "{word}"']


def _changed(paths: "Sequence[tuple[str, int]]", verb: str = "") -> str:
    """`auth/session.py changed, 4 lines`, as short as it can be said."""
    if not paths:
        return "no file changed"
    lines = sum(count for _, count in paths)
    more = f" and {len(paths) - 1} more" if paths[1:] else ""
    return f"{cut(paths[0][0], 40)}{more}{verb}, {lines} line{'' if lines == 1 else 's'}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?")) else ".")
