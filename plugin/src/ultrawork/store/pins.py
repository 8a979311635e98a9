"""What a session is measured against: its baseline, the checks as defined then, and their environment."""

from ..core.value import Value, fresh, list_fields
from .codec import Columns, digest, dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.verdict.gate import Gate
    from .database import Change, Database

PINNED = "session.pinned"


class Surroundings(Value):
    """The environment at the start. `settings` is the text of the user's `config.toml`, None without one. `variables`
    are those that steer programs, by value; `digests` all others, unreadable. `remotes` are the remote-tracking refs
    with their commits and git's configuration of remotes and upstreams; `seals` what checks resolve to; `ledger` names
    the list of files in the checkout beside its tree; `commits` are the user's branches and stashes with their
    commits."""

    settings: str | None = None
    variables: dict[str, str] = fresh(dict)
    digests: dict[str, str] = fresh(dict)
    remotes: dict[str, str] = fresh(dict)
    seals: dict[str, str] = fresh(dict)
    ledger: str = ""
    commits: dict[str, str] = fresh(dict)

    def document(self) -> "dict[str, object]":
        return {name: getattr(self, name) for name in list_fields(Surroundings)}


class Pin(Value):
    """
    `tree` is the baseline; `head` and `refs` later show whether commits or pushes were made. `around` is None if
    nothing was recorded, as in `verify` outside a session.
    """

    at: float
    tree: str
    kind: str
    head: str | None
    refs: str
    gates: "list[Gate]"
    around: Surroundings | None = None


_COLUMNS = Columns(list_fields(Pin), json=("gates", "around"))


def save(change: "Change", pin: Pin) -> None:
    around = pin.around.document() if pin.around is not None else {}
    row = _COLUMNS.write(pin, gates=[gate.document() for gate in pin.gates], around=around)
    change.database.rows(
        f"INSERT OR REPLACE INTO pins (session, {_COLUMNS.names}) VALUES (?,{_COLUMNS.marks})",  # noqa: S608
        change.session, *row,
    )  # fmt: skip
    details = {"tree": pin.tree, "gates": [gate.name for gate in pin.gates], "digest": _digest(row)}
    change.record(PINNED, details)


def _digest(row: "list[object] | tuple[object, ...]") -> str:
    return digest(dumps(list(row)))


def is_pinned(database: "Database", session: str) -> bool:
    return database.row("SELECT 1 FROM pins WHERE session=?", session) is not None


def get(database: "Database", session: str) -> Pin | None:
    row = database.row(f"SELECT {_COLUMNS.names} FROM pins WHERE session=?", session)  # noqa: S608
    if row is None:
        return None
    from ..core.verdict.gate import read_document

    (gates,) = _COLUMNS.load([row], "gates")
    (around,) = _COLUMNS.load([row], "around")
    return _COLUMNS.read(
        Pin,
        row,
        gates=[read_document(document) for document in gates],
        around=Surroundings(**around) if around else None,
    )


def is_chained(database: "Database", session: str) -> bool:
    """Return whether the stored pin is what the chain of events recorded."""
    row = database.row(f"SELECT {_COLUMNS.names} FROM pins WHERE session=?", session)  # noqa: S608
    text = database.value(
        "SELECT data FROM events WHERE session=? AND kind=? ORDER BY id DESC LIMIT 1", session, PINNED
    )
    if row is None or text is None:
        return False
    expected = loads(text).get("digest")
    return expected is None or expected == _digest(row)
