"""`swarm-state.db`: the file that the sessions of one swarm share, opened or refused in one sentence."""

import os

from ...core.errors import NotFound, Trouble
from ..database import Database, Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .place import Omc

SCHEMA = 1
NAME = ".omc/state/swarm-state.db"
# Sixteen that claim at once wait for each other, and a busy machine makes them wait longer.
PATIENCE = 60.0
_SQL = os.path.dirname(__file__) + "/swarm.sql"
_AWAY = "move it away, then ultrawork swarm start"
_SENTENCES = {
    "SQLITE_FULL": f"the disk is full, nothing was written to {NAME}; make room and try again",
    "SQLITE_IOERR": f"{NAME} cannot be written (input/output error or full disk); nothing was kept",
    "SQLITE_READONLY": f"{NAME} cannot be written from here; mend its permissions",
    "SQLITE_CANTOPEN": f"{NAME} cannot be opened; mend the permissions of it and of its folder",
    "SQLITE_PERM": f"{NAME} may not be opened; mend its permissions",
    "SQLITE_NOTADB": f"{NAME} is not a database; {_AWAY}",
    "SQLITE_CORRUPT": f"{NAME} is damaged; {_AWAY}",
}


def path(omc: "Omc") -> str:
    return f"{omc.root}/state/swarm-state.db"


class SwarmDatabase(Database):
    """The same way of opening and of transactions as the store's own; schema and sentences are its own."""

    __slots__ = ()

    def __init__(self, omc: "Omc", *, create: bool = False, patience: float = PATIENCE) -> None:
        where = path(omc)
        if not create and not os.path.exists(where):
            raise NotFound("there is no swarm here; begin one with ultrawork swarm start")
        omc.prepare(os.path.dirname(where))
        super().__init__(where, patience=patience)
        # Many write little and often: moving the log into the file each time would cost them most of it.
        self.rows("PRAGMA wal_autocheckpoint=1000")

    def _migrate(self) -> None:
        found = self.value("PRAGMA user_version")
        if found == SCHEMA:
            return
        if found == 0 and not self._tables():
            self._write_ahead()
        with Transaction(self):
            found = self.value("PRAGMA user_version")
            if found != SCHEMA:
                self._make(found)

    def _make(self, found: int) -> None:
        if found > SCHEMA:
            raise Trouble(
                f"{NAME} was written by a newer ultrawork (schema {found}, this one knows {SCHEMA}); "
                "use that one"
            )
        if found or self._tables():
            raise Trouble(
                f"{NAME} is no list of tasks that ultrawork knows (schema {found}); {_AWAY}"
            )
        for statement in _statements():
            self.rows(statement)
        self.rows(f"PRAGMA user_version={SCHEMA}")

    def _tables(self) -> bool:
        return bool(self.value("SELECT count(*) FROM sqlite_master"))

    def trouble(self, error: Exception) -> Exception:
        name = getattr(error, "sqlite_errorname", "")
        for prefix, sentence in _SENTENCES.items():
            if name.startswith(prefix):
                return Trouble(sentence)
        if name == "SQLITE_ERROR" and str(error).startswith(("no such table", "no such column")):
            return Trouble(f"{NAME} lacks a part of it ({error}); {_AWAY}")
        return super().trouble(error)


def _statements() -> list[str]:
    with open(_SQL, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("--")]
    return [part for part in "".join(lines).split(";\n") if part.strip()]


__all__ = ["NAME", "SCHEMA", "SwarmDatabase", "Transaction", "path"]
