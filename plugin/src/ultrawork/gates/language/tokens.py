"""Tokens of JavaScript, TypeScript, Java, Go and Rust: enough to tell code from text and comments."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...core.patterns import compile_late

WORD = "word"
TEXT = "text"
NUMBER = "number"
REGEX = "regex"
SIGN = "sign"
COMMENT = "comment"

_PAIRS = {"(": ")", "[": "]", "{": "}"}
_WORD = compile_late(r"[$#@]?[^\W\d][\w$]*|\$[\w$]*")
_NUMBER = compile_late(r"\d[\w.]*")
_SPACE = compile_late(r"\s+")
_SIGN = compile_late(r"=>|->|::|\?\.|&&|\|\||[=!]==?|\.\.\.|.", re.DOTALL)
_REGEX = compile_late(r"/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
_OPERATORS = "( , = : [ ! & | ? { } ; => && || == === != !== return typeof case in of"
_BEFORE_REGEX = frozenset(_OPERATORS.split())
_RAW_RUST = compile_late(r'b?r(#*)"')
_LIFETIME = compile_late(r"'[^\W\d]\w*(?!')")


@dataclass(slots=True)
class Token:
    """A token. `value` is the value of a literal, else the text."""

    kind: str
    text: str
    start: int
    line: int
    value: str = ""

    def __post_init__(self) -> None:
        self.value = self.value or self.text

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def split_tokens(text: str, language: str) -> list[Token]:
    """Return all tokens with comments; a quote that is not closed on its line is a plain sign."""
    tokens: list[Token] = []
    place, line = 0, 1
    previous = ""
    while place < len(text):
        token = _next(text, place, line, language, previous)
        line += token.text.count("\n")
        place = token.end
        if token.kind:
            tokens.append(token)
        if token.kind not in ("", COMMENT):
            previous = token.text if token.kind in (SIGN, WORD) else token.kind
    return tokens


class CodeTokens:
    """The tokens of a file without its comments, and which bracket closes which."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = list(tokens)
        self._closing: dict[int, int] = {}
        self.balanced = True
        waiting: list[int] = []
        for index, token in enumerate(self.tokens):
            if token.kind != SIGN:
                continue
            if token.text in _PAIRS:
                waiting.append(index)
            elif token.text in _PAIRS.values():
                opened = waiting.pop() if waiting else None
                if opened is None or _PAIRS[self.tokens[opened].text] != token.text:
                    self.balanced = False
                    waiting.clear()
                else:
                    self._closing[opened] = index
        self.balanced = self.balanced and not waiting

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> Token:
        return self.tokens[index]

    def between(self, start: int, end: int) -> list[Token]:
        return self.tokens[max(0, start) : end]

    def text(self, index: int) -> str:
        """Return the token at an index, empty beyond the end."""
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def after(self, index: int) -> int:
        """Return the index behind a token, or behind all that it encloses if it is a bracket."""
        return self._closing.get(index, index) + 1

    def closing(self, start: int) -> int | None:
        """The index of the bracket that closes the one at `start`; None if nothing does."""
        return self._closing.get(start)


def read_code(text: str, language: str) -> CodeTokens:
    return CodeTokens([token for token in split_tokens(text, language) if token.kind != COMMENT])


def list_words(tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(token.text for token in tokens if token.kind == WORD)


def normalize(tokens: Sequence[Token]) -> str:
    """Return one spelling for what formatters may change: no blanks, semicolons or trailing commas."""
    words: list[str] = []
    for token in tokens:
        if token.kind == SIGN and token.text in (")", "]", "}") and words and words[-1] == ",":
            words.pop()
        if not (token.kind == SIGN and token.text == ";"):
            words.append(repr(token.value) if token.kind == TEXT else token.text)
    return " ".join(_plain_arrows(words))


def _plain_arrows(words: list[str]) -> Iterator[str]:
    """`(x) => y` and `x => y` are the same; so are `{'a': 1}` and `{a: 1}`."""
    for index, word in enumerate(words):
        if word == "(" and words[index + 2 : index + 4] == [")", "=>"]:
            continue
        if word == ")" and words[index + 1 : index + 2] == ["=>"] and words[index - 2] == "(":
            continue
        key = words[index + 1 : index + 2] == [":"] and re.fullmatch(r"'[^\W\d]\w*'", word)
        yield word[1:-1] if key else word


def _next(text: str, place: int, line: int, language: str, previous: str) -> Token:
    space = _SPACE.match(text, place)
    if space:
        return Token("", space[0], place, line)
    comment = _comment(text, place, language)
    if comment:
        return Token(COMMENT, comment, place, line)
    string = _string(text, place, language)
    if string:
        return Token(TEXT, string[0], place, line, string[1])
    regex = _REGEX.match(text, place) if language == "javascript" else None
    if regex and (not previous or previous in _BEFORE_REGEX):
        return Token(REGEX, regex[0], place, line)
    for kind, pattern in ((WORD, _WORD), (NUMBER, _NUMBER), (SIGN, _SIGN)):
        match = pattern.match(text, place)
        if match:
            return Token(kind, match[0], place, line)
    raise AssertionError("the last pattern fits every character")


def _comment(text: str, place: int, language: str) -> str:
    if text.startswith("//", place):
        end = text.find("\n", place)
        return text[place : end if end >= 0 else len(text)]
    if not text.startswith("/*", place):
        return ""
    if language != "rust":
        end = text.find("*/", place + 2)
        return text[place : end + 2 if end >= 0 else len(text)]
    return text[place : _nested_end(text, place)]


def _nested_end(text: str, place: int) -> int:
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, place):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


def _string(text: str, place: int, language: str) -> tuple[str, str] | None:
    """Return (source, value) of a literal that begins here."""
    first = text[place]
    if language == "rust":
        raw = _RAW_RUST.match(text, place)
        if raw:
            return _until(text, place, raw.end(), '"' + raw[1])
        if first == "'" and _LIFETIME.match(text, place):
            return None
    if language == "java" and text.startswith('"""', place):
        return _until(text, place, place + 3, '"""')
    if first == "`":
        return _template(text, place) if language == "javascript" else _until(text, place, place + 1, "`")
    if first not in ("'", '"'):
        return None
    return _quoted(text, place, first, across_lines=language == "rust" and first == '"')


def _until(text: str, place: int, begin: int, mark: str) -> tuple[str, str]:
    end = text.find(mark, begin)
    stop = end if end >= 0 else len(text)
    return text[place : stop + len(mark)], text[begin:stop]


def _quoted(text: str, place: int, quote: str, *, across_lines: bool) -> tuple[str, str] | None:
    at = place + 1
    while at < len(text) and (across_lines or text[at] != "\n"):
        if text[at] == "\\":
            at += 2
        elif text[at] == quote:
            return text[place : at + 1], text[place + 1 : at].replace("\\" + quote, quote)
        else:
            at += 1
    return None


_TEMPLATE_PART = compile_late(r"\\.|`|\$\{|[{}]", re.DOTALL)


def _template(text: str, place: int) -> tuple[str, str]:
    """Return a template literal, which may nest templates in `${…}`: one brace count per open template."""
    braces = [0]
    for part in _TEMPLATE_PART.finditer(text, place + 1):
        sign, in_code = part[0], braces[-1] > 0
        if sign == "`" and not in_code:
            braces.pop()
            if not braces:
                return text[place : part.end()], text[place + 1 : part.start()]
        elif sign == "`":
            braces.append(0)
        elif sign == "${" or (sign == "{" and in_code):
            braces[-1] += 1
        elif sign == "}" and in_code:
            braces[-1] -= 1
    return text[place:], text[place + 1 :]
