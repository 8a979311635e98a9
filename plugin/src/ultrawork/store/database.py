"""Open the one database, migrate its schema, and run transactions that succeed or fail as a whole.

A change to one session is a transaction with the events that describe it, and then its views; each event holds the
hash of the one before, so it can be checked that stored events are still what was written."""

import os

from ..core.errors import Conflict, Trouble, Unwritable
from . import sqlite
from .codec import digest, dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

SCHEMA = 12
PATIENCE = 30.0
_MIGRATIONS = os.path.dirname(__file__) + "/migrations"
_SENTENCES = {
    "SQLITE_FULL": "the disk is full. Free space in {folder} and try again",
    "SQLITE_IOERR": "{folder} cannot be written (input/output error or full disk). Nothing was saved",
    "SQLITE_READONLY": "{folder} cannot be written from here. Set ULTRAWORK_HOME to a writable folder",
    "SQLITE_CANTOPEN": "{folder} cannot be opened or written. Set ULTRAWORK_HOME to a writable folder",
    "SQLITE_PERM": "{folder} cannot be opened. Fix its permissions or set ULTRAWORK_HOME",
    "SQLITE_NOTADB": "{file} is not a database. Move it away, then run ultrawork session import",
    "SQLITE_CORRUPT": "{file} is damaged. Move it away, then run ultrawork session import",
}
_UNWRITABLE = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")


class Database:
    """A connection. `durable` makes its transactions survive a power cut, not only a crash."""

    __slots__ = ("_connection", "path")

    def __init__(self, path: str, *, patience: float = PATIENCE) -> None:
        self.path = path
        try:
            self._connection = self._open(patience)
            self._migrate()
        except sqlite.Error as error:
            raise self.trouble(error) from error

    def _open(self, patience: float) -> "Any":
        try:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        except OSError as error:
            raise Unwritable(
                f"could not create {os.path.dirname(self.path)} ({error.strerror}); "
                "set ULTRAWORK_HOME to a writable folder"
            ) from error
        _make_private(self.path)
        connection = sqlite.connect(self.path, timeout=patience, isolation_level=None)
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute("PRAGMA synchronous=NORMAL")
        # Hooks exit without closing, and the next one reads the whole log, so keep it short.
        connection.execute("PRAGMA wal_autocheckpoint=200")
        return connection

    def _migrate(self) -> None:
        schema = self.value("PRAGMA user_version")
        if schema == SCHEMA:
            return
        if schema == 0:
            self._write_ahead()
        with Transaction(self):
            schema = self.value("PRAGMA user_version")
            if schema > SCHEMA:
                raise Trouble(
                    f"{self.path} was written by a newer ultrawork (schema {schema}, this one knows "
                    f"{SCHEMA}); use that version, or update this one"
                )
            for statement in _statements(schema):
                self._connection.execute(statement)

    def _write_ahead(self) -> None:
        """
        Switch to write-ahead logging. SQLite does not wait for this change, so one of two simultaneous starts
        retries.
        """
        from time import monotonic, sleep

        end = monotonic() + PATIENCE
        while self._is_busy("PRAGMA journal_mode=WAL", last=monotonic() > end):
            sleep(0.02)

    def _is_busy(self, sql: str, *, last: bool) -> bool:
        try:
            self._connection.execute(sql)
        except sqlite.Error as error:
            if last or not getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                raise
            return True
        return False

    def rows(self, sql: str, *values: object) -> "list[tuple[Any, ...]]":
        try:
            return self._connection.execute(sql, values).fetchall()  # type: ignore[no-any-return]
        except sqlite.Error as error:
            raise self.trouble(error) from error
        except UnicodeEncodeError:
            return self.rows(sql, *_storable(values))

    def row(self, sql: str, *values: object) -> "tuple[Any, ...] | None":
        rows = self.rows(sql, *values)
        return rows[0] if rows else None

    def value(self, sql: str, *values: object) -> "Any":
        row = self.row(sql, *values)
        return row[0] if row else None

    def execute_many(self, sql: str, values: "Sequence[Sequence[object]]") -> None:
        try:
            self._connection.executemany(sql, [_storable(row) for row in values])
        except sqlite.Error as error:
            raise self.trouble(error) from error

    def close(self) -> None:
        self._connection.close()

    def trouble(self, error: Exception) -> Exception:
        """Return an error for a message of SQLite. Errors that only our own bugs cause stay as they are."""
        name = getattr(error, "sqlite_errorname", "")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return Conflict("another program is using the database; try again")
        for prefix, sentence in _SENTENCES.items():
            if name.startswith(prefix):
                kind = Unwritable if prefix in _UNWRITABLE else Trouble
                return kind(sentence.format(folder=os.path.dirname(self.path), file=self.path))
        return error


class Transaction:
    """Everything between `BEGIN IMMEDIATE` and `COMMIT`, or nothing."""

    __slots__ = ("_database", "_durable")

    def __init__(self, database: Database, *, durable: bool = False) -> None:
        self._database = database
        self._durable = durable

    def __enter__(self) -> Database:
        if self._durable:
            self._database.rows("PRAGMA synchronous=FULL")
        self._database.rows("BEGIN IMMEDIATE")
        return self._database

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._database.rows("COMMIT")
            else:
                self._roll_back()
        except Exception:
            self._roll_back()
            raise
        finally:
            if self._durable:
                self._database.rows("PRAGMA synchronous=NORMAL")

    def _roll_back(self) -> None:
        try:
            self._database.rows("ROLLBACK")
        except Exception:  # noqa: BLE001 (a full disk rolls back by itself, and then there is nothing left to do)
            pass


