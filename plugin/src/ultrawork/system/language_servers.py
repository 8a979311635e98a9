"""The known language servers: what they serve, how they start, which are installed, how to get them."""

import json
import os
import shutil
import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

from ..core.check import quote
from ..core.errors import NotFound
from ..core.value import Value
from ..store.paths import find_root


class LanguageServer(Value):
    """A server. `argv[0]` is the program to find; `since` is the first major version that speaks the protocol. One
    that `executes` runs code of the checkout: build scripts, its compiler, its bundle."""

    name: str
    argv: tuple[str, ...]
    install: str
    since: int = 0
    executes: bool = False


class Language(Value):
    """Servers in the order of preference; `ids` are the protocol's names by extension."""

    name: str
    ids: dict[str, str]
    markers: tuple[str, ...]
    servers: tuple[LanguageServer, ...]


@cache
def list_languages() -> tuple[Language, ...]:
    """Return what `content/language_servers.toml` knows."""
    with open(f"{find_root()}/content/language_servers.toml", "rb") as file:
        return tuple(map(_read_language, tomllib.load(file)["language"]))


def _read_language(row: dict[str, Any]) -> Language:
    servers = (
        LanguageServer(
            server["name"],
            tuple(server["run"].split()),
            server["install"],
            server.get("from", 0),
            server.get("executes", False),
        )
        for server in row["servers"]
    )
    ids = {end: kind for kind, ends in row["ids"].items() for end in ends.split()}
    return Language(row["name"], ids, tuple(row["markers"]), tuple(servers))


@cache
def _sort_by_extension() -> dict[str, Language]:
    return {end: language for language in list_languages() for end in language.ids}


def _read_major_version(program: str) -> int:
    """Return the major version of the package that a program belongs to; 0 if it cannot be read."""
    package = os.path.dirname(os.path.dirname(os.path.realpath(program)))
    try:
        with open(f"{package}/package.json", "rb") as file:
            return int(str(json.load(file).get("version", "")).partition(".")[0])
    except (OSError, ValueError, AttributeError):
        return 0


NOT_YET = "starts only after the user allows it"


class InstalledServer(Value):
    """An installed server: its path, its folder, whether it may use the project's programs."""

    language: Language
    server: LanguageServer
    program: str
    folder: str
    own: bool = True

    @property
    def argv(self) -> list[str]:
        return [self.program, *self.server.argv[1:]]

    @property
    def key(self) -> tuple[str, str]:
        return self.program, self.folder


def find_language(path: str) -> Language:
    language = _sort_by_extension().get(os.path.splitext(path)[1].lower())
    if language is None:
        raise NotFound(f"no known language server for {quote(os.path.basename(path))}")
    return language


def find_language_id(path: str) -> str:
    end = os.path.splitext(path)[1].lower()
    return find_language(path).ids[end]


def is_known(path: str) -> bool:
    return os.path.splitext(path)[1].lower() in _sort_by_extension()


def find(path: str, top: str, *, own: bool = True, cure: str = "", programs: str | None = None) -> InstalledServer:
    """Return the server for a file: the project's own before any on PATH; `top` bounds the search upward. Without
    `own` only PATH is searched, and no server that runs code of the checkout: the user has not allowed its programs,
    or an agent in a sandbox could have put one there. `cure` would change that. `programs` is the PATH to search; by
    default this process's."""
    installed_server = _search(path, top, own=own, programs=programs)
    if installed_server is not None:
        return installed_server
    kept = _search(path, top, own=True, programs=programs) if cure else None
    language = find_language(path)
    if kept is not None:
        name = os.path.relpath(kept.program, top) if is_below(kept.program, top) else kept.server.name
        does = "runs code of this checkout" if kept.server.executes else "is part of this checkout"
        raise NotFound(f"{name} {does}, and {NOT_YET}: {cure}")
    ways = " or ".join(f"`{server.install}`" for server in language.servers[:2])
    raise NotFound(f"no {language.name} language server is installed; install one: {ways}")


def _search(path: str, top: str, *, own: bool, programs: str | None) -> InstalledServer | None:
    language = find_language(path)
    folder = _folder_of(language, path, top)
    for place in list_program_folders(os.path.dirname(path), top, own=own):
        for server in language.servers:
            program = _at(server, place or programs)
            if program and (own or _is_outside(server, program, top)):
                return InstalledServer(language, server, program, folder, own)
    return None


def _is_outside(server: LanguageServer, program: str, top: str) -> bool:
    """The PATH may lead into the checkout as well."""
    return not server.executes and not is_below(program, top)


def is_below(program: str, top: str) -> bool:
    paths = (os.path.abspath(program), os.path.realpath(program))
    return any(path.startswith(top.rstrip("/") + "/") for path in paths)


def find_installed(server: LanguageServer, top: str, *, own: bool = True) -> str | None:
    places = list_program_folders(top, top, own=own)
    programs = (_at(server, place) for place in places)
    return next((program for program in programs if program and (own or _is_outside(server, program, top))), None)


def _at(server: LanguageServer, place: str | None) -> str | None:
    path = shutil.which(server.argv[0], path=place)
    return path if path and (not server.since or _read_major_version(path) >= server.since) else None


def walk_up(folder: str, top: str) -> Iterator[str]:
    """Yield the folder and those above it up to the top."""
    while True:
        yield folder
        if folder in (top, os.path.dirname(folder)):
            return
        folder = os.path.dirname(folder)


def list_program_folders(folder: str, top: str, *, own: bool = True) -> Iterator[str | None]:
    """Yield program folders, nearest first; None stands for PATH."""
    for step in walk_up(folder, top) if own else ():
        for bins in ("node_modules/.bin", ".venv/bin", "venv/bin"):
            yield os.path.join(step, bins)
    yield None


def _folder_of(language: Language, path: str, top: str) -> str:
    """Return the nearest folder upward that looks like a project of this language, else the top."""
    for step in walk_up(os.path.dirname(path), top):
        if any(os.path.exists(os.path.join(step, marker)) for marker in language.markers):
            return step
    return top
