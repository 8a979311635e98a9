"""What others last said of themselves: clients of their own sessions, in one file that every screen reads, and machines of a
cluster, as a coordinator last saw them."""

import os
from collections.abc import Iterable, Mapping

from ..core.state import ClientWord
from ..core.value import Value, list_fields
from . import atomic, markers
from .codec import Columns, dumps
from .database import Database
from .paths import Home

# An older list says nothing about now.
BELIEVED = 30.0
_LARGEST = 1 << 20


def locate_words(home: Home) -> str:
    return f"{home.cache}/client-list"


def keep_words(home: Home, now: float, listed: Mapping[str, tuple[int, str, str]]) -> None:
    """`listed` is process, status and what it waits for, by session. What was listed before and is not now is gone."""
    before = (markers.read(locate_words(home), _LARGEST) or {}).get("listed") or {}
    gone = {name: (0, "", "") for name in before if name not in listed}
    content = {"at": now, "listed": {**gone, **listed}}
    path = locate_words(home)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        atomic.write(path, dumps(content), sync=False)
    except OSError:
        pass  # the screens do without a second witness


def measure_age(home: Home, now: float) -> float:
    """Return how old the kept list is, in seconds; very old without one."""
    return now - atomic.find_write_time(locate_words(home))


def find_client_word(home: Home, session: str, now: float) -> ClientWord | None:
    kept = markers.read(locate_words(home), _LARGEST)
    if kept is None or not 0 <= now - float(kept.get("at") or 0) < BELIEVED:
        return None
    entry = (kept.get("listed") or {}).get(session)
    return ClientWord(float(kept["at"]), *entry) if entry else None


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


_MACHINE_COLUMNS = Columns(list_fields(ClusterMachine))


def save_machines(database: Database, cluster_machines: Iterable[ClusterMachine]) -> None:
    for cluster_machine in cluster_machines:
        database.rows(
            f"INSERT OR REPLACE INTO machines ({_MACHINE_COLUMNS.names}) VALUES ({_MACHINE_COLUMNS.marks})",  # noqa: S608
            *_MACHINE_COLUMNS.write(cluster_machine),
        )


def list_named_machines(database: Database, names: Iterable[str]) -> list[ClusterMachine]:
    """Return machines as last seen, however long ago; an unseen one by its name alone."""
    wanted = sorted(set(names))
    rows = database.rows(f"SELECT {_MACHINE_COLUMNS.names} FROM machines")  # noqa: S608
    known = {cluster_machine.name: cluster_machine for cluster_machine in (ClusterMachine(*row) for row in rows)}
    return [known.get(name) or ClusterMachine(name, 0) for name in wanted]


def list_seen(database: Database, now: float) -> list[ClusterMachine]:
    """Return recently seen machines, by name."""
    rows = database.rows(f"SELECT {_MACHINE_COLUMNS.names} FROM machines WHERE seen_at>=? ORDER BY name", now - RECENT)  # noqa: S608
    return [ClusterMachine(*row) for row in rows]


def count_places(database: Database, backend: str, label: str, now: float) -> dict[str, int]:
    """Return the accounts of a program on machines with this label, each with their slots."""
    places: dict[str, int] = {}
    for cluster_machine in list_seen(database, now):
        account = cluster_machine.find_account(backend)
        if account and (not label or label in cluster_machine.labels.split(",")):
            places[account] = places.get(account, 0) + cluster_machine.slots
    return places
