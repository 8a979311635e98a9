"""Shell text taken apart far enough to see which programs it starts."""

import re
import shlex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LIMIT = 20_000
_REDIRECTIONS = frozenset("<>")
_FORGIVING = (["true"], [":"], ["exit", "0"])
_MAKE = re.compile(r"\$[({]MAKE[)}]")
_CALL = re.compile(r"\$\([^()]*\)|`[^`]*`")


class Simple:
    """One simple command; `forgiven` if its failure does not count (`… || true`)."""

    __slots__ = ("forgiven", "words")

    def __init__(self, words: list[str], forgiven: bool = False) -> None:
        self.words = words
        self.forgiven = forgiven


def lines(text: str) -> "Iterator[str]":
    """Logical lines: continued ones joined, empty ones and comments left out."""
    for line in text[:LIMIT].replace("\\\n", " ").split("\n"):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield stripped


def commands(line: str) -> list[Simple]:
    """The simple commands of one line, in order."""
    parts: list[tuple[str, list[str]]] = [("", [])]
    skip = False
    for token in _tokens(_CALL.sub("$_", _MAKE.sub("make", line))):
        if skip:
            skip = False
        elif not _REDIRECTIONS.isdisjoint(token) and set(token) <= set("<>&|"):
            skip = True
        elif token and set(token) <= set("();|&"):
            parts.append((token, []))
        else:
            parts[-1][1].append(token)
    return list(_simple(parts))


def quoted(words: "Sequence[str]") -> str:
    return " ".join(word if _bare(word) else shlex.quote(word) for word in words)


def _simple(parts: list[tuple[str, list[str]]]) -> "Iterator[Simple]":
    for index, (_, words) in enumerate(parts):
        after = parts[index + 1] if index + 1 < len(parts) else ("", [])
        if words:
            yield Simple(words, forgiven=after[0] == "||" and after[1] in _FORGIVING)


def _tokens(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return line.split()


def _bare(word: str) -> bool:
    """Words that need no quotes in a shell, and read better without."""
    return bool(word) and not set(word) & set(" \t\n'\"\\$`*?[]{}()<>|&;!#~")
