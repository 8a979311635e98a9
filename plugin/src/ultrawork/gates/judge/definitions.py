"""Compare checks as defined at the start with checks as defined now, and find obstacles to running them.

That includes files that runners load but git was configured to ignore, because no diff shows them."""

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from functools import partial

from ...core.patterns import compile_late
from ...core.toolchains.toolchain import get_built_in
from ...core.verdict import gate_findings, rules
from ...core.verdict.gate import BUILD, LINT, TEST, TYPES, Gate
from ...core.verdict.gate_findings import DefinitionChange
from ...core.verdict.gate_run import BROKEN, GREEN, RED, TestReport
from ..find.project import GateSearch, search_gates
from ..run.environment import find_shadows
from ..run.receipt import OLD_TESTS, PINNED, RunReceipt
from ..testcode.files import is_loaded_with_runner, is_source_path
from ..trees.files import DiskFiles, Files, has_answers
from ..trees.source import Source
from .matrix import Cell, Comparison
from .standing import CheckPair, CheckState

# Files that Python or a runner loads wherever they are, and folders where they look.
_LOADED_BY_PYTHON = ("sitecustomize.py", "usercustomize.py")
_FOLDERS = (".", "test", "tests", "src")
# Settings that list what a linter or a type checker skips.
_OVERLOOKED = compile_late(
    r"ignore$|ignores?[._-]|baseline|suppress|(?:allow|deny|skip|exclude)[_-]?list|known[_-]|exclu(?:de|sion)s|exempt|waive|_todo"
)
_ALWAYS_SHADOWING = ("sitecustomize", "usercustomize", ".npmrc")


def pair_checks(comparison: Comparison) -> list[CheckPair]:
    """Pair each check with its baseline definition. Both sides use the baseline's configuration: a change to it
    applies from the next start. If nothing changed, all checks run, because only then is the result meaningful."""
    context, paths = comparison.context, comparison.change.paths or None
    now = _find_gates_by_name(comparison, DiskFiles(context.root), paths)
    unseen = find_untracked(comparison.source, comparison.matrix.tree, now.values())
    made = _find_configured(comparison, unseen)
    comparison.unseen = [path for path in unseen if path not in made]
    before = now
    matrix = comparison.matrix
    if matrix.tree != matrix.base or comparison.unseen:
        before = _find_gates_by_name(comparison, comparison.base_files, paths)
        same = {name: gate for name, gate in now.items() if not made.isdisjoint(gate.files)}
        before = {**same, **before}
    pairs = [_pair(comparison, name, now.get(name), before.get(name)) for name in {**before, **now}]
    outside = comparison.source.outside
    built = outside is not None and outside.has_outputs()
    # Tests that read build output must see the output of these files.
    order = [BUILD, TEST] if built else [TEST]
    return sorted(pairs, key=lambda pair: (*order, pair.gate.kind).index(pair.gate.kind))


def _find_configured(comparison: Comparison, unseen: Sequence[str]) -> set[str]:
    """Return files that `./configure` made from an unchanged template (`Makefile.in`): their checks are not new. Not
    in a session, whose ledger shows whether they were touched."""
    if comparison.source.outside is not None:
        return set()
    read, trees = comparison.source.read, (comparison.matrix.base, comparison.matrix.tree)
    templates = {path: {read(tree, f"{path}.in") for tree in trees} for path in unseen}
    return {path for path, texts in templates.items() if len(texts) == 1 and None not in texts}


def _find_gates_by_name(comparison: Comparison, files: Files, paths: Sequence[str] | None) -> dict[str, Gate]:
    """Return the checks that these files define, from an earlier search where that got the same answers."""
    settings = comparison.context.settings
    searches = comparison.searches.setdefault(tuple(paths or ()), [])
    found = next((search for search in searches if has_answers(files, search.answers)), None)
    if found is None:
        found = _search_gates(comparison, files, paths)
        searches.append(found)
    return {gate.name: gate for gate in [*settings.requested, *found.gates]}


