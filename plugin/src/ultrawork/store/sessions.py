"""Sessions in the database, and their explorers with what these found."""

from ..core import check
from ..core.errors import Conflict, NotFound
from ..core.session.exploration import Explorer
from ..core.session.session import TERMINAL, Session
from ..core.session_kinds import CHECKOUT
from ..core.value import list_fields
from .codec import Columns, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .database import Change, Database

DELIVERED = "run.delivered"
MOVED = "session.moved"
_FIELDS = list_fields(Session)
_JSON = ("options", "plan", "state")
_NAMED = {"exploration_stage": "stage"}
_COLUMNS = Columns(_FIELDS, json=_JSON, named=_NAMED)
# The revision counts changes automatically.
_CHANGING = Columns((field for field in _FIELDS if field not in ("id", "revision")), json=_JSON, named=_NAMED)

_PARTS = (
    "events", "tasks", "needs", "evidence", "explorers", "pins", "receipts", "verdicts", "decisions",
    "agents", "leases", "attempts", "controls", "axiom_papers", "chains", "inbox", "notices",
    "transcripts", "messages",
)  # fmt: skip
# Active sessions come before ended ones.
_CURRENT = "(ended_at IS NULL AND phase NOT IN ('COMPLETE', 'FAILED', 'CANCELLED'))"
# The records of `verify` in a checkout are not a session: they cannot be resumed, watched or canceled.
_REAL = f"kind<>'{CHECKOUT}'"


_DAMAGED = (AttributeError, KeyError, TypeError, ValueError)


def _session(row: "tuple[Any, ...]") -> Session:
    return _COLUMNS.read(Session, row)


def get(database: "Database", name: str) -> Session:
    identifier = check.require_session_id(name)
    row = database.row(f"SELECT {_COLUMNS.names} FROM sessions WHERE id=?", identifier)  # noqa: S608
    if row is None:
        raise NotFound(f"no session {check.quote(name)}; list them: ultrawork session list")
    return _session(row)


def list_all(database: "Database", *, since: float = 0.0, checkouts: bool = False, place: str = "") -> list[Session]:
    """Return sessions, newest first; of one `place`, or of all. With `checkouts` also the records of `verify`."""
    real = "" if checkouts else f" AND {_REAL}"
    here = " AND working_dir=?" if place else ""
    sql = f"SELECT {_COLUMNS.names} FROM sessions WHERE updated_at>=?{real}{here} ORDER BY started_at DESC, rowid DESC"  # noqa: S608
    rows = database.rows(sql, since, *([place] if place else ()))
    return [session for row in rows if (session := _read(row)) is not None]


def _read(row: "tuple[Any, ...]") -> Session | None:
    """Return the session; None for a damaged row, so that one does not hide all others."""
    try:
        return _session(row)
    except _DAMAGED:
        return None


def list_damaged(database: "Database") -> list[str]:
    """Ids of rows that cannot be read."""
    rows = database.rows(f"SELECT id, {_COLUMNS.names} FROM sessions")  # noqa: S608
    return [name for name, *row in rows if _read(tuple(row)) is None]


def find(database: "Database", name: str | None, place: str) -> Session:
    """Return a session by its id, a unique prefix of it, `last`, or nothing: the newest of this checkout."""
    if name is None:
        return _newest(database, "AND working_dir=?", place)
    if name == "last":
        return _newest(database, "")
    check.require_session_id(name)
    matches = database.rows(
        "SELECT id FROM sessions WHERE id=? OR substr(id, 1, ?)=? ORDER BY id=? DESC LIMIT 3",
        name, len(name), name, name,
    )  # fmt: skip
    if len(matches) > 1 and matches[0][0] != name:
        both = " and ".join(row[0] for row in matches[:2])
        raise Conflict(f"{check.quote(name)} matches more than one session: {both}; give more characters")
    if not matches:
        raise NotFound(f"no session {check.quote(name)}; {_name_near(database, name, place)}")
    return get(database, matches[0][0])


