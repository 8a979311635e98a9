"""Shared code for languages with braces: functions by their tokens, and bodies that do nothing."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...core.patterns import compile_late
from ..language.tokens import SIGN, TEXT, WORD, CodeTokens, Token, list_words, normalize, read_code
from .source import FunctionText, SourceText, number_names

_TYPE_LENGTH = 300
Imports = Iterable[tuple[str, str]]
LONGEST = 200_000  # tokens; such a file is generated

_EMPTY = compile_late(
    r"""nil|null|undefined|None|void0|""|''|``|\[\]|\(?\{\}\)?|\(\)|vec!\[\]|Object\.create\(null\)
    |new(?:Map|Set|WeakMap|Array|Object|ArrayList|LinkedList|HashMap|HashSet|TreeMap|TreeSet)(?:<.*>)?(?:\(\))?
    |(?:List|Set|Map|Stream)\.of\(\)|Collections\.empty\w+\(\)|Optional\.empty\(\)|Promise\.resolve\(\)
    |(?:\w+::)*(?:String|Vec|VecDeque|HashMap|HashSet|BTreeMap|BTreeSet|PathBuf|Default)::(?:new|default)\(\)
    |&?(?:\[\d*\]|map\[[\w.]+\]|\*)*[\w.]+(?:\[[\w.]+\])?\{\}""",
    re.VERBOSE,
)
_PLAIN = ("0", "0.0", "0n", "false", "0L")
_WRAPPED = compile_late(r"(?:Ok|Promise\.resolve)\((.*)\)")
_SAYS_SO = compile_late(r"not.{0,5}implemented|unimplemented|\btodo\b", re.IGNORECASE)
_UNWRITTEN = compile_late(
    r"""throw\s+new\s+(?:\w*(?:NotImplemented|UnsupportedOperation)\w*\s*\(.*\)|\w+\s*\(\s*TEXT\s*\))
    |panic\s*\(\s*TEXT\s*\)|(?:todo|unimplemented)\s*!\s*[(\[{].*[)\]}]""",
    re.VERBOSE,
)
_UNWRITTEN_NAME = compile_late(r"NotImplemented|UnsupportedOperation|(?:todo|unimplemented)\s*!")


@dataclass(slots=True, kw_only=True)
class BracedFunction:
    """A function by its tokens: from `start` to `end`, its parameters from `left` to `right`, its body from `opens`.
    `block`: the body is in braces; else it is an expression."""

    start: int
    left: int
    right: int
    opens: int
    end: int
    name: str = ""
    block: bool = True
    zero: str | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    shape: str = ""
    excused: bool | None = False


def list_innermost(code: CodeTokens, functions: Sequence[BracedFunction]) -> list[int]:
    """Return for each token the index of its innermost function, -1 outside all."""
    inside = [-1] * len(code)
    for number, function in sorted(enumerate(functions), key=lambda pair: (pair[1].start, -pair[1].end)):
        inside[function.start : function.end + 1] = [number] * (function.end + 1 - function.start)
    return inside


def make_source(
    text: str, code: CodeTokens, functions: Sequence[BracedFunction], declared: Iterable[str], imports: Imports = ()
) -> SourceText:
    named = [function for function in functions if function.name]
    made = number_names(_make(text, code, named, function) for function in named)
    return SourceText(text, made, frozenset(declared), dict(imports))


def _make(text: str, code: CodeTokens, named: Sequence[BracedFunction], own: BracedFunction) -> FunctionText:
    body = code.between(own.opens + own.block, own.end + 1 - own.block)
    start, end = code[own.opens].start, code[own.end].end
    place = code[own.opens].end if own.block else start
    return FunctionText(
        name=own.name,
        lines=(code[own.start].line, code[own.end].line),
        span=(code[own.start].start, end),
        body=(start, end),
        head=normalize(code.between(own.start, own.opens)),
        code=normalize(_leave_out(code, named, own)),
        block=text[start:end] if own.block else f"{{ return ({text[start:end]}); }}",
        zero=None if own.zero is None else (place, place, own.zero),
        parameters=own.parameters,
        needs=list_words(body),
        shape=own.shape,
        trivial=_is_trivial_body(body, own),
    )


def _leave_out(code: CodeTokens, named: Sequence[BracedFunction], own: BracedFunction) -> list[Token]:
    """Return the body without the named functions in it, which are compared by themselves."""
    gaps = {
        function.start: function.end
        for function in named
        if function is not own and own.opens <= function.start and function.end <= own.end
    }
    tokens = []
    at, end = own.opens + own.block, own.end - own.block
    while at <= end:
        if at not in gaps:
            tokens.append(code[at])
        at = gaps.get(at, at) + 1
    return tokens


def _is_trivial_body(body: Sequence[Token], function: BracedFunction) -> bool | None:
    tokens = [token for token in body if token.text != ";"]
    if not (_is_unwritten(tokens) or _returns_nothing(tokens, function)):
        return False
    return None if function.excused is None else not function.excused


def _is_unwritten(tokens: Sequence[Token]) -> bool:
    written = " ".join("TEXT" if token.kind == TEXT else token.text for token in tokens[:40])
    if len(tokens) > 40 or not _UNWRITTEN.fullmatch(written):
        return False
    texts = " ".join(token.value for token in tokens if token.kind == TEXT)
    return bool(_UNWRITTEN_NAME.search(written) or _SAYS_SO.search(texts))


def _returns_nothing(tokens: Sequence[Token], function: BracedFunction) -> bool:
    if not tokens:
        return True
    # A statement other than return has an effect; an expression is what an arrow function or Rust block returns.
    rest = tokens[1:] if tokens[0].text == "return" else tokens
    names = [name for name in function.parameters if name not in ("self", "this")]
    parts = split_commas(rest)
    return len(rest) < 30 and all(_is_empty_value(part, names) for part in parts)


def _is_empty_value(part: Sequence[Token], names: Sequence[str]) -> bool:
    written = "".join(token.text for token in part)
    wrapped = _WRAPPED.fullmatch(written)
    if wrapped:
        written = wrapped[1]
    if written in names or (names and written in _PLAIN):
        return True
    return not written or bool(_EMPTY.fullmatch(written))


def split_commas(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the parts between commas outside brackets, including `<` and `>`."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        if token.kind == SIGN and token.text in "([{<":
            depth += 1
        elif token.kind == SIGN and token.text in ")]}>":
            depth -= 1
        if token.kind == SIGN and token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]


def skip_angles(code: CodeTokens, index: int) -> int:
    """Return the index behind `<…>`, or the same one if there is none."""
    if code.text(index) != "<":
        return index
    depth = 0
    at = index
    while at < len(code):
        depth += (code.text(at) == "<") - (code.text(at) == ">")
        if depth == 0:
            return at + 1
        at = code.after(at)
    return index


def skip_back_angles(code: CodeTokens, index: int) -> int:
    """Return the index before `<…>` that ends here, or the same one."""
    depth = 0
    for at in range(index, max(-1, index - _TYPE_LENGTH), -1):
        depth += (code.text(at) == ">") - (code.text(at) == "<")
        if depth == 0:
            return at - 1 if at < index else index
    return index


def join(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end] if tokens else ""


def list_early(code: CodeTokens, functions: Sequence[BracedFunction], heads: Collection[int] = ()) -> frozenset[str]:
    """The functions that are called outside every function: they run while the file is loaded. `heads` are the braces
    directly in which a name with brackets is not a call, such as those of interfaces."""
    inside, around = list_innermost(code, functions), list_enclosing(code)
    return frozenset(
        token.text.lstrip("@")
        for index, token in enumerate(code.tokens)
        if token.kind == WORD
        and inside[index] < 0
        and (code.text(index + 1) == "(" or token.text.startswith("@"))
        and code.text(index - 1) not in ("function", "func", "fn")
        and (around[index] not in heads or code.text(index - 1) in ("=", "."))
    )


def list_enclosing(code: CodeTokens) -> list[int | None]:
    """Return for each token the bracket around it; for a bracket the one outside it."""
    waiting: list[int] = []
    brackets: list[int | None] = []
    for index, token in enumerate(code.tokens):
        if token.kind == SIGN and token.text in (")", "]", "}") and waiting:
            waiting.pop()
        brackets.append(waiting[-1] if waiting else None)
        if code.closing(index) is not None:
            waiting.append(index)
    return brackets


def qualify(name: str, brace: int | None, around: Sequence[int | None], owners: Mapping[int, str]) -> str:
    """Return the name qualified by the classes, functions and objects around it, found by their braces."""
    words = [name]
    while brace is not None:
        words[:0] = filter(None, [owners.get(brace, "")])
        brace = around[brace]
    return ".".join(words)


class BraceReader:
    """Shared by readers of these languages: the tokens, what encloses each, and where a bracket was opened."""

    def __init__(self, text: str, code: CodeTokens) -> None:
        self._text = text
        self._code = code
        self._around = list_enclosing(code)
        self._opening = {closed: index for index in range(len(code)) if (closed := code.closing(index))}

    def read(self) -> SourceText:
        raise NotImplementedError


def parse_with(text: str, language: str, reader: type[BraceReader]) -> SourceText | None:
    """Return the functions of a file; None if its brackets do not match, or it is too long to be written by hand."""
    code = read_code(text, language)
    if not code.balanced or len(code) > LONGEST:
        return None
    return reader(text, code).read()
