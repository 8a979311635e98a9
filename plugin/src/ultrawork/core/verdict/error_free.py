"""Errors that language servers report in changed files now but not at the start."""

from collections.abc import Sequence
from re import MULTILINE, findall, finditer

from ..value import Value
from ..wording import cut
from . import rules
from .finding import Finding
from .gate import TEST, TYPES, Gate

RULE = "error-free"
NAMED = 5
_WIDTH = 90
# About packages that the server cannot find, or their types: about the machine, not the change.
_ABOUT_INSTALLS = (
    "reportMissingImports", "reportMissingModuleSource", "reportMissingTypeStubs", "unresolved-import",
    "2307", "2792", "7016",
)  # fmt: skip
# Language -> checkers that report everything its server would.
_CHECKERS = {
    "Python": ("mypy", "pyright", "basedpyright", "pyre", "pytype", "ty"),
    "TypeScript and JavaScript": ("tsc", "vue-tsc", "svelte-check", "flow"),
}
# Languages in which every file is compiled before this runner's tests.
_COMPILED = {"Rust": "cargo"}


class CodeError(Value):
    path: str
    line: int
    code: str
    message: str

    def document(self) -> dict[str, object]:
        return {"path": self.path, "line": self.line, "code": self.code, "message": self.message}


def read_errors(output: str) -> list[CodeError]:
    """Return errors of the form `src/a.py:3:4 error [code] words`, one per line."""
    pattern = r"^([^\n]+?):(\d+):\d+ error(?: \[([^\]\n]*)\])? ([^\n]+)$"
    return [
        CodeError(path=match[1], line=int(match[2]), code=match[3] or "", message=match[4])
        for match in finditer(pattern, output, MULTILINE)
    ]


def find_new_errors(now: Sequence[CodeError], before: Sequence[CodeError]) -> list[CodeError]:
    """Return errors that the baseline did not have, by count; line numbers do not matter."""
    known = [(error.path, error.code, error.message) for error in before]
    errors = []
    for error in now:
        key = (error.path, error.code, error.message)
        if key in known:
            known.remove(key)
        elif error.code not in _ABOUT_INSTALLS:
            errors.append(error)
    return errors


def is_held_by_gate(language: str, gates: Sequence[Gate]) -> bool:
    """Return whether the project's own check of types is one for this language, or its tests are compiled with it."""
    if any(gate.kind == TEST and gate.runner == _COMPILED.get(language) for gate in gates):
        return True
    lines = [f"{gate.command} {gate.definition}" for gate in gates if gate.kind == TYPES]
    words = {word for text in lines for word in findall(r"[\w-]+", text)}
    return not words.isdisjoint(_CHECKERS.get(language, ()))


def judge_errors(new: Sequence[CodeError], receipt: int | None) -> list[Finding]:
    """Return notes worth a look: a project that requires such a checker runs it as its own check."""
    return [
        rules.make_finding(
            "new-error", where=f"{error.path}:{error.line}", said=cut(error.message, _WIDTH), receipt=receipt
        )
        for error in new[:NAMED]
    ]
