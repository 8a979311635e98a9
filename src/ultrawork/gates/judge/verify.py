"""
What is proved about these files: every gate measured, every change judged, one verdict kept.

One verification at a time in a checkout: what one has found, the next one uses.
"""

import os
from collections.abc import Sequence

from ...core.errors import Conflict
from ...core.session.session import CHECKOUT
from ...core.times import format_duration
from ...core.verdict import gate_findings
from ...core.verdict import verdict as verdicts
from ...core.verdict.finding import Finding
from ...store import decisions, receipts, sessions
from ...store.codec import digest
from ...store.lock import Lock
from ...store.pins import Pin
from ...system.git import FileChange
from ...system.process_tree import MARK
from ..run.context import ENGINE, GateContext
from ..trees.source import Source
from .comparison import GateComparison, GateMeasurement
from .definitions import pair_gates
from .measure import measure
from .outcome import VerifyOutcome


def verify(work: GateContext, pin: Pin, tree: str = "") -> VerifyOutcome:
    """
    Brings receipts up to date and decides; one at a time in a checkout, others wait for it. `tree` is
    what the files are now, where somebody has just looked.
    """
    with VerificationLock(work) as waited:
        return _verify(work, pin, "" if waited else tree)


def _verify(work: GateContext, pin: Pin, tree: str) -> VerifyOutcome:
    source = Source(work)
    bench = _bench(work, pin, source, tree or source.snapshot())
    found = [measure(bench, pair) for pair in pair_gates(bench)]
    findings = [finding for one in found for finding in one.findings]
    noticed = None
    if bench.changes:
        from .change import judge_change

        seen = judge_change(bench, found)
        findings, noticed = findings + seen.findings, seen.noticed
    elif work.session.kind != CHECKOUT:
        findings += _nothing(bench, pin)
    settled = all(one.settled for one in found) and bench.is_settled()
    return _decided(bench, pin, found, findings, noticed=noticed, settled=settled)


def _bench(work: GateContext, pin: Pin, source: Source, tree: str) -> GateComparison:
    changes, others = source.whose_changes(pin, tree, ignored=work.settings["tests.ignore"])
    change = gate_findings.ChangeFacts(
        goal=work.session.goal if work.session.kind != CHECKOUT else "",
        changed=[one.path for one in changes],
        outside=work.outside,
    )
    return GateComparison(
        work, source, base=pin.tree, tree=tree, change=change, changes=changes, others=others
    )


def _nothing(bench: GateComparison, pin: Pin) -> list[Finding]:
    """No file changed: perhaps none had to, or the work was elsewhere."""
    from ..session.pinning import describe_ref_moves

    work, change = bench.work, bench.change
    if work.by != ENGINE:  # whose own branches and tags are no work of an agent
        change.outside = change.outside or describe_ref_moves(work.root, work.environ, pin)
    nothing = gate_findings.judge_unchanged(change)
    return [nothing] if nothing is not None else []


def _decided(
    bench: GateComparison,
    pin: Pin,
    found: list[GateMeasurement],
    findings: list[Finding],
    *,
    noticed: list[str] | None,
    settled: bool,
) -> VerifyOutcome:
    work, now = bench.work, bench.work.store.now()
    taken = decisions.list_since(work.store.database, work.session.id, 0.0)
    verdict = verdicts.decide(
        verdicts.VerdictFacts(
            session=work.session.id,
            goal=work.session.goal,
            base=pin.tree,
            tree=bench.tree,
            gates=[one.fact for one in found],
            findings=findings,
            settled=settled,
            commit=bench.source.commit_of(bench.tree),
            decided=now,
            seconds=now - work.session.started_at,
            refusals=decisions.DecisionHistory(taken, bench.tree).refusals,
            noticed_by=noticed,
            changed=_counted(bench.changes, work.settings["tests.paths"]),
        )
    )
    document = {**verdict.document(), "receipts": sorted(bench.runs)}
    _keep(work, document)
    return VerifyOutcome(verdict, document, found)


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


def _keep(work: GateContext, document: dict[str, object]) -> None:
    """Durable before it is said: a verdict survives a power cut."""
    with work.store.change(work.session.id, durable=True) as change:
        receipts.add_verdict(change, document)
        session = sessions.get(change.database, work.session.id)
        if session.kind == CHECKOUT:
            session.verdict = str(document["verdict"])
            sessions.save(change, session, "session.verified", {"verdict": session.verdict})


class VerificationLock:
    """`with Alone(work)`: waits as long as there is time. The system frees it when its holder dies."""

    __slots__ = ("_lock", "_path", "_work")

    def __init__(self, work: GateContext) -> None:
        self._work = work
        self._path = f"{work.cache}/verify-{digest(work.root)[:16]}.lock"
        self._lock: Lock | None = None

    def __enter__(self) -> bool:
        """Whether somebody else had to be waited for."""
        os.makedirs(self._work.cache, mode=0o700, exist_ok=True)
        try:
            self._lock = Lock(self._path, patience=0).__enter__()
        except Conflict:
            self._wait()
            return True
        return False

    def _wait(self) -> None:
        if self._work.environ.get(MARK):
            raise Conflict(
                "verify was started by a gate of this checkout, which it would run again;"
                " take it out of the gate"
            )
        left = self._work.left
        self._work.progress("waiting for another verification here", None)
        try:
            self._lock = Lock(self._path, patience=left).__enter__()
        except Conflict:
            raise Conflict(
                f"another verification has been running here for {format_duration(left)}; try again later"
            ) from None

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.__exit__()
