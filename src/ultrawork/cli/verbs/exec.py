"""`ultrawork exec`: carry out a plan that stands, or a failed session anew."""

from ...flow import begin
from .. import headless
from ..command import Command
from ..flags import SESSION, SWITCH, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args
    from ..result import Result


def execute(args: "Args", edge: "Edge") -> "Result":
    options: dict[str, object] = {"restart": True} if args.on("--restart") else {}
    name = edge.session(args).id
    words = begin.Words({**options, "session": name}, "")
    session = begin.resume(edge.store, edge.place, name, words)
    return headless.again(args, edge, session)


COMMANDS = (
    Command(
        "",
        "Carry out the plan of a session: executing it approves it",
        execute,
        flags=(
            SESSION,
            Flag("--restart", "begin a new run of a failed session", kind=SWITCH),
            *headless.LIMITS,
        ),
        example="ultrawork exec --session last",
    ),
)
