"""`ultrawork statusline`: one short line for the client's status bar; empty when nothing is on."""

from ...core.errors import UltraworkError
from ...report import status as report
from ...store import markers, sessions
from ...store import settings as stored
from ..command import Command, Result
from ..flags import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session.session import Session
    from ..environment import VerbEnvironment
    from ..flags import Args


def show(args: "Args", edge: "VerbEnvironment") -> Result:
    """A status bar is no place for complaints: whatever is wrong, the line is empty."""
    try:
        line = _line(edge.session(args) if args.text("--session") else _client(edge), edge)
    except UltraworkError:
        line = ""
    return Result({"line": line}, line)


def _line(session: "Session", edge: "VerbEnvironment") -> str:
    home = edge.store.home
    if markers.is_switched_off(home, session.id):
        return ""
    settings = stored.load_at(edge.environ, home, session.working_dir)
    found = report.read(edge.store.database, session, limit=settings["stop.refusals"])
    running = markers.get(home, markers.RUNNING, session.id)
    return report.render_line(found, running, edge.store.now())


def _client(edge: "VerbEnvironment") -> "Session":
    """The client passes its session as JSON on standard input."""
    from ...store.codec import loads

    try:
        given = loads(edge.read("-", "status"))
        name = given.get("session_id") if isinstance(given, dict) else None
    except ValueError:
        name = None
    return (
        sessions.get(edge.store.database, str(name))
        if name
        else sessions.find(edge.store.database, None, edge.place)
    )


COMMANDS = (
    Command(
        "",
        "Print one line for a client's status bar; it reads the client's JSON on standard input",
        show,
        flags=(SESSION,),
        example="echo '{}' | ultrawork statusline",
    ),
)
