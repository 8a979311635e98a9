"""The end of a turn in a planned session."""

from collections.abc import Sequence

from ...core import registry
from ...core.course import steps
from ...core.course.planned_stop import RETRY, PlannedStopFacts, decide_planned_stop
from ...core.session.session import PLANNING_COMPLETE, Session
from ...core.stop import rules
from ...core.stop.last_message import judge_words
from ...core.stop.rules import StopDecision
from ...core.times import format_duration
from ...core.verdict import verdict as verdicts
from ...core.verdict.gate import Gate
from ...core.wording import tell_background
from ...flow.course import Course, abandon_all, release_lapsed
from ...flow.planned_mode import withdraw_pass
from ...gates.context import HOOK
from ...gates.session import pinning, preparation, verification
from ...report.why import name_outcome
from ...store import agents, codec, decisions, markers, pins, receipts, sessions, tasks, trace
from ...store.settings import Settings
from .. import consent
from ..event import Answer, Event
from ..stop import event_facts
from ..stop.decide import hand_over, offer_background
from ..table import is_skipped
from .session import advance, find_name, list_modes, open_course
from .telling import show_plan, take_settled, tell_end, tell_moves, tell_question

_BUDGET = 240.0
_THEN = "The verdict waits for it."


def decide_stop(event: Event) -> Answer | None:
    """Decide the end of a turn: run the checks when they are due, and refuse the stop with the next step."""
    course = open_course(event)
    if course is None or any(is_skipped(event.environ, mode) for mode in list_modes(event)):
        return None
    before = sessions.get(event.store.database, course.name)
    if not event.adapter.directs_agents:
        # It reports no refused call to hooks: what has not started by the end of the turn never will.
        release_lapsed(event.store, course.name, at_once=True)
    if not _agents_at_work(event):
        abandon_all(event.store, course.name, "its agent ended without a report")
    session, step, text = advance(event, course)
    cooling = _is_cooling(event, session)
    if step.kind == steps.VERIFY and not cooling and _may_verify(event, session):
        slow = find_slow(event, session)
        if slow and event.attended:
            return _postpone(event, session, slow)
        if not slow:
            session, step, text = _verify(event, course, session, _BUDGET)
    elif step.kind == steps.DONE and not session.state.last_line:
        _count_claim(event, session.id)
    if step.kind == steps.DONE:
        return _ask_for_last_line(event, session) or _answer_end(event, session)
    decision = decide_planned_stop(_facts(event, session, step))
    with event.store.change(session.id) as change:
        decisions.add(
            change,
            decision,
            event="Stop",
            tree=_place(event, session),
            told=[step.kind],
            text=text,
            counts=decision.rule != RETRY and not cooling,
        )
    event_facts.tell_waking_job(event)
    lines = [
        take_settled(event, course.name),
        tell_moves(event, before, session),
        tell_question(event, session, step.question),
    ]
    return _answer(event, session, decision, text, "\n".join(filter(None, lines)))


def _verify(event: Event, course: Course, session: Session, seconds: float) -> tuple[Session, steps.NextStep, str]:
    verification.run(event.store, event.environ, session.working_dir, session=session.id, by=HOOK, seconds=seconds)
    _count_claim(event, session.id)
    return advance(event, course)


def _count_claim(event: Event, name: str) -> None:
    """Record whether the agent said that it was done, beside what the checks showed last."""
    verdict = receipts.find_last_verdict(event.store.database, name)
    if verdict is None:
        return
    claim = judge_words(event.text("last_assistant_message"), failed=verdict["verdict"] == verdicts.FAIL)
    with event.store.change(name) as change:
        agents.record_claim(change, claim)


def _postpone(event: Event, session: Session, slow: dict[str, float]) -> Answer | None:
    """Allow the stop; checks and criteria continue in the process that the client keeps, or in our own."""
    place = _place(event, session)
    was_told = any(
        stored_decision.action == rules.LATER and stored_decision.tree == place
        for stored_decision in _list_stops(event, session)
    )
    seconds = sum(slow.values())
    decision = rules.decide_later(next(iter(slow)), f"takes {format_duration(seconds)} together with the other checks")
    offer_background(event)
    with event.store.change(session.id) as change:
        decisions.add(change, decision, event="Stop", tree=place, counts=False)
    event_facts.tell_waking_job(event, place)
    hand_over(event)
    about = f"about {format_duration(seconds)} left"
    return None if was_told else Answer(message=tell_background(list(slow), about, then=_THEN))


