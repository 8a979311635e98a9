"""Commands such as `ulw status`, which the hook answers without the model."""

from collections.abc import Callable

from ...core import wording
from ...core.errors import NotFound, Trouble
from ...core.prompt.request import FreeWord
from ...core.session.session import Session
from ...core.time_budget import find_longest
from ...report import course as course_report
from ...report import evidence as report
from ...report import status as status_report
from ...report.summary import find_newest
from ...report.why import explain_session
from ...store import ending, markers, pins, sessions
from ..caller import is_started_by_agent
from ..event import Event
from ..table import VERIFY

# Commands that only the user may type. An agent may also turn a session off: that never ends in PASS.
PERSONAL = ("accept", "gates allow", "gates deny", "gates draft --write", "features on", "features off", "new")
LONGEST = find_longest("UserPromptSubmit")


def answer(event: Event, command: FreeWord) -> str:
    """Return the text that answers the command and ends the turn."""
    if command.name in PERSONAL and is_started_by_agent(event.caller):
        return wording.tell_personal(command.name)
    if command.name != "off":
        ending.follow_switch(event.store, event.session)
    return _ANSWERS[command.name](event, command.argument)


def switch_off(event: Event, _rest: str = "") -> str:
    """Turn the session off, even if its record cannot be read."""
    if not event.session:
        return wording.NOT_ON
    was_on = markers.is_armed_anywhere(event.home, event.environ, event.session)
    name = markers.find_planned_session(event.home, event.session) or event.session
    # Before all else: a stop that is being decided must not report this a second time.
    markers.disarm(event.home, event.environ, event.session)
    try:
        ending.release(event.store, name, how="ulw off")
        changed = _changed(event) if was_on else None
    except Trouble:
        changed = None
    return wording.tell_off(changed) if was_on else wording.NOT_ON


def _changed(event: Event) -> int | None:
    from ...gates.session import pinning

    pin = pins.get(event.store.database, event.session)
    return None if pin is None else pinning.count_changed_files(event.place, event.store, event.environ, pin)


def _why(event: Event, _rest: str) -> str:
    head, session = _find_shown(event)
    return f"{head}\n{explain_session(event.store, session)[1]}"


def _find(event: Event) -> Session:
    """Return the planned session that this conversation conducts, else its own."""
    name = markers.find_planned_session(event.home, event.session) or event.session
    return sessions.get(event.store.database, name)


def _find_shown(event: Event) -> tuple[str, Session]:
    """Return the first line of an answer, and the session to show. A conversation that was never on, such as one after
    `/clear`, shows the newest of its checkout, as a terminal does."""
    try:
        return "ultrawork:", _find(event)
    except NotFound:
        return wording.OTHER, find_newest(event.store, event.place)


def _status(event: Event, _rest: str) -> str:
    try:
        head, session = _find_shown(event)
    except NotFound:
        return wording.NOT_ON
    limit = event.settings["stop.refusals"]
    status = status_report.read(event.store, session, limit=limit, now=event.clock())
    return f"{head}\n{status_report.render(status)}"


def _plan(event: Event, _rest: str) -> str:
    return f"ultrawork:\n{course_report.render_plan_of(event.store.database, _find(event))}"


def _report(event: Event, _rest: str) -> str:
    head, session = _find_shown(event)
    return f"{head}\n{course_report.render(event.store, session, now=event.clock(), client=True)}"


def _gates(event: Event, _rest: str) -> str:
    from ...gates.session import preparation

    return "ultrawork:\n" + preparation.read(event.store, event.environ, event.place).text()


def _allow(event: Event, _rest: str) -> str:
    from ...gates.session import preparation

    gates = preparation.read(event.store, event.environ, event.place, whole=True).list_all()
    if not gates:
        return "ultrawork: I found no check to allow in this project. Add one: ulw gates draft"
    commands = [gate.command for gate in gates]
    preparation.allow_commands(event.store, event.place, commands, how="ulw gates allow")
    names = ", ".join(f"{gate.name} ({gate.command})" for gate in gates)
    return f"ultrawork: from now on I run these myself in this checkout: {names}"


