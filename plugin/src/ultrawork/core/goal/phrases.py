"""Patterns over the words of a goal. `words/goals.toml` describes their syntax: `<list>`, `..`, `^`, `*`.

They are matched word by word: one regular expression for all would take seconds to compile."""

import re
from collections.abc import Iterable, Iterator

from . import goal_words as words

WIDE_MARKS = r"[\u3001\u3002\uff0c\uff1b\uff01\uff1f\uff1a]"
_WORD = r"[\w$#/'&+@-]+(?:\.\w[\w/:-]*)*|,"
_FIRST_WIDE = "\u2e80"  # from here on scripts put no blanks between words
_FEW = 4  # words that `..` may stand for
_OPTIONAL = ("<adverb>", "<article>", "<about>")
_ABOUT = frozenset(("of", "for", "in", "about", "on", "von", "für", "de", "para", "voor", "di"))
_THING = ("<test>", "<expected>", "<snapshot>")
_lists: dict[str, dict[str, list[list[str]]]] = {}


class Found:
    """A place in a text: start, end, and its text."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text[start:end], start, end


def either(phrases: Iterable[str]) -> str:
    """Return an expression for any of them; `*` matches letters, `?*` at least one."""
    patterns = (re.escape(phrase).replace(r"\?\*", r"\w+").replace(r"\*", r"\w*") for phrase in phrases)
    return f"(?:{'|'.join(patterns)})"


def fold_goal(goal: str) -> str:
    return goal.strip().lower().replace("\u2019", "'")


def split_sentences(text: str) -> list[str]:
    return [part for part in re.split(r"[.;!?]+(?=\s|$)|\n|[\u3002\uff1b\uff01\uff1f]", text) if part]


def split_at_marks(text: str) -> list[str]:
    """Return the parts between marks; words like `and` do not split."""
    marks = rf"[.;:!?,()\[\]\u2014]+(?=[\s:]|$)|^\w+\(|[\n(\u2014]|{WIDE_MARKS}|\s-+\s"
    return [part.strip() for part in re.split(marks, text) if part and part.strip()]


def find(patterns: Iterable[str], text: str) -> Found | None:
    """Return the first place in a text, in lower case, where one of the patterns fits."""
    return next(find_all(patterns, text), None)


def find_all(patterns: Iterable[str], text: str) -> Iterator[Found]:
    split_text = _Text(text)
    listed = list(patterns)
    spaced = [phrase for phrase in listed if phrase[-1] < _FIRST_WIDE]
    split = [(phrase.startswith("^"), phrase.removeprefix("^").split()) for phrase in spaced]
    for at in range(len(split_text.tokens)):
        for begins, pattern in split:
            if begins and at not in split_text.starts:
                continue
            end = next(_match(split_text.tokens, at, pattern), None)
            if end is not None:
                yield Found(text, split_text.spans[at][0], split_text.spans[end - 1][1])
                break
    wide = (*listed, *(phrase for pattern in listed for phrase in _open(pattern)))
    for candidate in wide:
        if candidate[-1] >= _FIRST_WIDE and (place := _find_wide(candidate, text)):
            yield place


def _open(pattern: str) -> tuple[str, ...]:
    """Return the phrases of a pattern that is one list."""
    name = pattern.strip("<>").upper()
    return getattr(words, name, ()) if pattern == f"<{name.lower()}>" else ()


class _Text:
    def __init__(self, text: str) -> None:
        matches = list(re.finditer(_WORD, text))
        self.tokens = [match[0].strip("'") for match in matches]
        self.spans = [match.span() for match in matches]
        self.starts = {0}
        for at in range(len(self.tokens)):
            self.starts.update(_match(self.tokens, at, ["<urging>"]))
            if at in self.starts and self.tokens[at] in words.POLITE:
                self.starts.add(at + 1)


def _find_wide(pattern: str, text: str) -> Found | None:
    """Scripts without blanks: the pattern anywhere, where `<test>` is a name."""
    place = re.search(pattern.replace("<test>", r"test_\d+"), text)
    return Found(text, place.start(), place.end()) if place else None


def _match(tokens: list[str], at: int, pattern: list[str]) -> Iterator[int]:
    """Yield where the pattern that begins at a word can end."""
    if not pattern:
        yield at
        return
    first, rest = pattern[0], pattern[1:]
    if first == "..":
        yield from _skip(tokens, at, rest)
        return
    for end in _match_piece(tokens, at, first):
        yield from _match(tokens, end, rest)
    if first in _OPTIONAL:
        yield from _match(tokens, at, rest)


def _skip(tokens: list[str], at: int, rest: list[str]) -> Iterator[int]:
    joined = False
    for end in range(at, at + _FEW + 1):
        yield from _match(tokens, end, rest)
        if end >= len(tokens) or tokens[end] in words.BETWEEN or tokens[end] == ",":
            return
        if joined and tokens[end] not in words.BETWEEN_JOINED:
            return
        joined = joined or tokens[end] in words.JOINTS


def _match_piece(tokens: list[str], at: int, piece: str) -> Iterator[int]:
    if piece == "$":
        if at == len(tokens):
            yield at
    elif at >= len(tokens):
        return
    elif piece == "<about>":
        if tokens[at] in _ABOUT:
            yield from range(at + 2, min(at + 5, len(tokens)))
    elif piece[0] == "<":
        yield from _match_list(tokens, at, piece[1:-1])
    elif _fits(tokens[at], piece):
        yield at + 1


def _match_list(tokens: list[str], at: int, name: str) -> Iterator[int]:
    if name == "thing":
        for piece in _THING:
            yield from _match_piece(tokens, at, piece)
        return
    known = _lists[name] if name in _lists else _list(name)
    word = tokens[at]
    for phrase in (*known.get(word[:2], ()), *known.get("", ())):
        for end in _match(tokens, at, phrase):
            if not _is_other(name, tokens[end] if end < len(tokens) else ""):
                yield end


def _list(name: str) -> dict[str, list[list[str]]]:
    """Return the phrases of a list, by their first letters."""
    known: dict[str, list[list[str]]] = {}
    for phrase in sorted(getattr(words, name.upper()), key=len, reverse=True):
        key = phrase[:2] if phrase[:2].isalpha() and " " not in phrase[:2] else ""
        known.setdefault(key, []).append(phrase.split())
    _lists[name] = known
    return known


def _is_other(name: str, after: str) -> bool:
    """Return whether the next word changes the meaning: `test page`, `snapshot test`, `build a page`."""
    if name == "snapshot":
        return after in ("test", "tests")
    if name == "check_build" and after in words.AFTER_BUILD_VERB:
        return True
    return name.startswith(("test", "check_")) and (after in words.AFTER_TEST or after in words.AFTER_CHECK)


def _fits(word: str, form: str) -> bool:
    if form[-1] != "*":
        return word == form
    return word.startswith(form.rstrip("?*")) and len(word) >= len(form) - 1
