"""Axiom's memory: what still holds, what is shown, what may become part of it and who decided.

Every change goes through a proposal or a user; an agent's message is only ever a proposal."""

import os
from collections.abc import Iterable, Sequence
from typing import Any

from ....core.check import quote
from ....core.errors import Conflict, UsageError
from ....core.value import Value, fresh
from ....store import receipts
from ....store.database import Change, Database
from ....store.store import Store
from ..store import entries, ledger, opening, page_edits, proposals
from ..store import pages as shown
from ..values import memory, pages, queue
from ..values.memory import Anchor, MemoryEntry
from ..values.queue import Proposal
from .recall import find_blob, find_genuine_colour, gather_facts


def list_genuine(database: "Database", proposal: Proposal) -> list[str]:
    """Return a proposal's two receipts if they really failed and passed with the same command."""
    if not proposal.red or not proposal.green:
        return []
    red, green = (find_genuine_colour(database, receipt) for receipt in (proposal.red, proposal.green))
    same = _find_command(database, proposal.red) == _find_command(database, proposal.green)
    return [proposal.red, proposal.green] if (red, green) == ("red", "green") and same else []


def _find_command(database: "Database", name: str) -> object:
    session, _, number = name.partition("#")
    gate = receipts.get(database, session, int(number))["gate"] if number.isdigit() else {}
    return gate.get("command") or gate.get("name")


def list_stale_entries(database: "Database", place: str) -> list[tuple[MemoryEntry, str]]:
    """Return believed entries whose anchors moved or are unknown, with the first such anchor."""
    book = ledger.name_ledger(place)
    memory_entries = [memory_entry for memory_entry in entries.list_all(database, book) if memory_entry.is_believed]
    facts = gather_facts(database, place, memory_entries)
    stale = []
    for memory_entry in memory_entries:
        states = {anchor.describe(): memory.judge_anchor(anchor, facts) for anchor in memory_entry.anchors}
        bad = next((name for name, state in states.items() if state != memory.HOLDS), None)
        if bad is not None:
            stale.append((memory_entry, f"{bad} {states[bad]}"))
    return stale


def list_stale_ids(store: "Store", place: str) -> list[str]:
    """Return the same by name; none if Axiom was never used, which has no database either."""
    if not ledger.is_begun(store.home, place):
        return []
    return [memory_entry.id for memory_entry, _ in list_stale_entries(store.database, place)]


def check_anchors(store: "Store", place: str) -> tuple[list[str], list[str]]:
    """Check every anchor again and let unused entries expire; return what holds, and what was lowered."""
    book = opening.open_ledger(store, place)
    with store.change(book) as change:
        every = entries.list_all(change.database, book)
        facts = gather_facts(change.database, place, every)
        holding = [memory_entry.id for memory_entry in every if memory.judge_entry(memory_entry, facts) == memory.HOLDS]
        entries.note_checked(change, holding)
        worn = [
            memory_entry
            for memory_entry in every
            if memory_entry.status != memory.DEPRECATED and memory.age(memory_entry, change.now)
        ]
        for memory_entry in worn:
            entries.save(change, memory_entry, "axiom.worn", "not used for 30 days")
        for memory_entry in every:
            _raise_by_command(change, place, memory_entry)
        proposals.forget_settled(change)
    return holding, [entry.id for entry in worn]


def _raise_by_command(change: "Change", place: str, entry: MemoryEntry) -> None:
    """Raise entries whose command passed again, in a run that has not raised them yet."""
    if not entry.is_believed or entry.kind == memory.FAILURE:
        return
    for anchor in entry.anchors:
        run = receipts.find_last_run(change.database, place, anchor.name) if anchor.kind == memory.COMMAND else None
        if run is None or run[0] in entry.supports or run[1] != "green":
            continue
        if find_genuine_colour(change.database, run[0]) == "green":
            memory.apply_step(entry, memory.VERIFIED, change.now, run[0])
            entries.save(change, entry, "axiom.raised", run[0])