def _deny(event: Event, _rest: str) -> str:
    from ...gates.session import preparation

    preparation.deny_all(event.store, event.place)
    return "ultrawork: I no longer run checks myself in this checkout. Undo: ulw gates allow"


def _draft(event: Event, *, is_written: bool) -> str:
    from ...gates.session import draft, preparation

    gates = preparation.list_gates(event.store, event.environ, event.place)
    made = draft.make_draft(event.place, gates, event.environ)
    if not is_written:
        return f"ultrawork:\n{made.render('ulw gates draft --write')}"
    return f"ultrawork: {draft.tell_written(draft.write_draft(event.place, made))}"


def _verify(event: Event, _rest: str) -> str:
    """Run the checks because the user asked. If that takes longer than a prompt may wait, the next prompt shows the
    result."""
    if _usual(event) <= LONGEST / 2:
        line = verify_now(event, LONGEST)
        if "did not finish in" not in line:
            return line
    from ..process import start

    start(event, VERIFY)
    return "ultrawork: the checks run in the background. I will show the result with your next prompt."


def _usual(event: Event) -> float:
    """Return how long the checks usually take together; a check that never ran counts as 0."""
    from ...gates.session import preparation

    listing = preparation.read(event.store, event.environ, event.place)
    return sum(listing.usual[gate.name] or 0.0 for gate in listing.gates)


def verify_now(event: Event, seconds: float) -> str:
    from ...gates.session import verification

    name = event.session if _is_ours(event) else None
    outcome = verification.run(event.store, event.environ, event.place, session=name, by="person", seconds=seconds)
    markers.remove(event.home, markers.AFTER, event.session)
    return f"ultrawork: {outcome.line}"


def _is_ours(event: Event) -> bool:
    """Return whether this session was ever on; otherwise it has no baseline of its own."""
    return pins.get(event.store.database, event.session) is not None


def _evidence(event: Event, _rest: str) -> str:
    head, session = _find_shown(event)
    return f"{head}\n{report.read_proof(event.store, session).text}"


def _accept(event: Event, rest: str) -> str:
    name = markers.find_planned_session(event.home, event.session) or event.session
    reason = ending.clean_reason(rest)
    test = ending.allow_test(event.store, name, rest)
    if test:
        return wording.tell_test_accepted(test)
    try:
        document = ending.accept(event.store, name, reason, where="the client")
    except NotFound as error:
        task = wording.cut(wording.join_lines(rest), 40)
        message = str(error).replace("ultrawork verify", "ulw verify")
        raise NotFound(f"{message}. To use it as a task: ulw: accept {task}") from None
    markers.disarm(event.home, event.environ, event.session)
    count = len(document["accepted"])
    return f"ultrawork: {document['verdict']}. {wording.count_things(count, 'finding')} accepted by you: {rest}"


def _new(event: Event, _rest: str) -> str:
    if markers.is_armed_anywhere(event.home, event.environ, event.session):
        return wording.NEW_WHILE_ON
    from ...gates.session import chain

    chain.start_anew(event.store, event.place)
    return wording.NEW


def _switch_features(event: Event, *, wanted: bool) -> str:
    from ..features.offer import answer

    return answer(event, wanted=wanted)


def _help(_event: Event, _rest: str) -> str:
    return "ultrawork:\n" + wording.HELP


_ANSWERS: dict[str, Callable[[Event, str], str]] = {
    "off": switch_off,
    "why": _why,
    "status": _status,
    "plan": _plan,
    "report": _report,
    "gates": _gates,
    "gates allow": _allow,
    "gates deny": _deny,
    "gates draft": lambda event, _: _draft(event, is_written=False),
    "gates draft --write": lambda event, _: _draft(event, is_written=True),
    "features on": lambda event, _: _switch_features(event, wanted=True),
    "features off": lambda event, _: _switch_features(event, wanted=False),
    "verify": _verify,
    "evidence": _evidence,
    "accept": _accept,
    "new": _new,
    "help": _help,
}
