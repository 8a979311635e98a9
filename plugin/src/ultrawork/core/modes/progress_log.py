"""The files of a loop. `progress.txt` is what it has learned and done, as text for people and models: a section of
patterns, then an entry per round with when, which story, what, which files, and what the next round should know.
Document 004 defines the headings.

`prd.json` holds the stories that have to pass, and which of them are open."""

from collections.abc import Sequence

from .. import check
from ..errors import UsageError
from ..stop.rules import OpenWork
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


MOST_STORIES = 500
_CRITERIA = 6
_TITLE = 50


class Story(Value):
    """A story. `passes` is the agent's claim; it counts only with a passing verdict on the same files."""

    id: str
    title: str
    priority: float
    passes: bool = False
    description: str = ""
    criteria: Sequence[str] = ()
    notes: str = ""

    @property
    def name(self) -> str:
        return cut(join_lines(f"{self.id} {self.title}"), _TITLE)


class Prd(Value):
    """The stories. `known` are those seen before, by id: removing one from the file does not complete it."""

    path: str
    stories: list[Story]
    description: str = ""
    known: dict[str, str] = fresh(dict)

    @property
    def pending(self) -> list[Story]:
        """Return the stories that do not pass, in the order to do them."""
        stories = [story for story in self.stories if not story.passes]
        return sorted(stories, key=lambda story: story.priority)

    @property
    def next(self) -> Story | None:
        return self.pending[0] if self.pending else None

    @property
    def lost(self) -> list[str]:
        here = {story.id for story in self.stories}
        return [name for name in self.known if name not in here]

    @property
    def names(self) -> dict[str, str]:
        """Return every story ever seen, for storage."""
        return {**self.known, **{story.id: cut(story.title, _TITLE) for story in self.stories}}

    @property
    def counted(self) -> str:
        """`2 of 3 stories`: how many pass."""
        return f"{sum(1 for story in self.stories if story.passes)} of {self.total}"

    @property
    def total(self) -> str:
        count = len(self.names)
        return f"{count} {'story' if count == 1 else 'stories'}"


def parse_prd(document: object, path: str) -> Prd:
    """Parse the document; raise one sentence about the first error."""
    if not isinstance(document, dict):
        raise UsageError(f"{path} is not a JSON object; fix it or remove it")
    listed = document.get("userStories")
    if not isinstance(listed, list) or not listed or len(listed) > MOST_STORIES:
        raise UsageError(f"{path} needs userStories, a list of 1 to {MOST_STORIES} stories; or remove the file")
    stories = [_story(entry, number, path) for number, entry in enumerate(listed, 1)]
    names = [story.id for story in stories]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"{path} has two stories with the id {check.quote(twice)}; give one another")
    return Prd(path, stories, description=_text(document.get("description")))


def _story(raw: object, number: int, path: str) -> Story:
    where = f"story {number} of {path}"
    if not isinstance(raw, dict):
        raise UsageError(f"{where} is not an object; write id, title, acceptanceCriteria and passes")
    for key in ("id", "title"):
        if not _text(raw.get(key)):
            raise UsageError(f"{where} has no {key}; give it one")
    passes, priority = raw.get("passes", False), raw.get("priority", number)
    criteria = raw.get("acceptanceCriteria", [])
    if type(passes) is not bool:
        raise UsageError(f"passes of {where} is {check.quote(passes)}; write true or false")
    if type(priority) not in (int, float):
        raise UsageError(f"priority of {where} is {check.quote(priority)}; write a number")
    if not isinstance(criteria, list) or not all(isinstance(criterion, str) for criterion in criteria):
        raise UsageError(f"acceptanceCriteria of {where} is not a list of strings; write [] or some strings")
    return Story(
        id=_text(raw["id"]),
        title=_text(raw["title"]),
        priority=priority,
        passes=passes,
        description=_text(raw.get("description")),
        criteria=criteria,
        notes=_text(raw.get("notes")),
    )


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def find_open(prd: Prd) -> OpenWork | None:
    """Return what keeps the stories from being done; None if all are marked as passing."""
    if prd.lost:
        names = ", ".join(prd.lost[:3])
        reason = f"{names} {'was' if len(prd.lost) == 1 else 'were'} removed from {prd.path}"
        return OpenWork(reason, step=f"put {names} back")
    story = prd.next
    if story is None:
        return None
    count = len(prd.pending)
    reason = f"{count} of {prd.total} {'is' if count == 1 else 'are'} open"
    step = f"finish {story.name}, set its passes to true in {prd.path}"
    return OpenWork(reason, details=outline_story(story), step=step)


def describe_only_marked(prd: Prd) -> OpenWork:
    """Report that all stories are marked as passing, but nothing else changed."""
    reason = f"the stories are marked as done, but only {prd.path} has changed"
    return OpenWork(reason, step="do what the stories ask for")


def outline_story(story: Story) -> list[str]:
    more = len(story.criteria) - _CRITERIA
    lines = [f"    - {cut(join_lines(criterion), 94)}" for criterion in story.criteria[:_CRITERIA]]
    lines += [f"    and {more} more"] if more > 0 else []
    return [f"  {story.name}", *lines]
