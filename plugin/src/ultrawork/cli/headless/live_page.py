"""The page of a headless run, from its first second: written again while the run goes on, when something changed."""

import threading

from ...core.errors import UltraworkError
from ...report import page
from ...report.board import read_parts
from ...store import atomic, sessions
from ...store.store import Store
from ..environment import VerbEnvironment


class LivePage:
    """`with LivePage(...)`: keeps the page at `path` up to date beside other work. Who ends the run writes the last
    page, with the changes of files; of a run that stays open, `write_last` does."""

    def __init__(self, env: VerbEnvironment, name: str, path: str) -> None:
        self._env = env
        self._name = name
        self._path = path
        self._last = -1
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="page", daemon=True)

    def __enter__(self) -> "LivePage":
        self._write(self._env.store)
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if kind is not None:
            self.write_last()

    def write_last(self) -> None:
        """Write a page that no browser reads again."""
        self._last = -1
        self._write(self._env.store, is_live=False)

    def _keep(self) -> None:
        env = self._env
        # A connection belongs to its thread.
        store = Store(env.store.home, actor=env.store.actor, clock=env.store.now)
        while not self._over.wait(page.EVERY):
            self._write(store)
        store.database.close()

    def _write(self, store: Store, *, is_live: bool = True) -> None:
        """Write the page if anything was recorded since; the run goes on where that cannot be done."""
        try:
            last = store.database.value("SELECT max(id) FROM events WHERE session=?", self._name)
            if last == self._last:
                return
            session = sessions.get(store.database, self._name)
            parts = read_parts(store, session)
            text = page.render(
                store.database,
                session,
                (),
                parts=parts,
                folder=store.home.session(self._name),
                now=store.now(),
                is_live=is_live,
            )
            atomic.write(self._path, text, mode=0o644, sync=False)
            self._last = last
        except (UltraworkError, OSError):
            return