def verify_beside(event: Event, seconds: float) -> Answer | None:
    """Run everything that decides in the background, then continue the course."""
    course = open_course(event)
    if course is None:
        return None
    before, step, _ = advance(event, course)
    if step.kind != steps.VERIFY:
        return None
    after, step, text = _verify(event, course, before, seconds)
    if markers.is_switched_off(event.home, event.session):
        return None
    if step.kind == steps.DONE:
        return _answer_end(event, after)
    return Answer(feedback=text, message=tell_moves(event, before, after))


def _agents_at_work(event: Event) -> bool:
    """Return whether agents are running, according to the client, whatever we remember. Some clients list nothing."""
    if not event.adapter.directs_agents:
        return bool(agents.list_at_work(event.store.database, find_name(event), now=event.clock()))
    return any(entry.get("type") != "shell" for entry in event.entries("background_tasks"))


def _may_verify(event: Event, session: Session) -> bool:
    """Return whether the user allowed all of it; otherwise the agent runs it, and the client asks."""
    may_run = consent.make_asker(event, session, [])
    return all(may_run(gate.command) for gate in _list_deciding(event, session))


def _list_deciding(event: Event, session: Session) -> list[Gate]:
    gates = preparation.list_gates(event.store, event.environ, session.working_dir)
    return [*gates, *verification.list_criterion_gates(event.store, session)]


def find_slow(event: Event, session: Session) -> dict[str, float]:
    """Return what decides at the end with its usual time, if all of it takes longer than a stop may wait."""
    pin = pins.get(event.store.database, session.id)
    criteria = verification.list_criterion_gates(event.store, session)
    gates = [*(pin.gates if pin else ()), *criteria]
    usual = verification.list_usual_seconds(event.store, session.working_dir, gates)
    budget = min(_BUDGET, float(_settings(event, session)["stop.budget"]))
    return usual if sum(usual.values()) > budget else {}


def foresee_slow(event: Event, session: Session) -> None:
    """Prepare, while tasks run, a client process for a stop that cannot wait."""
    if event.attended and event.adapter.wakes and find_slow(event, session):
        offer_background(event)


def _place(event: Event, session: Session) -> str:
    """Return a key of the session's position: any progress changes it."""
    plan = tasks.list_all(event.store.database, session.id)
    done = [task.id for task in plan if task.status == "resolved"]
    reported = sum(1 for explorer in sessions.list_explorers(event.store.database, session.id) if explorer.done_at)
    version = session.plan.get("version")
    drafted = sum(bool(draft) for draft in (session.design, session.state.prd))
    judged = len(session.state.verification.get("judged", ()))
    led = session.state.lead
    written = f" {codec.digest(codec.dumps(led))[:12]}" if led else ""
    return (
        f"{session.phase} {session.iteration} {len(done)} {reported} {len(plan)} {version} {drafted} {judged}{written}"
    )


def _is_of(taken: decisions.StoredDecision, session: Session) -> bool:
    """Return whether a refusal belongs to the current phase and round."""
    return str(taken.tree).startswith(f"{session.phase} {session.iteration} ")


def _list_stops(event: Event, session: Session) -> list[decisions.StoredDecision]:
    since = sessions.find_taken_up(event.store.database, session.id)
    taken = decisions.list_since(event.store.database, session.id, since)
    return [stored_decision for stored_decision in taken if stored_decision.event == "Stop"]


def _is_cooling(event: Event, session: Session) -> bool:
    """Return whether a step was just pushed and nothing started since: the same step is shown again, and not
    counted."""
    history = decisions.DecisionHistory(_list_stops(event, session), _place(event, session))
    if history.last is None:
        return False
    entries = trace.read_tail(event.home, event.session)
    last_tool = max((float(entry.get("at") or 0.0) for entry in entries if entry.get("tool")), default=0.0)
    cooldown = _settings(event, session)["stop.cooldown"]
    return history.is_cooling(event.clock(), cooldown, last_tool)


