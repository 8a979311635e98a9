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
    found = read_code(text, "rust")
    if not found.balanced:
        return None
    items = _items(found)
    modules = [item for item in items if item.kind == "mod"]
    return [
        _case(found, item, [one.name for one in modules if one.opens < item.start < one.end])
        for item in items
        # A name like `$name` belongs to a macro that generates tests.
        if item.kind == "fn" and "$" not in item.name and any(map(_is_test, item.attributes))
    ]


def find_test_module(text: str) -> tuple[int, int] | None:
    """Return start and end of the part under `#[cfg(test)]`."""
    found = read_code(text, "rust")
    for item in _items(found):
        marks = [[one.text for one in attribute] for attribute in item.attributes]
        if item.kind == "mod" and ["cfg", "(", "test", ")"] in marks:
            return found[item.start].start, found[item.end].end
    return None


def _items(found: CodeTokens) -> list[_Item]:
    items: list[_Item] = []
    attributes: list[list[Token]] = []
    start: int | None = None
    index = 0
    while index < len(found):
        bracket = _attribute(found, index)
        end = found.closing(bracket) if bracket is not None else None
        if bracket is not None and end is not None:
            start = index if start is None else start
            attributes.append(found.between(bracket + 1, end))
            index = end + 1
            continue
        token = found[index]
        if token.kind == WORD and found.text(index + 2) in _FOLLOWS.get(token.text, ()):
            name, begins = found.text(index + 1), index if start is None else start
            places = _find_body(found, index) or (begins, begins)
            items.append(_Item(token.text, name, attributes, begins, *places))
        if token.text not in _BEFORE_ITEM:
            attributes, start = [], None
        index += 1
    return items


def _attribute(found: CodeTokens, index: int) -> int | None:
    """Return the bracket of `#[…]` or `#![…]` that begins here."""
    if found.text(index) != "#":
        return None
    at = index + 2 if found.text(index + 1) == "!" else index + 1
    return at if found.text(at) == "[" else None


def _find_body(found: CodeTokens, index: int) -> tuple[int, int] | None:
    """Return start and end of the body; None if there is none (`mod x;`, a trait method)."""
    depth = 0
    for at in range(index + 1, min(len(found), index + _SIGNATURE)):
        text = found[at].text if found[at].kind == SIGN else ""
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if depth == 0 and text in (";", "{"):
            return at, found.closing(at) or at
    return None


def _is_test(attribute: list[Token]) -> bool:
    """`#[test]`, `#[tokio::test]`, `#[tokio::test(flavor = …)]`, `#[rstest]`."""
    path = []
    for token in attribute:
        if token.text == "(":
            break
        path.append(token.text)
    return bool(path) and path[-1] in _TESTS


def _case(found: CodeTokens, item: _Item, modules: list[str]) -> TestCase:
    body = found.between(item.opens, item.end + 1)
    mark = get_strongest(*map(_mark, item.attributes))
    kept = [one for attribute in item.attributes if not _mark(attribute) for one in attribute]
    return TestCase(
        (*modules, item.name),
        normalize([*kept, *body]),
        mark=mark,
        names=list_words(body),
        lines=(found[item.start].line, found[item.end].line),
    )


def _mark(attribute: list[Token]) -> str:
    words = [token.text for token in attribute]
    if words[:1] == ["ignore"]:
        return ALWAYS
    conditional = words[:1] == ["cfg_attr"] and "ignore" in words
    return SOMETIMES if conditional or words[:1] == ["cfg"] else NEVER
