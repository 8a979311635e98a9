"""The header of a prompt file, between two lines of three dashes.

Strict: a small part of YAML in which a value has only one reading, so that every client agrees with us, or an error
that says what to write. Texts (plain or quoted), whole and decimal numbers, true and false, lists of texts, folded
text."""

import re
from collections.abc import Iterable, Mapping

from ultrawork.core.check import quote
from ultrawork.core.errors import UsageError
from ultrawork.store.codec import loads

HeadValue = str | int | float | bool | list[str]
Head = dict[str, HeadValue]

KEY = r"[A-Za-z][A-Za-z0-9_-]{0,63}"
# What YAML allows on one line, without its own line breaks, the byte order mark and surrogates.
_LETTER = r" -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
LETTERS = re.compile(f"[{_LETTER}]*")
# Words that YAML does not read as text.
RESERVED = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?")
_PLAIN = re.compile(r"[A-Za-z\u00c0-\u02af](?:[^:#]|:(?! |$)|(?<! )#)*")
_PLAIN_ITEM = re.compile(r"[A-Za-z][A-Za-z0-9_./()*-]*(?: [A-Za-z0-9_./()*]+)*")
_DOUBLE = r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}))*"'
_SINGLE = r"'(?:[^']|'')*'"
_QUOTED = re.compile(f"{_DOUBLE}|{_SINGLE}")
_ITEM = re.compile(rf" ?({_DOUBLE}|{_SINGLE}|[^,\[\]{{}}\"']*?) ?(,|\])")


def parse_scalar(text: str) -> str | int | float | bool:
    if text[:1] in ('"', "'"):
        return _unquoted(text)
    if text in ("true", "false"):
        return text == "true"
    number = _NUMBER.fullmatch(text)
    if number:
        return float(text) if number.group(2) else int(text)
    if not is_plain(text):
        raise ValueError(f"{quote(text)} is ambiguous; put it in quotes")
    return text


def is_plain(text: str) -> bool:
    """Return whether a text is read as itself without quotes."""
    whole = LETTERS.fullmatch(text) and _PLAIN.fullmatch(text) and not text.endswith(" ")
    return bool(whole) and text.lower() not in RESERVED


def _unquoted(text: str) -> str:
    if not _QUOTED.fullmatch(text):
        raise ValueError(f"{quote(text)} has no closing quote; check the quotes and backslashes")
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    return str(loads(text))


def parse_list(text: str) -> list[str]:
    """`[one, "two", 'three']` on one line."""
    items: list[str] = []
    at, mark = 1, ","
    while mark == ",":
        found = _ITEM.match(text, at)
        if found is None:
            break
        item, mark = found.groups()
        items.append(item)
        at = found.end()
    if mark == "]" and at == len(text):
        return [] if items == [""] else [_item(item) for item in items]
    raise ValueError(f"{quote(text)} is not a list of strings; write [one, two] on one line")


def _item(text: str) -> str:
    if text[:1] in ('"', "'"):
        return _unquoted(text)
    if text.lower() in RESERVED or not _PLAIN_ITEM.fullmatch(text):
        raise ValueError(f"{quote(text)} in a list must be in quotes")
    return text


def quote_scalar(text: str) -> str:
    """Return the text in double quotes, with everything but plain letters escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if LETTERS.fullmatch(letter):
        return letter
    return {"\n": "\\n", "\t": "\\t"}.get(letter) or f"\\u{ord(letter):04x}"


FENCE = "---"
_ENTRY = re.compile(rf"({KEY}):(?: (.+))?")
_ITEM_MARK = "  - "
_FOLDED = {">": "\n", ">-": ""}


class HeadError(UsageError):
    """The head cannot be read; `line` counts from the top of the file."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line


def split(text: str) -> tuple[list[str], str]:
    """Return the lines of the head, and the body below it."""
    lines = text.split("\n")
    if lines[0] != FENCE:
        raise HeadError(1, f"the file does not start with {FENCE}")
    for number, line in enumerate(lines[1:], 1):
        if line == FENCE:
            return lines[1:number], "\n".join(lines[number + 1 :])
    raise HeadError(1, f"the header is not closed; add a line {FENCE}")


