"""TODO, FIXME and XXX in comments: upper case, whole words, and nowhere else than in comments."""

import io
import re
import tokenize

from ..testcode.languages import language_of
from ..testcode.tokens import COMMENT, tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_BRACES = """
java kt kts c h cc cpp hpp cs swift scala php dart groovy css scss less proto vue svelte
"""
_LIKE_GO = frozenset(_BRACES.split())
_HASH = frozenset(("rb", "sh", "bash", "zsh", "pl", "ex", "exs", "r", "jl", "nim", "mk", "tf"))
_MARK = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
_OWNED = re.compile(
    r"\b(?:TODO|FIXME|XXX)\b\s*(?:\([^)\s][^)]*\)|\[[^\]\s][^\]]*\]|:?\s*(?:@\w|#\d|[A-Z]{2,}-\d))|https?://"
)
_SHELL_COMMENT = re.compile(
    r"^(?:[^'\"#]|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?<=\S)#)*?(?:^|(?<=\s))#(.*)$"
)


class Mark:
    """`owned`: it names an issue, a link or a person, so somebody will come back to it."""

    __slots__ = ("line", "owned", "text")

    def __init__(self, line: int, text: str, *, owned: bool = False) -> None:
        self.line = line
        self.text = text
        self.owned = owned


def marks(path: str, text: str) -> list[Mark]:
    found = []
    for line, comment in _comments(path, text):
        for offset, row in enumerate(comment.splitlines()):
            mark = _MARK.search(row)
            if mark:
                said = row[mark.start() :].strip().removesuffix("*/").rstrip()
                found.append(Mark(line + offset, said, owned=bool(_OWNED.search(row))))
    return found


def _comments(path: str, text: str) -> "Iterator[tuple[int, str]]":
    ending = path.rpartition(".")[2].lower()
    language = language_of(path) or ("go" if ending in _LIKE_GO else "")
    if not _MARK.search(text):
        return
    if language == "python":
        yield from _python(text)
    elif language:
        for token in tokens(text, language):
            if token.kind == COMMENT:
                yield token.line, token.text
    elif ending in _HASH:
        for number, row in enumerate(text.splitlines(), 1):
            comment = _SHELL_COMMENT.match(row)
            if comment:
                yield number, comment[1]


def _python(text: str) -> "Iterator[tuple[int, str]]":
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string
    except (tokenize.TokenError, SyntaxError):
        return
