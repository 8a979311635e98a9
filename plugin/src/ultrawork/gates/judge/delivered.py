"""Whether the checks pass for everyone: one run in a clean copy, without ignored files that changed since the start
without a reason. Caches, dependencies behind a lock file and what a build writes have one."""

import os
from collections.abc import Sequence
from time import time_ns

from ...core.verdict import delivered, rules
from ...core.verdict.delivered import CHANGED, GONE, OutsideFacts, OutsidePath
from ...core.verdict.gate import BUILD, Gate, has_service
from ...core.verdict.gate_run import GREEN, RED, GateResult
from ...core.verdict.verdict import Finding
from ...store import trace
from ..find.project import find_builds
from ..run.receipt import DELIVERED, PLANTED
from ..testcode import files as testfiles
from ..trees.ledger import OutsideView
from .matrix import Cell, Comparison
from .standing import CheckState

POISON = "planted by ultrawork ((\n"
_POISONED = 50


def check_delivered(
    comparison: Comparison, states: Sequence[CheckState], noticed: Sequence[str] | None
) -> list[Finding]:
    """Check that the result holds without unexplained ignored files. `noticed`: tests failed in a copy without the
    change, so copies run their own files."""
    outside = comparison.source.outside
    if outside is None:
        return []
    if outside.base is None:
        return [rules.make_finding("ignored-unknown")]
    findings = [
        rules.make_finding("sparse-changed", what=name)
        for name, value in outside.now.rules.items()
        if outside.base.rules.get(name) != value
    ]
    findings += _find_stale(comparison, states, outside)
    facts = _gather(comparison, states, outside)
    moved = [outside_path for outside_path in outside.moved if outside_path.became != GONE]
    why = {outside_path.path: delivered.explain(outside_path, facts) for outside_path in moved}
    findings += [
        rules.make_finding("ignored-explained", where=outside_path.path, why=why[outside_path.path])
        for outside_path in moved
        if outside_path.folder and why[outside_path.path]
    ]
    suspects = [outside_path for outside_path in moved if not why[outside_path.path]]
    counting = [state for state in states if _counts(state)]
    if suspects and counting:
        findings += _try(comparison, counting, suspects, noticed=bool(noticed))
    return findings


def check_moved(comparison: Comparison, states: Sequence[CheckState]) -> list[Finding]:
    """Files that were written while a check ran, and put back: it has to pass in a copy that no one writes."""
    findings = []
    for state in states:
        now = state.now
        moved = now.document["tree"].get("stirred") if now else None
        if not now or not moved or has_service(now.gate):
            continue
        if not now.result.passes:
            continue
        run = comparison.matrix.run(Cell(DELIVERED, now.gate, comparison.matrix.tree))
        if run.result.colour == RED:
            findings.append(state.find("moved-while-running", where=moved[0], receipt=run.number))
    return findings


def check_excused(comparison: Comparison, states: Sequence[CheckState], noticed: Sequence[str] | None) -> list[Finding]:
    """Confirm "failing before", which is read in a copy. If that copy's output names the checkout, it may have run the
    checkout's files instead; then another run decides."""
    findings = []
    for state in states:
        base = state.base
        excused = state.fact.as_before and state.now is not None and state.now.result.colour == RED
        if noticed or not excused or base is None or has_service(state.pair.gate):
            continue
        named = f"{comparison.context.root}/" in base.result.output
        if named and comparison.change.code_paths and not is_running_own_files(comparison, state):
            findings.append(state.find("copy-foreign"))
    return findings


def _find_stale(comparison: Comparison, states: Sequence[CheckState], outside: OutsideView) -> list[Finding]:
    """Build output that is older than its source, where no check builds it and tests read it."""
    if any(state.pair.gate.kind == BUILD for state in states):
        return []
    times = outside.find_output_times()
    change, root = comparison.change, comparison.source.tree(comparison.matrix.tree).root
    sources = {
        path: os.lstat(f"{root}/{path}").st_mtime_ns
        for path in (change.product_paths if times else ())
        if testfiles.is_source_path(path) and os.path.lexists(f"{root}/{path}")
    }
    newest = max(sources, key=lambda path: sources[path], default="")
    return [
        rules.make_finding("build-stale", where=folder, source=newest)
        for folder, written in times.items()
        if newest
        and written < sources[newest]
        and comparison.source.search.find_readers(comparison.matrix.tree, folder)
    ]


