"""`ultrawork undo`: take one task's changes out of a run's results again."""

from ...core import exits, statuses
from ...core.errors import Conflict, UsageError
from ...engine import undo as undoing
from ...engine.ground import Ground
from ...engine.judge import Judge
from ...engine.lock import EngineLock
from ...store import tasks
from ..command import Command
from ..flags import SESSION
from ..result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..edge import Edge
    from ..flags import Args

_EXITS = {
    undoing.UNDONE: exits.DONE,
    undoing.NOT_MERGED: exits.NOTHING,
    undoing.BUILT_ON: exits.CONFLICT,
    undoing.RED: exits.CONFLICT,
}


def undo(args: "Args", edge: "Edge") -> Result:
    if len(args.rest) != 1:
        raise UsageError("name one task to undo; ultrawork task list shows them")
    session, name = edge.session(args), args.rest[0]
    tasks.get(edge.store.database, session.id, name)
    with EngineLock(edge.store.home.session(session.id)):
        ground = Ground.open(session.working_dir, edge.store.home, session.id, edge.environ)
        judge = Judge(edge.store, edge.environ, session.id)
        needs = tasks.needs_of(edge.store.database, session.id)
        after = [one for one, wanted in needs.items() if name in wanted]
        done = undoing.undo(ground, name, judge.gates, after)
        if done.status == undoing.UNDONE:
            _skip(edge, session.id, name)
            where = ground.deliver().detail if not session.active else f"on {ground.branch}"
            return Result(
                {"task": name, "files": done.files, "commit": done.commit},
                f"{done.detail}; {where}",
            )
    data = {"task": name, "status": done.status, "built_on_by": done.tasks}
    return Result(data, done.detail, exit=_EXITS[done.status])


def _skip(edge: "Edge", session: str, name: str) -> None:
    """What was undone is not resolved any more."""
    with edge.store.change(session) as change:
        try:
            tasks.update(change, name, status=statuses.SKIPPED, reason="undone by the person")
        except Conflict:
            change.record("task.undone", {"task": name})


COMMANDS = (
    Command(
        "",
        "Take one task's changes out of the results again, if nobody built on them",
        undo,
        flags=(SESSION,),
        rest="TASK",
        example="ultrawork undo readme",
    ),
)