def doubt(store: "Store", place: str, name: str, *, why: str) -> MemoryEntry:
    """Lower an entry that the user found misleading."""
    book = opening.open_ledger(store, place)
    with store.change(book) as change:
        entry = entries.get(change.database, book, name)
        memory.apply_step(entry, memory.MISLEADING, change.now)
        entries.save(change, entry, "axiom.doubted", why)
    return entry


def accept(store: "Store", place: str, name: str, *, by_person: bool, how: str = "") -> MemoryEntry:
    """Turn a proposal into memory, by a user's consent or by its receipts."""
    book = opening.open_ledger(store, place)
    with store.change(book) as change:
        proposal = proposals.get(change.database, book, name)
        genuine = list_genuine(change.database, proposal)
        by = queue.require_word(proposal, by_person=by_person, genuine=genuine)
        entry = _apply(change, proposal, by)
        proposals.settle_proposal(change, proposal, queue.DONE, by=how or by)
    return entry


def _apply(change: "Change", proposal: Proposal, by: str) -> MemoryEntry:
    known = entries.list_ids(change.database, change.session)
    again = _find_same(change, proposal) if proposal.operation == queue.ADD else None
    if again is not None:
        return _see_again(change, again, proposal, by)
    if proposal.operation == queue.ADD:
        entry: MemoryEntry = queue.make_entry(proposal, known, change.now, by=by)
        entries.save(change, entry, "axiom.noted", proposal.id)
        return entry
    entry = entries.get(change.database, change.session, str(proposal.entry.get("id")))
    return change_entry(change, entry, proposal.operation, proposal.entry, why=proposal.id)


def _find_same(change: "Change", proposal: Proposal) -> MemoryEntry | None:
    kind = str(proposal.entry.get("kind") or memory.KNOWLEDGE)
    return entries.find_by_title(change.database, change.session, kind, proposal.title)


def _see_again(change: "Change", entry: MemoryEntry, proposal: Proposal, by: str) -> MemoryEntry:
    """Record that the same was seen again. Another receipt raises its confidence and may promote a pattern."""
    if by == memory.RECEIPT and proposal.green not in entry.supports:
        if entry.kind == memory.PATTERN:
            memory.note_occurrences(entry, [proposal.green], change.now)
        else:
            memory.apply_step(entry, memory.VERIFIED, change.now, proposal.green)
    if by == memory.PERSON or not entry.is_persons:
        # What a user vouched for rests on their statement, whatever else was said since.
        given = [memory.read_anchor(anchor) for anchor in proposal.entry.get("anchors") or ()]
        entry.anchors = given or entry.anchors
    entries.save(change, entry, "axiom.seen", proposal.id)
    return entry


def change_entry(
    change: "Change", entry: MemoryEntry, operation: str, fields: "dict[str, Any]", *, why: str
) -> MemoryEntry:
    """Apply a user's change to an entry; a removed one is no longer believed, but can be found."""
    if operation == queue.REMOVE:
        entry.status = memory.DEPRECATED
    for field in pages.EDITABLE:
        if field in fields:
            setattr(entry, field, str(fields[field]))
    person = Anchor(memory.PERSON, queue.make_day(change.now), why)
    if operation == queue.CHANGE and ("text" in fields or "title" in fields):
        # Changed words are another claim: it rests on the user who wrote them, and on the current files.
        entry.anchors = [anchor for anchor in entry.anchors if anchor.kind == memory.PATH] + [person]
    entries.save(change, entry, "axiom.changed", why)
    return entry


def refuse(store: "Store", place: str, name: str, *, how: str) -> Proposal:
    book = opening.open_ledger(store, place)
    with store.change(book) as change:
        proposal = proposals.get(change.database, book, name)
        if not proposal.is_open:
            raise Conflict(f"{name} is already {proposal.status}")
        proposals.settle_proposal(change, proposal, queue.REFUSED, by=how)
    return proposal


