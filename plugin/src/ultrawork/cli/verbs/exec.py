"""`ultrawork exec`: execute an existing plan, or restart a failed session."""

from ...flow import beginning
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment, switch
from ..headless import driver


def execute(args: Args, env: VerbEnvironment) -> Result:
    options: dict[str, object] = {"restart": True} if args.on("--restart") else {}
    chosen_session = env.session(args)
    words = beginning.GoalCommand({**options, "session": chosen_session.id}, "")
    session = beginning.resume(env.store, chosen_session.working_dir, chosen_session.id, words)
    return driver.resume_session(args, env, session)


COMMANDS = (
    Command(
        "",
        "This approves the plan and starts work",
        execute,
        flags=(SESSION, switch("--restart", "start a new run of a failed session"), *driver.LIMITS),
        example="ultrawork exec\nultrawork exec --session last --max-workers 2",
    ),
)
