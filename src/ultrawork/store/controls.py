"""What somebody asks of a running engine: rows that any process may write and the engine does."""

from ..core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .change import Change
    from .database import Database

CANCEL = "cancel"
PAUSE = "pause"
RESUME = "resume"
PRIORITY = "priority"
FINISH = "finish"
STOP = "stop"
KINDS = (CANCEL, PAUSE, RESUME, PRIORITY, FINISH, STOP)


class Control:
    """`subject` empty means the whole session."""

    __slots__ = ("actor", "at", "id", "kind", "subject", "value")

    def __init__(self, row: "tuple[Any, ...]") -> None:
        self.id, self.at, self.actor, self.kind, self.subject, self.value = row


def ask(change: "Change", kind: str, subject: str = "", value: str = "") -> None:
    if kind not in KINDS:
        raise UsageError(f"an engine cannot be asked to {kind}; known: {', '.join(KINDS)}")
    change.database.rows(
        "INSERT INTO controls (session, at, actor, kind, subject, value) VALUES (?,?,?,?,?,?)",
        change.session, change.now, change.actor, kind, subject, value,
    )  # fmt: skip
    change.record("control.asked", {"kind": kind, "subject": subject, "value": value})


def list_waiting(database: "Database", session: str) -> list[Control]:
    """What was asked and not yet done, oldest first."""
    rows = database.rows(
        "SELECT id, at, actor, kind, subject, value FROM controls"
        " WHERE session=? AND done_at IS NULL ORDER BY id",
        session,
    )
    return [Control(row) for row in rows]


def mark_done(change: "Change", number: int) -> None:
    change.database.rows(
        "UPDATE controls SET done_at=? WHERE session=? AND id=? AND done_at IS NULL",
        change.now, change.session, number,
    )  # fmt: skip
