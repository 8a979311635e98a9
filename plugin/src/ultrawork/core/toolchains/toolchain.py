"""What is known about test runners, linters, type checkers and builds: data, one file each in `toolchains/` of the repository, packed into `table.zlib`.

`BUILT_IN` holds the shipped ones; `extend` adds the user's own. All code that needs facts about a tool asks here, so
that a new tool is a new file."""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..value import Value, fresh


class Report(Value):
    """Where the results of single tests come from; see `schema.REPORT`."""

    reader: str = ""
    also: list[str] = fresh(list)
    ends_once: bool = False
    instead_of: str = ""
    environment: dict[str, str] = fresh(dict)
    arguments: list[str] = fresh(list)
    unless: list[str] = fresh(list)
    unknown: bool = False
    refused: str = ""
    counts: list[str] = fresh(list)
    failures: list[str] = fresh(list)


class Narrowing(Value):
    """How to run only some tests; see `schema.NARROW`."""

    words: list[str] = fresh(list)
    each: bool = False
    join: str = " "
    escape: bool = False
    identifiers: bool = False
    part: str = ""
    variable: str = ""
    after: list[str] = fresh(list)
    first: bool = False
    separator: str = ""
    door: str = ""
    unknown: bool = False
    files: str = ""


class Toolchain(Value):
    """One tool; the fields are the keys of its file, see `schema.TOOLCHAIN`. `origin` is its path."""

    name: str
    family: str = ""
    kind: str = ""
    calls: list[str] = fresh(list)
    aliases: list[str] = fresh(list)
    settings: list[str] = fresh(list)
    nested: list[str] = fresh(list)
    loads: list[str] = fresh(list)
    caches: list[str] = fresh(list)
    measured_by: list[str] = fresh(list)
    package: str = ""
    modules: list[str] = fresh(list)
    shadows: list[str] = fresh(list)
    wraps: bool = False
    rewrites: bool = False
    watches: list[str] = fresh(list)
    short_watch: bool = False
    partial: list[str] = fresh(list)
    partial_setting: str = ""
    steering: list[str] = fresh(list)
    cleared: list[str] = fresh(list)
    traced: bool = False
    report: Report | None = None
    narrow: Narrowing | None = None
    find: list[dict[str, Any]] = fresh(list)
    troubles: dict[str, list[str]] = fresh(dict)
    trouble_exits: list[int] = fresh(list)
    seeds: list[dict[str, str]] = fresh(list)
    replays: dict[str, Any] = fresh(dict)
    origin: str = ""

    def is_started_by(self, argv: Sequence[str]) -> bool:
        """Return whether these words start it themselves, not a script that leads to it."""
        names = [word.rpartition("/")[2] for word in argv]
        calls = [call.split() for call in self.calls]
        return any(all(word in names for word in call) for call in calls)


class Ecosystem(Value):
    """One language or build system, in the order in which its checks are preferred; see `toolchains/ecosystems.toml`."""

    name: str
    manifests: list[str] = fresh(list)
    finder: str = ""
    needs: list[str] = fresh(list)
    programs: list[str] = fresh(list)
    brings: list[str] = fresh(list)
    prefers: list[str] = fresh(list)
    runtime: str = ""
    asks_version: str = ""
    starts: dict[str, list[str]] = fresh(dict)
    module_files: list[str] = fresh(list)
    caches: list[str] = fresh(list)
    module_caches: list[str] = fresh(list)
    install: list[dict[str, Any]] = fresh(list)
    steering: list[str] = fresh(list)
    cleared: list[str] = fresh(list)
    locks: dict[str, str] = fresh(dict)
    troubles: dict[str, list[str]] = fresh(dict)


def split_file(stem: str, table: Mapping[str, Any], origin: str) -> dict[str, dict[str, Any]]:
    """Return the tables of all toolchains in a file by name: its own, and those under `also`."""
    also = table.get("also", {})
    own = {key: value for key, value in table.items() if key != "also"}
    inner = {name: {"family": own.get("family", ""), **rest} for name, rest in also.items()}
    every = {str(own.get("name", stem)): own, **inner}
    return {name: {**fields, "name": name, "origin": origin} for name, fields in every.items()}


def make_toolchain(table: Mapping[str, Any]) -> Toolchain:
    given = dict(table)
    if "report" in given:
        given["report"] = Report(**given["report"])
    if "narrow" in given:
        given["narrow"] = Narrowing(**given["narrow"])
    return Toolchain(**given)


