"""autopilot, ultrapilot and team begin: a planned session with the mode's own stages, judges and limits."""

from ...core.errors import UltraworkError
from ...flow import begin as plain
from ...flow import modes, planned
from ..answer import Answer
from ..conduct.pushing import attach, course_of, pushed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session import Session
    from ..event import Event

USAGE = "[--resume] [--max-workers N] [--max-iterations N] [--skip-verify] [--barrier] <goal>"
_RESUME = "--resume"
# Said where no skill says it: a word alone begins a mode as well.
_CONDUCT = (
    "{mode} is on. The program decides, agents do the work, you pass it between them: do exactly the step"
    " that ultrawork names, never edit yourself, and end your turn when it says to wait."
)


def begin(event: "Event", mode: str, words: str) -> Answer:
    """What was typed as a command and cannot be done is not passed on to the model as if it had been."""
    try:
        return _begin(event, mode, words)
    except UltraworkError as error:
        if event.name != "UserPromptExpansion":
            raise
        return Answer(block=f"ultrawork: {mode} is not on: {error}")


def _begin(event: "Event", mode: str, words: str) -> Answer:
    if words.split()[:1] == ["--help"]:
        return Answer(block=f"/ultrawork:{mode} {USAGE}")
    session = (
        _resumed(event, mode) if words.split()[:1] == [_RESUME] else _begun(event, mode, words)
    )
    attach(event, session)
    course = course_of(event)
    assert course is not None
    session, _, text = pushed(event, course)
    on = modes.of(session).get(mode)
    phase = on.phase if on is not None else session.phase
    return Answer(
        context=f"{_CONDUCT.format(mode=mode)}\n{text}",
        message=f"ultrawork: {mode} on, {phase}, session {session.id[:8]}. Off: ulw off. Show: ulw status",
        title=session.goal[:60],
    )


def _begun(event: "Event", mode: str, words: str) -> "Session":
    given = plain.parse(words)
    return planned.begin(event.store, event.environ, event.place, event.session, mode, given)


def _resumed(event: "Event", mode: str) -> "Session":
    found = planned.find(event.store, event.place, mode)
    given = plain.Words({"session": found.id}, "")
    return plain.resume(event.store, event.place, event.session, given)
