"""
Functions of JavaScript and TypeScript by their tokens, and which of them a change touches.

No grammar is needed for that: `function`, an arrow, or a name with brackets and a body say where a function
begins, brackets say where it ends. The first line is where V8 has it: the word `function`, the parameters
of an arrow, the name of a method. What only a type checker reads may look like a function and is none;
nothing ever enters it, and nothing in it ever runs.
"""

from collections.abc import Iterator, Sequence

from ...core.patterns import compile_late
from ...core.verdict.reach import CodeChange, FunctionSpan
from ..testcode.tokens import SIGN, TEXT, WORD, CodeTokens, Token, read_code

_CONTROL = frozenset(
    [
        "if",
        "for",
        "while",
        "switch",
        "catch",
        "with",
        "function",
        "return",
        "await",
        "typeof",
        "super",
    ]
)
_GOES_ON = compile_late(r"[-+*/%=<>!&|^?:.,~(\[{]$|^(in|of|instanceof|as|return|typeof|new|await)$")
_TYPE_LENGTH = 40
_LONGEST = 20_000
# Whole statements at the level of the module that bind new names and do no more; Ƒ is a function, and
# behind every token stands a blank.
_NAME = r"[\w$]+ "
_HARMLESS = compile_late(
    rf"(?:import (?:type )?(?:[^;()]*from )?TEXT (?:; )?"
    rf"|(?:const|let|var) (?:{_NAME}|\{{ [^}}]*\}} )= require \( TEXT \) (?:\. {_NAME})?(?:; )?"
    rf"|(?:export )?(?:default )?(?:async )?Ƒ (?:; )?"
    rf"|(?:export )?(?:const|let|var) {_NAME}= (?:async )?Ƒ (?:; )?"
    rf"|(?:module \. )?exports \. {_NAME}= (?:{_NAME}|(?:async )?Ƒ )(?:; )?"
    rf"|(?:export )?(?:type|interface) {_NAME}.*"
    rf"|, {_NAME}|{_NAME}, |; )+"
)


class _Span:
    """A function: the tokens from its first to its last, and its first line."""

    __slots__ = ("end", "first", "last", "name", "start")

    def __init__(self, found: CodeTokens, start: int, end: int, name: str) -> None:
        self.start = start
        self.end = end
        self.first = found[start].line
        self.last = found[end].line
        self.name = name


def compare_javascript(path: str, before: str | None, after: str | None) -> CodeChange:
    """One file as it was and as it is; None where there was none."""
    old, new = read_code(before or "", "javascript"), read_code(after or "", "javascript")
    if after is None or not new.balanced or len(new) > _LONGEST or len(old) > _LONGEST:
        return CodeChange(path, around="it is gone" if after is None else "it cannot be read")
    spans = sorted(_list_spans(new), key=lambda one: (one.start, -one.end))
    touched: dict[int, _Span] = {}
    around = ""
    for first, last, inserted in _list_changes(old.tokens, new.tokens):
        inside = {at: _find_innermost(spans, at, at) for at in range(first, last)}
        if first == last:
            inside = {min(first, len(new) - 1): _find_innermost(spans, first - 1, first)}
        touched.update({id(one): one for one in inside.values() if one is not None})
        left = [at for at, one in inside.items() if one is None]
        if left and not (inserted and _is_harmless(new, spans, first, last)):
            around = around or f"line {new[left[0]].line if len(new) else 1}"
    return CodeChange(path, frozenset(_name(path, one) for one in touched.values()), around=around)


def _name(path: str, span: _Span) -> FunctionSpan:
    return FunctionSpan(path, span.first, span.last, span.name)


def _find_innermost(spans: Sequence[_Span], first: int, last: int) -> _Span | None:
    around = [one for one in spans if one.start <= first and last <= one.end]
    return min(around, key=lambda one: one.end - one.start, default=None)


def _list_changes(old: Sequence[Token], new: Sequence[Token]) -> Iterator[tuple[int, int, bool]]:
    """
    Places of the new tokens that changed, and whether they were only put in; an empty place is where
    something was taken out.
    """
    was, now = [one.text for one in old], [one.text for one in new]
    head = 0
    while head < min(len(was), len(now)) and was[head] == now[head]:
        head += 1
    tail = 0
    while tail < min(len(was), len(now)) - head and was[-1 - tail] == now[-1 - tail]:
        tail += 1
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(
        None, was[head : len(was) - tail], now[head : len(now) - tail], autojunk=False
    )
    for kind, _, _, first, last in matcher.get_opcodes():
        if kind == "delete":
            yield head + first, head + first, False
        elif kind != "equal":
            yield head + first, head + last, kind == "insert"


