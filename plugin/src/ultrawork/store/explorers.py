"""Explorers and their findings in the database."""

from ..core import check
from ..core.session.exploration import Explorer
from ..core.value import list_fields
from .codec import Columns, dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .change import Change
    from .database import Database


_COLUMNS = Columns(list_fields(Explorer), json=("findings",), flags=("expected",))
_SELECT = f"SELECT {_COLUMNS.names} FROM explorers WHERE session=? ORDER BY place"  # noqa: S608


def list_all(database: "Database", session: str) -> list[Explorer]:
    return [_COLUMNS.read(Explorer, row) for row in database.rows(_SELECT, session)]


def expect(change: "Change", names: "Sequence[str]", hints: "Mapping[str, str] | None" = None) -> None:
    """Set which explorers must report; earlier reports stay and count."""
    wanted = [check.require_task_id(name) for name in names]
    change.database.rows("UPDATE explorers SET expected=0 WHERE session=?", change.session)
    for name in wanted:
        _ensure(change, name)
        change.database.rows(
            "UPDATE explorers SET expected=1, hint=coalesce(?, hint) WHERE session=? AND id=?",
            (hints or {}).get(name), change.session, name,
        )  # fmt: skip
    change.record("explorers.expected", {"explorers": wanted})
    change.touch("context")


def add(change: "Change", explorer: Explorer) -> bool:
    """Store a report; the first one of an explorer stays. Return whether it was new."""
    name = check.require_task_id(explorer.id)
    _ensure(change, name)
    done = change.database.value("SELECT done_at FROM explorers WHERE session=? AND id=?", change.session, name)
    if done is not None:
        return False
    change.database.rows(
        "UPDATE explorers SET hint=?, summary=?, findings=?, report=?, done_at=? WHERE session=? AND id=?",
        explorer.hint, explorer.summary, dumps(explorer.findings), explorer.report,
        change.now if explorer.done_at is None else explorer.done_at, change.session, name,
    )  # fmt: skip
    change.record("explorer.reported", {"explorer": name, "summary": explorer.summary})
    change.touch("context", f"explorer:{name}")
    return True


def _ensure(change: "Change", name: str) -> None:
    change.database.rows(
        "INSERT OR IGNORE INTO explorers (session, id, place, hint, summary, findings, expected)"
        " SELECT ?1, ?2, count(*), '', '', '{}', 0 FROM explorers WHERE session=?1",
        change.session, name,
    )  # fmt: skip
