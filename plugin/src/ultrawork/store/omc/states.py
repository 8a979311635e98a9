"""State files of the modes: several programs write them, so they are merged and never replaced.

Also the PRD of a worktree, `prd.json`, else `.omc/prd.json`, which the agent writes and we only read; and the log of a
loop: the program writes `.omc/progress.txt`, which is part of no tree; the project's own `progress.txt` is read, never
written, because each line would change its files."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ...core import check
from ...core.errors import Conflict, NotFound, Trouble, UsageError
from ...core.modes import modes, progress_log
from ...core.modes.progress_log import LogEntry, ProgressLog
from ...core.registry import ask
from ...core.times import format_iso
from ..atomic import find_write_time
from ..codec import dumps_pretty, loads
from .folder import Omc

State = dict[str, Any]

WRITER = "state_write_tool"
FILED = tuple(mode for mode in modes.ALL if mode != modes.SWARM)
SHARED = "shared"
# Read from the marker and the task list, not written as facts.
_OF_SWARM = ("active", "sessions", "tasks")


def read(omc: Omc, mode: str, session: str = "") -> State | None:
    """Return a mode's state. swarm has no file of its own: its members, its facts, and the number of tasks."""
    if modes.parse(mode) == modes.SWARM:
        return _read_swarm(omc)
    path = _path(omc, mode, session)
    text = omc.read(path)
    return None if text is None else _loaded(text, mode)


def write(omc: Omc, mode: str, given: Mapping[str, Any], *, session: str = "", now: float) -> State:
    """Merge `given` into the state; a session's state names its session."""
    if modes.parse(mode) == modes.SWARM:
        return _write_swarm(omc, given, session, now)
    state: State = {}

    def edit(text: str | None) -> str:
        nonlocal state
        state = {**({} if text is None else _loaded(text, mode)), **given}
        if state.get("active") is True:
            refuse_rivals(omc, mode, session, now)
        if session:
            state["session_id"] = session
        stamp = {"mode": mode, "sessionId": session or None, "updatedAt": format_iso(now)}
        state["_meta"] = {**stamp, "updatedBy": WRITER}
        return dumps_pretty(state)

    omc.change(_path(omc, mode, session), edit)
    return state


def show(omc: Omc, mode: str, state: State, *, session: str, now: float) -> None:
    """A mode as its session has it now. swarm has no state file but a marker, which names its sessions."""
    if mode != modes.SWARM:
        write(omc, mode, state, session=session, now=now)
        marker = "" if state["active"] else _marker(omc, mode, session)
        if marker and os.path.exists(marker):
            omc.change(marker, lambda _: None)
        return

    _mark_swarm(omc, session, now, active=bool(state["active"]))


def _mark_swarm(omc: Omc, session: str, now: float, *, active: bool, facts: Mapping[str, Any] | None = None) -> None:
    """Update the marker of a swarm: its sessions and facts; it is removed with the last session."""

    def edit(text: str | None) -> str | None:
        others = [member for member in _members(text) if member != session]
        if not active and not others:
            return None
        if active:
            refuse_rivals(omc, modes.SWARM, session, now)
        kept = {**(_read_marker(text).get("state") or {}), **(facts or {})}
        members = [*others, session] if active else others
        marker = {"mode": modes.SWARM, "sessions": members, "updatedAt": format_iso(now)}
        return dumps_pretty({**marker, "state": kept} if kept else marker)

    omc.change(_marker(omc, modes.SWARM, ""), edit)


def _read_swarm(omc: Omc) -> State | None:
    marker = _read_marker(omc.read(_marker(omc, modes.SWARM, "")))
    try:
        reading = ask(modes.SWARM, "read_tasks")(omc)
    except NotFound:
        counts = None
    else:
        counts = reading.counts()
        reading.close()
    if not marker and counts is None:
        return None
    members = [session for session in marker.get("sessions") or () if session]
    return {**(marker.get("state") or {}), "active": bool(marker), "sessions": members, "tasks": counts or {}}


def _write_swarm(omc: Omc, given: Mapping[str, Any], session: str, now: float) -> State:
    """Return whether this session is in it, and facts beside; its tasks are changed by `ultrawork swarm` alone."""
    known = _members(omc.read(_marker(omc, modes.SWARM, "")))
    active = bool(given["active"]) if "active" in given else session in known
    facts = {key: fact for key, fact in given.items() if key not in _OF_SWARM}
    _mark_swarm(omc, session, now, active=active, facts=facts)
    return _read_swarm(omc) or {"active": False}


def _members(text: str | None) -> list[str]:
    listed = _read_marker(text).get("sessions")
    return [str(session) for session in listed] if isinstance(listed, list) else []


def _read_marker(text: str | None) -> State:
    try:
        document = loads(text or "{}")
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def refuse_rivals(omc: Omc, mode: str, session: str, now: float) -> None:
    """Raise if a rival is on. Called with the lock held, so that of two that start at once one is refused."""
    here = [each for each in FILED if _is_live(omc, each, session, now)]
    anywhere = [each for each in modes.EXCLUSIVE if list_active(omc, each, now)]
    rival = modes.find_blocker(mode, here, anywhere)
    if rival:
        owner = list_active(omc, rival, now)[0]
        raise Conflict(modes.describe_refusal(rival, "" if owner == SHARED else owner))


