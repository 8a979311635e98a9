"""Checks that a person asks for: those in the `[gates]` table of a project, with the names that it turns off, and those
that a goal names: `make links must pass` is a check of this session."""

from collections.abc import Mapping, Sequence
from shlex import join

from ...core import check
from ...core.errors import UsageError
from ...core.goal import goals
from ...core.value import Value
from ...core.verdict.gate import BUILD, FUNCTIONALITY, LINT, TEST, TYPES, Gate
from .candidate import Candidate, build_candidate, find_objection
from .folder import ProjectFolder
from .recipes.recipe import MANAGERS, Recipe, make_script_argv
from .shell import quote_words
from .trace import find_book, follow_recipe, follow_text

_BOOKS = ("make", "just", "npm")
# Wanting these to pass does not permit starting them.
_NEVER = (
    "deploy", "publish", "release", "install", "uninstall", "clean", "distclean", "push", "upload", "migrate",
    "seed", "reset", "run", "serve", "start", "dev", "watch", "format", "fmt", "fix", "update", "up", "down",
)  # fmt: skip


def find_named_gates(project: ProjectFolder, goal: str, standing: Sequence[Gate]) -> list[Gate]:
    """Return targets that the goal wants to pass, except those that another check runs."""
    if not goal:
        return []
    known = _list_recipes(project)
    chosen = goals.find_named_checks(goal, known)
    proposes = [_propose(project, known[name], standing) for name in chosen]
    return [candidate.gate for candidate in proposes if candidate is not None]


def _list_recipes(project: ProjectFolder) -> dict[str, Recipe]:
    """Return each way to call a target, as people write it."""
    recipes: dict[str, Recipe] = {}
    for tool in _BOOKS:
        book = find_book(project, tool)
        for name, recipe in book.recipes.items() if book else ():
            if name.lower() not in _NEVER and not name.lower().startswith(_NEVER[:3]):
                recipes |= dict.fromkeys(_list_calls(tool, name), recipe)
    return recipes


def _list_calls(tool: str, name: str) -> list[str]:
    if tool != "npm":
        return [f"{tool} {name}"]
    calls = [f"{manager} run {name}" for manager in sorted(MANAGERS)]
    calls += [f"{manager} {name}" for manager in ("pnpm", "yarn")]
    return calls + ([f"{manager} test" for manager in sorted(MANAGERS)] if name == "test" else [])


def _propose(project: ProjectFolder, recipe: Recipe, standing: Sequence[Gate]) -> Candidate | None:
    tool = recipe.book.tool
    argv = make_script_argv(project, recipe.name) if tool == "npm" else [tool, recipe.name]
    trace = follow_recipe(project, recipe)
    kinds = trace.kinds()
    kind = next((choice for choice in (TEST, LINT, TYPES, BUILD) if choice in kinds), FUNCTIONALITY)
    why = _is_run_by(project, recipe, standing) or find_objection(trace, recipe, kind)
    if why:
        project.leave_out(quote_words(argv), why)
        return None
    source = f"{recipe.file}:{recipe.line}"
    candidate = build_candidate(
        project, recipe.book.family, kind, argv, trace, source=source, reason=goals.NAMED_IN_GOAL
    )
    taken = {gate.name for gate in standing}
    name = recipe.name if recipe.name not in taken else f"{recipe.name}-{tool}"
    candidate.gate.name = name
    return candidate


def _is_run_by(project: ProjectFolder, recipe: Recipe, standing: Sequence[Gate]) -> str:
    key = (project.where, recipe.book.tool, recipe.name)
    for gate in standing:
        if key in follow_text(project, gate.command).recipes:
            return f"{gate.command} already runs it"
    return ""


NAME_LIMIT = 64
KEYS = ("run", "in", "when", "needs", "env", "timeout", "required")
# Start of a name -> what such a check does.
NAME_KINDS = {"test": TEST, "lint": LINT, "types": TYPES, "typecheck": TYPES, "type-check": TYPES, "build": BUILD}
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-:/")


class GateTable(Value):
    """The table: `gates` as written, `off` the names that never run, even if found."""

    gates: list[Gate]
    off: set[str]

    def names(self) -> set[str]:
        return self.off | {gate.name for gate in self.gates}


def parse_table(table: Mapping[str, object] | None, origin: str = "ultrawork.toml") -> GateTable:
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"gates in {origin} is not a table; write [gates] and a line for each check")
    gates: list[Gate] = []
    off: set[str] = set()
    for name, value in (table or {}).items():
        _check_name(name, origin)
        if value is False:
            off.add(name)
        else:
            gates.append(_gate(name, value, origin))
    return GateTable(gates, off)


def guess_kind(name: str) -> str:
    last = name.rpartition("/")[2]
    return next((kind for start, kind in NAME_KINDS.items() if last.startswith(start)), FUNCTIONALITY)


def _gate(name: str, value: object, origin: str) -> Gate:
    table = value if isinstance(value, dict) else {"run": value}
    _check_keys(name, table, origin)
    argv, command = _command(name, table.get("run"), origin)
    timeout = table.get("timeout")
    return Gate(
        name=name,
        kind=guess_kind(name),
        argv=argv,
        command=command,
        source=origin,
        reason=f"written in {origin}",
        files=(origin,),
        where=_folder(name, table.get("in", "."), origin),
        timeout=None if timeout is None else check.parse_duration(timeout, f"timeout of gate {name}"),
        needs=_list(name, "needs", table.get("needs", []), origin),
        env=_environment(name, table.get("env", {}), origin),
        when=_list(name, "when", table.get("when", []), origin),
        required=_yes_or_no(name, table.get("required", True), origin),
    )


def _check_name(name: str, origin: str) -> None:
    if not name or len(name) > NAME_LIMIT or not _NAME.issuperset(name):
        raise UsageError(
            f"{check.quote(name)} in {origin} is not a valid name for a check: "
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
        raise _wrong(name, "in", value, 'write a folder of this project, such as in = "web"', origin)
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


def _wrong(name: str, key: str, value: object, advice: str, origin: str) -> UsageError:
    return UsageError(f"{key} of gate {name} in {origin} is {check.quote(value)}; {advice}")
