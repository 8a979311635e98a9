"""`ultrawork run`: a goal, carried out by agents without a client, and proved."""

from ...core import check
from ..command import Command, Result
from ..environment import Args, VerbEnvironment, switch
from ..headless import driver, new_session


def run(args: Args, env: VerbEnvironment) -> Result:
    return driver.start_session(args, env, check.clean_text(" ".join(args.rest), "goal"))


COMMANDS = (
    Command(
        "",
        'You approve the plan before any file changes, unless you add --auto.\nWith --mode pipeline, GOAL is: a -> b "task"',
        run,
        flags=(
            switch("--auto", "carry out the plan without asking for approval"),
            switch("--plan-only", "stop when the plan is complete"),
            *new_session.FLAGS,
            *driver.LIMITS,
        ),
        rest="GOAL",
        example='ultrawork run "fix the login bug"\nultrawork run --auto --max-workers 3 "fix the login bug"',
    ),
)
