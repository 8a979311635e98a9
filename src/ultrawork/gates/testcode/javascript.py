"""Tests in JavaScript and TypeScript: `it`, `test`, `describe` and their skip, only, todo, each."""

import re

from .case import TestCase
from .marks import ALWAYS, NEVER, SOMETIMES, strongest
from .tokens import SIGN, TEXT, WORD, closing, code, normal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .tokens import Token

_TESTS = ("it", "test", "specify", "xit", "xtest", "xspecify", "fit")
_SUITES = ("describe", "suite", "context", "xdescribe", "xcontext", "fdescribe")
_AWAY = {"skip": ALWAYS, "todo": ALWAYS, "failing": ALWAYS, "fails": ALWAYS, "fixme": ALWAYS}
_SOMETIMES = ("skipIf", "runIf", "skipif", "runif", "todoIf")
_TABLES = ("each", "for", *_SOMETIMES)
_MODIFIERS = (*_AWAY, *_TABLES, "only", "concurrent", "sequential", "serial", "parallel")
_ASSERTS = ("expect", "assert", "should", "fail")
_OPTIONS = ("skip", "todo", "expectFailure")


class _Call:
    """One call of `it` or `describe`: its title, where its arguments lie, how it is marked."""

    __slots__ = ("end", "is_suite", "mark", "only", "opens", "start", "title")

    def __init__(
        self, start: int, opens: int, end: int, title: str, words: "Sequence[str]"
    ) -> None:
        self.start = start
        self.opens = opens
        self.end = end
        self.title = title
        self.is_suite = words[0] in _SUITES
        self.only = "only" in words or words[0] in ("fit", "fdescribe")
        away = [_AWAY.get(word, NEVER) for word in words]
        away += [ALWAYS] if words[0].startswith("x") else []
        self.mark = strongest(*away, SOMETIMES if set(_SOMETIMES) & set(words) else NEVER)


def tests(text: str) -> list[TestCase] | None:
    found = code(text, "javascript")
    calls = _calls(found)
    if calls is None:
        return None
    only = any(call.only for call in calls)
    cases: dict[tuple[str, ...], TestCase] = {}
    for call in calls:
        if not call.is_suite:
            around = [other for other in calls if other.is_suite and _holds(other, call)]
            case = _case(found, call, around, only_others=only)
            cases[case.parts] = case
    return list(cases.values())


def _calls(found: "list[Token]") -> list[_Call] | None:
    calls = []
    for index, token in enumerate(found):
        if token.kind != WORD or token.text not in (*_TESTS, *_SUITES) or _is_member(found, index):
            continue
        words, opens = _callee(found, index)
        if opens is None:
            continue
        end = closing(found, opens)
        if end is None:
            return None
        title = _title(found, opens, end)
        if title is not None:
            calls.append(_Call(index, opens, end, title, words))
    return calls


def _is_member(found: "list[Token]", index: int) -> bool:
    """`regex.test(…)` is no test; `Deno.test(…)` is one."""
    if index == 0 or found[index - 1].text not in (".", "?."):
        return False
    return not (index > 1 and found[index - 2].text == "Deno")


def _callee(found: "list[Token]", index: int) -> tuple[list[str], int | None]:
    """The words before the call (`it`, `skip`), and the bracket that opens its arguments."""
    words, at = [found[index].text], index + 1
    while at + 1 < len(found) and found[at].text == "." and found[at + 1].text in _MODIFIERS:
        words.append(found[at + 1].text)
        at += 2
    if words[-1] in _TABLES and at < len(found):
        table = closing(found, at) if found[at].text == "(" else at
        at = table + 1 if table is not None else len(found)
    opens = at < len(found) and found[at].kind == SIGN and found[at].text == "("
    return words, at if opens else None


def _title(found: "list[Token]", opens: int, end: int) -> str | None:
    """A title is written as text, or is a name (`describe(Basket, …)`) followed by something."""
    if opens + 1 >= end:
        return None
    first = found[opens + 1]
    if first.kind == TEXT:
        return re.sub(r"\s+", " ", first.value)
    comma = next((at for at in range(opens + 1, end) if found[at].text == ","), None)
    named = comma is not None and all(
        one.text == "." or one.kind == WORD for one in found[opens + 1 : comma]
    )
    if not named or comma is None:
        return None
    return "".join(one.text for one in found[opens + 1 : comma]).removesuffix(".name")


def _holds(outer: _Call, inner: _Call) -> bool:
    return outer.opens < inner.start and inner.end < outer.end


def _case(found: "list[Token]", call: _Call, around: list[_Call], *, only_others: bool) -> TestCase:
    inside = found[call.opens + 1 : call.end]
    chosen = call.only or any(suite.only for suite in around)
    mark = strongest(
        call.mark,
        *(suite.mark for suite in around),
        *(_by_options(found, suite) for suite in (*around, call)),
        _skips_itself(inside),
        ALWAYS if only_others and not chosen else NEVER,
    )
    table = found[call.start + 1 : call.opens] if call.mark != ALWAYS else []
    return TestCase(
        [*(suite.title for suite in around), call.title],
        normal([*(one for one in table if one.text not in (".", "only")), *inside[1:]]),
        assertions=sum(1 for one in inside if one.kind == WORD and one.text.startswith(_ASSERTS)),
        skipped=mark != NEVER,
        conditional=mark == SOMETIMES,
        names={one.text for one in inside if one.kind == WORD},
        lines=(found[call.start].line, found[call.end].line),
    )


def _by_options(found: "list[Token]", call: _Call) -> str:
    """node's `test('x', { skip: true }, …)`."""
    at = call.opens + 2
    if at + 1 >= call.end or found[at].text != "," or found[at + 1].text != "{":
        return NEVER
    end = closing(found, at + 1) or at
    for index in range(at + 2, end - 1):
        if found[index].text in _OPTIONS and found[index + 1].text == ":":
            value = found[index + 2]
            if value.text == "false":
                return NEVER
            alone = found[index + 3].text in (",", "}")
            return ALWAYS if value.kind == TEXT or (value.text == "true" and alone) else SOMETIMES
    return NEVER


def _skips_itself(inside: "list[Token]") -> str:
    """`this.skip()`, `t.skip()`, `ctx.todo()` within the body: at its top always, deeper sometimes."""
    depth = 0
    for index, token in enumerate(inside[:-3]):
        depth += (token.text == "{") - (token.text == "}")
        called = inside[index + 1].text == "." and inside[index + 3].text == "("
        if called and inside[index + 2].text in ("skip", "todo") and token.kind == WORD:
            return ALWAYS if depth <= 1 else SOMETIMES
    return NEVER
