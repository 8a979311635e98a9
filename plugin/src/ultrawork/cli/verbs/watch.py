"""`ultrawork watch`: a live run, every session of this machine, or a replay of an ended run."""

import sys
from time import sleep

from ...report import board, live, summary
from ...store import line_cache
from ...store.codec import dumps
from ..command import Command, Result
from ..environment import SESSION, Args, VerbEnvironment, switch

_EVERY = 1.0
# A killed process changes no file: from time to time everything is read again.
_AT_LEAST = 5.0


def watch(args: Args, env: VerbEnvironment) -> Result:
    if args.on("--replay"):
        return _replay(args, env)
    if not args.on("--plain") and not env.json and _has_screen(env):
        return _show_board(args, env)
    if args.on("--all"):
        rows = _follow(env)
        data = {"sessions": [row.document() for row in rows]}
        return Result(data, "nothing is running any more")
    from ..headless.display import follow  # loads the engine

    return follow(args, env)


def _replay(args: Args, env: VerbEnvironment) -> Result:
    session = env.shown_session(args)
    events = live.list_history(env.store.database, session.id)
    text = "\n".join(live.render_event(event) for event in events)
    return Result({"session_id": session.id, "events": events}, text)


def _show_board(args: Args, env: VerbEnvironment) -> Result:
    """Show the full screen, which needs a terminal and the extra: all sessions, or the board of one."""
    from ...sight.screen import show_board
    from ...system.program import list_own_start

    show_board(
        env.store,
        env.environ,
        program=list_own_start(),
        name_person=lambda: env.require_person("can answer", "run it there"),
        session="" if args.on("--all") else env.shown_session(args).id,
    )
    return Result({}, "")


def _has_screen(env: VerbEnvironment) -> bool:
    if not sys.stdout.isatty() or env.environ.get("TERM", "dumb") == "dumb":
        return False
    from importlib.util import find_spec

    return find_spec("textual") is not None


def _follow(env: VerbEnvironment) -> list[board.BoardRow]:
    store, before, sources, waited = env.store, None, "", 0.0
    while True:
        summary.ask_clients(store, env.environ)
        current_sources = line_cache.list_sources(store.home)
        if current_sources != sources or waited >= _AT_LEAST:
            sources, waited = current_sources, 0.0
            now = store.now()
            rows = board.read_board(store, since=now - board.DAY)
            _write(live.list_moves(before, rows, now), rows, json=env.json)
            before = live.take_marks(rows)
            if not any(row.session.active and row.driver.is_alive for row in rows):
                return rows
        sleep(_EVERY)
        waited += _EVERY


def _write(lines: list[str], rows: list[board.BoardRow], *, json: bool) -> None:
    if not lines:
        return
    output = [dumps({"sessions": [row.document() for row in rows]})] if json else lines
    sys.stdout.write("\n".join(output) + "\n")
    sys.stdout.flush()


COMMANDS = (
    Command(
        "",
        "Prints lines until the run ends; the extra `tui` shows a full screen instead",
        watch,
        flags=(
            SESSION,
            switch("--all", "follow the sessions of all projects on this machine"),
            switch("--plain", "print lines instead of a full screen"),
            switch("--replay", "replay a session's events in order"),
        ),
        example="ultrawork watch\nultrawork watch --all",
    ),
)
