"""The ends of agents: store reports, import plans, check tasks by their own criteria, lower verdicts."""

from ...core import registry
from ...core.course import judges, roles
from ...core.course.planned_stop import decide_agent_end
from ...core.course.steps import find_item_task
from ...core.errors import Conflict
from ...core.modes import modes
from ...core.plan.task import RESOLVED, Task
from ...core.session.session import Session
from ...core.stop.last_message import judge_words
from ...flow import agent_ends, planned_mode, planning
from ...flow.course import Course
from ...gates.context import HOOK
from ...store import agents, decisions, sessions, tasks
from ...store.agents import AgentCall
from .. import consent
from ..event import Answer, Event
from .agent_calls import claim_spawn
from .session import advance, find_agent, find_name, list_modes, open_course
from .stop import foresee_slow

_SEEN = 4_000_000
_NO_VERDICT = (
    "ultrawork: I could not read your verdict. Your last message must end with one fenced JSON block:"
    ' {"verdict": "PASS", "findings": []}, or "FAIL" with what is wrong as findings. Send the block now.'
)


def end_agent(event: Event) -> Answer | None:
    """Handle the end of one of our agents: store its report, import its plan, check its task."""
    agent = find_agent(event)
    if agent is None or agent.ended_at is not None:
        return None
    answer = _ENDS[agent.role](event, agent)
    if answer is not None:
        return answer
    with event.store.change(find_name(event)) as change:
        agents.mark_ended(change, agent.call)
    from .telling import keep_settled

    keep_settled(event, find_name(event), agent.subject)
    return None


def end_teammate_turn(event: Event) -> Answer | None:
    """Handle a teammate of the client that would become idle: check its task, advance the stage, and give it the next
    due task."""
    agent = find_agent(event)
    if agent is None or agent.role != roles.WORKER:
        return None
    answer = end_agent(event)
    if answer is not None and answer.block:
        return Answer(wake=answer.block)
    course = open_course(event)
    if course is None:
        return answer
    due = [spawn for spawn in advance(event, course)[1].spawns if spawn.counts_as == roles.WORKER]
    return _hand_over(event, course, due[0]) if due else answer


def _hand_over(event: Event, course: Course, spawn: roles.Spawn) -> Answer | None:
    call = f"{event.text('agent_id')}.{spawn.subject}.{int(event.clock() * 1000)}"
    try:
        claim_spawn(event, course, spawn, call)
    except Conflict:
        return None  # another was faster; the next idle turn checks again
    with event.store.change(course.name) as change:
        agents.mark_started(change, call, event.text("agent_id"))
    return Answer(wake=f"ultrawork: the next task is yours.\n{spawn.prompt}")


def refuse_open_task(event: Event) -> Answer | None:
    """Refuse to complete an item of the client's list that names a task, until its criteria pass."""
    name = find_name(event)
    known = {task.id: task for task in tasks.list_all(event.store.database, name)}
    subjects = {task.id: task.subject for task in known.values()}
    named = find_item_task(event.text("task_subject"), event.text("task_description"), subjects)
    if not named or known[named].status == RESOLVED:
        return None
    session = sessions.get(event.store.database, name)
    checked = agent_ends.check_criteria(
        event.store, event.environ, name, known[named], by=HOOK, may_run=consent.make_asker(event, session, [])
    )
    unrun = f"these have not run: {'; '.join(checked.unrun)}" if checked.unrun else ""
    short = checked.reason or unrun
    return Answer(wake=f"ultrawork: task {named} is not done: {short}") if short else None


def _explorer_end(event: Event, agent: AgentCall) -> Answer | None:
    """Send an explorer without a report back once; then record that it sent none."""
    report = event.text("last_assistant_message")
    if not report.strip():
        text = "ultrawork: your last message is empty. Send your report as your last message."
        answer = _send_back(event, agent, text)
        if answer is not None:
            return answer
        report = f"not explored: {agent.subject} sent no report"
    agent_ends.record_report(event.store, find_name(event), agent.subject, report)
    return None


def _planner_end(event: Event, agent: AgentCall) -> Answer | None:
    """Send an invalid plan back with the reason, at most twice per agent."""
    if agent.subject in judges.ASKED or _is_paper(event, agent.subject):
        return _draft_end(event, agent)
    errors = planning.take_plan(event.store, find_name(event), event.text("last_assistant_message"))
    if not errors:
        return None
    text = f"ultrawork: the plan is not valid: {errors[0]}. Send the whole plan again."
    return _send_back(event, agent, text)


def _is_paper(event: Event, subject: str) -> bool:
    led = sessions.get(event.store.database, find_name(event)).state.lead
    return bool(led) and bool(registry.ask_lead("is_paper")(subject))


def _draft_end(event: Event, agent: AgentCall) -> Answer | None:
    name, message = find_name(event), event.text("last_assistant_message")
    errors = planned_mode.take_draft(event.store, name, agent.subject, message, agent.call)
    if not errors:
        return None
    text = f"ultrawork: the {agent.subject} is not valid: {errors[0]}. Send all of it again."
    answer = _send_back(event, agent, text)
    if answer is None:
        planned_mode.note_missing_draft(event.store, name, agent.subject, errors[0])
    return answer


