"""Files that the user's filters change on their way into git: LFS, encryption and the like.

Checkout runs those programs; a missing one is skipped. Taking a tree runs them for changed files, if their
configuration is as it was when the run began. LFS is done here. A file whose filter cannot run is not taken: its plain
text may not belong in the repository."""

import os
from collections.abc import Iterable, Mapping
from hashlib import sha256

from ...core.errors import Conflict
from ...system.checkout import Checkout
from ...system.git import Git
from ...system.objects import POINTER, name_stored
from ...system.program import find_program

LFS = "lfs"
_CHUNK = 1 << 20
_FORM = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize {}\n"


class FilterRefusal(Conflict):
    """A file cannot be taken as its filter does not run; no other try changes that."""


class Filters:
    """Configured filters, and `missing`: those whose program is not installed."""

    def __init__(self, git: Git, environ: Mapping[str, str]) -> None:
        self._storage = git.line("config", "lfs.storage")
        commands = self._commands = _configured(git)
        self.names = {name for name, kind in commands if kind in ("clean", "process")}
        self.missing = sorted({name for (name, _), command in commands.items() if _is_missing(command, environ)})

    def settings(self) -> list[str]:
        """Return git settings that let a checkout work without missing filters."""
        return [
            f"filter.{name}.{key}"
            for name in self.missing
            for key in ("smudge=", "clean=", "process=", "required=false")
        ]

    def clean(self, checkout: Checkout, path: str, name: str, environ: Mapping[str, str]) -> str:
        """Return the id of a changed file after its filter, which stores it in the repository."""
        if name in self.missing:
            raise FilterRefusal(f"{path} needs the filter {name}, whose program is not installed")
        git = Git(checkout.top, environ, settings=[f"filter.{name}.required=true"])
        if _pick(_configured(git), name) != _pick(self._commands, name):
            raise FilterRefusal(f"{path} needs the filter {name}, which changed since")
        answer = git.answer(["hash-object", "-w", "--", path])
        if answer.exit:
            lines = answer.err.decode("utf-8", "replace").strip().splitlines() or ["no reason given"]
            raise FilterRefusal(f"{path} needs the filter {name}, which fails: {lines[0]}")
        return answer.out.decode().strip()

    def make_pointer(self, checkout: Checkout, path: str) -> str | None:
        """Return LFS's pointer, and store the file where LFS looks; None if it is a pointer already, or empty."""
        place = f"{checkout.top}/{path}"
        with open(place, "rb") as file:
            if file.read(len(POINTER)) in (POINTER, b""):
                return None
        name, size = hash_file(place)
        stored = name_stored(checkout.common, self._storage, name)
        if not os.path.exists(stored):
            from shutil import copyfile

            os.makedirs(os.path.dirname(stored), exist_ok=True)
            temporary = f"{stored}.{os.getpid()}"
            copyfile(place, temporary)
            os.replace(temporary, stored)
        return _FORM.format(name, size)

    def attributes(self, git: Git, paths: Iterable[str]) -> dict[str, str]:
        """Return the configured filter of each path that has one."""
        if not self.names:
            return {}
        given = os.fsencode("".join(path + "\0" for path in paths))
        fields = os.fsdecode(git.ask(["check-attr", "-z", "--stdin", "filter"], given)).split("\0")
        pairs = zip(fields[0::3], fields[2::3], strict=False)
        return {path: value for path, value in pairs if value in self.names}


def hash_file(place: str) -> tuple[str, int]:
    hashed, size = sha256(), 0
    with open(place, "rb") as file:
        while piece := file.read(_CHUNK):
            hashed.update(piece)
            size += len(piece)
    return hashed.hexdigest(), size


def _pick(commands: Mapping[tuple[str, str], str], name: str) -> dict[str, str]:
    return {kind: command for (driver, kind), command in commands.items() if driver == name}


def _configured(git: Git) -> dict[tuple[str, str], str]:
    key = r"^filter\..*\.(clean|smudge|process)$"
    commands = {}
    for pair in os.fsdecode(git.answer(["config", "-z", "--get-regexp", key]).out).split("\0"):
        name, _, command = pair.partition("\n")
        if command.strip():
            kind = name.rpartition(".")[2]
            commands[name[len("filter.") : -len(kind) - 1], kind] = command
    return commands


def _is_missing(command: str, environ: Mapping[str, str]) -> bool:
    program = command.split(maxsplit=1)[0].strip("'\"")
    if program.startswith("/"):
        return not os.access(program, os.X_OK)
    plain = program.replace("-", "").replace("_", "").isalnum()
    return plain and find_program(program, environ) is None
