"""Tests in Rust: functions with a test attribute, beside the code or in their own files."""

from dataclasses import dataclass

from .case import ALWAYS, NEVER, SOMETIMES, TestCase, get_strongest
from .tokens import SIGN, WORD, CodeTokens, Token, list_words, normalize, read_code

_TESTS = ("test", "rstest", "test_case", "quickcheck", "proptest", "wasm_bindgen_test")
_BEFORE_ITEM = ("pub", "async", "unsafe", "const", "extern", "(", ")", "crate")
_SIGNATURE = 400
_FOLLOWS = {"fn": ("(", "<"), "mod": ("{", ";")}


@dataclass(slots=True)
class _Item:
    """A function or module with the attributes before it."""

    kind: str
    name: str
    attributes: list[list[Token]]
    start: int
    opens: int
    end: int


def parse_cases(text: str) -> list[TestCase] | None:
    code = read_code(text, "rust")
    if not code.balanced:
        return None
    items = _items(code)
    modules = [item for item in items if item.kind == "mod"]
    return [
        _case(code, item, [module.name for module in modules if module.opens < item.start < module.end])
        for item in items
        # A name like `$name` belongs to a macro that generates tests.
        if item.kind == "fn" and "$" not in item.name and any(map(_is_test, item.attributes))
    ]


def find_test_module(text: str) -> tuple[int, int] | None:
    """Return start and end of the part under `#[cfg(test)]`."""
    code = read_code(text, "rust")
    for item in _items(code):
        marks = [[token.text for token in attribute] for attribute in item.attributes]
        if item.kind == "mod" and ["cfg", "(", "test", ")"] in marks:
            return code[item.start].start, code[item.end].end
    return None


def _items(code: CodeTokens) -> list[_Item]:
    items: list[_Item] = []
    attributes: list[list[Token]] = []
    start: int | None = None
    index = 0
    while index < len(code):
        bracket = _attribute(code, index)
        end = code.closing(bracket) if bracket is not None else None
        if bracket is not None and end is not None:
            start = index if start is None else start
            attributes.append(code.between(bracket + 1, end))
            index = end + 1
            continue
        token = code[index]
        if token.kind == WORD and code.text(index + 2) in _FOLLOWS.get(token.text, ()):
            name, begins = code.text(index + 1), index if start is None else start
            places = _find_body(code, index) or (begins, begins)
            items.append(_Item(token.text, name, attributes, begins, *places))
        if token.text not in _BEFORE_ITEM:
            attributes, start = [], None
        index += 1
    return items


def _attribute(code: CodeTokens, index: int) -> int | None:
    """Return the bracket of `#[…]` or `#![…]` that begins here."""
    if code.text(index) != "#":
        return None
    at = index + 2 if code.text(index + 1) == "!" else index + 1
    return at if code.text(at) == "[" else None


def _find_body(code: CodeTokens, index: int) -> tuple[int, int] | None:
    """Return start and end of the body; None if there is none (`mod x;`, a trait method)."""
    depth = 0
    for at in range(index + 1, min(len(code), index + _SIGNATURE)):
        text = code[at].text if code[at].kind == SIGN else ""
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if depth == 0 and text in (";", "{"):
            return at, code.closing(at) or at
    return None


def _is_test(attribute: list[Token]) -> bool:
    """`#[test]`, `#[tokio::test]`, `#[tokio::test(flavor = …)]`, `#[rstest]`."""
    path = []
    for token in attribute:
        if token.text == "(":
            break
        path.append(token.text)
    return bool(path) and path[-1] in _TESTS


def _case(code: CodeTokens, item: _Item, modules: list[str]) -> TestCase:
    body = code.between(item.opens, item.end + 1)
    mark = get_strongest(*map(_mark, item.attributes))
    kept = [token for attribute in item.attributes if not _mark(attribute) for token in attribute]
    return TestCase(
        (*modules, item.name),
        normalize([*kept, *body]),
        mark=mark,
        names=list_words(body),
        lines=(code[item.start].line, code[item.end].line),
    )


def _mark(attribute: list[Token]) -> str:
    words = [token.text for token in attribute]
    if words[:1] == ["ignore"]:
        return ALWAYS
    conditional = words[:1] == ["cfg_attr"] and "ignore" in words
    return SOMETIMES if conditional or words[:1] == ["cfg"] else NEVER
