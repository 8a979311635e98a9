"""Agents and skills that a person or a project keeps beside ours, read as they were meant."""

import os

from . import lenient
from .records import AGENT, SKILL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 500
_KINDS = {"agents": AGENT, "skills": SKILL, "commands": SKILL}


class Own:
    __slots__ = ("doubts", "kind", "name", "path", "scope", "trigger")

    def __init__(self, kind: str, scope: str, path: str, found: lenient.Found) -> None:
        file = os.path.basename(path)
        default = os.path.basename(os.path.dirname(path)) if file == "SKILL.md" else file[:-3]
        self.kind = kind
        self.scope = scope
        self.path = path
        self.name = str(found.head.get("name") or default)
        self.trigger = str(found.head.get("description") or "")
        self.doubts = found.doubts

    def document(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__slots__}


def found(project: str, home: str) -> list[Own]:
    """Those of the project first; links that lead out of their folder are left alone."""
    places = (("project", f"{project}/.claude"), ("person", f"{home}/.claude"))
    return [
        Own(kind, scope, path, _read(path))
        for scope, base in places
        for folder, kind in _KINDS.items()
        for path in _files(f"{base}/{folder}")
    ]


def _files(folder: str) -> "Iterator[str]":
    count = 0
    for inner, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            fits = name == "SKILL.md" if folder.endswith("/skills") else name.endswith(".md")
            if fits and count < MOST and not os.path.islink(f"{inner}/{name}"):
                count += 1
                yield f"{inner}/{name}"


def _read(path: str) -> lenient.Found:
    try:
        with open(path, "rb") as file:
            return lenient.read(file.read(lenient.LONGEST).decode("utf-8", "replace"))
    except OSError as error:
        return lenient.Found({}, "", [f"cannot be read: {error.strerror}"])
