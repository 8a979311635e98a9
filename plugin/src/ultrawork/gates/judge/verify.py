"""Judge the current files. Changed paths select rows of the rule table, rows request runs, and the results become one
stored verdict. Only one verification runs at a time in a checkout, and the next one reuses its receipts."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ...core.goal.phrases import clip_goal
from ...core.goal.request import is_fix_for_tests
from ...core.session.session import CHECKOUT, VERIFICATION
from ...core.value import Value
from ...core.verdict import rules
from ...core.verdict import verdict as verdicts
from ...core.verdict.gate import BUILD, LINT, TYPES, has_service
from ...core.verdict.gate_run import FLAKY, GREEN, RED
from ...core.verdict.summary import EXPECTATION_RULES, NOT_PROVED, NOTHING_BROKE, PROVED, THE_FIX, limit_strength
from ...core.verdict.verdict import STRONG, Finding
from ...store import decisions, receipts, sessions
from ...store.pins import Pin
from ..context import HOOK, GateContext
from ..run.receipt import NEW
from ..run.reuse import VerificationLock
from ..testcode.cases import TestChange
from ..testcode.code import has_other_code
from ..testcode.files import is_same_test
from ..trees.source import Source
from . import definitions, standing
from .asked_checks import PlanCriteria, adjudicate_open, list_new_errors
from .delivered import check_delivered, check_excused, check_moved
from .failures import Reach, find_reaching, list_failing
from .matrix import Comparison
from .noticing import Noticing, find_noticing
from .old_tests import OldTests
from .outcome import VerifyOutcome
from .standing import CheckState
from .strength import ChangeStrength, grade_change
from .tampering import find_tampering, list_blind
from .test_runs import TestRuns


def verify(context: GateContext, pin: Pin, tree: str = "") -> VerifyOutcome:
    """Update the receipts and return the verdict. Pass `tree` if the files were just scanned."""
    with _compare(context, pin, tree) as comparison:
        return _Verification(comparison, pin).run()


def adjudicate_only(context: GateContext, pin: Pin) -> list[Finding]:
    """Decide the claims of reviewers alone, without running the project's checks."""
    with _compare(context, pin) as comparison:
        return adjudicate_claims(comparison)


@contextmanager
def _compare(context: GateContext, pin: Pin, tree: str = "") -> Iterator[Comparison]:
    context.adopt(pin)
    source, ignored = Source(context), context.settings["tests.ignore"]
    with VerificationLock(context) as waited:
        comparison = Comparison(
            context,
            source,
            base=pin.tree,
            tree=tree if tree and not waited else source.snapshot(),
            goal=clip_goal(context.session.goal) if context.session.kind != CHECKOUT else "",
            gates=pin.gates,
            split=lambda name: source.split_changes(pin, name, ignored=ignored),
        )
        try:
            yield comparison
        finally:
            comparison.close()


def adjudicate_claims(comparison: Comparison) -> list[Finding]:
    """Decide what external reviewers claimed. Load nothing if there never was a claim."""
    if not os.path.exists(comparison.context.store.home.reviews):
        return []
    return adjudicate_open(comparison)


class _Checked(Value):
    """The test runs of one check, and what became of its old tests."""

    runs: TestRuns
    old: OldTests
    noticing: Noticing | None = None


