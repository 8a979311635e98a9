"""`ultrawork plan`: explore and plan a goal; nothing is changed."""

from ...core import check
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import Args
from ..headless import driver


def plan(args: Args, env: VerbEnvironment) -> Result:
    goal = check.clean_text(" ".join(args.rest), "goal")
    return driver.start_session(args, env, goal, plan_only=True, auto_mode=True)


COMMANDS = (
    Command(
        "",
        "Explore and plan a goal, and end when the plan stands; ultrawork exec carries it out",
        plan,
        flags=driver.LIMITS,
        rest="GOAL",
        example='ultrawork plan "add password reset"',
    ),
)
