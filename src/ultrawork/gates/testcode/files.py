"""Test files and the tests in them: which paths they have, what became of them, their names."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch

from ...core.patterns import compile_late
from ...core.verdict.test_names import is_same
from .cases import list_cases

_TEST_NAMES = (
    r"test_.*\.py|.*_test\.py|tests?\.(py|c|cc|cpp|rb|pl|lua|[cm]?[jt]s)"
    r"|.*\.(test|spec|cy)\.[cm]?[jt]sx?"
    r"|.*_test\.(go|exs|rb|c|cc|cpp|dart)|.*_spec\.(rb|lua|cr)|test_.*\.(rb|sh|c|cc|cpp)|.*\.bats"
    r"|.*Tests?\.(java|kt|cs|php|scala|groovy|swift)|.*IT\.java|.*Spec\.(scala|groovy|kt|hs)|.*\.t"
)
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs", "testing", "e2e"})
# What every path of a test by these names and folders matches: git need not read the others to search in tests.
TEST_GLOBS = (
    ":(icase)*test*", ":(icase)*spec*", "*e2e/*", "*.cy.*", "*IT.java", "*.bats", "*.t",
)  # fmt: skip
# The same as words of a path in small letters; a zero byte is its end.
TEST_MARKS = ("test", "spec", "e2e/", ".cy.", "it.java\0", ".bats\0", ".t\0")
_SUPPORT_FOLDERS = frozenset({"fixtures", "__fixtures__", "__mocks__", "testdata", "factories"})
_SOURCE = compile_late(
    r"\.(pyi?|pyx|[cm]?[jt]sx?|vue|svelte|go|rs|rb|cr|java|kts?|cs|fs|vb|php|scala|groovy|clj[cs]?|swift|dart"
    r"|exs?|[eh]rl|c|cc|cpp|cxx|h|hh|hpp|hxx|mm?|zig|nim|vala|p[lm]|lua|sh|bash|zsh|awk|tcl|[rR]|jl|l?hs|mli?|el)$"
)
_FAMILIES = (
    (".py", ".pyi", ".pyx"),
    (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"),
    (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".m", ".mm"),
)
_SUPPORT_NAMES = (
    r"conftest\.py|spec_helper\.rb|rails_helper\.rb|test_helper\.(rb|exs|py)|setupTests\.[jt]sx?"
    r"|(jest|vitest|mocha|test)[._-]?(setup|global-setup|environment|preset)\.[cm]?[jt]s|\.mocharc.*"
    r"|sitecustomize\.py|usercustomize\.py"
)
_SNAPSHOTS = compile_late(
    r"(^|/)(__snapshots__|__image_snapshots__|snapshots|golden|goldens|cassettes)/"
    r"|\.(snap|ambr|golden|approved\.\w+|snapshot)$"
)
_NEVER_SCANNED = compile_late(
    r"(^|/)(vendor|vendored|third_party|node_modules|bower_components)/|\.min\.(js|css)$|\.map$"
    r"|(^|/)(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|go\.sum|.*\.lock|bun\.lockb?)$"
)
_HEADER = compile_late(r"DO NOT EDIT|@generated")
_HEADER_LINES = 5
# Under the name that tests call, an import can put another function.
_RENAMES = compile_late(r"^(?:import|from|use)\s.*\sas\s")
_SAYS_LITTLE = compile_late(r"(#|//|\*|/\*|import |from \S+ import|use |[\w, ]*,?$|[)\]};(,]+$)")


def is_test_path(path: str, extra_patterns: Iterable[str] = ()) -> bool:
    """By the usual names, by a folder of tests, or by a pattern of the project's own."""
    name = path.rpartition("/")[2]
    if any(fnmatch(path, pattern) or fnmatch(name, pattern) for pattern in extra_patterns):
        return True
    if is_snapshot_path(path) or re.fullmatch(_SUPPORT_NAMES, name) or name == "__init__.py":
        return False
    if re.fullmatch(_TEST_NAMES, name):
        return True
    folders = path.split("/")[:-1]
    if not _TEST_FOLDERS.intersection(folders) or _SUPPORT_FOLDERS.intersection(folders):
        return False
    # Rust and mocha find tests by their folder alone; Python does not.
    return bool(re.search(r"\.(rs|[cm]?[jt]sx?)$", name)) and not re.search(
        r"helper|util|setup", name
    )


def is_support_path(path: str) -> bool:
    """Fixtures, helpers, snapshots, test data: not tests, but tests stand on them."""
    name = path.rpartition("/")[2]
    if is_snapshot_path(path) or re.fullmatch(_SUPPORT_NAMES, name):
        return True
    folders = set(path.split("/")[:-1])
    inside = bool(folders & _SUPPORT_FOLDERS) or bool(folders & _TEST_FOLDERS)
    return inside and not is_test_path(path)


def is_of_tests_alone(path: str) -> bool:
    """Whether a support file lies in a folder of tests, or has a name that only test runners know."""
    *folders, name = path.split("/")
    return bool(re.fullmatch(_SUPPORT_NAMES, name) or _TEST_FOLDERS.intersection(folders))


def is_snapshot_path(path: str) -> bool:
    return bool(_SNAPSHOTS.search(path)) and not _SOURCE.search(path)


def is_source_path(path: str) -> bool:
    return bool(_SOURCE.search(path))


def list_endings(path: str) -> tuple[str, ...]:
    """The endings of files that may import this one."""
    own = "." + path.rpartition(".")[2]
    return next((family for family in _FAMILIES if own in family), (own,))


def name_stem(path: str) -> str:
    """`shop` for `src/shop.py`; empty for what is no source."""
    return path.rpartition("/")[2].partition(".")[0] if is_source_path(path) else ""


def is_generated(path: str, text: str = "", attributes: str = "") -> bool:
    """Vendored, locked, minified, or made by a program: never scanned. `attributes`: .gitattributes."""
    if _NEVER_SCANNED.search(path):
        return True
    head = text.split("\n", _HEADER_LINES)[:_HEADER_LINES]
    return bool(_HEADER.search("\n".join(head))) or _marked_generated(path, attributes)


def list_lines_around_tests(path: str, text: str) -> set[str]:
    """The lines of a file that belong to no test, without comments and imports, unless these give another name."""
    inside = {
        number
        for case in list_cases(path, text) or ()
        for number in range(case.lines[0], case.lines[1] + 1)
    }
    lines = (line.strip() for at, line in enumerate(text.splitlines(), 1) if at not in inside)
    return {
        line for line in lines if line and (_RENAMES.search(line) or not _SAYS_LITTLE.match(line))
    }


def is_same_test(told: str, name: str) -> bool:
    """Whether a runner's name and a `TestChange.name` mean the same test."""
    path, *parts = re.split(r"::| > ", name)
    return is_same(told, path, parts) if parts else told == path


def _marked_generated(path: str, attributes: str) -> bool:
    marked = False
    for line in attributes.splitlines():
        pattern, *rest = line.split() or [""]
        states: Sequence[str] = [one for one in rest if "linguist-generated" in one]
        if states and (fnmatch(path, pattern) or fnmatch(path.rpartition("/")[2], pattern)):
            marked = states[-1] in ("linguist-generated", "linguist-generated=true")
    return marked
