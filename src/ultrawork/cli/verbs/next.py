"""`ultrawork next`: what comes next in a session, and the program's own steps done on the way."""

from ...core.course import steps
from ...core.course.steps import NextStep
from ...flow import own_steps
from ...flow.course import Course
from ..command import Command, Result
from ..environment import PERSON, VerbEnvironment
from ..flags import SESSION, SWITCH, Args, Flag


def show(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    course = Course(
        env.store,
        env.environ,
        session.id,
        attended=env.store.actor == PERSON,
        barrier=args.on("--barrier"),
    )
    step = own_steps.advance(course)
    return Result({"session_id": session.id, **step.document()}, render(step))


def render(step: NextStep) -> str:
    lines = [f"{step.kind}: {step.text}"]
    for spawn in step.spawns:
        lines += [
            "",
            f"{spawn.agent} ({spawn.model}): {spawn.description}",
            *_indented(spawn.prompt),
        ]
    if step.kind == steps.ASK:
        lines += [step.question, *(f"  - {option}" for option in step.options)]
    return "\n".join(lines)


def _indented(prompt: str) -> list[str]:
    return [f"  {line}".rstrip() for line in prompt.splitlines()]


COMMANDS = (
    Command(
        "",
        "Do the program's own steps of a session, and say what comes next",
        show,
        flags=(SESSION, Flag("--barrier", "let a wave end before the next begins", kind=SWITCH)),
        example="ultrawork next --session last --json",
    ),
)
