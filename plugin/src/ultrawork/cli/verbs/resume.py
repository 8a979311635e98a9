"""`ultrawork resume`: continue a session whose engine was stopped or killed, or whose repository was moved."""

from ...core.check import require_session_id
from ...core.errors import Conflict, UsageError
from ...core.session.session import Session
from ...core.wording import cut, join_lines
from ...engine.agents.executor import find_executor
from ...engine.repository.opening import has_moved
from ...store import sessions
from ..command import Command, Result
from ..environment import SESSION, Args, Flag, VerbEnvironment, switch
from ..headless import driver


def resume(args: Args, env: VerbEnvironment) -> Result:
    remote = args.text("--from")
    if remote is not None:
        return _take_over(args, env, remote)
    if args.rest:
        raise UsageError("RUN works only with --from REMOTE; name a local run with --session")
    return driver.resume_session(args, env, _find(args, env))


def _take_over(args: Args, env: VerbEnvironment, remote: str) -> Result:
    """Take over a run whose machine is gone: its journal is on the remote of its code."""
    from ...cluster.takeover import take_over

    if len(args.rest) != 1:
        raise UsageError("name the run: ultrawork resume RUN --from REMOTE")
    name = require_session_id(args.rest[0])
    # The run continues with its own remote, whatever is set here.
    inner = VerbEnvironment({**env.environ, "ULTRAWORK_CLUSTER_REMOTE": remote}, json=env.json)
    settings = inner.read_settings()
    find_executor("temporal").require_ready(settings)
    trusted = args.on("--trust-journal")
    take_over(inner.store, inner.environ, inner.place, name, remote, trusted=trusted)
    return driver.resume_session(args, inner, sessions.get(inner.store.database, name))


def _find(args: Args, env: VerbEnvironment) -> Session:
    """Return the session; without a name the resumable run of this checkout, whatever started here since."""
    if args.text("--session") is not None:
        return _take_along(env, env.session(args))
    runs = [session for session in sessions.list_all(env.store.database) if session.state.run]
    here = [run for run in runs if run.working_dir == env.place]
    here = here or [run for run in runs if _is_moved_here(env, run)]
    going = [run for run in here if run.active or driver.is_undelivered(env, run)]
    going = going or [run for run in here if run.can_go_on][:1]
    if len(going) > 1:
        shown = " and ".join(f"{run.id} ({cut(join_lines(run.goal), 20)})" for run in going[:2])
        raise Conflict(f"{len(going)} runs can be resumed: {shown}; name one with --session")
    if going:
        return _take_along(env, going[0])
    return here[0] if here else env.session(args)


def _is_moved_here(env: VerbEnvironment, session: Session) -> bool:
    return (
        bool(session.state.run)
        and session.working_dir != env.place
        and has_moved(session.working_dir, env.place, session.id, env.environ)
    )


def _take_along(env: VerbEnvironment, run: Session) -> Session:
    """Move a run to where its repository is now."""
    if not _is_moved_here(env, run):
        return run
    with env.store.change(run.id) as change:
        session = sessions.get(change.database, run.id)
        before, session.working_dir = session.working_dir, env.place
        sessions.save(change, session, sessions.MOVED, {"from": before, "place": env.place})
    return session


COMMANDS = (
    Command(
        "",
        "Finished steps are not run again",
        resume,
        flags=(
            SESSION,
            Flag("--from", "take over RUN from a machine that is gone", metavar="REMOTE"),
            switch("--trust-journal", "with --from: accept a journal that your key has not signed"),
            switch("--auto", "carry out the plan without asking for approval"),
            *driver.LIMITS,
        ),
        rest="[RUN]",
        example="ultrawork resume\nultrawork resume --session last --max-workers 2",
    ),
)
