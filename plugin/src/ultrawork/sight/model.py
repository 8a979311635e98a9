"""Read what both live screens show, and read it again only when something changed."""

import asyncio
from collections.abc import Mapping
from typing import Any

from ..core.status_line import describe_check
from ..core.value import Value
from ..report import board, witness
from ..report.board import BoardRow
from ..report.components import PartRow, describe_part, describe_run, mark_state, mark_verdict
from ..report.inbox import InboxItem, count_blocking, read_inbox
from ..report.summary import find_running_check
from ..store import line_cache, receipts, sessions
from ..store.store import Store

# A killed process changes no file, so everything is read again after this many seconds.
_AT_LEAST = 5.0
_WEEK = 7 * board.DAY
_RUNS = 20


class Look(Value):
    """All sessions and inbox items at one moment. `version` changes when anything shown changes."""

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
        return {**row.document(), "checking": checking, "mark": mark_state(row.state.word).document()}


class Watcher:
    """Reads the store when its files changed, else every few seconds. Late reads are skipped."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sources = ""
        self._looked = 0.0
        self._last: Look | None = None
        self._shown: object = None

    async def ask_clients(self, environ: Mapping[str, str]) -> None:
        """Ask the clients for their own lists, without blocking the screen: a client may answer slowly."""
        if names := witness.list_clients_to_ask(self._store):
            listed = await asyncio.to_thread(witness.read_lists, names, environ)
            witness.keep_listed(self._store, listed)

    def look(self) -> Look:
        """Return the current state, read again only if needed."""
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
        """Update the progress of running checks, which write to a log of their own while nothing else changes."""
        moved = False
        for row in last.rows:
            if row.check is not None:
                check = find_running_check(self._store.home, row.session.id)
                moved, row.check = moved or check != row.check, check
        if moved:
            self._last = Look(last.rows, last.items, now, last.version + 1)
            return self._last
        return last

    def read_parts(self, name: str) -> list[PartRow]:
        session, now = sessions.get(self._store.database, name), self._store.now()
        return [describe_part(part, now) for part in board.read_parts(self._store, session)]

    def read_detail(self, name: str) -> dict[str, Any]:
        """Return one session with the components of its report page: verdict, parts, and its newest runs."""
        database = self._store.database
        session = sessions.get(database, name)
        minted = receipts.list_all(database, name)[-_RUNS:]
        return {
            "verdict": mark_verdict(database, session).document(),
            "parts": [row.document() for row in self.read_parts(name)],
            "runs": [describe_run(receipt).document() for receipt in reversed(minted)],
        }
