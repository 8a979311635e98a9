"""
A change to one session: its rows, the events that describe it, and then its views. Also checks whether stored events
are still what was written.
"""

from .codec import digest, dumps
from .database import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .database import Database

FIRST = ""  # what the first event of a session follows


class Change:
    """
    `with Change(...) as change:` is one transaction. `record` describes what is done to rows, `touch` names the
    views that show them; both happen together or not at all. `show` is called after the commit with the touched
    views, `mark` just before it, because the process may be killed in between. One of `many` small parts collects
    its events and writes them at the end. `recorded` counts the events written so far.
    """

    __slots__ = (
        "_events", "_many", "_mark", "_show", "_touched", "_transaction", "actor", "database", "now",
        "recorded", "session",
    )  # fmt: skip

    def __init__(
        self,
        database: "Database",
        *,
        session: str,
        actor: str,
        now: float,
        show: "Callable[[str, list[str]], None]",
        mark: "Callable[[str, list[str]], None]",
        durable: bool = False,
        many: bool = False,
    ) -> None:
        self.database = database
        self.session = session
        self.actor = actor
        self.now = now
        self._show = show
        self._mark = mark
        self._touched: dict[str, None] = {}
        self._many = many
        self._events: list[tuple[str, str]] = []
        self.recorded = 0
        self._transaction = Transaction(database, durable=durable)

    def __enter__(self) -> "Change":
        self._transaction.__enter__()
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        if kind is not None:
            self._transaction.__exit__(kind, *rest)
            return
        views = list(self._touched)
        try:
            if self._events:
                self._append(self._events)
            if views:
                self._mark(self.session, views)
        except BaseException as error:
            self._transaction.__exit__(type(error))
            raise
        self._transaction.__exit__(None)
        if views:
            self._show(self.session, views)

    def touch(self, *views: str) -> None:
        self._touched.update(dict.fromkeys(views))

    def record(self, kind: str, data: object) -> None:
        """Append to the session's chain: each event holds the hash of the previous one."""
        event = (kind, dumps(data))
        if self._many:
            self._events.append(event)
        else:
            self._append([event])

    def _append(self, events: "list[tuple[str, str]]") -> None:
        chain = self.database.row("SELECT head, born FROM sessions WHERE id=?", self.session)
        head, born = chain or (None, None)
        rows = []
        for kind, text in events:
            link = hash_link(head, (born, self.actor, repr(self.now), kind, text))
            rows.append((self.session, self.actor, self.now, kind, text, head, link))
            head = link
        self.database.execute_many(
            "INSERT INTO events (session, actor, at, kind, data, previous, hash) VALUES (?,?,?,?,?,?,?)", rows
        )
        self.database.rows("UPDATE sessions SET head=?, revision=revision+? WHERE id=?", head, len(rows), self.session)
        self.recorded += len(rows)


def hash_link(previous: str, parts: tuple[str, ...]) -> str:
    return digest("\n".join((previous, *parts)))


def is_linked(database: "Database", session: str, event: "tuple[Any, ...]") -> bool:
    """Return whether an event fits into the chain: its own hash is right, and the next event follows it."""
    number, actor, at, kind, data, previous, link = event
    # Its original name: one that made way for another has a new one.
    born = database.value("SELECT born FROM sessions WHERE id=?", session)
    if hash_link(previous, (born, actor, repr(at), kind, data)) != link:
        return False
    after = database.value("SELECT previous FROM events WHERE session=? AND id>? ORDER BY id LIMIT 1", session, number)
    head = database.value("SELECT head FROM sessions WHERE id=?", session)
    return bool(link == (head if after is None else after))


def find_broken_links(database: "Database", session: str) -> list[str]:
    """Return one sentence for each break in a session's chain of events."""
    broken_links: list[str] = []
    last, count = FIRST, 0
    born = database.value("SELECT born FROM sessions WHERE id=?", session)
    rows = database.rows(
        "SELECT id, actor, at, kind, data, previous, hash FROM events WHERE session=? ORDER BY id", session
    )
    for event, actor, at, kind, data, previous, recorded in rows:
        if previous != last:
            broken_links.append(f"event {event} ({kind}) does not follow the previous one")
        elif hash_link(previous, (born, actor, repr(at), kind, data)) != recorded:
            broken_links.append(f"event {event} ({kind}) was changed after it was written")
        last, count = recorded, count + 1
    head, revision = database.rows("SELECT head, revision FROM sessions WHERE id=?", session)[0]
    if not broken_links and (head != last or revision != count):
        broken_links.append(f"the record has {count} events, but {revision} were written")
    return broken_links


def find_damage(database: "Database") -> list[str]:
    """Return what SQLite itself finds wrong with the file."""
    faults = [text for (text,) in database.rows("PRAGMA integrity_check(5)") if text != "ok"]
    orphans = database.rows("PRAGMA foreign_key_check")
    return faults + [f"table {row[0]} has an orphaned row" for row in orphans[:5]]
