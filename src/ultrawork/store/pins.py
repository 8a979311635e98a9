"""What a session is measured against: its base, and the gates as they were defined then."""

from .codec import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.verdict.gate import Gate
    from .change import Change
    from .database import Database


class Pin:
    """`tree` is the base; `head` and `refs` tell later whether commits or pushes were made."""

    __slots__ = ("at", "gates", "head", "kind", "refs", "tree")

    def __init__(
        self,
        *,
        at: float,
        tree: str,
        kind: str,
        head: str | None,
        refs: str,
        gates: "Sequence[Gate]",
    ) -> None:
        self.at = at
        self.tree = tree
        self.kind = kind
        self.head = head
        self.refs = refs
        self.gates = list(gates)


def save(change: "Change", pin: Pin) -> None:
    change.database.rows(
        "INSERT OR REPLACE INTO pins (session, at, tree, kind, head, refs, gates) VALUES (?,?,?,?,?,?,?)",
        change.session, pin.at, pin.tree, pin.kind, pin.head, pin.refs,
        dumps([gate.document() for gate in pin.gates]),
    )  # fmt: skip
    change.record("session.pinned", {"tree": pin.tree, "gates": [gate.name for gate in pin.gates]})


def is_pinned(database: "Database", session: str) -> bool:
    return database.row("SELECT 1 FROM pins WHERE session=?", session) is not None


def get(database: "Database", session: str) -> Pin | None:
    row = database.row(
        "SELECT at, tree, kind, head, refs, gates FROM pins WHERE session=?", session
    )
    if row is None:
        return None
    from ..core.verdict.gate import read_document

    gates = [read_document(document) for document in loads(row[5])]
    return Pin(at=row[0], tree=row[1], kind=row[2], head=row[3], refs=row[4], gates=gates)
