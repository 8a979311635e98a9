"""What is proved about these files: every gate measured, every change judged, one verdict kept."""

from ..core import blindness, judging
from ..core import verdict as verdicts
from ..core.gate import TEST
from ..core.results import GREEN
from ..core.session import CHECKOUT
from ..store import decisions, receipts, sessions
from . import canary, marks, sniffing
from . import tests as testfiles
from .alone import Alone
from .measure import Bench
from .noticing import noticed_by
from .outcome import Outcome
from .pairs import pairs
from .retest import Retest
from .sides import TestSide
from .source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.findings import Finding
    from ..store.pins import Pin
    from ..system.git import Change as FileChange
    from .measure import Measured
    from .work import Work


def verify(work: "Work", pin: "Pin") -> Outcome:
    """Brings receipts up to date and decides; one at a time in a checkout, others wait for it."""
    with Alone(work):
        return _verify(work, pin)


def _verify(work: "Work", pin: "Pin") -> Outcome:
    source = Source(work)
    tree = source.snapshot()
    changes = source.own_changes(pin, tree, ignored=work.settings["tests.ignore"])
    change = judging.Change(
        goal=work.session.goal if work.session.kind != CHECKOUT else "",
        changed=[one.path for one in changes],
        outside=work.outside,
    )
    bench = Bench(work, source, base=pin.tree, tree=tree, change=change, changes=changes)
    found = [bench.measure(pair) for pair in pairs(work, source.files(pin.tree), change.changed)]
    others = [one for one in source.changes(pin.tree, bench.tree) if one.path not in change.changed]
    side = TestSide(source, pin.tree, bench.tree, changes, work.settings["tests.paths"], others)
    retests = [
        Retest(bench, one, side)
        for one in found
        if one.pair.gate.kind == TEST and one.pair.gate.required and one.now is not None
    ]
    findings = _findings(bench, found, retests)
    noticed = _noticed(bench, retests)
    findings += _blind(bench, retests, noticed)
    settled = all(one.settled for one in found) and source.snapshot() == bench.tree
    return _decided(work, pin, bench, found, findings, noticed, settled)


def _findings(bench: "Bench", found: "list[Measured]", retests: "list[Retest]") -> "list[Finding]":
    findings = [finding for retest in retests for finding in retest.findings()]
    findings = [finding for one in found for finding in one.findings] + findings
    findings += marks.unfinished(bench.source, bench.base_tree, bench.tree, bench.changes)
    findings += sniffing.aware_of_tests(bench.source, bench.base_tree, bench.tree, bench.changes)
    nothing = judging.unchanged(bench.change)
    if nothing is not None and bench.work.session.kind != CHECKOUT:
        findings.append(nothing)
    return findings


def _noticed(bench: "Bench", retests: "list[Retest]") -> list[str] | None:
    """Only for work that would pass: it costs one more run."""
    green = retests and all(one.measured.fact.result == GREEN for one in retests)
    changed = bench.change.changed
    if not green or not changed or judging.docs_only(changed):
        return None
    names = [noticed_by(retest) for retest in retests]
    known = [name for some in names if some is not None for name in some]
    return None if all(some is None for some in names) else known


def _blind(bench: "Bench", retests: "list[Retest]", noticed: list[str] | None) -> "list[Finding]":
    """
    Where no test notices the change, or code speaks of the runner, it is worth one more run to see
    whether the tests can fail at all.
    """
    if noticed is None or (noticed and not _reaches_into_runner(bench)):
        return []
    return [one for retest in retests for one in canary.look(bench, retest.measured)]


def _reaches_into_runner(bench: "Bench") -> bool:
    return any(
        blindness.reaches_into_runner(
            line for _, line in bench.source.added(bench.base_tree, bench.tree, one.path)
        )
        for one in bench.changes
        if one.status != "D"
    )


def _decided(  # noqa: PLR0917 (everything that a verdict rests on)
    work: "Work",
    pin: "Pin",
    bench: "Bench",
    found: "list[Measured]",
    findings: "list[Finding]",
    noticed: list[str] | None,
    settled: bool,
) -> Outcome:
    now = work.store.now()
    history = decisions.History(
        decisions.since(work.store.database, work.session.id, 0.0), bench.tree
    )
    verdict = verdicts.decide(
        verdicts.Facts(
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
            refusals=history.refusals,
            noticed_by=noticed,
            changed=_counted(bench.changes, work.settings["tests.paths"]),
        )
    )
    document = {**verdict.document(), "receipts": sorted(bench.runs)}
    _keep(work, document)
    return Outcome(verdict, document, found)


def _counted(changes: "Sequence[FileChange]", patterns: list[str]) -> dict[str, int]:
    return {
        "files": len(changes),
        "added": sum(one.added for one in changes),
        "removed": sum(one.removed for one in changes),
        "tests": sum(1 for one in changes if testfiles.is_test_path(one.path, patterns)),
    }


def _keep(work: "Work", document: "dict[str, object]") -> None:
    """Durable before it is said: a verdict survives a power cut."""
    with work.store.change(work.session.id, durable=True) as change:
        receipts.add_verdict(change, document)
        session = sessions.get(change.database, work.session.id)
        if session.kind == CHECKOUT:
            session.verdict = str(document["verdict"])
            sessions.save(change, session, "session.verified", {"verdict": session.verdict})
