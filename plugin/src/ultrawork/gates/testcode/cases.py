"""Read the tests that a file defines, by its language, and compare two versions of it."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from ...core.verdict.old_tests import ADDED, CHANGED, REMOVED, SKIP, UNSKIPPED
from . import go, inline, javascript, python, rust
from .case import TestCase
from .inline import transplant_docs

CaseParser = Callable[[str], list[TestCase] | None]

_JAVASCRIPT = ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts")
_LANGUAGES = {"py": "python", "pyi": "python", "go": "go", "rs": "rust"} | dict.fromkeys(_JAVASCRIPT, "javascript")
# Extensions of files whose tests can be read. Testing 100,000 paths against them is quick.
ENDINGS = tuple(f".{ending}" for ending in _LANGUAGES)
_PARSERS: dict[str, CaseParser] = {
    "python": python.parse_cases,
    "javascript": javascript.parse_cases,
    "go": go.parse_cases,
    "rust": rust.parse_cases,
}


def find_language(path: str) -> str:
    return _LANGUAGES.get(path.rpartition(".")[2].lower(), "")


# Each test of a file asks for the tests of the same text, and there may be thousands.
@lru_cache(maxsize=32)
def list_cases(path: str, text: str) -> Sequence[TestCase] | None:
    """Return the tests a file defines; None if that is unknown."""
    reader = _PARSERS.get(find_language(path))
    return reader(text) if reader else None


def find_case(path: str, text: str, parts: tuple[str, ...]) -> TestCase | None:
    """The test of that name, if the file defines it."""
    return next((case for case in list_cases(path, text) or () if case.parts == parts), None)


def read_case(path: str, text: str, parts: tuple[str, ...]) -> list[str] | None:
    """Return the lines of one test; None if the file defines none of that name."""
    lines, places = _list_places(path, text)
    place = places.get(parts)
    return lines[place[0] - 1 : place[1]] if place else None


@lru_cache(maxsize=32)
def _list_places(path: str, text: str) -> tuple[list[str], dict[tuple[str, ...], tuple[int, int]]]:
    cases = list_cases(path, text) or ()
    return text.splitlines(), {case.parts: case.lines for case in reversed(cases)}


def transplant_tests(tests_of: str, into: str, path: str) -> str | None:
    """`into` with the tests of another version, where tests live beside the code (Rust, Python)."""
    if find_language(path) == "python":
        return inline.transplant_inline(tests_of, into)
    if find_language(path) != "rust":
        return None
    own, into = into, transplant_docs(tests_of, into)
    source, target = rust.find_test_module(tests_of), rust.find_test_module(into)
    if source is None:
        return into if into != own else None
    module = tests_of[source[0] : source[1]]
    if target is None:
        return f"{into.rstrip()}\n\n{module}\n"
    return into[: target[0]] + module + into[target[1] :]


def list_module_lines(text: str) -> list[str]:
    """Return the lines of a Rust test module outside its tests and imports; none if it has no tests."""
    place = rust.find_test_module(text)
    if place is None:
        return []
    lines = list_lines_around("module.rs", text[place[0] : place[1]])
    return [line for line in lines if not line.startswith(("//", "use "))]


def list_lines_around(path: str, text: str) -> list[str]:
    """Return the lines outside all tests, without blank lines."""
    inside = {number for case in list_cases(path, text) or () for number in range(case.lines[0], case.lines[1] + 1)}
    lines = (line.strip() for at, line in enumerate(text.splitlines(), 1) if at not in inside)
    return [line for line in lines if line]


class TestChange:
    """One test and what happened to it. `before` and `after` are the first lines that differ."""

    __test__ = False  # not a test class, whatever its name says to a test runner

    def __init__(self, path: str, kind: str, old: TestCase | None = None, new: TestCase | None = None) -> None:
        test_case = new or old
        assert test_case is not None
        self.path = path
        self.kind = kind
        self.parts = test_case.parts
        self.conditional = new.conditional if new else False
        self.names = old.names if old else frozenset()
        self.lines = (old.lines[0] if old else 0, new.lines[0] if new else 0)
        self.before = ""
        self.after = ""

    @property
    def name(self) -> str:
        joint = " > " if find_language(self.path) == "javascript" else "::"
        return joint.join([self.path, *self.parts])

    @property
    def where(self) -> str:
        line = self.lines[1] or self.lines[0]
        return f"{self.path}:{line}" if line else self.path


def list_changed_tests(base_text: str | None, new_text: str | None, path: str) -> list[TestChange]:
    """Tests that were added, removed, changed, skipped or taken out of a skip; None stands for no file. None for a file that
    cannot be read: the runs name its tests."""
    old = [] if base_text is None else list_cases(path, base_text)
    new = [] if new_text is None else list_cases(path, new_text)
    if old is None or new is None:
        return []
    before, after = {case.parts: case for case in old}, {case.parts: case for case in new}
    tests = []
    for parts in {**before, **after}:
        kind = _kind_of_change(before.get(parts), after.get(parts))
        if kind:
            tests.append(TestChange(path, kind, before.get(parts), after.get(parts)))
    old_lines, new_lines = ((text or "").splitlines() for text in (base_text, new_text))
    for change in tests:
        was = _lines_of(before.get(change.parts), old_lines)
        now = _lines_of(after.get(change.parts), new_lines)
        change.before = next((line for line in was if line not in now), "")
        change.after = next((line for line in now if line not in was), "")
    return tests


def _kind_of_change(old: TestCase | None, new: TestCase | None) -> str:
    if old is None or new is None:
        return ADDED if old is None else REMOVED
    if new.skipped and (not old.skipped or (old.conditional and not new.conditional)):
        return SKIP
    if old.skipped and not new.skipped:
        return UNSKIPPED
    return CHANGED if old.body != new.body else ""


def _lines_of(case: TestCase | None, lines: Sequence[str]) -> list[str]:
    if case is None:
        return []
    return [line.strip() for line in lines[case.lines[0] - 1 : case.lines[1]]]
