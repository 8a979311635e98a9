"""Turn a session on: store its goal, baseline and checks in one transaction."""

from collections.abc import Callable
from typing import Any

from ...core import wording
from ...core.caller import ANCHOR
from ...core.errors import Conflict
from ...core.prompt import arming as words
from ...core.session import session
from ...core.session.session import Session, SessionState
from ...core.stop import gate_limits
from ...core.times import format_iso
from ...store import checkouts, markers, pins, receipts, sessions
from ...store.anchors import record_anchor
from ...store.pins import Pin
from .. import consent
from ..caller import AGENT, PERSON, is_started_by_agent
from ..event import Answer, Event
from ..table import SKIPPED, SKIPS

FRESH: dict[str, Any] = {"enabled": True, "stopBlocks": 0, "lastStopAt": None, "waited": 0.0}


def arm(event: Event, goal: str) -> Answer | None:
    """Turn the session on. Idempotent: the same request may arrive by two events, in either order."""
    known = _find_known(event)
    if markers.find_planned_session(event.home, event.session):
        raise Conflict("a planned session is running here. Details: ultrawork status")
    if known is None or not known.active:
        return _begin_session(event, goal)
    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        # Only the record exists: the process that started it was killed.
        return _begin_session(event, goal)
    if known.state.ulw.get("prompt") == event.prompt_mark:
        return _told_again(event, known)
    return _extended(event, goal)


def _find_known(event: Event) -> Session | None:
    if event.store.database.row("SELECT 1 FROM sessions WHERE id=?", event.session) is None:
        return None
    return sessions.get(event.store.database, event.session)


def _begin_session(event: Event, goal: str) -> Answer:
    """Start the session: store the record first and the markers last. Without markers it is off."""
    from ...gates.session import chain

    settings = event.settings
    request = chain.begin(event.place, event.store, event.environ, event.session, goal)
    pin = request.pin
    commands = [gate.command for gate in pin.gates]
    with event.store.change(event.session) as change:
        begun = _session(event, goal, event.adapter.list_ruled(event, commands))
        if begun.run == 1:
            sessions.create(change, begun)
        else:
            sessions.save(change, begun, "session.armed", {"goal": goal, "place": begun.working_dir, "run": begun.run})
        request.save(change)
        record_anchor(change, event.caller, client=event.adapter.name, transcript=event.record)
    markers.arm(event.home, event.environ, event.session, _content(event, begun))
    checkouts.note_use(event.home, event.place)
    may_run = consent.make_asker(event, begun, [], tree=request.files)
    _prepare(event, pin, may_run, float(settings["stop.budget"]))
    first = consent.tell_first(event, begun, pin.gates, may_run) + _name_large(event)
    plain = bool(settings["trigger.plain"])
    return _answer(goal, pin, event, continued=request.inherited, first=first, plain=plain)


def _name_large(event: Event) -> str:
    """Name the user's large files that are not read, and what to do about them."""
    from ...gates.trees import tree as trees

    large = trees.list_large(event.place, event.home.cache, event.environ)
    return f"\n{words.name_large(large)}" if large else ""


def _content(event: Event, begun: Session) -> dict[str, Any]:
    return {
        "kind": begun.kind,
        "phase": begun.phase,
        ANCHOR: event.caller.stamp(),
        SKIPPED: event.environ.get(SKIPS, ""),
    }


def _session(event: Event, goal: str, ruled: list[str]) -> Session:
    """Return a new session, or this client's earlier one again with what it proved."""
    known = _find_known(event)
    begun = known or Session(id=event.session, goal=goal, working_dir=event.place, started_at=event.clock())
    begun.goal, begun.kind, begun.phase = goal, session.LIGHT, session.EXECUTION
    begun.working_dir, begun.started_at = event.place, event.clock()
    begun.verdict = begun.ended_at = None
    begun.run += 0 if known is None else 1
    begun.state = SessionState()
    begun.state.ulw = {
        **FRESH,
        "armedAt": event.clock(),
        "prompt": event.prompt_mark,
        "ruled": ruled,
        "by": AGENT if is_started_by_agent(event.caller) else PERSON,
    }
    begun.state.typed = consent.note_typed(event)
    begun.state.stop_continuation = {"disabled": False, "disabledReason": None}
    return begun


def _prepare(event: Event, pin: Pin, may_run: Callable[[str], bool], budget: float) -> None:
    """Prepare a later stop: results on the baseline, and a way to run slow checks. Nothing of the repository runs
    before the first file changes; the tool call that changes it starts the baseline run."""
    if any(may_run(gate.command) for gate in pin.gates):
        markers.put(event.home, markers.BASELINE, event.session, {})
    if event.attended and event.adapter.wakes and _may_be_slow(event, pin, budget):
        markers.put(event.home, markers.BACKGROUND, event.session, {"wanted": ""})


def _may_be_slow(event: Event, pin: Pin, budget: float) -> bool:
    from ...gates.run.receipt import make_command_key

    for gate in pin.gates:
        usual = gate_limits.find_usual_seconds(
            receipts.list_durations(event.store.database, event.place, make_command_key(gate))
        )
        if usual is None or usual > budget / 2:
            return True
    return False


def _answer(goal: str, pin: Pin, event: Event, *, continued: str = "", first: str = "", plain: bool = False) -> Answer:
    text = words.write_instruction(goal, pin.gates, event.program)
    text += words.instruct_continued(continued) if continued else ""
    if plain:
        return Answer(plain=text)
    from ...core.goal import goals
    from ...gates.run import environment

    asks = bool(pin.gates) and goals.find_expectation(goal) == goals.ANSWER
    lacking = environment.find_lacking(pin.gates, event.place, event.environ)
    start = words.tell_reading_goal() if asks else words.tell_on(pin.gates, lacking)
    title = wording.cut(wording.join_lines(goal), 60)
    line = words.tell_continued(continued) if continued else ""
    return Answer(context=text, message=start + line + first, title=title)


def _told_again(event: Event, known: Session) -> Answer | None:
    """Answer the second event of a prompt. It adds nothing unless the first one did not finish."""
    if not markers.find_trouble(event.home, event.environ, event.session):
        return None
    pin = pins.get(event.store.database, event.session)
    markers.arm(event.home, event.environ, event.session, _content(event, known))
    return None if pin is None else _answer(known.goal, pin, event)


def _extended(event: Event, goal: str) -> Answer | None:
    """Add to the goal. The baseline stays, and the count of refusals restarts."""
    with event.store.change(event.session) as change:
        current = sessions.get(change.database, event.session)
        is_new = wording.join_lines(goal) not in wording.join_lines(current.goal)
        if is_new:
            current.goal = f"{current.goal}\n{goal}"
        current.state.ulw = {
            **current.state.ulw,
            **FRESH,
            "waited": current.state.ulw.get("waited", 0.0),
            "armedAt": event.clock(),
            "prompt": event.prompt_mark,
        }
        current.state.typed = current.state.typed or consent.note_typed(event)
        sessions.save(change, current, "goal.extended", {"goal": goal, "at": format_iso(event.clock())})
    return Answer(message=wording.tell_goal(goal) if is_new else wording.STILL_ON)
