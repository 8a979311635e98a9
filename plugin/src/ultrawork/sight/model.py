"""Read what both live screens show, and read it again only when something changed; and one agent, for its screen."""

import asyncio
from collections.abc import Mapping
from typing import Any

from ..core.course.chain import list_edited
from ..core.errors import NotFound
from ..core.run.prices import format_cost
from ..core.session.session import Session
from ..core.status_line import describe_check
from ..core.value import Value
from ..core.wording import cut, join_lines
from ..engine.agents.prompts import read_said
from ..report import board, summary
from ..report.board import BoardRow, Part, read_parts
from ..report.components import PartRow, describe_part, describe_run, mark_state, mark_verdict
from ..report.inbox import InboxItem, count_blocking, read_inbox
from ..report.summary import find_running_check
from ..store import agents, attempts, line_cache, receipts, sessions, trace
from ..store.agents import AgentCall
from ..store.attempts import AttemptRow
from ..store.store import Store

_WORDS = 12
_FILES = 20
_NOT_KEPT = "only its client has the conversation"


class AgentFacts(Value):
    """`words` are the agent's own; `facts` are what ultrawork saw."""

    part: Part
    doing: str
    words: list[str]
    facts: list[str]
    files: list[str]
    cost: str


def read_agent(store: Store, session: Session, name: str) -> AgentFacts:
    """Return an agent by its name, or by the name of its task, which means the newest agent of that task."""
    parts = [part for part in read_parts(store, session) if part.kind == "agent"]
    matching = [part for part in parts if name in (part.name, part.name.rpartition(".")[0])]
    if not matching:
        raise NotFound(f"no agent has worked on {name} yet")
    part = matching[-1]
    rows = attempts.list_all(store.database, session.id)
    row = next((row for row in rows if f"{row.subject}.{row.epoch}" == part.name), None)
    if row is not None:
        return _describe_attempt(store, session, part, row)
    calls = agents.list_all(store.database, session.id)
    call = next((call for call in reversed(calls) if part.name in (call.subject, call.call)), None)
    return _describe_call(store, session, part, call)


def _describe_attempt(store: Store, session: Session, part: Part, row: AttemptRow) -> AgentFacts:
    lines = read_said(row.backend, row.folder)
    doing = lines[-1] if lines and row.state == attempts.RUNNING else ""
    facts = [part.state.line, *([f"sent back: {join_lines(row.reason)}"] if row.reason else [])]
    cost = "" if row.cost_usd is None else format_cost(row.cost_usd, estimated=row.code != 0)
    used = f"{cost}, {row.tokens:,} tokens" if cost else f"{row.tokens:,} tokens"
    files = _list_held(store, session, row.subject)
    return AgentFacts(part, doing, lines[-_WORDS:], facts, files, used if row.tokens else cost)


def _list_held(store: Store, session: Session, subject: str) -> list[str]:
    held = agents.read_holders(store.database, session.id)
    return sorted(path for path, task in held.items() if task == subject)[:_FILES]


def _describe_call(store: Store, session: Session, part: Part, call: AgentCall | None) -> AgentFacts:
    """Describe an agent that runs inside a client. The hooks saw its tools; the client keeps its words."""
    subject = call.subject if call is not None else part.name
    own: list[dict[str, Any]] = []
    if call is not None and call.agent:
        entries = trace.read_tail(store.home, session.id)
        own = [entry for entry in entries if entry.get("agent") == call.agent]
    refuted = [row for row in agents.list_refuted(store.database, session.id) if row["subject"] == subject]
    words = [row["said"] for row in refuted][-_WORDS:]
    facts = [part.state.line, *(f"sent back: {join_lines(row['why'])}" for row in refuted)]
    facts += [f"failed: {_name_call(entry)}" for entry in own[-_WORDS:] if not entry.get("ok", True)]
    root = f"{session.working_dir}/"
    files = sorted({path.removeprefix(root) for path in list_edited(own)})
    doing = _name_call(own[-1]) if own and part.state.word == "working" else ""
    return AgentFacts(part, doing, words or [_NOT_KEPT], facts, files[:_FILES], "")


def _name_call(entry: dict[str, Any]) -> str:
    return cut(join_lines(f"{entry.get('tool', '')}: {entry.get('what', '')}"), 200)


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
        if names := summary.list_clients_to_ask(self._store):
            listed = await asyncio.to_thread(summary.read_lists, names, environ)
            summary.keep_listed(self._store, listed)

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