def _search_gates(comparison: Comparison, files: Files, paths: Sequence[str] | None) -> GateSearch:
    settings = comparison.context.settings
    return search_gates(
        files,
        settings.gates,
        changed=paths,
        origin=settings.gates_source,
        goal=comparison.goal,
        find_users=partial(comparison.source.search.find_users, comparison.matrix.base),
    )


def _pair(comparison: Comparison, name: str, now: Gate | None, pinned: Gate | None) -> CheckPair:
    """Pair the definitions. If someone else changed one and this session did not, the changed one applies."""
    files = {*(now.files if now else ()), *(pinned.files if pinned else ())}
    theirs = not files.isdisjoint(file.path for file in comparison.change.others)
    own = not files.isdisjoint((*comparison.change.paths, *comparison.unseen))
    return CheckPair(name, now, now if now and pinned and theirs and not own else pinned)


def compare_definition(comparison: Comparison, state: CheckState) -> None:
    """Run a check once more as it was, where this change touched how it runs."""
    nested = _list_nested(comparison, state.pair.gate)
    state.rules = list(dict.fromkeys([*_list_rules(comparison, state), *nested]))
    hidden = [path for path in comparison.unseen if _is_support(path) or state.pair.changed]
    if not (state.rules or state.shadows or hidden) and state.pair.now is not None:
        return
    run = state.pinned = _run_as_it_was(comparison, state)
    if state.pair.changed or state.shadows:
        state.findings += rules.judge(rules.DEFINITION, _gather(comparison, state, run))
    passes = state.now is not None and state.now.result.colour == GREEN
    if nested and run.result.colour == RED and passes:
        state.report("check-overlooks", where=nested[0], receipt=run.number)
    if run.result.colour in (RED, BROKEN):
        for path in filter(_is_support, hidden):
            state.report("unseen-support", where=path, receipt=run.number)
    state.now = state.now or run


def _run_as_it_was(comparison: Comparison, state: CheckState) -> RunReceipt:
    """The old definition with the new tests. Where that does not pass and tests moved with it, with the old tests:
    what they were still passes on this code."""
    matrix, gate = comparison.matrix, state.pair.pinned or state.pair.gate
    cell = Cell(PINNED, gate, matrix.tree, other=matrix.base, paths=state.rules)
    run = matrix.run(cell)
    tests = comparison.change.test_paths
    if run.result.passes or not tests or gate.kind != TEST:
        return run
    paths = [*tests, *state.rules]
    old = matrix.run(Cell(OLD_TESTS, gate, matrix.tree, other=matrix.base, paths=paths))
    return old if old.result.passes else run


def _gather(comparison: Comparison, state: CheckState, run: RunReceipt) -> DefinitionChange:
    pinned, now = state.pair.pinned or state.pair.gate, state.pair.now
    base = state.baseline(comparison.matrix) if run.result.colour != GREEN else None
    same = now is not None and now.command == pinned.command
    after = "" if now is None else now.definition if same else now.command
    runner = state.pair.gate.runner or "the runner"
    return DefinitionChange(
        pinned.name,
        before=pinned.definition if same else pinned.command,
        # A new file that is named like the runner takes its place.
        after="\n".join([after, *(f"{path} in place of {runner}" for path in state.shadows)]),
        now=state.now.result if state.now else run.result,
        as_it_was=run.result,
        failed_alike=_fails_alike(comparison, state, run, base),
        program_left=run.result.colour == BROKEN and _left_manifest(comparison, run.result.reason),
        never_ran=pinned.kind != TEST
        and run.result.colour == BROKEN
        and base is not None
        and base.result.colour == BROKEN,
        guessed=pinned.definition.partition("\n")[0] == pinned.command,
        baseline=_count_tests(comparison, base),
        where=next(iter(state.shadows), pinned.source.partition(":")[0]),
        label=pinned.label,
    )


