"""The ends of agents: reports stored, plans taken, tasks checked by their own criteria, verdicts lowered."""

from ...core import drafts, modes, roles
from ...core import stop as rules
from ...core.stop import Decision
from ...flow import drafting, harvest, planning, workers
from ...gates.work import HOOK
from ...store import agents, decisions, sessions, tasks
from ..answer import Answer
from .acting import acting
from .consent import may_run
from .pushing import name_of, on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from ...core.pipeline_plan import Stage
    from ...store.agents import Agent
    from ..event import Event

_SEEN = 4_000_000


def end(event: "Event") -> Answer | None:
    """The end of one of our agents: its report is stored, its plan taken, its task checked."""
    agent = acting(event)
    if agent is None or agent.ended_at is not None:
        return None
    answer = _ENDS[agent.role](event, agent)
    if answer is not None:
        return answer
    with event.store.change(name_of(event)) as change:
        agents.ended(change, agent.call)
    return None


def _explorer_end(event: "Event", agent: "Agent") -> Answer | None:
    report = event.text("last_assistant_message")
    harvest.explored(event.store, name_of(event), agent.subject, report)
    return None


def _planner_end(event: "Event", agent: "Agent") -> Answer | None:
    """A plan that cannot stand is sent back with the reason, at most twice in one life."""
    if agent.subject in drafts.ASKED:
        return _draft_end(event, agent)
    errors = planning.take(event.store, name_of(event), event.text("last_assistant_message"))
    if errors and _refused_before(event, agent) < 2:
        return _refused(
            event, agent, f"ultrawork: the plan cannot stand: {errors[0]}. Send it whole again."
        )
    return None


def _draft_end(event: "Event", agent: "Agent") -> Answer | None:
    name, message = name_of(event), event.text("last_assistant_message")
    errors = drafting.take(event.store, name, agent.subject, message)
    if errors and _refused_before(event, agent) < 2:
        told = f"ultrawork: the {agent.subject} cannot stand: {errors[0]}. Send it whole again."
        return _refused(event, agent, told)
    if errors:
        drafting.without(event.store, name, agent.subject, errors[0])
    return None


def _worker_end(event: "Event", agent: "Agent") -> Answer | None:
    name = name_of(event)
    task = tasks.get(event.store.database, name, agent.subject)
    if task.status != "in_progress":
        return None
    checked = workers.check(
        event.store,
        event.environ,
        name,
        task,
        by=HOOK,
        may_run=lambda command: may_run(event, command),
    )
    short = checked.reason or (
        f"these have not run: {'; '.join(checked.unrun)}" if checked.unrun else ""
    )
    if short and _refused_before(event, agent) < 1:
        step = (
            f"run `ultrawork task check --session {name} --id {task.id}`"
            if checked.unrun
            else "mend it"
        )
        return _refused(
            event, agent, f"ultrawork: task {task.id} is not done: {short}. Next: {step}."
        )
    finish = workers.finish if _stage(event, agent) is None else _stages().finish
    finish(event.store, name, task, checked, event.text("last_assistant_message"))
    if modes.ULTRAPILOT in on(event):
        _kept_ownership(event, agent)
    if modes.TEAM in on(event):
        _stood_up(event, agent)
    return None


def _stood_up(event: "Event", agent: "Agent") -> None:
    from ...flow import watching

    name = name_of(event)
    failed = tasks.get(event.store.database, name, agent.subject).status == "failed"
    watching.stood_up(event.store, name, agent.call, failed=failed)


def _kept_ownership(event: "Event", agent: "Agent") -> None:
    from ...core import whose
    from ...flow import ownership
    from ...store import trace

    entries = trace.tail(event.home, event.session, size=_SEEN)
    own = [one for one in entries if one.get("agent") == event.text("agent_id")]
    said = event.text("last_assistant_message")
    ownership.wrote(event.store, name_of(event), agent.subject, whose.edited(own), said)


def _stages() -> "ModuleType":
    from ...flow import pipeline

    return pipeline


def _stage(event: "Event", agent: "Agent") -> "Stage | None":
    from ...core.pipeline_plan import stage_of

    return stage_of(sessions.get(event.store.database, name_of(event)), agent.subject)


def _reading_end(event: "Event", agent: "Agent") -> Answer | None:
    """A stage that changes nothing is accepted by its report."""
    name = name_of(event)
    task = tasks.get(event.store.database, name, agent.subject)
    if task.status == "in_progress":
        message = event.text("last_assistant_message")
        _stages().finish(event.store, name, task, workers.Checked(), message)
    return None


def _verifier_end(event: "Event", agent: "Agent") -> Answer | None:
    message = event.text("last_assistant_message")
    harvest.verified(event.store, name_of(event), message, agent.subject)
    return None


_ENDS = {
    roles.EXPLORER: _explorer_end,
    roles.PLANNER: _planner_end,
    roles.WORKER: _worker_end,
    roles.READING: _reading_end,
    roles.VERIFIER: _verifier_end,
}


def _refused_before(event: "Event", agent: "Agent") -> int:
    taken = decisions.since(event.store.database, name_of(event), agent.asked_at)
    return sum(1 for one in taken if one.event == "SubagentStop" and one.tree == agent.call)


def _refused(event: "Event", agent: "Agent", text: str) -> Answer:
    decision = Decision(rules.REFUSE, f"{agent.role}-end", text, "what it names")
    with event.store.change(name_of(event)) as change:
        decisions.add(
            change, decision, event="SubagentStop", tree=agent.call, text=text, counts=False
        )
    return Answer(block=text[:1000])
