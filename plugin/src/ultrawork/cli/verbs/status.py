"""`ultrawork status`: the state of the session, the gates that decide, and how often it was sent back."""

from ...core.errors import NotFound
from ...report import status as report
from ...report.summary import describe_verified
from ...store import ending, sessions
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment, switch


def show(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--watch"):
        from ..headless.display import follow  # loads the engine

        return follow(args, env)
    if args.on("--all"):
        return _show_all(env)
    try:
        session = env.shown_session(args)
    except NotFound:
        if args.text("--session"):
            raise
        modes = report.list_modes_elsewhere(env.store.database, env.place, env.store.now())
        verified = describe_verified(env.store, env.place, env.store.now())
        if not modes and not verified:
            raise
        data = {"session_id": None, "active": False, "modes": modes, "verified": verified or None}
        return Result(data, report.render_without_session(modes, verified))
    if session.active:
        ending.follow_switch(env.store, session.id)
        session = sessions.get(env.store.database, session.id)
    settings = env.read_settings(session.working_dir)
    limit, now = settings["stop.refusals"], env.store.now()
    status = report.read(env.store, session, limit=limit, now=now)
    return Result(status, report.render(status))


def _show_all(env: VerbEnvironment) -> Result:
    """Show the sessions of all projects on this machine: those that are active, and those that ended in the last day."""
    from ...report import board, summary

    summary.ask_clients(env.store, env.environ)
    now = env.store.now()
    rows = board.read_board(env.store, since=now - board.DAY)
    data = {"sessions": [row.document() for row in rows]}
    return Result(data, board.render(rows, now) or "no session on this machine in the last day")


COMMANDS = (
    Command(
        "",
        "For a run with tasks, also their progress",
        show,
        flags=(
            SESSION,
            switch("--watch", "keep following the run"),
            switch("--all", "show sessions of all projects on this machine"),
        ),
        example="ultrawork status\nultrawork status --all",
    ),
)
