"""`ultrawork run`: a goal, carried out by agents without a client, and proved."""

from ...core import check
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SWITCH, Args, Flag
from ..headless import driver, new_session


def run(args: Args, env: VerbEnvironment) -> Result:
    return driver.start_session(args, env, check.clean_text(" ".join(args.rest), "goal"))


COMMANDS = (
    Command(
        "",
        "Explore, plan, work in parallel, merge, verify: until it is proved, or said that it is not.\n"
        'With --mode pipeline the GOAL is a -> b "task"; swarm is several workers on the engine\'s own queue',
        run,
        flags=(
            Flag("--auto", "carry out the plan without asking", kind=SWITCH),
            Flag("--plan-only", "end when the plan stands", kind=SWITCH),
            *new_session.FLAGS,
            *driver.LIMITS,
        ),
        rest="GOAL",
        example='ultrawork run --auto --max-workers 3 "fix the login bug"',
    ),
)
