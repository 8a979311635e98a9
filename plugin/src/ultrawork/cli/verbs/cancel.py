"""`ultrawork cancel`: the user's switch, from another terminal."""

from ...core.session.session import Session
from ...core.wording import count_things, cut, join_lines
from ...engine.loop.controls import cancel_agents
from ...flow.beginning import find_last_mode
from ...report import status as report
from ...store import attempts, ending, sessions
from ...store.atomic import is_held
from ...store.paths import ENGINE_LOCK
from ..command import Command, Result
from ..environment import AGENT, SESSION, Args, VerbEnvironment
from ..headless.ending import forget_elsewhere

# Open to everyone, because nothing may block the user; it never ends in PASS, and records who it was.
_HOW = {False: "ultrawork cancel in a terminal", True: "ultrawork cancel by the agent"}


def cancel(args: Args, env: VerbEnvironment) -> Result:
    session = env.session(args)
    if not session.active:
        return Result({"session_id": session.id, "active": False}, f"session {session.id[:8]} is already off")
    before = report.read(env.store, session, limit=0)
    # Counted first: an engine that gets the order ends them at once.
    at_work = len(attempts.list_running(env.store.database, session.id))
    ending.release(env.store, session.id, how=_HOW[env.store.actor == AGENT])
    _call_off(env, session)
    ended = f", {count_things(at_work, 'agent')} ended" if at_work else ""
    red = "".join(f", {name} {result}" for name, result in before["results"].items())
    own = [mode for mode in before["modes"] if mode["owner"] == session.id]
    modes = [mode["mode"] for mode in own if not mode.get("plain")]
    kept = _describe_saved(env, session, modes)
    return Result(
        {"session_id": session.id, "active": False, "modes": modes},
        f'off: session {session.id[:8]} "{cut(join_lines(session.goal), 50)}" '
        f"({count_things(before['refusals'], 'refusal')}{red}){ended}{kept}. Files are unchanged.",
    )


def _describe_saved(env: VerbEnvironment, session: Session, modes: list[str]) -> str:
    """Return what was saved; without a client only a mode that another engine can resume."""
    if not session.state.run:
        return f"; saved for later: {', '.join(modes)}" if modes else ""
    mode_progress = find_last_mode(sessions.get(env.store.database, session.id)) if modes else None
    return f"; to continue {mode_progress.mode} within the hour: ultrawork resume" if mode_progress is not None else ""


def _call_off(env: VerbEnvironment, session: Session) -> None:
    """Agents of a headless run end with it, and what it pushed goes; an engine that runs removes that itself."""
    if attempts.list_all(env.store.database, session.id):  # else no engine ever ran it
        cancel_agents(env.store, session.id, env.environ)
    driven = is_held(f"{env.store.home.session(session.id)}/{ENGINE_LOCK}")
    if not driven and not env.read_settings(session.working_dir)["cluster.keep_refs"]:
        forget_elsewhere(env, session)


COMMANDS = (
    Command(
        "",
        "Files stay as they are, and nothing counts as verified",
        cancel,
        flags=(SESSION,),
        example="ultrawork cancel\nultrawork cancel --session last",
    ),
)
