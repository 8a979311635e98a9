"""Start a pipeline: a planned session whose stages the user wrote."""

from ...core.errors import UsageError
from ...core.routing.catalogue import choose_agent
from ...core.session.session import Session
from ...hooks.event import Answer, Event
from ...hooks.planned.begin import CONDUCT, RESUME, resume_mode
from ...hooks.planned.session import take_up, tell_what_runs
from .course import stages
from .values.agents import MODELS
from .values.expression import find_in_prompt

USAGE = (
    "[--retry=N] [--on-error=abort|skip|retry|fallback] [--merge=concat|summarize|vote]"
    ' a:model -> b -> [c, d] "task" | review|implement|debug|research|refactor|security "task"'
)


def begin(event: Event, mode: str, words: str) -> Answer:
    first = words.split()[:1]
    if first == ["--help"]:
        return Answer(block=f"/ultrawork:{mode} {USAGE}")
    session = resume_mode(event, mode) if first == [RESUME] else _begin_session(event, words)
    session, text = take_up(event, session)
    drawn = str(session.state.pipeline["expression"])
    return Answer(
        context=f"{CONDUCT.format(mode=mode)}\n{text}",
        message=f"ultrawork: pipeline on, {drawn[:60]}. Turn off: ulw off. Details: ulw status"
        + tell_what_runs(event, session),
        title=session.goal[:60],
    )


def _begin_session(event: Event, words: str) -> Session:
    typed = stages.PipelineCommand(
        words if event.text("command_name") else find_in_prompt(words, choose_agent(words)[0])
    )
    for model in (member.model for stage in typed.pipeline.stages for member in stage):
        if model and model not in MODELS:
            known = ", ".join(MODELS)
            raise UsageError(f"this client runs agents on {known}; use ultrawork run for {model}")
    return stages.begin(
        event.store,
        event.environ,
        event.place,
        event.session,
        pipeline=typed.pipeline,
        wishes=typed.wishes,
        options=typed.options,
    )
