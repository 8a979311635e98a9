"""What is proved about these files: every gate measured, every change judged, one verdict kept."""

from ..core import judging
from ..core import verdict as verdicts
from ..core.session import CHECKOUT
from ..store import decisions, receipts, sessions
from .alone import Alone
from .bench import Bench
from .measure import measure
from .outcome import Outcome
from .pairs import pairs
from .source import Source
from .work import ENGINE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.findings import Finding
    from ..store.pins import Pin
    from ..system.git import Change as FileChange
    from .measure import Measured
    from .work import Work


def verify(work: "Work", pin: "Pin", tree: str = "") -> Outcome:
    """
    Brings receipts up to date and decides; one at a time in a checkout, others wait for it. `tree` is
    what the files are now, where somebody has just looked.
    """
    with Alone(work) as waited:
        return _verify(work, pin, "" if waited else tree)


def _verify(work: "Work", pin: "Pin", tree: str) -> Outcome:
    source = Source(work)
    bench = _bench(work, pin, source, tree or source.snapshot())
    found = [measure(bench, pair) for pair in pairs(bench)]
    findings = [finding for one in found for finding in one.findings]
    noticed = None
    if bench.changes:
        from .changes import judged

        seen = judged(bench, found)
        findings, noticed = findings + seen.findings, seen.noticed
    elif work.session.kind != CHECKOUT:
        findings += _nothing(bench, pin)
    settled = all(one.settled for one in found) and bench.is_settled()
    return _decided(bench, pin, found, findings, noticed=noticed, settled=settled)


def _bench(work: "Work", pin: "Pin", source: Source, tree: str) -> Bench:
    changes, others = source.whose_changes(pin, tree, ignored=work.settings["tests.ignore"])
    change = judging.Change(
        goal=work.session.goal if work.session.kind != CHECKOUT else "",
        changed=[one.path for one in changes],
        outside=work.outside,
    )
    return Bench(
        work, source, base=pin.tree, tree=tree, change=change, changes=changes, others=others
    )


def _nothing(bench: Bench, pin: "Pin") -> "list[Finding]":
    """No file changed: perhaps none had to, or the work was elsewhere."""
    from .pinning import moved_outside

    work, change = bench.work, bench.change
    if work.by != ENGINE:  # whose own branches and tags are no work of an agent
        change.outside = change.outside or moved_outside(work.root, work.environ, pin)
    nothing = judging.unchanged(change)
    return [nothing] if nothing is not None else []


def _decided(
    bench: Bench,
    pin: "Pin",
    found: "list[Measured]",
    findings: "list[Finding]",
    *,
    noticed: list[str] | None,
    settled: bool,
) -> Outcome:
    work, now = bench.work, bench.work.store.now()
    taken = decisions.since(work.store.database, work.session.id, 0.0)
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
            refusals=decisions.History(taken, bench.tree).refusals,
            noticed_by=noticed,
            changed=_counted(bench.changes, work.settings["tests.paths"]),
        )
    )
    document = {**verdict.document(), "receipts": sorted(bench.runs)}
    _keep(work, document)
    return Outcome(verdict, document, found)


def _counted(changes: "Sequence[FileChange]", patterns: list[str]) -> dict[str, int]:
    counted = {
        "files": len(changes),
        "added": sum(one.added for one in changes),
        "removed": sum(one.removed for one in changes),
        "tests": 0,
    }
    if changes:
        from .tests import is_test_path

        counted["tests"] = sum(1 for one in changes if is_test_path(one.path, patterns))
    return counted


def _keep(work: "Work", document: "dict[str, object]") -> None:
    """Durable before it is said: a verdict survives a power cut."""
    with work.store.change(work.session.id, durable=True) as change:
        receipts.add_verdict(change, document)
        session = sessions.get(change.database, work.session.id)
        if session.kind == CHECKOUT:
            session.verdict = str(document["verdict"])
            sessions.save(change, session, "session.verified", {"verdict": session.verdict})
