"""`ultrawork status`: what is on, which gates decide, how many refusals are used."""

from ...report import status as report
from ...store import sessions, switch
from ...store import settings as stored
from ..command import Command
from ..flags import SESSION, SWITCH, Flag
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args


def show(args: "Args", edge: "Edge") -> Result:
    if args.on("--watch"):
        from .watch import watch

        return watch(args, edge)
    session = edge.session(args)
    if session.active:
        switch.settle(edge.store, session.id)
        session = sessions.get(edge.store.database, session.id)
    place = session.working_dir
    settings = stored.load(
        edge.environ, edge.store.home, lambda name: stored.read_file(f"{place}/{name}")
    )
    limit, now = settings["stop.refusals"], edge.store.now()
    found = report.snapshot(edge.store.database, session, limit=limit, now=now)
    return Result(found, report.text(found))


COMMANDS = (
    Command(
        "",
        "Show what is on",
        show,
        flags=(SESSION, Flag("--watch", "stay and follow a run as it goes on", kind=SWITCH)),
        example="ultrawork status",
    ),
)
