"""The notepad: three sections with different lifetimes in one Markdown file.

Priority is short and replaced as a whole, working notes are pruned by age, manual ones never. People edit the file
too: unknown parts stay exactly as they are, so parsing and rendering gives the same text. A line of a note that would
read as a heading is escaped with a backslash."""

from collections.abc import Callable, Iterator
from time import gmtime, strftime

from ...core import check
from ...core.times import parse_iso
from ...core.value import Value
from ...store.omc.folder import Omc

PRIORITY, WORKING, MANUAL = "priority", "working", "manual"
TITLES = {PRIORITY: "Priority Context", WORKING: "Working Memory", MANUAL: "MANUAL"}
COMMENTS = {
    PRIORITY: "<!-- Always loaded; keep it under 500 characters. -->",
    WORKING: "<!-- Notes of sessions, pruned by age. -->",
    MANUAL: "<!-- Never pruned. -->",
}
HEAD = "# Notepad\n<!-- Written by ultrawork; edit as you like. -->\n\n"


class NotepadSection(Value):
    """A section. `lead` is the heading and the comment under it, `body` the rest up to the next heading."""

    title: str
    lead: str
    body: str


class Notepad(Value):
    """The text in pieces; `render` puts the same pieces together again."""

    head: str
    sections: list[NotepadSection]

    def section(self, name: str) -> NotepadSection | None:
        return next((each for each in self.sections if each.title == TITLES[name]), None)

    def ensured(self, name: str) -> NotepadSection:
        notepad_section = self.section(name)
        if notepad_section is None:
            self._end_with_a_blank_line()
            notepad_section = NotepadSection(TITLES[name], f"## {TITLES[name]}\n{COMMENTS[name]}\n", "\n")
            self.sections.append(notepad_section)
        if notepad_section.lead and not notepad_section.lead.endswith("\n"):
            notepad_section.lead += "\n"
        return notepad_section

    def _end_with_a_blank_line(self) -> None:
        text = self.render()
        missing = "" if text.endswith("\n\n") or not text else "\n" if text.endswith("\n") else "\n\n"
        if self.sections:
            self.sections[-1].body += missing
        else:
            self.head += missing

    def render(self) -> str:
        return self.head + "".join(each.lead + each.body for each in self.sections)


class NotepadEntry(Value):
    """An entry. `text` is the entry in the file, including its heading."""

    time: str
    text: str

    @property
    def note(self) -> str:
        return unescape(self.text.partition("\n")[2]).strip("\n")


def parse(text: str) -> Notepad:
    head, *parts = _split(text, _is_section)
    sections = []
    for part in parts:
        heading, _, rest = part.partition("\n")
        comment, end, after = rest.partition("\n")
        described = comment.startswith("<!--") and comment.rstrip().endswith("-->")
        lead = part[: len(part) - len(rest)]
        lead, body = (lead + comment + end, after) if described else (lead, rest)
        sections.append(NotepadSection(heading[3:].strip(), lead, body))
    return Notepad(head, sections)


def make_empty() -> Notepad:
    notepad = Notepad(HEAD, [])
    for name in TITLES:
        notepad.ensured(name)
    return notepad


def split_entries(body: str) -> tuple[str, list[NotepadEntry]]:
    """Return the text before the first entry, and the entries."""
    intro, *parts = _split(body, _is_entry)
    return intro, [NotepadEntry(part[4:20], part) for part in parts]


def _split(text: str, begins: Callable[[str], bool]) -> list[str]:
    """Return pieces that together are the text; each piece but the first starts with a line for which `begins` holds."""
    pieces = [""]
    for line in _lines(text):
        if begins(line):
            pieces.append(line)
        else:
            pieces[-1] += line
    return pieces


