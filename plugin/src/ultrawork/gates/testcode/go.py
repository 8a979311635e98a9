"""Tests in Go: functions TestX, FuzzX and ExampleX, and methods of suites."""

import re
from itertools import pairwise

from ...core.patterns import compile_late
from .case import ALWAYS, NEVER, SOMETIMES, TestCase, get_strongest
from .tokens import WORD, CodeTokens, Token, list_words, normalize, read_code

_NAME = compile_late(r"(?:Test|Fuzz|Example)(?![a-z])\w*")
_SKIPS = ("Skip", "Skipf", "SkipNow")
_TAG = compile_late(r"^//go:build (.*)$", re.MULTILINE)
_SIGNATURE = 500


def parse_cases(text: str) -> list[TestCase] | None:
    code = read_code(text, "go")
    if not code.balanced:
        return None
    tag = _TAG.search(text)
    mark = NEVER if tag is None else ALWAYS if tag[1].strip() == "ignore" else SOMETIMES
    cases = []
    for index, token in enumerate(code.tokens):
        name = _declared(code, index) if token.kind == WORD and token.text == "func" else None
        if name is not None and _NAME.fullmatch(code.text(name)):
            body = _body(code, name)
            cases += [_case(code.text(name), body, mark, token.line)] if body else []
    return cases


def _declared(code: CodeTokens, index: int) -> int | None:
    """Return where the name of a declared function or method is; None for a function value."""
    at = index + 1
    if code.text(at) == "(":
        receiver = code.closing(at)
        at = receiver + 1 if receiver is not None else at
    named = at < len(code) and code[at].kind == WORD
    return at if named and code.text(at + 1) in ("(", "[") else None


def _body(code: CodeTokens, name: int) -> list[Token]:
    for at in range(name, min(len(code), name + _SIGNATURE)):
        if code.text(at) == "{":
            return code.between(at, (code.closing(at) or at) + 1)
    return []


def _case(name: str, body: list[Token], mark: str, line: int) -> TestCase:
    return TestCase(
        (name,),
        normalize(body),
        mark=get_strongest(mark, _skips(body)),
        names=list_words(body),
        lines=(line, body[-1].line),
    )


def _skips(body: list[Token]) -> str:
    depth = 0
    for token, after in pairwise(body):
        depth += (token.text == "{") - (token.text == "}")
        if token.text in _SKIPS and after.text == "(":
            return ALWAYS if depth == 1 else SOMETIMES
    return NEVER
