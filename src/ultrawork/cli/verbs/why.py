"""`ultrawork why`: the last decision, its reason, and what would change it."""

from ...core.errors import NotFound
from ...report import sessions as report
from ...report.why import why
from ...store import sessions, switch, tasks
from ..command import Command
from ..flags import SESSION
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.task import Task
    from ..edge import Edge
    from ..flags import Args


def show(args: "Args", edge: "Edge") -> Result:
    """A word is a session; if there is none of that name, a task of this session."""
    if args.rest:
        return _named(args, edge)
    return _decision(edge, edge.session(args).id)


def _decision(edge: "Edge", session: str) -> Result:
    switch.settle(edge.store, session)
    taken = report.last_decision(edge.store.database, session)
    return Result(taken.document(), why(taken))


def _named(args: "Args", edge: "Edge") -> Result:
    database = edge.store.database
    try:
        session = sessions.find(database, args.rest[0], edge.place)
    except NotFound:
        task = tasks.get(database, edge.session(args).id, args.rest[0])
        return Result({"task": task.document()}, _task(task))
    return _decision(edge, session.id)


def _task(task: "Task") -> str:
    waits = f"it waits for {', '.join(task.blocked_by)}" if task.blocked_by else "nothing holds it"
    lines = [
        f"decided    task {task.id} is {task.status}, attempt {task.attempts}",
        f"because    {task.reason or waits}",
        f"to change  {'; '.join(task.criteria) or 'no criterion was given'}",
    ]
    return "\n".join(lines)


COMMANDS = (
    Command(
        "",
        "Tell why the last stop was decided as it was, or why a task is where it is",
        show,
        rest="[SESSION|TASK]",
        flags=(SESSION,),
        example="ultrawork why",
    ),
)
