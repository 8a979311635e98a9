"""The ledger of a checkout: its own session whose chain of events records every change of Axiom's memory.

A user's first use of Axiom creates it, never files in the checkout, which are no one's consent. Linked worktrees share
the ledger of their checkout."""

from collections.abc import Iterator
from typing import Any

from ....core.plan import task
from ....core.session.session import CHECKOUT, Session
from ....store import checkouts, sessions
from ....store.codec import digest, dumps, loads
from ....store.database import Change, Database, is_linked
from ....store.paths import Home
from ..values.context_pages import RunMetrics

PREFIX = "axiom-"
MARK = "axiom"
VIEW = "axiom"
_MOST_RUNS = 50


def name_ledger(place: str) -> str:
    return PREFIX + digest(checkouts.find_owner(place))[:12]


def is_begun(home: Home, place: str) -> bool:
    """Return whether a user uses Axiom here; a small file answers, so that others pay nothing."""
    return checkouts.is_recorded(home, place, MARK)


def is_ledger(name: str) -> bool:
    return name.startswith(PREFIX)


def find_requirement(database: Database, place: str) -> Session | None:
    """Return the open requirement of a checkout: a planned session that Axiom leads and that has not ended."""
    rows = database.rows(
        "SELECT id FROM sessions WHERE working_dir=? AND ended_at IS NULL AND kind<>?"
        " AND instr(state, '\"axiom\"') ORDER BY started_at DESC",
        place, CHECKOUT,
    )  # fmt: skip
    candidates = (sessions.get(database, name) for (name,) in rows)
    return next((session for session in candidates if session.active and session.state.lead), None)


def record_run(change: Change, run: RunMetrics) -> None:
    change.database.rows(
        "INSERT OR REPLACE INTO axiom_runs (ledger, requirement, started_at, document) VALUES (?,?,?,?)",
        change.session, run.requirement, run.started_at, dumps(run.document()),
    )  # fmt: skip
    change.record("axiom.run", {"requirement": run.requirement, "outcome": run.outcome})
    change.touch(VIEW)


def list_runs(database: Database, ledger: str) -> list[RunMetrics]:
    rows = database.rows(
        "SELECT document FROM axiom_runs WHERE ledger=? ORDER BY started_at DESC LIMIT ?", ledger, _MOST_RUNS
    )
    return [RunMetrics(**loads(text)) for (text,) in rows]


def is_recorded(database: Database, session: str, kind: str, **wanted: object) -> bool:
    """Return whether the chain of a session holds an event that says this."""
    return any(
        all(event.get(key) == value for key, value in wanted.items())
        for event in _list_recorded(database, session, kind)
    )


def find_recorded_state(database: Database, session: str) -> str:
    """Return the state after the last recorded move of a requirement; empty if none is recorded."""
    return next((str(event.get("to")) for event in _list_recorded(database, session, "axiom.moved")), "")


def list_failing_runs(database: Database, session: str) -> list[str]:
    """Return every failing run of a requirement, a line each: attempts at a task, then checks and judges of the whole.
    A counter would lose those before the user said to try again."""
    tried = _list_recorded(database, session, "task.updated")
    rounds = _list_recorded(database, session, "iteration.began")
    moved = _list_recorded(database, session, "axiom.moved")
    lines = [
        *(str(event["whole"]) for event in moved if event.get("whole")),
        *(f"round {event['iteration']}: {event.get('why')}" for event in rounds),
        *(f"{event['task']}: {event['reason']}" for event in tried if event["status"] == task.FAILED),
    ]
    return lines[::-1]


def count_mends(database: Database, session: str) -> int:
    """Return how often something was tried again automatically: a task that failed, or a round over the whole."""
    tried = _list_recorded(database, session, "task.updated")
    rounds = _list_recorded(database, session, "iteration.began")
    # A task that a round takes up again carries the reason of that round, and is not counted beside it.
    retried = [event for event in tried if event.get("retry") and not event["reason"]]
    return len(retried) + sum(1 for _ in rounds)


def _list_recorded(database: Database, session: str, kind: str) -> Iterator[dict[str, Any]]:
    """Yield data of chained events of a kind, last one first."""
    rows = database.rows(
        "SELECT id, actor, at, kind, data, previous, hash FROM events WHERE session=? AND kind=? ORDER BY id DESC",
        session, kind,
    )  # fmt: skip
    return (loads(row[4]) for row in rows if is_linked(database, session, row))
