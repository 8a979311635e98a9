"""Read and render the status of one session: what is on, its checks, its tasks, and the modes beside it."""

import os
from typing import Any

from ..clients.find import get_client
from ..core.plan.task import FAILED, IN_PROGRESS
from ..core.run import subagents
from ..core.session.outcome import ANSWERED
from ..core.session.session import Session
from ..core.session_kinds import FULL, LIGHT
from ..core.state import CLIENT, GONE, STOPPED, UNKNOWN
from ..core.status_line import describe_check
from ..core.stop.rules import PASS
from ..core.times import format_iso
from ..core.wording import cut, join_lines
from ..store import anchors, decisions, markers, pins, sessions, tasks, witness
from ..store.database import Database
from ..store.omc import agent_tracking
from ..store.omc.folder import Omc
from ..store.paths import Home
from ..store.store import Store
from .plan import count_tasks
from .summary import (
    describe_age,
    find_client_notice,
    find_goal_verdict,
    find_running_check,
    list_refusals,
    read_armed_at,
    summarize,
)
from .why import read_cause

_SHELL_SHOWN = 5
_OTHERS_SHOWN = 3
_CURES = {
    "client": "Continue: resume it in the client. End it: ultrawork cancel",
    "engine": "Continue: ultrawork resume. End it: ultrawork cancel",
}
NOT_RUN = "not run"


def read(store: Store, session: Session, *, limit: int, now: float | None = None) -> dict[str, Any]:
    """
    Return the status as data. `now` decides how long a mode has been quiet and which files still count; without it
    the last update of the session does, and no file is read.
    """
    database, home = store.database, store.home
    summary = summarize(store, session)
    pin = pins.get(database, session.id)
    taken = decisions.list_since(database, session.id, read_armed_at(session))
    verdict = find_goal_verdict(database, session)
    refusals = len(list_refusals(database, session))
    modes = _modes(database, session, session.updated_at if now is None else now)
    if now is not None:
        modes += list_modes_elsewhere(database, session.working_dir, now)
    own = [mode for mode in modes if _is_own(session, mode) and "filed" not in mode]
    if session.active and session.kind == LIGHT and not own:
        modes.append(_plain(session, refusals, limit))
    return {
        **summary.document(),
        "summary": summary.document(),
        "now": now or session.updated_at,
        "phase": ANSWERED if session.state.answered else session.phase,
        "gates": {gate.name: gate.command for gate in pin.gates} if pin else {},
        "results": {name: gate["result"] for name, gate in (verdict or {"gates": {}})["gates"].items()},
        "refusals": refusals,
        "limit": limit,
        "round": summary.rounds if session.kind != FULL else None,
        "last": {**taken[-1].document(), "because": read_cause(database, session.id)} if taken else None,
        "shell": _shell(session),
        "modes": modes,
        "planned": _planned(database, session),
        "resume": _name_resume(database, session, summary.driver.kind),
        "machines": _machines(database, session, now),
        "agents": _agents(session, now),
        "remote": _find_refusal(home, session) if session.active else None,
        "waits": _find_wait(home, session) if session.active else None,
        "check": find_running_check(home, session.id) if session.active else None,
        "also": [] if now is None else _list_others(store, session, now),
    }


def _list_others(store: Store, session: Session, now: float) -> list[str]:
    """Return the other sessions of the checkout that are active or began later."""
    here = sessions.list_all(store.database, place=session.working_dir)
    others = [
        summarize(store, other)
        for other in here
        if other.id != session.id and (other.active or other.started_at > session.started_at)
    ]
    return [
        f"{row.word}: {cut(join_lines(row.session.goal), 40)}  {row.session.id[:8]}, {describe_age(row, now)}"
        for row in others[:_OTHERS_SHOWN]
    ]


