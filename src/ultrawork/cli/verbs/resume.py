"""`ultrawork resume`: go on with a session whose engine was stopped or killed, or whose repository was moved."""

from ...core.errors import Conflict
from ...core.session.session import Session
from ...core.wording import cut, join_lines
from ...engine.repository.opening import has_moved
from ...store import sessions
from ..command import Command, Result
from ..environment import VerbEnvironment
from ..flags import SESSION, SWITCH, Args, Flag
from ..headless import driver


def resume(args: Args, env: VerbEnvironment) -> Result:
    return driver.resume_session(args, env, _find(args, env))


def _find(args: Args, env: VerbEnvironment) -> Session:
    """Without a name: the run of this checkout that can go on, whatever else was begun here since."""
    if args.text("--session") is not None:
        return _take_along(env, env.session(args))
    runs = [one for one in sessions.list_all(env.store.database) if one.state.run]
    here = [one for one in runs if one.working_dir == env.place]
    here = here or [one for one in runs if _is_moved_here(env, one)]
    going = [one for one in here if one.active or driver.is_undelivered(env, one)]
    going = going or [one for one in here if one.can_go_on][:1]
    if len(going) > 1:
        shown = " and ".join(f"{one.id} ({cut(join_lines(one.goal), 20)})" for one in going[:2])
        raise Conflict(f"{len(going)} runs can go on: {shown}; name one with --session")
    if going:
        return _take_along(env, going[0])
    return here[0] if here else env.session(args)


def _is_moved_here(env: VerbEnvironment, session: Session) -> bool:
    return (
        bool(session.state.run)
        and session.working_dir != env.place
        and has_moved(session.working_dir, env.place, session.id, env.environ)
    )


def _take_along(env: VerbEnvironment, found: Session) -> Session:
    """A run goes where its repository was moved to."""
    if not _is_moved_here(env, found):
        return found
    with env.store.change(found.id) as change:
        session = sessions.get(change.database, found.id)
        before, session.working_dir = session.working_dir, env.place
        sessions.save(change, session, sessions.MOVED, {"from": before, "place": env.place})
    return session


COMMANDS = (
    Command(
        "",
        "Go on where a session was stopped; what has a result is not run again",
        resume,
        flags=(
            SESSION,
            Flag("--auto", "carry out the plan without asking", kind=SWITCH),
            *driver.LIMITS,
        ),
        example="ultrawork resume",
    ),
)
