"""`ultrawork mode`: the state of the execution modes, as scripts and people read and change it."""

from ...core.check import quote
from ...core.errors import Conflict, NotFound, UltraworkError, UsageError
from ...core.modes import modes, record
from ...core.modes.tables import CANCELLED
from ...flow import modes as running
from ...store import paths, sessions
from ...store.codec import dumps_pretty, loads
from ...store.omc import states
from ..command import Command, Result, render_table
from ..environment import AGENT, Args, Flag, VerbEnvironment

OWNER = Flag("--session", "whose state (default: the client's session, else shared)", metavar="ID")
STATE = Flag("--state", "a JSON object to merge, or - for standard input", metavar="JSON")


def _owner(args: Args, env: VerbEnvironment) -> str:
    given = args.text("--session")
    if given is not None:
        return given
    return paths.find_client_session(env.environ)


def _mode(args: Args) -> str:
    if not args.rest:
        raise UsageError(f"name the mode: {', '.join(modes.ALL)}")
    return modes.parse(args.rest[0])


def _only_mode(args: Args, verb: str) -> str:
    mode = _mode(args)
    for word in args.rest[1:]:
        raise UsageError(f"ultrawork mode {verb} takes one mode; remove {quote(word)}")
    return mode


def read(args: Args, env: VerbEnvironment) -> Result:
    mode, owner, omc = _only_mode(args, "read"), _owner(args, env), env.omc
    state = states.read(omc, mode, owner)
    if state is None:
        raise NotFound(_absent(mode, owner, states.list_active(omc, mode, env.store.now())))
    return Result(state, dumps_pretty(state).rstrip())


def _absent(mode: str, owner: str, on: list[str]) -> str:
    if owner or not on:
        return f"no state of {mode} for {owner or 'all sessions'}; list them: ultrawork mode list"
    return f"no shared state of {mode}; it is active in another session: add --session {on[0]}"


def write(args: Args, env: VerbEnvironment) -> Result:
    mode, owner = _mode(args), _owner(args, env)
    given = {**_object(args, env), **dict(_pair(word) for word in args.rest[1:])}
    state = states.write(env.omc, mode, given, session=owner, now=env.store.now())
    kept = states.locate(env.omc, mode, owner)
    return Result(state, f"{mode}: {len(given)} keys merged into {kept}")


def _object(args: Args, env: VerbEnvironment) -> dict[str, object]:
    text = args.text("--state")
    if text is None:
        return {}
    try:
        document = loads(env.read(text, "state"))
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise UsageError('--state is not a JSON object; write it like {"iteration": 2}')
    return document


def _pair(word: str) -> tuple[str, object]:
    """Parse `active=true`, `iteration=2`, `phase=qa`: JSON if it is JSON, else text."""
    key, equals, value = word.partition("=")
    if not key or not equals:
        raise UsageError(f"{quote(word)} is not KEY=VALUE; write it like active=true")
    try:
        return key, loads(value)
    except ValueError:
        return key, value


def clear(args: Args, env: VerbEnvironment) -> Result:
    mode, omc = _only_mode(args, "clear"), env.omc
    active = states.list_active(omc, mode, env.store.now())
    # Without an owner, the only active one is meant.
    sole = active[0] if len(active) == 1 and active[0] != states.SHARED else ""
    owner = _owner(args, env) or sole
    ended = _has_ended_mode(env, mode, owner)
    there = states.clear(omc, mode, owner) or ended
    if not there and args.on("--session"):
        raise NotFound(_absent(mode, owner, active))
    text = f"{mode}: cleared" if there else f"{mode}: nothing to clear"
    return Result({"mode": mode, "cleared": there}, text)


def _has_ended_mode(env: VerbEnvironment, mode: str, owner: str) -> bool:
    """End a mode over our session in its record, with linked modes; only a user can do that."""
    if not owner:
        return False
    try:
        session = sessions.get(env.store.database, owner)
    except UltraworkError:
        return False
    if mode not in record.read_active(session):
        return False
    if env.store.actor == AGENT:
        raise Conflict("in a client, only the user can end a mode, with: ulw off")
    running.end(env.store, owner, mode, CANCELLED, now=env.store.now())
    return True


def list_(_args: Args, env: VerbEnvironment) -> Result:
    omc, now = env.omc, env.store.now()
    owners_by_mode = {mode: states.list_active(omc, mode, now) for mode in modes.ALL}
    active = {mode: owners for mode, owners in owners_by_mode.items() if owners}
    rows = [(mode, ", ".join(owners)) for mode, owners in active.items()]
    return Result(active, render_table(("MODE", "SESSIONS"), rows) if rows else "no mode is active")


def show_status(args: Args, env: VerbEnvironment) -> Result:
    omc, named_owner, now = env.omc, _owner(args, env), env.store.now()
    chosen = (_only_mode(args, "status"),) if args.rest else modes.ALL
    documents: dict[str, dict[str, object]] = {}
    rows = []
    for mode in chosen:
        swarm = mode == modes.SWARM
        on = states.list_active(omc, mode, now)
        # Without a session, the one in which the mode is on is meant.
        owner = named_owner or next((name for name in on[:1] if name != states.SHARED), "")
        file = ".omc/state/swarm-state.db" if swarm else states.locate(omc, mode, owner)
        state = None if swarm else states.read(omc, mode, owner)
        documents[mode] = {"active": on, "file": file, "state": state}
        rows.append((mode, ", ".join(on) or "-", file))
    return Result(documents, render_table(("MODE", "ON IN", "FILE"), rows))


COMMANDS = (
    Command("read", "Show the state of a mode", read, flags=(OWNER,), rest="MODE", example="ultrawork mode read ralph"),
    Command(
        "write",
        "Merge values into a mode's state; refuses modes that exclude each other",
        write,
        flags=(OWNER, STATE),
        rest="MODE [KEY=VALUE …]",
        example="ultrawork mode write ralph active=true iteration=1",
    ),
    Command("clear", "Delete the state of a mode", clear, flags=(OWNER,), rest="MODE", example="ultrawork mode clear ralph"),
    Command("list", "List active modes and their sessions", list_, example="ultrawork mode list"),
    Command("status", "List every mode with its file and state", show_status, flags=(OWNER,), rest="[MODE]", example="ultrawork mode status --json"),
)  # fmt: skip
