"""
Read what an agent's tools were given, call by call: what it wrote, and what it typed into a shell.

Each program names the same few tools differently, so the shape of the input identifies them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_PATHS = ("file_path", "filePath", "path", "notebook_path")
_OLD, _NEW = ("old_string", "oldString"), ("new_string", "newString")
_EVERYWHERE = ("replace_all", "replaceAll")
_WRITERS = ("write", "write_file", "edit", "multiedit", "replace")
_COMMANDS = ("command", "cmd", "script", "run")


@dataclass(frozen=True, slots=True)
class FileWrite:
    """One file that a tool was asked to write: the whole text, or one place in it."""

    path: str
    text: str
    old: str | None = None
    everywhere: bool = False

    def apply(self, before: str | None) -> str | None:
        """Return the text afterwards; None where this cannot have been done to what was there."""
        if self.old is None:
            return self.text
        if before is None or (self.old and self.old not in before):
            return None
        count = -1 if self.everywhere else 1
        return before.replace(self.old, self.text, count) if self.old else self.text


@dataclass(slots=True)
class ToolInputs:
    """All inputs of the tools of one attempt, in order."""

    writes: list[FileWrite] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)

    def take(self, name: str, given: Mapping[str, Any]) -> None:
        self.writes += _list_writes(name, given)
        self.commands += [_words(given[key]) for key in _COMMANDS if given.get(key)]


def replay(writes: Iterable[FileWrite], before: str | None) -> str | None:
    """Return the text after these writes; None if they do not explain it."""
    text = before
    for write in writes:
        made = write.apply(text)
        if made is None:
            return None
        text = made
    return text


def _list_writes(name: str, given: Mapping[str, Any]) -> list[FileWrite]:
    path = _first(given, _PATHS)
    if name.lower() not in _WRITERS or not isinstance(path, str):
        return []
    edits = given.get("edits")
    parts = edits if isinstance(edits, list) else [given]
    return [file_write for part in parts if (file_write := _write(path, part))]


def _write(path: str, given: Any) -> FileWrite | None:
    if not isinstance(given, dict):
        return None
    whole, new, old = given.get("content"), _first(given, _NEW), _first(given, _OLD)
    if isinstance(whole, str):
        return FileWrite(path, whole)
    if isinstance(new, str) and isinstance(old, str):
        return FileWrite(path, new, old, bool(_first(given, _EVERYWHERE)))
    return None


def _first(given: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((given[name] for name in names if name in given), None)


def _words(command: object) -> str:
    return " ".join(map(str, command)) if isinstance(command, list) else str(command)
