"""What happened in a session: one line for each tool call, turn and stop that passed on the event alone.

It is for people to read, and for hooks to look back at; never proof of anything."""

import os

from .codec import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .paths import Home

SCHEDULED = "scheduled"
_TAIL = 64_000
_ALL = 50_000_000
_TURN = 8_000_000
_LINE = 4_000


def locate(home: "Home", session: str) -> str:
    return home.session(session) + "/trace.jsonl"


def find_last_heard(home: "Home", session: str) -> float:
    """Return when the session was last active; 0 if never."""
    try:
        return os.stat(locate(home, session)).st_mtime
    except OSError:
        return 0.0


def append(home: "Home", session: str, entry: "dict[str, Any]") -> None:
    """Append with one write on `O_APPEND`, so that lines of several processes never mix."""
    line = dumps(entry)
    if len(line) > _LINE:
        line = dumps({**entry, "what": str(entry.get("what", ""))[: _LINE // 2], "cut": True})
    file = locate(home, session)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    try:
        handle = os.open(file, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        handle = os.open(file, flags, 0o600)
    try:
        os.write(handle, line.encode("utf-8", "replace") + b"\n")
        full = os.fstat(handle).st_size > _TURN
    finally:
        os.close(handle)
    if full:
        _turn_over(file)


def _turn_over(file: str) -> None:
    """Rotate the file; the previous one is dropped, and concurrent writers end up in one of the two."""
    try:
        os.replace(file, file + ".1")
    except OSError:
        pass  # another was quicker, or it cannot be: then it grows


def read_tail(home: "Home", session: str, *, size: int = _TAIL) -> "list[dict[str, Any]]":
    """Return the newest entries, oldest first; a torn or garbled line is passed over."""
    return parse_entries(read_newest(home, session, size=size))


def read_newest(home: "Home", session: str, *, size: int) -> bytes:
    """The last lines as they are written, over a turn; reading them costs more than finding a word in them."""
    file = locate(home, session)
    newest = _read_end(file, size)
    return _read_end(file + ".1", size - len(newest)) + newest if len(newest) < size else newest


def _read_end(file: str, size: int) -> bytes:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return b""
    try:
        start = max(0, os.fstat(handle).st_size - size)
        data = os.pread(handle, size, start)
    finally:
        os.close(handle)
    return data.partition(b"\n")[2] if start else data


def parse_entries(lines: bytes) -> "list[dict[str, Any]]":
    texts = [line for line in lines.decode("utf-8", "replace").split("\n") if line]
    try:
        values = loads(f"[{','.join(texts)}]")
    except ValueError:
        values = []
    if len(values) != len(texts):
        values = [_parse_line(text) for text in texts]
    return [value for value in values if isinstance(value, dict)]


def read_all(home: "Home", session: str) -> "list[dict[str, Any]]":
    return read_tail(home, session, size=_ALL)


def find_holding(home: "Home", session: str, word: str) -> "list[dict[str, Any]]":
    """Return entries that contain a word; others are not parsed."""
    lines = read_newest(home, session, size=_ALL)
    if word.encode() not in lines:
        return []
    return parse_entries(b"\n".join(line for line in lines.split(b"\n") if word.encode() in line))


def is_scheduled(home: "Home", session: str, prompt: str) -> bool:
    """Return whether a prompt was seen being scheduled while the session was on."""
    entries = find_holding(home, session, f'"{SCHEDULED}"')
    return any(entry.get(SCHEDULED) == prompt for entry in entries)


def _parse_line(text: str) -> "Any":
    try:
        return loads(text)
    except ValueError:
        return None
