"""
How one gate stands: run now, run again where one run is not enough, and run on base where it is red.
"""

from collections.abc import Callable
from functools import partial

from ...core.verdict import definitions as rules
from ...core.verdict import gate_findings, gate_run, goals, red_gates
from ...core.verdict.finding import NOTE, WEAK, Finding
from ...core.verdict.gate import TEST, Gate, has_service
from ...core.verdict.gate_run import BROKEN, GREEN, RED, GateResult
from ...core.verdict.strength import judge_little
from ...core.verdict.verdict import NOT_NEEDED, GateFact
from ..confinement import Confinement
from ..context import PERSON
from ..run.narrow import narrow
from ..run.receipt import RunReceipt, read_usual_seconds
from ..run.reuse import find_last_red, list_faults
from ..testcode.files import is_test_path
from . import definitions
from .comparison import GateComparison, GateMeasurement, GatePair
from .flaky import settle_red
from .relation import TestRelations
from .strength import MOST_PROOFS, is_passed, list_failed_tests

_LOOKED = 20
# Seconds: a longer run is not made before it is certain to be needed.
_SHORT = 2.0


def measure(
    comparison: GateComparison, pair: GatePair, relations: TestRelations
) -> GateMeasurement:
    gate = pair.gate
    quiet = _not_needed(comparison, pair)
    if quiet:
        return GateMeasurement(pair, GateFact(gate.name, NOT_NEEDED, reason=quiet))
    if is_unwanted(comparison):
        return _not_wanted(pair)
    if pair.now is None and comparison.is_gone(gate.where):
        return _gone(comparison, pair)
    if not comparison.context.may_run(gate.command):
        held = comparison.context.confinement
        return _not_allowed(pair) if held is None or held.program else _held_back(pair, held)
    measured = GateMeasurement(pair, GateFact(gate.name, None, required=gate.required))
    if pair.now is not None:
        measured.now = _now(comparison, measured, pair.now)
    if not comparison.context.quick or measured.now is None:
        definitions.compare(comparison, measured)
    _judge(comparison, measured, relations)
    if not gate.required:
        measured.findings = [one.as_note() for one in measured.findings]
    return measured


def _not_needed(comparison: GateComparison, pair: GatePair) -> str:
    """Only docs changed; what a file of tests names is none."""
    names = [path.rpartition("/")[2] for path in comparison.change.changed]
    if not gate_findings.has_only_docs(
        comparison.change.changed
    ) or comparison.source.search.find_named_in_tests(comparison.base_tree, names[:_LOOKED]):
        return ""
    known = comparison.known_base(pair.pinned)
    return gate_findings.explain_not_needed(
        comparison.change.changed,
        seconds=read_usual_seconds(comparison.context, pair.gate),
        base=known.result.colour if known else None,
    )


def is_unwanted(comparison: GateComparison) -> bool:
    """Whether the person said that nothing is run; their own `verify` is another word of theirs."""
    return comparison.context.by != PERSON and goals.forbids_running(comparison.change.goal)


def _not_wanted(pair: GatePair) -> GateMeasurement:
    measured = GateMeasurement(pair, GateFact(pair.name, None, required=pair.gate.required))
    measured.findings.append(
        Finding(
            rule="not-wanted",
            level=NOTE,
            gate=pair.name,
            what=f"{pair.name} was not run: you said not to",
            clears="run it yourself, or ulw verify",
            doubt=True,
        )
    )
    return measured


def _gone(comparison: GateComparison, pair: GatePair) -> GateMeasurement:
    """A package went away with everything in it; what was red there at the start went away unmended."""
    where = pair.gate.where
    measured = GateMeasurement(pair, GateFact(pair.name, NOT_NEEDED, reason=f"{where} is gone"))
    base = comparison.base(measured) if comparison.context.may_run(pair.gate.command) else None
    green = base is not None and base.result.colour == GREEN
    measured.findings.append(
        Finding(
            rule="package-removed",
            level=NOTE,
            gate=pair.name,
            what=f"{where} was removed with its tests"
            + ("" if green else ", which were not green at the start"),
            where=where,
            clears="nothing to do" if green else f"say why {where} is not needed any more",
            doubt=not green,
        )
    )
    return measured


def _held_back(pair: GatePair, held: Confinement) -> GateMeasurement:
    """Neither we nor the agent can run it there: to ask for it would only nag."""
    reason = f"cannot run in {held.name}"
    measured = GateMeasurement(pair, GateFact(pair.name, None, reason=reason))
    measured.findings.append(
        Finding(
            rule="sandboxed",
            level=NOTE,
            gate=pair.name,
            what=f"{pair.name} {reason}",
            clears=held.remedy,
            doubt=True,
        )
    )
    return measured


def _not_allowed(pair: GatePair) -> GateMeasurement:
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


