"""Which commands a hook may run in this session, from everything that counts as the user's consent.

A test run executes whatever the agent wrote, so a check that a hook starts must not exceed what the user allowed.
`core.stop.gate_limits` decides; `store.checkouts` holds what a checkout allows or denies permanently."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core.session.session import Session
from ..core.stop import gate_limits
from ..core.verdict.gate import Gate
from ..store import checkouts, pins, receipts
from .event import Event

MayRun = Callable[[str], bool]


def is_typed(event: Event) -> bool:
    """Return whether a user who is present typed this prompt."""
    from .caller import is_started_by_agent
    from .prompt import schedule

    return event.attended and not schedule.is_by_model(event) and not is_started_by_agent(event.caller)


def note_typed(event: Event) -> dict[str, Any]:
    """Return what a session stores about its first prompt: the rules at that time, which the agent could remove later.
    Empty if no user typed it. Typing it makes the checkout known."""
    if not is_typed(event):
        return {}
    if checkouts.find_denial(event.home, event.place) is None:
        checkouts.say(event.home, event.place, checkouts.KNOWN)
    return {"at": event.clock(), "askFirst": event.adapter.list_refusing(event)}


def tell_first(event: Event, session: Session, gates: Sequence[Gate], may_run: Callable[[str], bool]) -> str:
    """Return the lines that name what hooks will run, once per checkout; empty if a mode already allowed all of it."""
    if not session.state.typed or event.text("permission_mode") in gate_limits.OPEN_MODES:
        return ""
    runs = [gate.command for gate in gates if may_run(gate.command)]
    if not runs or not checkouts.say(event.home, event.place, checkouts.TOLD):
        return ""
    from ..core.goal import goals
    from ..core.prompt.arming import name_commands

    return "\n" + name_commands(runs, asks=goals.find_expectation(session.goal) == goals.ANSWER)


def make_asker(event: Event, session: Session, entries: Sequence[dict[str, Any]], tree: str = "") -> MayRun:
    """Return a function that tells whether a command may run; `tree` is the current tree if known."""
    return make_askers(event, session, entries, tree=tree)[0]


def make_askers(
    event: Event,
    session: Session,
    entries: Sequence[dict[str, Any]],
    changed: Callable[[], Iterable[str]] = tuple,
    tree: str = "",
) -> tuple[MayRun, MayRun]:
    """Return two of these functions: the second tells whether a command may run as it was defined at the start.
    `changed` are paths since the start, whose folders' checks count too."""
    from ..core.goal import goals

    if goals.forbids_running(session.goal):
        return (lambda _command: False), (lambda _command: False)
    denied = checkouts.find_denial(event.home, session.working_dir)
    ruled = session.state.ulw.get("ruled")
    mode, unasked = event.adapter.read_mode(event)
    facts = gate_limits.ConsentFacts(
        mode,
        ruled=frozenset(ruled if isinstance(ruled, list) else ()),
        ran=frozenset(list_run_commands(entries, since=denied or 0.0)),
        sandboxed=_is_out_of_reach(event),
        denied=denied is not None,
        unasked=unasked,
    )

    def make(*, at_start: bool) -> MayRun:
        typed: list[set[str]] = []

        def is_asked_for(command: str) -> bool:
            if not typed:
                typed.append(_list_asked_for(event, session, changed, tree, at_start=at_start))
            return command in typed[0]

        def may_run(command: str) -> bool:
            allowed = receipts.is_allowed(event.store.database, session.working_dir, command, since=denied or 0.0)
            return gate_limits.may_run_command(facts, command, allowed=allowed, is_asked_for=is_asked_for)

        return may_run

    return make(at_start=False), make(at_start=True)


def _list_asked_for(
    event: Event, session: Session, changed: Callable[[], Iterable[str]], tree: str, *, at_start: bool
) -> set[str]:
    """Return the committed checks: typing the keyword requests them, unless a client rule wants to be asked."""
    typed, pin = session.state.typed, pins.get(event.store.database, session.id)
    if not typed or pin is None or not event.attended:
        return set()
    from ..gates.session.pinning import list_unchanged_commands

    unchanged_commands = list_unchanged_commands(
        event.store, event.environ, session, pin, changed=[*changed()], tree=tree, at_start=at_start
    )
    rules = [*typed.get("askFirst", ()), *event.adapter.list_refusing(event)]
    return {command for command in unchanged_commands if not gate_limits.is_refused_by_rules(command, rules)}


def _is_out_of_reach(event: Event) -> bool:
    """Return whether the agent's commands are confined, and checks cannot be held to the same."""
    if not event.adapter.is_sandboxed(event):
        return False
    from ..clients.confinement import Confinement, read_confinement

    confinement = read_confinement(event.environ)
    if confinement is not None and confinement.is_working(event.environ):
        return False
    if confinement is not None:
        event.environ = Confinement(confinement.client, confinement.kind).put_into(event.environ)
    return True


def list_run_commands(entries: Sequence[dict[str, Any]], since: float = 0.0) -> list[str]:
    """Return the commands that the client ran. A denied call leaves no entry."""
    return [
        str(entry["what"])
        for entry in entries
        if entry.get("tool") == "Bash"
        and entry.get("what")
        and not entry.get("cut")
        and float(entry.get("at") or 0.0) >= since
    ]
