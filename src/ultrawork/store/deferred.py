"""A store whose views are written later, many at once: the truth is in the database the moment it commits."""

import threading

from .state import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .paths import Home


class DeferredStore(Store):
    """Whoever uses it calls `flush_soon` now and then, and `flush` at the end."""

    __slots__ = ("_touched", "_writer")

    def __init__(self, home: "Home", *, actor: str, clock: "Callable[[], float]") -> None:
        super().__init__(home, actor=actor, clock=clock)
        self._touched: dict[str, dict[str, None]] = {}
        self._writer: threading.Thread | None = None

    def _show(self, session: str, views: list[str]) -> None:
        self._touched.setdefault(session, {}).update(dict.fromkeys(views))

    def flush_soon(self) -> None:
        """Beside everything else; while the disk is busy with the last ones, the next ones wait."""
        if not self._touched or (self._writer and self._writer.is_alive()):
            return
        self._writer = threading.Thread(target=self._write, args=[self._taken()], name="views")
        self._writer.start()

    def _write(self, touched: "dict[str, dict[str, None]]") -> None:
        """With a connection of its own: they belong to the thread that opened them."""
        from .database import Database
        from .views import refresh

        database = Database(self.home.database)
        for session, views in touched.items():
            self.warnings += refresh(database, self.home, session, list(views))
        database.close()

    def flush(self) -> None:
        if self._writer:
            self._writer.join()
        for session, views in self._taken().items():
            super()._show(session, list(views))

    def _taken(self) -> "dict[str, dict[str, None]]":
        touched, self._touched = self._touched, {}
        return touched
