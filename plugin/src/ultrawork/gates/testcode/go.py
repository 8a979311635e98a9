"""Tests in Go: functions TestX, FuzzX and ExampleX, and methods of suites."""

import re
from itertools import pairwise

from ...core.patterns import compile_late
from ..language.go import list_top_functions
from ..language.tokens import Token, list_words, normalize, read_code
from .case import ALWAYS, NEVER, SOMETIMES, TestCase, get_strongest

_NAME = compile_late(r"(?:Test|Fuzz|Example)(?![a-z])\w*")
_SKIPS = ("Skip", "Skipf", "SkipNow")
_TAG = compile_late(r"^//go:build (.*)$", re.MULTILINE)


def parse_cases(text: str) -> list[TestCase] | None:
    code = read_code(text, "go")
    if not code.balanced:
        return None
    tag = _TAG.search(text)
    mark = NEVER if tag is None else ALWAYS if tag[1].strip() == "ignore" else SOMETIMES
    return [
        _case(function.name, code.between(function.opens, function.end + 1), mark, code[function.start].line)
        for function in list_top_functions(code)
        if not function.bound and _NAME.fullmatch(function.name)
    ]


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
