"""`ultrawork why`: the last decision, its reason, and what would change it."""

from ...core import statuses
from ...core.errors import NotFound
from ...report import sessions as report
from ...report.why import of_course, why
from ...store import decisions, sessions, switch, tasks
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
    database = edge.store.database
    step = report.last_step(database, session)
    if decisions.last(database, session) is None and step is not None:
        found = sessions.get(database, session)
        data = {"phase": found.phase, "verdict": found.verdict, "because": step[1]}
        return Result(data, of_course(found, *step))
    taken = report.last_decision(edge.store, session)
    return Result(taken.document(), why(taken))


def _named(args: "Args", edge: "Edge") -> Result:
    database = edge.store.database
    try:
        session = sessions.find(database, args.rest[0], edge.place)
    except NotFound:
        task = tasks.get(database, edge.session(args).id, args.rest[0])
        done = tasks.listed(database, edge.session(args).id, status=statuses.RESOLVED)
        return Result({"task": task.document()}, _task(task, {one.id for one in done}))
    return _decision(edge, session.id)


def _task(task: "Task", done: set[str]) -> str:
    left = [name for name in task.blocked_by if name not in done]
    waits = f"it waits for {', '.join(left)}" if left else "nothing holds it"
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
