"""pipeline begins: a planned session whose stages the person wrote."""

from ...core.course import pipeline as written
from ...core.course.pipeline_agents import MODELS
from ...core.course.pipeline_plan import read_state
from ...core.errors import UsageError
from ...flow import beginning, pipeline
from ...flow import beginning as plain
from ..answer import Answer
from .session import advance, attach, open_course

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session.session import Session
    from ..event import Event

USAGE = (
    "[--retry=N] [--on-error=abort|skip|retry|fallback] [--merge=concat|summarize|vote]"
    ' a:model -> b -> [c, d] "task" | review|implement|debug|research|refactor|security "task"'
)
_CONDUCT = (
    "pipeline is on. The program decides, agents do the work, you pass it between them: do exactly the step"
    " that ultrawork names, never edit yourself, and end your turn when it says to wait."
)


def begin(event: "Event", mode: str, words: str) -> Answer:
    first = words.split()[:1]
    if first == ["--help"]:
        return Answer(block=f"/ultrawork:{mode} {USAGE}")
    session = _resumed(event, mode) if first == ["--resume"] else _begun(event, words)
    attach(event, session)
    course = open_course(event)
    assert course is not None
    session, _, text = advance(event, course)
    drawn = str(read_state(session)["expression"])
    return Answer(
        context=f"{_CONDUCT}\n{text}",
        message=f"ultrawork: pipeline on, {drawn[:60]}. Off: ulw off. Show: ulw status",
        title=session.goal[:60],
    )


def _begun(event: "Event", words: str) -> "Session":
    typed = pipeline.PipelineCommand(
        words if event.text("command_name") else written.find_in_prompt(words)
    )
    for model in (member.model for stage in typed.pipeline.stages for member in stage):
        if model and model not in MODELS:
            known = ", ".join(MODELS)
            raise UsageError(f"the client runs agents on {known}; {model} only works headless")
    return pipeline.begin(
        event.store,
        event.environ,
        event.place,
        event.session,
        pipeline=typed.pipeline,
        wishes=typed.wishes,
        options=typed.options,
    )


def _resumed(event: "Event", mode: str) -> "Session":
    found = beginning.find_by_mode(event.store, event.place, mode)
    return plain.resume(
        event.store, event.place, event.session, plain.GoalCommand({"session": found.id}, "")
    )
