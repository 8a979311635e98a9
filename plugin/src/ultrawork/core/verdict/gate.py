"""A check: a command of the project that must pass. The `[gates]` table holds the configured ones, and names that are
turned off."""

from collections.abc import Mapping, Sequence
from re import escape, fullmatch
from shlex import join

from .. import check
from ..errors import UsageError
from ..value import Value, fresh, list_fields

BUILD = "BUILD"
TEST = "TEST"
LINT = "LINT"
TYPES = "TYPES"
FUNCTIONALITY = "FUNCTIONALITY"
TODO = "TODO"
ERROR_FREE = "ERROR_FREE"
KINDS = (BUILD, TEST, LINT, TYPES, FUNCTIONALITY, TODO, ERROR_FREE)
# Kinds whose command a user would type; a criterion is named after its task.
_TYPED = (BUILD, TEST, LINT, TYPES)
_LABEL = 32
# The source of a check that no file defines: the user asked for its command.
ASKED = "asked for by you"


class Gate(Value):
    """A check. `argv` is what runs, `command` how people write it; `definition` is the value that pinning compares
    (the script, the target's body), `files` where that value is, `source` the place to show, `runner` the test runner
    behind it if known, `toolchain` what the repository defines about that one."""

    name: str
    kind: str
    argv: Sequence[str]
    command: str
    source: str
    reason: str
    definition: str = ""
    files: Sequence[str] = ()
    where: str = "."
    runner: str = ""
    timeout: float | None = None
    needs: Sequence[str] = ()
    env: Mapping[str, str] = fresh(dict)
    when: Sequence[str] = ()
    required: bool = True
    toolchain: Mapping[str, object] = fresh(dict)

    def __post_init__(self) -> None:
        self.definition = self.definition or self.command
        self.env = dict(self.env or {})
        self.toolchain = dict(self.toolchain or {})
        for name in ("argv", "files", "needs", "when"):
            setattr(self, name, tuple(getattr(self, name)))

    def document(self) -> dict[str, object]:
        return {name: _plain(getattr(self, name)) for name in sorted(list_fields(Gate))}

    @property
    def label(self) -> str:
        return name_check(self.name, self.kind, self.command, self.where)


def name_check(name: str, kind: str, command: str, where: str = ".") -> str:
    """Return the display name of a check: its command (`make test`, `npm test in web`), or its name from the settings
    if the command is too long for a sentence."""
    short = command.removesuffix(" .")
    if kind not in _TYPED or len(short) > _LABEL or "\n" in short:
        return name
    return short if where in ("", ".") else f"{short} in {where}"


def make_task_gate(source: str, command: str, reason: str) -> Gate:
    """Return the check of a task with its own receipt; a shell runs it."""
    return Gate(
        name=source,
        kind=FUNCTIONALITY,
        argv=["sh", "-c", command],
        command=command,
        source=source,
        reason=reason,
    )


def read_document(document: Mapping[str, object]) -> Gate:
    fields = list_fields(Gate)
    known = {key: value for key, value in document.items() if key in fields}
    return Gate(**known)  # type: ignore[arg-type]  # what `document` wrote


def has_service(gate: Gate) -> bool:
    """Whether it declares something that is shared with others while it runs: then only the files as they are run it."""
    return any(need.startswith("tcp:") or need == "docker" for need in gate.needs)


def is_for_paths(gate: Gate, changed: Sequence[str]) -> bool:
    """Return False if the check is only for certain paths (`when`) and none of these is one."""
    return not gate.when or any(_fits(path, glob) for glob in gate.when for path in changed)


def _fits(path: str, glob: str) -> bool:
    """`web/**` and `web` mean all below; a glob without a slash fits a name in any folder."""
    anywhere = "" if "/" in glob.rstrip("/") else "(?:.*/)?"
    return fullmatch(f"{anywhere}{_pattern(glob.strip('/'))}(?:/.*)?", path) is not None


def _pattern(glob: str) -> str:
    """Return a glob as a regular expression: `**` crosses folders, `*` and `?` do not."""
    text = escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    return text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


NAME_LIMIT = 64
KEYS = ("run", "in", "when", "needs", "env", "timeout", "required")
# Start of a name -> what such a check does.
NAME_KINDS = {
    "test": TEST,
    "lint": LINT,
    "types": TYPES,
    "typecheck": TYPES,
    "type-check": TYPES,
    "build": BUILD,
}
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:/")


