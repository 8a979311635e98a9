"""The free words: answered by the hook, without the model, at no cost."""

from ..core import check, wording
from ..report import sessions as report
from ..report import status as status_report
from ..report.why import why as why_text
from ..store import acceptance, pins, receipts, sessions, switch
from ..store import settings as stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.trigger import Command
    from .event import Event


LONGEST = 50.0


def answer(event: "Event", command: "Command") -> str:
    """The text that ends the turn."""
    return _ANSWERS[command.name](event, command.argument)


def switch_off(event: "Event", _rest: str = "") -> str:
    session = switch.release(event.store, event.environ, event.session, how="ulw off")
    if session is None:
        return "ultrawork: it was not on. On: begin a request with ulw."
    return wording.off(_changed(event))


def _changed(event: "Event") -> int | None:
    from ..gates import pinning

    pin = pins.get(event.store.database, event.session)
    return (
        None if pin is None else pinning.changed_files(event.place, event.store, event.environ, pin)
    )


def _why(event: "Event", _rest: str) -> str:
    return "ultrawork:\n" + why_text(report.last_decision(event.store.database, event.session))


def _status(event: "Event", _rest: str) -> str:
    place = event.place
    settings = stored.load(
        event.environ, event.home, lambda name: stored.read_file(f"{place}/{name}")
    )
    session = sessions.find(event.store.database, event.session, place)
    found = status_report.snapshot(event.store.database, session, limit=settings["stop.refusals"])
    return "ultrawork:\n" + status_report.text(found)


def _gates(event: "Event", _rest: str) -> str:
    from ..gates import listing

    return "ultrawork:\n" + listing.of(event.store, event.environ, event.place).text()


def _allow(event: "Event", _rest: str) -> str:
    from ..gates import listing

    gates = listing.of(event.store, event.environ, event.place).gates
    commands = [gate.command for gate in gates]
    receipts.allow(
        event.store.database, event.place, commands, at=event.clock(), how="ulw gates allow"
    )
    names = ", ".join(f"{gate.name} ({gate.command})" for gate in gates)
    return (
        f"ultrawork: from now on I run these myself in this checkout: {names or 'none was found'}"
    )


def _verify(event: "Event", _rest: str) -> str:
    from ..gates import start

    outcome = start.verify(
        event.store, event.environ, event.place, session=event.session, by="person", seconds=LONGEST
    )
    return f"ultrawork: {outcome.line}"


def _evidence(event: "Event", _rest: str) -> str:
    return "ultrawork:\n" + report.proof(event.store.database, event.session)


def _accept(event: "Event", rest: str) -> str:
    document = acceptance.accept(event.store, event.session, check.text(rest, "reason", 500))
    return (
        f"ultrawork: {document['verdict']}; {len(document['accepted'])} finding(s) accepted by you"
    )


def _help(_event: "Event", _rest: str) -> str:
    return "ultrawork:\n" + wording.HELP


_ANSWERS: "dict[str, Callable[[Event, str], str]]" = {
    "off": switch_off,
    "why": _why,
    "status": _status,
    "gates": _gates,
    "gates allow": _allow,
    "verify": _verify,
    "evidence": _evidence,
    "accept": _accept,
    "help": _help,
}
