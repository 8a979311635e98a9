"""Why something was decided: what, because of what, and what would change it."""

from ..core.errors import NotFound
from ..core.plan.task import Task
from ..core.session.session import Session
from ..core.times import format_iso
from ..core.verdict_values import FAIL, PASS, UNVERIFIED
from ..store import decisions
from ..store.database import Database
from ..store.decisions import StoredDecision
from ..store.store import Store

_ACTIONS = {
    "silent": "let the stop pass and stayed on",
    "quiet-end": "ended without a verdict",
    "later": "let the stop pass and checks in the background",
    "pass": "ended with PASS",
    "refuse": "sent the agent back",
    "nudge": "asked the agent to go on",
    "let-go": "let go with UNVERIFIED",
}


def read_last_decision(store: Store, session: str) -> StoredDecision:
    """Also one that passed at the first glance, if it is the newest."""
    taken = [
        decisions.find_last(store.database, session),
        decisions.find_noted(store.home, session),
    ]
    found = [one for one in taken if one is not None]
    if not found:
        raise NotFound("no stop has been decided yet in this session")
    return max(found, key=lambda one: one.at)


def read_last_step(database: Database, session: str) -> tuple[float, str] | None:
    """When a session last moved for a reason that is recorded, and the reason."""
    row = database.row(
        "SELECT at, json_extract(data, '$.why') FROM events WHERE session=? AND kind IN (?,?,?,?)"
        " AND json_extract(data, '$.why') IS NOT NULL ORDER BY id DESC LIMIT 1",
        session, "phase.reached", "iteration.began", "session.ended", "session.failed",
    )  # fmt: skip
    return None if row is None else (row[0], str(row[1]))


def explain_decision(taken: StoredDecision) -> str:
    when = (format_iso(taken.at) or "")[11:16]
    lines = [
        f"decided    {when} {_ACTIONS.get(taken.action, taken.action)} ({taken.rule})",
        f"because    {taken.because}",
        f"to change  {taken.clears or 'nothing to do'}",
    ]
    return "\n".join(lines)


def explain_course(session: Session, at: float, because: str, strength: str | None = None) -> str:
    """The same of a session that no stop decided: how far it is, or how it ended."""
    when, stands = (format_iso(at) or "")[11:16], session.phase.lower().replace("_", " ")
    lines = [
        f"decided    {when} {', '.join(filter(None, (stands, session.verdict, strength)))}",
        f"because    {because}",
        f"to change  {_CHANGES.get(session.verdict or '', 'nothing to do, it goes on')}",
    ]
    return "\n".join(lines)


_CHANGES = {
    PASS: "nothing to do",
    FAIL: "see ultrawork logs; ultrawork exec --restart tries again",
    UNVERIFIED: "ultrawork verify, in the files as they are",
}


def explain_task(task: Task, done: set[str]) -> str:
    """Why a task is where it is; `done` are the tasks that are resolved."""
    left = [name for name in task.blocked_by if name not in done]
    waits = f"it waits for {', '.join(left)}" if left else "nothing holds it"
    lines = [
        f"decided    task {task.id} is {task.status}, attempt {task.attempts}",
        f"because    {task.reason or waits}",
        f"to change  {'; '.join(task.criteria) or 'no criterion was given'}",
    ]
    return "\n".join(lines)
