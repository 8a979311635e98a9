"""Single values of a head: one reading each, the same as YAML's, or an error that says what to write."""

import re

from ..core.check import shown
from ..store.fast import loads

KEY = r"[A-Za-z][A-Za-z0-9_-]{0,63}"
# What YAML may hold on one line, without its own line breaks, the byte order mark and surrogates.
_LETTER = r" -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff"
LETTERS = re.compile(f"[{_LETTER}]*")
# Words that YAML reads as something else than text.
RESERVED = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?")
_PLAIN = re.compile(r"[A-Za-z\u00c0-\u02af](?:[^:#]|:(?! |$)|(?<! )#)*")
_PLAIN_ITEM = re.compile(r"[A-Za-z][A-Za-z0-9_./()*-]*(?: [A-Za-z0-9_./()*]+)*")
_DOUBLE = r'"(?:[^"\\]|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}))*"'
_SINGLE = r"'(?:[^']|'')*'"
_QUOTED = re.compile(f"{_DOUBLE}|{_SINGLE}")
_ITEM = re.compile(rf" ?({_DOUBLE}|{_SINGLE}|[^,\[\]{{}}\"']*?) ?(,|\])")


def scalar(text: str) -> "str | int | float | bool":
    if text[:1] in ('"', "'"):
        return _unquoted(text)
    if text in ("true", "false"):
        return text == "true"
    number = _NUMBER.fullmatch(text)
    if number:
        return float(text) if number.group(2) else int(text)
    if not is_plain(text):
        raise ValueError(f"{shown(text)} can be read in more than one way; put it in quotes")
    return text


def is_plain(text: str) -> bool:
    """Whether a text is read as itself without quotes."""
    whole = LETTERS.fullmatch(text) and _PLAIN.fullmatch(text) and not text.endswith(" ")
    return bool(whole) and text.lower() not in RESERVED


def _unquoted(text: str) -> str:
    if not _QUOTED.fullmatch(text):
        raise ValueError(f"{shown(text)} is not quoted to its end; see the quotes and backslashes")
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    return str(loads(text))


def listed(text: str) -> list[str]:
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
    raise ValueError(f"{shown(text)} is no list of texts; write [one, two] on one line")


def _item(text: str) -> str:
    if text[:1] in ('"', "'"):
        return _unquoted(text)
    if text.lower() in RESERVED or not _PLAIN_ITEM.fullmatch(text):
        raise ValueError(f"{shown(text)} in a list must be in quotes")
    return text


def quoted(text: str) -> str:
    """In double quotes, everything else than plain letters escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if LETTERS.fullmatch(letter):
        return letter
    return {"\n": "\\n", "\t": "\\t"}.get(letter) or f"\\u{ord(letter):04x}"
