"""What Axiom remembers: claims with anchors, and how far they are believed.

An entry says what it rests on. It is shown only while all of that holds; if something moved, it is listed as stale.
Confidence follows document 004's numbers, and only execution raises it: a statement, a reading or a repetition never
does."""

from collections.abc import Iterable, Mapping
from typing import Any

from ....core.errors import Conflict, UsageError
from ....core.value import Value, fresh

KNOWLEDGE, DECISION, PREFERENCE, PATTERN, REFLECTION, FAILURE = (
    "knowledge", "decision", "preference", "pattern", "reflection", "failure",
)  # fmt: skip
# How entries of a kind are numbered.
PREFIXES = {KNOWLEDGE: "k", DECISION: "ADR", PREFERENCE: "U", PATTERN: "P", REFLECTION: "RF", FAILURE: "F"}
CATEGORIES = ("architecture", "debugging", "pattern", "workflow", "tooling")
ACTIVE, PENDING, DEPRECATED = "active", "pending", "deprecated"
STATUSES = (ACTIVE, PENDING, DEPRECATED)

PATH, COMMAND, RECEIPT, PERSON = "path", "command", "receipt", "person"
ANCHORS = (PATH, COMMAND, RECEIPT, PERSON)
HOLDS, MOVED, UNKNOWN = "holds", "moved", "unknown"

START, START_FIX, START_SEED = 0.7, 0.8, 0.85
VERIFIED, REFERENCED, MISLEADING, UNUSED = "verified", "referenced", "misleading", "unused"
STEPS = {VERIFIED: 0.1, REFERENCED: 0.05, MISLEADING: -0.2, UNUSED: -0.1}
RAISING = (VERIFIED, REFERENCED)
LEAST = 0.5
PROMOTED_FROM = 3
PROMOTED_AT = 0.7
DAY = 86400.0
UNUSED_AFTER = 30 * DAY
TITLE_LIMIT, TEXT_LIMIT = 120, 2000


class Anchor(Value):
    """What a claim rests on: a file version (`value` is its blob), a passing command, a receipt (its session and
    number) or a user's statement (`value` is how it was given)."""

    kind: str
    name: str
    value: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.name

    def describe(self) -> str:
        if self.kind == PATH:
            return f"{self.name} @ {self.value[:12]}" if self.value else self.name
        if self.kind == COMMAND:
            return f"command `{self.name}`"
        if self.kind == RECEIPT:
            return f"receipt #{self.value} of {self.name[:8]}"
        return f"the user, {self.name}"


class MemoryEntry(Value):
    """`supports` are the receipts that raised it; `used_at` is when it was last of use in a run that was proved."""

    id: str
    kind: str
    title: str
    text: str = ""
    category: str = "workflow"
    confidence: float = START
    occurrences: int = 1
    status: str = ACTIVE
    anchors: list[Anchor] = fresh(list)
    supports: list[str] = fresh(list)
    source: str = PERSON
    requirement: str = ""
    created_at: float = 0.0
    checked_at: float = 0.0
    used_at: float = 0.0

    def document(self) -> dict[str, Any]:
        document = super().document()
        document["anchors"] = [anchor.document() for anchor in self.anchors]
        return document

    @property
    def files(self) -> list[str]:
        return [anchor.name for anchor in self.anchors if anchor.kind == PATH]

    @property
    def is_persons(self) -> bool:
        return any(anchor.kind == PERSON for anchor in self.anchors)

    @property
    def is_believed(self) -> bool:
        return self.status == ACTIVE and self.confidence >= LEAST


def read_anchor(given: object) -> Anchor:
    """Return one anchor, as stored or given by an agent."""
    kind = given.get("kind") if isinstance(given, dict) else None
    name = given.get("name") if isinstance(given, dict) else None
    if kind not in ANCHORS or not isinstance(name, str) or not name.strip():
        raise UsageError(f"an anchor has a kind ({', '.join(ANCHORS)}) and a name")
    assert isinstance(given, dict)
    return Anchor(kind, name.strip()[:300], str(given.get("value") or "")[:100])


def shape_entry(entry: MemoryEntry) -> MemoryEntry:
    """Return a valid entry: of a known kind, with a title, an anchor, and not too long."""
    if entry.kind not in PREFIXES:
        raise UsageError(f"{entry.kind[:40]!r} is not a kind of entry; known: {', '.join(PREFIXES)}")
    entry.title = " ".join(entry.title.split())[:TITLE_LIMIT]
    entry.text = entry.text.strip()[:TEXT_LIMIT]
    if not entry.title:
        raise UsageError("an entry needs a title: what is known, in one line")
    if not entry.anchors:
        raise UsageError(f"{entry.title[:40]!r} has no support; name a file, command or receipt")
    if entry.category not in CATEGORIES:
        entry.category = "workflow"
    if entry.status not in STATUSES:
        entry.status = ACTIVE
    entry.confidence = clamp(entry.confidence)
    return entry


