"""Orders to a running engine: rows that any process may write and the engine executes."""

from ..core.errors import UsageError
from ..core.value import Value, list_fields
from .codec import Columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Change, Database

CANCEL = "cancel"
PAUSE = "pause"
RESUME = "resume"
PRIORITY = "priority"
FINISH = "finish"
STOP = "stop"
KINDS = (CANCEL, PAUSE, RESUME, PRIORITY, FINISH, STOP)


class Control(Value):
    """`subject` empty means the whole session."""

    id: int
    at: float
    actor: str
    kind: str
    subject: str
    value: str


_COLUMNS = Columns(list_fields(Control))
_WAITING = f"SELECT {_COLUMNS.names} FROM controls WHERE session=? AND done_at IS NULL ORDER BY id"  # noqa: S608


def ask(change: "Change", kind: str, subject: str = "", value: str = "") -> None:
    if kind not in KINDS:
        raise UsageError(f"a run cannot be asked to {kind}; known: {', '.join(KINDS)}")
    change.database.rows(
        "INSERT INTO controls (session, at, actor, kind, subject, value) VALUES (?,?,?,?,?,?)",
        change.session, change.now, change.actor, kind, subject, value,
    )  # fmt: skip
    change.record("control.asked", {"kind": kind, "subject": subject, "value": value})


def list_waiting(database: "Database", session: str) -> list[Control]:
    """Return unfinished orders, oldest first."""
    return [_COLUMNS.read(Control, row) for row in database.rows(_WAITING, session)]


def find_pause(database: "Database", session: str) -> Control | None:
    """Return the order to pause that holds now; None if there is none, or it was lifted."""
    last = [row for row in list_waiting(database, session) if row.kind in (PAUSE, RESUME)][-1:]
    return last[0] if last and last[0].kind == PAUSE else None


def mark_done(change: "Change", number: int) -> None:
    change.database.rows(
        "UPDATE controls SET done_at=? WHERE session=? AND id=? AND done_at IS NULL", change.now, change.session, number
    )
