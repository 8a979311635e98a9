"""State files of the modes: written by several, so merged and never replaced."""

from ...core import check, modes
from ...core.errors import NotFound, Trouble, UsageError
from ...core.times import iso
from ..fast import loads, pretty
from .place import Omc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    State = dict[str, Any]

WRITER = "state_write_tool"
FILED = tuple(mode for mode in modes.ALL if mode != modes.SWARM)
SHARED = "shared"


def read(omc: Omc, mode: str, session: str = "") -> "State | None":
    path = _path(omc, mode, session)
    text = omc.read(path)
    return None if text is None else _loaded(text, mode)


def write(
    omc: Omc, mode: str, given: "Mapping[str, Any]", *, session: str = "", now: float
) -> "State":
    """Merges what is given into what is there; a session's state says whose it is."""
    state: State = {}

    def edit(text: str | None) -> str:
        nonlocal state
        state = {**({} if text is None else _loaded(text, mode)), **given}
        if session:
            state["session_id"] = session
        stamp = {"mode": mode, "sessionId": session or None, "updatedAt": iso(now)}
        state["_meta"] = {**stamp, "updatedBy": WRITER}
        return pretty(state)

    omc.change(_path(omc, mode, session), edit)
    return state


def clear(omc: Omc, mode: str, session: str = "") -> bool:
    """Removes a session's state, or the shared one; whether there was any."""
    path = _path(omc, mode, session)
    there = omc.read(path) is not None
    if there:
        omc.change(path, lambda _: None)
    return there


def path(omc: Omc, mode: str, session: str = "") -> str:
    """Relative to the worktree, for people."""
    return _path(omc, mode, session)[len(omc.top) + 1 :]


def active(omc: Omc, mode: str) -> list[str]:
    """The sessions in which a mode is on; the shared state counts as one named so."""
    owners = [SHARED] if _is_active(omc, mode, "") else []
    return owners + [name for name in omc.sessions() if _is_active(omc, mode, name)]


def is_active(omc: Omc, mode: str, session: str) -> bool:
    return _is_active(omc, mode, check.session_id(session))


def _is_active(omc: Omc, mode: str, session: str) -> bool:
    """A state that names another session than the one whose folder it lies in is not believed."""
    try:
        state = read(omc, mode, session)
    except (NotFound, Trouble, UsageError):
        return False
    owner = (state or {}).get("session_id")
    mine = not session or owner in (None, session)
    return state is not None and state.get("active") is True and mine


def _path(omc: Omc, mode: str, session: str) -> str:
    if modes.parse(mode) == modes.SWARM:
        raise UsageError("swarm keeps its tasks in .omc/state/swarm-state.db, not in a state file")
    return omc.state(mode, session)


def _loaded(text: str, mode: str) -> "State":
    try:
        state = loads(text)
    except ValueError:
        state = None
    if not isinstance(state, dict):
        raise Trouble(f"the state file of {mode} is no JSON object; clear it with state_clear")
    return state
