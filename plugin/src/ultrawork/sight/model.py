"""What both live screens show: one read of the store, repeated only when something changed."""

from typing import Any

from ..core import state as states
from ..core.errors import Conflict
from ..core.value import Value
from ..report import board
from ..report.board import BoardRow, Part
from ..report.inbox import InboxItem, count_blocking, read_inbox
from ..store import controls, line_cache, sessions
from ..store.store import Store

# A killed process changes no file: this often everything is read again.
_AT_LEAST = 5.0
_WEEK = 7 * board.DAY
# Nothing is shown by color alone: every state has its own sign.
SIGNS = {
    states.WORKING: "▶",
    states.WAITING: "…",
    states.NEEDS_YOU: "?",
    states.PROVED: "✓",
    states.PASSING: "+",
    states.CLAIMED: "~",
    states.FAILING: "✗",
    states.COULD_NOT_RUN: "!",
    states.ENDED: "-",
    states.LOST: "x",
    states.UNKNOWN: "·",
}


class Look(Value):
    """Everything at one moment; `version` changes with whatever is shown."""

    rows: list[BoardRow]
    items: list[InboxItem]
    at: float
    version: int

    @property
    def blocking(self) -> int:
        return count_blocking(self.items)

    def document(self) -> dict[str, Any]:
        return {
            "version": self.version,
            "at": self.at,
            "blocking": self.blocking,
            "sessions": [row.document() for row in self.rows],
            "items": [item.document() for item in self.items],
        }


class Watcher:
    """Reads the store when its files changed, else every few seconds; missed reads are not made up."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sources = ""
        self._looked = 0.0
        self._last: Look | None = None
        self._shown: object = None

    def look(self) -> Look:
        now = self._store.now()
        sources = line_cache.list_sources(self._store.home)
        if self._last is not None and sources == self._sources and now - self._looked < _AT_LEAST:
            return self._last
        self._sources, self._looked = sources, now
        rows = board.read_board(self._store, since=now - _WEEK)
        items = read_inbox(self._store, rows)
        shown = [(row.document(), row.check) for row in rows], [item.id for item in items]
        version = self._last.version if self._last else 0
        if shown != self._shown:
            version += 1
        self._shown = shown
        self._last = Look(rows, items, now, version)
        return self._last

    def read_parts(self, name: str) -> list[Part]:
        return board.read_parts(self._store, sessions.get(self._store.database, name))

    def order(self, name: str, kind: str) -> str:
        """Ask the engine of a run to pause, continue, or stop; a client's session has its client for that."""
        session = sessions.get(self._store.database, name)
        if not session.state.run or not session.active:
            raise Conflict(f"{name[:8]} has no engine to ask; use its client, or ultrawork cancel")
        with self._store.change(name) as change:
            controls.ask(change, kind)
        return f"asked {name[:8]} to {kind}"
