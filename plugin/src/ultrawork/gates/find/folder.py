"""One folder of a project as finders see it, with notes on what they leave out, and with the user's own toolchains:
files in `.ultrawork/toolchains` of the repository or the home folder.

They have the same form as the built-in ones. What they make ultrawork run is a check like any other: it is shown, it
needs consent, and its file belongs to its definition."""

import json
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from configparser import Error, RawConfigParser
from fnmatch import fnmatchcase
from tomllib import TOMLDecodeError, load, loads
from typing import Any, Protocol

from ...core.check import quote
from ...core.errors import UltraworkError
from ...core.patterns import compile_late
from ...core.toolchains import schema, toolchain
from ...core.toolchains.toolchain import Toolchains
from ..trees.files import ENTRIES, INSTALLED, Files

Table = dict[str, "Any"]
KEY_DEPTH = 100
_DEEPER = "**/"
_BESIDE_STRUCTURE = compile_late(r"[^\n.,=\[\]{}]+")


class ProjectFolder:
    def __init__(self, files: Files, where: str = ".", above: "ProjectFolder | None" = None) -> None:
        self.files = files
        self.where = where
        self.left_out: list[tuple[str, str]] = above.left_out if above else []
        # What the files answered so far, by question and path.
        self.answers: dict[tuple[str, str], Any] = above.answers if above else {}
        self._made: dict[str, Any] = above._made if above else {}  # noqa: SLF001 (one of the same kind)

    def path(self, name: str) -> str:
        """A name in this folder as the whole project writes it."""
        return name if self.where == "." else f"{self.where}/{name}"

    def read(self, name: str) -> str | None:
        text: str | None = self._ask("read", self.path(name)) if self._may_exist(name) else None
        return text

    def exists(self, name: str) -> bool:
        return self._may_exist(name) and bool(self._ask("exists", self.path(name)))

    def _may_exist(self, name: str) -> bool:
        """Return False if the names of this folder rule out a path in it. Hidden folders are always asked: `has_answers`
        does not compare them by name."""
        first, _, rest = name.partition("/")
        if (rest and first[:1] == ".") or not first.strip(".") or not INSTALLED.isdisjoint((first, *rest.split("/"))):
            return True
        names = self.names()
        return first in names or f"{first}/" in names or len(names) >= ENTRIES

    def names(self, folder: str = ".") -> list[str]:
        if folder[:1] != "." and not self._may_exist(folder):
            return []
        return list(self._ask("names", self.path(folder)))

    def _ask(self, question: str, path: str) -> Any:
        """Return what the files say about a path, cached while checks are searched."""
        key = (question, path)
        if key not in self.answers:
            self.answers[key] = getattr(self.files, question)(path)
        return self.answers[key]

    def list_present(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if self.exists(name)]

    def find_first(self, *names: str) -> str:
        """Return the first of these files that exists; "" if none does."""
        return next(filter(self.exists, names), "")

    def find_matching(self, *patterns: str) -> str:
        """The first file here that fits one of the patterns; "" if none does."""
        names = self.names()
        return next((n for p in patterns for n in names if matches_pattern(n, p)), "")

    def find_begun(self, patterns: Iterable[str]) -> set[str]:
        """Return the patterns whose first part fits a name here; the others match nothing."""
        names = self.names()
        if len(names) >= ENTRIES:
            return set(patterns)
        plain = {name.rstrip("/") for name in names}
        first_of = {pattern: pattern.partition("/")[0] for pattern in patterns}
        starred = {first for first in first_of.values() if "*" in first}
        begun = plain | {first for first in starred if any(matches_pattern(name, first) for name in plain)}
        begun |= {first for pattern, first in first_of.items() if first != pattern and first[:1] == "."}
        return {pattern for pattern, first in first_of.items() if first in begun}

    def list_matching(self, pattern: str, folder: str = "") -> Iterator[str]:
        """Yield matching files and folders; a star stays within its folder, `**/` means that folder and its direct
        subfolders."""
        if "*" not in pattern:
            yield from [folder + pattern] if self.exists(folder + pattern) else []
            return
        first, slash, rest = pattern.partition("/")
        if pattern.startswith(_DEEPER):
            yield from self.list_matching(rest, folder)
            yield from self.list_matching(f"*/{rest}", folder)
        elif slash and "*" not in first:
            yield from self.list_matching(rest, f"{folder}{first}/")
        elif slash:
            inner = [name for name in self.names(folder or ".") if name.endswith("/")]
            for name in [entry for entry in inner if matches_pattern(entry[:-1], first)]:
                yield from self.list_matching(rest, folder + name)
        else:
            names = [name.rstrip("/") for name in self.names(folder or ".")]
            yield from [folder + name for name in names if matches_pattern(name, first)]

    def leave_out(self, name: str, why: str) -> None:
        note = (quote(self.path(name))[1:-1], why)
        if note not in self.left_out:
            self.left_out.append(note)

    def sub(self, folder: str) -> "ProjectFolder | None":
        """Return another folder, relative to this one; None if it is outside the project."""
        where = posixpath.normpath(posixpath.join(self.where, folder))
        if where.startswith(("..", "/")):
            return None
        return ProjectFolder(self.files, where, self)

    def root(self) -> "ProjectFolder":
        """Return the folder of the whole project."""
        return ProjectFolder(self.files, ".", self)

    @property
    def toolchains(self) -> Toolchains:
        """The toolchains known in this project."""

        toolchains: Toolchains = self.root().once("toolchains", read_own_toolchains)
        return toolchains

    def once(self, key: str, make: "Callable[[ProjectFolder], Any]") -> Any:
        """Return what `make` returns for this folder, cached."""
        key = f"{key} {self.where}"
        if key not in self._made:
            self._made[key] = make(self)
        return self._made[key]

    def find_upward(self, name: str) -> str:
        """Return the way from here to the nearest such file in this folder or above; "" if none."""
        steps = [] if self.where == "." else self.where.split("/")
        for up in range(len(steps) + 1):
            folder = "/".join(steps[: len(steps) - up])
            if self._ask("exists", posixpath.join(folder, name)):
                return "../" * up + name
        return ""

    def read_json(self, name: str) -> Table:
        return self._parsed(name, json.loads, "JSON")

    def read_toml(self, name: str) -> Table:
        return self._parsed(name, _parse_toml, "TOML")

    def read_ini(self, name: str) -> Table:
        return self._parsed(name, parse_ini, "INI")

    def read_yaml(self, name: str) -> Table:
        return self._parsed(name, _parse_yaml, "YAML")

    def _parsed(self, name: str, parse: Any, language: str) -> Table:
        table = self.once(name, lambda _: self._parse(name, parse, language))
        return table if isinstance(table, dict) else {}

    def _parse(self, name: str, parse: Any, language: str) -> object:
        text = self.read(name)
        if text is None:
            if self.exists(name):
                self.leave_out(name, "cannot be read, or is larger than 500 kB")
            return {}
        try:
            table = parse(text)
        except (ValueError, RecursionError) as error:
            reason = str(error).split("\n", maxsplit=1)[0]
            verb = "cannot be read as" if language == "YAML" else "is not valid"
            self.leave_out(name, f"{verb} {language}: {quote(reason)[1:-1]}")
            return {}
        if not isinstance(table, dict):
            self.leave_out(name, f"has no {language} table")
        return table