class Toolchains:
    """All toolchains of a project. `tables` are as in their files: values are made on demand, and questions about all
    of them read the tables. `own` are the names of the user's own."""

    def __init__(
        self, tables: Mapping[str, dict[str, Any]], ecosystems: Mapping[str, dict[str, Any]], own: Iterable[str] = ()
    ) -> None:
        self.tables = tables
        self.ecosystems = {name: Ecosystem(name, **row) for name, row in ecosystems.items()}
        self.own = frozenset(own)
        self._made: dict[str, Toolchain] = {}
        self._once: dict[str, Any] = {}

    def get(self, name: str) -> Toolchain | None:
        if name not in self._made and name in self.tables:
            self._made[name] = make_toolchain(self.tables[name])
        return self._made.get(name)

    @cached_property
    def families(self) -> dict[str, list[Toolchain]]:
        """The toolchains of each family, preferred ones first."""
        families: dict[str, list[Toolchain]] = {}
        for name, table in self.tables.items():
            toolchain = self.get(name)
            if toolchain:
                families.setdefault(str(table.get("family", "")), []).append(toolchain)
        for family, toolchains in families.items():
            prefers = self.ecosystems[family].prefers if family in self.ecosystems else []
            order = {name: place for place, name in enumerate(prefers)}
            toolchains.sort(key=lambda toolchain: order.get(toolchain.name, len(order)))
        return families

    @property
    def calls(self) -> dict[str, tuple[str, str]]:
        """`cargo test` -> the kind and the name of the toolchain that it starts."""
        if "calls" not in self._once:
            self._once["calls"] = {
                call: (str(table.get("kind", "")).upper(), name)
                for name, table in self.tables.items()
                for call in table.get("calls", ())
            }
        calls: dict[str, tuple[str, str]] = self._once["calls"]
        return calls

    def list_starters(self) -> dict[str, list[str]]:
        """Programs that start another one, with the words that make them do so."""
        return {name: words for row in self.ecosystems.values() for name, words in row.starts.items()}

    def collect(self, key: str) -> dict[str, Any]:
        """Return name -> value of a key, for toolchains that have it."""
        return {name: table[key] for name, table in self.tables.items() if key in table}

    def gather(self, key: str) -> list[str]:
        """All texts that toolchains and ecosystems list under a key."""
        if key not in self._once:
            listed = [*self.collect(key).values()]
            listed += [getattr(ecosystem, key, ()) for ecosystem in self.ecosystems.values()]
            texts = (text for group in listed for text in ([group] if isinstance(group, str) else group))
            self._once[key] = list(dict.fromkeys(texts))
        entries: list[str] = self._once[key]
        return entries


_loaded: list[Toolchains] = []


def get_built_in() -> Toolchains:
    """Return the built-in toolchains, loaded on first use."""
    if not _loaded:
        files, ecosystems = read_packed()
        tables: dict[str, dict[str, Any]] = {}
        for stem, table in files.items():
            tables |= split_file(stem, table, f"toolchains/{stem}.toml")
        _loaded.append(Toolchains(tables, ecosystems))
    return _loaded[0]


def read_packed() -> list[dict[str, dict[str, Any]]]:
    """Return the tables of all toolchain files, and the ecosystems; they lie beside this module and come as it did."""
    import zlib

    packed: bytes = __loader__.get_data(f"{__file__.rpartition('/')[0]}/table.zlib")  # type: ignore[name-defined]
    tables: list[dict[str, dict[str, Any]]] = json.loads(zlib.decompress(packed))
    return tables


def extend(own: Mapping[str, dict[str, Any]]) -> Toolchains:
    """Return the built-in toolchains and the user's own, which take precedence."""
    known = get_built_in()
    if not own:
        return known
    return Toolchains({**known.tables, **own}, read_packed()[1], own)


def find_toolchains(runner: str, own: Mapping[str, Any]) -> list[Toolchain]:
    """Return the toolchain behind a check: its repository's own, stored with the check, else the built-in one. If a
    script hides the runner, all that may be behind it."""
    known = get_built_in()
    if own:
        return [make_toolchain(own)]
    if runner:
        return [toolchain for toolchain in [known.get(runner)] if toolchain]
    hidden = [known.get(name) for name in known.tables]
    return [
        toolchain
        for toolchain in hidden
        if toolchain
        and ((toolchain.report and toolchain.report.unknown) or (toolchain.narrow and toolchain.narrow.unknown))
    ]
