"""What tests in JavaScript, TypeScript and C use a module for, read in their tokens; the kinds of use are `usage`'s."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from .tokens import SIGN, WORD, CodeTokens, Token, read_code
from .usage import DECIDES, HANDED_ON, LOOKED_AT, MET, SILENT, list_import_lines, name_use, sum_up

_TRUE = frozenset(
    ("assert", "ok", "true", "truthy", "isTrue", "assertTrue", "notOk", "false", "falsy", "if", "while")
)  # fmt: skip
_EQUAL = frozenset(
    ("equal", "equals", "strictEqual", "deepEqual", "deepStrictEqual", "same", "is", "eq", "eql")
)
_MATCHERS = frozenset(("toBe", "toEqual", "toStrictEqual", "equal", "eql", "equals"))
_YES = frozenset(
    ("toBeTruthy", "toBeFalsy", "toBeNull", "toBeUndefined", "true", "false", "ok", "undefined", "null")
)  # fmt: skip
_NOTHING = frozenset(("", "true", "false", "null", "undefined", "0", "[ ]", "{ }", '""', "''"))
_COMPARING = frozenset(("==", "===", "!=", "!==", "<", ">"))
_BEFORE = frozenset(("await", "!", "new", "return"))
_EACH = frozenset(("forEach", "map", "each"))
_STARTS = frozenset(("", ";", "{", "}", "=>", ")"))


class _Use(NamedTuple):
    """One place where the module is used: its first and last token, and what is known of it."""

    start: int
    end: int
    fed: bool
    asked: bool
    made: str
    each: bool


def read_script_use(
    test: str, module: str, defined: Collection[str], others: Collection[str]
) -> bool | None:
    """As `usage.read_python_use`; `defined` are the names that `#include` brings."""
    code = read_code(test, "javascript")
    lines = [line for line in list_import_lines(test) if module in re.findall(r"\w+", line)]
    own = {word for line in lines for word in re.findall(r"[\w$]+", line)}
    included = any("include" in line for line in lines)
    theirs = _list_bound(test, others)
    if included:
        own |= set(defined)
    return sum_up(_ScriptReader(code, own, theirs, any_call=included).list_uses())


def _list_bound(test: str, modules: Collection[str]) -> set[str]:
    """Words of the lines that import one of these modules."""
    lines = (re.findall(r"[\w$]+", line) for line in list_import_lines(test))
    return {word for words in lines if set(words).intersection(modules) for word in words}


class _ScriptReader:
    """`any_call`: any call counts as other code's, where no name says whose it is."""

    __slots__ = (
        "_any_call",
        "_around",
        "_bound",
        "_code",
        "_importing",
        "_opening",
        "_own",
        "_theirs",
    )

    def __init__(
        self, code: CodeTokens, own: Collection[str], theirs: Collection[str], *, any_call: bool
    ) -> None:
        words = {"import", "from", "require", "const", "let", "var", "include", "js", "h"}
        self._any_call = any_call
        self._code = code
        self._own = set(own) - words
        self._theirs = set(theirs) - words - self._own
        self._bound: dict[str, _Use] = {}
        self._importing = {
            one.line for one in code.tokens if one.text in ("import", "require", "include")
        }
        opened = (at for at, one in enumerate(code.tokens) if one.text in ("(", "[", "{"))
        self._opening = {at: end for at in opened if (end := code.closing(at)) is not None}
        self._around = self._list_around()

    def list_uses(self) -> Iterator[str]:
        for at, token in enumerate(self._code.tokens):
            if not self._is_name(at, token):
                continue
            if token.text in self._own or token.text in self._bound:
                use = self._follow(at)
                self._bound.update(dict.fromkeys(self._list_targets(at), use))
                place = self._find_place(use)
                yield name_use(place, fed=use.fed, asked=use.asked, made=use.made)
            elif token.text in self._theirs:
                self._theirs |= set(self._list_targets(at))

    def _is_name(self, at: int, token: Token) -> bool:
        if token.kind != WORD or token.line in self._importing:
            return False
        return self._code.text(at - 1) not in (".", "?.") and self._code.text(at + 1) != ":"

    def _follow(self, at: int) -> _Use:
        """The whole of `checks.make(…).same(…)`, from its first name."""
        known = self._bound.get(self._code.text(at))
        last, given, end = self._code.text(at), [], at + 1
        while True:
            sign = self._code.text(end)
            if sign in (".", "?."):
                last, end = self._code.text(end + 1), end + 2
            elif sign in ("(", "[") and end in self._opening:
                inner = self._code.between(end + 1, self._opening[end])
                given += inner if sign == "(" and last not in _EACH else []
                end = self._opening[end] + 1
            else:
                break
        fed = self._has_theirs(given)
        made = last if self._code.text(at - 1) == "new" else known.made if known else ""
        return _Use(
            at,
            end,
            fed or bool(known and known.fed),
            bool(given) or bool(known and known.asked),
            made,
            last in _EACH,
        )

    def _has_theirs(self, tokens: Sequence[Token]) -> bool:
        """Whether something that other code gave is in it."""
        if self._any_call and _has_call(tokens):
            return True
        return any(one.kind == WORD and one.text in self._theirs for one in tokens)

    def _list_targets(self, at: int) -> list[str]:
        """The names of `const a =` or `for (const [a, b] of` before a token."""
        at -= 1
        while self._code.text(at) in _BEFORE:
            at -= 1
        if self._code.text(at) not in ("=", "of"):
            return []
        found: list[str] = []
        at -= 1
        while self._code.text(at) not in ("const", "let", "var", "", ";", "(") and len(found) < 9:
            found += [self._code.text(at)] if self._code[at].kind == WORD else []
            at -= 1
        return found

    def _find_place(self, use: _Use) -> str:
        before = use.start - 1
        while self._code.text(before) in _BEFORE:
            before -= 1
        sign, after = self._code.text(before), self._code.text(use.end)
        if sign == "of" or use.each:
            return MET
        if sign in ("(", ","):
            return self._find_place_in_call(before, use)
        if sign in _COMPARING:
            return self._compare(self._code.between(self._around[before] + 1, before))
        begins = self._code[use.start].line > self._code[before].line if before >= 0 else True
        if (sign in _STARTS or begins) and sign not in ("=", "."):
            return self._find_silence(before) if after not in _COMPARING else ""
        return ""

    def _find_silence(self, before: int) -> str:
        """That nothing is thrown decides only where the block looks at nothing else."""
        opened = self._around[before + 1]
        inner = self._code.between(opened + 1, self._opening.get(opened, len(self._code)))
        return "" if any(one.text in ("expect", "assert") for one in inner) else SILENT

    def _list_around(self) -> list[int]:
        """For each token the bracket that it stands in, -1 for none."""
        found: list[int] = []
        open_now = [-1]
        for at in range(len(self._code)):
            if len(open_now) > 1 and self._opening[open_now[-1]] < at:
                open_now.pop()
            found.append(open_now[-1])
            if at in self._opening:
                open_now.append(at)
        return found

    def _find_place_in_call(self, before: int, use: _Use) -> str:
        opened = self._around[use.start]
        closed = self._opening.get(opened, len(self._code))
        name = self._code.text(opened - 1)
        rest = [*self._code.between(opened + 1, before), *self._code.between(use.end, closed)]
        head = self._code.between(self._find_statement(opened), opened)
        if name in _MATCHERS and any(one.text == "expect" for one in head):
            return MET if self._has_theirs(head) else LOOKED_AT
        if name in _TRUE or name in _EQUAL:
            return self._compare(rest) if name in _EQUAL or _compares(rest) else DECIDES
        if name == "expect":
            return self._read_matcher(closed)
        if name in _EACH:
            return MET
        return HANDED_ON if self._find_root(opened - 1) in self._theirs else ""

    def _find_statement(self, at: int) -> int:
        """Where the line of a call begins."""
        line = self._code[at].line
        while at > 0 and self._code[at - 1].line == line:
            at -= 1
        return at

    def _find_root(self, at: int) -> str:
        while self._code.text(at - 1) in (".", "?."):
            at -= 2
        return self._code.text(at)

    def _read_matcher(self, closed: int) -> str:
        words = []
        at = closed + 1
        while self._code.text(at) == ".":
            words.append(self._code.text(at + 1))
            at += 2
        if _YES.intersection(words):
            return DECIDES
        end = self._opening.get(at)
        return self._compare(self._code.between(at + 1, end)) if end else ""

    def _compare(self, others: Sequence[Token]) -> str:
        if self._has_theirs(others):
            return MET
        text = " ".join(
            one.text for one in others if one.text != "," and one.text not in _COMPARING
        )
        return DECIDES if text in _NOTHING else LOOKED_AT


def _has_call(given: Sequence[Token]) -> bool:
    pairs = pairwise(given)
    return any(one.kind == WORD and two.text == "(" for one, two in pairs)


def _compares(rest: Sequence[Token]) -> bool:
    return any(one.kind == SIGN and one.text in _COMPARING for one in rest)