def _facts(event: Event, session: Session, step: steps.NextStep) -> PlannedStopFacts:
    place = _place(event, session)
    stops = _list_stops(event, session)
    stored_decisions = [
        stored_decision
        for stored_decision in stops
        if stored_decision.rule != RETRY and _is_of(stored_decision, session)
    ]
    history = decisions.DecisionHistory(stored_decisions, place)
    settings = _settings(event, session)
    return PlannedStopFacts(
        step.text,
        attended=event.attended,
        # Some clients report no end of an agent: nothing would continue by itself.
        waits=event.adapter.directs_agents and (step.kind == steps.WAIT or _agents_at_work(event)),
        plans=step.kind == steps.PLAN,
        asks=step.kind == steps.ASK,
        retries=_asks_for_the_round(
            event, step, [stored_decision for stored_decision in stops if stored_decision.tree == place]
        ),
        refusals=history.refusals,
        row=history.row,
        limit=settings["stop.refusals"],
        repeats=settings["stop.repeats"],
    )


def _settings(event: Event, session: Session) -> Settings:
    """Return the settings when its checks were pinned: an agent does not set its own limits."""
    pin = pins.get(event.store.database, session.id)
    if pin is None:
        return pinning.read_settings(session.working_dir, event.store, event.environ)
    return pinning.read_pinned_settings(session.working_dir, event.store, event.environ, pin)


def _asks_for_the_round(
    event: Event, step: steps.NextStep, stored_decisions: Sequence[decisions.StoredDecision]
) -> bool:
    """Return whether the message ends with the retry mark while a retry is due. Once per position, this does not count
    as a refusal."""
    lines = event.text("last_assistant_message").strip().splitlines()
    marked = bool(lines) and lines[-1].strip() == steps.RETRY_MARK
    return marked and step.again and not any(stored_decision.rule == RETRY for stored_decision in stored_decisions)


def _answer(event: Event, session: Session, decision: StopDecision, text: str, message: str) -> Answer | None:
    """Return the answer; a step of the course must not look like a refusal. `message` is for the user."""
    if decision.action in rules.REFUSALS:
        return Answer(feedback=text, message=message)
    if decision.action != rules.LET_GO:
        return Answer(message=message) if message and decision.rule != "with-the-person" else None
    if session.state.lead:
        answer: Answer = registry.ask_lead("let_go")(event, session, decision.because)
        return answer
    with event.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.verdict, current.ended_at = verdicts.UNVERIFIED, change.now
        sessions.save(change, current, "session.let-go", {"why": decision.because})
    return _answer_end(event, current)


def _answer_end(event: Event, session: Session) -> Answer:
    markers.disarm(event.home, event.environ, event.session)
    if session.phase == PLANNING_COMPLETE:
        text = f"{show_plan(event, session)}\nTo execute it: /ultrawork:ultrawork-exec"
        return Answer(message=text)
    if session.verdict == verdicts.PASS:
        session = _hold_to_tree(event, session)
    settled = take_settled(event, session.id)
    answer = tell_end(event, session)
    if settled and answer.message:
        answer.message = f"{settled}\n{answer.message}"
    return answer


def _ask_for_last_line(event: Event, session: Session) -> Answer | None:
    """Ask the model once for a verdict line: without a user, a script reads only the model's last message."""
    if event.attended or not event.adapter.asks_for_last_line or session.state.last_line or not session.verdict:
        return None
    with event.store.change(session.id) as change:
        current = sessions.get(change.database, session.id)
        current.state.last_line = True
        sessions.save(change, current, "last-line.asked", {})
    word = name_outcome(event.store.database, session)
    line = f"ultrawork: {word}. To get it as an exit status: ultrawork with {event.adapter.one_shot} …"
    return Answer(feedback=f"The session is over. Summarize it, and end with this as your last line: {line}")


def _hold_to_tree(event: Event, session: Session) -> Session:
    """Withdraw a PASS if an agent wrote files after they were judged."""
    last = receipts.find_last_verdict(event.store.database, session.id)
    tree = pinning.take_tree(session.place, event.store, event.environ)
    if last is not None and last["tree"] != tree:
        return withdraw_pass(event.store, session.id)
    content = {"tree": tree, "verdict": verdicts.PASS, "place": session.place}
    markers.put(event.home, markers.AFTER, event.session, content)
    return session
