"""
The notepad: three sections with different lives in one Markdown file.

Priority is short and replaced as a whole, working notes are pruned by age, manual ones never. People edit
the file too: what is not understood stays where it is, letter by letter.
"""

from time import gmtime, strftime

from ...core import check
from ...core.times import parse_iso
from . import pad
from .pad import MANUAL, PRIORITY, WORKING
from .place import Omc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .pad import Entry, Notepad

PRIORITY_ADVICE = 500
PRIORITY_LIMIT = 2_000
ENTRY_LIMIT = 4_000
PRUNE_DAYS = 7
_DAY = 86_400.0


def read(omc: Omc, name: str) -> str | None:
    """The text of a section, or None: no notepad, no section, nothing in it."""
    section = pad.parse(omc.read(omc.notepad) or "").section(name)
    return pad.unescaped(section.body).strip() or None if section else None


def everything(omc: Omc) -> str | None:
    return omc.read(omc.notepad)


def set_priority(omc: Omc, content: str) -> str:
    """Replaces the section; gives a warning where it is longer than what is good to load always."""
    text = check.text(content, "content", PRIORITY_LIMIT)

    def edit(notepad: "Notepad") -> None:
        notepad.ensured(PRIORITY).body = pad.escaped(text) + "\n\n"

    _change(omc, edit)
    if len(text) <= PRIORITY_ADVICE:
        return ""
    return f"it has {len(text)} characters; shorten it to {PRIORITY_ADVICE}, it is always loaded"


def add(omc: Omc, name: str, content: str, now: float) -> None:
    text = check.text(content, "content", ENTRY_LIMIT)
    stamp = strftime("%Y-%m-%d %H:%M", gmtime(now))

    def edit(notepad: "Notepad") -> None:
        section = notepad.ensured(name)
        before = section.body.rstrip("\n")
        joint = before + "\n\n" if before.strip() else ""
        section.body = f"{joint}### {stamp}\n{pad.escaped(text)}\n\n\n"

    _change(omc, edit)


def prune(omc: Omc, days: int, now: float) -> tuple[int, int]:
    """Takes working notes older than that away; how many went, how many stayed."""
    went = stayed = 0

    def edit(notepad: "Notepad") -> None:
        nonlocal went, stayed
        section = notepad.section(WORKING)
        if section is None:
            return
        intro, found = pad.entries(section.body)
        kept = [entry for entry in found if not _older(entry, now - days * _DAY)]
        went, stayed = len(found) - len(kept), len(kept)
        if went:
            section.body = (intro + "".join(entry.text for entry in kept)).rstrip("\n") + "\n\n"

    if omc.read(omc.notepad) is not None:
        _change(omc, edit)
    return went, stayed


def stats(omc: Omc) -> dict[str, object]:
    text = omc.read(omc.notepad)
    notepad = pad.parse(text or "")
    working = notepad.section(WORKING)
    found = pad.entries(working.body)[1] if working else []
    return {
        "exists": text is not None,
        "totalSize": len((text or "").encode()),
        "prioritySize": len(read(omc, PRIORITY) or ""),
        "workingMemoryEntries": len(found),
        "oldestEntry": min((entry.time for entry in found), default=None),
    }


def _change(omc: Omc, edit: "Callable[[Notepad], None]") -> None:
    def rewritten(text: str | None) -> str:
        notepad = pad.parse(text) if text else pad.empty()
        edit(notepad)
        return notepad.render()

    omc.change(omc.notepad, rewritten)


def _older(entry: "Entry", limit: float) -> bool:
    at = parse_iso(entry.time.replace(" ", "T") + ":00")
    return at is not None and at < limit


__all__ = [
    "MANUAL",
    "PRIORITY",
    "WORKING",
    "add",
    "everything",
    "prune",
    "read",
    "set_priority",
    "stats",
]
