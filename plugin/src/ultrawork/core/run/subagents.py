"""Agents that run beside a session: which are stale, which meet in a file, what they cost, and whether one still makes
progress.

Any sign of progress is enough: output, a growing transcript, CPU use. An agent hangs only if all are missing for long.
One that repeats the same step with the same result is stuck. Both are reported first, and end the agent only after the
same time again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..times import format_iso, parse_iso
from ..tool_failures import find_round

Agent = dict[str, Any]

RUNNING, COMPLETED, FAILED = "running", "completed", "failed"
STALE = 300.0
COST_LIMIT = 1.0
FINISHED_KEPT = 100
FILES_KEPT = 200


def record_start(agents: Sequence[Agent], name: str, kind: str, session: str, now: float) -> list[Agent]:
    """Record a start; an agent that is called again keeps its entry."""
    old = next((agent for agent in agents if agent.get("agent_id") == name), {})
    fresh = {
        **old, "agent_id": name, "agent_type": kind, "session_id": session,
        "started_at": format_iso(now), "status": RUNNING,
    }  # fmt: skip
    fresh.pop("completed_at", None)
    return [*(agent for agent in agents if agent.get("agent_id") != name), fresh]


def record_end(agents: Sequence[Agent], name: str, now: float, *, success: bool, cost: float) -> list[Agent]:
    done = {"status": COMPLETED if success else FAILED, "completed_at": format_iso(now), "cost_usd": cost}
    changed = [{**agent, **done} if agent.get("agent_id") == name else agent for agent in agents]
    over = [agent for agent in changed if agent.get("status") != RUNNING]
    gone = {id(agent) for agent in over[:-FINISHED_KEPT]}
    return [agent for agent in changed if id(agent) not in gone]


def record_file(agents: Sequence[Agent], name: str, path: str) -> list[Agent]:
    def with_file(agent: Agent) -> Agent:
        files = [file for file in agent.get("files", []) if file != path]
        return {**agent, "files": [*files, path][-FILES_KEPT:]}

    return [with_file(agent) if agent.get("agent_id") == name else agent for agent in agents]


def list_stale(agents: Sequence[Agent], now: float) -> list[Agent]:
    """Running, and started more than five minutes ago."""
    return [agent for agent in list_running(agents) if now - (_time(agent) or now) > STALE]


def list_running(agents: Sequence[Agent], session: str = "") -> list[Agent]:
    return [agent for agent in agents if agent.get("status") == RUNNING and session in ("", agent.get("session_id"))]


def find_conflicts(agents: Sequence[Agent]) -> dict[str, list[str]]:
    """Return files that two running agents edit, with their agents."""
    owners: dict[str, list[str]] = {}
    for agent in list_running(agents):
        for path in agent.get("files", []):
            owners.setdefault(path, []).append(str(agent.get("agent_type") or agent.get("agent_id")))
    return {path: names for path, names in owners.items() if len(names) > 1}


def find_other_owner(agents: Sequence[Agent], name: str, path: str) -> str:
    """The kind of another running agent that has this file in hand; empty if none."""
    others = [agent for agent in list_running(agents) if agent.get("agent_id") != name]
    return next((str(other.get("agent_type")) for other in others if path in other.get("files", [])), "")


def sum_cost(agents: Sequence[Agent], session: str) -> float:
    return sum(float(agent.get("cost_usd") or 0) for agent in agents if agent.get("session_id") == session)


def find_cycles(names: Sequence[str]) -> tuple[int, str]:
    """How often the same two or three kinds of agents followed each other, and which; twice at least."""
    for length in (2, 3):
        pattern = list(names[-length:])
        count = 0
        while pattern and list(names[len(names) - (count + 1) * length :][:length]) == pattern:
            count += 1
            if (count + 1) * length > len(names):
                break
        if count >= 2 and len(set(pattern)) > 1:
            return count, "/".join(pattern)
    return 0, ""


def _time(agent: Agent) -> float | None:
    started_at = agent.get("started_at")
    return parse_iso(started_at) if isinstance(started_at, str) else None


HUNG = "hung"
LOOPING = "looping"
QUIET = "quiet"
REPEATING = "repeating"
ENDING = (HUNG, LOOPING)
PATIENCE = 900.0
# Waiting costs a little CPU too. Work takes more of a core than this.
BUSY_SHARE = 0.05
# Observations are seconds apart. After a longer pause we were stopped ourselves, and our knowledge is outdated.
BLIND = 60.0


@dataclass(slots=True)
class AgentSample:
    """One observation. `calls` are the newest steps, distinguished by their whole input and result."""

    output_bytes: int = 0
    cpu_seconds: float = 0.0
    transcript_bytes: int = 0
    calls: Sequence[str] = ()


class AgentLiveness:
    """The signs of one agent over time."""

    def __init__(self, now: float) -> None:
        self._last = AgentSample()
        self._looked_at = now
        self.alive_at = now

    def feel(self, sign: AgentSample, now: float) -> None:
        since = now - self._looked_at
        if since > BLIND or _moved(self._last, sign, since):
            self.alive_at = now
        self._last, self._looked_at = sign, now

    def judged(self, now: float, patience: float = PATIENCE) -> str:
        """Return one of `ENDING`, or a warning of it; empty while all is well."""
        if find_round(self._last.calls, 2):
            return LOOPING
        still = now - self.alive_at
        if still >= patience:
            return HUNG
        if find_round(self._last.calls):
            return REPEATING
        return QUIET if still >= patience / 2 else ""


def _moved(before: AgentSample, after: AgentSample, seconds: float) -> bool:
    if after.output_bytes != before.output_bytes:
        return True
    if after.transcript_bytes != before.transcript_bytes:
        return True
    return after.cpu_seconds - before.cpu_seconds > BUSY_SHARE * seconds