def matches_pattern(name: str, pattern: str) -> bool:
    """Return whether a shell pattern matches; one with a single star, as most are, needs no regular expression."""
    before, star, after = pattern.partition("*")
    if not set("*?[") & set(before + after):
        long = len(name) >= len(before) + len(after)
        return (long and name.startswith(before) and name.endswith(after)) if star else name == pattern
    return fnmatchcase(name, pattern)


def _parse_toml(text: str) -> Table:
    # The parser's time grows with the square of a key's depth.
    if "." * KEY_DEPTH in _BESIDE_STRUCTURE.sub("", text):
        raise ValueError("keys are nested too deep")
    return loads(text)


def _parse_yaml(text: str) -> object:
    from .yaml import parse_yaml

    return parse_yaml(text)


def parse_ini(text: str) -> Table:
    parser = RawConfigParser(strict=False, allow_no_value=True)
    try:
        parser.read_string(text)
        return {section: dict(parser.items(section)) for section in parser.sections()}
    except (Error, AttributeError) as error:  # a stray indent meets a value of None
        raise ValueError(str(error)) from error


def get_table(value: object, *keys: str) -> Table:
    """Return the table under these keys; empty if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def list_texts(value: object) -> list[str]:
    """Return the strings of a list; a single string is a list of one."""
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


FOLDER = ".ultrawork/toolchains"
_ENDING = ".toml"
_MOST = 100


class ProjectFiles(Protocol):
    """The methods of a project folder that are used here."""

    def exists(self, name: str) -> bool: ...
    def names(self, folder: str = ".") -> list[str]: ...
    def read_toml(self, name: str) -> dict[str, Any]: ...
    def leave_out(self, name: str, why: str) -> None: ...


def read_own_toolchains(root: ProjectFiles) -> toolchain.Toolchains:
    """Return all toolchains of a project: its own take precedence over the home folder's, those over the built-in
    ones."""
    own = {**_read_home(root, os.environ), **_read_project(root)}
    return toolchain.extend(own)


def _read_project(root: ProjectFiles) -> dict[str, dict[str, Any]]:
    if not root.exists(FOLDER):
        return {}
    tables: dict[str, dict[str, Any]] = {}
    for name in [entry for entry in root.names(FOLDER) if entry.endswith(_ENDING)][:_MOST]:
        tables |= _flatten(root, f"{FOLDER}/{name}", root.read_toml(f"{FOLDER}/{name}"))
    return tables


def _read_home(root: ProjectFiles, environ: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    folder = f"{environ.get('HOME', '')}/{FOLDER}"
    tables: dict[str, dict[str, Any]] = {}
    if not environ.get("HOME") or not os.path.isdir(folder):
        return tables
    for name in [entry for entry in sorted(os.listdir(folder)) if entry.endswith(_ENDING)][:_MOST]:
        try:
            with open(f"{folder}/{name}", "rb") as file:
                tables |= _flatten(root, f"~/{FOLDER}/{name}", load(file))
        except (OSError, TOMLDecodeError, UnicodeDecodeError) as error:
            root.leave_out(f"~/{FOLDER}/{name}", f"cannot be read: {error}")
    return tables


def _flatten(root: ProjectFiles, path: str, table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flat table; empty, with a note, if the file is invalid."""
    try:
        schema.check_toolchain(table, path)
    except UltraworkError as error:
        root.leave_out(path, str(error))
        return {}
    stem = path.rpartition("/")[2].removesuffix(_ENDING)
    return toolchain.split_file(stem, table, path)
