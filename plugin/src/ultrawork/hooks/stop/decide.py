"""Decide a stop by the checks, and apply the decision."""

from time import monotonic, sleep

from ...core.session.session import COMPLETE, Session
from ...core.stop import rules
from ...core.stop.last_message import judge_claim
from ...core.stop.rules import StopDecision
from ...core.time_budget import find_longest
from ...core.times import format_iso
from ...core.verdict import verdict as verdicts
from ...core.wording import tell_background
from ...store import decisions, markers, sessions
from .. import process
from ..event import Answer, Event
from ..process import HookDeadline, OutOfTime
from ..table import CHECK
from . import baseline, checks, event_facts
from .facts import StopContext, load_context
from .message import StopMessage, StopVerdict

LONGEST = find_longest("Stop")
_TAKEN_OVER = 1.5
_LATE = "The checks did not finish in the time that a stop may take."
_TOO_LONG = "takes longer than a stop can wait, with the runs a verdict needs"


def open_context(event: Event) -> StopContext | None:
    """Return the context of a stop; None if the session is no longer ours. A plain session loads no mode code."""
    known = load_context(event)
    if known is not None and known.session.state.modes:
        from ..modes.loops import make_loop

        known.loop = make_loop(known)
    return known


def check_and_decide(known: StopContext, facts: rules.StopFacts) -> Answer | None:
    """Run the checks, now or in the background, and decide. A recent result is not computed again."""
    baseline.wait_for(known)
    slow = known.find_slow_gates()
    standing = checks.read_stored(known, slow) if known.is_quick() else None
    if standing is not None and not standing.asks:
        return decide_by_verdict(known, facts, standing, counts=False)
    if slow and _can_wait(known, slow):
        return _postpone(known, facts, slow)
    try:
        with HookDeadline(LONGEST) as deadline:
            seconds = min(deadline.left - 1, max(checks.count_seconds_left(known), 1.0))
            standing = checks.run(known, seconds=seconds, slow=slow)
    except OutOfTime:
        # Copies and cross runs take time too. Unfinished work is repeated in the background.
        late = dict.fromkeys((gate.name for gate in known.pin.gates), _TOO_LONG)
        if late and _can_wait(known, late):
            return _postpone(known, facts, late)
        decision = rules.decide_out_of_time()
        carry_out(known, facts, decision)
        return Answer(message=f"ultrawork: still on. {_LATE} Check now: {decision.clears}")
    cut_off = {name: why for name, why in standing.slow.items() if name not in slow}
    if cut_off and standing.verdict != verdicts.FAIL and _can_wait(known, cut_off):
        return _postpone(known, facts, cut_off)
    return decide_by_verdict(known, facts, standing)


def decide_by_verdict(
    known: StopContext, facts: rules.StopFacts, standing: StopVerdict, *, counts: bool = True
) -> Answer | None:
    facts.verdict, facts.weak = standing.verdict, tuple(standing.weak)
    facts.because, facts.step = standing.because, standing.way_out
    facts.failing = tuple(standing.failing_tests if facts.claims_only_tests else standing.failing)
    facts.checked = facts.checked or standing.ran
    if facts.verdict == verdicts.FAIL:
        changed = [path for path, _ in known.list_changed_files()]
        facts.others = tuple(known.list_changed_by_others(changed))
    if known.loop is not None:
        known.loop.weigh(facts, standing)
    return carry_out(known, facts, rules.decide_after_checks(facts), standing, counts=counts)


def carry_out(
    known: StopContext,
    facts: rules.StopFacts,
    decision: StopDecision,
    standing: StopVerdict | None = None,
    *,
    counts: bool = True,
) -> Answer | None:
    text = _words(known, facts, decision, standing)
    claim = judge_claim(facts, decision) if counts else ""
    record(known, decision, standing, text, counts=counts, claim=claim)
    answer = _answer(known.event, decision, text)
    if answer is not None and decision.action in rules.ENDS:
        _notify(known.event, answer)
    return answer


def _notify(event: Event, answer: Answer) -> None:
    from .. import notices

    if notices.is_wanted(event):
        answer.terminal = notices.begin(event, f"{event.place.rpartition('/')[2]} has ended")


def _words(known: StopContext, facts: rules.StopFacts, decision: StopDecision, standing: StopVerdict | None) -> str:
    if decision.action not in (*rules.REFUSALS, *rules.ENDS):
        return ""
    if standing is None and decision.action == rules.LET_GO and known.tree:
        standing = checks.read_stored(known)
    telling = StopMessage(
        facts,
        message=known.message,
        program=known.event.program,
        way=known.event.adapter.find_way(known.event),
        standing=standing,
        number=min(known.history.sent_back + 1, facts.limit),
        same=any(
            stored_decision.rule == decision.rule and stored_decision.tree == known.tree
            for stored_decision in known.taken
        ),
        list_paths=known.list_changed_files,
        closed=known.loop.describe_closed() if known.loop is not None else "",
        earlier=[
            line
            for stored_decision in known.taken
            if stored_decision.tree == known.tree
            for line in stored_decision.text.splitlines()
        ],
    )
    return telling.render(decision)


