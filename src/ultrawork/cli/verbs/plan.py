"""`ultrawork plan`: explore and plan a goal; nothing is changed."""

from ...core import check
from .. import headless
from ..command import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args
    from ..result import Result


def plan(args: "Args", edge: "Edge") -> "Result":
    goal = check.text(" ".join(args.rest), "goal")
    return headless.new(args, edge, goal, plan_only=True, auto_mode=True)


COMMANDS = (
    Command(
        "",
        "Explore and plan a goal, and end when the plan stands; ultrawork exec carries it out",
        plan,
        flags=headless.LIMITS,
        rest="GOAL",
        example='ultrawork plan "add password reset"',
    ),
)