def _lines(text: str) -> Iterator[str]:
    """Split into lines at line feeds only: str.splitlines also splits at characters that editors do not treat as line
    ends."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _is_section(line: str) -> bool:
    return line.startswith("## ")


def _is_entry(line: str) -> bool:
    """Return whether a line is the heading of an entry, such as `### 2026-11-15 14:02`."""
    stamp = line[4:].rstrip()
    shape = "".join("0" if each.isascii() and each.isdigit() else each for each in stamp)
    return line.startswith("### ") and shape == "0000-00-00 00:00"


def escape(text: str) -> str:
    return "\n".join("\\" + line if _reads_as_heading(line) else line for line in text.split("\n"))


def unescape(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line[1:] if line.startswith("\\") and _reads_as_heading(line) else line for line in lines)


def _reads_as_heading(line: str) -> bool:
    """Return whether a line reads as a heading, with or without backslashes, so that removing one restores the
    original."""
    bare = line.lstrip("\\")
    return _is_section(bare) or _is_entry(bare)


PRIORITY_ADVICE = 500
PRIORITY_LIMIT = 2_000
ENTRY_LIMIT = 4_000
PRUNE_DAYS = 7
_DAY = 86_400.0


def read(omc: Omc, name: str) -> str | None:
    """Return the text of a section, or None: no notepad, no section, nothing in it."""
    section = parse(omc.read(omc.notepad) or "").section(name)
    return unescape(section.body).strip() or None if section else None


def read_all(omc: Omc) -> str | None:
    return omc.read(omc.notepad)


def set_priority(omc: Omc, content: str) -> str:
    """Replace the section; return a warning if it is too long to load every time."""
    text = check.clean_text(content, "content", PRIORITY_LIMIT)

    def edit(notepad: Notepad) -> None:
        notepad.ensured(PRIORITY).body = escape(text) + "\n\n"

    _change(omc, edit)
    if len(text) <= PRIORITY_ADVICE:
        return ""
    return f"{len(text)} characters is long for a note that every session loads; shorten it to {PRIORITY_ADVICE}"


def add(omc: Omc, name: str, content: str, now: float) -> None:
    text = check.clean_text(content, "content", ENTRY_LIMIT)
    stamp = strftime("%Y-%m-%d %H:%M", gmtime(now))

    def edit(notepad: Notepad) -> None:
        section = notepad.ensured(name)
        before = section.body.rstrip("\n")
        joint = before + "\n\n" if before.strip() else ""
        section.body = f"{joint}### {stamp}\n{escape(text)}\n\n\n"

    _change(omc, edit)


def prune(omc: Omc, days: int, now: float) -> tuple[int, int]:
    """Remove older working notes; return how many went and stayed."""
    went = stayed = 0

    def edit(notepad: Notepad) -> None:
        nonlocal went, stayed
        section = notepad.section(WORKING)
        if section is None:
            return
        intro, notepad_entries = split_entries(section.body)
        kept = [entry for entry in notepad_entries if not _older(entry, now - days * _DAY)]
        went, stayed = len(notepad_entries) - len(kept), len(kept)
        if went:
            section.body = (intro + "".join(entry.text for entry in kept)).rstrip("\n") + "\n\n"

    if omc.read(omc.notepad) is not None:
        _change(omc, edit)
    return went, stayed


def collect_stats(omc: Omc) -> dict[str, object]:
    text = omc.read(omc.notepad)
    notepad = parse(text or "")
    working = notepad.section(WORKING)
    notepad_entries = split_entries(working.body)[1] if working else []
    return {
        "exists": text is not None,
        "totalSize": len((text or "").encode()),
        "prioritySize": len(read(omc, PRIORITY) or ""),
        "workingMemoryEntries": len(notepad_entries),
        "oldestEntry": min((entry.time for entry in notepad_entries), default=None),
    }


def _change(omc: Omc, edit: Callable[[Notepad], None]) -> None:
    def rewritten(text: str | None) -> str:
        notepad = parse(text) if text else make_empty()
        edit(notepad)
        return notepad.render()

    omc.change(omc.notepad, rewritten)


def _older(entry: NotepadEntry, limit: float) -> bool:
    at = parse_iso(entry.time.replace(" ", "T") + ":00")
    return at is not None and at < limit


__all__ = ["MANUAL", "PRIORITY", "WORKING", "add", "collect_stats", "prune", "read", "read_all", "set_priority"]
