"""How one gate stands: run now, run again where one run is not enough, and run on base where it is red."""

from ..core import colours, judging
from ..core.findings import NOTE, WEAK, Finding
from ..core.results import BROKEN, FLAKY, RED
from ..core.verdict import NOT_NEEDED, GateFact
from . import pinned
from .kept import last_red
from .mint import Minted, usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.gate import Gate
    from .bench import Bench
    from .pairs import Pair

MORE_RUNS = 2


class Measured:
    """
    A gate's standing, what was found about it, and the runs behind it. `rules` are the changed files
    that say how it runs: its definition, and `shadows`, new files named like its runner.
    """

    __slots__ = ("base", "fact", "findings", "now", "pair", "pinned", "rules", "settled", "shadows")

    def __init__(self, pair: "Pair", fact: GateFact) -> None:
        self.pair = pair
        self.fact = fact
        self.findings: list[Finding] = []
        self.rules: list[str] = []
        self.shadows: list[str] = []
        self.now: Minted | None = None
        self.base: Minted | None = None
        self.pinned: Minted | None = None
        self.settled = True


def measure(bench: "Bench", pair: "Pair") -> Measured:
    gate = pair.gate
    quiet = _not_needed(bench, pair)
    if quiet:
        return Measured(pair, GateFact(gate.name, NOT_NEEDED, reason=quiet))
    if not bench.work.may_run(gate.command):
        return _not_allowed(pair)
    measured = Measured(pair, GateFact(gate.name, None, required=gate.required))
    if pair.now is not None:
        measured.now = _now(bench, measured, pair.now)
    pinned.compare(bench, measured)
    _judge(bench, measured)
    if not gate.required:
        measured.findings = [one.as_note() for one in measured.findings]
    return measured


def _not_needed(bench: "Bench", pair: "Pair") -> str:
    known = bench.known_base(pair.pinned)
    return judging.not_needed(
        bench.change.changed,
        seconds=usual(bench.work, pair.gate),
        base=known.side.colour if known else None,
    )


def _not_allowed(pair: "Pair") -> Measured:
    measured = Measured(
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


def _now(bench: "Bench", measured: Measured, gate: "Gate") -> Minted:
    """The run on the files as they are: a receipt that holds, or a new one; twice if it writes."""
    red = last_red(bench.work, gate, bench.tree)
    if red is not None:
        return _wavering(bench, measured, red)
    kept = bench.kept(gate)
    if kept is not None:
        return kept
    first = bench.run_here(gate)
    if not judging.after_writing(first.wrote, None):
        return _again_if_red(bench, measured, first)
    second = bench.run_here(gate)
    if judging.after_writing(first.wrote, second.wrote) == judging.REWRITES:
        same = set(first.wrote) & set(second.wrote)
        second.side.colour = BROKEN
        second.side.reason = judging.REWRITES if same else colours.MOVES
        measured.settled = False
        return second
    return _again_if_red(bench, measured, second)


def _again_if_red(bench: "Bench", measured: Measured, first: Minted) -> Minted:
    """A red gate runs once more on the unchanged files; green then means flaky, not green."""
    return _wavering(bench, measured, first) if bench.runs_twice(first) else first


def _wavering(bench: "Bench", measured: Measured, red: Minted) -> Minted:
    """After a red run on these very files: red again, or flaky and how much."""
    again = bench.run_here(red.gate)
    if colours.flaky(red.side.colour, again.side.colour) != FLAKY:
        return again
    further = [bench.run_here(red.gate).side.colour for _ in range(MORE_RUNS)]
    failed = red.side.report.failed if red.side.report else []
    near = colours.touched(bench.change.changed, failed, red.side.output)
    measured.fact.counts = colours.flaky_counts(further, touched=near)
    measured.findings.append(
        Finding(
            rule="flaky",
            level=NOTE,
            gate=red.gate.name,
            what=colours.flaky_line(failed, red=1 + further.count(RED), runs=2 + len(further)),
            receipt=red.number,
        )
    )
    again.side.colour = FLAKY
    return again


def _judge(bench: "Bench", measured: Measured) -> None:
    now, fact = measured.now, measured.fact
    assert now is not None
    _against_base(bench, measured, now)
    if now.side.colour == RED:
        base = bench.base(measured)
        side = base.side if base else None
        found = judging.red(fact.name, measured.pair.gate.kind, now.side, side, bench.change)
        measured.findings += found
        fact.as_before = judging.red_as_before(found, fact.name)
    if measured.pair.pinned is None:
        measured.findings += judging.new_gate(fact.name, measured.pair.gate.kind, now.side)
    fact.result, fact.receipt, fact.reason = now.side.colour, now.number, now.side.reason


def _against_base(bench: "Bench", measured: Measured, now: Minted) -> None:
    """Broken is red where it did run at the start; red for want of a service is broken."""
    if now.side.colour == BROKEN and measured.settled:
        base = bench.base(measured)
        before = base.side.colour if base else None
        worse = colours.against_base(colours.Colour(BROKEN, now.side.reason), before)
        now.side.colour, now.side.reason = worse.value, worse.reason
    elif now.side.colour == RED:
        base = bench.base(measured)
        if base is not None and colours.needs_service(_as_run(now), _as_run(base)):
            now.side.colour, now.side.reason = BROKEN, "needs a service that is not there"


def _as_run(minted: Minted) -> colours.Run:
    exit_ = minted.document["run"]["exit"]
    return colours.Run(exit=exit_, output=minted.side.output, report=minted.side.report)
