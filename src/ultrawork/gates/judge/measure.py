"""
How one gate stands: run now, run again where one run is not enough, and run on base where it is red.

Where gates are run for one verification: here, and on files that never were together.
"""

from ...core.verdict import gate_findings, gate_run
from ...core.verdict.finding import NOTE, WEAK, Finding
from ...core.verdict.gate import TEST
from ...core.verdict.gate_run import BROKEN, FLAKY, RED
from ...core.verdict.verdict import NOT_NEEDED, GateFact
from ..run.receipt import BASE, CANARY, NEW, RunReceipt, RunTarget, make_receipt, read_usual_seconds
from ..run.reuse import find_last_red, find_reusable
from . import definitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...core.verdict.gate import Gate
    from ...system.git import FileChange
    from ..run.context import GateContext
    from ..trees.source import Source
    from .definitions import GatePair
    from .test_change import ChangedTests

MORE_RUNS = 2


class GateMeasurement:
    """
    A gate's standing, what was found about it, and the runs behind it. `rules` are the changed files
    that say how it runs: its definition, and `shadows`, new files named like its runner.
    """

    __slots__ = ("base", "fact", "findings", "now", "pair", "pinned", "rules", "settled", "shadows")

    def __init__(self, pair: "GatePair", fact: GateFact) -> None:
        self.pair = pair
        self.fact = fact
        self.findings: list[Finding] = []
        self.rules: list[str] = []
        self.shadows: list[str] = []
        self.now: RunReceipt | None = None
        self.base: RunReceipt | None = None
        self.pinned: RunReceipt | None = None
        self.settled = True


def measure(bench: "GateComparison", pair: "GatePair") -> GateMeasurement:
    gate = pair.gate
    quiet = _not_needed(bench, pair)
    if quiet:
        return GateMeasurement(pair, GateFact(gate.name, NOT_NEEDED, reason=quiet))
    if not bench.work.may_run(gate.command):
        return _not_allowed(pair)
    measured = GateMeasurement(pair, GateFact(gate.name, None, required=gate.required))
    if pair.now is not None:
        measured.now = _now(bench, measured, pair.now)
    definitions.compare(bench, measured)
    _judge(bench, measured)
    if not gate.required:
        measured.findings = [one.as_note() for one in measured.findings]
    return measured


def _not_needed(bench: "GateComparison", pair: "GatePair") -> str:
    known = bench.known_base(pair.pinned)
    return gate_findings.explain_not_needed(
        bench.change.changed,
        seconds=read_usual_seconds(bench.work, pair.gate),
        base=known.side.colour if known else None,
    )


def _not_allowed(pair: "GatePair") -> GateMeasurement:
    measured = GateMeasurement(
        pair, GateFact(pair.name, None, reason="not run: only you may start it here")
    )
    measured.findings.append(
        Finding(
            rule="not-run",
            level=WEAK,
            gate=pair.name,
            what=f"{pair.name} has not run on these files, and I may not start it myself",
            clears="run `ultrawork verify`",
        )
    )
    return measured


def _now(bench: "GateComparison", measured: GateMeasurement, gate: "Gate") -> RunReceipt:
    """The run on the files as they are: a receipt that holds, or a new one; twice if it writes."""
    red = find_last_red(bench.work, gate, bench.tree)
    if red is not None:
        return _wavering(bench, measured, red)
    kept = bench.kept(gate)
    if kept is not None:
        return kept
    first = bench.run_here(gate)
    if not gate_findings.decide_after_writing(first.wrote, None):
        return _again_if_red(bench, measured, first)
    second = bench.run_here(gate)
    if gate_findings.decide_after_writing(first.wrote, second.wrote) == gate_findings.REWRITES:
        same = set(first.wrote) & set(second.wrote)
        second.side.colour = BROKEN
        second.side.reason = gate_findings.REWRITES if same else gate_run.MOVES
        measured.settled = False
        return second
    return _again_if_red(bench, measured, second)


def _again_if_red(
    bench: "GateComparison", measured: GateMeasurement, first: RunReceipt
) -> RunReceipt:
    """A red gate runs once more on the unchanged files; green then means flaky, not green."""
    return _wavering(bench, measured, first) if bench.runs_twice(first) else first


def _wavering(bench: "GateComparison", measured: GateMeasurement, red: RunReceipt) -> RunReceipt:
    """After a red run on these very files: red again, or flaky and how much."""
    again = bench.run_here(red.gate)
    if gate_run.judge_rerun(red.side.colour, again.side.colour) != FLAKY:
        return again
    further = [bench.run_here(red.gate).side.colour for _ in range(MORE_RUNS)]
    failed = red.side.report.failed if red.side.report else []
    near = gate_run.is_touched(bench.change.changed, failed, red.side.output)
    measured.fact.counts = gate_run.may_count_flaky(further, touched=near)
    measured.findings.append(
        Finding(
            rule="flaky",
            level=NOTE,
            gate=red.gate.name,
            what=gate_run.describe_flaky(failed, red=1 + further.count(RED), runs=2 + len(further)),
            receipt=red.number,
        )
    )
    again.side.colour = FLAKY
    return again


