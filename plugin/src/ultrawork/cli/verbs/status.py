"""`ultrawork status`: what is on, which gates decide, how many refusals are used."""

from ...core.errors import NotFound
from ...report import status as report
from ...store import ending, sessions
from ...store import settings as stored
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, SWITCH, Args, Flag


def show(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--watch"):
        from ..headless.follower import follow  # loads the engine

        return follow(args, env)
    try:
        session = env.shown_session(args)
    except NotFound:
        if args.text("--session"):
            raise
        modes = report.list_modes_elsewhere(env.store.database, env.place, env.store.now())
        if not modes:
            raise
        told = {"session_id": None, "active": False, "modes": modes}
        return Result(told, report.render_without_session(modes))
    if session.active:
        ending.follow_switch(env.store, session.id)
        session = sessions.get(env.store.database, session.id)
    settings = stored.load_at(env.environ, env.store.home, session.working_dir)
    limit, now = settings["stop.refusals"], env.store.now()
    found = report.read(env.store, session, limit=limit, now=now)
    return Result(found, report.render(found))


COMMANDS = (
    Command(
        "",
        "For a run with tasks, also their progress",
        show,
        flags=(SESSION, Flag("--watch", "keep following the run", kind=SWITCH)),
        example="ultrawork status\nultrawork status --session last --json",
    ),
)
