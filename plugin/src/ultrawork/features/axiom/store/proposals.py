"""The learning queue in the database, and the papers that agents write for a requirement."""

from ....core.check import quote
from ....core.errors import NotFound
from ....core.value import Value, list_fields
from ....store.codec import Columns, digest
from ....store.database import Change, Database
from ..values import queue
from ..values.queue import Proposal
from .ledger import VIEW

_COLUMNS = Columns(list_fields(Proposal), json=("entry",))
_SELECT = f"SELECT {_COLUMNS.names} FROM axiom_queue WHERE ledger=?"  # noqa: S608


def list_all(database: "Database", ledger: str, status: str = "") -> list[Proposal]:
    rows = (
        database.rows(f"{_SELECT} AND status=? ORDER BY id", ledger, status)
        if status
        else database.rows(f"{_SELECT} ORDER BY id", ledger)
    )
    return [_COLUMNS.read(Proposal, row) for row in rows]


def get(database: "Database", ledger: str, name: str) -> Proposal:
    row = database.row(f"{_SELECT} AND id=?", ledger, name)
    if row is None:
        raise NotFound(f"no proposal {quote(name)}; list them: ultrawork axiom evolve")
    return _COLUMNS.read(Proposal, row)


def add(change: "Change", wanted: Proposal) -> Proposal:
    """Add a proposal to the queue with the next number; a waiting one for the same change is returned. A full queue
    drops the least urgent, which is recorded."""
    queue.shape_proposal(wanted)
    waiting = list_all(change.database, change.session, queue.PENDING)
    known = queue.find_same(waiting, wanted)
    if known is not None and (known.has_receipts or not wanted.has_receipts):
        return known
    if known is not None:
        # An earlier statement does not block the same lesson that a run has shown.
        settle_proposal(change, known, queue.DROPPED, by="the same, shown by receipts")
    dropped = None if known is not None else queue.choose_dropped(waiting)
    if dropped is not None:
        settle_proposal(change, dropped, queue.DROPPED, by="a full queue")
    wanted.id = _make_id(change)
    wanted.created_at = change.now
    change.database.rows(
        f"INSERT INTO axiom_queue (ledger, {_COLUMNS.names}) VALUES (?,{_COLUMNS.marks})",  # noqa: S608
        change.session, *_COLUMNS.write(wanted),
    )  # fmt: skip
    change.record("axiom.proposed", {"proposal": wanted.id, "title": wanted.title})
    change.touch(VIEW)
    return wanted


def _make_id(change: "Change") -> str:
    rows = change.database.rows("SELECT id FROM axiom_queue WHERE ledger=?", change.session)
    highest = max((int(name[2:]) for (name,) in rows), default=0)
    return f"Q-{highest + 1:03d}"


def settle_proposal(change: "Change", proposal: Proposal, status: str, *, by: str) -> None:
    proposal.status, proposal.settled_at, proposal.settled_by = status, change.now, by
    change.database.rows(
        "UPDATE axiom_queue SET status=?, settled_at=?, settled_by=? WHERE ledger=? AND id=?",
        status, change.now, by, change.session, proposal.id,
    )  # fmt: skip
    change.record("axiom.settled", {"proposal": proposal.id, "status": status, "by": by})
    change.touch(VIEW)


def forget_settled(change: "Change") -> int:
    """Delete what was settled more than a week ago; the last number stays, so that none is reused."""
    every = list_all(change.database, change.session)
    over = [proposal for proposal in every[:-1] if queue.is_over(proposal, change.now)]
    change.database.execute_many(
        "DELETE FROM axiom_queue WHERE ledger=? AND id=?", [(change.session, proposal.id) for proposal in over]
    )
    return len(over)


class Paper(Value):
    """A paper. `by` is the call of the agent that wrote it, or the user."""

    name: str
    version: int
    by: str
    at: float
    digest: str
    text: str


_PAPER = Columns(list_fields(Paper))
_SELECT_PAPER = f"SELECT {_PAPER.names} FROM axiom_papers WHERE session=?"  # noqa: S608


def write_paper(change: "Change", name: str, text: str, *, by: str) -> Paper:
    """Store another version of a paper; earlier ones stay."""
    last = change.database.value(
        "SELECT max(version) FROM axiom_papers WHERE session=? AND name=?", change.session, name
    )
    paper = Paper(name, (last or 0) + 1, by, change.now, digest(text)[:16], text)
    change.database.rows(
        f"INSERT INTO axiom_papers (session, {_PAPER.names}) VALUES (?,{_PAPER.marks})",  # noqa: S608
        change.session, *_PAPER.write(paper),
    )  # fmt: skip
    change.record("axiom.paper", {"name": name, "version": paper.version, "by": by, "digest": paper.digest})
    change.touch(VIEW)
    return paper


def find_paper(database: "Database", session: str, name: str) -> Paper | None:
    row = database.row(f"{_SELECT_PAPER} AND name=? ORDER BY version DESC LIMIT 1", session, name)
    return None if row is None else _PAPER.read(Paper, row)


def list_papers(database: "Database", session: str) -> list[Paper]:
    """Return the last version of each paper."""
    rows = database.rows(f"{_SELECT_PAPER} ORDER BY name, version", session)
    return list({row[0]: _PAPER.read(Paper, row) for row in rows}.values())
