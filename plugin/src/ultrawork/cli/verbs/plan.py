"""`ultrawork plan`: explore and plan a goal, or show the plan there is; nothing is changed."""

from ...core import check
from ...report.course import render_plan_of
from ...store import tasks
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment
from ..headless import driver


def plan(args: Args, env: VerbEnvironment) -> Result:
    if not args.rest:
        session = env.session(args)
        listed = tasks.list_all(env.store.database, session.id)
        data = {"session_id": session.id, "tasks": [task.document() for task in listed]}
        return Result(data, render_plan_of(env.store.database, session))
    goal = check.clean_text(" ".join(args.rest), "goal")
    return driver.start_session(args, env, goal, plan_only=True, auto_mode=True)


COMMANDS = (
    Command(
        "",
        "Without a goal, show the current plan. Execute it with: ultrawork exec",
        plan,
        flags=(SESSION, *driver.LIMITS),
        rest="[GOAL]",
        example='ultrawork plan "add password reset"\nultrawork plan',
    ),
)
