"""What is on."""

import os

from ..core.plan import statuses
from ..core.session.outcome import ANSWERED, Outcome, judge_ending
from ..core.session.session import Session
from ..core.session_kinds import FULL, LIGHT
from ..core.times import format_duration, format_iso
from ..core.verdict import verdict as verdicts
from ..core.verdict.strength import name_verdict
from ..core.wording import cut, join_lines
from ..store import decisions, markers, pins, receipts, sessions, trace
from ..store.database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..store.paths import Home

_SHELL_SHOWN = 5
NOT_RUN = "not run"
# Modes that count rounds in place of refusals, and their counters.
_ROUNDS = {"ralph": "iteration", "ultraqa": "cycle"}


def read(
    database: Database,
    session: Session,
    *,
    limit: int,
    now: float | None = None,
    home: "Home | None" = None,
) -> "dict[str, Any]":
    """
    `now` tells how long a mode has been quiet, and which files still count; without it the newest word of
    its session does, and no file is asked. What the client waits for is known beneath `home`.
    """
    pin = pins.get(database, session.id)
    armed = _armed_at(session)
    taken = decisions.list_since(database, session.id, armed)
    verdict = receipts.find_last_verdict(database, session.id)
    if verdict is not None and verdict["decided"] < str(format_iso(armed)):
        verdict = None  # of an earlier goal in the same conversation
    refusals = decisions.DecisionHistory(taken, "").refusals
    outcome = _outcome(database, session, verdict)
    modes = _modes(database, session, session.updated_at if now is None else now)
    if now is not None:
        modes += list_modes_elsewhere(database, session.working_dir, now)
    own = [one for one in modes if _is_own(session, one) and "filed" not in one]
    if session.active and session.kind == LIGHT and not own:
        modes.append(_plain(session, refusals, limit))
    return {
        "session_id": session.id,
        "kind": session.kind,
        "goal": session.goal,
        "active": session.active,
        "ended_at": format_iso(session.ended_at),
        "phase": ANSWERED if session.state.answered else session.phase,
        **outcome.document(),
        "strength": (verdict or {}).get("strength") if outcome.verdict == verdicts.PASS else None,
        "gates": {gate.name: gate.command for gate in pin.gates} if pin else {},
        "results": {
            name: one["result"] for name, one in (verdict or {"gates": {}})["gates"].items()
        },
        "refusals": refusals,
        "limit": limit,
        "round": next((_round(one) for one in own if _round(one)), None),
        "last": taken[-1].document() if taken else None,
        "shell": _shell(session),
        "modes": modes,
        "planned": _planned(database, session),
        "machines": _machines(database, session, now),
        "agents": _agents(session, now),
        "driven": _is_driven(home, session) if home is not None and session.active else None,
        "remote": _find_refusal(home, session) if home is not None and session.active else None,
        "waits": _find_wait(home, session) if home is not None and session.active else None,
    }


def _planned(database: Database, session: Session) -> "dict[str, Any] | None":
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


def _machines(database: Database, session: Session, now: float | None) -> "list[dict[str, Any]]":
    """Those that a run over many machines has; nothing is loaded for any other."""
    if now is None or not session.active or session.state.run.get("executor", "local") == "local":
        return []
    from ..store import machines

    return [{**one.document(), "line": one.line} for one in machines.list_seen(database, now)]


def _is_driven(home: "Home", session: Session) -> bool | None:
    """Whether an engine is at it; None where none ever was."""
    if not session.state.run:
        return None
    from ..store.lock import ENGINE_LOCK, is_held

    return is_held(f"{home.session(session.id)}/{ENGINE_LOCK}")


def _agents(session: Session, now: float | None) -> "dict[str, Any]":
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


def _find_wait(home: "Home", session: Session) -> "dict[str, Any] | None":
    """What the client last asked its person for, unless the session was heard of since."""
    asked = markers.get(home, markers.WAITING, session.id)
    # A client that has not ended since an update may have left one without what was heard.
    if asked is None or "heard" not in asked:
        return None
    if trace.find_last_heard(home, str(asked["client"])) > float(asked["heard"]):
        return None
    return {"since": format_iso(float(asked["at"])), "for": str(asked["for"])}


def _find_refusal(home: "Home", session: Session) -> str | None:
    """What the remote of a run over many machines does not take at present, and what happens next."""
    if session.state.run.get("executor", "local") == "local":
        return None
    found = markers.get(home, markers.REMOTE, session.id)
    return join_lines(str(found["line"])) if found and "line" in found else None


def _outcome(database: Database, session: Session, verdict: "dict[str, Any] | None") -> Outcome:
    """Of one that goes on only what its files came to is known, and that is told gate by gate."""
    if session.active:
        return Outcome()
    return judge_ending(session, verdict, after_end=receipts.is_after_end(database, session.id))


