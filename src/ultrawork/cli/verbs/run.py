"""`ultrawork run`: a goal, carried out by agents without a client, and proved."""

from ...core import check
from .. import headless, starting
from ..command import Command
from ..flags import SWITCH, Flag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args
    from ..result import Result


def run(args: "Args", edge: "Edge") -> "Result":
    return headless.new(args, edge, check.text(" ".join(args.rest), "goal"))


COMMANDS = (
    Command(
        "",
        "Explore, plan, work in parallel, merge, verify: until it is proved, or said that it is not.\n"
        'With --mode pipeline the GOAL is a -> b "task"; swarm is several workers on the engine\'s own queue',
        run,
        flags=(
            Flag("--auto", "carry out the plan without asking", kind=SWITCH),
            Flag("--plan-only", "end when the plan stands", kind=SWITCH),
            *starting.FLAGS,
            *headless.LIMITS,
        ),
        rest="GOAL",
        example='ultrawork run --auto --max-workers 3 "fix the login bug"',
    ),
)
