"""
Whether tests that failed before run the code that was changed, asked of one traced run.

Where a trace cannot tell (another language, a child process, code outside of functions), a test counts as running the
change if it names a changed function, and as undecided otherwise.
"""

from collections.abc import Sequence

from ...core.verdict.reach import ENTERED, NOT_ENTERED, CodeChange, find_entered
from ..reach.changes import compare_code
from ..reach.trace import trace_tests
from ..run.narrow import narrow
from ..testcode.cases import list_cases
from ..testcode.files import is_source_path
from .comparison import Comparison
from .standing import CheckState

_FILES = 20


class Reaching:
    """One comparison's change, and which tests enter it."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def __call__(self, state: CheckState, names: Sequence[str]) -> dict[str, bool | None]:
        comparison, now = self._comparison, state.now
        changes = self._list_changes()
        if not changes or now is None:
            return dict.fromkeys(names, bool(comparison.change.own) and None)
        traced = None
        if comparison.matrix.fits(now.seconds):
            comparison.matrix.scan_again()
            gate = narrow(state.pair.gate, names)
            traced = trace_tests(
                comparison.context, gate, comparison.context.root, comparison.matrix.tree
            )
        if traced is not None:
            comparison.matrix.use(traced.receipt)
        told = {
            name: find_entered(traced.reach if traced else None, name, changes) for name in names
        }
        naming = self._list_naming() if set(told.values()) - {ENTERED, NOT_ENTERED} else set()
        return {name: self._read(name, one, naming) for name, one in told.items()}

    @staticmethod
    def _read(name: str, told: str, naming: set[str]) -> bool | None:
        if told in (ENTERED, NOT_ENTERED):
            return told == ENTERED
        return True if any(name.endswith(one) for one in naming) else None

    def _list_changes(self) -> list[CodeChange]:
        change = self._comparison.change
        paths = [path for path in change.product_paths if path in change.code_paths or not is_source_path(path)]  # fmt: skip
        return [compare_code(path, change.before(path), change.after(path)) for path in paths]

    def _list_naming(self) -> set[str]:
        """The own names of tests whose text has the name of a changed function."""
        change = self._comparison.change
        words = {
            one.name.rpartition(".")[2].partition("#")[0]
            for path in change.code_paths
            for one in change.functions(path) or ()
        }
        paths = change.source.search.find_tests_naming(change.tree, sorted(words), ())[:_FILES]
        return {
            case.parts[-1]
            for path in paths
            for case in list_cases(path, change.source.read(change.tree, path) or "") or ()
            if words & case.names
        }
