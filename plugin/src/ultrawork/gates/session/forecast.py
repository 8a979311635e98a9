"""Estimate how many runs a verification will take and how long, for people who wait."""

from ...core.times import format_duration
from ...core.value import Value
from ...core.verdict.gate import TEST, Gate, has_service
from ...core.wording import count_things
from ...store.pins import Pin
from ..context import GateContext
from ..run.narrow import is_narrow, narrow
from ..run.receipt import BASE, NEW, read_usual_seconds
from ..run.reuse import find_reusable

# If everything passes: once more with the change and twice without it, or a trace and a planted test.
_FURTHER_RUNS = 3
_SINGLE_TESTS = 1.5


def describe_plan(context: GateContext, pin: Pin, tree: str) -> str:
    """`2 checks, 3 runs and up to 3 of single tests, about 4 s to 8 s`: what green work takes, by earlier runs."""
    plans = [_plan(context, pin, gate, tree) for gate in pin.gates]
    least, single = (sum(getattr(plan, name) for plan in plans) for name in ("whole", "single"))
    most = least + sum(plan.more for plan in plans)
    runs = f"{least} to {most} runs" if most > least else count_things(most, "run")
    told = f"{runs} and up to {single} of single tests" if single else runs
    checks = count_things(len(plans), "check")
    if any(plan.seconds is None for plan in plans):
        return f"{checks}, {told}; duration not known yet"
    shortest = sum(plan.whole * (plan.seconds or 0) for plan in plans)
    longest = shortest + sum(plan.count_further_seconds() for plan in plans)
    until = f" to {format_duration(longest)}" if longest > shortest else ""
    return f"{checks}, {told}, about {format_duration(shortest)}{until}"


class _GatePlan(Value):
    """Runs of one check: `whole` in any case, `more` possibly, or only of `single` tests."""

    seconds: float | None
    whole: int
    more: int = 0
    single: int = 0

    def count_further_seconds(self) -> float:
        once = self.seconds or 0.0
        return self.more * once + self.single * min(once, _SINGLE_TESTS)


def _plan(context: GateContext, pin: Pin, gate: Gate, tree: str) -> _GatePlan:
    """Plan the runs. The baseline runs only if its result is unknown, and narrowed if the runner can select tests."""
    seconds = read_usual_seconds(context, gate)
    now = 0 if find_reusable(context, gate, tree, NEW) else 1
    judged = gate.kind == TEST and gate.required and not context.quick and tree != pin.tree
    if not judged or has_service(gate):
        return _GatePlan(seconds, now)
    whole = now + (0 if find_reusable(context, gate, pin.tree, BASE) else 1)
    if is_narrow(narrow(gate, ["test_x"]), gate):
        return _GatePlan(seconds, whole, single=_FURTHER_RUNS)
    return _GatePlan(seconds, whole, more=_FURTHER_RUNS)