def clamp(number: float) -> float:
    return round(min(1.0, max(0.0, number)), 2)


def make_id(kind: str, taken: Iterable[str]) -> str:
    """Return the next number of its kind; numbers are never reused."""
    prefix = PREFIXES[kind] + "-"
    numbers = [name[len(prefix) :] for name in taken if name.startswith(prefix)]
    highest = max((int(number) for number in numbers if number.isdigit()), default=0)
    return f"{prefix}{highest + 1:03d}"


def apply_step(entry: MemoryEntry, step: str, now: float, receipt: str = "") -> MemoryEntry:
    """Apply one change of confidence to an entry. A step that raises it names the receipt of a run, and the same
    receipt raises it only once. A failed attempt never rises."""
    if step in RAISING:
        if not receipt:
            raise Conflict(f"{entry.id}: only a receipt raises confidence; name one")
        if entry.kind == FAILURE:
            raise Conflict(f"{entry.id} is a failed attempt, and that cannot change")
        if receipt in entry.supports:
            return entry
        entry.supports.append(receipt)
        entry.used_at = now
    entry.confidence = clamp(entry.confidence + STEPS[step])
    if entry.confidence < LEAST and entry.kind not in (DECISION, PREFERENCE):
        entry.status = DEPRECATED
    return entry


def age(entry: MemoryEntry, now: float) -> int:
    """Lower an entry for the months in which it was not used, and return how many those are."""
    since = max(entry.used_at, entry.created_at)
    months = int(max(0.0, now - since) // UNUSED_AFTER)
    # A user's decisions and preferences do not expire.
    if entry.kind in (DECISION, PREFERENCE) or not months:
        return 0
    for _ in range(months):
        apply_step(entry, UNUSED, now)
    entry.used_at = since + months * UNUSED_AFTER
    return months


def is_promotable(entry: MemoryEntry) -> bool:
    """Return whether a pattern was seen often enough, is trusted enough, and was shown by another receipt each time."""
    return (
        entry.kind == PATTERN
        and entry.status == PENDING
        and entry.occurrences >= PROMOTED_FROM
        and entry.confidence >= PROMOTED_AT
        and len(entry.supports) >= PROMOTED_FROM
    )


def note_occurrences(entry: MemoryEntry, receipts: Iterable[str], now: float) -> MemoryEntry:
    """Count that a pattern was seen again, once for each receipt that shows it. Enough of them promote it."""
    for receipt in receipts:
        if receipt and receipt not in entry.supports:
            entry.supports.append(receipt)
            entry.occurrences = max(entry.occurrences, len(entry.supports))
            entry.used_at = now
    if is_promotable(entry):
        entry.status = ACTIVE
    return entry


class AnchorFacts(Value):
    """The current facts: blobs of the files, the result of each command's last receipt, and which receipts are genuine
    and passing. Anything else is unknown."""

    blobs: Mapping[str, str | None] = fresh(dict)
    colours: Mapping[str, str] = fresh(dict)
    genuine: Mapping[tuple[str, str], bool] = fresh(dict)


def judge_anchor(anchor: Anchor, facts: AnchorFacts) -> str:
    if anchor.kind == PERSON:
        return HOLDS
    if anchor.kind == PATH:
        if anchor.name not in facts.blobs:
            return UNKNOWN
        return HOLDS if anchor.value and facts.blobs[anchor.name] == anchor.value else MOVED
    if anchor.kind == COMMAND:
        colour = facts.colours.get(anchor.name)
        return UNKNOWN if colour is None else HOLDS if colour == "green" else MOVED
    genuine = facts.genuine.get((anchor.name, anchor.value))
    return UNKNOWN if genuine is None else HOLDS if genuine else MOVED


def judge_entry(entry: MemoryEntry, facts: AnchorFacts) -> str:
    """Return the weakest state of its anchors; an entry without anchors is unknown."""
    judge_anchors = [judge_anchor(anchor, facts) for anchor in entry.anchors] or [UNKNOWN]
    return MOVED if MOVED in judge_anchors else UNKNOWN if UNKNOWN in judge_anchors else HOLDS


def is_tellable(entry: MemoryEntry, facts: AnchorFacts) -> bool:
    return entry.is_believed and judge_entry(entry, facts) == HOLDS
