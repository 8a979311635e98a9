"""What is on."""

import os
from typing import Any

from ..core.plan import statuses
from ..core.session.outcome import ANSWERED
from ..core.session.session import Session
from ..core.session_kinds import FULL, LIGHT
from ..core.state import LOST, UNKNOWN
from ..core.status_line import describe_check
from ..core.times import format_iso
from ..core.wording import cut, join_lines
from ..store import decisions, markers, pins, receipts, sessions
from ..store.database import Database
from ..store.paths import Home
from ..store.store import Store
from .summary import describe_age, find_client_notice, find_running_check, list_refusals, summarize

_SHELL_SHOWN = 5
_OTHERS_SHOWN = 3
_CURES = {
    "client": "Continue: resume it in the client. End it: ultrawork cancel",
    "engine": "Continue: ultrawork resume. End it: ultrawork cancel",
}
NOT_RUN = "not run"


def read(store: Store, session: Session, *, limit: int, now: float | None = None) -> dict[str, Any]:
    """
    `now` tells how long a mode has been quiet, and which files still count; without it the newest word of
    its session does, and no file is asked.
    """
    database, home = store.database, store.home
    summary = summarize(store, session)
    pin = pins.get(database, session.id)
    armed = _armed_at(session)
    taken = decisions.list_since(database, session.id, armed)
    verdict = receipts.find_last_verdict(database, session.id)
    if verdict is not None and verdict["decided"] < str(format_iso(armed)):
        verdict = None  # of an earlier goal in the same conversation
    refusals = len(list_refusals(database, session))
    modes = _modes(database, session, session.updated_at if now is None else now)
    if now is not None:
        modes += list_modes_elsewhere(database, session.working_dir, now)
    own = [one for one in modes if _is_own(session, one) and "filed" not in one]
    if session.active and session.kind == LIGHT and not own:
        modes.append(_plain(session, refusals, limit))
    return {
        **summary.document(),
        "summary": summary.document(),
        "now": now or session.updated_at,
        "phase": ANSWERED if session.state.answered else session.phase,
        "gates": {gate.name: gate.command for gate in pin.gates} if pin else {},
        "results": {
            name: one["result"] for name, one in (verdict or {"gates": {}})["gates"].items()
        },
        "refusals": refusals,
        "limit": limit,
        "round": summary.rounds if session.kind != FULL else None,
        "last": taken[-1].document() if taken else None,
        "shell": _shell(session),
        "modes": modes,
        "planned": _planned(database, session),
        "machines": _machines(database, session, now),
        "agents": _agents(session, now),
        "remote": _find_refusal(home, session) if session.active else None,
        "waits": _find_wait(home, session) if session.active else None,
        "check": find_running_check(home, session.id) if session.active else None,
        "also": [] if now is None else _list_others(store, session, now),
    }


def _list_others(store: Store, session: Session, now: float) -> list[str]:
    """Other sessions of the checkout that go on, or began after this one."""
    here = sessions.list_all(store.database, place=session.working_dir)
    others = [
        summarize(store, one)
        for one in here
        if one.id != session.id and (one.active or one.started_at > session.started_at)
    ]
    return [
        f"{one.word}: {cut(join_lines(one.session.goal), 40)}  {one.session.id[:8]}, {describe_age(one, now)}"
        for one in others[:_OTHERS_SHOWN]
    ]


def _planned(database: Database, session: Session) -> dict[str, Any] | None:
    """How far a planned session has come; nothing is loaded for any other."""
    if session.kind != FULL:
        return None
    from ..store import tasks
    from .plan import count_tasks

    listed = tasks.list_all(database, session.id)
    counted = count_tasks(listed)
    names = {
        status: [task.id for task in listed if task.status == status and not task.is_verify]
        for status in (statuses.IN_PROGRESS, statuses.FAILED)
    }
    return {
        "iteration": session.iteration,
        "max_iterations": session.options["max_iterations"],
        "tasks": counted.all,
        "resolved": counted.resolved,
        "running": names[statuses.IN_PROGRESS],
        "failed": names[statuses.FAILED],
    }


def _machines(database: Database, session: Session, now: float | None) -> list[dict[str, Any]]:
    """Those that a run over many machines has; nothing is loaded for any other."""
    if now is None or not session.active or session.state.run.get("executor", "local") == "local":
        return []
    from ..store import machines

    return [{**one.document(), "line": one.line} for one in machines.list_seen(database, now)]


def _agents(session: Session, now: float | None) -> dict[str, Any]:
    """Helpers at work beside the session, where the checkout follows them; nothing is loaded elsewhere."""
    place = session.working_dir
    if now is None or not os.path.exists(f"{place}/.omc/state/subagent-tracking.json"):
        return {}
    from ..core.run import subagents
    from ..store.omc import agent_tracking
    from ..store.omc.folder import Omc

    running = subagents.list_running(agent_tracking.list_all(Omc(place)), session.id)
    stale = [str(one.get("agent_type")) for one in subagents.list_stale(running, now)]
    meeting = subagents.find_conflicts(running)
    return {"running": len(running), "stale": stale, "meeting": meeting} if running else {}


def _find_wait(home: Home, session: Session) -> dict[str, Any] | None:
    asked = find_client_notice(home, session)
    return {"since": format_iso(asked["at"]), "for": asked["for"]} if asked else None


def _find_refusal(home: Home, session: Session) -> str | None:
    """What the remote of a run over many machines does not take at present, and what happens next."""
    if session.state.run.get("executor", "local") == "local":
        return None
    found = markers.get(home, markers.REMOTE, session.id)
    return join_lines(str(found["line"])) if found and "line" in found else None