def _is_harmless(found: CodeTokens, spans: Sequence[_Span], first: int, last: int) -> bool:
    """
    Whether what was put in at the level of the module only binds new names. Tokens repeat, so an
    insertion may be told a few places off (`} function f ( ) {` for `function f ( ) { }`).
    """
    for shift in range(12):
        if any(found.text(first - n - 1) != found.text(last - n - 1) for n in range(shift)):
            break
        if first - shift >= 0 and _HARMLESS.fullmatch(
            _write(found, spans, first - shift, last - shift)
        ):
            return True
    return False


def _write(found: CodeTokens, spans: Sequence[_Span], first: int, last: int) -> str:
    """Tokens as one line, each whole function as one sign."""
    words = []
    index = first
    while index < last:
        whole = max(
            (one for one in spans if one.start == index and one.end < last),
            key=lambda one: one.end,
            default=None,
        )
        token = found[index]
        words.append("Ƒ" if whole else "TEXT" if token.kind == TEXT else token.text)
        index = whole.end + 1 if whole else index + 1
    return "".join(word + " " for word in words)


def _list_spans(found: CodeTokens) -> Iterator[_Span]:
    opening = {closed: index for index in range(len(found)) if (closed := found.closing(index))}
    for index, token in enumerate(found.tokens):
        span = None
        if token.kind == WORD and token.text == "function":
            span = _read_function(found, index)
        elif token.kind == SIGN and token.text == "=>":
            span = _read_arrow(found, index, opening)
        elif token.kind == SIGN and token.text == "(":
            span = _read_method(found, index)
        if span is not None:
            yield span


def _read_function(found: CodeTokens, index: int) -> _Span | None:
    at = index + 1
    while found.text(at) not in ("(", ""):
        at += 1
    end = _find_body_end(found, at)
    name = found.text(index + 1) if found.text(index + 1) not in ("(", "*") else ""
    return _Span(found, index, end, name) if end is not None else None


def _read_method(found: CodeTokens, index: int) -> _Span | None:
    """`name(…) {`, in a class or an object; nothing else is written so but what controls a flow."""
    name, before = found.text(index - 1), found.text(index - 2)
    named = index > 0 and (found[index - 1].kind in (WORD, TEXT) or name in ("]", ">"))
    generator = before == "*" and found.text(index - 3) == "function"
    if not named or generator or name in _CONTROL or before in (".", "?.", "new", "function"):
        return None
    end = _find_body_end(found, index)
    return _Span(found, index - 1, end, name) if end is not None else None


def _find_body_end(found: CodeTokens, opens: int) -> int | None:
    """Where the body ends that follows the brackets at `opens`, a type in between aside."""
    closes = found.closing(opens)
    if closes is None:
        return None
    at = closes + 1
    if found.text(at) == ":":
        at = _skip_type(found, at + 1)
    return found.closing(at) if found.text(at) == "{" else None


def _skip_type(found: CodeTokens, at: int) -> int:
    first = at
    while at < first + _TYPE_LENGTH and found.text(at) not in ("", ";", "=>"):
        if found.text(at) == "{" and at > first and found.text(at - 1) not in ("|", "&", "<", ","):
            return at
        closed = found.closing(at)
        at = closed + 1 if closed is not None else at + 1
    return at


def _read_arrow(found: CodeTokens, index: int, opening: dict[int, int]) -> _Span:
    start = _find_parameters(found, index, opening)
    after = index + 1
    closed = found.closing(after) if found.text(after) == "{" else None
    end = closed if closed is not None else _find_expression_end(found, after)
    name = found.text(start - 2) if found.text(start - 1) == "=" else ""
    return _Span(found, start, end, name)


def _find_parameters(found: CodeTokens, index: int, opening: dict[int, int]) -> int:
    """Where the parameters before an arrow begin: a name, or brackets, perhaps with a type behind them."""
    if index - 1 in opening and found.text(index - 1) == ")":
        return opening[index - 1]
    for at in range(index - 2, max(0, index - _TYPE_LENGTH), -1):
        if found.text(at) == ":" and found.text(at - 1) == ")" and at - 1 in opening:
            return opening[at - 1]
        if found.text(at) in (";", "=>", "{", "="):
            break
    return index - 1


def _find_expression_end(found: CodeTokens, at: int) -> int:
    last = at
    while at < len(found) and found.text(at) not in (",", ";", ")", "]", "}"):
        fresh = at > last and found[at].line > found[last].line
        if fresh and not (_GOES_ON.search(found.text(last)) or _GOES_ON.search(found.text(at))):
            break
        closed = found.closing(at)
        last = closed if closed is not None else at
        at = last + 1
    return min(last, len(found) - 1)