def _name_near(database: "Database", name: str, place: str) -> str:
    """Return ids that may have been meant: similar ones, or the newest here."""
    from difflib import get_close_matches

    ids = [row[0] for row in database.rows("SELECT id FROM sessions WHERE kind != ?", CHECKOUT)]
    near = get_close_matches(name, ids, 2, 0.5)
    if not near:
        rows = database.rows(
            "SELECT id FROM sessions WHERE working_dir=? AND kind != ? ORDER BY started_at DESC LIMIT 2",
            place, CHECKOUT,
        )  # fmt: skip
        near = [row[0] for row in rows]
    return f"near: {', '.join(near)}" if near else "ultrawork session list shows them"


def find_taken_up(database: "Database", name: str) -> float:
    """Return when the session was last resumed; refusals before that no longer count."""
    sql = "SELECT max(at) FROM events WHERE session=? AND kind='session.resumed'"
    return float(database.value(sql, name) or 0.0)


def list_with_modes(database: "Database", place: str) -> list[str]:
    """Return active sessions of a checkout that have, or had, a mode; oldest first."""
    rows = database.rows(
        # One that made way for another of its name has another id than at first.
        "SELECT id FROM sessions WHERE working_dir=? AND ended_at IS NULL AND id=born"
        " AND instr(state, '\"modes\"') ORDER BY started_at, rowid",
        place,
    )
    return [name for (name,) in rows]


def find_meant(database: "Database", name: str | None, own: str, place: str) -> Session:
    """Return the named session, else the client's own if known, else the newest of this checkout."""
    if name is None and own and database.row("SELECT 1 FROM sessions WHERE id=?", own):
        return get(database, own)
    return find(database, name, place)


def find_verified_alone(database: "Database", place: str) -> "tuple[Session, float] | None":
    """Return the result and time of the last `verify` of a checkout alone; None if there was none."""
    row = database.row(
        "SELECT session, decided_at FROM verdicts JOIN sessions ON sessions.id=session"
        " WHERE working_dir=? AND kind=? ORDER BY decided_at DESC, number DESC LIMIT 1",
        place, CHECKOUT,
    )  # fmt: skip
    return (get(database, row[0]), float(row[1])) if row else None


def is_as_recorded(database: "Database", session: Session) -> bool:
    """Return whether its goal and its folder are those that the chain of events says were written."""
    events = [
        loads(data)
        for (data,) in database.rows(
            "SELECT data FROM events WHERE session=? AND kind IN (?,?,?,?) ORDER BY id",
            session.id, "session.created", "session.armed", "goal.extended", MOVED,
        )
    ]  # fmt: skip
    lines = {line for event in events for line in str(event.get("goal", "")).splitlines()}
    places = [event["place"] for event in events if event.get("place")]
    kept = not events or set(session.goal.splitlines()) <= lines
    return kept and (not places or session.working_dir == places[-1])


def _newest(database: "Database", where: str, *values: object) -> Session:
    sql = f"SELECT {_COLUMNS.names} FROM sessions WHERE {_REAL} {where} ORDER BY {_CURRENT} DESC, started_at DESC, rowid DESC LIMIT 1"  # noqa: S608
    row = database.row(sql, *values)
    if row is None:
        here = " in this checkout" if where else ""
        raise NotFound(f'no session{here} yet. Start one: ultrawork run "GOAL", or ulw <task> in a client')
    return _session(row)


def create(change: "Change", session: Session, *, force: bool = False) -> None:
    """Create a session. An ended one of the same id makes way, an active one only with `force`."""
    database = change.database
    row = database.row("SELECT phase, ended_at FROM sessions WHERE id=?", session.id)
    if row is not None:
        if row[0] not in TERMINAL and row[1] is None and not force:
            raise Conflict(f"session {session.id} is still active; end it, or use --force")
        change.touch(f"aside:{_set_aside(database, session.id)}")
    database.rows(
        f"INSERT INTO sessions ({_CHANGING.names}, id, born, revision, head)"  # noqa: S608
        f" VALUES ({_CHANGING.marks},?,?,0,'')",
        *_CHANGING.write(session), session.id, session.id,
    )  # fmt: skip
    change.record("session.created", {"goal": session.goal, "place": session.working_dir, "again": row is not None})
    change.touch("session", "context")


