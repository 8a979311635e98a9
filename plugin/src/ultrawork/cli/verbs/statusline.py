"""`ultrawork statusline`: one short line for the client's status bar; empty when nothing is on."""

from ...core.errors import UltraworkError
from ...core.session.session import Session
from ...report import status as report
from ...store import markers, sessions
from ...store import settings as stored
from ...store.codec import loads
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, Args


def show(args: Args, env: VerbEnvironment) -> Result:
    """A status bar is no place for complaints: whatever is wrong, the line is empty."""
    try:
        line = _line(env.session(args) if args.text("--session") else _client(env), env)
    except UltraworkError:
        line = ""
    return Result({"line": line}, line)


def _line(session: Session, env: VerbEnvironment) -> str:
    home = env.store.home
    if markers.is_switched_off(home, session.id):
        return ""
    settings = stored.load_at(env.environ, home, session.working_dir)
    found = report.read(env.store, session, limit=settings["stop.refusals"])
    return report.render_line(found, found["check"], env.store.now())


def _client(env: VerbEnvironment) -> Session:
    """The client passes its session as JSON on standard input."""
    try:
        given = loads(env.read("-", "status"))
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
        "Reads the client's JSON from standard input",
        show,
        flags=(SESSION,),
        example="echo '{}' | ultrawork statusline\necho '{}' | ultrawork statusline --json",
    ),
)
