"""The moving board: which rows changed between two reads, and the history of an ended session."""

from typing import Any

from ..core.times import format_iso
from ..core.wording import cut, join_lines
from ..store.codec import loads
from ..store.database import Database
from .board import BoardRow, render_row

_NAMED = ("subject", "task", "role", "gate", "action", "rule", "verdict", "status", "answer", "why")
Marks = dict[str, tuple[str, str, str]]


def take_marks(rows: list[BoardRow]) -> Marks:
    """Return what counts as a change: a session's state, its subject, and its tasks."""
    return {row.session.id: (row.state.word, row.state.what, row.progress) for row in rows}


def list_moves(before: Marks | None, rows: list[BoardRow], now: float) -> list[str]:
    """Return a line per changed session; at first, one per running session."""
    clock = (format_iso(now) or "")[11:19]
    if before is None:
        moved = [row for row in rows if row.session.active]
    else:
        marks = take_marks(rows)
        moved = [row for row in rows if before.get(row.session.id) != marks[row.session.id]]
    return [f"{clock}  {render_row(row, now)}" for row in moved]


def list_history(database: Database, session: str) -> list[dict[str, Any]]:
    """Return everything that happened to a session, in order, with seconds since its start."""
    rows = database.rows(
        "SELECT at, actor, kind, data FROM events WHERE session=? ORDER BY id", session
    )
    first = rows[0][0] if rows else 0.0
    return [
        {
            "after": round(at - first, 3),
            "at": format_iso(at),
            "actor": actor,
            "kind": kind,
            "what": _describe(data),
        }
        for at, actor, kind, data in rows
    ]


def _describe(text: str) -> str:
    told = loads(text)
    if not isinstance(told, dict):
        return ""
    parts = [str(told[name]) for name in _NAMED if told.get(name)]
    return cut(join_lines(", ".join(parts)), 80)


def render_event(event: dict[str, Any]) -> str:
    minutes, seconds = divmod(int(event["after"]), 60)
    return f"{minutes:>4}:{seconds:02}  {event['kind']:<22}  {event['what']}".rstrip()
