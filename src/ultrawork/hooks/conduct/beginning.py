"""Beginning and taking up a planned session from what a person typed."""

from ...core.errors import UltraworkError
from ...flow import begin
from ..answer import Answer
from .pushing import attach, course_of, pushed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event

_EXEC = "ultrawork:ultrawork-exec"


def begun(event: "Event") -> Answer:
    """The session exists whatever the model does next: the hook makes it from the words as typed."""
    name = event.text("command_name")
    try:
        words = begin.parse(event.text("command_args"))
        if words.options.get("help"):
            return Answer(block=f"/{name} {begin.USAGE}")
        return _begin(event, name, words)
    except UltraworkError as error:
        return Answer(block=f"ultrawork: {error}")


def _begin(event: "Event", name: str, words: begin.Words) -> Answer:
    if name == _EXEC:
        session = begin.resume(event.store, event.place, event.session, words)
    else:
        if name.endswith("-plan"):
            words.options["plan_only"] = True
        session = begin.begin(event.store, event.environ, event.place, event.session, words)
    attach(event, session)
    course = course_of(event)
    assert course is not None
    session, _, text = pushed(event, course)
    return Answer(
        context=text,
        message=f"ultrawork: session {session.id[:8]}, {session.phase}. Off: ulw off. Show: ulw status",
        title=session.goal[:60],
    )