def _make_private(path: str) -> None:
    """Restrict the file to its owner, which SQLite does not do. Its other files copy these permissions."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        pass  # it already exists, or SQLite will report why it cannot


def _storable(values: "Sequence[object]") -> "list[object]":
    """Replace lone surrogates, which stand for undecodable bytes and which SQLite refuses."""
    return [
        value.encode("utf-8", "replace").decode() if isinstance(value, str) and not value.isascii() else value
        for value in values
    ]


def _statements(version: int) -> "list[str]":
    """Return the statements of every migration after schema `found`, and the new number."""
    names = sorted(name for name in os.listdir(_MIGRATIONS) if name.endswith(".sql"))
    result: list[str] = []
    for name in names[version:]:
        with open(f"{_MIGRATIONS}/{name}", encoding="utf-8") as file:
            result += [part for part in file.read().split(";\n") if part.strip()]
    return [*result, f"PRAGMA user_version={SCHEMA}"]


FIRST = ""  # what the first event of a session follows


class Change:
    """
    `with Change(...) as change:` is one transaction. `record` describes what is done to rows, `touch` names the
    views that show them; both happen together or not at all. `show` is called after the commit with the touched
    views, `mark` just before it, because the process may be killed in between. One of `many` small parts collects
    its events and writes them at the end. `recorded` counts the events written so far.
    """

    __slots__ = (
        "_events", "_many", "_mark", "_show", "_touched", "_transaction", "actor", "database", "now",
        "recorded", "session",
    )  # fmt: skip

    def __init__(
        self,
        database: "Database",
        *,
        session: str,
        actor: str,
        now: float,
        show: "Callable[[str, list[str]], None]",
        mark: "Callable[[str, list[str]], None]",
        durable: bool = False,
        many: bool = False,
    ) -> None:
        self.database = database
        self.session = session
        self.actor = actor
        self.now = now
        self._show = show
        self._mark = mark
        self._touched: dict[str, None] = {}
        self._many = many
        self._events: list[tuple[str, str]] = []
        self.recorded = 0
        self._transaction = Transaction(database, durable=durable)

    def __enter__(self) -> "Change":
        self._transaction.__enter__()
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is not None:
            self._transaction.__exit__(kind, *rest)
            return
        views = list(self._touched)
        try:
            if self._events:
                self._append(self._events)
            if views:
                self._mark(self.session, views)
        except BaseException as error:
            self._transaction.__exit__(type(error))
            raise
        self._transaction.__exit__(None)
        if views:
            self._show(self.session, views)

    def touch(self, *views: str) -> None:
        self._touched.update(dict.fromkeys(views))

    def record(self, kind: str, data: object) -> None:
        """Append to the session's chain: each event holds the hash of the previous one."""
        event = (kind, dumps(data))
        if self._many:
            self._events.append(event)
        else:
            self._append([event])

    def _append(self, events: "list[tuple[str, str]]") -> None:
        chain = self.database.row("SELECT head, born FROM sessions WHERE id=?", self.session)
        head, born = chain or (None, None)
        rows = []
        for kind, text in events:
            link = hash_link(head, (born, self.actor, repr(self.now), kind, text))
            rows.append((self.session, self.actor, self.now, kind, text, head, link))
            head = link
        self.database.execute_many(
            "INSERT INTO events (session, actor, at, kind, data, previous, hash) VALUES (?,?,?,?,?,?,?)", rows
        )
        self.database.rows("UPDATE sessions SET head=?, revision=revision+? WHERE id=?", head, len(rows), self.session)
        self.recorded += len(rows)


def hash_link(previous: str, parts: tuple[str, ...]) -> str:
    return digest("\n".join((previous, *parts)))


def is_linked(database: "Database", session: str, event: "tuple[Any, ...]") -> bool:
    """Return whether an event fits into the chain: its own hash is right, and the next event follows it."""
    number, actor, at, kind, data, previous, link = event
    # Its original name: one that made way for another has a new one.
    born = database.value("SELECT born FROM sessions WHERE id=?", session)
    if hash_link(previous, (born, actor, repr(at), kind, data)) != link:
        return False
    after = database.value("SELECT previous FROM events WHERE session=? AND id>? ORDER BY id LIMIT 1", session, number)
    head = database.value("SELECT head FROM sessions WHERE id=?", session)
    return bool(link == (head if after is None else after))


def find_broken_links(database: "Database", session: str) -> list[str]:
    """Return one sentence for each break in a session's chain of events."""
    broken_links: list[str] = []
    last, count = FIRST, 0
    born = database.value("SELECT born FROM sessions WHERE id=?", session)
    rows = database.rows(
        "SELECT id, actor, at, kind, data, previous, hash FROM events WHERE session=? ORDER BY id", session
    )
    for event, actor, at, kind, data, previous, recorded in rows:
        if previous != last:
            broken_links.append(f"event {event} ({kind}) does not follow the previous one")
        elif hash_link(previous, (born, actor, repr(at), kind, data)) != recorded:
            broken_links.append(f"event {event} ({kind}) was changed after it was written")
        last, count = recorded, count + 1
    head, revision = database.rows("SELECT head, revision FROM sessions WHERE id=?", session)[0]
    if not broken_links and (head != last or revision != count):
        broken_links.append(f"the record has {count} events, but {revision} were written")
    return broken_links


def find_damage(database: "Database") -> list[str]:
    """Return what SQLite itself finds wrong with the file."""
    faults = [text for (text,) in database.rows("PRAGMA integrity_check(5)") if text != "ok"]
    orphans = database.rows("PRAGMA foreign_key_check")
    return faults + [f"table {row[0]} has an orphaned row" for row in orphans[:5]]
