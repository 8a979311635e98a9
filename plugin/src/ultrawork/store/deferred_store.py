"""A store whose views are written later in batches: the database is the truth as soon as it commits."""

import threading
from collections.abc import Callable

from ..core.errors import UltraworkError
from .paths import Home
from .store import Store
from .views import ALL

_AT_ONCE = 250


class DeferredStore(Store):
    """
    A store that writes views later. Callers use `flush_soon` from time to time and `flush` at the end. If one is
    killed, a mark in the session's folder shows that its views are outdated.
    """

    def __init__(self, home: Home, *, actor: str, clock: Callable[[], float]) -> None:
        super().__init__(home, actor=actor, clock=clock)
        self._touched: dict[str, dict[str, None]] = {}
        self._writer: threading.Thread | None = None
        self._behind: set[str] = set()
        self._failed: dict[str, list[str]] = {}

    def _show(self, session: str, views: list[str]) -> None:
        self._touched.setdefault(session, {}).update(dict.fromkeys(views))

    def _mark(self, session: str, views: list[str]) -> None:  # noqa: ARG002 (any may follow)
        """Mark once for all postponed views; so it cannot say which they will be."""
        if session not in self._behind:
            self._behind.add(session)
            super()._mark(session, [ALL])

    def flush_soon(self) -> None:
        """Write views in the background, in small batches so that other work need not wait."""
        if self._writer and self._writer.is_alive():
            return
        self._take_back()
        if not self._touched:
            return
        self._writer = threading.Thread(target=self._write, args=[self._taken(_AT_ONCE)], name="views")
        self._writer.start()

    def _write(self, touched: dict[str, list[str]]) -> None:
        """Write with an own connection, because it belongs to its thread."""
        from .database import Database
        from .views import refresh

        try:
            database = Database(self.home.database)
            for session, views in touched.items():
                self.warnings += refresh(database, self.home, session, views)
            database.close()
        except (UltraworkError, OSError):
            self._failed = touched  # they are written another time

    def _take_back(self) -> None:
        for session, views in self._failed.items():
            self._touched.setdefault(session, {}).update(dict.fromkeys(views))
        self._failed = {}

    def flush(self) -> None:
        if self._writer:
            self._writer.join()
        self._take_back()
        taken = self._taken()
        for session in self._behind | taken.keys():
            super()._show(session, taken.get(session, []))
        self._behind.clear()

    def _taken(self, most: int | None = None) -> dict[str, list[str]]:
        """Return those that have waited longest."""
        taken = {session: list(views)[:most] for session, views in self._touched.items()}
        for session, names in taken.items():
            for name in names:
                del self._touched[session][name]
        self._touched = {session: views for session, views in self._touched.items() if views}
        return taken
