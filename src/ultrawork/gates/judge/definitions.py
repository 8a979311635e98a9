"""
Gates as they were defined at the start beside gates as they are now: their definitions, and what stands in
their way. Files that runners load and no tree holds belong to it: git was told to overlook them, so no
change shows them.
"""

import os
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch
from functools import partial

from ...core.patterns import compile_late
from ...core.verdict import definitions as rules
from ...core.verdict import goals, red_gates
from ...core.verdict.finding import NOTE, Finding
from ...core.verdict.gate import BUILD, LINT, TEST, TYPES, Gate
from ...core.verdict.gate_run import BROKEN, GREEN, RED, TestReport
from ..find.project import find_gates
from ..run.environment import find_shadows
from ..run.receipt import PINNED, RunReceipt
from ..testcode.files import is_source_path
from ..testcode.helpers import list_imported
from ..trees.files import DiskFiles
from ..trees.source import Source
from .comparison import GateComparison, GateMeasurement, GatePair

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..trees.files import Files

SUPPORT = (
    "conftest.py", "sitecustomize.py", "usercustomize.py", "jest.setup.js", "jest.setup.ts",
    "vitest.setup.ts", "vitest.setup.js", "setupTests.js", "setupTests.ts",
)  # fmt: skip
_FOLDERS = (".", "test", "tests", "src")
# Files that tools take settings from in any folder, and those that make them overlook files.
_NESTED = {
    "biome": ("biome.json", "biome.jsonc"),
    "eslint": (".eslintrc*", ".eslintignore", "eslint.config.*"),
    "markdownlint": (".markdownlint*",),
    "prettier": (".prettierrc*", ".prettierignore", "prettier.config.*"),
    "rubocop": (".rubocop.yml",),
    "ruff": ("ruff.toml", ".ruff.toml", "pyproject.toml"),
    "stylelint": (".stylelintrc*", ".stylelintignore"),
    "tsc": ("tsconfig*.json",),
}
# Lists of what a linter or a type checker is to pass by, whoever reads them.
_OVERLOOKED = compile_late(
    r"ignore$|ignores?[._-]|baseline|suppress|(?:allow|deny|skip|exclude)[_-]?list|known[_-]|exclu(?:de|sion)s|exempt|waive|_todo"
)
# Folders of programs that check, beside which their own modules lie; and programs that start a runner.
_TOOL_FOLDERS = frozenset((".ci", "ci", "dev", "hack", "script", "scripts", "tool", "tools"))
_STARTS_RUNNER = compile_late(r"\b(?:pytest|unittest|nose2|jest|vitest|mocha|ava)\b|--test\b")


def pair_gates(comparison: GateComparison) -> list[GatePair]:
    """
    The configuration is the base's on both sides: a change of it counts from the next start. Where
    nothing changed, everything has to speak: only then is it known what "nothing" is worth.
    """
    context, paths = comparison.context, comparison.change.changed or None
    now = _found(comparison, DiskFiles(context.root), paths)
    unseen = find_untracked(comparison.source, comparison.tree, now.values())
    made = _find_configured(comparison, unseen)
    comparison.unseen = [path for path in unseen if path not in made]
    before = now
    if comparison.tree != comparison.base_tree or comparison.unseen:
        before = _found(comparison, comparison.source.files(comparison.base_tree), paths)
        same = {name: gate for name, gate in now.items() if not made.isdisjoint(gate.files)}
        before = {**same, **before}
    found = [_pair(comparison, name, now.get(name), before.get(name)) for name in {**before, **now}]
    outside = comparison.source.outside
    built = outside is not None and outside.has_outputs()
    # Tests that read what a build makes must see that of these files.
    order = [BUILD, TEST] if built else [TEST]
    return sorted(found, key=lambda pair: (*order, pair.gate.kind).index(pair.gate.kind))


def _find_configured(comparison: GateComparison, unseen: Sequence[str]) -> set[str]:
    """
    Files that `./configure` made of a template (`Makefile.in`) which is as it was: their gates are no new ones.
    Not in a session, whose ledger tells whether they were touched since.
    """
    if comparison.source.outside is not None:
        return set()
    read, trees = comparison.source.read, (comparison.base_tree, comparison.tree)
    templates = {path: {read(tree, f"{path}.in") for tree in trees} for path in unseen}
    return {path for path, texts in templates.items() if len(texts) == 1 and None not in texts}


