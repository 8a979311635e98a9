"""`ultrawork doctor`: is everything there, which versions, what to do about what is not."""

import os
import sys

from ...core import exits
from ...core.errors import UltraworkError
from ..command import Command
from ..flags import SWITCH, Flag
from ..result import Result
from ..version import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args

_PATIENCE = 10.0
_NO_HOOKS = "not here: this is an installed package, not the plugin"


class Line:
    """One thing that was looked at; `mend` is empty when all is well."""

    __slots__ = ("mend", "name", "value")

    def __init__(self, name: str, value: str, mend: str = "") -> None:
        self.name = name
        self.value = value
        self.mend = mend


def doctor(args: "Args", edge: "Edge") -> Result:
    if args.on("--hooks"):
        return hooks(edge)
    lines = [
        Line("ultrawork", version()),
        _python(),
        _git(edge),
        *_backends(edge),
        _home(edge),
        _database(edge),
        _gates(edge),
        _hooks(edge),
        *_system(),
    ]
    wrong = [line for line in lines if line.mend]
    text = [f"{line.name:<10} {line.value}" for line in lines]
    text += [f"{line.name:<10} {line.mend}" for line in wrong] or ["ok"]
    data = {line.name: {"value": line.value, "mend": line.mend} for line in lines}
    return Result(
        {"checks": data, "ok": not wrong}, "\n".join(text), exit=exits.TROUBLE if wrong else 0
    )


def _python() -> Line:
    import sqlite3

    number = ".".join(map(str, sys.version_info[:3]))
    return Line("python", f"{number}, SQLite {sqlite3.sqlite_version}")


def _first_line(program: str, edge: "Edge") -> str | None:
    """What a program says to `--version`; None if it is not there."""
    from shutil import which

    from ...system.process import run

    path = which(program, path=edge.environ.get("PATH", ""))
    if path is None:
        return None
    done = run([path, "--version"], cwd="/", env=dict(edge.environ), deadline=_PATIENCE)
    return next((line.strip() for line in done.output.splitlines() if line.strip()), "does not say")


def _git(edge: "Edge") -> Line:
    found = _first_line("git", edge)
    if found is None:
        return Line("git", "not there", "install git; without it bases are kept by a slower walk")
    return Line("git", found.removeprefix("git version "))


def _backends(edge: "Edge") -> list[Line]:
    """None of them is needed: gates and sessions work without, `ultrawork run` takes any."""
    from ...engine.backends import table

    return [
        Line(backend.name, program.version if program else f"not there: {backend.how_to_get}")
        for backend, program in table.survey(edge.environ)
        if program or backend.automatic
    ]


def _home(edge: "Edge") -> Line:
    root = edge.store.home.root
    try:
        os.makedirs(root, mode=0o700, exist_ok=True)
        probe = f"{root}/.doctor.{os.getpid()}"
        with open(probe, "w", encoding="utf-8"):
            pass
        os.unlink(probe)
    except OSError as error:
        why = f"cannot be written ({error.strerror}); set ULTRAWORK_HOME to a folder that can"
        return Line("state", root, why)
    return Line("state", root)


def _database(edge: "Edge") -> Line:
    try:
        count = edge.store.database.value("SELECT count(*) FROM sessions")
    except UltraworkError as error:
        return Line("database", "not usable", str(error))
    return Line("database", f"{count} sessions")


def _gates(edge: "Edge") -> Line:
    from ...gates import listing

    try:
        found = listing.of(edge.store, edge.environ, edge.place).gates
    except UltraworkError as error:
        return Line("gates", "not readable", str(error))
    told = "    ".join(f"{gate.name}: {gate.command} ({gate.source})" for gate in found)
    return Line("gates", told or "none found here; ultrawork gates says how to add one")


def _hooks(edge: "Edge") -> Line:
    """What a tool call pays while a session is off and while it is on, measured here and now."""
    from . import doctor_hooks

    events = ("PreToolUse", "PostToolUse")
    try:
        found = doctor_hooks.costs(edge.store.home.cache, edge.environ, events)
    except UltraworkError as error:
        return Line("hooks", "not measured", str(error))
    if not found:
        return Line("hooks", _NO_HOOKS)
    on, off = (sum(getattr(one, name) or 0.0 for one in found) for name in ("on", "off"))
    return Line("hooks", f"{on:.0f} ms a tool call while on, {off:.0f} ms while off")


def hooks(edge: "Edge") -> Result:
    """Every behaviour, and what each event costs on this machine."""
    from . import doctor_hooks

    if doctor_hooks.launcher() is None:
        return Result({"events": []}, f"hooks      {_NO_HOOKS}", exit=exits.NOTHING)
    events = doctor_hooks.document(doctor_hooks.costs(edge.store.home.cache, edge.environ))
    return Result({"events": events}, doctor_hooks.text(events))


def _system() -> list[Line]:
    if sys.platform in ("linux", "darwin"):
        return []
    return [Line("system", sys.platform, "runs on Linux and macOS; on Windows use WSL")]


COMMANDS = (
    Command(
        "",
        "See whether everything that ultrawork needs is there, and what to do about what is not",
        doctor,
        flags=(
            Flag("--hooks", "every behaviour of the hooks, and what events cost here", kind=SWITCH),
        ),
        example="ultrawork doctor --hooks",
    ),
)
