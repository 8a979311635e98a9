"""The tasks of a swarm: what one is made of, which may stand together, what becomes of one that fails."""

from .check import duration, shown, task_id, text
from .errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

OPEN, CLAIMED, DONE, FAILED = "open", "claimed", "done", "failed"
STATUSES = (OPEN, CLAIMED, DONE, FAILED)
# A task that failed so often is not tried again: it is named instead.
MOST_TRIES = 5
# Between two tool calls of an agent may lie a long test run; whoever dies on this machine is known at once.
LEASE = 900.0
SHORTEST = 1.0
BEAT = 30.0
PRIORITIES = 1000
SUBJECT, DESCRIPTION, COMMAND = 200, 20_000, 2000
_KEYS = ("id", "subject", "description", "check", "needs", "files", "priority")


class Task:
    """`check` is the command that shows it is done; `token` is the number of its lease, higher each time."""

    __slots__ = (
        "check", "claimed_at", "description", "done_at", "expires_at", "files", "id", "needs", "number",
        "owner", "priority", "proof", "reason", "status", "subject", "token", "tries",
    )  # fmt: skip

    def __init__(
        self,
        id: str,  # noqa: A002 (its name everywhere)
        subject: str,
        *,
        description: str = "",
        check: str = "",
        needs: "Sequence[str]" = (),
        files: "Sequence[str]" = (),
        priority: int = 0,
    ) -> None:
        self.id = id
        self.subject = subject
        self.description = description
        self.check = check
        self.needs = list(needs)
        self.files = list(files)
        self.priority = priority
        self.number = 0
        self.status = OPEN
        self.tries = 0
        self.token = 0
        self.owner = self.reason = self.proof = ""
        self.claimed_at: float | None = None
        self.expires_at: float | None = None
        self.done_at: float | None = None

    def document(self) -> "dict[str, Any]":
        return {slot: getattr(self, slot) for slot in self.__slots__}


def task(given: "Mapping[str, Any]") -> Task:
    """A task from outside, each field checked; an id that is missing is given later."""
    unknown = [key for key in given if key not in _KEYS]
    if unknown:
        raise UsageError(f"a task has no {shown(unknown[0])}; it has: {', '.join(_KEYS)}")
    name = given.get("id")
    subject = given.get("subject")
    if not isinstance(subject, str) or not subject.strip():
        raise UsageError('a task needs a subject: what it is, in a line, e.g. "sort the list"')
    return Task(
        task_id(str(name)) if name not in (None, "") else "",
        text(subject, "subject", SUBJECT),
        description=_text(given, "description", DESCRIPTION),
        check=_text(given, "check", COMMAND),
        needs=[task_id(one) for one in _names(given, "needs")],
        files=[file(one) for one in _names(given, "files")],
        priority=_priority(given.get("priority", 0)),
    )


def _text(given: "Mapping[str, Any]", key: str, limit: int) -> str:
    value = given.get(key) or ""
    if not isinstance(value, str):
        raise UsageError(f"{key} of a task is text, not {shown(value)}")
    return text(value, key, limit) if value.strip() else ""


def _names(given: "Mapping[str, Any]", key: str) -> list[str]:
    value = given.get(key) or []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise UsageError(f'{key} of a task is a list of names, such as ["a", "b"]')
    return list(dict.fromkeys(value))


def _priority(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= PRIORITIES:
        return value
    raise UsageError(f"a priority is a whole number from -{PRIORITIES} to {PRIORITIES}")


def file(path: str) -> str:
    """A file or folder of the worktree, spelled in one way."""
    parts = [one for one in path.strip().split("/") if one not in ("", ".")]
    if not parts or path.strip().startswith("/") or ".." in parts or "\0" in path:
        raise UsageError(f"{shown(path)} is no path within the worktree; write it as src/a.py")
    return "/".join(parts)


def meet(one: str, other: str) -> bool:
    """The same file, or a folder and something in it."""
    return one == other or one.startswith(other + "/") or other.startswith(one + "/")


def ordered(tasks: "Sequence[Task]", known: "Iterable[str]") -> None:
    """Refuses a list in which a task needs what is not there, or, in the end, itself."""
    names = {one.id for one in tasks}
    if len(names) != len(tasks):
        raise UsageError("two tasks of the list have the same id; give each its own")
    there = set(known)
    waiting = {one.id: {need for need in one.needs if need not in there} for one in tasks}
    for name, needs in waiting.items():
        missing = sorted(needs - names)
        if missing:
            raise UsageError(
                f"task {name} needs {missing[0]}, which is no task; add that one first"
            )
    while waiting:
        free = [name for name, needs in waiting.items() if not needs]
        if not free:
            raise UsageError(
                f"tasks wait for each other in a circle: {', '.join(sorted(waiting)[:5])}; "
                "take a need out of one"
            )
        for name in free:
            del waiting[name]
        for needs in waiting.values():
            needs.difference_update(free)


def lease(given: object) -> float:
    """How long a claim holds, in seconds, from outside."""
    seconds = duration(given, "lease")
    if seconds < SHORTEST:
        raise UsageError(f"a lease of {shown(given)} is over at once; give it 1s or more")
    return seconds


def after_failure(tries: int) -> str:
    """What becomes of a task that has now failed so many times."""
    return FAILED if tries >= MOST_TRIES else OPEN
