"""Do the tests notice broken code? `make mutants` breaks chosen modules in small ways, one at a time, in a copy.

A mutant is one changed operator, constant, condition or result, chosen by a seed. It is killed when the tests named
for its module fail or do not end in time. A survivor is shown with its line: a test is missing, or the code makes no
difference. Below `LEAST` of a hundred the run has failed."""

import argparse
import ast
import copy
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from glob import glob

from .floor import PLUGIN, REPOSITORY

LEAST = 92.0
COUNT = 11
SEED = 12
PATIENCE = 60.0
_NOT_RUN = (4, 5)  # wrong words, nothing chosen
# Below `plugin/src/ultrawork` and below `tests`; the tests run in this order, and the first failure is enough.
MODULES: dict[str, tuple[str, ...]] = {
    "core/verdict/verdict.py": ("core/verdict/test_verdict.py", "core/verdict/test_acceptance.py"),
    "core/verdict/old_tests.py": ("core/verdict/test_old_tests.py",),
    "core/verdict/gate_findings.py": (
        "core/verdict/test_failing.py",
        "core/verdict/test_definition_change.py",
        "core/verdict/test_complaints.py",
        "core/verdict/test_docs.py",
    ),
    "core/verdict/work.py": ("core/verdict/test_work.py",),
    "core/verdict/missing.py": ("core/verdict/test_missing.py",),
    "core/stop/rules.py": ("core/stop/test_rules.py",),
    "core/permission/command_table.py": ("core/permission/test_command_table.py",),
    "core/plan/graph.py": ("core/plan/test_graph.py",),
    "core/run/subagents.py": ("core/run/test_liveness.py",),
    "store/database.py": ("store/test_chain.py", "store/test_change.py"),
    "store/attempts.py": ("store/test_attempts.py",),
    "gates/run/reuse.py": ("gates/run/test_reuse.py",),
    "gates/testcode/graft.py": ("gates/testcode/test_graft.py",),
    "gates/testcode/assertions.py": ("gates/testcode/test_assertions.py",),
    "hooks/stop/decide.py": ("hooks/stop/test_decide.py", "hooks/test_background.py", "hooks/stop/test_stop.py"),
    "engine/repository/merge_queue.py": ("engine/repository/test_merge_queue.py",),
    "engine/agents/integration.py": ("engine/agents/test_integration.py",),
}
# Mutants without a visible effect, as `module: the line -> its changed part`.
EQUIVALENT: frozenset[str] = frozenset(
    {
        "store/database.py: durable: bool = False, -> True",  # only a crash of the machine would show it
        "hooks/stop/decide.py: with event.store.change(name, durable=decision.action in rules.ENDS) as change:"
        " -> decision.action not in rules.ENDS",  # the same
        # No clock stops at exactly that moment.
        "engine/agents/integration.py: if self._ask is not None and monotonic() >= self._next: -> monotonic() > self._next",
    }
)

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE,
    ast.GtE: ast.Gt, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    module: str
    line: int
    was: str
    text: str
    source: str

    @property
    def name(self) -> str:
        return f"{self.module}: {self.was} -> {self.text}"


@dataclass(slots=True)
class Tally:
    module: str
    killed: int = 0
    survivors: list[Mutant] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def made(self) -> int:
        return self.killed + len(self.survivors)


