"""What both live screens show: one look at the store, repeated only when something changed."""

import asyncio
from collections.abc import Mapping
from typing import Any

from ..core import state as states
from ..core.status_line import describe_check
from ..core.value import Value
from ..report import board, witness
from ..report.board import BoardRow, Part
from ..report.inbox import InboxItem, count_blocking, read_inbox
from ..report.summary import find_running_check
from ..store import line_cache, sessions
from ..store.store import Store

# A killed process changes no file: this often everything is looked at, whatever the files show.
_AT_LEAST = 5.0
_WEEK = 7 * board.DAY
# Nothing is said by colour alone: every state has a sign of its own.
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
            "sessions": [self._describe_row(row) for row in self.rows],
            "items": [item.document() for item in self.items],
        }

    def _describe_row(self, row: BoardRow) -> dict[str, Any]:
        checking = describe_check(row.check, self.at) if row.check else ""
        return {**row.document(), "checking": checking, "sign": SIGNS.get(row.state.word, "")}


class Watcher:
    """Looks at the store when its files changed, else every few seconds; late looks are not made up for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sources = ""
        self._looked = 0.0
        self._last: Look | None = None
        self._shown: object = None

    async def ask_clients(self, environ: Mapping[str, str]) -> None:
        """The second witness, asked beside the screen: a client takes its time to answer."""
        if names := witness.list_clients_to_ask(self._store):
            listed = await asyncio.to_thread(witness.read_lists, names, environ)
            witness.keep_listed(self._store, listed)

    def look(self) -> Look:
        now = self._store.now()
        sources = line_cache.list_sources(self._store.home)
        if self._last is not None and sources == self._sources and now - self._looked < _AT_LEAST:
            return self._look_at_checks(self._last, now)
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

    def _look_at_checks(self, last: Look, now: float) -> Look:
        """A check that runs writes into a log of its own: its count moves while nothing else does."""
        moved = False
        for row in last.rows:
            if row.check is not None:
                found = find_running_check(self._store.home, row.session.id)
                moved, row.check = moved or found != row.check, found
        if moved:
            self._last = Look(last.rows, last.items, now, last.version + 1)
            return self._last
        return last

    def read_parts(self, name: str) -> list[Part]:
        return board.read_parts(self._store, sessions.get(self._store.database, name))
