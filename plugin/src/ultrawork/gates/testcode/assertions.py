"""Whether the assertion that fails is the same in both versions of a test, with its case and its constants.

A test whose set-up changed with the code may fail as it was and pass as it is. Nothing was loosened as long as what it
asserts, and the values it compares with, are unchanged."""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping

from ...core.patterns import compile_late
from ..language.python import Function, parse_source
from ..language.tokens import read_code
from .cases import find_language
from .graft import rename_words
from .python import is_assertion

_ASSERTS = compile_late(
    r"(?i)\b(assert\w*|expect\w*|should\w*|require|t\.(error|fatal|fail|is|equal|same|like|deepEqual|true|false|throws)\w*"
    r"|verify|must\w*)\b"
)

_VALUE = compile_late(r"\d|[\"'`]|\b([Tt]rue|[Ff]alse|None|null|nil)\b")
_DEFINES = compile_late(
    r"(async )?(def|class|function|func|fn|import|from|use|@\w+)\b|@|#|//"
    r"|require(_relative)?\s+[\"']|(const|let|var)\s[^=]*=\s*require\(\s*[\"'][^\"']*[\"']\s*\)[\w.]*[;,]?\s*$"
)


def may_expect(line: str) -> bool:
    """Return whether a line outside of tests may hold what they expect: a value, or an assertion."""
    return bool(_VALUE.search(line) or _ASSERTS.search(line)) and not _DEFINES.match(line)


def has_same_assertion(
    path: str, before: str, after: str, *, line: int | None = None, renames: Mapping[str, str] | None = None
) -> bool:
    """`line` is the failing one, counted from the start of the old test; without it every assertion must be there as
    it was. Names that the product renamed count as the same."""
    old = _list_statements(path, rename_words(before, renames or {}))
    new = [text for _, text in _list_statements(path, after)]
    failing = [text for (first, last), text in old if line is not None and first <= line <= last]
    wanted = failing or [text for _, text in old]
    return bool(wanted) and all(text in new for text in wanted)


def _list_statements(path: str, text: str) -> list[tuple[tuple[int, int], str]]:
    """Assertions with what they compare with: the lines they span from 0 on, and their text without layout."""
    read = _list_python(text) if find_language(path) == "python" else _list_braced(path, text)
    return list(read)


def _list_python(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    tree = parse_source(textwrap.dedent(text))
    if tree is None:
        yield (0, text.count("\n")), text
        return
    sources = [
        ast.unparse(decorator)
        for node in ast.walk(tree)
        if isinstance(node, Function)
        for decorator in node.decorator_list
    ]
    values = dict(_list_values(tree))
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt) or isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        if any(is_assertion(child) for child in _own_nodes(node)):
            names = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}
            fed = [f"{name}={values[name]}" for name in sorted(names & values.keys())]
            yield (
                (node.lineno - 1, (node.end_lineno or node.lineno) - 1),
                "\n".join([*sources, *fed, ast.unparse(node)]),
            )


def _own_nodes(node: ast.stmt) -> Iterator[ast.AST]:
    """Yield a statement's own expressions; its block consists of separate statements, except under `with`."""
    if isinstance(node, ast.With | ast.AsyncWith):
        for item in node.items:
            yield from ast.walk(item.context_expr)
        return
    if isinstance(node, ast.For | ast.If | ast.While | ast.Try | ast.AsyncFor):
        return
    yield from ast.walk(node)


def _list_values(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Constants by name: what is called to get a value is set-up."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or any(isinstance(child, ast.Call) for child in ast.walk(node.value)):
            continue
        for target in node.targets:
            for part in ast.walk(target):
                if isinstance(part, ast.Name):
                    yield part.id, ast.unparse(node.value)


def _list_braced(path: str, text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield assertions by lines, up to their closing bracket. In Go it is the whole `if` around it, and the rows of a
    test's table are its constants."""
    lines = text.splitlines()
    language = find_language(path)
    table = _find_table(text) if language == "go" else ""
    at = 0
    while at < len(lines):
        opens = _opens_go(lines, at) if language == "go" else _ASSERTS.search(lines[at])
        if not opens:
            at += 1
            continue
        end = _find_end(lines, at)
        yield (at, end), table + re.sub(r"\s+", "", "".join(lines[at : end + 1]))
        at = end + 1


def _opens_go(lines: list[str], at: int) -> bool:
    """`if … {` that reports, or a call of an assertion library."""
    if re.match(r"\s*(?:\} else )?if\b", lines[at]):
        inside = "\n".join(lines[at : _find_end(lines, at) + 1])
        return bool(_ASSERTS.search(inside)) and inside.count("if ") <= 2
    return bool(re.match(r"\s*(?:assert|require|is|must|qt)\.\w+\(", lines[at]))


def _find_end(lines: list[str], at: int) -> int:
    depth = 0
    for end in range(at, len(lines)):
        code = re.sub(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`[^`]*`", "", lines[end])
        depth += sum(code.count(sign) for sign in "([{") - sum(code.count(sign) for sign in ")]}")
        if depth <= 0 and not code.rstrip().endswith(("(", ",", ".", "=>")):
            return end
    return len(lines) - 1


def _find_table(text: str) -> str:
    """Return the rows of a table-driven test, as one text."""
    code = read_code(text, "go")
    match = re.search(r"\[\](?:struct\s*\{|\w+\s*\{)", text)
    if match is None or not code.balanced or not re.search(r"\brange\b", text):
        return ""
    return re.sub(r"\s+", "", text[match.start() : text.find("\n\t}\n", match.end())])