def list_mutants(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module; each is the whole module with one node changed."""
    tree, lines = ast.parse(source), source.splitlines()
    found = []
    for number, node in enumerate(_list_nodes(tree)):
        for change in _list_changes(node):
            other = copy.deepcopy(tree)
            changed = list(_list_nodes(other))[number]
            change(changed)
            text = ast.unparse(changed).splitlines()[0]
            was = lines[changed.lineno - 1].strip()
            found.append(Mutant(module, changed.lineno, was, text, ast.unparse(other)))
    return [one for one in found if one.name not in EQUIVALENT]


def _list_nodes(tree: ast.AST) -> "Iterator[ast.expr | ast.stmt]":
    """Yield what runs: no annotations, no texts, nothing that only the type checker reads."""
    decorators = getattr(tree, "decorator_list", ())
    for child in ast.iter_child_nodes(tree):
        if child in decorators:
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.Assign | ast.AnnAssign) and _is_declaration(child):
            continue
        if isinstance(child, ast.expr | ast.stmt):
            yield child
        if isinstance(child, ast.arg):
            continue
        yield from _list_nodes(child)


def _is_declaration(node: ast.Assign | ast.AnnAssign) -> bool:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return ast.unparse(target) in ("TYPE_CHECKING", "__slots__")


def _list_changes(node: ast.AST) -> "list[Callable[[ast.AST], None]]":
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        return [_turn_comparison]
    if isinstance(node, ast.BoolOp):
        return [_turn_boolean]
    if isinstance(node, ast.Constant) and type(node.value) in (bool, int):
        return [_change_constant]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return [_turn_sum]
    if isinstance(node, ast.If | ast.IfExp):
        return [_negate_condition]
    if isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        return [_return_nothing]
    return []


def _turn_comparison(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.ops[0] = _COMPARED[type(node.ops[0])]()


def _turn_boolean(node: ast.AST) -> None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _change_constant(node: ast.AST) -> None:
    assert isinstance(node, ast.Constant)
    node.value = not node.value if isinstance(node.value, bool) else int(str(node.value)) + 1


def _turn_sum(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()


def _negate_condition(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _return_nothing(node: ast.AST) -> None:
    assert isinstance(node, ast.Return)
    node.value = ast.Constant(None)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


class NothingRunError(Exception):
    """No test ran, so a passing run would mean nothing."""


class Checkout:
    """A copy of the working tree, in which modules may be broken."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        found = subprocess.run(listed, cwd=REPOSITORY, check=True, capture_output=True, text=True)
        for name in filter(None, found.stdout.split("\0")):
            source, target = f"{REPOSITORY}/{name}", f"{folder}/{name}"
            if os.path.isfile(source):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(source, target)

    def write(self, module: str, source: str) -> None:
        path = f"{self.folder}/src/ultrawork/{module}"
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        # By time and size alone, another mutant's compiled code could be taken for this one's.
        folder, name = os.path.split(path)
        for compiled in glob(f"{folder}/__pycache__/{name.removesuffix('.py')}.*"):
            os.remove(compiled)

    def is_green(self, tests: Sequence[str], seconds: float, marks: str = "", *, compiles: bool = False) -> bool:
        """
        Whether these tests pass in time; whatever they started ends with them. `marks` as for pytest's `-m`. One that
        `compiles` leaves bytecode for those after it, which is half of what a short run takes.
        """
        words = ["-x", "-q", "-p", "no:cacheprovider", *(["-m", marks] if marks else [])]
        words += [f"tests/{name}" for name in tests]
        running = subprocess.Popen(
            [sys.executable, "-m", "pytest", *words],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": f"{self.folder}/plugin/src",
                "PYTHONDONTWRITEBYTECODE": "" if compiles else "1",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            status = running.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(running.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            running.wait()
        if status in _NOT_RUN:
            raise NothingRunError(f"no test was run: {' '.join(tests)}")
        return status == 0


def try_module(module: str, count: int, seed: int, root: str) -> Tally:
    checkout = Checkout(tempfile.mkdtemp(dir=root))
    with open(f"{PLUGIN}/src/ultrawork/{module}", encoding="utf-8") as file:
        source = file.read()
    tally, tests, began = Tally(module), MODULES[module], time.monotonic()
    if not checkout.is_green(tests, 20 * PATIENCE, compiles=True):
        raise SystemExit(f"the tests of {module} fail without a mutant: {' '.join(tests)}")
    limit = PATIENCE + 3 * (time.monotonic() - began)
    mutants = list_mutants(module, source)
    for mutant in random.Random(f"{seed} {module}").sample(mutants, min(count, len(mutants))):
        checkout.write(module, mutant.source)
        if checkout.is_green(tests, limit):
            tally.survivors.append(mutant)
        else:
            tally.killed += 1
    tally.seconds = time.monotonic() - began
    lines = [f"{module:36} {tally.killed:3} of {tally.made:3} killed  {tally.seconds:5.0f} s"]
    lines += [f"    survives: {one.line}: {one.was} -> {one.text}" for one in tally.survivors]
    print("\n".join(lines), flush=True)
    return tally


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="mutants", description="Do the tests notice broken code?")
    parser.add_argument("modules", nargs="*", help="a part of their paths; all without one")
    parser.add_argument("--count", type=int, default=COUNT, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(argv)
    wanted = [one for one in MODULES if not given.modules or any(w in one for w in given.modules)]
    with tempfile.TemporaryDirectory() as root, ThreadPoolExecutor(given.workers) as pool:
        tallies = list(pool.map(lambda one: try_module(one, given.count, given.seed, root), wanted))
    killed, made = sum(one.killed for one in tallies), sum(one.made for one in tallies)
    score = 100 * killed / made if made else 0.0
    print(f"{killed} of {made} mutants killed: {score:.0f} % (at least {LEAST:.0f})")
    return int(score < LEAST)


if __name__ == "__main__":
    sys.exit(main())