def record(
    known: StopContext,
    decision: StopDecision,
    standing: StopVerdict | None,
    text: str,
    *,
    counts: bool = True,
    claim: str = "",
) -> None:
    """Store the decision and its effect on the session in one transaction, then update the markers."""
    event, name = known.event, known.session.id
    causes = [decision.rule, *(standing.weak if standing else ())]
    tree = standing.tree if standing else known.tree
    with event.store.change(name, durable=decision.action in rules.ENDS) as change:
        decisions.add(
            change,
            decision,
            event=event.name,
            tree=tree,
            told=causes if decision.action in rules.REFUSALS else (),
            text=text,
            counts=counts,
            claim=claim,
        )
        if decision.action in (*rules.REFUSALS, *rules.ENDS):
            session = sessions.get(change.database, name)
            _move(session, decision, change.now, counts=counts)
            if known.loop is not None:
                known.loop.keep(session, decision, change.now)
            sessions.save(change, session, "stop", {"rule": decision.rule})
    if known.loop is not None:
        known.loop.tell(decision)
    _mark(event, name, decision, tree, known.session.working_dir)
    _note_what_is_left(event, name, tree)
    if decision.action in (*rules.REFUSALS, *rules.ENDS):
        from ...flow.usage import take_usage

        take_usage(event.store, name)


def _note_what_is_left(event: Event, name: str, tree: str) -> None:
    from ...gates.session import chain

    chain.follow(event.store, event.environ, name, tree)


def _move(session: Session, decision: StopDecision, now: float, *, counts: bool) -> None:
    state = session.state.ulw
    if decision.action in rules.REFUSALS:
        blocks = int(state.get("stopBlocks") or 0) + int(counts)
        session.state.ulw = {**state, "stopBlocks": blocks, "lastStopAt": format_iso(now)}
    if decision.action == rules.PASS:
        session.phase, session.verdict = COMPLETE, verdicts.PASS
    if decision.action == rules.LET_GO:
        session.verdict = verdicts.UNVERIFIED
    if decision.action in rules.ENDS:
        session.ended_at = now
        session.state.ulw = {**state, "enabled": False}


def _mark(event: Event, name: str, decision: StopDecision, tree: str, place: str) -> None:
    """Update the markers that the launcher and the waking job read: whether it ended, and whether files may still
    change."""
    if decision.action in rules.ENDS:
        markers.disarm(event.home, event.environ, name)
        if decision.action != rules.QUIET_END and tree:
            verdict = "PASS" if decision.action == rules.PASS else "UNVERIFIED"
            content = {"tree": tree, "verdict": verdict, "place": place}
            markers.put(event.home, markers.AFTER, name, content)
    else:
        event_facts.tell_waking_job(event, tree if decision.action == rules.LATER else "")


def _answer(event: Event, decision: StopDecision, text: str) -> Answer | None:
    if decision.action == rules.REFUSE:
        return Answer(block=text)
    if decision.action == rules.NUDGE:
        return Answer(feedback=text)
    if decision.action == rules.LET_GO and not event.attended and decision.rule != "other-loop":
        return Answer(end=text, message=text)
    return Answer(message=text) if text else None


def _can_wait(known: StopContext, slow: dict[str, str]) -> bool:
    """Return whether a user is present and every slow check may be started by us."""
    commands = [gate.command for gate in known.pin.gates if gate.name in slow]
    return known.event.attended and all(known.may_run(command) for command in commands)


def _postpone(known: StopContext, facts: rules.StopFacts, slow: dict[str, str]) -> Answer | None:
    """Decide by the tests that reach the change; otherwise allow the stop and run the slow checks in the process that
    the client keeps, or in our own."""
    event = known.event
    name, why = next(iter(slow.items()))
    was_told = any(
        stored_decision.action == rules.LATER and stored_decision.tree == known.tree for stored_decision in known.taken
    )
    # A check of a changed folder is measured without being pinned, so its duration is unknown.
    gate = next((gate for gate in known.pin.gates if gate.name == name), None)
    related = checks.check_related(known, gate) if gate is not None and not was_told else None
    if related is not None and gate is not None:
        facts.failing_related, facts.related_output = related.failed, related.details
        facts.broke_related = known.is_base_green(gate)
        decision = rules.decide_related(facts)
        if decision is not None:
            return carry_out(known, facts, decision)
    offer_background(event)
    record(known, rules.decide_later(name, why), None, "")
    hand_over(event)
    if was_told:
        return None
    about = known.describe_time_left(gate) if gate is not None else "duration not known yet"
    passed = related.passed if related is not None and not related.failed else 0
    labels = {pinned_gate.name: pinned_gate.label for pinned_gate in known.pin.gates}
    names = [labels.get(slow_name, slow_name) for slow_name in slow]
    return Answer(message=tell_background(names, about, passed=passed))


def offer_background(event: Event) -> None:
    """Make the client's waking process wait for the decisions of later stops."""
    if not markers.is_set(event.home, markers.BACKGROUND, event.session):
        markers.put(event.home, markers.BACKGROUND, event.session, {"wanted": ""})


def hand_over(event: Event) -> None:
    if not _taken_over(event):
        process.start(event, CHECK)


def _taken_over(event: Event) -> bool:
    """Return whether a process that runs the checks holds the lock."""
    from ...core.errors import Conflict
    from ...store.atomic import Lock

    end = monotonic() + _TAKEN_OVER
    while monotonic() < end:
        try:
            with Lock(make_lock_path(event), patience=0):
                pass
        except Conflict:
            return True
        sleep(0.1)
    return False


def make_lock_path(event: Event) -> str:
    return f"{event.home.root}/{markers.BACKGROUND}/{event.session}.lock"
