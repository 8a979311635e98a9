"""
Which tests run what was changed, asked of a traced run when the first question comes.

Where no trace can tell (another language, a child process, code of a module outside of functions), a fix is held
against the tests of its own build unit; for other goals it stays undecided.
"""

from collections.abc import Sequence

from ...core.verdict import goals, red_gates
from ...core.verdict.reach import ENTERED, NOT_ENTERED, CodeChange, Reach, find_entered
from ..reach.changes import list_code_changes
from ..reach.helpers import is_test_code
from ..reach.trace import trace_tests
from ..run.narrow import MOST, is_narrow, narrow
from ..testcode.cases import list_cases
from ..trees.dependencies import find_installed_copy
from .comparison import GateComparison, GateMeasurement

_UNITS = (
    "Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "package.json", "pyproject.toml", "setup.py",
    "go.mod", "CMakeLists.txt", "meson.build", "mix.exs", "composer.json", "Gemfile", "Package.swift",
)  # fmt: skip
# A run that is over sooner is not worth another one before it.
_SHORT = 1.0
_WORDS = 20
_FILES = 20


class TestRelations:
    """One comparison's change, and what the tests of its gates enter of it."""

    __test__ = False  # not a test class, whatever its name says to a test runner

    def __init__(self, comparison: GateComparison) -> None:
        self._comparison = comparison
        self._whole: dict[str, Reach | None] = {}
        self._changes: dict[str, list[CodeChange]] = {}

    def relate(self, measured: GateMeasurement, names: Sequence[str]) -> dict[str, str]:
        """Of tests that were red before: whether this change is in them; a fix without any code is in all."""
        if not self.changes:
            fix = goals.is_fix(self._comparison.change.goal)
            return dict.fromkeys(names, red_gates.RELATED if fix else red_gates.UNRELATED)
        reach = self._trace(measured, names)
        return {name: self._relate_one(measured, reach, name) for name in names}

    def runs_change(self, measured: GateMeasurement) -> bool | None:
        """Whether a test of the gate enters what was changed; None if that cannot be told."""
        # A new test enters itself: what counts is the code that is not the tests'.
        product = self._list_product()
        if not product:
            return None
        near = self._trace_near(measured, product)
        if near and any(find_entered(near, test, product) == ENTERED for test in near.tests):
            return True
        reach = self._trace_whole(measured)
        if reach is None or not reach.tests:
            return None
        told = {find_entered(reach, test, product) for test in reach.tests}
        if ENTERED in told:
            return True
        return False if told == {NOT_ENTERED} else None

    def _list_product(self) -> list[CodeChange]:
        return [one for one in self.changes if not is_test_code(one.path, self._patterns)]

    def find_copy_instead(self, measured: GateMeasurement) -> tuple[str, str] | None:
        """A changed file that no test loaded, and its copy in an environment, which they load in its place."""
        reach = self._trace_whole(measured)
        if reach is None or not reach.complete:
            return None
        context = self._comparison.context
        unloaded = [one.path for one in self._list_product() if one.path not in reach.loaded]
        found = ((one, find_installed_copy(context.root, one, context.environ)) for one in unloaded)
        return next(((path, copy) for path, copy in found if copy), None)

    def _trace_near(self, measured: GateMeasurement, product: Sequence[CodeChange]) -> Reach | None:
        """
        The tests that name a function which changed, where all of them take long: if one of them enters it, no other
        has to be asked. None where there are none, or the runner cannot be told.
        """
        now, gate = measured.now, measured.pair.gate
        if measured.fact.name in self._whole or now is None or now.seconds < _SHORT:
            return None
        words = {one.name.rpartition(".")[2] for change in product for one in change.functions}
        names = self._list_naming(words - {""})
        near = is_narrow(narrow(gate, names), gate)
        return self._trace(measured, names) if near else None

    def _list_naming(self, words: set[str]) -> list[str]:
        """Tests of the source whose own text has one of these words."""
        source, tree = self._comparison.source, self._comparison.tree
        paths = source.search.find_tests_naming(tree, sorted(words)[:_WORDS], self._patterns)[
            :_FILES
        ]
        cases = [
            one for path in paths for one in list_cases(path, source.read(tree, path) or "") or ()
        ]
        return [one.parts[-1] for one in cases if words & one.names][:MOST]

    def list_read(self, measured: GateMeasurement) -> set[str] | None:
        """Data that code of tests opened, and helpers that it imported; None if nobody saw."""
        reach = self._trace_whole(measured)
        return set(reach.read_by_tests) if reach else None

    @property
    def _patterns(self) -> list[str]:
        return list(self._comparison.context.settings["tests.paths"])

    @property
    def changes(self) -> list[CodeChange]:
        """What changed, in terms of what can be entered or opened."""
        source, base, tree = (
            self._comparison.source,
            self._comparison.base_tree,
            self._comparison.tree,
        )
        if tree not in self._changes:
            self._changes[tree] = list_code_changes(
                self._comparison.changes,
                lambda path: source.read(base, path),
                lambda path: source.read(tree, path),
            )
        return self._changes[tree]

    def _trace_whole(self, measured: GateMeasurement) -> Reach | None:
        name = measured.fact.name
        if name not in self._whole:
            self._whole[name] = self._trace(measured, ())
        return self._whole[name]

    def _trace(self, measured: GateMeasurement, names: Sequence[str]) -> Reach | None:
        comparison = self._comparison
        gate = narrow(measured.pair.gate, names) if names else measured.pair.gate
        if not comparison.fits(measured):
            return None
        comparison.look_again()
        traced = trace_tests(
            comparison.context,
            gate,
            comparison.context.root,
            comparison.tree,
            test_paths=self._patterns,
        )
        if traced is None:
            return None
        comparison.note(traced.receipt)
        return traced.reach

    def _relate_one(self, measured: GateMeasurement, reach: Reach | None, name: str) -> str:
        told = find_entered(reach, name, self.changes)
        if told == ENTERED:
            return red_gates.RELATED
        if told == NOT_ENTERED:
            return red_gates.UNRELATED
        if not goals.is_fix(self._comparison.change.goal):
            return red_gates.UNDECIDED
        return red_gates.RELATED if self._shares_unit(measured, name) else red_gates.UNRELATED

    def _shares_unit(self, measured: GateMeasurement, test: str) -> bool:
        """Whether a test and something that changed are built together."""
        where = self._find_place(measured, test)
        units = {self._find_unit(one.path) for one in self._comparison.changes}
        return self._find_unit(where) in units

    def _find_place(self, measured: GateMeasurement, test: str) -> str:
        """The file of a test as far as its name tells, else the folder of its gate."""
        told = test.replace(" > ", "::").partition("::")[0]
        names = self._comparison.source.names(self._comparison.tree)
        near = [path for path in names if path.endswith(told) or f"/{told}/" in f"/{path}"]
        return near[0] if near and "/" in told + "/" else f"{measured.pair.gate.where}/x"

    def _find_unit(self, path: str) -> str:
        """The nearest folder above that is built by itself; a package of Go is its folder."""
        folder = path.rpartition("/")[0].removeprefix("./")
        if path.endswith(".go"):
            return folder
        names = set(self._comparison.source.names(self._comparison.tree))
        while folder and not any(f"{folder}/{unit}" in names for unit in _UNITS):
            folder = folder.rpartition("/")[0]
        return folder
