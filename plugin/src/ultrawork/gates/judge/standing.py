"""Find out the state of one check: run it, repeat a failure that is not enough evidence, and run it on the baseline if
it fails.

A check that could not run now but did on the baseline has failed. One that could run on neither shows nothing."""

from functools import partial

from ...clients.confinement import Confinement
from ...core.goal import goals
from ...core.toolchains import toolchain
from ...core.value import Value, fresh
from ...core.verdict import gate_findings, gate_run, rules
from ...core.verdict.gate import TEST, Gate, has_service
from ...core.verdict.gate_findings import describe_difference
from ...core.verdict.gate_run import BROKEN, FLAKY, GREEN, RED, GateResult
from ...core.verdict.verdict import NOT_NEEDED, Finding, GateFact
from ..context import PERSON
from ..run.narrow import is_narrow, narrow
from ..run.receipt import RunReceipt, read_usual_seconds
from ..run.remedy import is_of_machine
from ..run.reuse import find_last_red, list_faults
from .matrix import Comparison, Matrix

_MORE_RUNS = 2
# Seconds: a longer run is not made before it is certain to be needed.
_SHORT = 2.0
# From this share of the time that a stop may wait, a second run of all tests is worth avoiding.
_SLOW = 1 / 8
_MOST_PROOFS = 20


class CheckPair(Value):
    """A check now and at the start: `now` is None if it is gone, `pinned` if it is new."""

    name: str
    now: Gate | None
    pinned: Gate | None

    @property
    def gate(self) -> Gate:
        gate = self.now or self.pinned
        assert gate is not None
        return gate

    @property
    def changed(self) -> bool:
        """Return whether its definition changed; a new check has none to compare with."""
        return self.pinned is not None and (self.now is None or self.now.definition != self.pinned.definition)


class CheckState(Value):
    """The state of a check, its findings, and the runs behind it. `rules` are the changed files that define it,
    including `shadows`: new files named like its runner."""

    pair: CheckPair
    fact: GateFact
    findings: list[Finding] = fresh(list)
    rules: list[str] = fresh(list)
    shadows: list[str] = fresh(list)
    now: RunReceipt | None = None
    base: RunReceipt | None = None
    pinned: RunReceipt | None = None
    settled: bool = True

    def baseline(self, matrix: Matrix) -> RunReceipt | None:
        """Return the old check's run on the old files; None if the check did not exist."""
        gate = self.pair.pinned
        if self.base is None and gate is not None:
            same = matrix.tree == matrix.base and self.now is not None
            self.base = self.now if same else matrix.run_baseline(gate)
        return self.base

    def find_baseline(self, matrix: Matrix, quick: float) -> RunReceipt | None:
        """Return that run if it exists, or if the check takes at most `quick` seconds."""
        known = self.base or matrix.find_baseline(self.pair.pinned)
        short = self.now is not None and self.now.seconds <= quick
        return self.baseline(matrix) if known is not None or short else None

    def report(self, rule: str, **words: object) -> None:
        """Add a finding about this check."""
        self.findings.append(self.find(rule, **words))

    def find(self, rule: str, **words: object) -> Finding:
        return rules.make_finding(rule, gate=self.pair.name, check=self.pair.gate.label, **words)

    @property
    def decides(self) -> bool:
        return self.pair.gate.required

    @property
    def is_test(self) -> bool:
        return self.pair.gate.kind == TEST and self.decides and self.now is not None


def measure(comparison: Comparison, pair: CheckPair) -> CheckState:
    """Run a check now; how its failures are read comes later, when it is known whether the change is proved."""
    gate = pair.gate
    idle = _explain_not_needed(comparison, pair)
    if idle:
        return CheckState(pair, GateFact(gate.name, NOT_NEEDED, reason=idle, called=gate.label))
    if is_unwanted(comparison):
        return _make_idle(pair, "check-unwanted")
    if pair.now is None and comparison.is_gone(gate.where):
        return _make_gone(comparison, pair)
    fact = GateFact(gate.name, None, required=gate.required, called=gate.label)
    state = CheckState(pair, fact)
    if not comparison.context.may_run(gate.command):
        may_run_old = _may_run_old(comparison, pair)
        if not may_run_old or (pair.now is not None and not _run_held_back(comparison, state)):
            return _make_blocked(comparison, pair)
    elif pair.now is not None:
        state.now = _run_now(comparison, state, pair.now)
    return state


def _may_run_old(comparison: Comparison, pair: CheckPair) -> bool:
    """Return whether only the check's new definition lacks consent."""
    old = pair.pinned
    return pair.changed and old is not None and comparison.context.may_run_old(old.command)