def get_body(text: str) -> str:
    """Return what follows the header; a file without one is all body."""
    return split(text)[1] if text.startswith(FENCE) else text


def parse_text(text: str) -> tuple[Head, str]:
    """Head and body of a file."""
    lines, below = split(text)
    return parse_head(lines), below


def parse_head(lines: Iterable[str]) -> Head:
    queue = _Lines(lines)
    head: Head = {}
    while queue.more:
        line = queue.take()
        match = _ENTRY.fullmatch(line)
        if match is None:
            raise queue.wrong(f"{quote(line)} is not of the form key: value")
        key, rest = match.groups()
        if key.lower() in RESERVED:
            raise queue.wrong(f"{key} has another meaning in YAML; name the key differently")
        if key in head:
            raise queue.wrong(f"{key} appears twice")
        head[key] = _value(rest, queue)
    return head


class _Lines:
    """Lines one after the other, with their number for complaints."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = list(lines)
        self._at = 0

    @property
    def more(self) -> bool:
        return self._at < len(self._lines)

    @property
    def peek(self) -> str | None:
        return self._lines[self._at] if self.more else None

    def take(self) -> str:
        line = self._lines[self._at]
        self._at += 1
        if not LETTERS.fullmatch(line):
            raise self.wrong("a tab, carriage return or control character; use plain spaces")
        if line.endswith(" "):
            raise self.wrong("a space at the end of the line; remove it")
        return line

    def wrong(self, why: str) -> HeadError:
        return HeadError(self._at + 1, why)


def _value(rest: str | None, queue: _Lines) -> HeadValue:
    if rest is None:
        return _block_list(queue)
    if rest in _FOLDED:
        return _folded(queue) + _FOLDED[rest]
    try:
        return parse_list(rest) if rest.startswith("[") else parse_scalar(rest)
    except ValueError as error:
        raise queue.wrong(str(error)) from None


def _block_list(queue: _Lines) -> list[str]:
    items: list[str] = []
    while queue.peek is not None and queue.peek.startswith(_ITEM_MARK):
        item = queue.take()[len(_ITEM_MARK) :]
        try:
            value = parse_scalar(item)
        except ValueError as error:
            raise queue.wrong(str(error)) from None
        if not isinstance(value, str):
            raise queue.wrong(f"{quote(item)} is not a string; put it in quotes")
        items.append(value)
    if not items:
        raise queue.wrong("no value; add one, or list items below it that start with two spaces and -")
    return items


def _folded(queue: _Lines) -> str:
    """Lines become one, an empty line between them a line break."""
    lines: list[str] = []
    while queue.peek is not None and (queue.peek == "" or queue.peek.startswith("  ")):
        line = queue.take()
        if line.startswith("   "):
            raise queue.wrong("folded text is indented by two spaces, no more")
        lines.append(line[2:])
    while lines and not lines[-1]:
        lines.pop()
    if not lines or not lines[0]:
        raise queue.wrong("folded text starts on the next line, indented by two spaces")
    return _joined(lines)


def _joined(lines: list[str]) -> str:
    text = lines[0]
    breaks = 0
    for line in lines[1:]:
        if not line:
            breaks += 1
            continue
        text += ("\n" * breaks or " ") + line
        breaks = 0
    return text


# Free texts are always quoted: one that gains a colon then keeps its meaning.
_ALWAYS_QUOTED = ("description", "argument-hint")


def render_head(head: Mapping[str, HeadValue]) -> str:
    """Return the head with its two fences, as `read` and YAML understand it."""
    lines = [f"{key}: {_written(key, value)}" for key, value in head.items()]
    return "\n".join([FENCE, *lines, FENCE, ""])


def _written(key: str, value: HeadValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(quote_scalar, value))}]"
    if not isinstance(value, str):
        return str(value)
    return quote_scalar(value) if key in _ALWAYS_QUOTED or not is_plain(value) else value
