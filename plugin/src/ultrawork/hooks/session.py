"""The beginning and the end of a client's session, and what it waits for in between."""

import os

from ..core import session_kinds, wording
from ..store import markers
from .event import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.session.session import Session
    from .event import Event

_RESUMED = ("compact", "resume")
_BRIEF = 1000


def welcome(event: "Event") -> Answer | None:
    """Return one line at the first start after installing, once ever."""
    mark = f"{event.home.root}/welcomed"
    if event.text("source") not in ("startup", "") or os.path.exists(mark):
        return None
    os.makedirs(event.home.root, mode=0o700, exist_ok=True)
    with open(mark, "x", encoding="utf-8"):
        return Answer(message=wording.READY)


def brief(event: "Event") -> Answer | None:
    """Return what the model no longer knows after compaction or resuming, and tell a person who resumes that it is on;
    a fork starts turned off."""
    source = event.text("source")
    if source == "fork":
        return _explain_fork(event)
    if source not in _RESUMED or not markers.is_armed(event.home, event.session):
        return None
    if markers.is_switched_off(event.home, event.session):
        return None
    from ..store import sessions

    planned = markers.find_planned_session(event.home, event.session)
    session = sessions.get(event.store.database, planned or event.session)
    if not session.active:
        return None
    message = ""
    if source == "resume":
        markers.put(event.home, markers.RESUMED, event.client, {"session": event.session})
        message = wording.tell_resumed(session.goal)
    context = "" if planned else _fit_limit(_lines(event, session))
    return Answer(context=context, message=message) if context or message else None


def _fit_limit(lines: list[str]) -> str:
    """Return at most a kilobyte; the last line, how it ends, stays whole."""
    *body, last = lines
    room = _BRIEF - len(last.encode()) - 1
    text = "\n".join(body).encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
    return f"{text}\n{last}"


def _explain_fork(event: "Event") -> Answer | None:
    """Explain a fork. Its parent is unknown; an active session in this checkout is reason enough."""
    row = None
    if os.path.exists(event.home.database):
        row = event.store.database.row(
            "SELECT 1 FROM sessions WHERE kind=? AND working_dir=? AND ended_at IS NULL AND id<>?",
            session_kinds.LIGHT, event.place, event.session,
        )  # fmt: skip
    return Answer(message=wording.FORK) if row is not None else None


def _lines(event: "Event", session: "Session") -> list[str]:
    from ..store import pins, receipts, trace
    from .todo_list import list_open

    pin = pins.get(event.store.database, session.id)
    last = receipts.find_last_verdict(event.store.database, session.id)
    gates = ", ".join(f"{gate.name} ({gate.command})" for gate in pin.gates) if pin else ""
    lines = [
        f"ultrawork is on. Goal: {wording.cut(wording.join_lines(session.goal), 300)}",
        f"Phase {session.phase}. Done means these pass: {gates or 'no checks found'}.",
    ]
    if last is not None:
        sentences = [finding["what"] for finding in last["findings"] if finding["level"] != "note"][:3]
        lines.append(f"Last check: {last['verdict']}" + (f": {'; '.join(sentences)}" if sentences else ""))
    if session.state.modes:
        from .modes.loops import describe_modes as told

        lines += told(event, session)
    items = list_open(trace.read_all(event.home, session.id))
    lines += [f"Open on your to-do list: {', '.join(items[:5])}"] if items else []
    ends = f"Stop when `{event.program} verify` passes, or end with a line `BLOCKED: why`."
    return [*lines, ends]


def note_wait(event: "Event") -> Answer | None:
    """Record that the client waits for the user; any later event shows that the wait is over."""
    from ..store import trace

    name = markers.find_planned_session(event.home, event.session) or event.session
    wait = {
        "at": round(event.clock(), 3),
        "client": event.session,
        # By the clock of the disk, which is some milliseconds behind ours.
        "heard": trace.find_last_heard(event.home, event.session),
        "kind": event.text("notification_type"),
        "for": wording.cut(wording.join_lines(event.text("message")), 80),
    }
    markers.put(event.home, markers.WAITING, name, wait)
    return None


def leave(event: "Event") -> Answer | None:
    """End the session at `/clear` without a verdict; the new one reports that. Other ends may be resumed."""
    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        return None
    from ..store import anchors, ending

    how = "the conversation was cleared"
    ending.cancel(event.store, event.session, rule=anchors.CLEARED, how=how)
    markers.disarm(event.home, event.environ, event.session)
    return None
