"""A coordinator of a run over many machines, without any machine: its state folder, its clone, its journal."""

import subprocess
import time

from ultrawork.clients.headless.script import Script
from ultrawork.cluster.journal import GitJournal
from ultrawork.core.session.session import Session
from ultrawork.engine.repository.opening import open_repository
from ultrawork.engine.run import EngineLock, HeadlessRun
from ultrawork.report import status
from ultrawork.store import sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.settings import Settings
from ultrawork.store.store import Store

from .cluster import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ultrawork.core.plan.task import Task

PATH = "/usr/local/bin:/usr/bin:/bin"


class Coordinator:
    """A run with its own clone and home, with its journal on a remote."""

    def __init__(self, root: str, name: str, plan: "Sequence[Task]" = ()) -> None:
        self.root = f"{root}/{name}"
        place = f"{self.root}/p"
        subprocess.run(["git", "init", "-q", place], check=True)
        git(place, "commit", "-q", "--allow-empty", "-m", "x")
        self.environ = {"PATH": PATH, "HOME": self.root, "ULTRAWORK_HOST": name}
        self.home = Home(f"{self.root}/state")
        self.store = Store(self.home, actor="engine", clock=time.time)
        session = Session(id="s", goal="g", working_dir=place, started_at=time.time())
        session.state.run = {"executor": "temporal"}
        with self.store.change("s") as change:
            sessions.create(change, session)
            tasks.create(change, list(plan))
        self.told: list[tuple[str, Mapping[str, object]]] = []
        self.lock = EngineLock(self.home.session("s"))
        self.lock.__enter__()
        self.run = HeadlessRun(
            self.store, self.environ, session, settings=Settings({}, {}, ""),
            repository=open_repository(place, self.home, "s", self.environ, begun_at=0.0),
            backend=Script(), tell=lambda kind, facts: self.told.append((kind, facts)),
        )  # fmt: skip

    def open(self, remote: str) -> GitJournal:
        return GitJournal(self.run, remote, self.environ, firm=0.1)

    def change(self) -> None:
        """Make a change for the next entry to report."""
        with self.store.change("s") as change:
            change.record("note", {})

    @property
    def status(self) -> str:
        found = sessions.get(self.store.database, "s")
        return status.render(status.read(self.store, found, limit=1, now=time.time()))

    def close(self) -> None:
        self.lock.__exit__(None, None, None)
        self.store.database.close()