class GateTable(Value):
    """The table: `gates` as written, `off` the names that never run, even if found."""

    gates: list[Gate]
    off: set[str]

    def names(self) -> set[str]:
        return self.off | {gate.name for gate in self.gates}


def parse_table(table: Mapping[str, object] | None, origin: str = "ultrawork.toml") -> GateTable:
    if table is not None and not isinstance(table, dict):
        raise UsageError(
            f"gates in {origin} is not a table; write [gates] and a line for each check"
        )
    gates: list[Gate] = []
    off: set[str] = set()
    for name, value in (table or {}).items():
        _check_name(name, origin)
        if value is False:
            off.add(name)
        else:
            gates.append(_gate(name, value, origin))
    return GateTable(gates, off)


def find_kind(name: str) -> str:
    last = name.rpartition("/")[2]
    return next(
        (kind for start, kind in NAME_KINDS.items() if last.startswith(start)), FUNCTIONALITY
    )


def _gate(name: str, value: object, origin: str) -> Gate:
    table = value if isinstance(value, dict) else {"run": value}
    _check_keys(name, table, origin)
    argv, command = _command(name, table.get("run"), origin)
    timeout = table.get("timeout")
    return Gate(
        name=name,
        kind=find_kind(name),
        argv=argv,
        command=command,
        source=origin,
        reason=f"written in {origin}",
        files=(origin,),
        where=_folder(name, table.get("in", "."), origin),
        timeout=None
        if timeout is None
        else check.parse_duration(timeout, f"timeout of gate {name}"),
        needs=_list(name, "needs", table.get("needs", []), origin),
        env=_environment(name, table.get("env", {}), origin),
        when=_list(name, "when", table.get("when", []), origin),
        required=_yes_or_no(name, table.get("required", True), origin),
    )


def _check_name(name: str, origin: str) -> None:
    if not name or len(name) > NAME_LIMIT or not _NAME.issuperset(name):
        raise UsageError(
            f"{check.quote(name)} in {origin} is no name for a gate: "
            f"use letters, digits, dot, dash, colon and slash, at most {NAME_LIMIT}"
        )


def _check_keys(name: str, table: Mapping[str, object], origin: str) -> None:
    for key in table:
        if key not in KEYS:
            meant = check.find_nearest(key, KEYS)
            hint = f"did you mean {meant}?" if meant else f"known: {', '.join(KEYS)}"
            raise UsageError(f"gate {name} in {origin} has no key {check.quote(key)}; {hint}")


def _command(name: str, run: object, origin: str) -> tuple[list[str], str]:
    """Return the command; a string runs through the shell, a list directly."""
    if isinstance(run, str):
        text = check.clean_text(run, f"command of gate {name}")
        return ["sh", "-c", text], text
    words = _list(name, "run", run, origin) if isinstance(run, list) else []
    if not words:
        raise _wrong(name, "run", run, 'write run = "make test", or false for never', origin)
    return words, join(words)


def _folder(name: str, value: object, origin: str) -> str:
    parts = value.split("/") if isinstance(value, str) else [".."]
    if ".." in parts or parts[0] == "" or "\0" in str(value):
        raise _wrong(
            name, "in", value, 'write a folder of this project, such as in = "web"', origin
        )
    return "/".join(part for part in parts if part not in ("", ".")) or "."


def _list(name: str, key: str, value: object, origin: str) -> list[str]:
    items = [value] if isinstance(value, str) else value
    if isinstance(items, list) and all(_is_word(item) for item in items):
        return items
    raise _wrong(name, key, value, f'write {key} = ["…", "…"]', origin)


def _environment(name: str, value: object, origin: str) -> dict[str, str]:
    pairs = value if isinstance(value, dict) else {"": None}
    if all(_is_word(key) and "=" not in key and _is_value(v) for key, v in pairs.items()):
        return {key: str(v) for key, v in pairs.items()}
    raise _wrong(name, "env", value, 'write env = { NAME = "value" }', origin)


def _yes_or_no(name: str, value: object, origin: str) -> bool:
    if isinstance(value, bool):
        return value
    raise _wrong(name, "required", value, "write true or false", origin)


def _is_word(item: object) -> bool:
    return isinstance(item, str) and item != "" and "\0" not in item


def _is_value(item: object) -> bool:
    text = isinstance(item, str) and "\0" not in item
    return text or (isinstance(item, int | float) and not isinstance(item, bool))


def _wrong(name: str, key: str, value: object, what: str, origin: str) -> UsageError:
    return UsageError(f"{key} of gate {name} in {origin} is {check.quote(value)}; {what}")
