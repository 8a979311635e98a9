"""Tests in Rust: functions with a test attribute, beside the code or in their own files."""

from ..language.rust import RustItem, list_attributes, list_items
from ..language.tokens import CodeTokens, Token, list_words, normalize, read_code
from .case import ALWAYS, NEVER, SOMETIMES, TestCase, get_strongest

_TESTS = ("test", "rstest", "test_case", "quickcheck", "proptest", "wasm_bindgen_test")


def parse_cases(text: str) -> list[TestCase] | None:
    code = read_code(text, "rust")
    if not code.balanced:
        return None
    items = list_items(code)
    modules = [item for item in items if item.kind == "mod"]
    return [
        _case(code, item, [module.name for module in modules if module.opens < item.start < module.end])
        for item in items
        # A name like `$name` belongs to a macro that generates tests.
        if item.kind == "fn" and "$" not in item.name and any(map(_is_test, list_attributes(code, item)))
    ]


def find_test_module(text: str) -> tuple[int, int] | None:
    """Return start and end of the part under `#[cfg(test)]`."""
    code = read_code(text, "rust")
    for item in list_items(code):
        marks = [[token.text for token in attribute] for attribute in list_attributes(code, item)]
        if item.kind == "mod" and ["cfg", "(", "test", ")"] in marks:
            return code[item.start].start, code[item.end].end
    return None


def _is_test(attribute: list[Token]) -> bool:
    """`#[test]`, `#[tokio::test]`, `#[tokio::test(flavor = …)]`, `#[rstest]`."""
    path = []
    for token in attribute:
        if token.text == "(":
            break
        path.append(token.text)
    return bool(path) and path[-1] in _TESTS


def _case(code: CodeTokens, item: RustItem, modules: list[str]) -> TestCase:
    attributes = list_attributes(code, item)
    body = code.between(item.opens, item.end + 1)
    kept = [token for attribute in attributes if not _mark(attribute) for token in attribute]
    return TestCase(
        (*modules, item.name),
        normalize([*kept, *body]),
        mark=get_strongest(*map(_mark, attributes)),
        names=list_words(body),
        lines=(code[item.start].line, code[item.end].line),
    )


def _mark(attribute: list[Token]) -> str:
    words = [token.text for token in attribute]
    if words[:1] == ["ignore"]:
        return ALWAYS
    conditional = words[:1] == ["cfg_attr"] and "ignore" in words
    return SOMETIMES if conditional or words[:1] == ["cfg"] else NEVER
