"""`ultrawork why`: the last decision, its reason, and what would change it; or what a rule of the judge means."""

from ...core import check
from ...core.errors import NotFound
from ...core.plan.task import RESOLVED
from ...core.session.session import CHECKOUT
from ...core.verdict.rules import RULES
from ...report.rule import VERDICTS, describe_rule
from ...report.why import explain_session, explain_task, explain_verdict
from ...store import ending, sessions, tasks
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment


def show(args: Args, env: VerbEnvironment) -> Result:
    """A word is a verdict, a rule, a session, or a task of this session."""
    if args.rest:
        rule = describe_rule(args.rest[0])
        return Result(*rule) if rule else _named_or_near(args, env)
    session = env.shown_session(args, checkouts=True)
    if session.kind == CHECKOUT:
        return Result(*explain_verdict(env.store, session))
    return _decision(env, session.id)


def _decision(env: VerbEnvironment, session: str) -> Result:
    ending.follow_switch(env.store, session)
    return Result(*explain_session(env.store, sessions.get(env.store.database, session)))


def _named_or_near(args: Args, env: VerbEnvironment) -> Result:
    try:
        return _named(args, env)
    except NotFound:
        near = check.find_nearest(args.rest[0], [*VERDICTS, *RULES])
        if not near:
            raise
        raise NotFound(f"no rule {check.quote(args.rest[0])}; did you mean {near}?") from None


def _named(args: Args, env: VerbEnvironment) -> Result:
    database = env.store.database
    try:
        session = sessions.find(database, args.rest[0], env.place)
    except NotFound:
        shown = env.shown_session(args).id
        task = tasks.get(database, shown, args.rest[0])
        done = tasks.list_all(database, shown, status=RESOLVED)
        return Result({"task": task.document()}, explain_task(task, {resolved_task.id for resolved_task in done}))
    return _decision(env, session.id)


COMMANDS = (
    Command(
        "",
        "With an argument, explain a session, a task, a rule, or a verdict such as FAIL",
        show,
        rest="[SESSION|TASK|RULE|VERDICT]",
        flags=(SESSION,),
        example="ultrawork why\nultrawork why FAIL",
    ),
)
