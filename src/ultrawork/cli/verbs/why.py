"""`ultrawork why`: the last decision, its reason, and what would change it."""

from ...core.errors import NotFound
from ...core.plan import statuses
from ...report.why import explain_session, explain_task
from ...store import ending, sessions, tasks
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, Args


def show(args: Args, env: VerbEnvironment) -> Result:
    """A word is a session; if there is none of that name, a task of this session."""
    if args.rest:
        return _named(args, env)
    return _decision(env, env.session(args).id)


def _decision(env: VerbEnvironment, session: str) -> Result:
    ending.follow_switch(env.store, session)
    return Result(*explain_session(env.store, sessions.get(env.store.database, session)))


def _named(args: Args, env: VerbEnvironment) -> Result:
    database = env.store.database
    try:
        session = sessions.find(database, args.rest[0], env.place)
    except NotFound:
        task = tasks.get(database, env.session(args).id, args.rest[0])
        done = tasks.list_all(database, env.session(args).id, status=statuses.RESOLVED)
        return Result({"task": task.document()}, explain_task(task, {one.id for one in done}))
    return _decision(env, session.id)


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