def _now(comparison: GateComparison, measured: GateMeasurement, gate: Gate) -> RunReceipt:
    """The run on the files as they are: a receipt that holds, or a new one; twice if it writes."""
    red = find_last_red(comparison.context, gate, comparison.tree)
    if red is not None:
        return settle_red(comparison, measured, red)
    kept = comparison.find_reusable(gate)
    if kept is not None:
        return kept
    first = comparison.run_here(gate, choose=_find_foresight(comparison, measured.pair))
    if not gate_run.decide_after_writing(first.wrote, None):
        return _again_if_red(comparison, measured, first)
    if first.result.colour == BROKEN:
        # What it left half made would hide from the next run why it never came to a test.
        return first
    second = comparison.run_here(gate)
    if gate_run.decide_after_writing(first.wrote, second.wrote) == gate_run.REWRITES:
        same = set(first.wrote) & set(second.wrote)
        second.result.colour = BROKEN
        second.result.reason = gate_run.REWRITES if same else gate_run.MOVES
        measured.settled = False
        return second
    return _again_if_red(comparison, measured, second)


def _find_foresight(
    comparison: GateComparison, pair: GatePair
) -> Callable[[GateResult, float], Gate | None] | None:
    """Only where a look at the files takes longer than a short run, which two runs then share."""
    if pair.gate.kind != TEST or not comparison.source.is_large(comparison.tree):
        return None
    return partial(_foresee_confirmation, comparison, pair)


def _foresee_confirmation(
    comparison: GateComparison, pair: GatePair, now: GateResult, seconds: float
) -> Gate | None:
    """The run here that will confirm a proof, of a short run and a change of code alone; None where that cannot be told."""
    gate, base = pair.gate, comparison.known_base(pair.pinned)
    patterns = comparison.context.settings["tests.paths"]
    short = seconds <= _SHORT and 3 * seconds < comparison.context.left
    if not short or comparison.context.quick or now.colour != GREEN or now.report is None:
        return None
    if has_service(gate) or any(is_test_path(one.path, patterns) for one in comparison.changes):
        return None
    names = [one for one in list_failed_tests(base) if is_passed(now, now.report, one)][
        :MOST_PROOFS
    ]
    return narrow(gate, names) if names else None


def _again_if_red(
    comparison: GateComparison, measured: GateMeasurement, first: RunReceipt
) -> RunReceipt:
    """A red gate runs once more on the unchanged files; green then means flaky, not green."""
    return settle_red(comparison, measured, first) if comparison.runs_twice(first) else first


def _judge(comparison: GateComparison, measured: GateMeasurement, relations: TestRelations) -> None:
    now, fact = measured.now, measured.fact
    assert now is not None
    _against_base(comparison, measured, now)
    report = now.result.report
    if report is not None and report.ran is not None:
        fact.ok = report.ran - (report.failed_count or 0)
    if now.result.colour == RED:
        base = None if comparison.context.quick else comparison.base(measured)
        # What the goal itself wants green is not excused by having been red.
        named = measured.pair.gate.reason == goals.NAMED_IN_GOAL
        found = red_gates.judge_red(
            red_gates.RedGate(
                fact.name,
                measured.pair.gate.kind,
                now.result,
                base.result if base and not named else None,
                comparison.change,
                relate=lambda names: relations.relate(measured, names),
                strict=comparison.context.strict,
            )
        )
        measured.findings += found
        fact.as_before = red_gates.is_red_as_before(found, fact.name)
    if now.result.colour == GREEN and measured.pair.gate.kind == TEST:
        faults = list_faults(comparison.context, measured.pair.gate)
        measured.findings += judge_little(fact.name, report, faults)
    if measured.pair.pinned is None:
        measured.findings += rules.judge_new_gate(fact.name, measured.pair.gate.kind, now.result)
    fact.result, fact.receipt, fact.reason = now.result.colour, now.number, now.result.reason


def _against_base(comparison: GateComparison, measured: GateMeasurement, now: RunReceipt) -> None:
    """Broken is red where it did run at the start; red for want of a service is broken."""
    if comparison.context.quick:
        return
    if now.result.colour == BROKEN and measured.settled and _has_others_changes(comparison, now):
        before = _find_base_colour(comparison, measured)
        worse = gate_run.compare_to_base(gate_run.Colour(BROKEN, now.result.reason), before)
        now.result.colour, now.result.reason = worse.value, worse.reason
    elif now.result.colour == RED:
        base = comparison.base(measured)
        if base is not None and gate_run.needs_service(_as_run(now), _as_run(base)):
            now.result.colour, now.result.reason = BROKEN, "needs a service that is not there"


def _has_others_changes(comparison: GateComparison, now: RunReceipt) -> bool:
    """Beside what the run wrote itself: else these are the files of base, and what differs is their surroundings."""
    return not {one.path for one in comparison.changes} <= set(now.wrote)


def _find_base_colour(comparison: GateComparison, measured: GateMeasurement) -> str | None:
    """What base says today: a receipt of better days does not know that the registry is away now."""
    base, pinned = comparison.base(measured), measured.pair.pinned
    if base is None or pinned is None:
        return None
    if base.reused and not has_service(pinned):
        again = comparison.repeat_on_base(pinned, 1)
        base = again[0] if again else base
        measured.base = base
    return base.result.colour


def _as_run(receipt: RunReceipt) -> gate_run.RunFacts:
    exit_ = receipt.document["run"]["exit"]
    return gate_run.RunFacts(exit=exit_, output=receipt.result.output, report=receipt.result.report)
