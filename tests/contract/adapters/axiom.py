"""Axiom's machine, memory, queue, boot and guards, against the earlier program's."""

import json

from ultrawork.features.axiom.store import opening, proposals
from ultrawork.features.axiom.values import context_pages, guards, memory, queue, states
from ultrawork.features.axiom.values.memory import Anchor, MemoryEntry
from ultrawork.features.axiom.values.queue import Proposal
from ultrawork.hooks.main import reply
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .cases import Case, Place

_STEPS = {"onVerified": memory.VERIFIED, "onReferenced": memory.REFERENCED, "onMisleading": memory.MISLEADING}
_PATTERN = "Repository + Cache Pattern"


def case_of(case: "Case", place: "Place") -> "tuple[Any, Any]":
    given, expect = place.filled(case.input), place.expected(case.expect)
    compared: tuple[Any, Any] = _AXIOM[case.fn](given, expect, place)
    return compared


def _state(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    found = context_pages.read_foreign_state(given["args"][0])
    names = {"status": "state", "lastCheckpoint": "checkpoint", "activeTaskId": "task"}
    return {key: found[own] for key, own in names.items() if own in found}, expect["result"]


def _boot(given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """A start in a checkout with these files, which nobody of ours has written."""
    place.write(given["args"][0]["files"])
    event = {"session_id": "s1", "cwd": place.dir, "hook_event_name": "SessionStart", "source": "startup"}
    environ = {"HOME": place.root, "ULTRAWORK_HOME": f"{place.root}/state"}
    out, _ = reply("SessionStart", json.dumps(event).encode(), environ)
    told = "additionalContext" in out
    return {"contextInjected": told}, {"contextInjected": expect["result"]["contextInjected"]}


def _guard(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    """Outside of a requirement, where no hook of ours asks; advice is given nowhere."""
    call = given["args"][0]
    path = str(call["toolInput"].get("file_path") or "")
    ahead = guards.find_shut_gate(states.EXECUTING, call["toolName"], path, "")
    return {"blocked": bool(ahead), "hasSuggestion": False}, expect["result"]


def _expert(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """Whether the gate stands before a requirement; its words do not matter."""
    begun = states.begin_requirement("anything", place.now)
    return bool(states.explain_shut(begun, states.CONFIRMING)), expect["result"]


def _config(_given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    ours = {
        "minConfidence": memory.LEAST,
        "seedConfidence": memory.START_SEED,
        "decayDays": memory.UNUSED_AFTER / memory.DAY,
        "decayAmount": -memory.STEPS[memory.UNUSED],
        "maxLearningQueue": queue.MOST,
        "patternMinOccurrences": memory.PROMOTED_FROM,
    }
    return ours, expect["result"]["evolution"]


def _sequence(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """Each time with another receipt, without which nothing rises here."""
    entry = _entry(place, memory.KNOWLEDGE)
    ours = [
        [name, memory.apply_step(entry, _STEPS[name], place.now, f"s#{number}").confidence]
        for number, (name, _) in enumerate(expect["result"])
    ]
    return ours, expect["result"]


def _entry(place: "Place", kind: str, **more: "Any") -> MemoryEntry:
    anchors = [Anchor(memory.PATH, "a.py", "b")]
    return MemoryEntry("x-001", kind, _PATTERN, anchors=anchors, created_at=place.now, **more)


def _ids(_given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    first = memory.make_id(memory.KNOWLEDGE, [])
    ours = [first, memory.make_id(memory.KNOWLEDGE, [first]), memory.START_FIX]
    return ours, expect["result"]


def _pattern(place: "Place", first: int, more: int) -> MemoryEntry:
    entry = _entry(place, memory.PATTERN, status=memory.PENDING, occurrences=0)
    for start, count in ((0, first), (first, more)):
        memory.note_occurrences(entry, [f"s#{start + n}" for n in range(count)], place.now)
    return entry


def _detected(given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    """What a file was there is a receipt here."""
    first, more = (5, 0) if "5 files" in given["args"][0] else (2, 1)
    promoted = [_PATTERN] if _pattern(place, first, more).status == memory.ACTIVE else []
    return promoted, expect["result"]["promoted"]


def _listed(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    found = _pattern(place, 5, 0)
    return [["P-001", found.occurrences, found.status]], expect["result"]


def _queue(place: "Place", *priorities: str) -> "tuple[Store, str]":
    store = Store(Home(f"{place.root}/state"), actor="person", clock=lambda: place.now)
    book = opening.open_ledger(store, place.dir)
    with store.change(book) as change:
        for number, priority in enumerate(priorities):
            entry = {"title": f"t{number}"}
            proposals.add(change, Proposal("", queue.LESSON, queue.ADD, priority, entry=entry))
    return store, book


def _counts(store: Store, book: str) -> "dict[str, int]":
    every = proposals.list_all(store.database, book)
    done = sum(one.status == queue.DONE for one in every)
    return {"pending": sum(one.is_open for one in every), "done": done, "total": len(every)}


def _added(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    return _counts(*_queue(place, "P2")), expect["result"]


def _batch(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    store, book = _queue(place, "P2", "P0", "P3", "P1")
    chosen = queue.choose_batch(proposals.list_all(store.database, book))
    return [[one.id, one.priority] for one in chosen], expect["result"]


def _settled(_given: "dict[str, Any]", expect: "Any", place: "Place") -> "tuple[Any, Any]":
    store, book = _queue(place, "P2", "P0", "P3", "P1")
    with store.change(book) as change:
        one = proposals.get(change.database, book, "Q-002")
        proposals.settle_proposal(change, one, queue.DONE, by="person")
    return _counts(store, book), expect["result"]


def _transition(given: "dict[str, Any]", expect: "Any", _place: "Place") -> "tuple[Any, Any]":
    return given["to"] in states.MACHINE.moves[given["from"]], expect["legal"]


_AXIOM: "dict[str, Any]" = {
    "parseAxiomState": _state,
    "processAxiomBoot": _boot,
    "processAxiomGuards": _guard,
    "checkExpertGate": _expert,
    "loadAxiomConfig": _config,
    "ConfidenceEngine sequence from 0.7": _sequence,
    "nextId/ids": _ids,
    "detectAndUpdate": _detected,
    "loadPatterns status after first call with 5 files": _listed,
    "addItem without an existing queue file, then getStats": _added,
    "getNextBatch(3) after adding P2,P0,P3,P1": _batch,
    "updateStatus(Q-002, done) then getStats": _settled,
    "transition": _transition,
}
