"""Write what a stop prints, for the agent and for the user, from a new or stored verdict."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from ...core.stop import last_message, rules
from ...core.stop.refusal import render_blocked, render_refusal, render_unverified
from ...core.stop.rules import OpenWork, StopDecision, StopFacts
from ...core.value import Value, fresh
from ...core.verdict import summary
from ...core.verdict import verdict as verdicts
from ...core.verdict.gate_run import GREEN
from ...core.verdict.gate_run import RED as RED_GATE
from ...core.verdict.rules import ASK, REDEFINED, has_effect
from ...core.verdict.verdict import STRONG, WEAK, drop_turn_words
from ...core.wording import capitalize, count_things, cut, join_lines
from ...gates.judge.outcome import VerifyOutcome

OPEN = "open"
RED = "red"
_LINES = 3
NOT_RUN = "check-blocked"
SANDBOXED = "check-sandboxed"
LOST_WORK = "lost-work"
# The end of an install command from `gates.run.remedy`.
_PREPARED = " (or ultrawork gates prepare)"
_THEN = ", then run `ultrawork verify`"
STILL_FAILS = "still-fails"
OPEN_ITEMS = "open-items"
_LEVELS = (STRONG, WEAK)


class StopVerdict(Value):
    """A verdict at a stop. `record` is the verdict document, `slow` the checks this stop could not wait for, `items`
    the open entries of the agent's own list, `labels` the display names of checks, `readers` those that only read the
    code. `details` is empty if nothing ran. `cure` installs what a check lacks."""

    record: dict[str, Any]
    line: str = ""
    details: list[str] = fresh(list)
    slow: dict[str, str] = fresh(dict)
    items: list[str] = fresh(list)
    labels: dict[str, str] = fresh(dict)
    readers: Collection[str] = ()
    reasons: Sequence[str] = ()
    cure: str = ""

    @property
    def verdict(self) -> str:
        return verdicts.read_value(self.record)

    @property
    def tree(self) -> str:
        return str(self.record["tree"])

    @property
    def ran(self) -> bool:
        """Return whether a check has run on these files."""
        return any(gate.get("receipt") for gate in self.record["gates"].values())

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Return the open findings, strongest first."""
        findings = self.record["findings"]
        return [finding for level in _LEVELS for finding in findings if finding["level"] == level]

    @property
    def weak(self) -> list[str]:
        """Return the names of findings that are sent back once each."""
        findings = [finding for finding in self.findings if finding["level"] == WEAK]
        names = [f"{finding['rule']}:{finding.get('gate') or finding.get('where')}" for finding in findings]
        names += [f"{NOT_RUN}:{name}" for name in self.slow if f"{NOT_RUN}:{name}" not in names]
        return names + ([OPEN_ITEMS] if self.items else [])

    @property
    def asks(self) -> bool:
        """Return whether a finding only asks for something; these files can pass after it was asked."""
        return any(has_effect(finding["rule"], ASK) for finding in self.findings)

    @property
    def not_run(self) -> list[str]:
        """Return checks that only the agent may start."""
        return [finding["gate"] for finding in self.findings if finding["rule"] == NOT_RUN]

    @property
    def fact(self) -> str:
        """Return the main problem in as few words as possible."""
        first = self.findings[0] if self.findings else {}
        if first.get("rule") == REDEFINED:
            return f"{self._label(first['gate'])} fails as it was defined at the start"
        if self.failing and self.verdict == verdicts.FAIL:
            return f"{self.failing[0]} fails"
        related = first.get("rule") == STILL_FAILS
        if related:
            return f"{self._label(first['gate'])} fails, as it did before"
        return self.because

    @property
    def because(self) -> str:
        """Return the most important reason in one sentence."""
        reasons = [
            *(finding["what"] for finding in self.findings if finding["level"] == STRONG),
            *(f"{self._label(name)} {why}" for name, why in self.slow.items()),
            *(finding["what"] for finding in self.findings if finding["gate"] not in self.slow),
            *(f"{count_things(len(self.items), 'item')} open on your to-do list: {item}" for item in self.items[:1]),
            *self.record["not_checked"],
            *self.reasons,
        ]
        if reasons:
            return str(reasons[0])
        if self.verdict == verdicts.PASS:
            return summary.explain_pass(self.record)
        return summary.find_reason(self.record)

    @property
    def step(self) -> str:
        """Return the next step as an instruction."""
        strong = [finding["clears"] for finding in self.findings if finding["level"] == STRONG]
        if not strong and self.slow:
            return "run `ultrawork verify`"
        clears = [finding["clears"] for finding in self.findings]
        if clears:
            return drop_turn_words(str(clears[0]))
        return "finish those items or remove them from the list" if self.items else "add a check"

    @property
    def way_out(self) -> str:
        """Return what would change the verdict; empty if nothing here knows it."""
        installs = _find_install(self.cure)
        return installs[0] if installs else self.step if self.findings or self.items or self.slow else ""

    @property
    def failing(self) -> list[str]:
        """Return display names of the checks that fail, whether or not they failed before."""
        return [self._label(name) for name, gate in self._gates() if gate["result"] == RED_GATE]

    @property
    def failing_tests(self) -> list[str]:
        """Return those of them that do more than read the code."""
        red = [name for name, gate in self._gates() if gate["result"] == RED_GATE]
        return [self._label(name) for name in red if name not in self.readers]

    @property
    def passing(self) -> list[str]:
        redefined = {finding["gate"] for finding in self.findings if finding["rule"] == REDEFINED}
        return [
            f"{self._label(name)}{', as it is now' if name in redefined else ''}"
            for name, gate in self._gates()
            if gate["result"] == GREEN
        ]

    def _label(self, name: str) -> str:
        return self.labels.get(name, name)

    def _gates(self) -> list[tuple[str, dict[str, Any]]]:
        return list(self.record["gates"].items())


