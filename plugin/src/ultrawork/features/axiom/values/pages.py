"""`.omc/axiom`: pages of entries that people read and edit, and what an edit says, entry by entry.

A page is compared with what we last wrote there, not with what we know: the difference is exactly the user's change.
Unreadable parts are returned as they are, with the reason, so that they can be kept."""

from collections.abc import Iterable, Sequence
from typing import Any

from ....core.times import format_iso
from ....core.value import Value, fresh
from ....core.wording import join_lines
from . import memory
from .memory import MemoryEntry

FOLDER = ".omc/axiom"
NOTE = "<!-- Written by ultrawork. Change, add or remove entries here, then: ultrawork axiom sync -->"
# Page → its title and the kinds on it. Document 004 defines the layout.
PAGES = {
    "evolution/knowledge_base.md": ("Knowledge base", (memory.KNOWLEDGE,)),
    "evolution/pattern_library.md": ("Pattern library", (memory.PATTERN,)),
    "project_decisions.md": ("Project decisions", (memory.DECISION, memory.FAILURE)),
    "user_preferences.md": ("User preferences", (memory.PREFERENCE,)),
    "reflection_log.md": ("Reflection log", (memory.REFLECTION,)),
}
SHOWN = 300
EDITABLE = ("title", "text", "category", "status")
_HEADING = "### "
_INDEX = "| ID | Name | Category | Occurrences | Confidence | Status |"


class PageEntry(Value):
    """An entry on a page; only what a user may change is read."""

    id: str
    title: str
    text: str = ""
    category: str = ""
    status: str = ""


class PageReading(Value):
    """`garbled` are pieces that are no entry, each with the reason."""

    entries: dict[str, PageEntry] = fresh(dict)
    garbled: list[tuple[str, str]] = fresh(list)


class PageEdit(Value):
    """What one part of a page requests: a new entry, a changed one, or a removal."""

    operation: str
    id: str
    fields: dict[str, str] = fresh(dict)


def choose_shown(entries: Iterable[MemoryEntry]) -> list[MemoryEntry]:
    """Return a readable number of entries: most believed, then newest; the rest is in the store."""
    ranked = sorted(
        entries,
        key=lambda memory_entry: (
            memory_entry.status == memory.DEPRECATED,
            -memory_entry.confidence,
            -memory_entry.created_at,
        ),
    )
    return sorted(ranked[:SHOWN], key=lambda entry: entry.id)


def render_entry_page(name: str, entries: Sequence[MemoryEntry]) -> str:
    title, kinds = PAGES[name]
    own = [entry for entry in entries if entry.kind in kinds]
    shown = choose_shown(own)
    lines = [f"# {title}", "", NOTE, ""]
    lines += _render_index(shown) if memory.PATTERN in kinds else []
    for memory_entry in shown:
        lines += _render_entry(memory_entry)
    if len(own) > len(shown):
        lines += [f"{len(own) - len(shown)} more: ultrawork axiom knowledge", ""]
    return "\n".join(lines)


def _render_index(entries: Sequence[MemoryEntry]) -> list[str]:
    rows = [
        f"| {entry.id} | {_cell(entry.title)} | {entry.category} | {entry.occurrences} |"
        f" {entry.confidence:.2f} | {entry.status} |"
        for entry in entries
    ]
    return [_INDEX, "|---|---|---|---|---|---|", *rows, ""] if rows else []


def _cell(text: str) -> str:
    return join_lines(text).replace("|", "/")


def _render_entry(entry: MemoryEntry) -> list[str]:
    anchors = "; ".join(anchor.describe() for anchor in entry.anchors)
    lines = [
        f"{_HEADING}{entry.id}: {entry.title}",
        f"- category: {entry.category}",
        f"- status: {entry.status}",
        f"- confidence: {entry.confidence:.2f} ({len(entry.supports)} receipts)",
        f"- rests on: {join_lines(anchors)}",
        f"- checked: {format_iso(entry.checked_at)}",
        "",
    ]
    return [*lines, escape_headings(entry.text), ""] if entry.text else lines


def escape_headings(text: str) -> str:
    """Escape with a backslash each line of an entry that would read as the heading of another one."""
    return "\n".join("\\" + line if line.lstrip("\\").startswith("#") else line for line in text.split("\n"))


