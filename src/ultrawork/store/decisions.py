"""Decisions about stops, in the order they were taken."""

from ..core.stop import rules
from . import trace
from .codec import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .change import Change
    from .database import Database
    from .paths import Home

REFUSALS = rules.REFUSALS
_PASSED = "passed"
_COLUMNS = "number, at, event, action, rule, because, clears, counts, tree, told, text"


class StoredDecision:
    """A decision as it was taken."""

    __slots__ = (
        "action", "at", "because", "clears", "counts", "event", "number", "rule", "text", "told", "tree",
    )  # fmt: skip

    def __init__(self, row: "tuple[Any, ...]") -> None:
        self.number, self.at, self.event, self.action, self.rule = row[:5]
        self.because, self.clears, self.counts, self.tree = row[5], row[6], bool(row[7]), row[8]
        self.told: list[str] = loads(row[9])
        self.text: str = row[10]

    def document(self) -> "dict[str, Any]":
        return {slot: getattr(self, slot) for slot in self.__slots__}


class DecisionHistory:
    """
    What earlier decisions mean for the next: refusals in all and those that counted, how many in a
    row on these files, what was told.
    """

    __slots__ = ("all", "last", "refusals", "row", "told")

    def __init__(self, taken: "Sequence[StoredDecision]", tree: str) -> None:
        refused = [one for one in taken if one.action in REFUSALS]
        self.all = len(refused)
        self.refusals = sum(1 for one in refused if one.counts)
        self.last = refused[-1] if refused else None
        self.told = [name for one in refused for name in one.told]
        self.row = 0
        for one in reversed(refused):
            if one.tree != tree:
                break
            self.row += 1


def add(
    change: "Change",
    decision: rules.StopDecision,
    *,
    event: str,
    tree: str,
    told: "Sequence[str]" = (),
    text: str = "",
    counts: bool = True,
) -> None:
    number: int = change.database.value(
        "SELECT coalesce(max(number), 0) + 1 FROM decisions WHERE session=?", change.session
    )
    change.database.rows(
        f"INSERT INTO decisions (session, {_COLUMNS}) VALUES ({'?,' * 11}?)",  # noqa: S608 (constants)
        change.session, number, change.now, event, decision.action, decision.rule, decision.because,
        decision.clears, int(counts), tree, dumps(list(told)), text,
    )  # fmt: skip
    change.record("stop.decided", {"action": decision.action, "rule": decision.rule, "tree": tree})


def note(
    home: "Home", session: str, decision: rules.StopDecision, *, event: str, at: float
) -> None:
    """A stop that passes at the first glance changes nothing: a line in the trace, no transaction."""
    given = {"event": event, "action": decision.action, "rule": decision.rule}
    entry = {"at": round(at, 3), _PASSED: {**given, "because": decision.because}}
    trace.append(home, session, entry)


def find_noted(home: "Home", session: str) -> StoredDecision | None:
    """The last of those."""
    found = [
        entry for entry in trace.read_tail(home, session) if isinstance(entry.get(_PASSED), dict)
    ]
    if not found:
        return None
    at, given = float(found[-1].get("at") or 0.0), found[-1][_PASSED]
    words = [str(given.get(name, "")) for name in ("event", "action", "rule", "because")]
    return StoredDecision((0, at, *words, "", 0, "", "[]", ""))


def list_since(database: "Database", session: str, at: float) -> list[StoredDecision]:
    rows = database.rows(
        f"SELECT {_COLUMNS} FROM decisions WHERE session=? AND at>=? ORDER BY number",  # noqa: S608 (a constant)
        session, at,
    )  # fmt: skip
    return [StoredDecision(row) for row in rows]


def find_last(database: "Database", session: str) -> StoredDecision | None:
    row = database.row(
        f"SELECT {_COLUMNS} FROM decisions WHERE session=? ORDER BY number DESC LIMIT 1",  # noqa: S608 (a constant)
        session,
    )  # fmt: skip
    return None if row is None else StoredDecision(row)
