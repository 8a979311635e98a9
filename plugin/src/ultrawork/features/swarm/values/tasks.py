"""The tasks of a swarm: their fields, which may coexist, what happens to one that fails.

Also how many agents a request for a swarm wants, and what remains of it as the goal."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ....core.check import clean_text, parse_duration, quote, require_task_id
from ....core.errors import UsageError
from ....core.value import Value, fresh

OPEN, CLAIMED, DONE, FAILED = "open", "claimed", "done", "failed"
STATUSES = (OPEN, CLAIMED, DONE, FAILED)
# A task that failed so often is not retried but reported.
MOST_TRIES = 5
# A long test run may lie between two tool calls; a death on this machine is known at once.
LEASE = 900.0
SHORTEST = 1.0
BEAT = 30.0
PRIORITIES = 1000
SUBJECT, DESCRIPTION, COMMAND = 200, 20_000, 2000
_KEYS = ("id", "subject", "description", "check", "needs", "files", "priority")


class SwarmTask(Value):
    """A task. `check` is the command that shows it is done; `token` is the number of its lease, increasing."""

    id: str
    subject: str
    description: str = ""
    check: str = ""
    needs: list[str] = fresh(list)
    files: list[str] = fresh(list)
    priority: int = 0
    number: int = 0
    status: str = OPEN
    tries: int = 0
    token: int = 0
    owner: str = ""
    reason: str = ""
    proof: str = ""
    claimed_at: float | None = None
    expires_at: float | None = None
    done_at: float | None = None

    def document(self) -> dict[str, Any]:
        return dict(sorted(super().document().items()))


def parse_swarm_task(given: Mapping[str, Any]) -> SwarmTask:
    """Parse an external task, each field checked; a missing id is assigned later."""
    unknown = [key for key in given if key not in _KEYS]
    if unknown:
        raise UsageError(f"unknown key {quote(unknown[0])} in a task; known: {', '.join(_KEYS)}")
    name = given.get("id")
    subject = given.get("subject")
    if not isinstance(subject, str) or not subject.strip():
        raise UsageError('a task needs a subject, such as "sort the list"')
    return SwarmTask(
        require_task_id(str(name)) if name not in (None, "") else "",
        clean_text(subject, "subject", SUBJECT),
        description=_text(given, "description", DESCRIPTION),
        check=_text(given, "check", COMMAND),
        needs=[require_task_id(need) for need in _names(given, "needs")],
        files=[parse_path(path) for path in _names(given, "files")],
        priority=_priority(given.get("priority", 0)),
    )


def _text(given: Mapping[str, Any], key: str, limit: int) -> str:
    value = given.get(key) or ""
    if not isinstance(value, str):
        raise UsageError(f"{key} of a task must be a string, not {quote(value)}")
    return clean_text(value, key, limit) if value.strip() else ""


def _names(given: Mapping[str, Any], key: str) -> list[str]:
    value = given.get(key) or []
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise UsageError(f'{key} of a task must be a list of names, such as ["a", "b"]')
    return list(dict.fromkeys(value))


def _priority(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= PRIORITIES:
        return value
    raise UsageError(f"a priority must be a whole number from -{PRIORITIES} to {PRIORITIES}")


def parse_path(path: str) -> str:
    """Return a file or folder of the worktree, spelled in one way."""
    parts = [part for part in path.strip().split("/") if part not in ("", ".")]
    if not parts or path.strip().startswith("/") or ".." in parts or "\0" in path:
        raise UsageError(f"{quote(path)} is not a path in the worktree; write it like src/a.py")
    return "/".join(parts)


def check_order(tasks: Sequence[SwarmTask], known: Iterable[str]) -> None:
    """Raise if a task needs a missing one or, in the end, itself."""
    names = {task.id for task in tasks}
    if len(names) != len(tasks):
        raise UsageError("two tasks have the same id; give each its own")
    there = set(known)
    waiting = {task.id: {need for need in task.needs if need not in there} for task in tasks}
    for name, needs in waiting.items():
        missing = sorted(needs - names)
        if missing:
            raise UsageError(f"task {name} needs {missing[0]}, which does not exist; add it first")
    while waiting:
        free = [name for name, needs in waiting.items() if not needs]
        if not free:
            raise UsageError(
                f"tasks wait for each other in a circle: {', '.join(sorted(waiting)[:5])}; remove one of these needs"
            )
        for name in free:
            del waiting[name]
        for needs in waiting.values():
            needs.difference_update(free)


def parse_lease(given: object) -> float:
    """Parse how long a claim holds, in seconds."""
    seconds = parse_duration(given, "lease")
    if seconds < SHORTEST:
        raise UsageError(f"a lease of {quote(given)} is too short; give 1s or more")
    return seconds


def choose_status(tries: int) -> str:
    """Return the status of a task that has failed so often."""
    return FAILED if tries >= MOST_TRIES else OPEN


USUAL_AGENTS = 3
MOST_AGENTS = 20
_AGENTS = ("agent", "agents", "worker", "workers")
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_BEFORE = 2


def parse_request(words: str) -> tuple[int, str]:
    """Parse `5 fix the tests`, `5 agents: fix the tests`, `port it with a swarm of three workers`, or a goal alone."""
    parts = words.split()
    if parts and _number(parts[0]) and parts[0][0].isdigit():
        count = _number(parts[0])
        named = len(parts) > 1 and _plain(parts[1]) in _AGENTS
        return _checked(count), _after(words, 2 if named else 1)
    return _checked(_find_count(parts) or USUAL_AGENTS), words.strip()


def _find_count(parts: list[str]) -> int:
    """Return the number right before the agents, or with one word in between."""
    for place, word in enumerate(parts):
        if _plain(word) in _AGENTS:
            before = parts[max(0, place - _BEFORE) : place]
            numbers = [_number(part) for part in reversed(before)]
            return next((number for number in numbers if number), 0)
    return 0


def _plain(word: str) -> str:
    return word.strip(".,:;!?").lower()


def _number(word: str) -> int:
    plain = _plain(word)
    if plain.isascii() and plain.isdigit():
        return int(plain[:9]) or -1
    return _NUMBERS.index(plain) + 1 if plain in _NUMBERS else 0


def _after(words: str, count: int) -> str:
    """Return the original text without its first words."""
    parts = words.split(None, count)
    return parts[count].strip() if len(parts) > count else ""


def _checked(count: int) -> int:
    if 1 <= count <= MOST_AGENTS:
        return count
    raise UsageError(f"a swarm can have 1 to {MOST_AGENTS} agents, not {max(count, 0)}")
