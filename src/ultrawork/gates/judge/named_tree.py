"""
Whether the gates are green on the tree that the verdict names: one run in a copy without what lies beside it
and moved since the start without a reason.
"""

import os
from collections.abc import Sequence
from time import time_ns

from ...core.verdict import named_tree
from ...core.verdict.finding import NOTE, Finding
from ...core.verdict.gate import BUILD, Gate, has_service
from ...core.verdict.gate_run import FLAKY, GREEN, RED, GateResult
from ...core.verdict.named_tree import CHANGED, GONE, OutsideFacts, OutsidePath
from ...store import trace
from ..find.project import find_builds
from ..run.receipt import CANARY, RunReceipt, RunTarget, make_receipt
from ..run.reuse import find_reusable
from ..testcode import files as testfiles
from ..trees.ledger import OutsideView
from .comparison import GateComparison, GateMeasurement

NAMED = "named-tree"
_POISON = "planted by ultrawork ((\n"
_POISONED = 50
_SPARE = 1.5
_QUICK = 2.0


def check_named_tree(
    comparison: GateComparison, found: Sequence[GateMeasurement], noticed: Sequence[str] | None
) -> list[Finding]:
    """`noticed` by tests that failed in a copy without the change: then copies test their own files."""
    outside = comparison.source.outside
    excuses = [] if noticed else _check_excuses(comparison, found)
    if outside is None:
        return excuses
    if outside.base is None:
        return [*excuses, named_tree.report_unknown()]
    findings = excuses + [
        named_tree.report_rule(name)
        for name, value in outside.now.rules.items()
        if outside.base.rules.get(name) != value
    ]
    findings += _find_stale(comparison, found, outside)
    facts = _facts(comparison, found, outside)
    moved = [one for one in outside.moved if one.became != GONE]
    told = {one.path: named_tree.explain(one, facts) for one in moved}
    folders = [(one.path, told[one.path]) for one in moved if one.folder and told[one.path]]
    findings += named_tree.report_explained(folders)
    suspects = [one for one in moved if not told[one.path]]
    counting = [one for one in found if _counts(one)]
    if suspects and counting:
        findings += _try(comparison, counting, suspects, noticed=bool(noticed))
    return findings


def _check_excuses(comparison: GateComparison, found: Sequence[GateMeasurement]) -> list[Finding]:
    """Red as before is told by a copy of base; where that is quick, it is seen to run its own files."""
    return [
        named_tree.report_foreign_copy(one.fact.name, one.now.number)
        for one in found
        if one.fact.as_before
        and one.now is not None
        and one.now.seconds <= _QUICK
        and not _tests_itself(comparison, one)
    ]


def _find_stale(
    comparison: GateComparison, found: Sequence[GateMeasurement], outside: OutsideView
) -> list[Finding]:
    """What a build made before the code changed, where no build of ours makes it anew and tests read it."""
    if any(one.pair.gate.kind == BUILD for one in found):
        return []
    times = outside.find_output_times()
    sources = {
        one.path: os.lstat(place).st_mtime_ns
        for one in (comparison.changes if times else ())
        if testfiles.is_source_path(one.path)
        and not testfiles.is_test_path(one.path)
        and os.path.lexists(place := f"{comparison.source.tree(comparison.tree).root}/{one.path}")
    }
    newest = max(sources, key=lambda path: sources[path], default="")
    return [
        named_tree.report_stale(folder, newest)
        for folder, written in times.items()
        if newest
        and written < sources[newest]
        and comparison.source.search.find_readers(comparison.tree, folder)
    ]


def _facts(
    comparison: GateComparison, found: Sequence[GateMeasurement], outside: OutsideView
) -> OutsideFacts:
    context = comparison.context
    changed = [one.path for one in (*comparison.changes, *comparison.others)]
    entries = trace.read_tail(context.store.home, context.session.id)
    built = any(
        one.pair.gate.kind == BUILD and one.now is not None and one.now.result.colour == GREEN
        for one in found
    )
    return OutsideFacts(
        changed=changed,
        commands=[str(one.get("what", "")) for one in entries if one.get("tool") == "Bash"],
        built=outside.list_rewritten(time_ns()) if built else frozenset(),
    )


def _counts(measured: GateMeasurement) -> bool:
    """Whether it stands for a PASS: green, or red only as before."""
    if measured.now is None or not measured.pair.gate.required:
        return False
    colour = measured.now.result.colour
    return colour in (GREEN, FLAKY) or (colour == RED and measured.fact.as_before)


def _try(
    comparison: GateComparison,
    counting: Sequence[GateMeasurement],
    suspects: Sequence[OutsidePath],
    *,
    noticed: bool,
) -> list[Finding]:
    first = counting[0].fact.name
    lost = [one.path for one in suspects if one.folder or (one.became == CHANGED and not one.kept)]
    if lost:
        return [named_tree.report_doubt(first, lost, "what it was then is not kept")]
    paths = [one.path for one in suspects]
    outside = comparison.source.outside
    if outside is not None and not outside.lend(base=False, without=paths).complete:
        return [named_tree.report_doubt(first, paths, "too much lies there for a copy")]
    builds = [one.pair.gate for one in counting if one.pair.gate.kind == BUILD]
    if not builds and any(named_tree.is_output(path) for path in paths):
        builds = _find_builds(comparison)
    rest = [one for one in counting if one.pair.gate.kind != BUILD]
    rebuilt = all(one.became == CHANGED and named_tree.is_output(one.path) for one in suspects)
    found = [
        _try_gate(comparison, one, paths, builds, noticed=noticed, rebuilt=rebuilt) for one in rest
    ]
    return [one for one in found if one is not None]


