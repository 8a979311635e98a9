"""`ultrawork wait`: until a session has ended; the exit status is what it came to."""

from time import monotonic, sleep

from ...core import errors
from ...core.check import parse_duration
from ...core.wording import cut, join_lines
from ...report.summary import read_ending
from ...report.why import name_outcome
from ...store import sessions
from ..command import Command, Result
from ..environment import SESSION, Args, Flag, VerbEnvironment
from ..progress import ProgressLine

_PAUSE = 0.5
_GOAL = 80


def wait(args: Args, env: VerbEnvironment) -> Result:
    """Wait for the end; a session that was allowed to stop, is undecided or was skipped has ended too."""
    session = env.session(args)
    given = args.text("--timeout")
    until = None if given is None else monotonic() + parse_duration(given, "time for --timeout")
    with ProgressLine(quiet=env.json) as progress:
        progress.begin(f"waiting for session {session.id[:8]}", None)
        while session.active and (until is None or monotonic() < until):
            sleep(_PAUSE)
            progress.tick()
            session = sessions.get(env.store.database, session.id)
    data = {"session": session.id, "goal": session.goal, "ended": not session.active}
    if session.active:
        text = f"session {session.id[:8]} is still running after {given}: {session.phase}"
        return Result({**data, "outcome": None}, text, exit=errors.EXIT_UNVERIFIED)
    outcome = name_outcome(env.store.database, session)
    status = read_ending(env.store.database, session).exit
    text = f"{outcome}: {cut(join_lines(session.goal), _GOAL)}"
    return Result({**data, "outcome": outcome}, text, exit=status)


COMMANDS = (
    Command(
        "",
        "The exit status is that of the verdict",
        wait,
        flags=(SESSION, Flag("--timeout", "give up after this time, such as 10m", metavar="TIME")),
        example="ultrawork wait\nultrawork wait --session last --timeout 1h",
    ),
)
