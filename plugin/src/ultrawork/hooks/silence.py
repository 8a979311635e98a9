"""Never silent: a session whose markers are gone, whose stop was not decided or whose client is gone is reported once,
at its next event, else at the next start of a client in its checkout."""

from ..core import session_kinds
from ..core.errors import UltraworkError
from ..store import anchors, markers
from ..system import ancestry
from .event import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..core.session.session import Session
    from .event import Event

GONE = "Another program removed its marker files, so nothing was verified. Why: ulw why"
RECORD_GONE = "Another program removed the record of this session, so nothing was verified."
CUT_OFF = "ultrawork: UNVERIFIED. The check of the last stop was interrupted. Check again: ulw verify"
CUT_OFF_BESIDE = "ultrawork: UNVERIFIED. The background check was interrupted. Check again: ulw verify"
LEFT = "ultrawork: UNVERIFIED. The session ended before it was verified."
LEFT_OPEN = "ended without a verdict"
FOLDER_GONE = "ended without a verdict, and its folder is gone"
WAS_CLEARED = "was cleared before it was verified"
_CONTINUE = "Continue: ulw <task>"
_MOST = 3
_MORE = "ultrawork: UNVERIFIED. {} more ended without a verdict: ultrawork session list"
_RECORD = "record-gone"


def tell_lost(event: "Event") -> Answer | None:
    """Report a session that the record says is on and that has no marker: it was removed."""
    row = event.store.database.row("SELECT ended_at FROM sessions WHERE id=? AND kind<>'verify'", event.session)
    if row is None:
        return _tell_record_gone(event)
    if row[0] is not None or markers.is_switched_off(event.home, event.session):
        return None
    from ..store import ending, sessions

    session = sessions.get(event.store.database, event.session)
    # A plan that waits for execution has no markers.
    if not session.active or not session.state.ulw.get("enabled"):
        return None
    ending.cancel(event.store, event.session, rule="state-gone", how=GONE.partition(";")[0])
    from ..core.stop.refusal import render_unverified

    return Answer(message=render_unverified([], GONE))


def _tell_record_gone(event: "Event") -> Answer | None:
    """Report a session whose folder exists but whose record, which would show how it ended, is gone."""
    from os.path import exists

    try:
        shown = f"{event.home.session(event.session)}/session.json"
    except UltraworkError:
        return None  # no session of ours can have such a name
    if not exists(shown):
        return None
    if _RECORD in (markers.get(event.home, markers.HINTED, event.session) or {}):
        return None
    note_record_gone(event)
    from ..core.stop.refusal import render_unverified

    return Answer(message=render_unverified([], RECORD_GONE))


def note_record_gone(event: "Event") -> None:
    """Record that this was reported, however it was noticed."""
    marker = markers.get(event.home, markers.HINTED, event.session) or {}
    markers.put(event.home, markers.HINTED, event.session, {**marker, _RECORD: True})


def tell_cut_off(event: "Event") -> Answer | None:
    """Report a stop decision or background check whose process is gone."""
    if _has_ended(markers.get(event.home, markers.DECIDING, event.session)):
        markers.remove(event.home, markers.DECIDING, event.session)
        return Answer(message=CUT_OFF)
    beside = markers.get(event.home, markers.BACKGROUND, event.session) or {}
    if not beside.get("wanted") or not _has_ended(beside):
        return None
    markers.remove(event.home, markers.BACKGROUND, event.session)
    if markers.is_set(event.home, markers.NEWS, event.session):
        return None
    return Answer(message=CUT_OFF_BESIDE)


def _has_ended(content: "dict[str, Any] | None") -> bool:
    process = content.get("process") if content else None
    return isinstance(process, list) and not ancestry.is_there(int(process[0]), str(process[1]))


def tell_left(event: "Event") -> Answer | None:
    """Record that the client ended while the session is on; it may be resumed, so it stays."""
    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        return tell_lost(event)
    # Clients show nothing that is printed at their end.
    with event.store.change(event.session) as change:
        change.record("session.left", {"said": LEFT})
    return Answer(message=LEFT)


def tell_unsaid(event: "Event") -> Answer | None:
    """Report at a start the active sessions of this checkout whose client is gone without a verdict."""
    from os.path import exists

    if not exists(event.home.database):
        return None
    lost = tell_lost(event) if not _is_armed(event, event.session) else None
    database = event.store.database
    names = anchors.list_open_unshown(database, event.place, event.session)
    left = [(left_session, _name_end(left_session)) for left_session in (_list_left(event, names) if names else [])]
    left += [(cleared_session, WAS_CLEARED) for cleared_session in _list_cleared(event)]
    for session, _ in left:
        with event.store.change(session.id) as change:
            anchors.record_shown(change)
    lines = [
        *([lost.message] if lost else []),
        *(_line(event, left_session, how) for left_session, how in left[:_MOST]),
        *([_MORE.format(len(left) - _MOST)] if left[_MOST:] else []),
    ]
    return Answer(message="\n".join(lines)) if lines else None


def _name_end(session: "Session") -> str:
    from os.path import isdir

    return LEFT_OPEN if isdir(session.working_dir) else FOLDER_GONE


def _list_left(event: "Event", names: list[str]) -> "list[Session]":
    """Return active sessions whose client is gone."""
    from ..store import sessions

    database = event.store.database
    gone = [name for name in names if ancestry.is_gone(anchors.get_anchor(database, name))]
    gone_sessions = (sessions.get(database, name) for name in gone)
    # A requirement is offered by Axiom's own line instead.
    return [session for session in gone_sessions if session.active and not session.state.lead]


def _list_cleared(event: "Event") -> "list[Session]":
    from ..store import sessions

    database = event.store.database
    names = anchors.list_cleared_unshown(database, event.place)
    return [sessions.get(database, name) for name in names]


def _is_armed(event: "Event", name: str) -> bool:
    return markers.is_armed_anywhere(event.home, event.environ, name)


def _line(event: "Event", session: "Session", how: str) -> str:
    from ..core.wording import cut, join_lines

    goal = cut(join_lines(session.goal), 40)
    line = f'ultrawork: UNVERIFIED. Session {session.id[:8]} "{goal}" {how}.'
    ways = {WAS_CLEARED: _CONTINUE, LEFT_OPEN: _tell_resume(event, session), FOLDER_GONE: ""}
    return f"{line} {ways[how]}".rstrip()


def _tell_resume(event: "Event", session: "Session") -> str:
    """Return how to resume: a plan in any conversation, everything else in its own."""
    if session.kind == session_kinds.FULL:
        return f"Resume it: {event.adapter.name_skill('ultrawork-exec')}"
    return f"Resume it: {event.adapter.name_resume(session.id)}"