def _found(
    comparison: GateComparison, files: "Files", paths: Sequence[str] | None
) -> dict[str, Gate]:
    settings = comparison.context.settings
    gates = find_gates(
        files,
        settings.gates,
        changed=paths,
        origin=settings.gates_source,
        goal=comparison.change.goal,
        find_users=partial(comparison.source.search.find_users, comparison.base_tree),
    )
    return {gate.name: gate for gate in [*settings.asked, *gates]}


def _pair(comparison: GateComparison, name: str, now: Gate | None, pinned: Gate | None) -> GatePair:
    """A definition that somebody else changed, and this session did not, is the one to measure by."""
    files = {*(now.files if now else ()), *(pinned.files if pinned else ())}
    theirs = not files.isdisjoint(one.path for one in comparison.others)
    own = not files.isdisjoint((*comparison.change.changed, *comparison.unseen))
    return GatePair(name, now, now if now and pinned and theirs and not own else pinned)


def compare(comparison: GateComparison, measured: GateMeasurement) -> None:
    """Runs a gate once more as it was, where this change touched how it runs."""
    nested = _list_nested(comparison, measured.pair.gate)
    measured.rules = list(dict.fromkeys([*_rules(comparison, measured), *nested]))
    hidden = [path for path in comparison.unseen if _is_support(path) or measured.pair.changed]
    if not (measured.rules or measured.shadows or hidden) and measured.pair.now is not None:
        return
    gate = measured.pair.pinned or measured.pair.gate
    run = comparison.scratch_run(
        gate, PINNED, comparison.tree, overlay=(comparison.base_tree, measured.rules)
    )
    measured.pinned = run
    if measured.pair.changed:
        measured.findings += _definition(comparison, measured, run)
    runner = measured.pair.gate.runner or "the runner"
    measured.findings += [
        rules.judge_shadow(path, runner, without=run.result.colour, receipt=run.number)
        for path in measured.shadows
    ]
    if nested and run.result.colour == RED and _is_green(measured.now):
        measured.findings.append(_report_nested(measured.pair.gate.name, nested[0], run))
    if run.result.colour in (RED, BROKEN):
        measured.findings += [_hidden(path, run) for path in hidden if _is_support(path)]
    measured.now = measured.now or run


def _list_nested(comparison: GateComparison, gate: Gate) -> list[str]:
    """
    Changed settings of the tools of a linter's or type checker's gate, in whatever folder, and what makes them
    overlook files; of every gate the modules that lie beside a script which starts its runner, and that this one takes in.
    """
    changed = [one.path for one in comparison.changes if one.path not in gate.files]
    beside = _list_beside(comparison, gate, changed)
    if gate.kind not in (LINT, TYPES):
        return beside
    told = f"{gate.command}\n{gate.definition}"
    patterns = [one for tool, names in _NESTED.items() if tool in told for one in names]

    def says_what(path: str) -> bool:
        name = path.rpartition("/")[2]
        passes_by = _OVERLOOKED.search(name.lower()) is not None and not is_source_path(path)
        return passes_by or any(fnmatch(name, one) for one in patterns)

    return [*beside, *filter(says_what, changed)]


def _list_beside(comparison: GateComparison, gate: Gate, changed: Iterable[str]) -> list[str]:
    found = []
    for path in changed:
        folder, _, name = path.rpartition("/")
        if folder.rpartition("/")[2] in _TOOL_FOLDERS and is_source_path(path):
            scripts = [one for one in gate.files if one.rpartition("/")[0] == folder]
            texts = [comparison.source.read(comparison.base_tree, one) or "" for one in scripts]
            starting = [one for one in texts if _STARTS_RUNNER.search(one)]
            found += (
                [path]
                if any(name.partition(".")[0] in list_imported(one) for one in starting)
                else []
            )
    return found


def _is_green(now: RunReceipt | None) -> bool:
    return now is not None and now.result.colour == GREEN


def _report_nested(gate: str, path: str, run: RunReceipt) -> Finding:
    return Finding(
        rule="gate-overlooks",
        level=NOTE,
        gate=gate,
        what=f"{path} changed what {gate} looks at; as it was, {gate} is red",
        where=path,
        receipt=run.number,
        clears=f"make {gate} green with {path} as it was",
        doubt=True,
    )


