"""Facts for the state of a task, an agent and a check, from what is stored of each; `core.state` judges all of them."""

from collections.abc import Collection

from .plan import statuses
from .plan.task import Task
from .state import CHECK, Driver, StateFacts
from .verdict_values import FAIL, PASS, UNVERIFIED

_RESULTS = {"green": PASS, "red": FAIL, "meant": FAIL}
_CLOSED = (statuses.RESOLVED, statuses.FAILED, statuses.SKIPPED)


def collect_task(
    task: Task,
    *,
    driver: Driver,
    open_tasks: Collection[str] = (),
    session_active: bool = True,
    verdict: str = "",
    strength: str = "",
) -> StateFacts:
    """Collect facts of a task. A resolved task is a claim until its session's checks pass; then it is as strong as
    they are. `driver` is the process of its agent, else of its session."""
    facts = StateFacts(
        active=session_active and task.status not in _CLOSED,
        driver=driver,
        heard_at=task.updated_at,
        ended_at=task.updated_at,
        because=task.reason or "",
    )
    if task.status == statuses.RESOLVED:
        facts.verdict = PASS if verdict == PASS else UNVERIFIED
        facts.strength = strength
    elif task.status == statuses.FAILED:
        facts.verdict = FAIL
    elif task.status == statuses.SKIPPED:
        facts.withdrawn = True
    elif task.status in (statuses.PENDING, statuses.BLOCKED):
        facts.waits_for, facts.waits_since = _name_wait(task, open_tasks), task.updated_at
    return facts


def _name_wait(task: Task, open_tasks: Collection[str]) -> str:
    needed = [name for name in task.blocked_by if name in open_tasks]
    if needed:
        return f"task{'s' if len(needed) > 1 else ''} {', '.join(needed)}"
    return task.reason or ("a change outside this task" if task.status == statuses.BLOCKED else "its turn")


def collect_agent(
    *,
    driver: Driver,
    started_at: float,
    ended_at: float | None,
    heard_at: float,
    status: str = "",
    why: str = "",
    is_lost: bool = False,
    refuted: str = "",
) -> StateFacts:
    """Collect facts of an agent. Its final message is a claim; `refuted` is what a run showed against it."""
    facts = StateFacts(
        active=ended_at is None,
        driver=driver,
        heard_at=heard_at or started_at,
        ended_at=ended_at,
        because=refuted or why,
        lost=(why or "it ended without a result") if is_lost else "",
    )
    if ended_at is None:
        return facts
    if refuted or status == statuses.FAILED:
        facts.verdict = FAIL
    elif status in (statuses.SKIPPED, statuses.PENDING):
        facts.withdrawn = True
    else:
        facts.verdict = UNVERIFIED
    return facts


def collect_check(
    *,
    process: tuple[int, str] | None = None,
    is_there: bool = False,
    began: float = 0.0,
    result: str = "",
    ended_at: float | None = None,
    why: str = "",
) -> StateFacts:
    """Collect facts of a check. `process` runs it now; without one, `result` is from its last receipt. One that never
    ran waits for a change."""
    if process is not None:
        return StateFacts(driver=Driver(CHECK, *process, is_alive=is_there), heard_at=began)
    if not result:
        return StateFacts(waits_for="the next stop", waits_since=began)
    verdict = _RESULTS.get(result, UNVERIFIED)
    unable = "" if result in _RESULTS else why or result
    return StateFacts(active=False, ended_at=ended_at, verdict=verdict, unable=unable, because=why)
