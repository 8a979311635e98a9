"""`ultrawork cancel`: the person's switch, from another terminal."""

from ...core.errors import Conflict
from ...core.wording import cut, one_line
from ...report import status as report
from ...store import switch
from ..command import Command
from ..edge import AGENT
from ..flags import SESSION
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args


def cancel(args: "Args", edge: "Edge") -> Result:
    if edge.store.actor == AGENT:
        raise Conflict("inside a client only the person switches it off: type ulw off there")
    session = edge.session(args)
    if not session.active:
        return Result(
            {"session_id": session.id, "active": False}, f"{session.id[:8]} is off already"
        )
    before = report.snapshot(edge.store.database, session, limit=0)
    switch.release(edge.store, session.id, how="ultrawork cancel in a terminal")
    red = "".join(f", {name} {result}" for name, result in before["results"].items())
    return Result(
        {"session_id": session.id, "active": False},
        f'off: session {session.id[:8]} "{cut(one_line(session.goal), 50)}" '
        f"({before['refusals']} refusals{red}). Files are as the agent left them.",
    )


COMMANDS = (
    Command(
        "",
        "Switch a session off; its files stay as they are, and nothing counts as verified",
        cancel,
        flags=(SESSION,),
        example="ultrawork cancel",
    ),
)
