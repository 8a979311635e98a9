"""The end of a turn: gather the facts, let `core.stop` decide, and follow that decision."""

import os

from ...core.errors import UltraworkError
from ...core.stop import rules
from ...store import markers
from ..caller import find_self
from ..event import Answer
from . import event_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..event import Event
    from .facts import StopContext

SWARM = "swarm"  # the one feature that decides stops besides the checks
SWITCHED_OFF = "ultrawork was turned off, so nothing was verified. Why: ulw why"
_MOST_FAILURES = 3


def decide_stop(event: "Event") -> Answer | None:
    """Decide a stop of an armed session; any error allows the stop and is reported."""
    if not event.session or markers.find_planned_session(event.home, event.session):
        return None
    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        _note_what_is_left(event)
        return _after_the_verdict(event) or _tell_lost(event)
    if markers.is_switched_off(event.home, event.session):
        markers.disarm(event.home, event.environ, event.session)
        return _unverified(SWITCHED_OFF)
    process = find_self()
    try:
        markers.put(event.home, markers.DECIDING, event.session, {"process": process.stamp()})
        answer = _end_without_folder(event) or _decide_armed(event)
    except UltraworkError as error:
        # It may have been removed while it was judged.
        return _end_without_folder(event) or _unverified(f"{error}. {_note_failure(event)}")
    except Exception:
        sentence = _note_failure(event)
        if markers.is_armed_anywhere(event.home, event.environ, event.session):
            raise
        # Once it is off, nobody else would say so; the log has the earlier failures.
        return _unverified(f"ultrawork had an internal error. Log: {event.home.logs}/hooks.log. {sentence}")
    finally:
        markers.remove(event.home, markers.DECIDING, event.session)
    markers.remove(event.home, markers.FAILING, event.session)
    return answer


def _note_failure(event: "Event") -> str:
    """Count a failed stop. After one, the next stop may work; after several in a row, the session is turned off."""
    failing = markers.get(event.home, markers.FAILING, event.session) or {}
    count = int(failing.get("count") or 0) + 1
    if count < _MOST_FAILURES:
        try:
            markers.put(event.home, markers.FAILING, event.session, {"count": count})
        except OSError:
            pass  # it stays on here too, and the failure is not counted
        return "ultrawork stays on."
    markers.remove(event.home, markers.FAILING, event.session)
    markers.disarm(event.home, event.environ, event.session)
    _end_unjudged(event, "stops-failed", "its stops could not be judged")
    return "ultrawork is off now."


def _end_without_folder(event: "Event") -> Answer | None:
    """End a session whose folder was removed: nothing can be judged there, at no later stop either."""
    try:
        row = event.store.database.row("SELECT working_dir FROM sessions WHERE id=?", event.session)
    except UltraworkError:
        return None
    if row is None or os.path.isdir(row[0]):
        return None
    from ...core.wording import capitalize

    how = f"the folder {row[0]} is gone, so nothing was verified"
    markers.disarm(event.home, event.environ, event.session)
    _end_unjudged(event, "folder-gone", how)
    return _unverified(f"{capitalize(how)}.")


def _end_unjudged(event: "Event", rule: str, how: str) -> None:
    """End it in the record too, so that no later start reports it again; where that fails, a start may."""
    from ...store import ending

    try:
        ending.cancel(event.store, event.session, rule=rule, how=how)
    except (UltraworkError, OSError):
        return


def _decide_armed(event: "Event") -> Answer | None:
    problem = markers.find_trouble(event.home, event.environ, event.session)
    _note_schedule(event)
    facts = event_facts.read(event, problem)
    decision = rules.decide_at_once(facts)
    if decision is not None and decision.action == rules.SILENT:
        event_facts.record_silent(event, decision)
        return None
    from .decide import carry_out, open_context

    known = open_context(event)
    if known is None:
        return _stateless(event, problem)
    return _looked_at(known, facts) if decision is None else carry_out(known, facts, decision)


def _note_schedule(event: "Event") -> None:
    if event.entries("session_crons"):
        from ..prompt import schedule

        schedule.note(event)


def _looked_at(known: "StopContext", facts: rules.StopFacts) -> Answer | None:
    from .decide import carry_out, check_and_decide

    known.read_files()
    known.complete_facts(facts)
    decision = rules.decide_before_checks(facts)
    if SWARM in known.session.state.modes:
        from ...core.registry import ask

        answer: Answer | None = ask(SWARM, "decide_stop")(known, facts, decision)
        if answer is not None:
            return answer
    return carry_out(known, facts, decision) if decision else check_and_decide(known, facts)


def _stateless(event: "Event", problem: str) -> Answer | None:
    """Handle a marker without an active session: it was ended meanwhile, or its record is gone. Allow the stop and
    report it."""
    from ..silence import note_record_gone

    if not markers.is_armed_anywhere(event.home, event.environ, event.session):
        return None  # turned off in this conversation meanwhile, which was answered there
    markers.disarm(event.home, event.environ, event.session)
    if not problem and _was_ended(event):
        return _unverified(SWITCHED_OFF)
    note_record_gone(event)
    return _unverified(problem or "The record of this session is gone.")


def _was_ended(event: "Event") -> bool:
    """Return whether it was ended in another terminal during this stop."""
    row = event.store.database.row("SELECT kind FROM sessions WHERE id=?", event.session)
    return row is not None


def _unverified(why: str) -> Answer:
    from ...core.stop.refusal import render_unverified

    return Answer(message=render_unverified([], why))


def _tell_lost(event: "Event") -> Answer | None:
    from ..silence import tell_lost

    return tell_lost(event)


def _note_what_is_left(event: "Event") -> None:
    """Record what an agent writes after its verdict, because it still belongs to the chain of requests here."""
    from os.path import exists

    if exists(event.home.session(event.session)) and exists(event.home.database):
        from ...gates.session import chain

        chain.follow(event.store, event.environ, event.session)


def _after_the_verdict(event: "Event") -> Answer | None:
    """Report once if files change after the verdict."""
    last = markers.get(event.home, markers.AFTER, event.session)
    if last is None:
        return None
    from ...core.wording import tell_moved
    from ...gates.session import pinning

    place = str(last.get("place") or event.place)
    if pinning.take_tree(place, event.store, event.environ) == last.get("tree"):
        return None
    markers.remove(event.home, markers.AFTER, event.session)
    return Answer(message=tell_moved(str(last.get("verdict"))))
