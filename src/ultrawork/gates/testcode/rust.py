"""Tests in Rust: functions with a test attribute, beside the code or in files of their own."""

from .case import TestCase
from .marks import ALWAYS, NEVER, SOMETIMES, strongest
from .tokens import SIGN, WORD, closing, code, normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .tokens import Token

_TESTS = ("test", "rstest", "test_case", "quickcheck", "proptest", "wasm_bindgen_test")
_ASSERTS = ("assert", "assert_eq", "assert_ne", "assert_matches", "panic", "prop_assert")


class _Item:
    """A function or module with the attributes before it."""

    __slots__ = ("attributes", "end", "kind", "name", "opens", "start")

    def __init__(self, kind: str, name: str, attributes: "list[list[Token]]", start: int) -> None:
        self.kind = kind
        self.name = name
        self.attributes = attributes
        self.start = start
        self.opens = self.end = start


def tests(text: str) -> list[TestCase] | None:
    found = code(text, "rust")
    items = _items(found)
    if items is None:
        return None
    modules = [item for item in items if item.kind == "mod"]
    return [
        _case(found, item, [one.name for one in modules if one.opens < item.start < one.end])
        for item in items
        if item.kind == "fn" and any(_is_test(one) for one in item.attributes)
    ]


def test_module(text: str) -> tuple[int, int] | None:
    """Where the part under `#[cfg(test)]` begins and ends."""
    found = code(text, "rust")
    for item in _items(found) or []:
        marked = any(
            [one.text for one in attribute] == ["cfg", "(", "test", ")"]
            for attribute in item.attributes
        )
        if item.kind == "mod" and marked:
            return found[item.start].start, found[item.end].end
    return None


def _items(found: "list[Token]") -> list[_Item] | None:
    items: list[_Item] = []
    attributes: list[list[Token]] = []
    start: int | None = None
    index = 0
    while index < len(found):
        token = found[index]
        bracket = _attribute(found, index)
        if bracket is not None:
            end = closing(found, bracket)
            if end is None:
                return None
            start = index if start is None else start
            attributes.append(found[bracket + 1 : end])
            index = end + 1
            continue
        if token.kind == WORD and token.text in ("fn", "mod") and index + 1 < len(found):
            item = _item(found, index, attributes, index if start is None else start)
            if item is None:
                return None
            items.append(item)
        if token.text not in ("pub", "async", "unsafe", "const", "extern", "(", ")", "crate"):
            attributes, start = [], None
        index += 1
    return items


def _attribute(found: "list[Token]", index: int) -> int | None:
    """The bracket of `#[…]` or `#![…]` that begins here."""
    signs = [token.text for token in found[index : index + 3]]
    if signs[:2] == ["#", "["]:
        return index + 1
    return index + 2 if signs == ["#", "!", "["] else None


def _item(
    found: "list[Token]", index: int, attributes: "list[list[Token]]", start: int
) -> _Item | None:
    """A body may be missing (`mod x;`, a method of a trait): then it ends with its semicolon."""
    item = _Item(found[index].text, found[index + 1].text, attributes, start)
    depth = 0
    for at in range(index + 1, len(found)):
        text = found[at].text
        if found[at].kind == SIGN and text in ("(", "[", ")", "]"):
            depth += 1 if text in ("(", "[") else -1
        if depth == 0 and text in (";", "{"):
            end = at if text == ";" else closing(found, at)
            item.opens, item.end = at, end or 0
            return item if end is not None else None
    return item


def _is_test(attribute: "list[Token]") -> bool:
    """`#[test]`, `#[tokio::test]`, `#[tokio::test(flavor = …)]`, `#[rstest]`."""
    path = []
    for token in attribute:
        if token.text == "(":
            break
        path.append(token.text)
    return bool(path) and path[-1] in _TESTS


def _case(found: "list[Token]", item: _Item, modules: list[str]) -> TestCase:
    body = found[item.opens : item.end + 1]
    mark = strongest(*map(_mark, item.attributes))
    kept = [one for attribute in item.attributes if not _mark(attribute) for one in attribute]
    return TestCase(
        [*modules, item.name],
        normal([*kept, *body]),
        assertions=sum(1 for one in body if one.text in _ASSERTS),
        skipped=mark != NEVER,
        conditional=mark == SOMETIMES,
        names={one.text for one in body if one.kind == WORD},
        lines=(found[item.start].line, found[item.end].line),
    )


def _mark(attribute: "list[Token]") -> str:
    words = [token.text for token in attribute]
    if words[:1] == ["ignore"]:
        return ALWAYS
    conditional = words[:1] == ["cfg_attr"] and "ignore" in words
    return SOMETIMES if conditional or words[:1] == ["cfg"] else NEVER
