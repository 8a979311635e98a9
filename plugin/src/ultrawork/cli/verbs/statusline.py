"""`ultrawork statusline`: one short line for the client's status bar; empty when nothing is on."""

from ...core.errors import UltraworkError
from ...core.session.session import Session
from ...report import status as report
from ...store import markers, sessions
from ...store import settings as stored
from ...store.codec import loads
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, Args, Flag

_PATIENCE = 5.0


def show(args: Args, env: VerbEnvironment) -> Result:
    """A status bar is no place for complaints: whatever is wrong, the line is empty."""
    given, other = "", args.text("--after")
    try:
        given = "" if args.text("--session") else env.read("-", "status")
        line = _line(env.session(args) if args.text("--session") else _client(env, given), env)
    except UltraworkError:
        line = ""
    if other:
        line = " · ".join(part for part in (_run_other(other, given, env), line) if part)
    return Result({"line": line}, line)


def _run_other(command: str, given: str, env: VerbEnvironment) -> str:
    """The status line that was there before ours: it gets the same input, and comes first."""
    from ...system.program import ask_program

    argv = ["/bin/sh", "-c", command]
    try:
        told = ask_program(argv, env=env.environ, given=given.encode(), patience=_PATIENCE)
    except (UltraworkError, OSError):
        return ""
    return told.out.decode("utf-8", "replace").rstrip("\n")


def _line(session: Session, env: VerbEnvironment) -> str:
    home = env.store.home
    if markers.is_switched_off(home, session.id):
        return ""
    settings = stored.load_at(env.environ, home, session.working_dir)
    found = report.read(env.store, session, limit=settings["stop.refusals"])
    return report.render_line(found, found["check"], env.store.now())


def _client(env: VerbEnvironment, text: str) -> Session:
    """The client passes its session as JSON on standard input."""
    try:
        given = loads(text)
        name = given.get("session_id") if isinstance(given, dict) else None
    except ValueError:
        name = None
    return (
        sessions.get(env.store.database, str(name))
        if name
        else sessions.find(env.store.database, None, env.place)
    )


COMMANDS = (
    Command(
        "",
        "Print one line for a client's status bar; it reads the client's JSON on standard input",
        show,
        flags=(
            SESSION,
            Flag("--after", "run this status line first, and show both", metavar="COMMAND"),
        ),
        example="echo '{}' | ultrawork statusline",
    ),
)
