"""
What each test entered during its own call, as a traced run told it, and whether a change lies there.

A test is related to a change if it enters a function that holds a changed line, or opens a changed data
file. What cannot be known is said so: code at the level of a module, a child process, another language.
"""

from typing import NamedTuple

from ..value import Value, fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ENTERED = "entered"
NOT_ENTERED = "not entered"
UNDECIDABLE = "undecidable"


class FunctionSpan(NamedTuple):
    """A function of the project: `path` from the root, its lines (decorators included), its name."""

    path: str
    first: int
    last: int
    name: str = ""


class TestReach(Value):
    """
    What one test reached during its own call: its body, and the fixtures set up for it alone.
    `opened` are files of the project that were opened for reading then, by whomever, source modules
    aside. With `children` it started another program, or talked to one that was running: what it
    reaches there nobody saw. `trouble` says why the rest may be less than the truth.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner

    functions: frozenset[FunctionSpan] = frozenset()
    opened: frozenset[str] = frozenset()
    children: bool = False
    trouble: str = ""


class Reach(Value):
    """
    One traced run. `tests` has the names of the gate's own report. `loaded` are the source files of
    the project that were loaded at all, `opened_outside` the data files that were opened outside of
    every test's call. `complete` is False, with a `reason`, if a test may have reached more than is told.
    """

    tests: "Mapping[str, TestReach]" = fresh(dict)
    loaded: frozenset[str] = frozenset()
    opened_outside: frozenset[str] = frozenset()
    complete: bool = True
    reason: str = ""


class CodeChange(Value):
    """
    What changed in one file, as far as a trace can see it. `functions` are those that hold a changed
    line, as the file is now; `around`: something changed outside of functions;
    `data` marks a file that programs open rather than run; `unseen` is a kind of file that no trace sees.
    """

    path: str
    functions: frozenset[FunctionSpan] = frozenset()
    around: bool = False
    data: bool = False
    unseen: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether nothing that runs or is read has changed: comments, blank lines, docstrings."""
        return not (self.functions or self.around or self.data or self.unseen)


def find_entered(reach: Reach | None, test: str, changes: "Iterable[CodeChange]") -> str:
    """ENTERED, NOT_ENTERED or UNDECIDABLE for one test, named as the gate's report names it."""
    own = reach.tests.get(test) if reach is not None else None
    if reach is None or own is None:
        return UNDECIDABLE
    changed = list(changes)
    for change in changed:
        if change.path in own.opened:
            return ENTERED
        if any(_is_same(one, other) for one in change.functions for other in own.functions):
            return ENTERED
    if own.children or own.trouble or not reach.complete:
        return UNDECIDABLE
    return UNDECIDABLE if any(_may_matter(reach, one) for one in changed) else NOT_ENTERED


def _is_same(changed: FunctionSpan, entered: FunctionSpan) -> bool:
    """By name and lines: a trace counts decorators to a function, a reading of the text may not."""
    if changed.path != entered.path:
        return False
    near = entered.first <= changed.last and changed.first <= max(entered.last, entered.first)
    return near and changed.name.rpartition(".")[2] == entered.name.rpartition(".")[2]


def _may_matter(reach: Reach, change: CodeChange) -> bool:
    """Whether a change that no function of a test's call holds could still move its outcome."""
    if change.unseen or change.path in reach.opened_outside:
        return True
    return change.around and change.path in reach.loaded
