"""Tests in JavaScript and TypeScript: `it`, `test`, `describe` and their skip, only, todo, each."""

import re
from collections.abc import Sequence

from ..language.tokens import TEXT, WORD, CodeTokens, Token, list_words, normalize, read_code
from .case import ALWAYS, NEVER, SOMETIMES, TestCase, get_strongest

_TESTS = ("it", "test", "specify", "xit", "xtest", "xspecify", "fit")
_SUITES = ("describe", "suite", "context", "xdescribe", "xcontext", "fdescribe")
_AWAY = {"skip": ALWAYS, "todo": ALWAYS, "failing": ALWAYS, "fails": ALWAYS, "fixme": ALWAYS}
_SOMETIMES = ("skipIf", "runIf", "skipif", "runif", "todoIf")
_TABLES = ("each", "for", *_SOMETIMES)
_MODIFIERS = (*_AWAY, *_TABLES, "only", "concurrent", "sequential", "serial", "parallel")
_OPTIONS = ("skip", "todo", "expectFailure")
_MOST = 5000
_LONGEST_NAME = 12


class _Call:
    """One call of `it` or `describe`: its title, the position of its arguments, its marks."""

    def __init__(self, start: int, opens: int, end: int, title: str, words: Sequence[str]) -> None:
        self.start = start
        self.opens = opens
        self.end = end
        self.title = title
        self.is_suite = words[0] in _SUITES
        self.only = "only" in words or words[0] in ("fit", "fdescribe")
        away = [_AWAY.get(word, NEVER) for word in words]
        away += [ALWAYS] if words[0].startswith("x") else []
        self.mark = get_strongest(*away, SOMETIMES if set(_SOMETIMES) & set(words) else NEVER)


def parse_cases(text: str) -> list[TestCase] | None:
    code = read_code(text, "javascript")
    calls = _calls(code)
    if calls is None:
        return None
    only = any(call.only for call in calls)
    cases: dict[tuple[str, ...], TestCase] = {}
    around: list[_Call] = []
    inside: _Call | None = None
    for call in calls:
        around = [suite for suite in around if call.end < suite.end]
        if call.is_suite:
            around.append(call)
        elif inside is None or inside.end < call.start:  # what a test calls itself is part of it
            case = _case(code, call, around, only_others=only)
            cases[case.parts] = case
            inside = call
    return list(cases.values())


def _calls(code: CodeTokens) -> list[_Call] | None:
    """Return all calls in order; None if one never ends or there are too many."""
    calls: list[_Call] = []
    for index, token in enumerate(code.tokens):
        if token.kind != WORD or token.text not in (*_TESTS, *_SUITES) or _is_member(code, index):
            continue
        words, opens = _callee(code, index)
        if opens is None:
            continue
        end = code.closing(opens)
        if end is None or len(calls) > _MOST:
            return None
        title = _title(code, opens, end)
        if title is not None:
            calls.append(_Call(index, opens, end, title, words))
    return calls


def _is_member(code: CodeTokens, index: int) -> bool:
    """`regex.test(…)` is not a test; `Deno.test(…)` is one."""
    return code.text(index - 1) in (".", "?.") and code.text(index - 2) != "Deno"


def _callee(code: CodeTokens, index: int) -> tuple[list[str], int | None]:
    """Return the words before the call (`it`, `skip`), and the bracket that opens its arguments."""
    words, at = [code.text(index)], index + 1
    while code.text(at) == "." and code.text(at + 1) in _MODIFIERS:
        words.append(code.text(at + 1))
        at += 2
    if words[-1] in _TABLES:
        table = code.closing(at) if code.text(at) == "(" else at
        at = table + 1 if table is not None else len(code)
    return words, at if code.text(at) == "(" else None


def _title(code: CodeTokens, opens: int, end: int) -> str | None:
    """A title is written as text, or is a name (`describe(Basket, …)`) followed by something."""
    if opens + 1 >= end:
        return None
    if code[opens + 1].kind == TEXT:
        return re.sub(r"\s+", " ", code[opens + 1].value)
    words = code.between(opens + 1, min(end, opens + _LONGEST_NAME))
    texts = [word.text for word in words]
    name = words[: texts.index(",")] if "," in texts else []
    if not name or not all(token.kind == WORD or token.text == "." for token in name):
        return None
    return "".join(token.text for token in name).removesuffix(".name")


def _case(code: CodeTokens, call: _Call, around: list[_Call], *, only_others: bool) -> TestCase:
    inside = code.between(call.opens + 1, call.end)
    chosen = call.only or any(suite.only for suite in around)
    mark = get_strongest(
        call.mark,
        *(suite.mark for suite in around),
        *(_by_options(code, suite) for suite in (*around, call)),
        _skips_itself(inside),
        ALWAYS if only_others and not chosen else NEVER,
    )
    table = code.between(call.start + 1, call.opens) if call.mark != ALWAYS else []
    return TestCase(
        (*(suite.title for suite in around), call.title),
        normalize([*(token for token in table if token.text not in (".", "only")), *inside[1:]]),
        mark=mark,
        names=list_words(inside),
        lines=(code[call.start].line, code[call.end].line),
    )


def _by_options(code: CodeTokens, call: _Call) -> str:
    """node's `test('x', { skip: true }, …)`."""
    at = call.opens + 2
    end = code.closing(at + 1) if code.text(at) == "," and code.text(at + 1) == "{" else None
    for index in range(at + 2, end or 0):
        if code.text(index) in _OPTIONS and code.text(index + 1) == ":":
            value, alone = code[index + 2], code.text(index + 3) in (",", "}")
            if value.text == "false":
                return NEVER
            return ALWAYS if value.kind == TEXT or (value.text == "true" and alone) else SOMETIMES
    return NEVER


def _skips_itself(inside: list[Token]) -> str:
    """`this.skip()`, `t.skip()`, `ctx.todo()` within the body: at its top always, deeper sometimes."""
    depth = 0
    for index, token in enumerate(inside[:-3]):
        depth += (token.text == "{") - (token.text == "}")
        called = inside[index + 1].text == "." and inside[index + 3].text == "("
        if called and inside[index + 2].text in ("skip", "todo") and token.kind == WORD:
            return ALWAYS if depth <= 1 else SOMETIMES
    return NEVER
