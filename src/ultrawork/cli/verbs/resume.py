"""`ultrawork resume`: go on with a session whose engine was stopped or killed."""

from .. import headless
from ..command import Command
from ..flags import SESSION, SWITCH, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args
    from ..result import Result


def resume(args: "Args", edge: "Edge") -> "Result":
    return headless.again(args, edge, edge.session(args))


COMMANDS = (
    Command(
        "",
        "Go on where a session was stopped; what has a result is not run again",
        resume,
        flags=(
            SESSION,
            Flag("--auto", "carry out the plan without asking", kind=SWITCH),
            *headless.LIMITS,
        ),
        example="ultrawork resume",
    ),
)