def clear(omc: Omc, mode: str, session: str = "") -> bool:
    """Removes a session's state, or the shared one, and the mode's marker; whether there was any."""
    marker = _marker(omc, mode, session)
    paths = [marker] if mode == modes.SWARM else [_path(omc, mode, session), marker]
    files = [path for path in paths if path and os.path.exists(path)]
    for path in files:
        omc.change(path, lambda _: None)
    return bool(files)


def locate(omc: Omc, mode: str, session: str = "") -> str:
    """Relative to the worktree, for people."""
    swarm = modes.parse(mode) == modes.SWARM
    path = _marker(omc, mode, "") if swarm else _path(omc, mode, session)
    return path[len(omc.top) + 1 :]


def list_active(omc: Omc, mode: str, now: float) -> list[str]:
    """The sessions in which a mode is on; the shared state counts as one named so."""
    if modes.parse(mode) == modes.SWARM:
        marked = now - find_write_time(_marker(omc, mode, "")) <= modes.STALE_MARKER
        return _members(omc.read(_marker(omc, mode, ""))) or [SHARED] if marked else []
    owners = [SHARED] if _is_live(omc, mode, "", now) else []
    return owners + [name for name in omc.sessions() if _is_live(omc, mode, name, now)]


def is_active(omc: Omc, mode: str, session: str, now: float) -> bool:
    return _is_live(omc, mode, check.require_session_id(session), now)


def _is_live(omc: Omc, mode: str, session: str, now: float) -> bool:
    """Return whether to trust a state: not one of another session or worktree, and not one without recent activity."""
    if modes.parse(mode) == modes.SWARM:
        return session in list_active(omc, mode, now)
    try:
        state = read(omc, mode, session)
    except (NotFound, Trouble, UsageError):
        return False
    if state is None:
        return False
    written = find_write_time(_path(omc, mode, session))
    return modes.is_live(state, session=session, place=omc.top, written=written, now=now)


def sweep(omc: Omc, session: str, now: float) -> list[str]:
    """Remove states of an ended session that are off or stale. Those still on can be resumed."""
    gone = []
    for mode in FILED:
        if os.path.exists(_path(omc, mode, session)) and not _is_live(omc, mode, session, now):
            clear(omc, mode, session)
            gone.append(mode)
    return gone


def _marker(omc: Omc, mode: str, session: str) -> str:
    name = modes.MARKERS.get(modes.parse(mode), "")
    if not name:
        return ""
    owner = f"sessions/{check.require_session_id(session)}/" if session and mode != modes.SWARM else ""
    return f"{omc.root}/state/{owner}{name}"


def _path(omc: Omc, mode: str, session: str) -> str:
    if modes.parse(mode) == modes.SWARM:
        raise UsageError("swarm keeps its tasks in .omc/state/swarm-state.db, not in a state file")
    return omc.state(mode, session)


def _loaded(text: str, mode: str) -> State:
    try:
        state = loads(text)
    except ValueError:
        state = None
    if not isinstance(state, dict):
        raise Trouble(f"the state file of {mode} is not a JSON object; clear it with state_clear")
    return state


PRD_PLACES = ("prd.json", ".omc/prd.json")


def find_prd(omc: Omc) -> str:
    """Relative to the worktree; empty if there is none."""
    return next((name for name in PRD_PLACES if os.path.isfile(f"{omc.top}/{name}")), "")


def read_prd(omc: Omc) -> progress_log.Prd | None:
    """Return the PRD; None if there is none. Raise one sentence if it is malformed."""
    name = find_prd(omc)
    text = omc.read(f"{omc.top}/{name}") if name else None
    if text is None:
        return None
    try:
        document = loads(text)
    except (ValueError, RecursionError):
        raise UsageError(f"{name} is not JSON; fix it or remove it") from None
    return progress_log.parse_prd(document, name)


OWN_LOG = ".omc/progress.txt"
LOG_PLACES = ("progress.txt", OWN_LOG)


def read_log_text(omc: Omc) -> str | None:
    names = (name for name in LOG_PLACES if os.path.isfile(f"{omc.top}/{name}"))
    name = next(names, "")
    return omc.read(f"{omc.top}/{name}") if name else None


def read_log(omc: Omc) -> ProgressLog | None:
    log_text = read_log_text(omc)
    return None if log_text is None else progress_log.parse(log_text)


def append_entry(omc: Omc, entry: LogEntry, now: float, patterns: Sequence[str] = ()) -> None:
    """Append one entry, and new patterns."""
    entry.at = (format_iso(now) or "")[:16].replace("T", " ")

    def edit(before: str | None) -> str:
        return _with_patterns(before, patterns, now) + entry.text()

    omc.change(f"{omc.top}/{OWN_LOG}", edit)


def _with_patterns(before: str | None, patterns: Sequence[str], now: float) -> str:
    known = progress_log.make_empty(_stamp(now)) if before is None else before
    for pattern in patterns:
        known = progress_log.add_pattern(known, pattern)
    return known


def _stamp(now: float) -> str:
    """Return the time with milliseconds, as scripts that read this file write it."""
    return f"{(format_iso(now) or '')[:-1]}.{int(now * 1000) % 1000:03}Z"
