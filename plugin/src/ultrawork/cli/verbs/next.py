"""`ultrawork next`: what comes next in a session, and the program's own steps done on the way."""

from ...flow import own_steps
from ...flow.course import Course
from ...report.course import render_step
from ..command import Command, Result
from ..environment import PERSON, SESSION, Args, VerbEnvironment, switch


def show(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    course = Course(
        env.store, env.environ, session.id, attended=env.store.actor == PERSON, barrier=args.on("--barrier")
    )
    step = own_steps.advance(course)
    return Result({"session_id": session.id, **step.document()}, render_step(step))


COMMANDS = (
    Command(
        "",
        "Carries out the program's own steps first",
        show,
        flags=(SESSION, switch("--barrier", "finish one wave of tasks before the next")),
        example="ultrawork next\nultrawork next --session last --json",
    ),
)
