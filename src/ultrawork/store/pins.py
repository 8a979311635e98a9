"""What a session is measured against: its base, and the gates as they were defined then."""

from ..core.value import Value, list_fields
from .codec import Columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.verdict.gate import Gate
    from .change import Change
    from .database import Database


class Pin(Value):
    """`tree` is the base; `head` and `refs` tell later whether commits or pushes were made."""

    at: float
    tree: str
    kind: str
    head: str | None
    refs: str
    gates: "list[Gate]"


_COLUMNS = Columns(list_fields(Pin), json=("gates",))


def save(change: "Change", pin: Pin) -> None:
    change.database.rows(
        f"INSERT OR REPLACE INTO pins (session, {_COLUMNS.names}) VALUES (?,{_COLUMNS.marks})",  # noqa: S608 (constants)
        change.session, *_COLUMNS.write(pin, gates=[gate.document() for gate in pin.gates]),
    )  # fmt: skip
    change.record("session.pinned", {"tree": pin.tree, "gates": [gate.name for gate in pin.gates]})


def is_pinned(database: "Database", session: str) -> bool:
    return database.row("SELECT 1 FROM pins WHERE session=?", session) is not None


def get(database: "Database", session: str) -> Pin | None:
    row = database.row(f"SELECT {_COLUMNS.names} FROM pins WHERE session=?", session)  # noqa: S608 (a constant)
    if row is None:
        return None
    from ..core.verdict.gate import read_document

    (gates,) = _COLUMNS.load([row], "gates")
    return _COLUMNS.read(Pin, row, gates=[read_document(document) for document in gates])