def _run_held_back(comparison: Comparison, state: CheckState) -> bool:
    """Judge by the old definition, and never run the new one. Return whether the old one can run."""
    now, old = state.pair.now, state.pair.pinned
    assert now is not None
    assert old is not None
    paths = [path for path in comparison.change.paths if path in (*old.files, *now.files)]
    same = old.command == now.command
    texts = (old.definition, now.definition) if same else (old.command, now.command)
    state.report("check-unread-consent", became=describe_difference(*texts))
    comparison.matrix.hold_back(old.name, paths)
    state.pair = CheckPair(state.pair.name, old, old)
    state.now = _run_now(comparison, state, old) if paths else None
    return state.now is not None and state.now.result.colour != BROKEN


def _explain_not_needed(comparison: Comparison, pair: CheckPair) -> str:
    """Return why the check is not needed: only docs changed that no test names, and it is slow and passed at the
    start."""
    change, tree = comparison.change, comparison.matrix.tree
    if not change.has_only_docs or comparison.source.search.find_tests_reading(tree, change.paths):
        return ""
    known = comparison.matrix.find_baseline(pair.pinned)
    return gate_findings.explain_not_needed(
        comparison.change.paths,
        seconds=read_usual_seconds(comparison.context, pair.gate),
        base=known.result.colour if known else None,
    )


def is_unwanted(comparison: Comparison) -> bool:
    """Return whether the user said to run nothing; the user's own `verify` overrides that."""
    return comparison.context.by != PERSON and goals.forbids_running(comparison.goal)


def _make_idle(pair: CheckPair, rule: str, reason: str = "", **words: object) -> CheckState:
    gate = pair.gate
    fact = GateFact(pair.name, None, required=gate.required, reason=reason, called=gate.label)
    state = CheckState(pair, fact)
    state.report(rule, **words)
    return state


def _make_gone(comparison: Comparison, pair: CheckPair) -> CheckState:
    """A package was removed with everything in it; what failed there at the start was not fixed."""
    where = pair.gate.where
    state = CheckState(pair, GateFact(pair.name, NOT_NEEDED, reason=f"{where} was removed"))
    allowed = comparison.context.may_run(pair.gate.command)
    base = state.baseline(comparison.matrix) if allowed else None
    passed = base is not None and base.result.colour == GREEN
    rule = "checks-gone" if passed else "checks-gone-failing"
    state.report(rule, where=where)
    return state


def _make_blocked(comparison: Comparison, pair: CheckPair) -> CheckState:
    """Report a check that may not run. If the agent cannot run it either, do not ask for it."""
    held: Confinement | None = comparison.context.confinement
    if held is not None and not held.program:
        why = f"cannot run in {held.name}"
        return _make_idle(pair, "check-sandboxed", why, why=why, cure=held.remedy)
    return _make_idle(pair, "check-blocked", "not run: it needs your permission")


def _run_now(comparison: Comparison, state: CheckState, gate: Gate) -> RunReceipt:
    """Return a valid receipt, or run the check; twice if it writes files."""
    matrix = comparison.matrix
    failed = find_last_red(comparison.context, gate, matrix.tree)
    if failed is not None:
        return _settle(comparison, state, failed)
    kept = matrix.find_now(gate)
    if kept is not None:
        return kept
    # Where scanning the files takes longer than a short run, two runs share a scan.
    large = state.pair.gate.kind == TEST and comparison.source.is_large(matrix.tree)
    choose = partial(_foresee_confirmation, comparison, state.pair) if large else None
    first = matrix.run_now(gate, choose=choose)
    if not first.wrote:
        return _repeat_failure(comparison, state, first)
    if first.result.colour == BROKEN:
        # Its leftovers would hide from the next run why no test ran.
        return first
    second = matrix.run_now(gate)
    if second.wrote:
        same = set(first.wrote) & set(second.wrote)
        second.result.colour = BROKEN
        second.result.reason = gate_run.REWRITES if same else gate_run.MOVES
        state.settled = False
        return second
    return _repeat_failure(comparison, state, second)


def _foresee_confirmation(comparison: Comparison, pair: CheckPair, now: GateResult, seconds: float) -> Gate | None:
    """Return the run that will confirm a proof, after a short run and a change of code alone."""
    gate, base = pair.gate, comparison.matrix.find_baseline(pair.pinned)
    short = seconds <= _SHORT and 3 * seconds < comparison.context.left
    if not short or comparison.context.quick or now.colour != GREEN or now.report is None:
        return None
    if has_service(gate) or comparison.change.test_paths or base is None:
        return None
    # A passing run without skips passed them all, even if it names none.
    outcomes = now.report.outcomes if now.report.complete or now.report.skipped_count else None
    names = [name for name in base.result.failed if outcomes is None or outcomes.get(name) == gate_run.PASSED]
    return narrow(gate, names[:_MOST_PROOFS]) if names else None


def _repeat_failure(comparison: Comparison, state: CheckState, first: RunReceipt) -> RunReceipt:
    """A failing check runs once more on the unchanged files; passing then means flaky, not passing."""
    return _settle(comparison, state, first) if comparison.matrix.repeats(first) else first


