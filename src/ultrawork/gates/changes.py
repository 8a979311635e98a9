"""What a change comes to beside its gates: its tests, its marks, whether anything notices it."""

from ..core import blindness, judging
from ..core.gate import TEST
from ..core.results import GREEN
from . import canary, marks, sniffing
from .noticing import Noticed, noticed_by
from .retest import Retest
from .sides import TestSide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.findings import Finding
    from .bench import Bench
    from .measure import Measured


class Judged:
    """`noticed` are the tests that notice the change; None if nobody looked."""

    __slots__ = ("findings", "noticed")

    def __init__(self, findings: "list[Finding]", noticed: list[str] | None) -> None:
        self.findings = findings
        self.noticed = noticed


def judged(bench: "Bench", found: "list[Measured]") -> Judged:
    source, base, tree, changes = bench.source, bench.base_tree, bench.tree, bench.changes
    retests = _retests(bench, found)
    findings = [finding for retest in retests for finding in retest.findings()]
    findings += marks.unfinished(source, base, tree, changes)
    findings += sniffing.aware_of_tests(source, base, tree, changes)
    noticed = _noticed(bench, retests)
    findings += _blind(bench, retests, noticed)
    names = None if noticed is None else [name for one in noticed for name in one.names]
    return Judged(findings, names)


def _retests(bench: "Bench", found: "list[Measured]") -> list[Retest]:
    patterns = bench.work.settings["tests.paths"]
    source, base, tree = bench.source, bench.base_tree, bench.tree
    side = TestSide(source, base, tree, bench.changes, patterns, bench.others)
    gates = [one for one in found if one.pair.gate.kind == TEST and one.pair.gate.required]
    return [Retest(bench, one, side) for one in gates if one.now is not None]


def _noticed(bench: "Bench", retests: list[Retest]) -> list[Noticed] | None:
    """Only for work that would pass: it costs one more run."""
    green = retests and all(one.measured.fact.result == GREEN for one in retests)
    if not green or judging.docs_only(bench.change.changed):
        return None
    found = [noticed_by(retest) for retest in retests]
    return [one for one in found if one is not None] or None


def _blind(bench: "Bench", retests: list[Retest], noticed: list[Noticed] | None) -> "list[Finding]":
    """
    Where no test was seen to fail without the change, or code speaks of the runner, it is worth one
    more run to see whether the tests can fail at all.
    """
    if noticed is None:
        return []
    suspicious = _reaches_into_runner(bench)
    if any(one.failed for one in noticed) and not suspicious:
        return []
    return [
        one
        for retest in retests
        for one in canary.look(bench, retest.measured, suspicious=suspicious)
    ]


def _reaches_into_runner(bench: "Bench") -> bool:
    source, base, tree = bench.source, bench.base_tree, bench.tree
    lines = (
        line
        for one in bench.changes
        if one.status != "D"
        for _, line in source.added(base, tree, one.path)
    )
    return blindness.reaches_into_runner(lines)
