"""Choose which memory entries are shown: those that fit the goal and the current files, while everything that they rest
on still holds. Hooks load this at the start of a session and with a prompt, so it loads little."""

import os
from collections.abc import Iterable, Sequence

from ....core.value import Value, fresh
from ....store import receipts
from ....store.database import Database
from ....system.objects import hash_object
from ..store import entries, ledger
from ..values import memory, telling
from ..values.memory import AnchorFacts, MemoryEntry

LARGEST = 1_000_000
CANDIDATES = 15
RANKED = 500


def find_blob(place: str, path: str, like: str = "") -> str | None:
    """Return a file's git id; None if it is missing, outside the checkout, or too large."""
    where = os.path.realpath(f"{place}/{path}")
    if not where.startswith(f"{os.path.realpath(place)}/"):
        return None
    try:
        if not os.path.isfile(where) or os.path.getsize(where) > LARGEST:
            return None
        with open(where, "rb") as file:
            return hash_object("blob", file.read(LARGEST + 1), like)
    except OSError:
        return None


def gather_facts(database: "Database", place: str, memory_entries: "Iterable[MemoryEntry]") -> AnchorFacts:
    """Return the current state of these entries' anchors; every file is read once."""
    blobs: dict[str, str | None] = {}
    colours: dict[str, str] = {}
    genuine: dict[tuple[str, str], bool] = {}
    for anchor in (anchor for memory_entry in memory_entries for anchor in memory_entry.anchors):
        if anchor.kind == memory.PATH and anchor.name not in blobs:
            blobs[anchor.name] = find_blob(place, anchor.name, anchor.value)
        elif anchor.kind == memory.COMMAND and anchor.name not in colours:
            run = receipts.find_last_run(database, place, anchor.name)
            if run is not None:
                colours[anchor.name] = run[1]
        elif anchor.kind == memory.RECEIPT:
            genuine[anchor.name, anchor.value] = is_genuine_green(database, anchor.name, anchor.value)
    return AnchorFacts(blobs, colours, genuine)


def is_genuine_green(database: "Database", session: str, number: str) -> bool:
    return find_genuine_colour(database, f"{session}#{number}") == "green"


def find_genuine_colour(database: "Database", name: str) -> str:
    """Return the result of a receipt that is unchanged since it was made; empty for a changed one."""
    session, _, number = name.partition("#")
    if not number.isdigit() or not receipts.is_genuine(database, session, int(number)):
        return ""
    return str(receipts.get(database, session, int(number))["result"])


class Recall(Value):
    """The shown text and its entries."""

    text: str = ""
    shown: list[str] = fresh(list)


def recall(
    database: "Database",
    place: str,
    goal: str,
    files: "Sequence[str]" = (),
    *,
    room: int = telling.ROOM,
    leave_out: "Sequence[str]" = (),
) -> Recall:
    """Return what fits the goal and the current files and still holds, at most a kilobyte."""
    book = ledger.name_ledger(place)
    matches = {file.id: file for file in entries.list_by_files(database, book, files, CANDIDATES)}
    for memory_entry in entries.search(database, book, goal, believed=True, most=CANDIDATES, newest=RANKED):
        matches.setdefault(memory_entry.id, memory_entry)
    for memory_entry in entries.list_all(database, book, (memory.PREFERENCE,), most=5):
        matches.setdefault(memory_entry.id, memory_entry)
    candidates = [entry for entry in matches.values() if entry.is_believed and entry.id not in leave_out]
    fitting = telling.choose_fitting(candidates, telling.list_search_words(goal), files)
    facts = gather_facts(database, place, fitting)
    holding = [entry for entry in fitting if memory.is_tellable(entry, facts)]
    text, ids = telling.render_fitting(holding, room)
    return Recall(text, ids)