def _planned(database: Database, session: Session) -> dict[str, Any] | None:
    """Return the progress of a planned session; None for any other."""
    if session.kind != FULL:
        return None
    listed = tasks.list_all(database, session.id)
    counted = count_tasks(listed)
    names = {
        status: [task.id for task in listed if task.status == status and not task.is_verify]
        for status in (IN_PROGRESS, FAILED)
    }
    return {
        "iteration": session.iteration,
        "max_iterations": session.options["max_iterations"],
        "tasks": counted.all,
        "resolved": counted.resolved,
        "running": names[IN_PROGRESS],
        "failed": names[FAILED],
    }


def _name_resume(database: Database, session: Session, driver: str) -> str:
    """Return the command that opens the conversation of a session again; empty for a planned one, which any can."""
    client = anchors.read_client_name(database, session.id) if driver == CLIENT and session.kind == LIGHT else ""
    return get_client(client).name_resume(session.id) if client else ""


def _machines(database: Database, session: Session, now: float | None) -> list[dict[str, Any]]:
    """Return the machines of a run over many machines; none for any other."""
    if now is None or not session.active or session.state.run.get("executor", "local") == "local":
        return []
    seen = witness.list_seen(database, now)
    return [{**machine.document(), "line": machine.line} for machine in seen]


def _agents(session: Session, now: float | None) -> dict[str, Any]:
    """Return the running helper agents, if the checkout tracks them."""
    place = session.working_dir
    if now is None or not os.path.exists(f"{place}/.omc/state/subagent-tracking.json"):
        return {}
    running = subagents.list_running(agent_tracking.list_all(Omc(place)), session.id)
    stale = [str(agent.get("agent_type")) for agent in subagents.list_stale(running, now)]
    meeting = subagents.find_conflicts(running)
    return {"running": len(running), "stale": stale, "meeting": meeting} if running else {}


def _find_wait(home: Home, session: Session) -> dict[str, Any] | None:
    client_notice = find_client_notice(home, session)
    return {"since": format_iso(client_notice["at"]), "for": client_notice["for"]} if client_notice else None


def _find_refusal(home: Home, session: Session) -> str | None:
    """Return what the remote of a run over many machines currently refuses, and what happens next."""
    if session.state.run.get("executor", "local") == "local":
        return None
    marker = markers.get(home, markers.REMOTE, session.id)
    return join_lines(str(marker["line"])) if marker and "line" in marker else None


def _is_own(session: Session, row: dict[str, Any]) -> bool:
    return bool(row["owner"] == session.id)


def _plain(session: Session, refusals: int, limit: int) -> dict[str, Any]:
    """Return the row of a plain `ulw`, which is shown as a mode. Its data are those of the session."""
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
    """Return all modes of this worktree, of any session. Most worktrees have none, and load nothing."""
    if not sessions.list_with_modes(database, session.working_dir):
        return []
    from . import modes

    return modes.list_in_worktree(database, session.working_dir, now)


def list_modes_elsewhere(database: Database, place: str, now: float) -> list[dict[str, Any]]:
    """Return the modes of the worktree that belong to no session."""
    if not os.path.isdir(f"{place}/.omc/state"):
        return []
    from . import modes

    return modes.list_filed(database, place, now)


def _shell(session: Session) -> list[str]:
    """Return what a shell command wrote although only the edit tools should have."""
    return session.state.shell


def render(status: dict[str, Any]) -> str:
    """Return the status as lines of a label and a text."""
    state = _name_state(status)
    gates = "    ".join(f"{name}: {command}" for name, command in status["gates"].items())
    results = ", ".join(f"{name} {result or NOT_RUN}" for name, result in status["results"].items())
    lines = [
        f"{state:<11}{cut(join_lines(status['goal']), 75)}  {status['session_id'][:8]}",
        f"{'checks':<11}{cut(gates, 88) or 'none found; to add one: ultrawork gates'}",
        f"{'last run':<11}{results or 'none yet'}",
        *_describe_driver(status),
        *_counted(status),
    ]
    if status["check"]:
        lines.append(f"{'running':<11}{describe_check(status['check'], status['now'])}")
    if status["waits"]:
        lines.append(f"{'waits':<11}{_describe_wait(status['waits'])}")
    if status["remote"]:
        lines.append(f"{'remote':<11}{status['remote']}")
    if status["strength"] and (status["last"] or {}).get("action") != PASS:
        lines.append(f"{'strength':<11}{status['strength']}")
    if status["last"]:
        lines.append(f"{'last stop':<11}{cut(status['last']['because'], 88)}")
    lines += [f"{'shell':<11}{cut(line, 88)}" for line in status["shell"][-_SHELL_SHOWN:]]
    lines += [f"{'machine':<11}{cut(row['line'], 88)}" for row in status["machines"]]
    lines += [f"{'agents':<11}{cut(line, 88)}" for line in _agent_lines(status["agents"])]
    lines += [f"{'also':<11}{cut(line, 88)}" for line in status["also"]]
    return "\n".join([*lines, *_mode_lines(status["modes"])])