def make_verdict(outcome: VerifyOutcome, **known: Any) -> StopVerdict:
    return StopVerdict(
        outcome.document,
        line=outcome.line,
        details=outcome.details(),
        reasons=outcome.verdict.because,
        cure=outcome.next_step() if outcome.value != verdicts.PASS else outcome.find_remedy(),
        **known,
    )


class StopMessage(Value):
    """A message about a stop. `number` counts the refusals including this one. `list_paths` returns the changed files
    where they are shown. `way` is how the user can allow the checks, `closed` what a mode has done beside the checks,
    and `earlier` the lines that an earlier refusal printed about these files."""

    facts: StopFacts
    message: str
    program: str = "ultrawork"
    standing: StopVerdict | None = None
    number: int = 1
    same: bool = False
    list_paths: Callable[[], Sequence[tuple[str, int]]] = tuple
    way: str = "ulw verify"
    closed: str = ""
    earlier: Sequence[str] = ()

    def render(self, decision: StopDecision) -> str:
        if decision.action in rules.REFUSALS:
            return self._refusal(decision)
        text = self._end(decision)
        return f"{text}\n{self._beside}" if text and self._beside else text

    def _end(self, decision: StopDecision) -> str:
        if decision.action == rules.QUIET_END:
            return f"ultrawork: off. {_sentence(decision.because)} No check ran."
        if decision.action == rules.PASS and self.standing is not None:
            closed = f"; {self.closed}" if self.closed else ""
            line = self.standing.line or summary.render_verdict(self.standing.record, {})
            look = summary.describe_looks(self.standing.record)
            more = [f"To run it: {command}" for command in _find_install(self.standing.cure)] + [look]
            shown = "".join(f"\n  {text}" for text in more if text)
            last = f"{line}{closed}".rpartition("\n")[2]
            joint = ". " if len(last) <= summary.ROOM_BEFORE_DETAILS else "\n  "
            return f"ultrawork: {line}{closed}{joint}Details: ulw evidence{shown}"
        return self._let_go(decision) if decision.action == rules.LET_GO else ""

    @property
    def _beside(self) -> str:
        """Return what is still running. It delays nothing, but may change files after the verdict."""
        named = ", ".join(cut(join_lines(name), 40) for name in self.facts.running[:2])
        more = f" and {len(self.facts.running) - 2} more" if len(self.facts.running) > 2 else ""
        return f"  Still running: {named}{more}" if named else ""

    def _refusal(self, decision: StopDecision) -> str:
        if decision.rule == rules.NOTHING_DONE:
            return self._idle(decision)
        if decision.rule == rules.RELATED:
            return self._related(decision)
        if self.standing is None:
            return f"ultrawork: {decision.because}"
        open_work = self.facts.open if decision.rule == OPEN else None
        others = self.facts.others
        details = [f"  Someone else changed {', '.join(others[:3])}"] if others else []
        if self._lacks_consent and self.facts.attended:
            details.append(f"  The user can allow it: {self.way}")
        number, limit = self._counted
        return render_refusal(
            number=number,
            limit=limit,
            claim="" if open_work or self._is_beside_claim else last_message.find_claim(self.message),
            fact=open_work.what if open_work else self._find_fact(decision),
            details=self._left(open_work) if open_work else [*details, *self._find_details(decision)],
            step=self._find_step(decision, open_work).replace("`ultrawork ", f"`{self.program} "),
            same=self.same and decision.rule == RED,
            counted="round " if self.facts.loop else "",
            verdict_line=self._verdict_line(decision.because) if decision.last and not self.facts.attended else "",
        )

    def _idle(self, decision: StopDecision) -> str:
        return render_refusal(
            number=self.number,
            limit=self.facts.limit,
            claim=last_message.find_claim(self.message),
            fact=decision.because,
            details=[],
            step=decision.clears,
            verdict_line="" if self.facts.attended else self._verdict_line("no file changed"),
        )

    def _related(self, decision: StopDecision) -> str:
        return render_refusal(
            number=self.number,
            limit=self.facts.limit,
            claim=last_message.find_claim(self.message),
            fact=decision.because,
            details=self.facts.related_output,
            step=decision.clears,
            same=self.same,
        )

    def _find_step(self, decision: StopDecision, open_work: OpenWork | None) -> str:
        assert self.standing is not None
        if decision.rule == rules.CONTRADICTED:
            return decision.clears
        return (open_work or self.standing).step

    def _find_fact(self, decision: StopDecision) -> str:
        assert self.standing is not None
        return decision.because if decision.rule == rules.CONTRADICTED else self.standing.fact

    def _find_details(self, decision: StopDecision) -> list[str]:
        """Return the output behind the fact, without a finding that says the same."""
        assert self.standing is not None
        fact = self._find_fact(decision).split()
        return [detail for detail in self.standing.details if detail.split()[1:] != fact]

    @property
    def _is_beside_claim(self) -> bool:
        """Return whether the agent said that tests pass, which is true, and only other checks fail."""
        standing = self.standing
        return bool(self.facts.claims_only_tests and standing and standing.failing and not standing.failing_tests)

    @property
    def _lacks_consent(self) -> bool:
        """Return whether a check did not run because the user has not allowed it."""
        return bool(self.standing and self.standing.not_run and not self.standing.slow)

    def _left(self, open_work: OpenWork) -> list[str]:
        """Print details only once while nothing changes."""
        return [] if self.same else open_work.details

    @property
    def _counted(self) -> tuple[int, int]:
        """Return (number, limit). A loop counts rounds: being sent back starts the next one."""
        if self.facts.loop:
            return self.facts.refusals + 2, self.facts.limit + 1
        return self.number, self.facts.limit

    def _verdict_line(self, fact: str) -> str:
        """Return the verdict line that the agent repeats where the client does not show our own messages."""
        way = f" To allow the checks: {self.way}" if self._lacks_consent else ""
        return f"ultrawork: UNVERIFIED. {_sentence(cut(join_lines(fact), 100))}{way}"

    def _let_go(self, decision: StopDecision) -> str:
        if decision.rule == rules.BLOCKED:
            paths = self.list_paths()
            changed = f"{'changed':<9} {_changed(paths) if paths else 'nothing'}"
            held = [f"{'sandbox':<9} {self.facts.confined}"] if self.facts.confined else []
            shown = [*self._facts(), *held]
            return render_blocked(self.facts.blocked, self.facts.disputed, shown, changed)
        if decision.rule == rules.NOTHING_DONE and self.facts.confined:
            return render_unverified([], f"No file changed: {_sentence(self.facts.confined)}")
        if decision.rule == rules.NOTHING_DONE:
            return render_unverified([], f"{_sentence(decision.because)} Run the checks: ulw verify")
        if self.standing is None:
            return render_unverified([], _sentence(decision.because))
        if not self.standing.record["gates"] and not self.standing.findings:
            return self._no_gate()
        return render_unverified(self._lines(decision.because), _sentence(decision.because))

    def _facts(self) -> list[str]:
        """Return what fails, with values from the last run or from an earlier refusal."""
        shown = self.standing.details if self.standing is not None else []
        failing: list[str] = []
        for line in shown or self.earlier:
            # The values of a failure stand below it where they did not fit.
            if line.strip().startswith("FAIL") or (failing and line.startswith("    ")):
                failing.append(line)
        if failing or self.standing is None:
            return failing[: 2 * _LINES]
        return [finding["what"] for finding in self.standing.findings[:_LINES]]

    def _no_gate(self) -> str:
        changes = _changed(self.list_paths(), " changed")
        text = f"ultrawork: UNVERIFIED. I found no checks in this project. {_sentence(changes)}"
        return cut(text, 120) + "\n  Add one: ulw gates draft"

    def _lines(self, sentence: str) -> list[str]:
        standing = self.standing
        assert standing is not None
        lines = [
            f"failing   {finding['what'].replace(' fails: ', ': ', 1)}"
            if finding["level"] == STRONG
            else f"{'open':<9} {finding['what']}"
            for finding in standing.findings[:_LINES]
            if finding["what"] != sentence
        ]
        lines = list(dict.fromkeys(lines))  # two checks that run the same tests say the same
        lines += [f"{'open':<9} your to-do list: {standing.items[0]}"] if standing.items else []
        open_work = self.facts.open
        lines += (
            [f"{'open':<9} {detail.strip()}" for detail in (open_work.details or [open_work.what])[:1]]
            if open_work
            else []
        )
        lines += [f"{'passing':<9} {', '.join(standing.passing)}"] if standing.passing else []
        if any(finding["rule"] == LOST_WORK for finding in standing.findings):
            lines.append(f"{'restore':<9} ultrawork restore --all")
        if self._lacks_consent:
            lines.append(f"{'to run':<9} {self.way}")
        held = [finding for finding in standing.record["findings"] if finding["rule"] == SANDBOXED]
        lines += [f"{'to run':<9} {finding['clears']}" for finding in held[:1]]
        lines += [f"{'to run':<9} {cure}" for cure in _find_install(standing.cure)]
        word = cut(join_lines(last_message.find_last_words(self.message)), 40)
        paths = self.list_paths()
        changes = _changed(paths) if paths else "nothing"
        return [*lines, f'{"changed":<9} {changes}.  Agent\'s last words: "{word}"']


def _find_install(step: str) -> list[str]:
    """Return the command that installs what a check lacks, if that is the next step."""
    command, separator, _ = step.partition(_THEN)
    is_install = bool(separator) and command.startswith("run ")
    return [f"{command.removeprefix('run ').removesuffix(_PREPARED)}, then ulw verify"] if is_install else []


def _changed(paths: Sequence[tuple[str, int]], verb: str = "") -> str:
    """Return for example `auth/session.py changed, 4 lines`."""
    if not paths:
        return "no file changed"
    lines = sum(count for _, count in paths)
    more = f" and {len(paths) - 1} more" if paths[1:] else ""
    return f"{cut(paths[0][0], 40)}{more}{verb}, {count_things(lines, 'line')}"


def _sentence(text: str) -> str:
    return capitalize(text) + ("" if text.endswith((".", "?")) else ".")