def _gather(comparison: Comparison, states: Sequence[CheckState], outside: OutsideView) -> OutsideFacts:
    context = comparison.context
    changed = [file.path for file in (*comparison.change.own, *comparison.change.others)]
    entries = trace.read_tail(context.store.home, context.session.id)
    runs = [state.now for state in states if state.pair.gate.kind == BUILD]
    built = any(run is not None and run.result.colour == GREEN for run in runs)
    return OutsideFacts(
        changed=changed,
        commands=[str(entry.get("what", "")) for entry in entries if entry.get("tool") == "Bash"],
        built=outside.list_rewritten(time_ns()) if built else frozenset(),
    )


def _counts(state: CheckState) -> bool:
    """Return whether it counts toward a PASS: passing, or failing only as before."""
    if state.now is None or not state.decides:
        return False
    return state.now.result.passes or (state.now.result.colour == RED and state.fact.as_before)


def _try(
    comparison: Comparison, counting: Sequence[CheckState], suspects: Sequence[OutsidePath], *, noticed: bool
) -> list[Finding]:
    first = counting[0].fact.name
    lost = [moved.path for moved in suspects if moved.folder or (moved.became == CHANGED and not moved.kept)]
    if lost:
        return [delivered.report_unread(first, lost, "its earlier content was not kept")]
    paths = [suspect.path for suspect in suspects]
    outside = comparison.source.outside
    if outside is not None and not outside.lend(base=False, without=paths).complete:
        return [delivered.report_unread(first, paths, "the folder is too large to copy")]
    outputs = [moved for moved in suspects if delivered.is_output(moved.path)]
    builds = [state.pair.gate for state in counting if state.pair.gate.kind == BUILD]
    if not builds and outputs:
        builds = _find_builds(comparison)
    rebuilt = outputs == suspects and all(suspect.became == CHANGED for suspect in suspects)
    rest = [state for state in counting if state.pair.gate.kind != BUILD]
    ways = {"noticed": noticed, "rebuilt": rebuilt}
    tried = [_try_check(comparison, state, paths, builds, **ways) for state in rest]
    return [finding for finding in tried if finding is not None]


def _find_builds(comparison: Comparison) -> list[Gate]:
    """Return how the baseline builds the project, if that is still valid and allowed."""
    source, matrix = comparison.source, comparison.matrix
    now = {gate.command: gate for gate in find_builds(source.files(matrix.tree))}
    return [
        gate
        for gate in find_builds(source.files(matrix.base))
        if gate.command in now
        and now[gate.command].definition == gate.definition
        and comparison.context.may_run(gate.command)
    ]


def _try_check(
    comparison: Comparison,
    state: CheckState,
    paths: Sequence[str],
    builds: Sequence[Gate],
    *,
    noticed: bool,
    rebuilt: bool,
) -> Finding | None:
    now, name, matrix = state.now, state.fact.name, comparison.matrix
    assert now is not None
    if not matrix.fits(now.seconds):
        return delivered.report_unread(name, paths, "there was no time for a run without it")
    gate = state.pair.gate
    copy = matrix.run(Cell(DELIVERED, gate, matrix.tree, without=paths, builds=builds))
    base, own = None, True
    if not copy.result.passes:
        pinned = state.pair.pinned
        base = matrix.run(Cell(DELIVERED, pinned, matrix.base)) if pinned is not None else None
    elif not noticed:
        own = is_running_own_files(comparison, state, builds)
    return delivered.judge_copy(
        name,
        paths,
        now=now.result,
        copy=copy.result,
        base=base.result if base else None,
        own_files=own,
        rebuilt=rebuilt,
        label=gate.label,
    )


def is_running_own_files(comparison: Comparison, state: CheckState, builds: Sequence[Gate] = ()) -> bool:
    """Whether a copy runs its own files: with the code made unreadable there, what changed first, the check must not
    pass. Installed in place elsewhere, or named by an absolute path, the checkout's would run instead."""
    source, tree = comparison.source, comparison.matrix.tree
    known = set(source.names(tree))
    is_test = comparison.change.is_test
    product = [path for path in known if testfiles.is_source_path(path) and not is_test(path)]
    changed = [path for path in comparison.change.code_paths if path in known]
    paths = list(dict.fromkeys([*changed, *sorted(product)]))[:_POISONED]
    if not paths:
        return True
    texts = dict.fromkeys(paths, POISON)
    run = comparison.matrix.run(Cell(PLANTED, state.pair.gate, tree, texts=texts, builds=builds))
    now = state.now.result if state.now else run.result
    return not run.result.passes and not _fails_alike(run.result, now)


def _fails_alike(copy: GateResult, now: GateResult) -> bool:
    """Return whether a run fails exactly where the checkout does: it cannot have met what was planted."""
    if now.colour != RED or copy.report is None or now.report is None:
        return False
    return copy.colour == RED and copy.report.outcomes == now.report.outcomes
