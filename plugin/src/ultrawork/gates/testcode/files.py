"""Decide which files are tests, by convention alone: names, folders and settings, never by how a file is used.

A file is a test if a toolchain's file pattern matches it, if a part of its path has one of the words below between
`_`, `-` and `.`, or if it is in a folder where the runner is configured to look. A source file of the delivered
package is a test only by its file pattern: `click/testing.py` is product."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatch

from ...core.patterns import compile_late
from ...core.value import Value, fresh
from ...core.verdict.gate_findings import is_ci_file
from ...core.verdict.old_tests import is_same

# File patterns of runners. Files that runners load before tests count as tests too.
_TEST_FILES = compile_late(
    r"test_.*\.py|.*_tests?\.py|tests?\.(py|c|cc|cpp|rb|pl|lua|[cm]?[jt]s)|conftest\.py"
    r"|.*\.(test|spec|cy)\.[cm]?[jt]sx?"
    r"|.*_test\.(go|exs|rb|c|cc|cpp|dart)|.*_spec\.(rb|lua|cr)|test_.*\.(rb|sh|c|cc|cpp|lua)|.*\.bats"
    r"|.*Tests?\.(java|kt|cs|php|scala|groovy|swift)|.*IT\.java|.*Spec\.(scala|groovy|kt|hs)|.*\.t"
    r"|spec_helper\.rb|rails_helper\.rb|test_helper\.(rb|exs|py)|setupTests\.[cm]?[jt]sx?"
    r"|(jest|vitest|mocha|test)[._-]?(setup|global-setup|environment|preset)\.[cm]?[jt]s"
)
# Loaded with the runner, before or around the tests.
_LOADED = compile_late(
    r"conftest\.py|sitecustomize\.py|usercustomize\.py|spec_helper\.rb|rails_helper\.rb|test_helper\.(rb|exs|py)"
    r"|setupTests\.[cm]?[jt]sx?|(jest|vitest|mocha|ava|karma|test)[._-]?(setup|global-setup|environment|preset|config)\.[cm]?[jt]s"
    r"|\.mocharc.*|pytest\.ini|tox\.ini"
)
_WORDS = (
    r"(?:^|[/_.-])(?:tests?|testing|testcases?|testdata|specs?|fixtures?|golden|expected|snapshots?|cassettes?)"
    r"(?=[/_.-]|$)"
)
_WORD = compile_late(_WORDS, re.IGNORECASE)
# Folders that hold tests even inside a delivered package.
_TEST_FOLDERS = frozenset(("tests", "__tests__", "__snapshots__", "__mocks__", "__fixtures__"))
_DELIVERED = ("src/", "lib/", "app/", "pkg/", "source/")
# Globs that match every test path, so that git skips other files when it searches tests.
TEST_GLOBS = (
    ":(icase)*test*", ":(icase)*spec*", ":(icase)*fixture*", ":(icase)*golden*", ":(icase)*expected*",
    ":(icase)*snapshot*", ":(icase)*cassette*", "*.snap", "*.cy.*", "*IT.java", "*.bats", "*.t",
)  # fmt: skip
# The same as lowercase substrings of a path; a zero byte is its end.
TEST_MARKS = (
    "test", "spec", "fixture", "golden", "expected", "snapshot", "cassette", ".snap\0", ".cy.", "it.java\0",
    ".bats\0", ".t\0",
)  # fmt: skip
_SOURCE = compile_late(
    r"\.(pyi?|pyx|[cm]?[jt]sx?|vue|svelte|go|rs|rb|cr|java|kts?|cs|fs|vb|php|scala|groovy|clj[cs]?|swift|dart"
    r"|exs?|[eh]rl|c|cc|cpp|cxx|h|hh|hpp|hxx|mm?|zig|nim|vala|p[lm]|lua|sh|bash|zsh|awk|tcl|[rR]|jl|l?hs|mli?|el)$"
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


class TestConvention(Value):
    """What a project adds to the usual names: `paths` and `product` are `[tests]` settings, `folders` where its runner
    looks, `packages` the folders of its delivered packages, `expected` files that a check compares with."""

    __test__ = False  # not a test class, whatever its name says to a test runner

    paths: Sequence[str] = ()
    product: Sequence[str] = ()
    folders: Sequence[str] = ()
    packages: Sequence[str] = ()
    expected: frozenset[str] = fresh(frozenset)


_USUAL = TestConvention()


def is_test_path(path: str, convention: TestConvention | Sequence[str] = _USUAL) -> bool:
    """Return whether a file belongs to the tests; a sequence is `[tests] paths` alone."""
    test_convention = convention if isinstance(convention, TestConvention) else TestConvention(paths=tuple(convention))
    if _matches(path, test_convention.product):
        return False
    if _matches(path, test_convention.paths) or path in test_convention.expected or is_test_file(path):
        return True
    if _TEST_FOLDERS.intersection(path.split("/")[:-1]):
        return True
    if is_delivered_source(path, test_convention.packages) or is_ci_file(path):
        return False
    inside = any(path.startswith(f"{folder.strip('/')}/") for folder in test_convention.folders)
    return inside or path.endswith(".snap") or _WORD.search(path) is not None


def is_test_file(path: str) -> bool:
    """Return whether a runner's file pattern matches: the file holds tests or is loaded with them."""
    return _TEST_FILES.fullmatch(path.rpartition("/")[2]) is not None


def is_loaded_with_runner(path: str) -> bool:
    return _LOADED.fullmatch(path.rpartition("/")[2]) is not None


def is_delivered_source(path: str, packages: Sequence[str] = ()) -> bool:
    """Return whether a path is a source file that users get, whatever its name."""
    if not is_source_path(path):
        return False
    *folders, _ = path.split("/")
    if not folders or path.endswith(".go"):
        return "testdata" not in folders
    return (
        path.startswith(_DELIVERED)
        or "/src/main/" in f"/{path}"
        or any(path.startswith(f"{package}/") for package in packages)
    )


def _matches(path: str, patterns: Iterable[str]) -> bool:
    name = path.rpartition("/")[2]
    return any(fnmatch(path, pattern) or fnmatch(name, pattern) for pattern in patterns)


def is_snapshot_path(path: str) -> bool:
    return bool(_SNAPSHOTS.search(path)) and not _SOURCE.search(path)


def is_source_path(path: str) -> bool:
    return bool(_SOURCE.search(path))


def is_generated(path: str, text: str = "", attributes: str = "") -> bool:
    """Return whether a file is vendored, locked, minified or generated. `attributes` is the text of .gitattributes."""
    if _NEVER_SCANNED.search(path):
        return True
    head = text.split("\n", _HEADER_LINES)[:_HEADER_LINES]
    return bool(_HEADER.search("\n".join(head))) or _marked_generated(path, attributes)


def is_same_test(runner_name: str, name: str) -> bool:
    """Return whether a runner's name and a `TestChange.name` mean the same test."""
    path, *parts = re.split(r"::| > ", name)
    return is_same(runner_name, path, parts) if parts else runner_name == path


def _marked_generated(path: str, attributes: str) -> bool:
    marked = False
    for line in attributes.splitlines():
        pattern, *rest = line.split() or [""]
        states: Sequence[str] = [attribute for attribute in rest if "linguist-generated" in attribute]
        if states and (fnmatch(path, pattern) or fnmatch(path.rpartition("/")[2], pattern)):
            marked = states[-1] in ("linguist-generated", "linguist-generated=true")
    return marked