def _name_state(status: dict[str, Any]) -> str:
    if not status["active"]:
        return str(status["ending"] or status["phase"])
    return str(status["state"]["word"]) if status["state"]["word"] in GONE else "on"


def _describe_driver(status: dict[str, Any]) -> list[str]:
    """Return since when the client or engine is gone or disagrees with us, and what the user can do."""
    state, kind = status["state"], status["driver"]["kind"]
    since = (state["since"] or "")[11:16]
    if status["active"] and state["word"] == UNKNOWN and kind:
        return [f"{UNKNOWN:<11}since {since}: {cut(state['what'], 76)}"]
    if not status["active"] or state["word"] not in GONE:
        return []
    if state["word"] == STOPPED:
        return [f"{kind:<11}stopped at {since}: {cut(state['what'], 88)}. {_CURES[kind]}"]
    gone = f"{kind:<11}gone, last active at {since}. Nothing was verified."
    if status["resume"]:
        return [f"{gone} End it: ultrawork cancel", f"{'resume':<11}{status['resume']}"]
    return [f"{gone} {_CURES[kind]}"]


def _describe_wait(waits: dict[str, Any]) -> str:
    question = f": {waits['for']}" if waits["for"] else ""
    return cut(f"for you since {waits['since'][11:16]}, no answer yet{question}", 88)


def _agent_lines(agents: dict[str, Any]) -> list[str]:
    if not agents:
        return []
    stale = ", ".join(agents["stale"])
    long = f"; longer than 5 minutes: {stale}" if stale else ""
    met = [f"{', '.join(names)} both have {path}" for path, names in agents["meeting"].items()]
    return [f"{agents['running']} running{long}", *met]


def _counted(status: dict[str, Any]) -> list[str]:
    """Return the progress lines: tasks and rounds of a plan, rounds of a mode, else refusals."""
    planned = status["planned"]
    if planned is None:
        counted = f"{'sent back':<11}{status['refusals']} of at most {status['limit']} times"
        return [f"{'round':<11}{status['round']}" if status["round"] else counted]
    words = {"running": "interrupted"} if status["state"]["word"] in GONE else {}
    unfinished = [
        f"{words.get(word, word)} {', '.join(planned[word][:5])}" for word in ("running", "failed") if planned[word]
    ]
    counts = [f"{planned['resolved']} of {planned['tasks']} resolved", *unfinished]
    phase = status["phase"].lower().replace("_", " ")
    return [
        f"{'phase':<11}{phase}, round {planned['iteration']} of {planned['max_iterations']}",
        f"{'tasks':<11}{cut('; '.join(counts), 88) if planned['tasks'] else 'no plan yet'}",
    ]


def render_without_session(modes: list[dict[str, Any]], verified: str) -> str:
    """`verified` is the verdict of `verify` in a terminal."""
    last = [f"{'verdict':<11}{verified}"] if verified else []
    return "\n".join(["no session in this checkout yet", *last, *_mode_lines(modes)])


def _mode_lines(modes: list[dict[str, Any]]) -> list[str]:
    """Return the lines of modes; a plain `ulw` is in the lines above."""
    return [f"{'mode':<11}{cut(mode['line'], 88)}" for mode in modes if not mode.get("plain")]
