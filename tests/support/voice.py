"""The sentences that the program can show, collected from its source, and the phrases that none of them uses."""

import ast
import os
import re
from functools import cache

from .floor import PLUGIN, REPOSITORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = f"{PLUGIN}/src/ultrawork"
# Words and patterns that are compared with what people or tools write. They are never shown.
DATA = (
    "core/course/search_hints.py",
    "core/permission/",
    "core/prompt/",
    "core/routing/",
    "core/stop/last_message.py",
    "core/toolchains/",
    "core/goal/",
    "core/verdict/work.py",
    "gates/results/",
    "gates/undone/",
    "content/",
)
# Sentences of these folders that are shown all the same.
SHOWN = ("core/prompt/arming.py", "core/prompt/composition.py", "core/prompt/first_word.py")
# Phrase -> what to write instead. A pattern matches anywhere, ignoring case.
BANNED = {
    r"\blet(?:s|ting)? (?:go|by)\b": "allowed to stop, allowed",
    r"\b(?:is|are|was|were|be|been)(?: not)? told\b": "is shown, reports",
    r"\btells\b": "reports, shows, prints",
    r"\bsays of\b": "reports about",
    r"\bperson's word\b|\bby a word\b": "with your approval; a command",
    r"\btaken (?:in|up)\b": "imported, resumed",
    r"\bwhat (?:stands|is left)\b": "current, remaining",
    r"\bred before and still\b": "already failing before this change",
    r"\bno test runs it\b": "no test covers this change",
    r"\bnothing broke\b": "no regression, or not proved: …",
    r"\b(?:tests?|snapshots?|expectations?) moved\b": "1 expectation changed: test_total 5 → 6",
    r"\b(?:checks?|gates?) (?:is|are) broken\b": "could not run",
    r"\b(?:checks?|gates?|tests?) (?:is|are) (?:red|green)\b": "fails, passes",
    r"\b(?:whoever|nobody|somebody|anybody)\b": "the user, the agent, another process, no one",
    r"\ba look at the files\b": "a scan",
    r"\b(?:on|the|this|that|its|at) base\b": "baseline",
}
# Odd in a message; in a page they may be right.
BANNED_IN_MESSAGES = {
    r"\bnot wanted:": "to opt out:",
    r"\bis not there\b|\bis there no more\b": "is not installed, does not exist",
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\banew\b": "again",
    r"(?<!there )\b(?:is|are) no (?!longer\b|one\b|such\b|more\b)[a-z]+": "is not a …",
    r"\b(?:stands|lies) (?:in|at|on|there|twice)\b": "is in, is at",
    r"\brests on\b": "is based on, is supported by",
    r"\bgoes on (?:in|with|as|from|only)\b": "continue",
    r"\bexists already\b|\bis there already\b|\bis there and\b": "already exists",
    r"\bcannot be made\b": "could not create",
    r"\b(?:at|goes to) work\b": "running",
    r"\bsee to it\b": "fix that",
    r"\bswitch it (?:on|off)\b": "turn it on, turn it off",
    r"\bcarr(?:y|ies|ied) it out\b": "execute it",
}
# Texts that other programs read, or that a document requires verbatim.
DEMANDED = {
    "nothing broke": "the value of `strength` in a verdict, which scripts read",
    "__ULTRAWORK_RETRY__": "demanded word for word",
    "이 계획으로 진행할까요?": "a button, demanded word for word",
    "수정 요청": "a button, demanded word for word",
}
_ERRORS = ("UsageError", "NotFound", "Conflict", "Trouble", "Unwritable", "RunHalted")
# An index may hold a stranger's package under our name; a clone holds ours.
FROM_AN_INDEX = re.compile(
    r"(?:pip|pipx|uv tool|uv pip|uvx|npm|npx)\s+(?:install|run|add)?\s*(?:-\S+\s+)*['\"]?(?:@\w+/)?ultrawork\b"
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
_PATTERN = re.compile(r"</|\\[bdswSWD.(\[]|\(\?|\[\^|^[A-Z]+ .*(?:FROM|INTO|SET|WHERE)\b")


class Message:
    """A text of the program; `…` stands for a value."""

    __slots__ = ("is_error", "line", "path", "text")

    def __init__(self, path: str, line: int, text: str, *, is_error: bool) -> None:
        self.path, self.line, self.text, self.is_error = path, line, text, is_error

    def __repr__(self) -> str:
        return f"{self.path}:{self.line} {self.text!r}"


@cache
def list_messages() -> "tuple[Message, ...]":
    """Every text with at least three words, but for docstrings, patterns and word lists."""
    found: list[Message] = []
    for folder, _, files in sorted(os.walk(SOURCE)):
        for name in sorted(files):
            path = f"{folder}/{name}"
            local = path[len(SOURCE) + 1 :]
            if name.endswith(".py") and (local in SHOWN or not local.startswith(DATA)):
                with open(path, encoding="utf-8") as file:
                    found += _read(local, file.read())
    return tuple(found)


def list_pages() -> "Iterator[tuple[str, str]]":
    """The pages that people read, without their code blocks."""
    pages = [f"{REPOSITORY}/{name}" for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")]
    for folder, _, files in sorted(os.walk(f"{REPOSITORY}/docs")):
        pages += [f"{folder}/{name}" for name in sorted(files) if name.endswith(".md")]
    for path in pages:
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"(?ms)^ *```.*?^ *```$|`[^`\n]*`", "", file.read())
        yield path[len(REPOSITORY) + 1 :], text


def _read(path: str, source: str) -> "Iterator[Message]":
    nodes = list(ast.walk(ast.parse(source)))
    hidden = _find_hidden(nodes)
    errors = {
        id(node.args[0]) for node in nodes if isinstance(node, ast.Call) and node.args and _name(node.func) in _ERRORS
    }
    for node in nodes:
        if not isinstance(node, ast.Constant | ast.JoinedStr) or id(node) in hidden:
            continue
        text = _write(node)
        if len(_WORD.findall(text)) >= 3 and not _PATTERN.search(text):
            yield Message(path, node.lineno, text, is_error=id(node) in errors)


def _find_hidden(nodes: list[ast.AST]) -> set[int]:
    """Docstrings, annotations, and the parts of texts that are read as a whole."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            found |= {id(one) for one in node.values}
        elif isinstance(node, ast.arg | ast.AnnAssign | ast.FunctionDef | ast.AsyncFunctionDef):
            annotation = getattr(node, "annotation", None) or getattr(node, "returns", None)
            found |= {id(one) for one in ast.walk(annotation or ast.Pass())}
    return found


def _name(function: ast.expr) -> str:
    return function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")


def _write(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return re.sub(r"\{[\w.]*\}", "…", node.value) if isinstance(node.value, str) else ""
    return "".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values)


def find_banned(text: str, *, is_message: bool = True) -> list[str]:
    """Return the banned phrases of a text, each with what to write instead."""
    banned = {**BANNED, **BANNED_IN_MESSAGES} if is_message else BANNED
    if text.strip() in DEMANDED:
        return []
    return [
        f"{found[0]!r}: write {instead}"
        for pattern, instead in banned.items()
        if (found := re.search(pattern, text, re.IGNORECASE))
    ]


def find_long_sentences(text: str, most: int) -> list[str]:
    parts = re.split(r"(?<=[.!?:;])\s|\n", text)
    return [part for part in parts if len(_WORD.findall(part)) > most]


_COMMAND = re.compile(r"\b(ultrawork|ulw) ((?:[a-z][a-z-]*)(?: (?:[a-z][a-z-]*))?)((?: +--[a-z][a-z-]*)*)")


def find_commands(text: str) -> "Iterator[tuple[str, list[str], list[str]]]":
    """Commands that a text offers: the program, up to two words, and the flags that follow."""
    for found in _COMMAND.finditer(text):
        before = text[: found.start()]
        if before.endswith(("/", "-", "_", ".", ":")):
            continue
        yield found[1], found[2].split(), found[3].split()