def unescape_headings(text: str) -> str:
    return "\n".join(
        line[1:] if line.startswith("\\") and line.lstrip("\\").startswith("#") else line for line in text.split("\n")
    )


def read_entry_page(name: str, text: str) -> PageReading:
    """Return every entry of a page; a second one of the same id is garbled, as is one of another page's kind."""
    _, kinds = PAGES[name]
    reading = PageReading()
    for piece in _split_pieces(text):
        entry = _read_piece(piece, kinds)
        if isinstance(entry, str):
            reading.garbled.append((piece, entry))
        elif entry.id in reading.entries:
            reading.garbled.append((piece, f"{entry.id} is listed twice"))
        else:
            reading.entries[entry.id] = entry
    return reading


def _split_pieces(text: str) -> list[str]:
    pieces: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith(_HEADING):
            pieces.append(line)
        elif pieces:
            pieces[-1] += f"\n{line}"
    return [piece.rstrip("\n") for piece in pieces]


def _read_piece(piece: str, kinds: Sequence[str]) -> PageEntry | str:
    head, _, rest = piece.partition("\n")
    name, colon, title = head[len(_HEADING) :].partition(":")
    name, title = name.strip(), title.strip()
    if not colon or not name or not title:
        return "its heading is not ID: title"
    if not any(name.startswith(f"{memory.PREFIXES[kind]}-") for kind in kinds):
        return f"{name[:20]} is not an id of this page"
    if not name.rpartition("-")[2].isalnum() or len(name) > 20:
        return f"{name[:20]} is not an id"
    fields, body = _read_fields(rest)
    status = fields.get("status", memory.ACTIVE)
    if status not in memory.STATUSES:
        return f"{status[:20]!r} is not a status; known: {', '.join(memory.STATUSES)}"
    if len(body) > memory.TEXT_LIMIT or len(title) > memory.TITLE_LIMIT:
        return f"it is longer than {memory.TEXT_LIMIT} characters"
    return PageEntry(name, title, body, fields.get("category", "workflow"), status)


def _read_fields(text: str) -> tuple[dict[str, str], str]:
    """Return the lines `- key: value` at its beginning, and the words after them."""
    fields: dict[str, str] = {}
    lines = text.split("\n")
    while lines and (lines[0].startswith("- ") or (not lines[0].strip() and not fields)):
        key, colon, value = lines.pop(0)[2:].partition(":")
        if colon:
            fields[key.strip().lower()] = value.strip()
    body = [line for line in lines if not _is_count(line)]
    return fields, unescape_headings("\n".join(body)).strip()


def _is_count(line: str) -> bool:
    """Return whether this is our own last line about what is not shown."""
    first, _, rest = line.partition(" ")
    return first.isdigit() and rest == "more: ultrawork axiom knowledge"


def compare_pages(name: str, written: str, text: str) -> tuple[list[PageEdit], list[tuple[str, str]]]:
    """Return what changed on a page since it was written, and the unreadable parts."""
    before, now = read_entry_page(name, written).entries, read_entry_page(name, text)
    garbled = [(piece, why) for piece, why in now.garbled]
    lost = {_find_id(piece) for piece, _ in garbled}
    edits = []
    for entry in now.entries.values():
        fields = _list_changes(before.get(entry.id), entry)
        if fields:
            edits.append(PageEdit("change" if entry.id in before else "add", entry.id, fields))
    edits += [
        PageEdit("remove", entry_id) for entry_id in before if entry_id not in now.entries and entry_id not in lost
    ]
    return edits, garbled


def _find_id(piece: str) -> str:
    return piece[len(_HEADING) :].partition(":")[0].strip()


def _list_changes(before: PageEntry | None, now: PageEntry) -> dict[str, str]:
    changed = {}
    for field in EDITABLE:
        value = getattr(now, field)
        if before is None or getattr(before, field) != value:
            changed[field] = value
    return changed


def find_entry_kind(page: str, name: str) -> str:
    """Return the kind of entry that an id of a page means."""
    kinds = PAGES[page][1]
    return next((kind for kind in kinds if name.startswith(f"{memory.PREFIXES[kind]}-")), kinds[0])


def make_delta(page: str, edit: PageEdit) -> dict[str, Any]:
    """Return the memory change of an edit, in the form of a proposal."""
    kind = find_entry_kind(page, edit.id)
    named = {} if edit.operation == "add" else {"id": edit.id}
    return {"kind": kind, **named, **edit.fields}