def _rules(comparison: GateComparison, measured: GateMeasurement) -> list[str]:
    pair = measured.pair
    changed = {one.path: one.status for one in comparison.changes}
    files = {*(pair.pinned.files if pair.pinned else ()), *(pair.now.files if pair.now else ())}
    found = [path for path in changed if path in files] if pair.changed else []
    places, runner = find_shadows(pair.gate, comparison.context.root), pair.gate.runner
    new = [path for path, status in changed.items() if status == "A"]
    new += [path for path in comparison.unseen if not _is_support(path)]
    measured.shadows = [
        path for path in new if _is_at(path, places) or rules.can_shadow(path, runner)
    ]
    return list(dict.fromkeys([*found, *measured.shadows]))


def _is_support(path: str) -> bool:
    return path.rpartition("/")[2] in SUPPORT and not path.endswith("customize.py")


def _hidden(path: str, run: RunReceipt) -> Finding:
    return Finding(
        rule="unseen-support",
        level=NOTE,
        what=f"{path} is in no tree, and without it the tests are {run.result.colour}",
        where=path,
        receipt=run.number,
        clears=f"let git know {path}, or remove it",
        doubt=True,
    )


def _is_at(path: str, places: Sequence[str]) -> bool:
    return any(path == one or path.startswith(one + "/") for one in places)


def _definition(
    comparison: GateComparison, measured: GateMeasurement, run: RunReceipt
) -> list[Finding]:
    pinned, now = measured.pair.pinned, measured.pair.now
    assert pinned is not None
    base = comparison.base(measured) if run.result.colour != GREEN else None
    same = now is not None and now.command == pinned.command
    finding = rules.judge_definition(
        pinned.name,
        before=pinned.definition if same else pinned.command,
        after="" if now is None else now.definition if same else now.command,
        now=measured.now.result if measured.now else run.result,
        pinned=run.result,
        pinned_as_before=_is_red_as_before(comparison, measured, run, base),
        about_tests=goals.is_about_tests(comparison.change.goal),
        program_left=run.result.colour == BROKEN and _left_manifest(comparison, run.result.reason),
        base=_tests_of(comparison, base),
        where=pinned.source.partition(":")[0],
    )
    return [finding] if finding is not None else []


def _is_red_as_before(
    comparison: GateComparison,
    measured: GateMeasurement,
    run: RunReceipt,
    base: RunReceipt | None,
) -> bool:
    if base is None or run.result.colour != RED:
        return False
    name, kind = measured.fact.name, measured.pair.gate.kind
    still = red_gates.RedGate(
        name,
        kind,
        run.result,
        base.result,
        comparison.change,
        relate=lambda names: dict.fromkeys(names, red_gates.UNRELATED),
    )
    return red_gates.is_red_as_before(red_gates.judge_red(still), name)


def _left_manifest(comparison: GateComparison, reason: str) -> bool:
    """Whether the program that is not there was among what the project asks for, and is no more."""
    program, missing, _ = reason.partition(" is not there")
    before, now = (
        comparison.source.manifests(tree) for tree in (comparison.base_tree, comparison.tree)
    )
    return bool(missing) and program in before and program not in now


def _tests_of(comparison: GateComparison, base: RunReceipt | None) -> TestReport | None:
    """How many tests base had: as they ran, or as its source tells where they cannot any more."""
    if base is None or (base.result.report is not None and base.result.report.ran):
        return base.result.report if base else None
    return TestReport(ran=comparison.source.count_tests(comparison.base_tree))


def find_untracked(source: Source, tree: str, gates: Iterable[Gate]) -> list[str]:
    """Among what defines these gates, stands in their runners' way or holds up their tests."""
    root = source.context.root
    found: dict[str, None] = {}
    for gate in gates:
        names = [f"{gate.where}/{folder}/{name}" for folder in _FOLDERS for name in SUPPORT]
        found.update(dict.fromkeys(os.path.normpath(path) for path in (*gate.files, *names)))
        for place in find_shadows(gate, root):
            found.update(dict.fromkeys((place, f"{place}/__init__.py", f"{place}/__main__.py")))
    there = [path for path in found if os.path.isfile(f"{root}/{path}")]
    known = source.find_present(tree, there)
    return [path for path in there if path not in known]
