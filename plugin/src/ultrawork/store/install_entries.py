"""Paths as they were at one moment, and what an act changed between two moments."""

import os
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from stat import S_ISDIR, S_ISREG
from typing import Any

FILE, LINK, FOLDER = "file", "link", "folder"
# How a path compares with the record.
OURS, CHANGED, GONE, AS_BEFORE = "ours", "changed", "gone", "as before"
# The digest of content that may be ours or someone else's: it is never taken for ours.
UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One path: a file with its bytes, a link with its target, or a folder."""

    kind: str
    content: bytes = b""
    mode: int = 0o644

    @property
    def digest(self) -> str:
        return sha256(self.content).hexdigest()

    def is_like(self, entry: "Entry") -> bool:
        return (self.kind, self.content) == (entry.kind, entry.content)

    def document(self) -> dict[str, Any]:
        text = b64encode(self.content).decode("ascii")
        return {"kind": self.kind, "mode": self.mode, "bytes": text}


def read_entry(row: Mapping[str, Any]) -> Entry:
    return Entry(str(row["kind"]), b64decode(row["bytes"], validate=True), int(row["mode"]))


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
        if self.before is not None and now.is_like(self.before):
            return AS_BEFORE
        return OURS if (now.kind, now.digest) == (self.kind, self.digest) else CHANGED

    def document(self) -> dict[str, Any]:
        kept = None if self.before is None else self.before.document()
        after = {"kind": self.kind, "sha256": self.digest}
        return {"part": self.part, "path": self.path, "before": kept, "after": after}


def read_change(row: Mapping[str, Any]) -> RecordedChange:
    kept, after = row["before"], row["after"]
    before = None if kept is None else read_entry(kept)
    return RecordedChange(str(row["part"]), str(row["path"]), before, str(after["kind"]), str(after["sha256"]))


Snapshot = Mapping[str, Entry]


def look(path: str) -> Entry | None:
    """Return None for what is not there, cannot be read, or has no content to keep, like a pipe."""
    try:
        if os.path.islink(path):
            return Entry(LINK, os.fsencode(os.readlink(path)))
        status = os.stat(path).st_mode
        mode = status & 0o777
        if S_ISDIR(status):
            return Entry(FOLDER, mode=mode)
        if not S_ISREG(status):
            return None
        with open(path, "rb") as file:
            return Entry(FILE, file.read(), mode)
    except OSError:
        return None


def list_entries(paths: Iterable[str]) -> dict[str, Entry]:
    """Return every existing path, folders with their contents."""
    entries: dict[str, Entry] = {}
    for path in paths:
        for place in _list_below(path):
            entry = look(place)
            if entry is not None:
                entries[place] = entry
    return entries


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
        if old is not None and new is not None and old.is_like(new):
            continue
        if new is not None:
            changes.append(RecordedChange(part, path, old, new.kind, new.digest))
        elif old is not None:
            changes.append(RecordedChange(part, path, old, "", UNKNOWN))
    return changes


def list_missing_folders(path: str) -> list[str]:
    """Return the folders above a path that would be created, so that they are watched too."""
    missing: list[str] = []
    folder = os.path.dirname(path)
    while folder and not os.path.isdir(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    return missing