def propose(store: "Store", place: str, wanted: Proposal) -> Proposal:
    book = opening.open_ledger(store, place)
    with store.change(book) as change:
        return proposals.add(change, wanted)


def make_anchors(place: str, files: "Iterable[str]", command: str = "") -> list[Anchor]:
    """Return checked anchors: the existing files with their blobs, and a command."""
    anchors = []
    for path in files:
        plain = os.path.normpath(path).removeprefix("./")
        blob = find_blob(place, plain)
        if blob is not None:
            anchors.append(Anchor(memory.PATH, plain, blob))
    return [*anchors, *([Anchor(memory.COMMAND, command)] if command else [])]


def require_files(place: str, files: "Sequence[str]") -> None:
    """Raise if a claim is based on a missing file."""
    for path in files:
        if find_blob(place, os.path.normpath(path)) is None:
            raise UsageError(f"{quote(path)} is not a file of this checkout")


def note(store: "Store", place: str, entry: MemoryEntry, *, why: str) -> MemoryEntry:
    """Add an entry from a user or the program itself; never from an agent's message alone."""
    book = opening.open_ledger(store, place)
    with store.change(book) as change:
        entry.id = memory.make_id(entry.kind, entries.list_ids(change.database, book))
        entry.created_at = entry.checked_at = entry.used_at = change.now
        entries.save(change, entry, "axiom.noted", why)
    return entry


class SyncResult(Value):
    taken: list[str] = fresh(list)
    left: list[str] = fresh(list)
    aside: list[str] = fresh(list)


def take_edits(store: "Store", place: str, only: "Sequence[str]" = (), *, how: str) -> SyncResult:
    """Import what the user wrote on the pages, entry by entry; the caller has verified that a user asks. Malformed or
    unnamed parts are stored aside, and the pages are rewritten."""
    result = SyncResult()
    stamp = queue.make_day(store.now())
    book = opening.open_ledger(store, place)
    for edited in page_edits.list_edited_pages(store.database, place):
        left = [piece for piece, _ in edited.garbled]
        with store.change(book) as change:
            for edit in edited.edits:
                if only and edit.id not in only:
                    left.append(_quote_edit(edit))
                    result.left.append(edit.id)
                    continue
                result.taken.append(_take_edit(change, place, edited.name, edit, how))
        if left:
            result.aside.append(shown.keep_aside(place, edited, left, stamp))
        shown.renew_page(store.database, place, edited.name)
    return result


def _quote_edit(edit: "pages.PageEdit") -> str:
    fields = "\n".join(f"- {name}: {value}" for name, value in edit.fields.items())
    return f"### {edit.id}: ({edit.operation})\n{fields}"


def _take_edit(change: "Change", place: str, page: str, edit: "pages.PageEdit", how: str) -> str:
    delta = pages.make_delta(page, edit)
    known = entries.list_ids(change.database, change.session)
    if edit.operation == queue.ADD or edit.id not in known:
        proposal = Proposal("", queue.EDIT, queue.ADD, entry=delta, origin=how)
        entry = queue.make_entry(proposal, known, change.now, by=memory.PERSON)
        entries.save(change, entry, "axiom.noted", how)
        return str(entry.id)
    entry = entries.get(change.database, change.session, edit.id)
    if edit.operation == queue.CHANGE:
        entry.anchors = _renew_paths(place, entry.anchors)
    change_entry(change, entry, edit.operation, edit.fields, why=how)
    return edit.id


def _renew_paths(place: str, anchors: "Sequence[Anchor]") -> list[Anchor]:
    return [
        Anchor(anchor.kind, anchor.name, find_blob(place, anchor.name, anchor.value) or anchor.value)
        if anchor.kind == memory.PATH
        else anchor
        for anchor in anchors
    ]
