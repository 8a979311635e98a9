"""Start and resume a planned session from what a user typed, including autopilot, ultrapilot and team with their own
stages, judges and limits. A client whose planned session the user moved to another one is told, and its agents end."""

from ...core.errors import UltraworkError, UsageError
from ...core.modes import record
from ...core.session.session import Session
from ...flow import beginning, planned_mode
from ...store import markers
from ..caller import is_started_by_agent
from ..event import Answer, Event
from .session import find_agent, take_up, tell_what_runs
from .telling import is_shown, show_plan, tell_queue

_EXEC = "ultrawork:ultrawork-exec"
USAGE = "[--resume] [--max-workers N] [--max-iterations N] [--skip-verify] [--barrier] <goal>"
RESUME = "--resume"
# Shown if no skill says it: a keyword alone starts a mode as well.
CONDUCT = "{mode} is on. ultrawork chooses each step, and agents do the work. Do exactly the step that ultrawork names. Never edit files yourself. End your turn when it asks you to wait."


def begin_typed(event: Event) -> Answer:
    """Create the session from the typed words, whatever the model does next."""
    name = event.text("command_name")
    try:
        words = beginning.parse(event.text("command_args"))
        if words.options.get("help"):
            usage = beginning.EXEC_USAGE if name == _EXEC else beginning.USAGE
            return Answer(block=f"/{name} {usage}")
        return _begin_typed(event, name, words)
    except UltraworkError as error:
        return Answer(block=f"ultrawork: {error}")


def _begin_typed(event: Event, name: str, words: beginning.GoalCommand) -> Answer:
    if name == _EXEC:
        unseen = _find_unseen(event, words)
        if unseen is not None:
            again = f"To execute it, type /{_EXEC} again"
            return Answer(end=f"{show_plan(event, unseen)}\n{again}")
        session = _resume(event, words)
    else:
        if name.endswith("-plan"):
            words.options["plan_only"] = True
        session = beginning.begin(event.store, event.environ, event.place, event.session, words)
    session, text = take_up(event, session)
    queue = tell_queue(event, session) if name == _EXEC else ""
    return Answer(
        context=text,
        message=f"ultrawork: session {session.id[:8]}, {session.phase}. Turn off: ulw off. Details: ulw status"
        + tell_what_runs(event, session)
        + (f"\n{queue}" if queue else ""),
        title=session.goal[:60],
    )


def _find_unseen(event: Event, words: beginning.GoalCommand) -> Session | None:
    """Return a plan that executing would approve and that the user at this client has not seen."""
    if not event.attended:
        return None
    wanted = words.options.get("session")
    session = beginning.find_planned(event.store, event.place, event.session, wanted)
    return session if beginning.is_unapproved(session) and not is_shown(session) else None


def begin_mode(event: Event, mode: str, words: str) -> Answer:
    """Start a mode; a typed command that fails is not passed to the model."""
    try:
        return _begin(event, mode, words)
    except UltraworkError as error:
        if event.name != "UserPromptExpansion":
            raise
        return Answer(block=f"ultrawork: {mode} is not on: {error}")


def _begin(event: Event, mode: str, words: str) -> Answer:
    if words.split()[:1] == ["--help"]:
        return Answer(block=f"/ultrawork:{mode} {USAGE}")
    session = resume_mode(event, mode) if words.split()[:1] == [RESUME] else _begin_session(event, mode, words)
    session, text = take_up(event, session)
    on = record.read_active(session).get(mode)
    phase = on.phase if on is not None else session.phase
    return Answer(
        context=f"{CONDUCT.format(mode=mode)}\n{text}",
        message=f"ultrawork: {mode} on, {phase}, session {session.id[:8]}. Turn off: ulw off. Details: ulw status"
        + tell_what_runs(event, session),
        title=session.goal[:60],
    )


def _begin_session(event: Event, mode: str, words: str) -> Session:
    goal_command = beginning.parse(words)
    return beginning.begin_mode(event.store, event.environ, event.place, event.session, mode, goal_command)


def resume_mode(event: Event, mode: str) -> Session:
    session = beginning.find_by_mode(event.store, event.place, mode)
    goal_command = beginning.GoalCommand({"session": session.id}, "")
    return _resume(event, goal_command)


def _resume(event: Event, words: beginning.GoalCommand) -> Session:
    if words.options.get("take_over") and is_started_by_agent(event.caller):
        raise UsageError("only you can take over a session, and an agent started this client")
    return beginning.resume(event.store, event.place, event.session, words, event.caller)


def hold_agents(event: Event) -> Answer | None:
    """Refuse every further step of this client for the session."""
    return Answer(deny=f"ultrawork: {_tell(event)} Stop here: end your turn without another tool call.")


def note_ended(event: Event) -> None:
    session = _name(event)
    agent = find_agent(event, session)
    if agent is not None and agent.ended_at is None:
        planned_mode.release_agent(event.store, session, agent)


def tell_model(event: Event) -> Answer | None:
    return Answer(context=f"{_tell(event)} You have nothing more to do for it here.")


def tell_person(event: Event) -> Answer | None:
    """Tell the user once, when the turn ends; its agents are held until they have ended."""
    text = f"ultrawork: {_tell(event)} Off in this conversation."
    if not any(entry.get("type") != "shell" for entry in event.entries("background_tasks")):
        markers.disarm(event.home, event.environ, event.session)
        markers.remove(event.home, markers.HANDED, event.session)
    return Answer(message=text)


def _name(event: Event) -> str:
    content = markers.get(event.home, markers.HANDED, event.session) or {}
    return str(content.get("session") or "")


def _tell(event: Event) -> str:
    return f"session {_name(event)[:8]} continues in another client."
