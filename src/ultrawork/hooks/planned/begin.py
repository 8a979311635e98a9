"""
Beginning and taking up a planned session from what a person typed.

autopilot, ultrapilot and team begin: a planned session with the mode's own stages, judges and limits.
"""

from ...core.errors import UltraworkError
from ...core.modes import record
from ...flow import beginning
from ...flow import beginning as plain
from ..answer import Answer
from .session import advance, attach, open_course

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session.session import Session
    from ..event import Event

_EXEC = "ultrawork:ultrawork-exec"


def begin_typed(event: "Event") -> Answer:
    """The session exists whatever the model does next: the hook makes it from the words as typed."""
    name = event.text("command_name")
    try:
        words = beginning.parse(event.text("command_args"))
        if words.options.get("help"):
            return Answer(block=f"/{name} {beginning.USAGE}")
        return _begin_typed(event, name, words)
    except UltraworkError as error:
        return Answer(block=f"ultrawork: {error}")


def _begin_typed(event: "Event", name: str, words: beginning.GoalCommand) -> Answer:
    if name == _EXEC:
        session = beginning.resume(event.store, event.place, event.session, words)
    else:
        if name.endswith("-plan"):
            words.options["plan_only"] = True
        session = beginning.begin(event.store, event.environ, event.place, event.session, words)
    attach(event, session)
    course = open_course(event)
    assert course is not None
    session, _, text = advance(event, course)
    return Answer(
        context=text,
        message=f"ultrawork: session {session.id[:8]}, {session.phase}. Off: ulw off. Show: ulw status",
        title=session.goal[:60],
    )


USAGE = "[--resume] [--max-workers N] [--max-iterations N] [--skip-verify] [--barrier] <goal>"
_RESUME = "--resume"
# Said where no skill says it: a word alone begins a mode as well.
_CONDUCT = (
    "{mode} is on. The program decides, agents do the work, you pass it between them: do exactly the step"
    " that ultrawork names, never edit yourself, and end your turn when it says to wait."
)


def begin_mode(event: "Event", mode: str, words: str) -> Answer:
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
    course = open_course(event)
    assert course is not None
    session, _, text = advance(event, course)
    on = record.read_active(session).get(mode)
    phase = on.phase if on is not None else session.phase
    return Answer(
        context=f"{_CONDUCT.format(mode=mode)}\n{text}",
        message=f"ultrawork: {mode} on, {phase}, session {session.id[:8]}. Off: ulw off. Show: ulw status",
        title=session.goal[:60],
    )


def _begun(event: "Event", mode: str, words: str) -> "Session":
    given = plain.parse(words)
    return beginning.begin_mode(event.store, event.environ, event.place, event.session, mode, given)


def _resumed(event: "Event", mode: str) -> "Session":
    found = beginning.find_by_mode(event.store, event.place, mode)
    given = plain.GoalCommand({"session": found.id}, "")
    return plain.resume(event.store, event.place, event.session, given)
