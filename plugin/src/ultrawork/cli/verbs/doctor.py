"""`ultrawork doctor`: is everything there, which versions, what to do about what is not."""

import os
import sqlite3
import sys
from shutil import which

from ...clients import find
from ...clients.headless import table
from ...content.models import describe_learned
from ...core import errors
from ...core.agent_variables import remove_agent_variables
from ...core.errors import UltraworkError
from ...core.wording import count_things, cut, join_lines
from ...flow import retention
from ...gates.session import preparation
from ...report.summary import describe_age, find_newest, summarize
from ...store import sessions
from ...store.paths import read_version
from ...system.process import run_program
from ..command import Command, Result
from ..environment import Args, VerbEnvironment, switch
from . import doctor_context, doctor_hooks, doctor_surroundings
from .doctor_surroundings import DoctorCheck

_PATIENCE = 10.0
_NO_HOOKS = "not available: this is an installed package, not the plugin"


def examine(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--hooks"):
        return show_hooks(env)
    if args.on("--context"):
        return doctor_context.show(env)
    fixed = doctor_surroundings.fix(env) if args.on("--fix") else []
    lines = [
        DoctorCheck("ultrawork", read_version()),
        _python(),
        _git(env),
        *_backends(env),
        *_trusted_hooks(env),
        _home(env),
        _database(env),
        *_session(env),
        _measure_disk(env),
        *_prices(env),
        _gates(env),
        _hooks(env),
        *doctor_surroundings.list_checks(env),
        *_system(),
    ]
    wrong = [line for line in lines if line.mend]
    width = max(len(line.name) for line in lines)
    text = [*fixed, *(f"{line.name:<{width}} {line.value}" for line in lines)]
    text += ["", "To fix:", *(f"{line.name:<{width}} {line.mend}" for line in wrong)] if wrong else ["ok"]
    return Result(
        {"checks": doctor_surroundings.make_document(lines), "ok": not wrong, "fixed": fixed},
        "\n".join(text),
        exit=errors.EXIT_TROUBLE if wrong else 0,
    )


def _prices(env: VerbEnvironment) -> list[DoctorCheck]:
    learned = describe_learned(env.store.home)
    return [DoctorCheck("prices", learned)] if learned else []


def _python() -> DoctorCheck:
    number = ".".join(map(str, sys.version_info[:3]))
    return DoctorCheck("python", f"{number}, SQLite {sqlite3.sqlite_version}")


def _first_line(program: str, env: VerbEnvironment) -> str | None:
    """Return a program's first `--version` line; None if it is not installed."""
    path = which(program, path=env.environ.get("PATH", ""))
    if path is None:
        return None
    own = remove_agent_variables(env.environ)
    done = run_program([path, "--version"], cwd="/", env=own, deadline=_PATIENCE)
    return next((line.strip() for line in done.output.splitlines() if line.strip()), "version unknown")


def _git(env: VerbEnvironment) -> DoctorCheck:
    line = _first_line("git", env)
    if line is None:
        return DoctorCheck("git", "not there", "not installed; install git to record baselines faster")
    return DoctorCheck("git", line.removeprefix("git version "))


def _backends(env: VerbEnvironment) -> list[DoctorCheck]:
    """Return the agent programs; none is required: checks and sessions work without, `ultrawork run` takes any."""
    return [
        DoctorCheck(backend.name, program.version if program else f"not installed: {backend.how_to_get}")
        for backend, program in table.list_programs(env.environ)
        if program or backend.automatic
    ]


def _trusted_hooks(env: VerbEnvironment) -> list[DoctorCheck]:
    """Return what each client with our plugin reports about running its hooks."""
    clean = remove_agent_variables(env.environ)
    checks = []
    for name in find.NAMES:
        program = table.get(name).find_program(env.environ)
        trust = find.get_client(name).examine_trust(program.path, clean, env.place) if program else None
        checks += [DoctorCheck(f"in {name}", *trust)] if trust else []
    return checks


def _home(env: VerbEnvironment) -> DoctorCheck:
    root = env.store.home.root
    try:
        os.makedirs(root, mode=0o700, exist_ok=True)
        probe = f"{root}/.doctor.{os.getpid()}"
        with open(probe, "w", encoding="utf-8"):
            pass
        os.unlink(probe)
    except OSError as error:
        why = f"not writable ({error.strerror}); set ULTRAWORK_HOME to a writable folder"
        return DoctorCheck("state", root, why)
    return DoctorCheck("state", root)


def _database(env: VerbEnvironment) -> DoctorCheck:
    try:
        count = env.store.database.value("SELECT count(*) FROM sessions")
        damaged = sessions.list_damaged(env.store.database)
    except UltraworkError as error:
        return DoctorCheck("database", "unusable", str(error))
    mend = f"could not read {damaged[0]}; run ultrawork session clean --damaged" if damaged else ""
    return DoctorCheck("database", count_things(count, "session"), mend)


def _session(env: VerbEnvironment) -> list[DoctorCheck]:
    """Return the newest of this checkout, as `status` shows it."""
    try:
        session_summary = summarize(env.store, find_newest(env.store, env.place))
    except UltraworkError:
        return []
    goal = cut(join_lines(session_summary.session.goal), 40)
    text = f'{session_summary.word}: "{goal}" {session_summary.session.id[:8]}, {describe_age(session_summary, env.store.now())}'
    return [DoctorCheck("session", text, summary=session_summary.document())]


def _measure_disk(env: VerbEnvironment) -> DoctorCheck:
    """Return what is on disk, each with its automatic limit."""
    home = env.store.home
    try:
        limits = retention.read_limits(home, env.environ)
    except UltraworkError as error:
        return DoctorCheck("kept", "unknown", str(error))
    descriptions = [_describe_kept(name, size, limits) for name, size in retention.measure_kept(home).items()]
    return DoctorCheck("kept", f"{', '.join(descriptions)}; set [keep] in {home.settings}")


def _describe_kept(name: str, size: int, limits: retention.KeptLimits) -> str:
    most = getattr(limits, name, 0)
    shown = f"{name} {size / retention.MEGABYTE:.0f} MB"
    if name == "sessions":
        return f"{shown} (ended: {most / 86400:g} days)" if most else shown
    return f"{shown} of {most // retention.MEGABYTE:,}" if most else shown


def _gates(env: VerbEnvironment) -> DoctorCheck:
    try:
        listing = preparation.read(env.store, env.environ, env.place)
    except UltraworkError as error:
        return DoctorCheck("gates", "not readable", str(error))
    if not listing.gates:
        return DoctorCheck("gates", "no checks found here; draft one: ultrawork gates draft")
    may = "denied: ultrawork gates allow" if listing.denied else ""
    lines = [
        f"{gate.name}: {gate.command} ({gate.source}" + (", allowed)" if listing.allowed[gate.name] else ")")
        for gate in listing.gates
    ]
    return DoctorCheck("gates", "    ".join([*lines, *([may] if may else [])]))


def _hooks(env: VerbEnvironment) -> DoctorCheck:
    """Measure what a tool call costs while a session is off and while it is on."""
    events = ("PreToolUse", "PostToolUse")
    try:
        hook_costs = doctor_hooks.measure(env.store.home.cache, env.environ, events)
    except UltraworkError as error:
        return DoctorCheck("hooks", "not measured", str(error))
    if not hook_costs:
        return DoctorCheck("hooks", _NO_HOOKS)
    on, off = (sum(getattr(hook_cost, name) or 0.0 for hook_cost in hook_costs) for name in ("on", "off"))
    return DoctorCheck("hooks", f"{on:.0f} ms per tool call while on, {off:.0f} ms while off")


def show_hooks(env: VerbEnvironment) -> Result:
    """Return every handler, and what each event costs on this machine."""
    if doctor_hooks.find_launcher() is None:
        return Result({"events": []}, f"hooks      {_NO_HOOKS}", exit=errors.EXIT_NOTHING)
    events = doctor_hooks.make_document(doctor_hooks.measure(env.store.home.cache, env.environ))
    return Result({"events": events}, doctor_hooks.render(events))


def _system() -> list[DoctorCheck]:
    if sys.platform in ("linux", "darwin"):
        return []
    return [DoctorCheck("system", sys.platform, "ultrawork runs on Linux and macOS; on Windows, use WSL")]


COMMANDS = (
    Command(
        "",
        "Each line that is not ok says how to fix it",
        examine,
        flags=(
            switch("--fix", "apply the safe fixes"),
            switch("--hooks", "measure every hook on this machine"),
            switch("--context", "measure what each plugin adds to the first request; starts each client"),
        ),
        example="ultrawork doctor\nultrawork doctor --hooks",
    ),
)
