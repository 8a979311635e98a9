"""
What is proved about these files: every gate measured, every change judged, one verdict kept. One verification
runs at a time in a checkout: what one has found, the next one uses.
"""

import os
from collections.abc import Sequence

from ...core.errors import Conflict
from ...core.session.session import CHECKOUT
from ...core.times import format_duration
from ...core.verdict import gate_findings
from ...core.verdict import verdict as verdicts
from ...core.verdict.finding import STRONG, Finding
from ...core.verdict.strength import limit_strength
from ...store import decisions, receipts, sessions
from ...store.codec import digest
from ...store.lock import Lock
from ...store.pins import Pin
from ...system.git import FileChange
from ...system.process_tree import MARK
from ..context import ENGINE, GateContext
from ..run.remedy import advise_without_gates
from ..trees.source import Source
from ..trees.tree import describe_ref_moves
from .change import ChangeJudgement, judge_change, note_left_out
from .comparison import GateComparison, GateMeasurement
from .definitions import pair_gates
from .measure import measure
from .named_tree import check_named_tree, check_stirred
from .outcome import VerifyOutcome
from .plan_criteria import PlanCriteria, prove_by_criteria
from .relation import TestRelations
from .tampering import find_tampering


def verify(context: GateContext, pin: Pin, tree: str = "") -> VerifyOutcome:
    """
    Brings receipts up to date and decides; one at a time in a checkout, others wait for it. `tree` is
    what the files are now, where somebody has just looked.
    """
    context.adopt(pin)
    with VerificationLock(context) as waited:
        return _verify(context, pin, "" if waited else tree)


def _verify(context: GateContext, pin: Pin, tree: str) -> VerifyOutcome:
    source = Source(context)
    comparison = _make_comparison(context, pin, source, tree or source.snapshot())
    try:
        return _compare(comparison, pin)
    finally:
        comparison.close()


def _compare(comparison: GateComparison, pin: Pin) -> VerifyOutcome:
    context = comparison.context
    comparison.source.look_outside(pin, comparison.tree)
    relations = TestRelations(comparison)
    plan = PlanCriteria(comparison)
    plan.run(pair_gates(comparison) if plan.wanted else [])
    found = _measure_all(comparison, relations)
    criteria = plan.list_measured(found)
    findings = [finding for one in (*found, *criteria) for finding in one.findings]
    seen = ChangeJudgement([], None, "")
    if comparison.changes and context.quick:
        findings.append(note_left_out(comparison))
    elif comparison.changes:
        seen = judge_change(comparison, found, relations)
        findings += seen.findings
    elif context.session.kind != CHECKOUT:
        findings += _nothing(comparison, pin)
    findings += find_tampering(context, pin)
    findings += [] if context.quick else adjudicate_claims(comparison)
    if not context.quick and not any(one.level == STRONG for one in findings):
        findings += check_named_tree(comparison, found, seen.proofs)
        findings += check_stirred(comparison, found)
    if not any(one.fact.required for one in found):
        seen = prove_by_criteria(seen, criteria)
    found += criteria
    settled = all(_is_settled(comparison, one) for one in found) and comparison.is_settled()
    return _decided(comparison, pin, found, findings, seen=seen, settled=settled)


def adjudicate_claims(comparison: GateComparison) -> list[Finding]:
    """What reviewers from outside claim; nothing is loaded where there never was one."""
    if not os.path.exists(comparison.context.store.home.reviews):
        return []
    from .reviewers import adjudicate_open

    return adjudicate_open(comparison)


def adjudicate_only(context: GateContext, pin: Pin) -> list[Finding]:
    """The claims alone, without the project's own gates."""
    context.adopt(pin)
    with VerificationLock(context):
        source = Source(context)
        comparison = _make_comparison(context, pin, source, source.snapshot())
        try:
            return adjudicate_claims(comparison)
        finally:
            comparison.close()


def _make_comparison(context: GateContext, pin: Pin, source: Source, tree: str) -> GateComparison:
    change = gate_findings.ChangeFacts(
        goal=context.session.goal if context.session.kind != CHECKOUT else "",
        outside=context.outside,
    )

    def split(name: str) -> tuple[Sequence[FileChange], Sequence[FileChange]]:
        return source.split_changes(pin, name, ignored=context.settings["tests.ignore"])

    return GateComparison(context, source, base=pin.tree, tree=tree, change=change, split=split)


def _measure_all(comparison: GateComparison, relations: TestRelations) -> list[GateMeasurement]:
    """Once more where a gate wrote files after others had run: all stand on the same tree."""
    found = [measure(comparison, pair, relations) for pair in pair_gates(comparison)]
    moves = not all(one.settled for one in found)
    if moves or all(_is_settled(comparison, one) for one in found):
        return found
    return [measure(comparison, pair, relations) for pair in pair_gates(comparison)]


