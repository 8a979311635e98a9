"""Which reader is for which file."""

from . import go, javascript, python, rust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .case import TestCase

    Reader = Callable[[str], list[TestCase] | None]

_JAVASCRIPT = ("js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts")
_LANGUAGES = {"py": "python", "pyi": "python", "go": "go", "rs": "rust"} | dict.fromkeys(
    _JAVASCRIPT, "javascript"
)
_TESTS: "dict[str, Reader]" = {
    "python": python.tests,
    "javascript": javascript.tests,
    "go": go.tests,
    "rust": rust.tests,
}


def language_of(path: str) -> str:
    return _LANGUAGES.get(path.rpartition(".")[2].lower(), "")


def cases_in(path: str, text: str) -> "list[TestCase] | None":
    """The tests a file defines; None if that cannot be told."""
    reader = _TESTS.get(language_of(path))
    return reader(text) if reader else None


def transplanted(tests_of: str, into: str, path: str) -> str | None:
    """`into` with the tests of another version, where tests live beside the code (Rust)."""
    if language_of(path) != "rust":
        return None
    source, target = rust.test_module(tests_of), rust.test_module(into)
    if source is None:
        return None
    module = tests_of[source[0] : source[1]]
    if target is None:
        return f"{into.rstrip()}\n\n{module}\n"
    return into[: target[0]] + module + into[target[1] :]
