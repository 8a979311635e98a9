"""Describe a verdict: one line where that is enough, and the details behind it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...core.times import format_duration
from ...core.toolchains import troubles
from ...core.verdict import gate_findings, summary
from ...core.verdict.gate import READERS
from ...core.verdict.gate_run import BROKEN, HIDDEN, RED, shorten_name
from ...core.verdict.summary import LITTLE_RULES, WIDTH
from ...core.verdict.verdict import PASS, STRONG, Finding, Verdict, drop_turn_words
from ...core.wording import cut, join_lines, wrap_sentence
from ..run.receipt import RunReceipt
from .standing import CheckState

SHOWN = 3
STILL_FAILS = "still-fails"
_TAIL = 6


@dataclass(slots=True)
class VerifyOutcome:
    """A new verdict with the runs behind it; `advice` is what a project without checks needs first."""

    verdict: Verdict
    document: dict[str, Any]
    measured: list[CheckState]
    advice: str = ""

    @property
    def value(self) -> str:
        return self.verdict.value

    @property
    def open_findings(self) -> list[Finding]:
        return [finding for finding in self.verdict.facts.findings if finding.is_open]

    @property
    def line(self) -> str:
        runs = [state.now for state in self.measured if state.now is not None]
        return summary.render_verdict(self.document, {run.number: run.document for run in runs})

    def details(self) -> list[str]:
        """Return the smallest useful output: each check that fails or could not run with its own output, then the
        findings."""
        lines: list[str] = []
        lacking: list[str] = []
        related = {open_finding.gate for open_finding in self.open_findings if open_finding.rule == STILL_FAILS}
        for state in self.measured:
            colour = state.now.result.colour if state.now else None
            shown = self.value == PASS or not state.fact.as_before or state.fact.name in related
            if state.now and colour == RED and shown:
                lines += [*_red(state.now, state.base), *_changed_form(state)]
            if state.now and colour == BROKEN and not self._only_lacks(state.now):
                lines += [line for line in _trouble(state.now) if line not in lines]
            elif state.now and colour == BROKEN and self.value != PASS:
                lacking.append(f"not checked: {state.fact.name} ({state.now.missing} is not installed)")
        text = "\n".join([self.line, *lines])
        shown_findings = [
            _describe_finding(finding)
            for finding in self.open_findings
            if finding.rule not in ("check-fails", STILL_FAILS) and finding.what not in text
        ]
        # Two checks that run the same tests say the same.
        return [*lines, *dict.fromkeys(shown_findings), *lacking]

    def _only_lacks(self, receipt: RunReceipt) -> bool:
        """Return whether something else decides, and this check lacks its program: then its output explains nothing."""
        return bool(receipt.missing) and (self.value == PASS or bool(self.open_findings))

    def describe(self, *, for_agent: bool = True) -> str:
        """Return everything that `verify` prints; only an agent sees how to end its turn."""
        rules = LITTLE_RULES if self.value == PASS else ()
        findings = self.verdict.facts.findings
        notes = [finding for finding in findings if not finding.is_open and finding.rule not in rules]
        lines = [self.line, *self.details()]
        lines += [cut(f"note     {join_lines(note.what)}", WIDTH) for note in notes]
        step = self.next_step() if self.value != PASS else self.find_remedy()
        if step:
            lines.append(f"Next: {step if for_agent else drop_turn_words(step)}")
        return "\n".join(lines)

    def find_remedy(self) -> str:
        """Return what makes a check run that could not."""
        return next((state.now.remedy for state in self.measured if state.now and state.now.remedy), "")

    def next_step(self) -> str:
        """Whole, however long: a command that was cut cannot be typed."""
        findings = self.open_findings
        strong = [finding for finding in findings if finding.level == "strong"]
        runs = [state.now for state in self.measured if state.now and state.now.remedy]
        # A test that lacks an uninstalled dependency cannot be made to pass.
        first = [run for run in runs if run.result.colour == RED or not strong]
        if first:
            return first[0].remedy
        if strong or findings:
            return (strong or findings)[0].clears
        broken = [state.fact.label for state in self.measured if state.fact.result == BROKEN]
        if broken:
            return f"make {broken[0]} run, then run `ultrawork verify`"
        return self.advice or "add a check: ultrawork gates draft"


def _describe_finding(finding: Finding) -> str:
    """Return `failing: …` or `open: …`, on as many lines as it needs."""
    name = "failing" if finding.level == STRONG else "open"
    return "\n  ".join(wrap_sentence(f"{name}: {finding.what}"))


def _changed_form(state: CheckState) -> list[str]:
    """Return how a failing check was redefined: it may fail because of that."""
    changed = [finding.what for finding in state.findings if finding.rule == "check-fails-both"]
    return ["\n  ".join(wrap_sentence(f"changed: {what}")) for what in changed]


def _red(receipt: RunReceipt, base: RunReceipt | None) -> list[str]:
    run, report = receipt.document["run"], receipt.result.report
    ended = f"exit {run['exit']}" if run["exit"] is not None else f"stopped by {run['signal']}"
    head = f"{receipt.gate.command}: {ended} after {format_duration(run['seconds'])}"
    counted = summary.describe_counts(receipt.document)
    if receipt.result.reason == HIDDEN:
        head = f"{receipt.gate.command}: exit 0 despite the failures"
    lines = [cut(f"{head}, {counted}" if counted else head, WIDTH)]
    if report is not None and report.failed:
        for name in report.failed[:SHOWN]:
            lines += _failure(name, report.messages.get(name, ""))
        return lines + ([f"  and {len(report.failed) - SHOWN} more"] if report.failed[SHOWN:] else [])
    # Of what a linter says, what it said before is not this change's.
    reads = base is not None and base.result.colour == RED and receipt.gate.kind in READERS
    new = gate_findings.list_new_lines(receipt.result.output, base.result.output) if base and reads else []
    return lines + _tail(new or receipt.result.output.splitlines())


def _trouble(receipt: RunReceipt) -> list[str]:
    """Return why it could not run, in the words of its tool: the first error and the help, not the last lines."""
    start_trouble = troubles.find_start_trouble(receipt.result.output)
    if start_trouble is None:
        return _tail(receipt.result.output.splitlines())
    return [cut(f"  {line}", 2 * WIDTH) for line in (start_trouble.line, *start_trouble.helps)]


def _tail(lines: Sequence[str]) -> list[str]:
    """The end of what it printed."""
    told = [line for line in lines if line.strip()]
    return [cut(f"  {line.expandtabs(4)}", WIDTH) for line in told[-_TAIL:]]


def _failure(name: str, message: str) -> list[str]:
    """Return the test, its place and its values; values that do not fit get a line of their own."""
    line = f"  FAIL {shorten_name(name)}  {message}".rstrip()
    place, gap, values = message.partition("  ")
    if len(line) <= WIDTH or not gap:
        return [cut(line, WIDTH)]
    return [cut(f"  FAIL {shorten_name(name)}  {place}", WIDTH), cut(f"    {values}", WIDTH)]
