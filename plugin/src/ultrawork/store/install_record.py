"""What `ultrawork install` changed, so that `ultrawork uninstall` can revert exactly that.

A change is found by comparing the watched files before and after an act. The old bytes are stored, of the new ones
only a digest, which shows whether someone else wrote to the file since.

What an act may change is written down before it starts. If the act is killed, the next reader compares again."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..core.errors import Trouble
from . import atomic
from .codec import dumps_pretty, loads
from .install_entries import (
    FOLDER,
    LINK,
    UNKNOWN,
    RecordedChange,
    Snapshot,
    compare,
    list_entries,
    read_change,
    read_entry,
)
from .paths import Home

_NAME = "installed.json"
_SCHEMA = "ultrawork.installed/1"
# A client's folder may hold years of conversations. Its small files come first: settings are among them.
_KEPT_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Intent:
    """An act before it starts. `foreseen` are the digests that it gives to paths, as far as they are known."""

    part: str
    watched: tuple[str, ...]
    before: Snapshot
    foreseen: Mapping[str, str]

    def find_changes(self) -> list[RecordedChange]:
        return compare(self.part, self.before, list_entries(self.watched))

    def document(self) -> dict[str, Any]:
        kept, left = {}, _KEPT_BYTES
        for path in sorted(self.before, key=lambda place: len(self.before[place].content)):
            left -= len(self.before[path].content)
            kept[path] = self.before[path].document() if left >= 0 else None
        return {"part": self.part, "watched": list(self.watched), "before": kept, "foreseen": dict(self.foreseen)}


def _find_killed(row: Mapping[str, Any]) -> list[RecordedChange]:
    """Return what an act that never ended has changed. Unexpected content may be the user's by now."""
    before = {path: read_entry(entry) for path, entry in row["before"].items() if entry is not None}
    too_large = {path for path, entry in row["before"].items() if entry is None}
    foreseen = dict(row["foreseen"])
    changes = Intent(str(row["part"]), tuple(row["watched"]), before, foreseen).find_changes()
    return [
        recorded_change if _is_certain(recorded_change, foreseen) else _doubt(recorded_change)
        for recorded_change in changes
        if recorded_change.path not in too_large
    ]


def _is_certain(change: RecordedChange, foreseen: Mapping[str, str]) -> bool:
    return change.kind == FOLDER or foreseen.get(change.path) == change.digest


def _doubt(change: RecordedChange) -> RecordedChange:
    return RecordedChange(change.part, change.path, change.before, change.kind, UNKNOWN)


def load(home: Home) -> list[RecordedChange]:
    """Return the changes in order, with those of a killed act. A damaged record is refused: it is not an empty one."""
    document = _load_document(home)
    unfinished = document.get("unfinished")
    try:
        changes = [read_change(row) for row in document["changes"]]
        return _merge(changes, _find_killed(unfinished)) if unfinished else changes
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _refuse(_locate(home), "it is damaged") from None


def _load_document(home: Home) -> dict[str, Any]:
    path = _locate(home)
    try:
        with open(path, encoding="utf-8") as file:
            document = loads(file.read())
    except FileNotFoundError:
        return {"changes": []}
    except OSError as error:
        raise _refuse(path, error.strerror or "unreadable") from None
    except ValueError:
        raise _refuse(path, "it is damaged") from None
    if not isinstance(document, dict):
        raise _refuse(path, "it is damaged")
    return document


def _refuse(path: str, why: str) -> Trouble:
    return Trouble(
        f"could not read the list of installed changes in {path} ({why}), so nothing was changed; "
        f"restore that file, or set it aside and undo its changes by hand: mv {path} {path}.damaged"
    )


def save(home: Home, changes: Sequence[RecordedChange]) -> None:
    """Write the record again; no act is unfinished any more."""
    if changes:
        _write(home, changes)
    elif os.path.exists(_locate(home)):
        os.unlink(_locate(home))


def announce(home: Home, intent: Intent) -> None:
    """Write down what an act may change: a change is made only where it can be recorded."""
    known = load(home)
    try:
        _write(home, known, intent)
    except OSError as error:
        raise Trouble(
            f"could not write {_locate(home)} ({error.strerror}), so nothing was changed; "
            "set ULTRAWORK_HOME to a writable folder"
        ) from None


def record_made(home: Home, intent: Intent) -> list[RecordedChange]:
    """Record what the announced act has changed, and return it."""
    made = intent.find_changes()
    known = [read_change(row) for row in _load_document(home)["changes"]]
    save(home, _merge(known, made))
    return made


def _write(home: Home, changes: Sequence[RecordedChange], intent: Intent | None = None) -> None:
    os.makedirs(home.root, mode=0o700, exist_ok=True)
    document: dict[str, Any] = {
        "schema": _SCHEMA,
        "changes": [recorded_change.document() for recorded_change in changes],
    }
    if intent is not None:
        document["unfinished"] = intent.document()
    atomic.write(_locate(home), dumps_pretty(document))


def _merge(known: Sequence[RecordedChange], made: Sequence[RecordedChange]) -> list[RecordedChange]:
    """Return both; a second change of a path keeps what was there before the first."""
    merged = {recorded_change.path: recorded_change for recorded_change in known}
    for recorded_change in made:
        first = merged.pop(recorded_change.path, None)
        before = recorded_change.before if first is None else first.before
        merged[recorded_change.path] = RecordedChange(
            recorded_change.part, recorded_change.path, before, recorded_change.kind, recorded_change.digest
        )
    return list(merged.values())


def _locate(home: Home) -> str:
    return f"{home.root}/{_NAME}"


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
