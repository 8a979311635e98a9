"""What a test expects: its assertions, its parameters, and the values that they compare with."""

import ast
from collections.abc import Mapping

from ...core.patterns import compile_late
from .cases import find_language, read_case
from .python import is_assertion

_TOKEN = compile_late(r"\w+|[^\w\s]")
_ASSERTS = compile_late(
    r"(?i)\b(assert\w*|expect\w*|should|require|t\.(error|fatal|is|deepEqual)\w*)\b"
)
_VALUE = compile_late(r"\d|[\"'`]|\b([Tt]rue|[Ff]alse|None|null|nil)\b")
_DEFINES = compile_late(r"(async )?(def|class|function|func|fn|import|from|use|@\w+)\b|@|#|//")


def read_expectations(path: str, text: str, parts: tuple[str, ...]) -> list[str]:
    """The tokens of what one test of a file expects; empty if that cannot be read."""
    lines = read_case(path, text, parts)
    if lines is None:
        return []
    if find_language(path) == "python":
        return _tokens("\n".join(_python("\n".join(lines))))
    return _tokens("\n".join(line for line in lines if _ASSERTS.search(line)))


def may_expect(line: str) -> bool:
    """Whether a line outside of tests may hold what they expect: a value, or an assertion."""
    return bool(_VALUE.search(line) or _ASSERTS.search(line)) and not _DEFINES.match(line)


def rename(tokens: list[str], names: Mapping[str, str]) -> list[str]:
    return [names.get(token, token) for token in tokens]


def find_renames(before: str, after: str) -> dict[str, str] | None:
    """The identifiers that alone tell two texts apart, each always replaced by the same; None if more differs."""
    old, new = _tokens(before), _tokens(after)
    if len(old) != len(new):
        return None
    names: dict[str, str] = {}
    for one, other in zip(old, new, strict=True):
        if one == other and one not in names:
            continue
        if not (
            one.isidentifier() and other.isidentifier() and names.setdefault(one, other) == other
        ):
            return None
    return names


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def _python(text: str) -> list[str]:
    """Assertions, decorators that are not marks alone, and what is assigned to names that assertions use."""
    import textwrap

    try:
        tree = ast.parse(textwrap.dedent(text))
    except SyntaxError:
        return [text]
    nodes = list(ast.walk(tree))
    checks = [node for node in nodes if is_assertion(node)]
    used = {sub.id for node in checks for sub in ast.walk(node) if isinstance(sub, ast.Name)}
    fed = [node for node in nodes if isinstance(node, ast.Assign) and _feeds(node, used)]
    given = [
        one for node in nodes if isinstance(node, ast.FunctionDef) for one in node.decorator_list
    ]
    return [ast.unparse(node) for node in (*given, *fed, *checks)]


def _feeds(node: ast.Assign, used: set[str]) -> bool:
    """A plain value for an assertion; what is called to get one is set-up."""
    targets = {
        sub.id for target in node.targets for sub in ast.walk(target) if isinstance(sub, ast.Name)
    }
    called = any(isinstance(sub, ast.Call) for sub in ast.walk(node.value))
    return bool(targets & used) and not called
