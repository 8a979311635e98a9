"""A change to one session: its rows, the events that tell of it, and afterwards its views."""

from .database import Transaction
from .fast import digest, dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .database import Database

FIRST = ""  # what the first event of a session follows


class Change:
    """
    `with Change(...) as change:` is one transaction. What is done to rows is told with `record`, the
    views that show those rows are named with `touch`; both come true together, or not at all. `show`
    is called after the commit with the views that were touched.
    """

    __slots__ = ("_show", "_touched", "_transaction", "actor", "database", "now", "session")

    def __init__(
        self,
        database: "Database",
        *,
        session: str,
        actor: str,
        now: float,
        show: "Callable[[str, list[str]], None]",
        durable: bool = False,
    ) -> None:
        self.database = database
        self.session = session
        self.actor = actor
        self.now = now
        self._show = show
        self._touched: dict[str, None] = {}
        self._transaction = Transaction(database, durable=durable)

    def __enter__(self) -> "Change":
        self._transaction.__enter__()
        return self

    def __exit__(self, kind: object, *rest: object) -> None:
        self._transaction.__exit__(kind, *rest)
        if kind is None and self._touched:
            self._show(self.session, list(self._touched))

    def touch(self, *views: str) -> None:
        self._touched.update(dict.fromkeys(views))

    def record(self, kind: str, data: object) -> int:
        """Appends to the session's chain: each event holds the hash of the one before."""
        text = dumps(data)
        previous = self.database.value("SELECT head FROM sessions WHERE id=?", self.session)
        born = self.database.value("SELECT born FROM sessions WHERE id=?", self.session)
        link = link_hash(previous, (born, self.actor, repr(self.now), kind, text))
        self.database.rows(
            "INSERT INTO events (session, actor, at, kind, data, previous, hash) VALUES (?,?,?,?,?,?,?)",
            self.session, self.actor, self.now, kind, text, previous, link,
        )  # fmt: skip
        self.database.rows(
            "UPDATE sessions SET head=?, revision=revision+1 WHERE id=?", link, self.session
        )
        event: int = self.database.value("SELECT last_insert_rowid()")
        return event


def link_hash(previous: str, parts: tuple[str, ...]) -> str:
    return digest("\n".join((previous, *parts)))
