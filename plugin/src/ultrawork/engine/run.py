"""A headless run: its tools, its limits, and where its news goes.

A session has one engine, which holds its lock. The lock also shows its agents that an engine is running."""

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, asdict, dataclass, field
from time import time
from typing import Any

from ..clients.headless import table
from ..clients.headless.base import Backend
from ..clients.headless.table import BACKENDS
from ..content.models import learn_prices, list_prices
from ..core.check import parse_duration
from ..core.errors import Conflict
from ..core.run.crew import parse_crew
from ..core.session.session import Session
from ..gates.context import ENGINE
from ..store import sessions
from ..store.atomic import Lock
from ..store.paths import ENGINE_LOCK
from ..store.settings import Settings
from ..store.store import Store
from ..system.ancestry import read_start
from .agents.executor import LOCAL
from .contract import RunHalted, RunOrders
from .repository.repository import Repository

Tell = Callable[[str, Mapping[str, Any]], None]


@dataclass(slots=True)
class RunWishes:
    """
    What the user asked for, stored with the session. `until` is when its `seconds` are over. `workers` is a crew
    of several programs with their counts; its first program is the `backend`. `uncommitted` files leave this
    machine only if the user said so. With `no_verify`, results bypass git hooks and signing. `remotes` have got
    refs of it.
    """

    backend: str = ""
    _: KW_ONLY
    executor: str = LOCAL
    workers: str = ""
    budget_usd: float = 0.0
    seconds: float = 0.0
    until: float = 0.0
    uncommitted: bool = False
    no_verify: bool = False
    remotes: list[str] = field(default_factory=list)

    @property
    def crew(self) -> dict[str, int]:
        """Return the seats by name; empty if one program does everything."""
        return parse_crew(self.workers, BACKENDS) if self.workers else {}

    def start_clock(self, now: float, *, anew: bool = False) -> None:
        """Start the time limit. It keeps running after a kill; a resume after it ran out grants the same time again."""
        if anew or self.until <= now:
            self.until = now + self.seconds if self.seconds else 0.0

    def document(self) -> dict[str, object]:
        return asdict(self)

    @classmethod
    def from_session(cls, session: Session) -> "RunWishes":
        stored = session.state.run
        return cls(**{name: stored[name] for name in cls.__slots__ if name in stored})

    @classmethod
    def from_settings(cls, settings: Settings) -> "RunWishes":
        limit = str(settings["run.deadline"])
        return cls(
            str(settings["run.backend"]),
            executor=str(settings["run.executor"]),
            budget_usd=float(settings["run.budget_usd"]),
            seconds=parse_duration(limit, "time for run.deadline") if limit else 0.0,
        )


class HeadlessRun:
    """
    A run in progress. `tell` receives news, from one thread at a time. Each thread has its own store, because a
    database connection belongs to its thread. `placing` is held while a shared worktree is made. `session` is as
    of the last step, `settings` as of the start of the run.
    """

    def __init__(
        self,
        store: Store,
        environ: Mapping[str, str],
        session: Session,
        *,
        settings: Settings,
        repository: Repository,
        backend: Backend,
        tell: Tell,
    ) -> None:
        self.person = store
        self._store = store.act_as(ENGINE)
        self._local = threading.local()
        self._local.store = self._store
        self._tell = tell
        self._telling = threading.RLock()
        self.placing = threading.Lock()
        self.orders = RunOrders()
        repository.tick = self.orders.check
        self.environ = environ
        self.name = session.id
        self.session = session
        self.settings = settings
        self.repository = repository
        self.backend = backend
        backend.prices = list_prices(store.home)
        self._backends = {backend.name: backend}
        self.wishes = RunWishes.from_session(session)
        self.crew = self.wishes.crew
        self.granted = self.wishes.budget_usd

    @property
    def store(self) -> Store:
        if not hasattr(self._local, "store"):
            self.require_ground()  # opening would create a new one if it is missing
            self._local.store = Store(self._store.home, actor=ENGINE, clock=time)
        store: Store = self._local.store
        return store

    @property
    def is_local(self) -> bool:
        return self.wishes.executor == LOCAL

    def get_backend(self, name: str) -> Backend:
        """Return the backend of a crew member, or of an attempt that an earlier engine started with another program."""
        if name not in self._backends:
            made = table.get(name)
            made.prices = self.backend.prices
            self._backends[name] = made
        return self._backends[name]

    def take_bills(self, bills: Mapping[str, tuple[tuple[int, ...], float]]) -> None:
        """Use costs that a client reported from now on, in this run too."""
        if bills:
            learn_prices(self.store.home, bills, self.store.now())
            known = list_prices(self.store.home)
            for backend in self._backends.values():
                backend.prices = known

    def tell(self, kind: str, **facts: object) -> None:
        with self._telling:
            self._tell(kind, facts)

    def grant(self, usd: float) -> None:
        """Add money that the user approved, stored with the session so that a later engine may spend it too."""
        self.wishes.budget_usd += usd
        with self.person.change(self.name) as change:
            session = sessions.get(change.database, self.name)
            session.state.run = self.wishes.document()
            sessions.save(change, session, "budget.granted", {"usd": usd})

    def read_session(self) -> Session:
        """Return the session as it is now: between two steps, and after a change."""
        self.session = sessions.get(self.store.database, self.name)
        return self.session

    @property
    def folder(self) -> str:
        return self._store.home.session(self.name)

    def require_ground(self) -> None:
        """Raise if a folder that the run depends on is missing. It may come back."""
        lost = self._find_lost()
        if lost:
            raise RunHalted(lost)

    def _find_lost(self) -> str:
        """Return what is missing. Without our lock, another process recreated the state folder."""
        for place in (self.repository.checkout.common, f"{self.folder}/{ENGINE_LOCK}"):
            if not os.path.exists(place):
                return f"{os.path.dirname(place)} no longer exists; restore it"
        return ""

    def find_full_disk(self) -> str:
        """Return which disk of the run has no room and what to do; empty if both have some."""
        for place in (self.folder, self.repository.checkout.top):
            disk = os.statvfs(place)
            if disk.f_blocks and disk.f_bavail * disk.f_frsize < ROOM:
                return f"the disk of {place} is full; free space on it"
        return ""

    def find_absence(self) -> str:
        """Return what the run depends on and has lost, and what to do; empty if everything is there and has room."""
        try:
            lost = self._find_lost() or self.find_full_disk()
            if not lost:
                _try_room(f"{self.folder}/room")
        except OSError as error:
            return f"{self.folder} cannot be written ({error.strerror}); make room, or make it writable"
        return lost


ROOM = 1_000_000  # bytes of free space needed to start anything


def _try_room(path: str) -> None:
    try:
        with open(path, "wb") as file:
            file.write(bytes(ROOM))
    finally:
        if os.path.exists(path):
            os.unlink(path)


LOCK_PATIENCE = 3.0  # agents' wrappers briefly hold the lock to look at it


class EngineLock(Lock):
    def __init__(self, session_folder: str, *, patience: float = LOCK_PATIENCE) -> None:
        os.makedirs(session_folder, mode=0o700, exist_ok=True)
        self._session = session_folder.rpartition("/")[2]
        super().__init__(f"{session_folder}/{ENGINE_LOCK}", patience=patience)

    def __enter__(self) -> "EngineLock":
        try:
            super().__enter__()
        except Conflict:
            raise Conflict(
                f"another process runs session {self._session}. See it: ultrawork status. End it: ultrawork cancel"
            ) from None
        self.stamp(f"{os.getpid()} {read_start(os.getpid())}")
        return self
