"""A verdict in words: one line where one will do, and what stands behind it."""

from ..core import verdict as verdicts
from ..core.results import GREEN, RED, short
from ..core.testcases import expectations
from ..core.times import spoken
from ..core.verdict import NOT_NEEDED
from ..core.wording import cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.findings import Finding
    from ..core.verdict import Verdict
    from .measure import Measured
    from .mint import Minted

SHOWN = 3
WIDTH = 100
_TAIL = 6


class Outcome:
    """`tried` tells whether "noticed by" was looked for at all."""

    __slots__ = ("document", "measured", "tried", "verdict")

    def __init__(
        self,
        verdict: "Verdict",
        document: "dict[str, Any]",
        measured: "list[Measured]",
        *,
        tried: bool,
    ) -> None:
        self.verdict = verdict
        self.document = document
        self.measured = measured
        self.tried = tried

    @property
    def value(self) -> str:
        return self.verdict.value

    @property
    def open_findings(self) -> "list[Finding]":
        return [one for one in self.verdict.facts.findings if one.is_open]

    @property
    def line(self) -> str:
        if self.value == verdicts.PASS:
            return cut(f"PASS  {'; '.join([self.gates, *self._notes()])}", WIDTH - 22)
        return cut(f"{self.value}. {self.because}", WIDTH)

    @property
    def because(self) -> str:
        """What matters most: what a run showed, else what is missing."""
        found = [
            one.what
            for level in ("strong", "weak", "note")
            for one in self.open_findings
            if one.level == level
        ]
        reasons = [*found, *self.verdict.because]
        return reasons[0] if reasons else "nothing could be decided"

    @property
    def gates(self) -> str:
        """`test 4 ok, lint ok`."""
        return ", ".join(_standing(one) for one in self.measured)

    def _notes(self) -> list[str]:
        facts = self.verdict.facts
        moved = expectations(facts.findings)
        notes = [f"{moved} expectation{'' if moved == 1 else 's'} changed"] if moved else []
        if facts.noticed_by:
            names = [short(name) for name in facts.noticed_by[:2]]
            more = f" and {len(facts.noticed_by) - 2} more" if facts.noticed_by[2:] else ""
            notes.append(f"noticed by {', '.join(names)}{more}")
        elif self.tried:
            notes.append("no test notices it")
        return notes

    def details(self) -> list[str]:
        """The smallest useful output: each red gate with its failing tests, then the findings."""
        lines: list[str] = []
        for one in self.measured:
            if one.now is not None and one.now.side.colour == RED and not one.fact.as_before:
                lines += _red(one.now)
        told = "\n".join(lines)
        for finding in self.open_findings:
            if finding.rule != "gate-red" and finding.what not in told:
                lines.append(cut(f"{finding.level:<8} {finding.what}", WIDTH))
        return lines

    def next_step(self) -> str:
        found = self.open_findings
        strong = [one for one in found if one.level == "strong"]
        chosen = (strong or found)[:1]
        return chosen[0].clears if chosen else "add a check: ultrawork gates says how"


def _standing(one: "Measured") -> str:
    name, result = one.fact.name, one.fact.result
    report = one.now.side.report if one.now else None
    if result == NOT_NEEDED:
        return f"{name} {one.fact.reason}"
    if result in (GREEN, RED) and report is not None and report.ran is not None:
        failed = report.failed_count or 0
        before = (
            f", {failed} red as before"
            if one.fact.as_before
            else f", {failed} failed"
            if failed
            else ""
        )
        return f"{name} {report.ran - failed} ok{before}"
    return f"{name} {'ok' if result == GREEN else result or 'not run'}"


def _red(minted: "Minted") -> list[str]:
    run, report = minted.document["run"], minted.side.report
    ended = f"exit {run['exit']}" if run["exit"] is not None else f"ended by {run['signal']}"
    head = f"{minted.gate.command}: {ended} after {spoken(run['seconds'])}"
    if report is not None and report.ran is not None:
        failed = report.failed_count or 0
        head += f", {report.ran - failed} ok, {failed} failed"
    lines = [cut(head, WIDTH)]
    if report is not None and report.failed:
        lines += [_failure(name, report.messages.get(name, "")) for name in report.failed[:SHOWN]]
        lines += [f"  and {len(report.failed) - SHOWN} more"] if report.failed[SHOWN:] else []
        return lines
    tail = [line for line in minted.side.output.splitlines() if line.strip()][-_TAIL:]
    return lines + [cut(f"  {line}", WIDTH) for line in tail]


def _failure(name: str, message: str) -> str:
    return cut(f"  FAIL {short(name)}  {message}".rstrip(), WIDTH)
