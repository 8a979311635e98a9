"""The ends of agents: reports stored, plans taken, tasks checked by their own criteria, verdicts lowered."""

from ...core import roles
from ...core import stop as rules
from ...core.stop import Decision
from ...flow import harvest, planning, workers
from ...gates.work import HOOK
from ...store import agents, decisions, tasks
from ..answer import Answer
from .acting import acting
from .consent import may_run
from .pushing import name_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...store.agents import Agent
    from ..event import Event


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
    errors = planning.take(event.store, name_of(event), event.text("last_assistant_message"))
    if errors and _refused_before(event, agent) < 2:
        return _refused(
            event, agent, f"ultrawork: the plan cannot stand: {errors[0]}. Send it whole again."
        )
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
    workers.finish(event.store, name, task, checked, event.text("last_assistant_message"))
    return None


def _verifier_end(event: "Event", _agent: "Agent") -> Answer | None:
    harvest.verified(event.store, name_of(event), event.text("last_assistant_message"))
    return None


_ENDS = {
    roles.EXPLORER: _explorer_end,
    roles.PLANNER: _planner_end,
    roles.WORKER: _worker_end,
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
