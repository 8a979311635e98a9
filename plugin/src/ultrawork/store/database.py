"""Open the one database, migrate its schema, and run transactions that succeed or fail as a whole."""

import os

from ..core.errors import Conflict, Trouble, Unwritable
from . import sqlite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
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
