"""`ultrawork status`: what is on, which gates decide, how many refusals are used."""

from ...core.errors import NotFound
from ...report import status as report
from ...store import ending, sessions
from ...store import settings as stored
from ..command import Command, Result
from ..flags import SESSION, SWITCH, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..environment import VerbEnvironment
    from ..flags import Args


def show(args: "Args", edge: "VerbEnvironment") -> Result:
    if args.on("--watch"):
        from .watch import watch

        return watch(args, edge)
    try:
        session = edge.session(args)
    except NotFound:
        modes = [] if args.text("--session") else _modes(edge)
        if not modes:
            raise
        told = {"session_id": None, "active": False, "modes": modes}
        return Result(told, report.render_without_session(modes))
    if session.active:
        ending.follow_switch(edge.store, session.id)
        session = sessions.get(edge.store.database, session.id)
    settings = stored.load_at(edge.environ, edge.store.home, session.working_dir)
    limit, now = settings["stop.refusals"], edge.store.now()
    found = report.read(edge.store.database, session, limit=limit, now=now)
    return Result(found, report.render(found))


def _modes(edge: "VerbEnvironment") -> "list[dict[str, Any]]":
    return report.list_modes_elsewhere(edge.store.database, edge.place, edge.store.now())


COMMANDS = (
    Command(
        "",
        "Show what is on",
        show,
        flags=(SESSION, Flag("--watch", "stay and follow a run as it goes on", kind=SWITCH)),
        example="ultrawork status",
    ),
)
