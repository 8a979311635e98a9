"""Decisions about stops, in the order they were taken."""

from ..core.stop import rules
from ..core.value import Value, fresh, list_fields
from . import trace
from .codec import Columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .database import Change, Database
    from .paths import Home

REFUSALS = rules.REFUSALS
_PASSED = "passed"


class StoredDecision(Value):
    """A stored decision."""

    action: str
    at: float
    because: str
    claim: str = ""
    clears: str = ""
    counts: bool = False
    event: str = ""
    number: int = 0
    rule: str = ""
    text: str = ""
    told: list[str] = fresh(list)
    tree: str = ""


_COLUMNS = Columns(list_fields(StoredDecision), json=("told",), flags=("counts",))
_SELECT = f"SELECT {_COLUMNS.names} FROM decisions WHERE session=?"  # noqa: S608


class DecisionHistory:
    """
    What earlier decisions mean for the next one: how often it was sent back, how many of these count toward the limit,
    how many are in a row on these files, what was reported. A refusal within the cooldown does not count, but it stays
    in the row, because it repeats the same text.
    """

    __slots__ = ("_tree", "last", "refusals", "row", "sent_back", "shown")

    def __init__(self, taken: "Sequence[StoredDecision]", tree: str) -> None:
        refused = [stored_decision for stored_decision in taken if stored_decision.action in REFUSALS]
        self._tree = tree
        self.sent_back = len(refused)
        self.refusals = sum(stored_decision.counts for stored_decision in refused)
        self.last = refused[-1] if refused else None
        self.shown = [name for stored_decision in refused for name in stored_decision.told]
        self.row = 0
        for stored_decision in reversed(refused):
            if stored_decision.tree != tree:
                break
            self.row += 1

    def is_cooling(self, now: float, seconds: float, last_tool: float) -> bool:
        """Return whether it stops again at once with nothing done since: the earlier result still holds."""
        last = self.last
        if last is None or last.tree != self._tree:
            return False
        return last_tool <= last.at and now - last.at < seconds


def add(
    change: "Change",
    decision: rules.StopDecision,
    *,
    event: str,
    tree: str,
    told: "Sequence[str]" = (),
    text: str = "",
    counts: bool = True,
    claim: str = "",
) -> None:
    """Store a decision; `claim` says whether the agent said that it was done, and whether a check refuted that."""
    number: int = change.database.value(
        "SELECT coalesce(max(number), 0) + 1 FROM decisions WHERE session=?", change.session
    )
    taken = StoredDecision(
        action=decision.action,
        at=change.now,
        because=decision.because,
        claim=claim,
        clears=decision.clears,
        counts=counts,
        event=event,
        number=number,
        rule=decision.rule,
        text=text,
        told=list(told),
        tree=tree,
    )
    change.database.rows(
        f"INSERT INTO decisions (session, {_COLUMNS.names}) VALUES (?,{_COLUMNS.marks})",  # noqa: S608
        change.session, *_COLUMNS.write(taken),
    )  # fmt: skip
    change.record("stop.decided", {"action": decision.action, "rule": decision.rule, "tree": tree})


def note(home: "Home", session: str, decision: rules.StopDecision, *, event: str, at: float) -> None:
    """A stop that passes at the first glance changes nothing: a line in the trace, no transaction."""
    given = {"event": event, "action": decision.action, "rule": decision.rule}
    entry = {"at": round(at, 3), _PASSED: {**given, "because": decision.because}}
    trace.append(home, session, entry)


def is_noted_stop(entry: "Mapping[str, object]") -> bool:
    """Return whether an entry of a trace is such a stop."""
    return isinstance(entry.get(_PASSED), dict)


def find_noted(home: "Home", session: str) -> StoredDecision | None:
    """Return the last of those."""
    stops = [entry for entry in trace.read_tail(home, session) if is_noted_stop(entry)]
    if not stops:
        return None
    at, given = float(stops[-1].get("at") or 0.0), stops[-1][_PASSED]
    event, action, rule, because = (str(given.get(name, "")) for name in ("event", "action", "rule", "because"))
    return StoredDecision(action, at, because, event=event, rule=rule)


def list_since(database: "Database", session: str, at: float) -> list[StoredDecision]:
    rows = database.rows(f"{_SELECT} AND at>=? ORDER BY number", session, at)
    return [_COLUMNS.read(StoredDecision, row) for row in rows]


def find_last(database: "Database", session: str) -> StoredDecision | None:
    row = database.row(f"{_SELECT} ORDER BY number DESC LIMIT 1", session)
    return None if row is None else _COLUMNS.read(StoredDecision, row)