def _settle(comparison: Comparison, state: CheckState, failed: RunReceipt) -> RunReceipt:
    """Return the run that counts, after a failing run on exactly these files."""
    matrix = comparison.matrix
    if _fails_alone(matrix, failed):
        return failed
    again = matrix.run_now(
        failed.gate, equip=lambda env: env | toolchain.make_seed_variables(failed.result.output, env)
    )
    wavered = gate_run.list_wavered(failed.result, again.result)
    if again.result.colour == RED and not wavered:
        return again
    # A failure that stores its example would fail again with it.
    if toolchain.has_example(failed.result.output) or again.result.colour not in (GREEN, RED):
        return failed
    results = [failed.result, again.result]
    base, pinned = results, state.pair.pinned
    if matrix.tree != matrix.base:
        base = [run.result for run in matrix.repeat_baseline(pinned, 2)] if pinned else []
    wavering = gate_run.judge_wavering(wavered, base)
    if wavering == RED:
        failed.result.reason = "failed in one run, as it did at the start"
        return failed
    further = []
    if wavering == FLAKY and again.result.colour == GREEN:
        further = [matrix.run_now(failed.gate).result.colour for _ in range(_MORE_RUNS)]
    # Flaky with and without the change: it counts after more passing runs.
    state.fact.counts = bool(further) and all(colour == GREEN for colour in further)
    flaky = gate_run.describe_flaky(wavered, red=1 + further.count(RED), runs=2 + len(further))
    rule = "flaky-here" if wavering == gate_run.ONLY_HERE else "flaky"
    state.report(rule, what=flaky, receipt=failed.number)
    if again.result.colour == GREEN:
        again.result.colour = FLAKY
    return again


def _fails_alone(matrix: Matrix, failed: RunReceipt) -> bool:
    """Return whether the failed tests of a slow suite fail again by themselves, so that the rest need not run twice."""
    names = failed.result.failed
    if failed.seconds < _SLOW * float(matrix.context.settings["stop.budget"]) or matrix.is_held_back(failed.gate):
        return False
    some = narrow(failed.gate, names)
    if len(names) > _MOST_PROOFS or not is_narrow(some, failed.gate):
        return False
    again = matrix.run_now(some)
    return again.result.colour == RED and set(names) <= set(again.result.failed)


def compare_with_baseline(comparison: Comparison, state: CheckState) -> None:
    """Compare the current run with the baseline, and fill in the state."""
    now, fact = state.now, state.fact
    if now is None:
        return
    if not comparison.context.quick:
        _compare_colours(comparison, state, now)
    report = now.result.report
    if report is not None and report.ran is not None:
        fact.ok = report.ran - (report.failed_count or 0)
    if now.result.colour == GREEN and state.pair.gate.kind == TEST:
        _say_little(comparison, state)
    tells = report is not None and bool(report.ran)
    new = state.pair.pinned is None and state.pair.gate.kind == TEST
    if new and now.result.colour == GREEN and not tells:
        state.report("check-new", receipt=now.number)
    fact.result, fact.receipt, fact.reason = now.result.colour, now.number, now.result.reason
    if fact.result == BROKEN and state.pair.gate.kind != TEST:
        base = state.baseline(comparison.matrix)
        # A new check of a known tool that is not installed could not have run at the start either.
        never_there = state.pair.pinned is None and bool(now.missing) and is_of_machine(now.missing)
        fact.as_before = never_there or (base is not None and base.result.colour == BROKEN)


def _compare_colours(comparison: Comparison, state: CheckState, now: RunReceipt) -> None:
    """Could not run is a failure where it did run at the start; a failure for want of a service is not."""
    own = {file.path for file in comparison.change.own}
    if now.result.colour == BROKEN and state.settled and not own <= set(now.wrote):
        colour = gate_run.Colour(BROKEN, now.result.reason)
        worse = gate_run.compare_to_base(colour, _find_baseline_colour(comparison, state))
        now.result.colour, now.result.reason = worse.value, worse.reason
    elif now.result.colour == RED:
        base = state.baseline(comparison.matrix)
        if base is not None and gate_run.needs_service(now.result, base.result):
            now.result.colour, now.result.reason = BROKEN, "needs a service that is not running"


def _find_baseline_colour(comparison: Comparison, state: CheckState) -> str | None:
    """Return the baseline's result today: an old receipt does not know that a registry is down now."""
    matrix, pinned = comparison.matrix, state.pair.pinned
    base = state.baseline(matrix)
    if base is None or pinned is None:
        return None
    if base.reused and not has_service(pinned):
        again = matrix.repeat_baseline(pinned, 1)
        state.base = base = again[0] if again else base
    return base.result.colour


def _say_little(comparison: Comparison, state: CheckState) -> None:
    """Report a passing test check that names no tests or missed the faults that `gates try` planted."""
    report = state.now.result.report if state.now else None
    if report is None or (report.ran is None and not report.outcomes):
        state.report("names-no-tests")
    faults = list_faults(comparison.context, state.pair.gate)
    missed = sum(result == GREEN for result in faults)
    if faults and missed * 2 > len(faults):
        state.report("misses-faults", missed=missed, planted=len(faults))