def _is_settled(comparison: GateComparison, measured: GateMeasurement) -> bool:
    """Whether it ran on the files that are judged."""
    ran = measured.now
    return measured.settled and (ran is None or ran.document["tree"]["after"] == comparison.tree)


def _nothing(comparison: GateComparison, pin: Pin) -> list[Finding]:
    """No file changed: perhaps none had to, or the work was elsewhere."""
    context, change = comparison.context, comparison.change
    if context.by != ENGINE:  # whose own branches and tags are no work of an agent
        change.outside = change.outside or describe_ref_moves(context.root, context.environ, pin)
    nothing = gate_findings.judge_unchanged(change)
    return [nothing] if nothing is not None else []


def _decided(
    comparison: GateComparison,
    pin: Pin,
    found: list[GateMeasurement],
    findings: list[Finding],
    *,
    seen: ChangeJudgement,
    settled: bool,
) -> VerifyOutcome:
    context, now = comparison.context, comparison.context.store.now()
    taken = decisions.list_since(context.store.database, context.session.id, 0.0)
    verdict = verdicts.decide(
        verdicts.VerdictFacts(
            session=context.session.id,
            goal=context.session.goal,
            base=pin.tree,
            tree=comparison.tree,
            gates=[one.fact for one in found],
            findings=findings,
            settled=settled,
            commit=comparison.source.commit_of(comparison.tree),
            decided=now,
            seconds=now - context.session.started_at,
            refusals=decisions.DecisionHistory(taken, comparison.tree).refusals,
            noticed_by=seen.proofs,
            strength=_grade(comparison, seen, findings),
            changed=_counted(comparison.changes, context.settings["tests.paths"]),
        )
    )
    mode = verdicts.QUICK if context.quick else verdicts.STRICT if context.strict else ""
    document = {**verdict.document(), "mode": mode, "receipts": sorted(comparison.runs)}
    _keep(context, document)
    advice = "" if found else advise_without_gates(context.root)
    return VerifyOutcome(verdict, document, found, advice)


def _grade(comparison: GateComparison, seen: ChangeJudgement, findings: Sequence[Finding]) -> str:
    """Of a look at everything: a quick one does not ask how strong a proof is."""
    if not comparison.changes or comparison.context.quick:
        return seen.strength
    return limit_strength(seen.strength, [one.rule for one in findings])


def _counted(changes: Sequence[FileChange], patterns: list[str]) -> dict[str, int]:
    counted = {
        "files": len(changes),
        "added": sum(one.added for one in changes),
        "removed": sum(one.removed for one in changes),
        "tests": 0,
    }
    if changes:
        from ..testcode.files import is_test_path

        counted["tests"] = sum(1 for one in changes if is_test_path(one.path, patterns))
    return counted


def _keep(context: GateContext, document: dict[str, object]) -> None:
    """Durable before it is said: a verdict survives a power cut."""
    with context.store.change(context.session.id, durable=True) as change:
        receipts.add_verdict(change, document)
        session = sessions.get(change.database, context.session.id)
        if session.kind == CHECKOUT:
            session.verdict = str(document["verdict"])
            sessions.save(change, session, "session.verified", {"verdict": session.verdict})


class VerificationLock:
    """`with VerificationLock(context)`: waits as long as there is time. The system frees it when its holder dies."""

    __slots__ = ("_context", "_lock", "_path")

    def __init__(self, context: GateContext) -> None:
        self._context = context
        self._path = f"{context.cache}/verify-{digest(context.root)[:16]}.lock"
        self._lock: Lock | None = None

    def __enter__(self) -> bool:
        """Whether somebody else had to be waited for."""
        os.makedirs(self._context.cache, mode=0o700, exist_ok=True)
        try:
            self._lock = Lock(self._path, patience=0).__enter__()
        except Conflict:
            self._wait()
            return True
        return False

    def _wait(self) -> None:
        if self._context.environ.get(MARK):
            raise Conflict(
                "verify was started by a gate of this checkout, which it would run again;"
                " take it out of the gate"
            )
        left = self._context.left
        self._context.progress("waiting for another verification here", None)
        try:
            self._lock = Lock(self._path, patience=left).__enter__()
        except Conflict:
            raise Conflict(
                f"another verification has been running here for {format_duration(left)}; try again later"
            ) from None

    def release(self) -> None:
        """Before its end, where others should not wait any longer."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.__exit__()

    def __exit__(self, *_: object) -> None:
        self.release()
