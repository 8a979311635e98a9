"""Change one value in a TOML file and keep every other byte."""

import re
from json import dumps
from tomllib import TOMLDecodeError, loads
from typing import Any

from ..core.errors import Conflict

_HEADER = re.compile(r"^\s*\[")


def write_literal(value: object) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, list):
        return f"[{', '.join(write_literal(element) for element in value)}]"
    return dumps(value, ensure_ascii=False)


def set_value(text: str, table: str, key: str, value: object) -> str:
    """Return the text with `key` of `[table]` set; refuse to touch a file where that cannot be done safely."""
    lines = text.splitlines(keepends=True)
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    entry = f"{key} = {write_literal(value)}"
    start, end = _find_table(lines, table)
    if start is None:
        changed = _append_table(text, f"[{table}]{ending}{entry}{ending}", ending)
    else:
        changed = "".join(_edit(lines, range(start, end), key, entry, ending))
    if _read(changed) != _expect(text, [*table.split("."), key], value):
        raise Conflict(f"this file writes {table}.{key} in a way I cannot edit; add {entry} by hand")
    return changed


def _find_table(lines: list[str], table: str) -> tuple[int | None, int]:
    """Return the line after the table's header, and the line where the next table starts."""
    pattern = r"\s*\.\s*".join(map(re.escape, table.split(".")))
    header = re.compile(rf"^\s*\[\s*{pattern}\s*\]\s*(#.*)?$")
    start = next((at + 1 for at, line in enumerate(lines) if header.match(line.rstrip())), None)
    if start is None:
        return None, len(lines)
    after = range(start, len(lines))
    return start, next((at for at in after if _HEADER.match(lines[at])), len(lines))


def _append_table(text: str, block: str, ending: str) -> str:
    if not text.strip():
        return text + block
    return f"{text}{'' if text.endswith(chr(10)) else ending}{ending}{block}"


def _edit(lines: list[str], span: range, key: str, entry: str, ending: str) -> list[str]:
    spelled = re.compile(rf"^\s*{re.escape(key)}\s*=")
    at = next((at for at in span if spelled.match(lines[at])), None)
    if at is None:
        last = next((index + 1 for index in reversed(span) if lines[index].strip()), span.start)
        if last and not lines[last - 1].endswith("\n"):
            lines[last - 1] += ending
        return [*lines[:last], entry + ending, *lines[last:]]
    count = _count_lines(lines[at:])
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    comment = _find_comment(lines[at]) if count == 1 else ""
    own = ending if lines[at + count - 1].endswith("\n") else ""
    return [*lines[:at], f"{indent}{entry}{comment}{own}", *lines[at + count :]]


def _count_lines(lines: list[str]) -> int:
    """Return over how many lines the value of the first one goes."""
    for count in range(1, len(lines) + 1):
        if _read("".join(lines[:count])) is not None:
            return count
    return 1


def _find_comment(line: str) -> str:
    """Return the comment at the end of a line with the blanks before it; a `#` inside a text is none."""
    line = line.rstrip("\r\n")
    for at, sign in enumerate(line):
        if sign == "#" and _read(line[:at]) is not None:
            return line[len(line[:at].rstrip()) :]
    return ""


def _expect(text: str, path: list[str], value: object) -> dict[str, Any] | None:
    whole = _read(text)
    place: Any = whole
    for step in path[:-1]:
        place = place.setdefault(step, {}) if isinstance(place, dict) else None
    if not isinstance(place, dict):
        return {"": None}
    place[path[-1]] = value
    return whole


def _read(text: str) -> dict[str, Any] | None:
    try:
        return loads(text)
    except (TOMLDecodeError, RecursionError):
        return None
