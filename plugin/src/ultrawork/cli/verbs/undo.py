"""`ultrawork undo`: take one task's changes out of a run's results again."""

from ...core import errors
from ...core.errors import UsageError
from ...core.plan.task import PENDING, RESOLVED, SKIPPED
from ...engine.agents.integration import ResultCheck
from ...engine.repository import undo as undoing
from ...engine.repository.cleanup import remove_worktrees
from ...engine.repository.delivery import deliver
from ...engine.repository.opening import open_repository
from ...engine.run import EngineLock
from ...store import tasks
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment

_EXITS = {
    undoing.UNDONE: errors.EXIT_DONE,
    undoing.NOT_MERGED: errors.EXIT_NOTHING,
    undoing.BUILT_ON: errors.EXIT_CONFLICT,
    undoing.RED: errors.EXIT_CONFLICT,
}


def undo(args: Args, env: VerbEnvironment) -> Result:
    if len(args.rest) != 1:
        raise UsageError("name one task to undo; list them: ultrawork task list")
    session, name = env.session(args), args.rest[0]
    tasks.get(env.store.database, session.id, name)
    with EngineLock(env.store.home.session(session.id)):
        repository = open_repository(
            session.working_dir, env.store.home, session.id, env.environ, begun_at=session.started_at
        )
        check = ResultCheck(env.store, env.environ, session.id)
        needs = tasks.read_needs(env.store.database, session.id)
        after = [task for task, wanted in needs.items() if name in wanted]
        done = undoing.take_out(repository, name, check.run_gates, after)
        if not session.active:
            remove_worktrees(repository)  # a continuing engine needs its own again
        if done.status == undoing.UNDONE:
            _skip(env, session.id, name)
            where = deliver(repository).detail if not session.active else f"on {repository.branch}"
            branch = repository.start.branch.removeprefix("refs/heads/")
            where = f"reverted on {branch}" if where == f"everything is merged into {branch}" else where
            return Result({"task": name, "files": done.files, "commit": done.commit}, f"{done.detail}; {where}")
    data = {"task": name, "status": done.status, "built_on_by": done.tasks}
    return Result(data, done.detail, exit=_EXITS[done.status])


def _skip(env: VerbEnvironment, session: str, name: str) -> None:
    """Mark an undone task as no longer resolved, so that no screen shows its proof."""
    with env.store.change(session) as change:
        if tasks.get(change.database, session, name).status == RESOLVED:
            tasks.update(change, name, status=PENDING)
        tasks.update(change, name, status=SKIPPED, reason="undone by the user")


COMMANDS = (
    Command(
        "",
        "Refuses if a later task builds on them",
        undo,
        flags=(SESSION,),
        rest="TASK",
        example="ultrawork undo readme\nultrawork undo 3 --session last",
    ),
)
