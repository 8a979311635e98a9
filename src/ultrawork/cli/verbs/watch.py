"""`ultrawork watch`: a headless run as it goes on, from any terminal."""

import sys
from time import sleep

from ...engine import view
from ...store import sessions
from .. import live
from ..command import Command
from ..flags import SESSION
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args


def watch(args: "Args", edge: "Edge") -> Result:
    """Until the session has ended, or once where nothing can be drawn."""
    name = edge.session(args).id
    shown = live.of(edge.environ, json=edge.json)
    while isinstance(shown, live.Picture) and sessions.get(edge.store.database, name).active:
        shown.draw(view.look(edge.store.database, name, now=edge.store.now()))
        sleep(live.EVERY)
    shown.close()
    seen = view.look(edge.store.database, name, now=edge.store.now())
    text = "\n".join(line for line, _ in live.lines(seen, live.width(sys.stdout)))
    return Result({"session_id": name, **seen.document()}, text)


COMMANDS = (
    Command("", "Watch a run until it ends", watch, flags=(SESSION,), example="ultrawork watch"),
)