def _worker_end(event: Event, agent: AgentCall) -> Answer | None:
    name = find_name(event)
    task = tasks.get(event.store.database, name, agent.subject)
    if task.status != "in_progress":
        return None
    session = sessions.get(event.store.database, name)
    if session.state.lead:
        return _led_worker_end(event, agent, session, task)
    checked = agent_ends.check_criteria(
        event.store, event.environ, name, task, by=HOOK, may_run=consent.make_asker(event, session, [])
    )
    _count_claim(event, agent, failed=bool(checked.failed))
    short = checked.reason or (f"these have not run: {'; '.join(checked.unrun)}" if checked.unrun else "")
    if short:
        check = f"run `ultrawork task check --session {name} --id {task.id}`"
        step = check if checked.unrun else "fix it"
        text = f"ultrawork: task {task.id} is not done: {short}. Next: {step}."
        answer = _send_back(event, agent, text, short)
        if answer is not None:
            return answer
    finish = registry.ask(modes.PIPELINE, "finish_stage") if _is_stage(session, task) else agent_ends.finish_task
    finish(event.store, name, task, checked, event.text("last_assistant_message"))
    foresee_slow(event, sessions.get(event.store.database, name))
    if modes.ULTRAPILOT in list_modes(event):
        _kept_ownership(event, agent)
    if modes.TEAM in list_modes(event):
        _stood_up(event, agent)
    return None


def _count_claim(event: Event, agent: AgentCall, *, failed: bool) -> None:
    """A worker that ends says that its task is done, unless it says that it is blocked."""
    claim = judge_words(event.text("last_assistant_message"), failed=failed, says_so=True)
    with event.store.change(find_name(event)) as change:
        agents.record_claim(change, claim, agent.agent or agent.call)


def _led_worker_end(event: Event, agent: AgentCall, session: Session, task: Task) -> Answer | None:
    """Handle one of three words, of which one is a claim: criteria and checks decide. A failing run counts, and the
    agent is not sent back for it."""
    message, may_run = event.text("last_assistant_message"), consent.make_asker(event, session, [])
    for last in (False, True):
        short = registry.ask_lead("end_task")(
            event.store,
            event.environ,
            session.id,
            task,
            message,
            by=HOOK,
            agent=agent.agent or agent.call,
            may_run=may_run,
            last=last,
        )
        if not short:
            return None
        check = f"run `ultrawork task check --session {session.id} --id {task.id}`"
        answer = _send_back(event, agent, f"ultrawork: task {task.id}: {short}. Next: {check}.")
        if answer is not None:
            return answer
    return None


def _stood_up(event: Event, agent: AgentCall) -> None:
    from ...flow import watchdog

    name = find_name(event)
    failed = tasks.get(event.store.database, name, agent.subject).status == "failed"
    watchdog.unseat_worker(event.store, name, agent.call, failed=failed)


def _kept_ownership(event: Event, agent: AgentCall) -> None:
    from ...core.course import chain
    from ...flow import file_ownership
    from ...store import trace

    entries = trace.read_tail(event.home, event.session, size=_SEEN)
    own = [entry for entry in entries if entry.get("agent") == event.text("agent_id")]
    message = event.text("last_assistant_message")
    file_ownership.record_files(event.store, find_name(event), agent.subject, chain.list_edited(own), message)


def _is_stage(session: Session, task: Task) -> bool:
    return task.id in session.state.pipeline.get("stages", {})


def _reading_end(event: Event, agent: AgentCall) -> Answer | None:
    """Accept a read-only stage by its report."""
    name = find_name(event)
    task = tasks.get(event.store.database, name, agent.subject)
    if task.status == "in_progress":
        message = event.text("last_assistant_message")
        finish = registry.ask(modes.PIPELINE, "finish_stage")
        finish(event.store, name, task, agent_ends.CriteriaResult(), message)
    return None


def _verifier_end(event: Event, agent: AgentCall) -> Answer | None:
    """Ask once more for an unreadable verdict: its form is not a finding, and costs no round."""
    message = event.text("last_assistant_message")
    if not judges.is_clear(agent_ends.read_verdict_block(message)):
        answer = _send_back(event, agent, _NO_VERDICT)
        if answer is not None:
            return answer
    agent_ends.record_ruling(event.store, find_name(event), message, agent.subject)
    return None


_ENDS = {
    roles.EXPLORER: _explorer_end,
    roles.PLANNER: _planner_end,
    roles.WORKER: _worker_end,
    roles.READING: _reading_end,
    roles.VERIFIER: _verifier_end,
}


def _send_back(event: Event, agent: AgentCall, text: str, refuted: str = "") -> Answer | None:
    """Send the agent back; None if its limit is used up. `refuted` is what a run showed against its last message."""
    taken = decisions.list_since(event.store.database, find_name(event), agent.asked_at)
    before = [
        stored_decision
        for stored_decision in taken
        if stored_decision.event == "SubagentStop" and stored_decision.tree == agent.call
    ]
    decision = decide_agent_end(agent.role, text, len(before))
    if decision is None:
        return None
    with event.store.change(find_name(event)) as change:
        decisions.add(change, decision, event="SubagentStop", tree=agent.call, text=text, counts=False)
        if refuted:
            message = event.text("last_assistant_message")
            agents.record_refuted(change, agent.subject, message, refuted)
    return Answer(block=text[:1000])
