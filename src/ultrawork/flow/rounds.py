"""Another round of a session: what failed is due again, and so is what verification found."""

from ..core import phases, statuses
from ..store import tasks
from . import mending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.session import Session
    from ..store.change import Change


def begin(change: "Change", session: "Session") -> None:
    """Failed and verify go back to pending, the iteration is counted; attempts are never forgotten."""
    plan = tasks.listed(change.database, change.session)
    for task in plan:
        if task.status == statuses.FAILED or (task.is_verify and task.status != statuses.PENDING):
            tasks.update(change, task.id, status=statuses.PENDING, retry_count=task.retry_count + 1)
    session.iteration += 1
    if session.phase == phases.VERIFICATION:
        mending.add(change, session, plan)
    session.phase = phases.EXECUTION
    session.state["verification"] = {}