def _set_aside(database: "Database", name: str) -> str:
    """Give a session another id, so that a new one can have its own; nothing is lost."""
    count = database.value("SELECT count(*) FROM sessions WHERE born=?", name)
    other = f"{name[: check.SESSION_ID_LIMIT - 8]}.{count}"
    database.rows("PRAGMA defer_foreign_keys=ON")
    database.rows("UPDATE sessions SET id=? WHERE id=?", other, name)
    for table in _PARTS:
        database.rows(f"UPDATE {table} SET session=? WHERE session=?", other, name)  # noqa: S608
    database.rows(
        "UPDATE attempts SET folder=replace(folder, ?, ?) WHERE session=?",
        f"/sessions/{name}/", f"/sessions/{other}/", other,
    )  # fmt: skip
    database.rows("UPDATE controls SET done_at=at WHERE session=? AND done_at IS NULL", other)
    return other


def save(change: "Change", session: Session, kind: str, data: object) -> None:
    """
    Write a session back, with the event that explains why. Refuse one that was read before this change began and
    written by another process since, because that change would be lost.
    """
    known = change.database.value("SELECT revision FROM sessions WHERE id=?", session.id)
    if known is not None and session.revision < known - change.recorded:
        raise Conflict(f"session {session.id} was changed by another process meanwhile; try again")
    session.updated_at = change.now
    if session.state.has_modes:
        from ..core.modes import record

        record.follow(session, change.now)
        change.touch("modes")
    change.database.rows(
        f"UPDATE sessions SET {_CHANGING.assignments} WHERE id=?",  # noqa: S608
        *_CHANGING.write(session), session.id,
    )  # fmt: skip
    change.record(kind, data)
    session.revision = change.database.value("SELECT revision FROM sessions WHERE id=?", session.id)
    change.touch("session")
    judged = "SELECT 1 FROM verdicts WHERE session=? LIMIT 1"
    if session.ended_at is not None and change.database.row(judged, session.id):
        change.touch("verdict")


def delete(change: "Change", name: str) -> None:
    change.database.rows("DELETE FROM sessions WHERE id=?", check.require_session_id(name))


def find_delivery(database: "Database", session: str) -> str:
    """Return where the results of a run were delivered, or why they stayed beside the user's branch; empty before
    that."""
    query = "SELECT data FROM events WHERE session=? AND kind=? ORDER BY id DESC LIMIT 1"
    text = database.value(query, session, DELIVERED)
    return str(loads(text).get("told") or "") if text else ""


_EXPLORER_COLUMNS = Columns(list_fields(Explorer), json=("findings",), flags=("expected",))
_EXPLORERS = f"SELECT {_EXPLORER_COLUMNS.names} FROM explorers WHERE session=? ORDER BY place"  # noqa: S608


def list_explorers(database: "Database", session: str) -> list[Explorer]:
    return [_EXPLORER_COLUMNS.read(Explorer, row) for row in database.rows(_EXPLORERS, session)]


def expect_explorers(change: "Change", names: "Sequence[str]", hints: "Mapping[str, str] | None" = None) -> None:
    """Set which explorers must report; earlier reports stay and count."""
    wanted = [check.require_task_id(name) for name in names]
    change.database.rows("UPDATE explorers SET expected=0 WHERE session=?", change.session)
    for name in wanted:
        _ensure_explorer(change, name)
        change.database.rows(
            "UPDATE explorers SET expected=1, hint=coalesce(?, hint) WHERE session=? AND id=?",
            (hints or {}).get(name), change.session, name,
        )  # fmt: skip
    change.record("explorers.expected", {"explorers": wanted})
    change.touch("context")


def take_report(change: "Change", explorer: Explorer) -> bool:
    """Store a report; the first one of an explorer stays. Return whether it was new."""
    name = check.require_task_id(explorer.id)
    _ensure_explorer(change, name)
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


def _ensure_explorer(change: "Change", name: str) -> None:
    change.database.rows(
        "INSERT OR IGNORE INTO explorers (session, id, place, hint, summary, findings, expected)"
        " SELECT ?1, ?2, count(*), '', '', '{}', 0 FROM explorers WHERE session=?1",
        change.session, name,
    )  # fmt: skip