class _Verification:
    """One verification in progress."""

    def __init__(self, comparison: Comparison, pin: Pin) -> None:
        self._comparison = comparison
        self._context = comparison.context
        self._pin = pin
        self._states: list[CheckState] = []
        self._checked: list[_Checked] = []
        self._strength = ChangeStrength()

    def run(self) -> VerifyOutcome:
        comparison, context = self._comparison, self._context
        comparison.source.look_outside(self._pin, comparison.matrix.tree)
        plan = self._open_plan()
        self._states = self._measure_all()
        criteria = plan.list_measured(self._states) if plan else []
        findings = self._judge() if not context.quick else self._judge_quickly()
        findings += [finding for state in (*self._states, *criteria) for finding in state.findings]
        findings += find_tampering(context, self._pin)
        if not context.quick:
            findings += adjudicate_claims(comparison)
        if not context.quick and not any(finding.level == STRONG for finding in findings):
            findings += check_delivered(comparison, self._states, self._strength.noticed)
            findings += check_moved(comparison, self._states)
            findings += check_excused(comparison, self._states, self._strength.noticed)
        self._states += criteria
        return self._decide(findings)

    def _open_plan(self) -> PlanCriteria | None:
        """Run the criteria of a planned session at its end; elsewhere tasks are still running."""
        if self._context.session.phase != VERIFICATION:
            return None
        plan = PlanCriteria(self._comparison)
        plan.run(definitions.pair_checks(self._comparison) if plan.wanted else [])
        return plan

    def _measure_all(self) -> list[CheckState]:
        """Run all checks, and again if one of them wrote files, so that all results belong to the same files."""
        states = self._measure_once()
        moves = not all(state.settled for state in states)
        return states if moves or all(map(self._is_settled, states)) else self._measure_once()

    def _measure_once(self) -> list[CheckState]:
        comparison, states = self._comparison, []
        for pair in definitions.pair_checks(comparison):
            state = standing.measure(comparison, pair)
            ran = state.now is not None or pair.now is None
            if ran and state.fact.result is None and not state.fact.reason:
                if not self._context.quick or state.now is None:
                    definitions.compare_definition(comparison, state)
                standing.compare_with_baseline(comparison, state)
            state.fact.tests = pair.gate.kind not in (LINT, TYPES, BUILD)
            states.append(state)
        return states

    def _is_settled(self, state: CheckState) -> bool:
        """Return whether the check ran on the files that are judged."""
        ran = state.now
        if ran is None or ran.document["run"]["on"] != NEW:
            return state.settled
        return state.settled and ran.document["tree"]["after"] == self._comparison.matrix.tree

    def _judge_quickly(self) -> list[Finding]:
        """Run each check once and compare nothing, except where tests changed."""
        findings = self._read_failures(proved=False)
        tests = self._comparison.change.test_paths
        if tests:
            return [*findings, rules.make_finding("not-compared", where=tests[0])]
        own = self._comparison.change.own
        return [*findings, rules.make_finding("compared-later")] if own else findings

    def _judge(self) -> list[Finding]:
        comparison, change = self._comparison, self._comparison.change
        if not change.own:
            findings = self._read_failures(proved=False)
            return [*findings, *self._judge_work(unshown=False)]
        self._checked = [self._make_checked(state) for state in self._states if state.is_test]
        findings = [finding for checked in self._checked for finding in checked.old.findings()]
        for checked in self._checked:
            findings += list_blind(comparison, checked.runs.check)
        failing = self._read_failures(proved=False, ask=False)
        fails = any(finding.level == STRONG for finding in (*findings, *failing))
        if not fails and not self._context.part and self._may_pass():
            self._strength = self._measure_strength(findings)
        findings += self._strength.findings
        findings += self._read_failures(proved=self._strength.value == PROVED)
        findings += self._read_files()
        fails = fails or any(finding.rule.startswith("still-fails") for finding in findings)
        findings += self._judge_work(unshown=self._is_unshown_fix(fails))
        return findings

    def _make_checked(self, state: CheckState) -> _Checked:
        runs, accepted = self._make_runs(state), self._context.list_accepted_tests()
        checked = _Checked(runs, OldTests(runs, self._comparison.goal, accepted))
        checked.old.list_noticing = lambda: self._list_noticing(checked)
        return checked

    def _make_runs(self, state: CheckState) -> TestRuns:
        builds = [
            check_state.pair.gate
            for check_state in self._states
            if check_state.pair.gate.kind == BUILD and check_state.now
        ]
        return TestRuns(self._comparison.matrix, self._comparison.change, state, builds)

    def _list_noticing(self, checked: _Checked) -> list[TestChange]:
        """Return new and changed tests that fail without the change, once per case."""
        names = self._find_noticing(checked).names
        fresh_tests = checked.runs.list_fresh()
        return [test for name in names for test in fresh_tests if is_same_test(name, test.name)]

    def _find_noticing(self, checked: _Checked) -> Noticing:
        if checked.noticing is None:
            checked.noticing = find_noticing(self._comparison, checked.runs, checked.old)
        return checked.noticing

    def _may_pass(self) -> bool:
        """Return whether the work would pass. Only then are runs for its strength worth their time."""
        passing = (GREEN, FLAKY)
        return bool(self._checked) and all(
            checked.runs.check.fact.result in passing or checked.runs.check.fact.as_before for checked in self._checked
        )

    def _measure_strength(self, findings: Sequence[Finding]) -> ChangeStrength:
        noticing = [self._find_noticing(check) for check in self._checked]
        for checked, notice in zip(self._checked, noticing, strict=True):
            notice.names = [name for name in notice.names if not checked.old.is_bent(name)]
        changed = any(finding.rule in EXPECTATION_RULES for finding in findings)
        runs = [check.runs for check in self._checked]
        return grade_change(self._comparison, runs, noticing, changed=changed)

    def _is_unshown_fix(self, fails: bool) -> bool:
        """Return whether tests run the changed function but none of them notices the fix. Not if another check went
        from failing to passing, or if only text changed."""
        comparison, context = self._comparison, self._context
        asks_for_test = context.settings["tests.fix_needs_test"] and is_fix_for_tests(comparison.goal)
        if fails or not asks_for_test or context.part or self._strength.value != NOTHING_BROKE:
            return False
        change = comparison.change
        code = any(
            change.functions(path) != []
            and has_other_code(path, change.before(path), change.after(path), strings=False)
            for path in change.product_paths
            if change.after(path) is not None and not change.is_moved(path)
        )
        return code and not any(self._is_turned(state) for state in self._states)

    def _has_turned(self) -> bool:
        """Return whether a check that failed or could not run at the start passes now; run the baseline for it."""
        return any(
            state.fact.result == GREEN
            and ((base := state.baseline(self._comparison.matrix)) is None or not base.result.passes)
            for state in self._states
        )

    def _is_turned(self, state: CheckState) -> bool:
        if has_service(state.pair.gate) or state.fact.result != GREEN:
            return has_service(state.pair.gate)
        base = state.base or self._comparison.matrix.find_baseline(state.pair.pinned)
        return base is not None and base.result.colour == RED

    def _read_failures(self, *, proved: bool, ask: bool = True) -> list[Finding]:
        """Read failures by the rule table. With `ask`, find out whether tests that failed before run the change."""
        reach: Reach = self._find_reaching if ask else lambda _state, _names: {}
        findings = []
        for state in self._states:
            groups = list_failing(self._comparison, state, proved=proved, reach=reach)
            judged = [finding for group in groups for finding in rules.judge(rules.CHECKS, group)]
            if groups:
                state.fact.as_before = not any(group.counts_against for group in groups)
            findings += judged if state.decides else [finding.as_note() for finding in judged]
        return findings

    def _find_reaching(self, state: CheckState, names: Sequence[str]) -> dict[str, bool | None]:
        return find_reaching(self._make_runs(state), names)

    def _read_files(self) -> list[Finding]:
        from .file_checks import list_file_findings
        from .work_done import list_looks

        findings = [*list_file_findings(self._comparison, self._states), *list_looks(self._comparison)]
        if not self._context.part and not self._comparison.change.has_only_docs:
            findings += list_new_errors(self._comparison, self._states)
        return findings

    def _judge_work(self, *, unshown: bool) -> list[Finding]:
        from .work_done import judge_work

        runs = [checked.runs for checked in self._checked]
        return judge_work(self._comparison, self._pin, runs, unshown_fix=unshown, has_turned=self._has_turned)

    def _decide(self, findings: list[Finding]) -> VerifyOutcome:
        comparison, context = self._comparison, self._context
        matrix, now = comparison.matrix, context.store.now()
        taken = decisions.list_since(context.store.database, context.session.id, 0.0)
        history = decisions.DecisionHistory(taken, matrix.tree)
        findings = [self._settle_ask(finding, history.shown) for finding in findings]
        # A changed definition explains the failures that follow it.
        findings.sort(key=lambda finding: finding.rule != rules.REDEFINED)
        settled = all(map(self._is_settled, self._states)) and matrix.is_settled()
        strength, reason = self._find_strength(findings)
        verdict = verdicts.decide(
            verdicts.VerdictFacts(
                session=context.session.id,
                goal=context.session.goal,
                base=self._pin.tree,
                tree=matrix.tree,
                gates=[state.fact for state in self._states],
                findings=findings,
                settled=settled,
                commit=comparison.source.commit_of(matrix.tree),
                decided=now,
                seconds=now - context.session.started_at,
                refusals=history.sent_back,
                noticed_by=self._strength.noticed,
                strength=strength,
                strength_reason=reason,
                changed=self._count_changed(),
            )
        )
        mode = verdicts.QUICK if context.quick else verdicts.STRICT if context.strict else ""
        document = {**verdict.document(), "mode": mode, "receipts": sorted(matrix.runs)}
        _keep(context, document)
        return VerifyOutcome(verdict, document, self._states, "" if self._states else _advise(context))

    def _settle_ask(self, finding: Finding, earlier: Sequence[str]) -> Finding:
        """Drop a request after it was made once, or if no one can answer it, so that it does not cost a PASS."""
        if not rules.has_effect(finding.rule, rules.ASK):
            return finding
        is_repeated = any(name.startswith(f"{finding.rule}:") for name in earlier)
        return finding.as_note() if is_repeated or self._context.by != HOOK else finding

    def _find_strength(self, findings: Sequence[Finding]) -> tuple[str, str]:
        names = [finding.rule for finding in findings]
        value = limit_strength(self._strength.value, names)
        # A fix that no test shows is not proved, even without a regression.
        if value == NOTHING_BROKE and "fix-unshown" in names:
            return NOT_PROVED, THE_FIX
        return value, self._strength.reason

    def _count_changed(self) -> dict[str, int]:
        change = self._comparison.change
        return {
            "files": len(change.own),
            "added": sum(file.added for file in change.own),
            "removed": sum(file.removed for file in change.own),
            "tests": len(change.test_paths),
        }


def _advise(context: GateContext) -> str:
    from ..run.remedy import advise_without_gates

    return advise_without_gates(context.root)


def _keep(context: GateContext, document: dict[str, object]) -> None:
    """Store the verdict durably before it is shown, so that it survives a power cut."""
    with context.store.change(context.session.id, durable=True) as change:
        receipts.add_verdict(change, document)
        session = sessions.get(change.database, context.session.id)
        if session.kind == CHECKOUT:
            session.verdict = str(document["verdict"])
            sessions.save(change, session, "session.verified", {"verdict": session.verdict})
