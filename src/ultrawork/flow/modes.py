"""
Modes of a session: begun, kept, shown and ended.

The truth is in the session's own record; `.omc/state` shows it to scripts and keeps rivals apart: whoever
writes there that a mode is on does so under one lock, and of two that cannot be on together one is refused.
"""

from ..core import machines
from ..core.machines import Progress, shown
from ..store import markers, sessions
from ..store.omc import states
from ..store.omc.place import Omc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from ..core.session import Session
    from ..store.change import Change
    from ..store.state import Store

KEY = "modes"


def begin(
    store: "Store",
    place: str,
    session_id: str,
    mode: str,
    *,
    facts: "Mapping[str, Any] | None" = None,
    linked: "Iterable[str]" = (),
    limits: "Mapping[str, int] | None" = None,
    client: str = "",
    now: float,
) -> Progress:
    """
    The session has to be there. Rivals are refused while the record is still open, so that nothing is
    left of a mode that may not begin. `client` is the client's session if the session has another name.
    """
    progress = machines.begin(mode, now, facts=facts, linked=linked, limits=limits)
    _kept(store, place, session_id, progress, "mode.begun")
    _mark(store, session_id, client)
    return progress


def _kept(store: "Store", place: str, session_id: str, progress: Progress, kind: str) -> None:
    shown_now = False
    try:
        with store.change(session_id) as change:
            session = sessions.get(change.database, session_id)
            _put(session, progress)
            sessions.save(change, session, kind, {"mode": progress.mode, "phase": progress.phase})
            _show(place, session_id, progress)
            shown_now = True
    except BaseException:
        if shown_now:
            states.clear(Omc(place), progress.mode, session_id)
        raise


def refuse_rivals(place: str, session_id: str, mode: str, now: float) -> None:
    """Raises what `begin` would raise: to be asked before the session under the mode is begun."""
    states.refuse_rivals(Omc(place), mode, session_id, now)


def of(session: "Session") -> dict[str, Progress]:
    """Those that are on."""
    return {mode: one for mode, one in known(session).items() if one.active}


def known(session: "Session") -> dict[str, Progress]:
    """All that were ever on in this session, as they were left."""
    kept = session.state.get(KEY)
    found = kept if isinstance(kept, dict) else {}
    return {mode: Progress.read(document) for mode, document in found.items()}


def save(change: "Change", session: "Session", progress: Progress) -> None:
    """Into the record, inside a running change; `view` shows it afterwards."""
    _put(session, progress)
    told = {"mode": progress.mode, "phase": progress.phase, "counts": progress.counts}
    sessions.save(change, session, "mode.moved", told)


def _put(session: "Session", progress: Progress) -> None:
    kept = session.state.get(KEY)
    session.state[KEY] = {
        **(kept if isinstance(kept, dict) else {}),
        progress.mode: progress.document(),
    }


def view(place: str, session: "Session") -> None:
    """Brings the files of a session's modes up to date."""
    for progress in known(session).values():
        _show(place, session.id, progress)


def _show(place: str, session_id: str, progress: Progress) -> None:
    state = shown.state(progress, session=session_id, place=place)
    states.show(Omc(place), progress.mode, state, session=session_id, now=progress.updated_at)


def end(
    store: "Store",
    place: str,
    session_id: str,
    mode: str,
    phase: str,
    *,
    now: float,
    client: str = "",
) -> None:
    """
    Off: `phase` is one of its ends, or `cancelled`, which keeps where it was so that it can be taken up
    again. A mode that is not on stays as it is.
    """
    with store.change(session_id) as change:
        session = sessions.get(change.database, session_id)
        progress = of(session).get(mode)
        if progress is None:
            return
        _ended(progress, phase, now)
        save(change, session, progress)
    _show(place, session_id, progress)
    _mark(store, session_id, client)


def _ended(progress: Progress, phase: str, now: float) -> None:
    machine = machines.of(progress.mode)
    if phase != machines.CANCELLED or phase in machine.moves.get(progress.phase, ()):
        machines.move(progress, phase, now)
    progress.active = False
    progress.updated_at = now


def _mark(store: "Store", session_id: str, client: str) -> None:
    """The session's marker names its modes, so that a stop without any loads nothing of this."""
    name = client or session_id
    content = markers.get(store.home, markers.ACTIVE, name)
    if content is None:
        return
    on = list(of(sessions.get(store.database, session_id)))
    if on != content.get(KEY, []):
        markers.put(store.home, markers.ACTIVE, name, {**content, KEY: on})
