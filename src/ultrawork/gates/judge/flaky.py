"""
A red gate, run once more on the very same files, with the seed it told: red again, or wavering. Whether that is the
change's doing is asked of base, which runs as often.
"""

from ...core.verdict import gate_run, replay
from ...core.verdict.finding import NOTE, WEAK, Finding
from ...core.verdict.gate_run import FLAKY, GREEN, RED, GateResult
from ..run.receipt import RunReceipt
from .comparison import GateComparison, GateMeasurement

MORE_RUNS = 2


def settle_red(
    comparison: GateComparison, measured: GateMeasurement, red: RunReceipt
) -> RunReceipt:
    """After a red run on these very files: the run that counts."""
    again = comparison.run_here(
        red.gate, equip=lambda env: env | replay.make_seed_variables(red.result.output, env)
    )
    wavered = gate_run.list_wavered(red.result, again.result)
    if again.result.colour == RED and not wavered:
        return again
    # What carries its own example would fail again with it.
    if replay.has_example(red.result.output):
        return red
    if again.result.colour not in (GREEN, RED):
        return red
    here = [red.result, again.result]
    base = here if comparison.tree == comparison.base_tree else _run_base(comparison, measured)
    found = gate_run.judge_wavering(wavered, base)
    if found == RED:
        red.result.reason = "red in one run, and at the start"
        return red
    further = (
        _run_further(comparison, red) if found == FLAKY and again.result.colour == GREEN else []
    )
    measured.fact.counts = gate_run.may_count_flaky(further)
    measured.findings.append(_report(red, wavered, found, further))
    if again.result.colour == GREEN:
        again.result.colour = FLAKY
    return again


def _run_base(comparison: GateComparison, measured: GateMeasurement) -> list[GateResult]:
    """As often as it ran here; empty where there was no such gate, or there is no time."""
    gate = measured.pair.pinned
    return [] if gate is None else [one.result for one in comparison.repeat_on_base(gate, 2)]


def _run_further(comparison: GateComparison, red: RunReceipt) -> list[str]:
    return [comparison.run_here(red.gate).result.colour for _ in range(MORE_RUNS)]


def _report(red: RunReceipt, names: list[str], found: str, further: list[str]) -> Finding:
    """Wavering on base too is only said. Only here: held against the change."""
    told = gate_run.describe_flaky(names, red=1 + further.count(RED), runs=2 + len(further))
    only_here = found == gate_run.ONLY_HERE
    return Finding(
        rule="flaky",
        level=WEAK if only_here else NOTE,
        gate=red.gate.name,
        what=f"{told}; never at the start" if only_here else told,
        receipt=red.number,
        clears=f"make {red.gate.name} green in every run" if only_here else "nothing to do",
    )
