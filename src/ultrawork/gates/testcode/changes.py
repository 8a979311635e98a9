"""What became of the tests of a file between two versions of it."""

from ...core.testcases import ADDED, CHANGED, REMOVED, SKIP, UNSKIPPED
from .languages import cases_in, language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .case import TestCase


class TestChange:
    """
    One test and what happened to it. `parts` is empty where only the file as a whole can be
    compared. `before` and `after` are the first lines that differ.
    """

    __test__ = False  # not a test class, whatever its name says to a test runner
    __slots__ = (
        "after", "assertions_after", "assertions_before", "before", "conditional", "kind", "lines",
        "names", "parts", "path",
    )  # fmt: skip

    def __init__(
        self, path: str, kind: str, old: "TestCase | None" = None, new: "TestCase | None" = None
    ) -> None:
        one = new or old
        self.path = path
        self.kind = kind
        self.parts = one.parts if one else ()
        self.assertions_before = old.assertions if old else 0
        self.assertions_after = new.assertions if new else 0
        self.conditional = new.conditional if new else False
        self.names = old.names if old else frozenset()
        self.lines = (old.lines[0] if old else 0, new.lines[0] if new else 0)
        self.before = ""
        self.after = ""

    @property
    def name(self) -> str:
        joint = " > " if language_of(self.path) == "javascript" else "::"
        return joint.join([self.path, *self.parts])

    @property
    def where(self) -> str:
        line = self.lines[1] or self.lines[0]
        return f"{self.path}:{line}" if line else self.path


def changed_tests(base_text: str | None, new_text: str | None, path: str) -> list[TestChange]:
    """Tests that were added, removed, changed, skipped or taken out of a skip; None is no file."""
    old = [] if base_text is None else cases_in(path, base_text)
    new = [] if new_text is None else cases_in(path, new_text)
    if old is None or new is None:
        return _whole_file(base_text, new_text, path)
    before, after = {case.parts: case for case in old}, {case.parts: case for case in new}
    found = []
    for parts in {**before, **after}:
        kind = _kind(before.get(parts), after.get(parts))
        if kind:
            found.append(TestChange(path, kind, before.get(parts), after.get(parts)))
    for change in found:
        _show(change, before.get(change.parts), after.get(change.parts), base_text, new_text)
    return found


def _kind(old: "TestCase | None", new: "TestCase | None") -> str:
    if old is None or new is None:
        return ADDED if old is None else REMOVED
    if new.skipped and (not old.skipped or (old.conditional and not new.conditional)):
        return SKIP
    if old.skipped and not new.skipped:
        return UNSKIPPED
    return CHANGED if old.body != new.body else ""


def _whole_file(base_text: str | None, new_text: str | None, path: str) -> list[TestChange]:
    if base_text == new_text:
        return []
    kind = ADDED if base_text is None else REMOVED if new_text is None else CHANGED
    return [TestChange(path, kind)]


def _show(
    change: TestChange,
    old: "TestCase | None",
    new: "TestCase | None",
    base_text: str | None,
    new_text: str | None,
) -> None:
    before, after = _lines(old, base_text), _lines(new, new_text)
    change.before = next((line for line in before if line not in after), "")
    change.after = next((line for line in after if line not in before), "")


def _lines(case: "TestCase | None", text: str | None) -> list[str]:
    if case is None or text is None:
        return []
    return [line.strip() for line in text.splitlines()[case.lines[0] - 1 : case.lines[1]]]
