"""`ultrawork why`: the last decision, its reason, and what would change it."""

from ...core.errors import NotFound
from ...core.plan import statuses
from ...report.why import (
    explain_course,
    explain_decision,
    explain_task,
    read_last_decision,
    read_last_step,
)
from ...store import decisions, ending, receipts, sessions, tasks
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
    database = env.store.database
    step = read_last_step(database, session)
    if decisions.find_last(database, session) is None and step is not None:
        found = sessions.get(database, session)
        strength = receipts.find_strength(database, session)
        data = {
            "phase": found.phase,
            "verdict": found.verdict,
            "strength": strength,
            "because": step[1],
        }
        return Result(data, explain_course(found, *step, strength))
    taken = read_last_decision(env.store, session)
    return Result(taken.document(), explain_decision(taken))


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
