"""What a change comes to beside its gates: its tests, its marks, whether anything notices it."""

from ..core import blindness, judging
from ..core.gate import TEST
from ..core.results import GREEN
from . import canary, marks, sniffing
from .noticing import noticed_by
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
    return Judged(findings + _blind(bench, retests, noticed), noticed)


def _retests(bench: "Bench", found: "list[Measured]") -> list[Retest]:
    own = {one.path for one in bench.changes}
    everything = bench.source.changes(bench.base_tree, bench.tree)
    others = [one for one in everything if one.path not in own]
    patterns = bench.work.settings["tests.paths"]
    side = TestSide(bench.source, bench.base_tree, bench.tree, bench.changes, patterns, others)
    gates = [one for one in found if one.pair.gate.kind == TEST and one.pair.gate.required]
    return [Retest(bench, one, side) for one in gates if one.now is not None]


def _noticed(bench: "Bench", retests: list[Retest]) -> list[str] | None:
    """Only for work that would pass: it costs one more run."""
    green = retests and all(one.measured.fact.result == GREEN for one in retests)
    if not green or judging.docs_only(bench.change.changed):
        return None
    names = [noticed_by(retest) for retest in retests]
    known = [name for some in names if some is not None for name in some]
    return None if all(some is None for some in names) else known


def _blind(bench: "Bench", retests: list[Retest], noticed: list[str] | None) -> "list[Finding]":
    """
    Where no test notices the change, or code speaks of the runner, it is worth one more run to see
    whether the tests can fail at all.
    """
    if noticed is None or (noticed and not _reaches_into_runner(bench)):
        return []
    return [one for retest in retests for one in canary.look(bench, retest.measured)]


def _reaches_into_runner(bench: "Bench") -> bool:
    source, base, tree = bench.source, bench.base_tree, bench.tree
    lines = (
        line
        for one in bench.changes
        if one.status != "D"
        for _, line in source.added(base, tree, one.path)
    )
    return blindness.reaches_into_runner(lines)
