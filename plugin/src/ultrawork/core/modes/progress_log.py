"""`progress.txt`: what a loop has learned and done, as text for people and models.

A section of patterns, then an entry per round: when, which story, what, which files, and what the next round should
know. Document 004 defines the headings."""

from ..value import Value, fresh
from ..wording import cut, join_lines

PATTERNS = "## Codebase Patterns"
_WHAT = "**What was implemented:**"
_FILES = "**Files changed:**"
_LEARNED = "**Learnings for future iterations:**"
_RULE = "---"
_LINE = 300
# How an agent's last message marks what to remember.
SIGNS = {"PATTERN:": "patterns", "LEARNED:": "learnings"}
MOST = 20


class LogEntry(Value):
    story: str
    what: list[str] = fresh(list)
    files: list[str] = fresh(list)
    learnings: list[str] = fresh(list)
    at: str = ""

    def text(self) -> str:
        parts = [f"## [{self.at}] - {self.story}"]
        for head, lines in ((_WHAT, self.what), (_FILES, self.files), (_LEARNED, self.learnings)):
            if lines:
                parts.append("\n".join([head, *(f"- {_line(line)}" for line in lines)]))
        return "\n" + "\n\n".join([*parts, _RULE]) + "\n"


class ProgressLog(Value):
    started: str
    patterns: list[str]
    entries: list[LogEntry]

    def learnings(self, most: int = 5) -> list[str]:
        """Return the lessons of the newest entries."""
        return [learning for entry in self.entries[-most:] for learning in entry.learnings]


def make_empty(started: str) -> str:
    return f"# Ralph Progress Log\nStarted: {started}\n\n{PATTERNS}\n(none yet)\n\n{_RULE}\n\n"


def parse(text: str) -> ProgressLog:
    """Parse the log; skip anything malformed."""
    log = ProgressLog("", [], [])
    kept: list[str] | None = None
    for line in text.splitlines():
        if line.startswith("Started:") and not log.started:
            log.started = line.partition(":")[2].strip()
        elif line.startswith("## "):
            kept = _begin_section(log, line)
        elif line.strip() == _RULE:
            kept = None
        elif log.entries and line.strip() in (_WHAT, _FILES, _LEARNED):
            kept = _part(log.entries[-1], line.strip())
        elif line.startswith("- ") and kept is not None:
            kept.append(line[2:].strip())
    return log


def _begin_section(log: ProgressLog, line: str) -> list[str] | None:
    if line.strip() == PATTERNS:
        return log.patterns
    at, closed, story = line.removeprefix("## ").strip().partition("] - ")
    if not closed or not at.startswith("["):
        return None
    log.entries.append(LogEntry(story.strip(), at=at[1:]))
    return log.entries[-1].what


def _part(entry: LogEntry, head: str) -> list[str]:
    return {_WHAT: entry.what, _FILES: entry.files, _LEARNED: entry.learnings}[head]


def add_pattern(text: str, pattern: str) -> str:
    """Return the same log with one more pattern, unless it has it already."""
    line = _line(pattern)
    if not line or line in parse(text).patterns:
        return text
    before, heading, after = text.partition(PATTERNS + "\n")
    if not heading:
        return f"{text}\n{PATTERNS}\n\n- {line}\n\n{_RULE}\n"
    section, rule, rest = after.partition(f"{_RULE}\n")
    known = [entry for entry in section.splitlines() if entry.startswith("- ")]
    listed = "\n\n".join([*known, f"- {line}"])
    return f"{before}{heading}\n{listed}\n\n{rule or _RULE + chr(10)}{rest}"


def find_lessons(message: str) -> dict[str, list[str]]:
    """Return what an agent wants remembered: lines that begin with one of the signs."""
    lessons: dict[str, list[str]] = {name: [] for name in SIGNS.values()}
    for line in message.splitlines():
        for sign, name in SIGNS.items():
            lesson = _line(line.strip(" -*").removeprefix(sign))
            if line.strip(" -*").startswith(sign) and lesson and len(lessons[name]) < MOST:
                lessons[name].append(lesson)
    return lessons


def _line(text: str) -> str:
    return cut(join_lines(text), _LINE)
