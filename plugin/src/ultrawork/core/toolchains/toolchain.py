"""What is known about test runners, linters, type checkers and builds: data, one file each in `toolchains/` of the
repository, packed into `table.zlib`. `BUILT_IN` holds the shipped ones; `extend` adds the user's own. All code that
needs facts about a tool asks here, so that a new tool is a new file.

A replay is not a run: that includes tools that print an earlier result, how to detect them, and how to force a run,
modes that run only what changed, and how to repeat a run with its seed."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
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


class ReplayingTool(Value):
    """
    `prints` is how its output shows a replay. `variables` force a run no matter what starts the tool; `words` do
    so where it is started by name, after its subcommand.
    """

    name: str
    prints: str
    variables: Mapping[str, str] = fresh(dict)
    words: Sequence[str] = ()
    behind: Sequence[str] = ()


@cache
def _list_tools() -> list[ReplayingTool]:
    known = get_built_in().collect("replays")
    return [ReplayingTool(name, **table) for name, table in known.items()]


_ALIASES = {"gradlew": "gradle", "bazelisk": "bazel"}


def find_replay(output: str) -> ReplayingTool | None:
    """Return the tool whose output shows that something was not run."""
    return next((tool for tool in _list_tools() if re.search(tool.prints, output)), None)


def force_run(argv: Sequence[str]) -> list[str]:
    """Return the words that force a run, if such a tool is started by name; else the same words."""
    name = argv[0].rpartition("/")[2] if argv else ""
    tool = next(
        (replaying_tool for replaying_tool in _list_tools() if replaying_tool.name == _ALIASES.get(name, name)), None
    )
    if tool is None or not tool.words or _is_forced(argv, tool):
        return list(argv)
    at = next((i + 1 for i, word in enumerate(argv) if word in tool.behind), len(argv))
    if tool.behind and at == len(argv) and argv[-1] not in tool.behind:
        return list(argv)
    return [*argv[:at], *tool.words, *argv[at:]]


def _is_forced(argv: Sequence[str], tool: ReplayingTool) -> bool:
    options = {word.partition("=")[0] for word in tool.words}
    return any(word.partition("=")[0] in options for word in argv)


def make_forcing_variables(text: str, present: Mapping[str, str], tool: ReplayingTool | None = None) -> dict[str, str]:
    """Return variables for the tools that a check names, or for the one that replayed."""
    named = [
        replaying_tool
        for replaying_tool in _list_tools()
        if re.search(rf"(?<![\w./-]){replaying_tool.name}(?![\w-])", text)
    ]
    forcing_variables: dict[str, str] = {}
    for replaying_tool in [*named, *([tool] if tool else [])]:
        for name, value in replaying_tool.variables.items():
            flags = present.get(name, "") if name == "GOFLAGS" else ""
            forcing_variables[name] = flags if value in flags.split() else f"{flags} {value}".strip()
    return forcing_variables


def find_partial_option(tool: str, words: Sequence[str]) -> str:
    """Return the option with which a tool runs only what changed or failed last; empty if it runs everything."""
    options = get_built_in().collect("partial").get(tool, ())
    return next((word for word in words[1:] if word.partition("=")[0] in options), "")


def find_partial_setting(tool: str, text: str) -> str:
    """Return the same from the options in a project file."""
    pattern = get_built_in().collect("partial_setting").get(tool)
    match = re.search(pattern, text) if pattern else None
    return match[0] if match else ""


def explain_partial(option: str, full: str) -> str:
    return f"runs only part of the tests ({option}); the whole is `{full}`, for ultrawork.toml"


# A failure that stores its example repeats with it: it is not random.
_EXAMPLES = (
    r"Falsifying example:|@reproduce_failure|Property failed (?:after|by)|minimal failing input"
    r"|Failing input written to testdata|\[quickcheck\] TEST FAILED|Falsified after|Counterexample:"
)


def make_seed_variables(output: str, present: Mapping[str, str]) -> dict[str, str]:
    """Return variables that repeat the order and seed of the run that printed this."""
    seed_variables: dict[str, str] = {}
    for seed in [entry for listed in get_built_in().collect("seeds").values() for entry in listed]:
        match = re.search(seed["prints"], output)
        if match:
            name, value = seed["variable"], seed["value"].format(match[1])
            # Options are appended to existing ones; a plain number replaces them.
            given = present.get(name, "") if value.startswith("-") else ""
            seed_variables[name] = f"{given} {value}".strip()
    return seed_variables


def has_example(output: str) -> bool:
    return re.search(_EXAMPLES, output) is not None
