"""`ultrawork resume`: go on with a session whose engine was stopped or killed."""

from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, SWITCH, Args, Flag
from ..headless import driver


def resume(args: Args, env: VerbEnvironment) -> Result:
    return driver.resume_session(args, env, env.session(args))


COMMANDS = (
    Command(
        "",
        "Go on where a session was stopped; what has a result is not run again",
        resume,
        flags=(
            SESSION,
            Flag("--auto", "carry out the plan without asking", kind=SWITCH),
            *driver.LIMITS,
        ),
        example="ultrawork resume",
    ),
)