def _is_own(session: Session, row: dict[str, Any]) -> bool:
    return bool(row["owner"] == session.id)


def _plain(session: Session, refusals: int, limit: int) -> dict[str, Any]:
    """The plain `ulw` is a mode as well; its record is the session's own."""
    left = max(0, limit - refusals)
    return {
        "mode": "ultrawork",
        "owner": session.id,
        "phase": "working",
        "left": {"refusals": left},
        "limits": {"refusals": limit},
        "linked": [],
        "plain": True,
        "started_at": format_iso(session.started_at),
        "line": f"ultrawork working, {session.id[:8]}, left: refusals {left} of {limit}",
    }


def _modes(database: Database, session: Session, now: float) -> list[dict[str, Any]]:
    """All of this worktree, whoever they belong to. The usual session has none, and loads nothing for it."""
    if not sessions.list_with_modes(database, session.working_dir):
        return []
    from . import modes

    return modes.list_in_worktree(database, session.working_dir, now)


def list_modes_elsewhere(database: Database, place: str, now: float) -> list[dict[str, Any]]:
    """Modes of the worktree that lie over no session."""
    if not os.path.isdir(f"{place}/.omc/state"):
        return []
    from . import modes

    return modes.list_filed(database, place, now)


def _armed_at(session: Session) -> float:
    return float(session.state.ulw.get("armedAt") or 0.0)


def _shell(session: Session) -> list[str]:
    """What was written past the edit tools where it should not have been."""
    return session.state.shell


def render(status: dict[str, Any]) -> str:
    state = _name_state(status)
    gates = "    ".join(f"{name}: {command}" for name, command in status["gates"].items())
    results = ", ".join(f"{name} {result or NOT_RUN}" for name, result in status["results"].items())
    lines = [
        f"{state:<11}{cut(join_lines(status['goal']), 75)}  {status['session_id'][:8]}",
        f"{'gates':<11}{cut(gates, 88) or 'none found; to add one: ultrawork gates'}",
        f"{'last run':<11}{results or 'none yet'}",
        *_tell_driver(status),
        *_counted(status),
    ]
    if status["check"]:
        lines.append(f"{'running':<11}{describe_check(status['check'], status['now'])}")
    if status["waits"]:
        lines.append(f"{'waits':<11}{_tell_wait(status['waits'])}")
    if status["remote"]:
        lines.append(f"{'remote':<11}{status['remote']}")
    if status["strength"]:
        lines.append(f"{'strength':<11}{status['strength']}")
    if status["last"]:
        lines.append(f"{'last':<11}{cut(status['last']['because'], 88)}")
    lines += [f"{'shell':<11}{cut(one, 88)}" for one in status["shell"][-_SHELL_SHOWN:]]
    lines += [f"{'machine':<11}{cut(one['line'], 88)}" for one in status["machines"]]
    lines += [f"{'agents':<11}{cut(one, 88)}" for one in _agent_lines(status["agents"])]
    lines += [f"{'also':<11}{cut(one, 88)}" for one in status["also"]]
    return "\n".join([*lines, *_mode_lines(status["modes"])])


def _name_state(status: dict[str, Any]) -> str:
    if not status["active"]:
        return str(status["ending"] or status["phase"])
    return LOST if status["state"]["word"] == LOST else "on"


def _tell_driver(status: dict[str, Any]) -> list[str]:
    """Of one whose client or engine is gone, or disagrees with us: since when, and what can be done."""
    state, kind = status["state"], status["driver"]["kind"]
    since = (state["since"] or "")[11:16]
    if status["active"] and state["word"] == UNKNOWN and kind:
        return [f"{UNKNOWN:<11}since {since}: {cut(state['what'], 76)}"]
    if not status["active"] or state["word"] != LOST:
        return []
    return [f"{kind:<11}gone, last active at {since}. Nothing was verified. {_CURES[kind]}"]


def _tell_wait(waits: dict[str, Any]) -> str:
    asked = f": {waits['for']}" if waits["for"] else ""
    return cut(f"for you since {waits['since'][11:16]}, no answer yet{asked}", 88)


def _agent_lines(agents: dict[str, Any]) -> list[str]:
    if not agents:
        return []
    stale = ", ".join(agents["stale"])
    long = f"; longer than 5 minutes: {stale}" if stale else ""
    met = [f"{', '.join(names)} both have {path}" for path, names in agents["meeting"].items()]
    return [f"{agents['running']} running{long}", *met]


def _counted(status: dict[str, Any]) -> list[str]:
    """What a session is measured by: its tasks and rounds, the rounds of a mode, else refusals."""
    planned = status["planned"]
    if planned is None:
        counted = f"{'refusals':<11}{status['refusals']} of {status['limit']}"
        return [f"{'round':<11}{status['round']}" if status["round"] else counted]
    words = {"running": "interrupted"} if status["state"]["word"] == LOST else {}
    open_ones = [
        f"{words.get(word, word)} {', '.join(planned[word][:5])}"
        for word in ("running", "failed")
        if planned[word]
    ]
    told = [f"{planned['resolved']} of {planned['tasks']} resolved", *open_ones]
    phase = status["phase"].lower().replace("_", " ")
    return [
        f"{'phase':<11}{phase}, round {planned['iteration']} of {planned['max_iterations']}",
        f"{'tasks':<11}{cut('; '.join(told), 88) if planned['tasks'] else 'no plan yet'}",
    ]


def render_without_session(modes: list[dict[str, Any]]) -> str:
    return "\n".join(["no session in this checkout yet", *_mode_lines(modes)])


def _mode_lines(modes: list[dict[str, Any]]) -> list[str]:
    return [f"{'mode':<11}{cut(one['line'], 88)}" for one in modes]
