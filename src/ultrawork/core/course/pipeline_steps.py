"""What a pipeline adds to the next step of its session, and to the facts of its mode."""

from ..plan import statuses
from . import pipeline_plan, steps
from .pipeline_context import describe_vote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .steps import NextStep, SessionFacts

_SHOWN = 2_000
_DONE = {
    statuses.PENDING: "pending",
    statuses.IN_PROGRESS: "running",
    statuses.RESOLVED: "complete",
    statuses.FAILED: "failed",
    statuses.SKIPPED: "skipped",
    statuses.BLOCKED: "blocked",
}


def decide_after_failure(known: "SessionFacts") -> "NextStep | None":
    """A stage whose tries are used up: the pipeline goes on as was wished, or ends when nothing runs."""
    failed = pipeline_plan.list_failed_stages(known.session, known.work)
    if not failed:
        return None
    told = f"stage {failed[0].id} failed: {failed[0].reason or 'no reason given'}"
    if any(pipeline_plan.may_go_on(known.session, task) for task in failed):
        return steps.NextStep(steps.OWN, told, own=steps.STAGE_FAILED)
    running = [task.id for task in known.work if task.status == statuses.IN_PROGRESS]
    if running:
        return steps.NextStep(steps.WAIT, f"stages at work: {', '.join(running)}", waiting=running)
    return steps.NextStep(steps.OWN, told, own=steps.FAILING)


def describe_answer(known: "SessionFacts") -> str:
    """For whoever conducts a pipeline that only read and has come to its end."""
    names = pipeline_plan.list_last_stage(known.session)
    voted = describe_vote(
        known.session, {one.id: one.report or "" for one in known.explorers}, names
    )
    told = f"the pipeline has answered; pass on what {' and '.join(names)} reported"
    return f"{told}; the vote: {voted}" if voted else told


def collect_facts(known: "SessionFacts") -> "dict[str, Any]":
    """The keys of `pipeline-state.json`."""
    document = known.session.state.pipeline
    status = {task.id: task for task in known.work}
    reports = {one.id: one.report or "" for one in known.explorers}
    stages = [
        {
            "id": name,
            "name": one["name"],
            "agent": one["agent"],
            "model": one["model"] or known.models.get(pipeline_plan.find_complexity(one["tier"])),
            "status": _DONE[status[name].status] if name in status else "pending",
            "output": reports.get(name, "")[:_SHOWN] or None,
        }
        for name, one in document["stages"].items()
    ]
    open_stages = [one["number"] for name, one in document["stages"].items() if _open(status, name)]
    return {
        "pipeline_id": f"pipeline-{known.session.id}",
        "name": document["name"],
        "expression": document["expression"],
        "task": known.session.goal,
        "current_stage": min(open_stages, default=None),
        "stages": stages,
        **({"answered": True} if known.session.state.answered else {}),
    }


def _open(status: "dict[str, Any]", name: str) -> bool:
    return name in status and status[name].status not in (statuses.RESOLVED, statuses.SKIPPED)


def count_retries(known: "SessionFacts") -> int:
    return sum(task.retry_count for task in known.work)