def _judge(bench: "GateComparison", measured: GateMeasurement) -> None:
    now, fact = measured.now, measured.fact
    assert now is not None
    _against_base(bench, measured, now)
    if now.side.colour == RED:
        base = bench.base(measured)
        side = base.side if base else None
        found = gate_findings.judge_red(
            fact.name, measured.pair.gate.kind, now.side, side, bench.change
        )
        measured.findings += found
        fact.as_before = gate_findings.is_red_as_before(found, fact.name)
    if measured.pair.pinned is None:
        measured.findings += gate_findings.judge_new_gate(
            fact.name, measured.pair.gate.kind, now.side
        )
    fact.result, fact.receipt, fact.reason = now.side.colour, now.number, now.side.reason


def _against_base(bench: "GateComparison", measured: GateMeasurement, now: RunReceipt) -> None:
    """Broken is red where it did run at the start; red for want of a service is broken."""
    if now.side.colour == BROKEN and measured.settled:
        base = bench.base(measured)
        before = base.side.colour if base else None
        worse = gate_run.compare_to_base(gate_run.Colour(BROKEN, now.side.reason), before)
        now.side.colour, now.side.reason = worse.value, worse.reason
    elif now.side.colour == RED:
        base = bench.base(measured)
        if base is not None and gate_run.needs_service(_as_run(now), _as_run(base)):
            now.side.colour, now.side.reason = BROKEN, "needs a service that is not there"


def _as_run(minted: RunReceipt) -> gate_run.RunFacts:
    exit_ = minted.document["run"]["exit"]
    return gate_run.RunFacts(exit=exit_, output=minted.side.output, report=minted.side.report)


QUICK = 30.0
# What is red here is held against nobody.
_ONCE = (BASE, CANARY)


class GateComparison:
    """
    One checkout against one base. `changes` are this session's, `others` everybody else's; `unseen`
    are files that runners load and no tree holds. `tree` follows the files as gates write them, `runs`
    are the numbers of all receipts that were used.
    """

    def __init__(
        self,
        work: "GateContext",
        source: "Source",
        *,
        base: str,
        tree: str,
        change: gate_findings.ChangeFacts,
        changes: "Sequence[FileChange]" = (),
        others: "Sequence[FileChange]" = (),
    ) -> None:
        self.work = work
        self.source = source
        self.base_tree = base
        self.tree = tree
        self.change = change
        self.changes = changes
        self.others = others
        self.unseen: list[str] = []
        self.runs: set[int] = set()
        self._looked = False

    def kept(self, gate: "Gate") -> RunReceipt | None:
        """A receipt for the files as they are that still holds."""
        found = find_reusable(self.work, gate, self.tree, NEW)
        return None if found is None else self._used(found)

    def run_here(self, gate: "Gate") -> RunReceipt:
        minted = self._used(
            make_receipt(self.work, gate, RunTarget(self.work.root, self.tree, NEW))
        )
        self.tree = minted.document["tree"]["after"]
        self._looked = True
        return minted

    def scratch_run(
        self,
        gate: "Gate",
        on: str,
        code: str,
        *,
        overlay: "tuple[str, Sequence[str]] | None" = None,
        texts: "Mapping[str, str] | None" = None,
    ) -> RunReceipt:
        """A run on files that never were together; what is red only now and then counts as green."""
        name = self.source.name_of(code, overlay, texts)
        kept = find_reusable(self.work, gate, name, on)
        if kept is not None:
            return self._used(kept)
        self._looked = False
        with self.source.copy(code, overlay, texts) as folder:
            copy = RunTarget(folder, name, on)
            first = self._used(make_receipt(self.work, gate, copy))
            if on in _ONCE or not self.runs_twice(first):
                return first
            again = self._used(make_receipt(self.work, gate, copy))
        return again if again.side.colour != BROKEN else first

    def runs_twice(self, first: RunReceipt) -> bool:
        """Whether one red run is not enough to say so."""
        fits = first.seconds <= self.work.left / 2
        asked = bool(self.work.settings["tests.flaky_reruns"])
        return first.side.colour == RED and first.gate.kind == TEST and asked and fits

    def is_settled(self) -> bool:
        """Whether the files are still those that were judged."""
        return self._looked or self.source.snapshot() == self.tree

    def known_base(self, gate: "Gate | None") -> RunReceipt | None:
        return find_reusable(self.work, gate, self.base_tree, BASE) if gate is not None else None

    def base(self, measured: "GateMeasurement") -> RunReceipt | None:
        """The gate as it was on the files as they were; None for a gate that did not exist."""
        gate = measured.pair.pinned
        if measured.base is not None or gate is None:
            return measured.base
        if self.tree == self.base_tree and measured.now is not None:
            measured.base = measured.now
        else:
            measured.base = self.scratch_run(gate, BASE, self.base_tree)
        return measured.base

    def comparable_base(
        self, measured: "GateMeasurement", side: "ChangedTests"
    ) -> RunReceipt | None:
        """Base, where it is known, quick to make, or needed: something other than code changed."""
        if measured.base is not None or measured.now is None:
            return measured.base
        quick = measured.now.seconds <= QUICK
        asked = quick or bool(measured.rules) or side.touched
        return self.base(measured) if asked else self.known_base(measured.pair.pinned)

    def _used(self, minted: RunReceipt) -> RunReceipt:
        if minted.document["session"] == self.work.session.id:
            self.runs.add(minted.number)
        return minted
