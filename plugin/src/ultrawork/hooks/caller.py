"""Who sent an event: the client itself, a forger, or a client that an agent started.

A session belongs to one process, its anchor: the one that turned it on, or the client that started or resumed it
since. Events of others change nothing; they are recorded, and the next verdict reports them."""

import os
import sys

from ..core.caller import ANCHOR, Caller, find_agent_above, is_reaper, read_caller
from ..store import markers
from ..system import ancestry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .event import Event

# Events of every tool call: they trust the marker, all others read the record.
_FREQUENT = ("PreToolUse", "PostToolUse", "PostToolUseFailure")
# Who asked for a session: a client that an agent started acts for that agent.
PERSON = "person"
AGENT = "agent"
_KIND, _SOCKET = 0o170000, 0o140000  # the type bits of a file mode, and the type of a socket
_LOCAL_PEERPID = 2
_SHOWN = 80


def find_parent() -> Caller:
    """Return the process that started this one, which replaced the launcher; it must also have made the socket."""
    parent = os.getppid()
    maker = _find_maker(0)
    if maker not in (None, parent):
        parent = 0  # another program's socket pair in a child of the client
    return Caller(parent, ancestry.read_start(parent), maker == parent)


def find_self() -> Caller:
    """Return this process as the caller, for hooks that run inside the process that calls them."""
    return Caller(os.getpid(), ancestry.read_start(os.getpid()))


def _find_maker(handle: int) -> int | None:
    """Return the process that made the socket pair of an open file; None if it is not a socket."""
    try:
        if os.fstat(handle).st_mode & _KIND != _SOCKET:
            return None
        import _socket

        made = _socket.socket(fileno=handle)
        try:
            if sys.platform == "linux":
                credentials = made.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
            else:
                credentials = made.getsockopt(0, _LOCAL_PEERPID, 4)
        finally:
            made.detach()
        return int.from_bytes(credentials[:4], sys.byteorder)
    except OSError:
        return None


def is_foreign(event: "Event") -> bool:
    """Return whether an armed session's event comes from a process that does not own the session."""
    anchor = _find_anchor(event)
    if anchor is None:
        return False
    is_tool = not event.has_own_form and event.adapter.is_from_tool(event.environ)
    if event.caller.is_same(anchor) and not is_tool:
        return False
    if markers.is_set(event.home, markers.HANDED, event.session):
        return False  # nothing comes of it but that this client hears who has the session now
    if event.name == "SessionStart" or not ancestry.is_there(anchor.pid, anchor.started):
        return not _may_take_over(event, anchor)
    return True


def _find_anchor(event: "Event") -> Caller | None:
    """Return the anchor; None if the session is off or has no owner yet."""
    if not event.session:
        return None
    content = markers.find_armed(event.home, event.environ, event.session)
    if content is None:
        return None
    if event.name in _FREQUENT:
        return read_caller(content.get(ANCHOR))
    from ..store.anchors import get_anchor

    database = event.store.database
    return get_anchor(database, _name(event)) or get_anchor(database, event.session)


def _name(event: "Event") -> str:
    return markers.find_planned_session(event.home, event.session) or event.session


def _may_take_over(event: "Event", anchor: Caller) -> bool:
    """Return whether the caller may become the owner. The user's new client may. A client that an agent started may
    not, nor a child of the anchor, nor a hook whose client has just ended and that was adopted."""
    caller = event.caller
    above = ancestry.list_upwards(caller.pid)
    was_alive = ancestry.is_there(anchor.pid, anchor.started)
    if not caller.pid or any(map(is_reaper, above[:1])):
        return False
    if was_alive and any(process_fact.pid == anchor.pid for process_fact in above):
        return False
    if find_agent_above(above) is not None and (was_alive or not _is_asked_by_agent(event)):
        return False
    _anchor_anew(event, was_alive=was_alive)
    return True


def _is_asked_by_agent(event: "Event") -> bool:
    from ..store import sessions

    return sessions.get(event.store.database, _name(event)).state.ulw.get("by") == AGENT


def _anchor_anew(event: "Event", *, was_alive: bool) -> None:
    from ..store.anchors import record_anchor

    name = _name(event)
    with event.store.change(name) as change:
        record_anchor(change, event.caller, client=event.adapter.name, transcript=event.record, taken_over=was_alive)
    if not was_alive:
        from ..flow.course import abandon_all

        abandon_all(event.store, name, "its client exited first")
    content = markers.find_armed(event.home, event.environ, event.session) or {}
    anchored = {**content, ANCHOR: event.caller.stamp()}
    markers.change_content(event.home, event.environ, event.session, anchored)


def note_foreign(event: "Event") -> None:
    """Record a foreign event; it has no other effect."""
    from ..store.anchors import record_foreign

    name = _name(event)
    above = ancestry.list_upwards(event.caller.pid or os.getppid())
    details = {
        "event": event.name,
        "what": (event.text("prompt") or event.text("tool_name"))[:_SHOWN],
        "by": above[0].name if above else "",
    }
    with event.store.change(name) as change:
        record_foreign(change, details)
    from ..store import log

    line = f"{event.name} of {name} did not come from its client and was ignored: {details['what']}"
    log.write(event.home, "hooks", line)


def is_started_by_agent(caller: Caller) -> bool:
    """Return whether an agent started the client in its own shell; then it is never the user."""
    return find_agent_above(ancestry.list_upwards(caller.pid)) is not None
