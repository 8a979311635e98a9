"""Machines of a cluster as a coordinator last saw them, for screens that show a run."""

from collections.abc import Iterable

from ..core.value import Value, list_fields
from .codec import Columns
from .database import Database

RECENT = 60.0  # seconds after which one that was not seen again is not counted any more


class ClusterMachine(Value):
    """A machine. `used` of its `slots` are taken, by any run; `labels` are its abilities, separated by commas, and
    `accounts` the account of each agent program there: `PROGRAM:NAME,PROGRAM:NAME`."""

    name: str
    slots: int
    used: int = 0
    labels: str = ""
    version: str = ""
    seen_at: float = 0.0
    accounts: str = ""

    @property
    def line(self) -> str:
        can = f", {self.labels}" if self.labels else ""
        paid = f", {self.accounts.replace(',', ', ')}" if self.accounts else ""
        return f"{self.name} {self.used} of {self.slots}{can}, {self.version}{paid}"

    def find_account(self, backend: str) -> str:
        pairs = (part.partition(":") for part in self.accounts.split(","))
        return next((account for name, _, account in pairs if name == backend), "")


_COLUMNS = Columns(list_fields(ClusterMachine))


def save(database: Database, cluster_machines: Iterable[ClusterMachine]) -> None:
    for cluster_machine in cluster_machines:
        database.rows(
            f"INSERT OR REPLACE INTO machines ({_COLUMNS.names}) VALUES ({_COLUMNS.marks})",  # noqa: S608
            *_COLUMNS.write(cluster_machine),
        )


def list_named(database: Database, names: Iterable[str]) -> list[ClusterMachine]:
    """Return machines as last seen, however long ago; an unseen one by its name alone."""
    wanted = sorted(set(names))
    rows = database.rows(f"SELECT {_COLUMNS.names} FROM machines")  # noqa: S608
    known = {cluster_machine.name: cluster_machine for cluster_machine in (ClusterMachine(*row) for row in rows)}
    return [known.get(name) or ClusterMachine(name, 0) for name in wanted]


def list_seen(database: Database, now: float) -> list[ClusterMachine]:
    """Return recently seen machines, by name."""
    rows = database.rows(f"SELECT {_COLUMNS.names} FROM machines WHERE seen_at>=? ORDER BY name", now - RECENT)  # noqa: S608
    return [ClusterMachine(*row) for row in rows]


def count_places(database: Database, backend: str, label: str, now: float) -> dict[str, int]:
    """Return the accounts of a program on machines with this label, each with their slots."""
    places: dict[str, int] = {}
    for cluster_machine in list_seen(database, now):
        account = cluster_machine.find_account(backend)
        if account and (not label or label in cluster_machine.labels.split(",")):
            places[account] = places.get(account, 0) + cluster_machine.slots
    return places
