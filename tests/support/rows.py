"""Rows of the table of hooks as tests show them: what is switched off with what, and waiting for work beside a session."""

import time
import uuid

from ultrawork.core.session.session import Session
from ultrawork.flow.planning import make_tasks
from ultrawork.store import sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

from .process import processes_with

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

LONG = 60.0
_STAMP = "2026-01-01T00:00:00Z"


def switch(row: str) -> str:
    """Return the name that skips a row; `EVENT name` is one of several rows of that name."""
    return row.rpartition(" ")[2]


def left(rows: "Iterable[str]", needs: "Mapping[str, Collection[str]]", skipped: "Collection[str]") -> list[str]:
    """Return rows that still act when some are skipped: neither they nor what they need is skipped."""
    return [row for row in rows if not {switch(row), *needs.get(row, ())} & set(skipped)]


def until(is_so: "Callable[[], object]") -> None:
    end = time.monotonic() + LONG
    while not is_so():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.05)


def is_at_work(home: str, event: str) -> bool:
    """Return whether our process for that event still runs, with this HOME."""
    return any(event.encode() in _command(pid) for pid in processes_with("HOME", home))


def _command(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""


def standing(home: str, place: str) -> None:
    """A planned session with an approved plan: `b` waits for `a`, and both want a word in `a.txt`."""
    store, now, name = Store(Home(home), actor="person", clock=time.time), time.time(), uuid.uuid4()
    entries = [
        {"id": one, "subject": f"Correct {one}", "criteria": ["grep -q right a.txt"], "blockedBy": needs}
        for one, needs in (("a", []), ("b", ["a"]))
    ]  # fmt: skip
    made = Session(
        id=str(name),
        goal="correct it",
        working_dir=place,
        started_at=now,
        phase="EXECUTION",
        plan={"version": 1, "created_at": _STAMP, "approved_at": _STAMP},
    )
    with store.change(str(name)) as change:
        sessions.create(change, made)
        tasks.create(change, make_tasks(entries, {}, now=now))
    store.database.close()
