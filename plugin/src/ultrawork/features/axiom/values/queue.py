"""The learning queue: what might become memory, and who or what must approve it first.

Every change of memory is a proposal, one entry each: a lesson, a user's edit of a page, a repeated pattern. A user
accepts it, or receipts that show failing before and passing after; nothing else does."""

from collections.abc import Iterable, Sequence
from typing import Any

from ....core.errors import Conflict, UsageError
from ....core.value import Value, fresh
from . import memory

P0, P1, P2, P3 = "P0", "P1", "P2", "P3"
PRIORITIES = (P0, P1, P2, P3)
MOST = 50
BATCH = 3
KEPT_DAYS = 7
PENDING, DONE, REFUSED, DROPPED = "pending", "done", "refused", "dropped"
ADD, CHANGE, REMOVE = "add", "change", "remove"
OPERATIONS = (ADD, CHANGE, REMOVE)
LESSON, EDIT, IMPORTED, ERROR, SEEN = "lesson", "edit", "import", "error", "pattern"
SOURCES = (LESSON, EDIT, IMPORTED, ERROR, SEEN)
# What a user wrote or imported waits for them; it is neither counted nor dropped.
HELD = (EDIT, IMPORTED)
_OUTSIDE = ("://", "www.", "curl ", "wget ", "| sh", "|sh", "| bash", "|bash", "sudo ", "eval ")
# By the kind of the failing check: what keeps everything from running comes first.
_BY_GATE = {"BUILD": P0, "TYPES": P1, "TEST": P1, "ERROR_FREE": P1, "LINT": P2}


class Proposal(Value):
    """`red` and `green` are receipts of one command, as session#number: failed before, passed after."""

    id: str
    source: str
    operation: str
    priority: str = P2
    entry: "dict[str, Any]" = fresh(dict)
    why: str = ""
    origin: str = ""
    red: str = ""
    green: str = ""
    status: str = PENDING
    created_at: float = 0.0
    settled_at: float = 0.0
    settled_by: str = ""

    @property
    def title(self) -> str:
        return str(self.entry.get("title") or self.entry.get("id") or "")

    @property
    def is_open(self) -> bool:
        return self.status == PENDING

    @property
    def has_receipts(self) -> bool:
        return bool(self.red and self.green)


def shape_proposal(proposal: Proposal) -> Proposal:
    if proposal.source not in SOURCES:
        raise UsageError(f"{proposal.source[:40]!r} is not a source; known: {', '.join(SOURCES)}")
    if proposal.operation not in OPERATIONS:
        raise UsageError(f"{proposal.operation[:40]!r} is not a change; known: {', '.join(OPERATIONS)}")
    if proposal.priority not in PRIORITIES:
        proposal.priority = P2
    if proposal.operation == REMOVE and not proposal.entry.get("id"):
        raise UsageError("an entry to remove has no id")
    return proposal


def choose_priority(gate_kind: str) -> str:
    """How urgent a lesson from a red gate is; what no gate showed is a matter of logic."""
    return _BY_GATE.get(gate_kind, P2)


def list_open_proposals(proposals: "Iterable[Proposal]") -> list[Proposal]:
    """Return open proposals by priority, then oldest first."""
    open_proposals = [proposal for proposal in proposals if proposal.is_open]
    return sorted(open_proposals, key=lambda proposal: (proposal.priority, proposal.created_at, proposal.id))


def choose_batch(proposals: "Iterable[Proposal]") -> list[Proposal]:
    """Return the next few to review; what a user wrote is asked about separately."""
    return [proposal for proposal in list_open_proposals(proposals) if proposal.source not in HELD][:BATCH]


def choose_dropped(proposals: "Iterable[Proposal]") -> Proposal | None:
    """Return what to drop from a full queue: the least urgent, then the oldest. Proposals with receipts stay while
    there is anything else, so that many statements cannot push them out."""
    candidates = [proposal for proposal in proposals if proposal.is_open and proposal.source not in HELD]
    if len(candidates) < MOST:
        return None
    candidates = [proposal for proposal in candidates if not proposal.has_receipts] or candidates
    least = max(proposal.priority for proposal in candidates)
    return min(
        (proposal for proposal in candidates if proposal.priority == least), key=lambda proposal: proposal.created_at
    )


def find_same(proposals: "Iterable[Proposal]", wanted: Proposal) -> Proposal | None:
    """Return a waiting proposal for the same change, so that it is not asked twice."""
    key = (wanted.operation, wanted.entry.get("id") or "", _plain(wanted.title))
    for proposal in proposals:
        if proposal.is_open and (proposal.operation, proposal.entry.get("id") or "", _plain(proposal.title)) == key:
            return proposal
    return None


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def is_supported(proposal: Proposal, genuine: "Iterable[str]") -> bool:
    """Whether execution shows it: a red receipt, then a green one of the same command, both as they were minted."""
    known = set(genuine)
    return bool(
        proposal.source in (LESSON, SEEN, ERROR)
        and proposal.operation == ADD
        and proposal.red
        and proposal.green
        and proposal.red != proposal.green
        and {proposal.red, proposal.green} <= known
        and proposal.entry.get("kind") != memory.FAILURE
        and not _leads_out(proposal)
    )


def _leads_out(proposal: Proposal) -> bool:
    """Return whether it names an address or a command line, which no check of this project showed: a user reads it
    first."""
    words = f"{proposal.title} {proposal.entry.get('text') or ''}".lower()
    return any(mark in words for mark in _OUTSIDE)


def require_word(proposal: Proposal, *, by_person: bool, genuine: "Iterable[str]") -> str:
    """Return who accepts it; raise if neither a user nor receipts do."""
    if not proposal.is_open:
        raise Conflict(f"{proposal.id} is already {proposal.status}")
    if by_person:
        return memory.PERSON
    if is_supported(proposal, genuine):
        return memory.RECEIPT
    raise Conflict(f"{proposal.id} has no receipts, so you must accept it: ultrawork axiom accept {proposal.id}")


def make_entry(proposal: Proposal, known: "Sequence[str]", now: float, *, by: str) -> "Any":
    """Return the entry of an accepted addition. What a user vouches for also rests on their statement."""
    fields = dict(proposal.entry)
    anchors = [memory.read_anchor(anchor) for anchor in fields.get("anchors") or []]
    # The failing one shows that it was needed; the passing one supports it.
    supports = [proposal.green] if by == memory.RECEIPT and proposal.green else []
    if by == memory.PERSON:
        anchors.append(memory.Anchor(memory.PERSON, make_day(now), proposal.id))
    kind = str(fields.get("kind") or memory.KNOWLEDGE)
    entry = memory.MemoryEntry(
        memory.make_id(kind, known) if kind in memory.PREFIXES else "",
        kind,
        str(fields.get("title") or ""),
        str(fields.get("text") or ""),
        category=str(fields.get("category") or ""),
        confidence=memory.START_FIX if supports else memory.START,
        status=memory.PENDING if kind == memory.PATTERN else memory.ACTIVE,
        anchors=anchors,
        supports=supports,
        source=by,
        requirement=proposal.origin,
        created_at=now,
        checked_at=now,
        used_at=now,
    )
    return memory.shape_entry(entry)


def make_day(now: float) -> str:
    from ....core.times import format_iso

    return str(format_iso(now))[:10]


def is_over(proposal: Proposal, now: float) -> bool:
    """Return whether it was settled more than a week ago; until then its result can be looked up."""
    return not proposal.is_open and now - proposal.settled_at > KEPT_DAYS * memory.DAY