def _is_own(session: Session, row: "dict[str, Any]") -> bool:
    return bool(row["owner"] == session.id)


def _plain(session: Session, refusals: int, limit: int) -> "dict[str, Any]":
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


def _round(row: "dict[str, Any]") -> str:
    """`ralph 2 of 10` of a mode that counts rounds; empty of others."""
    counter = _ROUNDS.get(row["mode"])
    most = row["limits"].get(counter, 0) if counter else 0
    return f"{row['mode']} {most - row['left'][counter]} of {most}" if most else ""


def _modes(database: Database, session: Session, now: float) -> "list[dict[str, Any]]":
    """All of this worktree, whoever they belong to. The usual session has none, and loads nothing for it."""
    if not sessions.list_with_modes(database, session.working_dir):
        return []
    from . import modes

    return modes.list_in_worktree(database, session.working_dir, now)


def list_modes_elsewhere(database: Database, place: str, now: float) -> "list[dict[str, Any]]":
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


def render(status: "dict[str, Any]") -> str:
    state = "on" if status["active"] else status["ending"] or status["phase"]
    gates = "    ".join(f"{name}: {command}" for name, command in status["gates"].items())
    results = ", ".join(f"{name} {result or NOT_RUN}" for name, result in status["results"].items())
    lines = [
        f"{state:<11}{cut(join_lines(status['goal']), 75)}  {status['session_id'][:8]}",
        f"{'gates':<11}{cut(gates, 88) or 'none known; ultrawork gates says how to add one'}",
        f"{'last run':<11}{results or 'none yet'}",
        *_counted(status),
    ]
    if status["driven"] is False:
        lines.append(f"{'engine':<11}gone; ultrawork resume goes on, ultrawork cancel ends it")
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
    return "\n".join([*lines, *_mode_lines(status["modes"])])


def _tell_wait(waits: "dict[str, Any]") -> str:
    asked = f": {waits['for']}" if waits["for"] else ""
    return cut(f"for you since {waits['since'][11:16]}, not heard of since{asked}", 88)


def _agent_lines(agents: "dict[str, Any]") -> list[str]:
    if not agents:
        return []
    stale = ", ".join(agents["stale"])
    long = f"; for more than 5 minutes: {stale}" if stale else ""
    met = [f"{', '.join(names)} both have {path}" for path, names in agents["meeting"].items()]
    return [f"{agents['running']} running{long}", *met]


def _counted(status: "dict[str, Any]") -> list[str]:
    """What a session is measured by: its tasks and rounds, the rounds of a mode, else refusals."""
    planned = status["planned"]
    if planned is None:
        counted = f"{'refusals':<11}{status['refusals']} of {status['limit']}"
        return [f"{'round':<11}{status['round']}" if status["round"] else counted]
    words = {
        "running": "left at work" if status["driven"] is False else "running",
        "failed": "failed",
    }
    open_ones = [
        f"{shown} {', '.join(planned[word][:5])}" for word, shown in words.items() if planned[word]
    ]
    told = [f"{planned['resolved']} of {planned['tasks']} resolved", *open_ones]
    phase = status["phase"].lower().replace("_", " ")
    return [
        f"{'phase':<11}{phase}, round {planned['iteration']} of {planned['max_iterations']}",
        f"{'tasks':<11}{cut('; '.join(told), 88) if planned['tasks'] else 'no plan yet'}",
    ]


def render_without_session(modes: "list[dict[str, Any]]") -> str:
    return "\n".join(["no session in this checkout yet", *_mode_lines(modes)])


def _mode_lines(modes: "list[dict[str, Any]]") -> list[str]:
    return [f"{'mode':<11}{cut(one['line'], 88)}" for one in modes]


def render_line(
    status: "dict[str, Any]", running: "dict[str, Any] | None" = None, now: float = 0
) -> str:
    """The status line: empty when off. `running` is the gate that runs right now."""
    if not status["active"]:
        passed = status["verdict"] == verdicts.PASS
        told = name_verdict(verdicts.PASS, status["strength"])
        return f"ulw {told} {(status['ended_at'] or '')[11:16]}".rstrip() if passed else ""
    if running is not None:
        return _checking(running, now)
    red = next(
        (
            f"{name} {result or NOT_RUN}"
            for name, result in status["results"].items()
            if result != "green"
        ),
        "",
    )
    parts = ["ulw on", *([red] if red else [])]
    counted = status["round"] or f"{status['refusals']} of {status['limit']}"
    parts += [counted] if status["refusals"] or status["round"] else []
    return " · ".join(parts)


def _checking(running: "dict[str, Any]", now: float) -> str:
    """`ulw checking test 40 s of ~2 min`."""
    since = max(0.0, now - float(running.get("began") or now))
    usual = running.get("usual")
    of = f" of ~{format_duration(float(usual))}" if usual else ""
    return f"ulw checking {running.get('gate')} {since:.0f} s{of}"
