"""`swarm-state.db`: the file that the sessions of one swarm share, opened or refused in one sentence."""

import os
from collections.abc import Sequence

from ....core.errors import NotFound, Trouble
from ....store.atomic import Lock
from ....store.database import Database, Transaction
from ....store.omc.folder import Omc

SCHEMA = 1
NAME = ".omc/state/swarm-state.db"
# Sixteen concurrent claims wait for each other, longer on a busy machine.
PATIENCE = 60.0
_SQL = os.path.dirname(__file__) + "/swarm.sql"
_AWAY = "Move it away, then run: ultrawork swarm start"
_DAMAGED = f"{NAME} is damaged. {_AWAY}"
_HEAD = 100
_BESIDE = _LOG, _INDEX = ("-wal", "-shm")
_SENTENCES = {
    "SQLITE_FULL": f"the disk is full, so nothing was written to {NAME}; free some space and try again",
    "SQLITE_IOERR": f"could not write {NAME} (input/output error or full disk); nothing was saved",
    "SQLITE_READONLY": f"could not write {NAME}; fix its permissions",
    "SQLITE_CANTOPEN": f"could not open {NAME}; fix its permissions and those of its folder",
    "SQLITE_PERM": f"no permission to open {NAME}; fix its permissions",
    "SQLITE_NOTADB": f"{NAME} is not a database. {_AWAY}",
    "SQLITE_CORRUPT": _DAMAGED,
}


def locate(omc: Omc) -> str:
    return f"{omc.root}/state/swarm-state.db"


class SwarmDatabase(Database):
    """Opened like the store's own database; schema and errors are its own."""

    def __init__(self, omc: Omc, *, create: bool = False, patience: float = PATIENCE) -> None:
        where = locate(omc)
        if not create and not os.path.exists(where):
            raise NotFound("there is no swarm here; start one: ultrawork swarm start")
        omc.prepare(os.path.dirname(where))
        if create:
            _make(omc, where)
        if _is_cut(where) or _has_lost_its_log(where):
            raise Trouble(_DAMAGED)
        super().__init__(where, patience=patience)
        # Many write little and often: moving the log into the file each time would cost the most.
        self.rows("PRAGMA wal_autocheckpoint=1000")

    def _migrate(self) -> None:
        version = self.value("PRAGMA user_version")
        if version == SCHEMA:
            return
        if version > SCHEMA:
            raise Trouble(
                f"{NAME} was written by a newer ultrawork (schema {version}, this one knows {SCHEMA}); use that one"
            )
        if not version and not self.value("SELECT count(*) FROM sqlite_master"):
            raise Trouble(_DAMAGED)
        raise Trouble(f"{NAME} is not a known task list (schema {version}). {_AWAY}")

    def trouble(self, error: Exception) -> Exception:
        name = getattr(error, "sqlite_errorname", "")
        for prefix, sentence in _SENTENCES.items():
            if name.startswith(prefix):
                return Trouble(sentence)
        if name == "SQLITE_ERROR" and str(error).startswith(("no such table", "no such column")):
            return Trouble(f"{NAME} is incomplete ({error}). {_AWAY}")
        return super().trouble(error)


class _New(SwarmDatabase):
    """A database that no other process knows of yet."""

    def __init__(self, where: str) -> None:
        Database.__init__(self, where)

    def _migrate(self) -> None:
        self._write_ahead()
        with Transaction(self):
            with open(_SQL, encoding="utf-8") as file:
                lines = [line for line in file if not line.startswith("--")]
            for statement in [part for part in "".join(lines).split(";\n") if part.strip()]:
                self.rows(statement)
            self.rows(f"PRAGMA user_version={SCHEMA}")


def _make(omc: Omc, where: str) -> None:
    """Create the database beside its place and move it there, because an empty file in its place may belong to another
    program."""
    if os.path.exists(where):
        return
    with Lock(omc.root + "/.lock", patience=PATIENCE):
        if os.path.exists(where):
            return
        beside = where + ".new"
        _remove(beside)
        try:
            _New(beside).close()
            _remove(where, _BESIDE)  # a log without its database would be read as the new one's
            os.rename(beside, where)
        finally:
            _remove(beside)


def _remove(where: str, ends: Sequence[str] = ("", *_BESIDE)) -> None:
    for end in ends:
        try:
            os.unlink(where + end)
        except FileNotFoundError:
            pass


def _is_cut(where: str) -> bool:
    """Return whether the file is shorter than the header that every database has."""
    try:
        return os.stat(where).st_size < _HEAD
    except OSError:
        return False  # SQLite says why it cannot be opened


def _has_lost_its_log(where: str) -> bool:
    """Return whether the log is lost. SQLite creates it before its index and removes it after; repeated tests
    distinguish loss from a race."""
    return all(not os.path.exists(where + _LOG) and os.path.exists(where + _INDEX) for _ in range(5))


__all__ = ["NAME", "SCHEMA", "SwarmDatabase", "Transaction", "locate"]