def _find_builds(comparison: GateComparison) -> list[Gate]:
    """How base says the project is built, where that still holds and may be run."""
    source = comparison.source
    now = {one.command: one for one in find_builds(source.files(comparison.tree))}
    return [
        one
        for one in find_builds(source.files(comparison.base_tree))
        if one.command in now
        and now[one.command].definition == one.definition
        and comparison.context.may_run(one.command)
    ]


def _try_gate(
    comparison: GateComparison,
    measured: GateMeasurement,
    paths: Sequence[str],
    builds: Sequence[Gate],
    *,
    noticed: bool,
    rebuilt: bool,
) -> Finding | None:
    now, name = measured.now, measured.fact.name
    assert now is not None
    if now.seconds * _SPARE > comparison.context.left:
        return named_tree.report_doubt(name, paths, "no time is left for a run without it")
    copy = _run_without(comparison, measured.pair.gate, paths, builds)
    base, own = None, True
    if copy.result.colour not in (GREEN, FLAKY):
        base = _run_base(comparison, measured)
    elif not noticed:
        own = _tests_itself(comparison, measured)
    return named_tree.judge_copy(
        name,
        paths,
        now=now.result,
        copy=copy.result,
        base=base.result if base else None,
        own_files=own,
        rebuilt=rebuilt,
    )


def _run_without(
    comparison: GateComparison, gate: Gate, paths: Sequence[str], builds: Sequence[Gate]
) -> RunReceipt:
    """What a build makes is made first, in the copy."""
    if not builds:
        return comparison.scratch_run(gate, NAMED, comparison.tree, without=paths)
    source, context = comparison.source, comparison.context
    name = source.name_of(comparison.tree, without=[*paths, *(one.command for one in builds)])
    kept = find_reusable(context, gate, name, NAMED)
    if kept is not None:
        return kept
    comparison.look_again()
    with source.copy(comparison.tree, without=paths) as folder:
        target = RunTarget(folder, name, NAMED)
        for build in builds:
            make_receipt(context, build, target)
        return make_receipt(context, gate, target)


def check_stirred(comparison: GateComparison, found: Sequence[GateMeasurement]) -> list[Finding]:
    """Files that were written while a gate ran, and put back: it has to be green in a copy that nobody writes too."""
    told = []
    for measured in found:
        now = measured.now
        stirred = now.document["tree"].get("stirred") if now else None
        if (
            not now
            or not stirred
            or now.result.colour not in (GREEN, FLAKY)
            or has_service(now.gate)
        ):
            continue
        run = comparison.scratch_run(now.gate, NAMED, comparison.tree)
        if run.result.colour == RED:
            told.append(
                Finding(
                    rule="stirred",
                    level=NOTE,
                    gate=measured.fact.name,
                    what=f"{stirred[0]} was written while {measured.fact.name} ran; in a copy it is red",
                    where=stirred[0],
                    receipt=run.number,
                    clears="end what writes these files meanwhile, and verify again",
                    doubt=True,
                )
            )
    return told


def _run_base(comparison: GateComparison, measured: GateMeasurement) -> RunReceipt | None:
    """The control: base in the same kind of copy, not as it once ran in the checkout."""
    gate = measured.pair.pinned
    return None if gate is None else comparison.scratch_run(gate, NAMED, comparison.base_tree)


def _tests_itself(comparison: GateComparison, measured: GateMeasurement) -> bool:
    """
    Whether a copy runs its own files: with the code made unreadable there, what changed first, the gate must not
    be green. Installed in place elsewhere, or named by an absolute path, the checkout's would run instead.
    """
    changed = [
        one.path
        for one in comparison.changes
        if one.status in "AM" and not one.submodule and testfiles.is_source_path(one.path)
    ]
    known = set(comparison.source.names(comparison.tree))
    product = [path for path in known if testfiles.is_source_path(path) and _is_product(path)]
    paths = [one for one in dict.fromkeys([*changed, *sorted(product)]) if one in known][:_POISONED]
    if not paths:
        return True
    texts = dict.fromkeys(paths, _POISON)
    run = comparison.scratch_run(measured.pair.gate, CANARY, comparison.tree, texts=texts)
    now = measured.now.result if measured.now else run.result
    return run.result.colour not in (GREEN, FLAKY) and not _is_same_red(run.result, now)


def _is_product(path: str) -> bool:
    return not testfiles.is_test_path(path) and not testfiles.is_support_path(path)


def _is_same_red(copy: GateResult, now: GateResult) -> bool:
    """Whether a run fails exactly where the checkout does: it cannot have met what was planted."""
    if now.colour != RED or copy.report is None or now.report is None:
        return False
    return copy.colour == RED and copy.report.outcomes == now.report.outcomes
