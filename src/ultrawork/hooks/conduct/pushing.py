"""The planned session that an event belongs to, and pushing its next step into the conversation."""

from ...core import steps
from ...core.delegation import STRICT
from ...core.nudges import told
from ...core.session import FULL
from ...core.wording import cut, one_line
from ...flow.course import Course
from ...store import markers, sessions
from ..answer import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session import Session
    from ...core.steps import Step
    from ..event import Event

_BRIEF = 1000


def name_of(event: "Event") -> str:
    """The marker says which planned session this client session drives; empty if none."""
    content = markers.get(event.home, markers.ACTIVE, event.session) if event.session else None
    if content is None or content.get("kind") != FULL:
        return ""
    return str(content.get("session") or event.session)


def on(event: "Event") -> list[str]:
    """The modes of the planned session, as its marker names them."""
    content = markers.get(event.home, markers.ACTIVE, event.session) or {}
    found = content.get("modes")
    return [str(one) for one in found] if isinstance(found, list) else []


def course_of(event: "Event") -> Course | None:
    name = name_of(event)
    if not name:
        return None
    return Course(
        event.store, event.environ, name, attended=event.attended, language=_language(event)
    )


def _language(event: "Event") -> str:
    return "ko" if event.environ.get("LANG", "").startswith("ko") else "en"


def attach(event: "Event", session: "Session") -> None:
    level = session.state.get("delegation") or STRICT
    content: dict[str, object] = {
        "kind": FULL,
        "session": session.id,
        "phase": session.phase,
        "level": level,
    }
    if session.state.get("modes"):
        from ...flow.modes import of

        content["modes"] = list(of(session))
    if markers.get(event.home, markers.ACTIVE, event.session) != content:
        markers.arm(event.home, event.environ, event.session, content)


def pushed(event: "Event", course: Course) -> tuple["Session", "Step", str]:
    """Does the program's own steps, keeps the marker in line with the phase, and words what is next."""
    step = course.advance()
    session = sessions.get(event.store.database, course.name)
    if session.active:
        attach(event, session)
    return session, step, _worded(event, told(session, step, codex=event.is_codex))


def _worded(event: "Event", text: str) -> str:
    """With our program as the agent's shell can call it."""
    if event.program == "ultrawork":
        return text
    for mark in ("`", "  "):
        text = text.replace(f"{mark}ultrawork ", f"{mark}{event.program} ")
    return text


def push(event: "Event") -> Answer | None:
    """What comes next, as context; said only when somebody has to act."""
    course = course_of(event)
    if course is None:
        return None
    _, step, text = pushed(event, course)
    notes = noted(event, course)
    if step.kind == steps.WAIT and not notes:
        return None
    return Answer(context="\n".join([text, *notes]))


def brief(event: "Event") -> Answer | None:
    """All that a conversation needs that has forgotten everything else, in a kilobyte."""
    course = course_of(event)
    if course is None:
        return None
    session, step, text = pushed(event, course)
    if not session.active:
        return None
    goal = f"ultrawork session of this conversation. Goal: {cut(one_line(session.goal), 200)}"
    waiting = f"At work: {', '.join(step.waiting[:8])}." if step.waiting else ""
    ends = "It ends when every task is resolved, the gates are green and the verifier agrees."
    return Answer(context=cut("\n".join(filter(None, [goal, waiting, ends, text])), _BRIEF))


def noted(event: "Event", course: Course) -> list[str]:
    """What was written past the edit tools, said once."""
    from ...flow import shell

    return [f"Note: {one}." for one in shell.untold(event.store, course.name)[:3]]
