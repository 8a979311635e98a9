"""The end of a turn: gather what is known, let `core.stop` decide, do what it says."""

from ...core import phases, speech
from ...core import stop as rules
from ...core import verdict as verdicts
from ...core.refusing import refusal, unverified
from ...core.results import GREEN
from ...core.stop import Decision
from ...core.times import iso
from ...core.wording import cut
from ...store import decisions, markers, sessions
from ..answer import Answer
from ..known import Known, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...core.session import Session
    from ...gates.outcome import Outcome
    from ..event import Event


def stop(event: "Event") -> Answer | None:
    """Only an armed session is looked at; everything else stops as it likes."""
    if not event.session:
        return None
    problem = markers.trouble(event.home, event.environ, event.session)
    known = load(event)
    if known is None:
        return _stateless(event, problem)
    facts = known.facts()
    facts.marker_trouble = problem
    decision, outcome = rules.before_checks(facts), None
    if decision is None:
        outcome = known.verify()
        decision = rules.after_checks(
            facts, outcome.value, _weak(known, outcome), _because(known, outcome)
        )
    return _carried_out(known, facts, decision, outcome)


def _stateless(event: "Event", problem: str) -> Answer | None:
    """A marker without a session: the record is gone. It is let go, aloud."""
    armed = markers.armed(event.home, event.session)
    markers.disarm(event.home, event.environ, event.session)
    if not armed and not problem:
        return None
    return Answer(message=unverified([], problem or "the record of this session is gone"))


def _weak(known: Known, outcome: "Outcome") -> list[str]:
    """What refuses once each: weak findings, and what is open in the agent's own list."""
    found = [
        f"{one.rule}:{one.gate or one.where}"
        for one in outcome.open_findings
        if one.level == "weak"
    ]
    return found + (["open-items"] if known.open_items() else [])


def _because(known: Known, outcome: "Outcome") -> str:
    if outcome.verdict.because:
        return outcome.verdict.because[0]
    items = known.open_items()
    return f"{len(items)} item(s) of your own list are open: {items[0]}" if items else outcome.line


def _carried_out(
    known: Known, facts: rules.Facts, decision: Decision, outcome: "Outcome | None"
) -> Answer | None:
    if decision.action == rules.PASS and known.open_items() and "open-items" not in facts.told:
        items = known.open_items()
        decision = Decision(
            rules.NUDGE, "open-items", f"{len(items)} item(s) of your own list are open: {items[0]}"
        )
    text = _words(known, facts, decision, outcome)
    _record(known, decision, outcome, text)
    return _answer(known, decision, text)


def _words(known: Known, facts: rules.Facts, decision: Decision, outcome: "Outcome | None") -> str:
    if decision.action in (rules.REFUSE, rules.NUDGE):
        return _refusal(known, facts, decision, outcome)
    if decision.action == rules.PASS and outcome is not None:
        return f"ultrawork: {outcome.line}. Show: ulw evidence"
    if decision.action == rules.LET_GO:
        return unverified(_lines(known, outcome), _sentence(decision))
    return ""


def _refusal(
    known: Known, facts: rules.Facts, decision: Decision, outcome: "Outcome | None"
) -> str:
    if outcome is None:
        return f"ultrawork: {decision.because}"
    if decision.rule == "open-items":
        return f"ultrawork: {decision.because}. Finish them, or take them off the list."
    fact = outcome.verdict.because[0] if outcome.verdict.because else decision.because
    same = facts.row > 0
    return refusal(
        number=facts.refusals + 1,
        limit=facts.limit,
        claim=speech.claim(known.message),
        fact=fact,
        details=outcome.details(),
        step=outcome.next_step().partition(", or end with")[0],
        same=same,
        verdict_line=f"ultrawork: UNVERIFIED. {cut(fact, 80)}"
        if decision.last and not facts.attended
        else "",
    )


def _sentence(decision: Decision) -> str:
    return decision.because[:1].upper() + decision.because[1:] + "."


def _lines(known: Known, outcome: "Outcome | None") -> list[str]:
    if outcome is None:
        return []
    lines = [
        f"{'red' if one.level == 'strong' else 'open':<8} {one.what}"
        for one in outcome.open_findings[:3]
    ]
    green = [one.fact.name for one in outcome.measured if one.fact.result == GREEN]
    lines += [f"{'green':<8} {', '.join(green)}"] if green else []
    changed = outcome.document["changed"]
    word = cut(speech.prose(known.message).strip().rpartition("\n")[2], 50)
    files = f"{changed['files']} files, +{changed['added']} -{changed['removed']}"
    return [*lines, f'{"changed":<8} {files}.  Agent\'s last word: "{word}"']


def _record(known: Known, decision: Decision, outcome: "Outcome | None", text: str) -> None:
    told = _weak(known, outcome) if outcome is not None else []
    told = [*told, decision.rule] if decision.action in decisions.REFUSALS else []
    event = known.event
    with event.store.change(
        known.session.id, durable=decision.action in (rules.PASS, rules.LET_GO)
    ) as change:
        tree = outcome.document["tree"] if outcome is not None else known.tree
        decisions.add(change, decision, event=event.name, tree=tree, told=told, text=text)
        session = sessions.get(change.database, known.session.id)
        _move(session, decision, change.now)
        sessions.save(change, session, "stop", {"rule": decision.rule})
    if decision.action in (rules.PASS, rules.LET_GO, rules.QUIET_END):
        markers.disarm(event.home, event.environ, known.session.id)


def _move(session: "Session", decision: Decision, now: float) -> None:
    ulw = session.state.get("ulw")
    state = ulw if isinstance(ulw, dict) else {}
    if decision.action in decisions.REFUSALS:
        blocks = int(state.get("stopBlocks") or 0) + int(decision.counts)
        session.state["ulw"] = {**state, "stopBlocks": blocks, "lastStopAt": iso(now)}
    if decision.action == rules.PASS:
        session.phase, session.verdict = phases.COMPLETE, verdicts.PASS
    if decision.action in (rules.LET_GO, rules.QUIET_END):
        session.verdict = verdicts.UNVERIFIED if decision.action == rules.LET_GO else None
    if decision.action in (rules.PASS, rules.LET_GO, rules.QUIET_END):
        session.ended_at = now
        session.state["ulw"] = {**state, "enabled": False}


def _answer(known: Known, decision: Decision, text: str) -> Answer | None:
    if decision.action == rules.REFUSE:
        return Answer(block=text)
    if decision.action == rules.NUDGE:
        return Answer(feedback=text)
    if decision.action == rules.LET_GO and not known.event.attended:
        return Answer(end=text, message=text)
    return Answer(message=text) if text else None
