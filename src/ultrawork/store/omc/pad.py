"""
The notepad's text: a head, sections, entries. Taken apart and put together again it is the same text.

A line of a note that would read as a heading is written with a backslash before it, and read without.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PRIORITY, WORKING, MANUAL = "priority", "working", "manual"
TITLES = {PRIORITY: "Priority Context", WORKING: "Working Memory", MANUAL: "MANUAL"}
COMMENTS = {
    PRIORITY: "<!-- Always loaded; keep it under 500 characters. -->",
    WORKING: "<!-- Notes of sessions, pruned by age. -->",
    MANUAL: "<!-- Never pruned. -->",
}
HEAD = "# Notepad\n<!-- Written by ultrawork; edit as you like. -->\n\n"


class Section:
    """`lead` is the heading and the comment under it, `body` the rest up to the next heading."""

    __slots__ = ("body", "lead", "title")

    def __init__(self, title: str, lead: str, body: str) -> None:
        self.title = title
        self.lead = lead
        self.body = body


class Notepad:
    """The text in pieces; `render` puts the same pieces together again."""

    __slots__ = ("head", "sections")

    def __init__(self, head: str, sections: list[Section]) -> None:
        self.head = head
        self.sections = sections

    def section(self, name: str) -> Section | None:
        return next((each for each in self.sections if each.title == TITLES[name]), None)

    def ensured(self, name: str) -> Section:
        found = self.section(name)
        if found is None:
            self._end_with_a_blank_line()
            found = Section(TITLES[name], f"## {TITLES[name]}\n{COMMENTS[name]}\n", "\n")
            self.sections.append(found)
        if found.lead and not found.lead.endswith("\n"):
            found.lead += "\n"
        return found

    def _end_with_a_blank_line(self) -> None:
        text = self.render()
        missing = (
            "" if text.endswith("\n\n") or not text else "\n" if text.endswith("\n") else "\n\n"
        )
        if self.sections:
            self.sections[-1].body += missing
        else:
            self.head += missing

    def render(self) -> str:
        return self.head + "".join(each.lead + each.body for each in self.sections)


class Entry:
    """`text` is the entry as it stands in the file, its heading included."""

    __slots__ = ("text", "time")

    def __init__(self, time: str, text: str) -> None:
        self.time = time
        self.text = text

    @property
    def note(self) -> str:
        return unescaped(self.text.partition("\n")[2]).strip("\n")


def parse(text: str) -> Notepad:
    head, *parts = _split(text, _is_section)
    sections = []
    for part in parts:
        heading, _, rest = part.partition("\n")
        comment, end, after = rest.partition("\n")
        described = comment.startswith("<!--") and comment.rstrip().endswith("-->")
        lead = part[: len(part) - len(rest)]
        lead, body = (lead + comment + end, after) if described else (lead, rest)
        sections.append(Section(heading[3:].strip(), lead, body))
    return Notepad(head, sections)


def empty() -> Notepad:
    notepad = Notepad(HEAD, [])
    for name in TITLES:
        notepad.ensured(name)
    return notepad


def entries(body: str) -> tuple[str, list[Entry]]:
    """What stands before the first entry, and the entries."""
    intro, *parts = _split(body, _is_entry)
    return intro, [Entry(part[4:20], part) for part in parts]


def _split(text: str, begins: "Callable[[str], bool]") -> list[str]:
    """Pieces that together are the text; each but the first begins with such a line."""
    pieces = [""]
    for line in _lines(text):
        if begins(line):
            pieces.append(line)
        else:
            pieces[-1] += line
    return pieces


def _lines(text: str) -> "Iterator[str]":
    """str.splitlines would end a line at characters that no editor does."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _is_section(line: str) -> bool:
    return line.startswith("## ")


def _is_entry(line: str) -> bool:
    """`### 2026-11-15 14:02`."""
    stamp = line[4:].rstrip()
    shape = "".join("0" if each.isascii() and each.isdigit() else each for each in stamp)
    return line.startswith("### ") and shape == "0000-00-00 00:00"


def escaped(text: str) -> str:
    return "\n".join("\\" + line if _reads_as_heading(line) else line for line in text.split("\n"))


def unescaped(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(
        line[1:] if line.startswith("\\") and _reads_as_heading(line) else line for line in lines
    )


def _reads_as_heading(line: str) -> bool:
    """With or without backslashes before it, so that taking one away gives back what was written."""
    bare = line.lstrip("\\")
    return _is_section(bare) or _is_entry(bare)
