"""A task: one piece of a plan, with the criteria that show it is done, and the statuses of its life."""

from .. import check
from ..errors import Conflict, UsageError
from ..times import format_iso
from ..value import Value, fresh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

PENDING = "pending"
IN_PROGRESS = "in_progress"
RESOLVED = "resolved"
FAILED = "failed"
BLOCKED = "blocked"
SKIPPED = "skipped"

NEXT: dict[str, tuple[str, ...]] = {
    PENDING: (IN_PROGRESS, BLOCKED, SKIPPED),
    IN_PROGRESS: (RESOLVED, FAILED, BLOCKED, PENDING, SKIPPED),
    BLOCKED: (PENDING, IN_PROGRESS, SKIPPED),
    FAILED: (PENDING, IN_PROGRESS, SKIPPED),
    RESOLVED: (PENDING,),
    SKIPPED: (PENDING,),
}
ALL = tuple(NEXT)
_SPELLINGS = {"open": PENDING}


def parse(word: str) -> str:
    from ..check import quote

    lower = word.strip().lower()
    status = _SPELLINGS.get(lower, lower)
    if status not in NEXT:
        raise UsageError(f"{quote(word)} is not a task status; known: {', '.join(ALL)} (open = pending)")
    return status


def move(now: str, target: str, *, reason: str = "") -> str:
    """Return the status after a legal transition. Skipping requires a reason."""
    if target not in NEXT[now]:
        raise Conflict(f"{now} cannot become {target}; legal from here: {', '.join(NEXT[now])}")
    if target == SKIPPED and not reason.strip():
        raise UsageError("a skipped task needs a reason; add --reason TEXT")
    return target


SIMPLE = "simple"
STANDARD = "standard"
COMPLEX = "complex"
COMPLEXITIES = (SIMPLE, STANDARD, COMPLEX)
APPROACHES = ("standard", "tdd")
VERIFY = "verify"
MAX_RETRY = 2
_PLAN_KEYS = frozenset(
    ("id", "subject", "description", "complexity", "criteria", "blockedBy", "blocked_by", "approach",
     "test_file", "test_scope", "files", "status", "evidence", "max_retry")
)  # fmt: skip


# The documents' name for it.
_KEYS = {"blocked_by": "blockedBy"}
_TIMES = ("created_at", "updated_at")


class Task(Value):
    id: str
    subject: str
    description: str = ""
    status: str = PENDING
    complexity: str = STANDARD
    blocked_by: list[str] = fresh(list)
    criteria: list[str] = fresh(list)
    evidence: "list[Any]" = fresh(list)
    files: list[str] = fresh(list)
    approach: str = STANDARD
    test_file: str | None = None
    test_scope: str | None = None
    retry_count: int = 0
    max_retry: int = MAX_RETRY
    attempts: int = 0
    owner: str | None = None
    token: int = 0
    reason: str | None = None
    created_at: float = 0.0
    updated_at: float = 0.0

    @property
    def is_verify(self) -> bool:
        return self.id == VERIFY

    @property
    def may_retry(self) -> bool:
        return self.retry_count < self.max_retry

    def document(self) -> "dict[str, Any]":
        """Return `tasks/{id}.json`, with the keys that the documents name."""
        return {
            _KEYS.get(field, field): format_iso(value) if field in _TIMES else value
            for field, value in super().document().items()
        }


def parse_task(entry: "Mapping[str, Any]", *, now: float) -> Task:
    """Parse one task of a `plan.json`, key by key."""
    name = entry.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    if not isinstance(name, str):
        raise UsageError(f"a task of the plan has no id: {check.quote(entry)}")
    task_id = check.require_task_id(name)
    for key in entry:
        if key not in _PLAN_KEYS:
            raise UsageError(f"task {task_id} has the unknown key {check.quote(key)}")
    blocked_by = _texts(entry, "blockedBy", task_id) or _texts(entry, "blocked_by", task_id)
    return Task(
        id=task_id,
        subject=check.clean_text(_text(entry, "subject", task_id), f"subject of task {task_id}"),
        description=_text(entry, "description", task_id, ""),
        status=parse(_text(entry, "status", task_id, PENDING)),
        complexity=check.require_choice(_text(entry, "complexity", task_id, STANDARD), COMPLEXITIES, "complexity"),
        criteria=_texts(entry, "criteria", task_id),
        evidence=_list(entry, "evidence", task_id),
        blocked_by=list(dict.fromkeys(blocked_by)),
        files=_texts(entry, "files", task_id),
        approach=check.require_choice(_text(entry, "approach", task_id, STANDARD), APPROACHES, "approach"),
        test_file=_text(entry, "test_file", task_id, "") or None,
        test_scope=_text(entry, "test_scope", task_id, "") or None,
        max_retry=check.parse_number(str(entry.get("max_retry", MAX_RETRY)), f"max_retry of task {task_id}"),
        created_at=now,
        updated_at=now,
    )


def _text(entry: "Mapping[str, Any]", key: str, task_id: str, default: str | None = None) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str):
        problem = "is missing" if value is None else f"is {check.quote(value)}, not text"
        raise UsageError(f"{key} of task {task_id} {problem}")
    return value


def _texts(entry: "Mapping[str, Any]", key: str, task_id: str) -> list[str]:
    value = _list(entry, key, task_id)
    if not all(isinstance(item, str | int) for item in value):
        raise UsageError(f"{key} of task {task_id} is {check.quote(value)}, not a list of texts")
    return [str(item) for item in value]


def _list(entry: "Mapping[str, Any]", key: str, task_id: str) -> "list[Any]":
    value = entry.get(key) or []
    if not isinstance(value, list):
        raise UsageError(f"{key} of task {task_id} is {check.quote(value)}, not a list")
    return value