def _fails_alike(comparison: Comparison, state: CheckState, run: RunReceipt, base: RunReceipt | None) -> bool:
    """Return whether the check as it was fails only as it failed at the start."""
    if base is None or run.result.colour != RED or base.result.colour != RED:
        return False
    if state.pair.gate.kind in (LINT, TYPES):
        return not gate_findings.find_new_complaints(run.result.output, base.result.output, comparison.change.paths)
    return bool(run.result.failed) and set(run.result.failed) <= set(base.result.failed)


def _left_manifest(comparison: Comparison, reason: str) -> bool:
    """Return whether the program that is missing was among what the project asks for, and is no more."""
    program, missing, _ = reason.partition(" is not installed")
    matrix = comparison.matrix
    before, now = (comparison.source.manifests(tree) for tree in (matrix.base, matrix.tree))
    return bool(missing) and program in before and program not in now


def _count_tests(comparison: Comparison, base: RunReceipt | None) -> TestReport | None:
    """Return how many tests the baseline had: as they ran, or by its source if they can no longer run."""
    if base is None or (base.result.report is not None and base.result.report.ran):
        return base.result.report if base else None
    return TestReport(ran=comparison.source.count_tests(comparison.matrix.base))


def _list_rules(comparison: Comparison, state: CheckState) -> list[str]:
    """Return changed files that define the check, and new ones named like its runner."""
    pair = state.pair
    changed = {file.path: file.status for file in comparison.change.own}
    files = {*(pair.pinned.files if pair.pinned else ()), *(pair.now.files if pair.now else ())}
    paths = [path for path in changed if path in files] if pair.changed else []
    places, runner = find_shadows(pair.gate, comparison.context.root), pair.gate.runner
    new = [path for path, status in changed.items() if status == "A"]
    new += [path for path in comparison.unseen if not _is_support(path)]
    at = tuple(f"{place}/" for place in places)
    state.shadows = [path for path in new if f"{path}/".startswith(at) or _can_shadow(path, runner)]
    return list(dict.fromkeys([*paths, *state.shadows]))


def _list_nested(comparison: Comparison, gate: Gate) -> list[str]:
    """Return changed settings of a linter or type checker, in any folder, and lists of what they skip."""
    if gate.kind not in (LINT, TYPES):
        return []
    text = f"{gate.command}\n{gate.definition}"
    patterns = [name for tool, names in get_built_in().collect("nested").items() if tool in text for name in names]

    def steers(path: str) -> bool:
        name = path.rpartition("/")[2]
        overlooks = _OVERLOOKED.search(name.lower()) is not None and not is_source_path(path)
        return overlooks or any(fnmatch(name, pattern) for pattern in patterns)

    return [path for path in comparison.change.paths if path not in gate.files and steers(path)]


def _can_shadow(path: str, runner: str) -> bool:
    """Return whether a file can stand in for the runner, or step between it and the tests."""
    first, _, rest = path.removeprefix("src/").partition("/")
    name = first if rest else first.removesuffix(".py")
    shadows = get_built_in().collect("shadows")
    known = shadows.get(runner, []) if runner else get_built_in().gather("shadows")
    return name in known or name in _ALWAYS_SHADOWING


def _is_support(path: str) -> bool:
    return is_loaded_with_runner(path) and not path.endswith("customize.py")


def find_untracked(source: Source, tree: str, gates: Iterable[Gate]) -> list[str]:
    """Return untracked files that define these checks, shadow their runners or support their tests."""
    root = source.context.root
    paths: dict[str, None] = {}
    for gate in gates:
        loaded = [*_LOADED_BY_PYTHON, *get_built_in().gather("loads")]
        names = [f"{gate.where}/{folder}/{name}" for folder in _FOLDERS for name in loaded]
        paths.update(dict.fromkeys(os.path.normpath(path) for path in (*gate.files, *names)))
        for place in find_shadows(gate, root):
            paths.update(dict.fromkeys((place, f"{place}/__init__.py", f"{place}/__main__.py")))
    there = [path for path in paths if os.path.isfile(f"{root}/{path}")]
    known = source.find_present(tree, there)
    return [path for path in there if path not in known]
