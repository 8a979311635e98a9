"""What `ultrawork install` changed, so that `ultrawork uninstall` can revert exactly that.

A change is found by comparing the watched files before and after an act. The old bytes are stored, of the new ones
only a digest, which shows whether someone else wrote to the file since."""

import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..core.errors import Trouble
from . import atomic
from .codec import dumps_pretty, loads
from .paths import Home

FILE, LINK, FOLDER = "file", "link", "folder"
# How a path compares with the record.
OURS, CHANGED, GONE = "ours", "changed", "gone"
_NAME = "installed.json"
_SCHEMA = "ultrawork.installed/1"


@dataclass(frozen=True, slots=True)
class Entry:
    """One path: a file with its bytes, a link with its target, or a folder."""

    kind: str
    content: bytes = b""
    mode: int = 0o644

    @property
    def digest(self) -> str:
        return sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class RecordedChange:
    """A change. `part` is the client or piece it was made for; `before` is None if nothing was there."""

    part: str
    path: str
    before: Entry | None
    kind: str
    digest: str

    def find_state(self) -> str:
        now = look(self.path)
        if now is None:
            return GONE
        return OURS if (now.kind, now.digest) == (self.kind, self.digest) else CHANGED

    def document(self) -> dict[str, Any]:
        kept = None
        if self.before is not None:
            text = b64encode(self.before.content).decode("ascii")
            kept = {"kind": self.before.kind, "mode": self.before.mode, "bytes": text}
        after = {"kind": self.kind, "sha256": self.digest}
        return {"part": self.part, "path": self.path, "before": kept, "after": after}


Snapshot = Mapping[str, Entry]


def look(path: str) -> Entry | None:
    try:
        if os.path.islink(path):
            return Entry(LINK, os.fsencode(os.readlink(path)))
        mode = os.stat(path).st_mode & 0o777
        if os.path.isdir(path):
            return Entry(FOLDER, mode=mode)
        with open(path, "rb") as file:
            return Entry(FILE, file.read(), mode)
    except OSError:
        return None


def list_entries(paths: Iterable[str]) -> dict[str, Entry]:
    """Return every existing path, folders with their contents."""
    found: dict[str, Entry] = {}
    for path in paths:
        for one in _list_below(path):
            entry = look(one)
            if entry is not None:
                found[one] = entry
    return found


def _list_below(path: str) -> Iterable[str]:
    yield path
    if os.path.isdir(path) and not os.path.islink(path):
        for folder, folders, files in os.walk(path):
            yield from (f"{folder}/{name}" for name in (*folders, *files))


def compare(part: str, before: Snapshot, after: Snapshot) -> list[RecordedChange]:
    """Return what an act made, changed or removed; removed things keep their kind."""
    changes = []
    for path in sorted({*before, *after}):
        old, new = before.get(path), after.get(path)
        if (
            old is not None
            and new is not None
            and (old.kind, old.content) == (new.kind, new.content)
        ):
            continue
        if new is not None:
            changes.append(RecordedChange(part, path, old, new.kind, new.digest))
        elif old is not None:
            changes.append(RecordedChange(part, path, old, "", ""))
    return changes


def list_missing_folders(path: str) -> list[str]:
    """Return the folders above a path that would be created, so that they are watched too."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing


def bring_back(change: RecordedChange) -> None:
    """Put back what was there; a folder that others use by now stays."""
    if change.kind == FOLDER or (change.before is not None and change.before.kind == FOLDER):
        _restore_folder(change)
        return
    if change.before is None:
        os.unlink(change.path)
    elif change.before.kind == LINK:
        if os.path.lexists(change.path):
            os.unlink(change.path)
        os.symlink(os.fsdecode(change.before.content), change.path)
    else:
        os.makedirs(os.path.dirname(change.path), exist_ok=True)
        atomic.write(change.path, change.before.content, mode=change.before.mode)
        os.chmod(change.path, change.before.mode)


def _restore_folder(change: RecordedChange) -> None:
    if change.before is not None:
        os.makedirs(change.path, mode=change.before.mode, exist_ok=True)
        return
    try:
        os.rmdir(change.path)
    except OSError:
        pass


def load(home: Home) -> list[RecordedChange]:
    """Return the changes in order; none if the record is unreadable."""
    try:
        with open(_locate(home), encoding="utf-8") as file:
            rows = loads(file.read())["changes"]
        return [_read(row) for row in rows]
    except (OSError, KeyError, TypeError, ValueError):
        return []


def save(home: Home, changes: Sequence[RecordedChange]) -> None:
    if not changes:
        if os.path.exists(_locate(home)):
            os.unlink(_locate(home))
        return
    _write(home, changes)


def prepare(home: Home) -> None:
    """Write the record as it is: a change is made only where it can be recorded."""
    try:
        _write(home, load(home))
    except OSError as error:
        raise Trouble(
            f"could not write {_locate(home)} ({error.strerror}), so nothing was changed; "
            "set ULTRAWORK_HOME to a writable folder"
        ) from None


def _write(home: Home, changes: Sequence[RecordedChange]) -> None:
    os.makedirs(home.root, mode=0o700, exist_ok=True)
    rows = [change.document() for change in changes]
    atomic.write(_locate(home), dumps_pretty({"schema": _SCHEMA, "changes": rows}))


def add(home: Home, made: Sequence[RecordedChange]) -> None:
    """Add changes; a second change of a path keeps what was there before the first."""
    known = {one.path: one for one in load(home)}
    for one in made:
        first = known.pop(one.path, None)
        before = one.before if first is None else first.before
        known[one.path] = RecordedChange(one.part, one.path, before, one.kind, one.digest)
    save(home, list(known.values()))


def _locate(home: Home) -> str:
    return f"{home.root}/{_NAME}"


def _read(row: dict[str, Any]) -> RecordedChange:
    kept, after = row["before"], row["after"]
    before = None
    if kept is not None:
        before = Entry(str(kept["kind"]), b64decode(kept["bytes"]), int(kept["mode"]))
    return RecordedChange(
        str(row["part"]), str(row["path"]), before, str(after["kind"]), str(after["sha256"])
    )
