"""Tests in Go: functions TestX, FuzzX and ExampleX, and methods of suites."""

import re
from itertools import pairwise

from .case import TestCase
from .marks import ALWAYS, NEVER, SOMETIMES, strongest
from .tokens import WORD, closing, code, normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .tokens import Token

_NAME = re.compile(r"(?:Test|Fuzz|Example)(?![a-z])\w*")
_SKIPS = ("Skip", "Skipf", "SkipNow")
_ASSERTS = ("Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow")
_TAG = re.compile(r"^//go:build (.*)$", re.MULTILINE)


def tests(text: str) -> list[TestCase] | None:
    found = code(text, "go")
    tag = _TAG.search(text)
    mark = NEVER if tag is None else ALWAYS if tag[1].strip() == "ignore" else SOMETIMES
    cases = []
    for index, token in enumerate(found):
        if token.kind == WORD and token.text == "func":
            function = _function(found, index)
            if function is None:
                return None
            name, start, end = function
            if _NAME.fullmatch(name):
                cases.append(_case(name, found[start : end + 1], mark, token.line))
    return cases


def _function(found: "list[Token]", index: int) -> tuple[str, int, int] | None:
    """(name, opening brace, closing brace) of a declaration; no name for a function value."""
    at = index + 1
    if at < len(found) and found[at].text == "(":
        end = closing(found, at)
        at = end + 1 if end is not None else len(found)
    if at >= len(found):
        return None
    called = found[at].kind == WORD and found[at + 1 : at + 2] and found[at + 1].text in ("(", "[")
    name = found[at].text if called else ""
    brace = next((one for one in range(at, len(found)) if found[one].text == "{"), None)
    end = closing(found, brace) if name and brace is not None else at
    if end is None:
        return None
    return (name, brace, end) if name and brace is not None else ("", at, at)


def _case(name: str, body: "list[Token]", mark: str, line: int) -> TestCase:
    whole = strongest(mark, _skips(body))
    return TestCase(
        [name],
        normal(body),
        assertions=sum(
            1 for one in body if one.text in _ASSERTS or one.text in ("assert", "require")
        ),
        skipped=whole != NEVER,
        conditional=whole == SOMETIMES,
        names={one.text for one in body if one.kind == WORD},
        lines=(line, body[-1].line),
    )


def _skips(body: "list[Token]") -> str:
    depth = 0
    for token, after in pairwise(body):
        depth += (token.text == "{") - (token.text == "}")
        if token.text in _SKIPS and after.text == "(":
            return ALWAYS if depth == 1 else SOMETIMES
    return NEVER
