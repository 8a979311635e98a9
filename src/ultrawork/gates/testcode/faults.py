"""
Faults planted into functions, to see whether a test notices anything: their bodies emptied, or what they return
bent a little. The text stays valid; nothing outside of the functions is touched.
"""

import ast
from collections.abc import Callable, Collection

from .cases import find_language
from .tokens import CodeTokens, read_code

EMPTIED = "emptied"
BENT = "bent"
_BENDER = "ultrawork_bent"
_PYTHON_BENDER = f"""

def {_BENDER}(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, (str, list, tuple)):
        return value + type(value)(value[:1] or "x" * isinstance(value, str))
    return value
"""
_JAVASCRIPT_BENDER = f"""

function {_BENDER}(value) {{
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value === "string") return value + "x";
  return Array.isArray(value) ? [...value, ...value.slice(0, 1)] : value;
}}
"""
_Edit = tuple[int, int, str]


def plant(path: str, text: str, lines: Collection[int], fault: str) -> str | None:
    """The text with a fault in each function that holds one of these lines; None if there is no place for it."""
    planter = _PLANTERS.get((find_language(path), fault))
    edits = planter(text, lines) if planter else []
    if not edits:
        return None
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text + (_BENDERS[find_language(path)] if fault == BENT else "")


def _python_functions(
    text: str, lines: Collection[int]
) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The innermost functions that hold these lines."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    found = [
        one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    holding = [one for one in found if any(_holds(one, line) for line in lines)]
    return [
        one for one in holding if not any(sub in holding for sub in ast.walk(one) if sub is not one)
    ]


def _holds(node: ast.FunctionDef | ast.AsyncFunctionDef, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _empty_python(text: str, lines: Collection[int]) -> list[_Edit]:
    places = _Places(text)
    return [
        (places.start(one.body[0]), places.end(one.body[-1]), "pass")
        for one in _python_functions(text, lines)
    ]


def _bend_python(text: str, lines: Collection[int]) -> list[_Edit]:
    places = _Places(text)
    returns = [
        node.value
        for one in _python_functions(text, lines)
        for node in ast.walk(one)
        if isinstance(node, ast.Return) and node.value is not None
    ]
    edits: list[_Edit] = []
    for value in returns:
        start, end = places.start(value), places.end(value)
        edits.append((start, end, f"{_BENDER}({text[start:end]})"))
    return edits


class _Places:
    """Where the nodes of a text begin and end, in characters."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line))

    def start(self, node: ast.stmt | ast.expr) -> int:
        return self._place(node.lineno, node.col_offset)

    def end(self, node: ast.stmt | ast.expr) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._place(node.end_lineno, node.end_col_offset)

    def _place(self, line: int, offset: int) -> int:
        """Columns are counted in bytes."""
        before = self._lines[line - 1].encode()[:offset].decode()
        return self._starts[line - 1] + len(before)


def _javascript_bodies(code: CodeTokens, lines: Collection[int]) -> list[tuple[int, int]]:
    """The innermost pairs of braces around these lines that are bodies of functions."""
    bodies = []
    for index, token in enumerate(code.tokens):
        closing = code.closing(index) if token.text == "{" else None
        if closing is not None and _opens_body(code, index):
            bodies.append((index, closing))
    holding = [
        (start, end)
        for start, end in bodies
        if any(_head_line(code, start) <= line <= code[end].line for line in lines)
    ]
    return [one for one in holding if not any(_is_inside(other, one) for other in holding)]


def _is_inside(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    return outer[0] < inner[0] and inner[1] < outer[1]


def _head_line(code: CodeTokens, index: int) -> int:
    return code[max(0, index - 1)].line


def _opens_body(code: CodeTokens, index: int) -> bool:
    """After `=>`, or after the arguments of something that is no `if`, `for`, `while`, `switch`, `catch`."""
    if code.text(index - 1) == "=>":
        return True
    if code.text(index - 1) != ")":
        return False
    opened = next((at for at in range(index - 1, -1, -1) if code.closing(at) == index - 1), None)
    word = code.text(opened - 1) if opened is not None else ""
    return word not in ("if", "for", "while", "switch", "catch", "with", "")


def _empty_javascript(text: str, lines: Collection[int]) -> list[_Edit]:
    code = read_code(text, "javascript")
    return [
        (code[start].end, code[end].start, "") for start, end in _javascript_bodies(code, lines)
    ]


def _bend_javascript(text: str, lines: Collection[int]) -> list[_Edit]:
    code = read_code(text, "javascript")
    edits: list[_Edit] = []
    for start, end in _javascript_bodies(code, lines):
        for index in range(start, end):
            value = _returned(code, index, end)
            if code.text(index) == "return" and value:
                first, last = value
                edits.append((first, last, f"{_BENDER}({text[first:last]})"))
    return edits


def _returned(code: CodeTokens, index: int, end: int) -> tuple[int, int] | None:
    """From after `return` to its semicolon, or to the end of its line where there is none."""
    at, line = index + 1, code[index].line
    if code.text(at) in (";", "}") or code[at].line != line:
        return None
    last = at
    while at < end and code.text(at) not in (";", "}"):
        inner = code.closing(at)
        last = at if inner is None else inner
        if code[last].line != code[min(last + 1, end)].line and code.text(last + 1) != ".":
            break
        at = last + 1
    return code[index + 1].start, code[last].end


_PLANTERS: dict[tuple[str, str], Callable[[str, Collection[int]], list[_Edit]]] = {
    ("python", EMPTIED): _empty_python,
    ("python", BENT): _bend_python,
    ("javascript", EMPTIED): _empty_javascript,
    ("javascript", BENT): _bend_javascript,
}
_BENDERS = {"python": _PYTHON_BENDER, "javascript": _JAVASCRIPT_BENDER}
