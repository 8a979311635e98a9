"""`ultrawork statusline`: one short line for the client's status bar; empty when nothing is on."""

from typing import Any

from ...core import check
from ...core.errors import UltraworkError
from ...core.session.session import Session
from ...core.status_line import PRESETS, render_status_line
from ...report import live
from ...store import line_cache, sessions
from ...store import settings as stored
from ...store.codec import loads
from ..command import Command, Result
from ..environment import SESSION, Args, Flag, VerbEnvironment

_PATIENCE = 5.0


def show(args: Args, env: VerbEnvironment) -> Result:
    """Show the line; on any error it is empty, because a status bar must not show errors."""
    given = "" if args.text("--session") else env.read("-", "status")
    before = _run_other(args.text("--after") or "", given, env)
    try:
        facts = _read(env.session(args) if args.text("--session") else _client(env, given), env)
    except UltraworkError:
        return Result({"line": before}, before)
    preset = check.require_choice(args.text("--preset") or facts["preset"], PRESETS, "preset")
    own = render_status_line(facts, preset, env.store.now())
    text = " · ".join(part for part in (before, own) if part)
    return Result({"line": text, **facts}, text)


def _run_other(command: str, given: str, env: VerbEnvironment) -> str:
    """Run the status line that was there before ours: it gets the same input, and comes first."""
    if not command:
        return ""
    from ...system.program import ask_program

    argv = ["/bin/sh", "-c", command]
    try:
        program_answer = ask_program(argv, env=env.environ, given=given.encode(), patience=_PATIENCE)
    except (UltraworkError, OSError):
        return ""
    return program_answer.out.decode("utf-8", "replace").rstrip("\n")


def _read(session: Session, env: VerbEnvironment) -> dict[str, Any]:
    home, now = env.store.home, env.store.now()
    sources = line_cache.list_sources(home)
    settings = stored.load_at(env.environ, home, session.working_dir)
    facts = live.read_facts(env.store, session, limit=settings["stop.refusals"])
    facts["preset"] = settings["statusline.preset"]
    line_cache.write_kept(home, session.id, facts, sources, now)
    return facts


def _client(env: VerbEnvironment, text: str) -> Session:
    """The client passes its session as JSON on standard input."""
    try:
        document = loads(text)
        name = document.get("session_id") if isinstance(document, dict) else None
    except ValueError:
        name = None
    return sessions.get(env.store.database, str(name)) if name else sessions.find(env.store.database, None, env.place)


COMMANDS = (
    Command(
        "",
        "Reads the client's JSON from standard input",
        show,
        flags=(
            SESSION,
            Flag("--preset", "how much it shows: minimal, focused or full", metavar="NAME"),
            Flag("--after", "run this status line first, and show both", metavar="COMMAND"),
        ),
        example="echo '{}' | ultrawork statusline\necho '{}' | ultrawork statusline --preset full",
    ),
)
