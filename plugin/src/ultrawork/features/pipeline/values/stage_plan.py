"""A pipeline as a plan: one task a member of a stage, waiting for the stage before; and what a failed one leads to."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ....core.course import roles
from ....core.plan import task as tasks
from ....core.plan.task import Task
from ....core.session.session import Session
from ....core.value import Value
from ....core.wording import cut, join_lines
from . import expression as written
from .agents import HIGH, LOW, MEDIUM, StageAgent
from .expression import Pipeline, PipelineOptions, StageMember

Document = dict[str, Any]

MERGER = "merge"
_LONGEST = 56
_COMPLEXITY = {LOW: tasks.SIMPLE, MEDIUM: tasks.STANDARD, HIGH: tasks.COMPLEX}
_MERGE_LINE = "Sum up the reports of the stage before in at most 60 lines: what they agree on, where they differ."
_READS = "This stage reads and changes nothing; its report is handed on."
_WRITES = "This stage may change files; what it changed and its report are handed on."
_VOTES = "End with a line `VOTE:` and your answer in at most five words: the votes of this stage are counted."


class PipelineStage(Value):
    """One member of a stage as a session stores it: agent, model and prompt."""

    number: int
    name: str
    agent: str
    model: str = ""
    tier: str = ""
    reads: bool = True
    line: str = ""
    page: str = ""

    def document(self) -> Document:
        return dict(sorted(super().document().items()))


def make_plan(
    pipeline: Pipeline, wishes: PipelineOptions, agents: Mapping[str, StageAgent], *, now: float
) -> tuple[list[Task], Document]:
    """Return the tasks, and what a session stores about the pipeline."""
    stages: dict[str, PipelineStage] = {}
    needs: dict[str, list[str]] = {}
    before: list[str] = []
    for number, members in enumerate(pipeline.stages, 1):
        names = []
        for member in members:
            names.append(_free(f"s{number}-{member.name.replace(':', '-')}", stages))
            stages[names[-1]] = _stage(number, member, agents[member.name])
        needs.update(dict.fromkeys(names, before))
        before = names
        if len(names) > 1 and wishes.merge == written.SUMMARIZE:
            merge = _free(f"s{number}-{MERGER}", stages)
            stages[merge], needs[merge], before = _merger(number), names, [merge]
    plan = [_task(pipeline.task, name, pipeline_stage) for name, pipeline_stage in stages.items()]
    for task in plan:
        task.blocked_by, task.max_retry = list(needs[task.id]), wishes.retry
        task.created_at = task.updated_at = now
    return plan, _document(pipeline, wishes, stages)


def _free(name: str, taken: Collection[str]) -> str:
    """Return a free name: the second of the same name in a stage is `s1-explore-2`; case is ignored."""
    lower = {other.lower() for other in taken}
    plain, count = name[:_LONGEST], 1
    candidate = plain
    while candidate.lower() in lower:
        count += 1
        candidate = f"{plain}-{count}"
    return candidate


def _stage(number: int, member: StageMember, agent: StageAgent) -> PipelineStage:
    return PipelineStage(
        number=number,
        name=member.name,
        agent=agent.kind,
        model=member.model,
        tier=agent.tier,
        reads=agent.reads,
        line=agent.line,
        page=agent.page,
    )


def _merger(number: int) -> PipelineStage:
    return PipelineStage(number=number, name=MERGER, agent=roles.EXPLORER, tier=MEDIUM, line=_MERGE_LINE)


def _task(words: str, name: str, stage: PipelineStage) -> Task:
    whose = "its report" if stage.reads else "what it changed"
    return Task(
        id=name,
        subject=f"{stage.name}: {cut(join_lines(words), 100)}",
        description=stage.line,
        complexity=_COMPLEXITY.get(stage.tier, tasks.STANDARD),
        criteria=[f"judged: {whose} does what stage {stage.number} is for"],
    )


def _document(pipeline: Pipeline, wishes: PipelineOptions, stages: Mapping[str, PipelineStage]) -> Document:
    return {
        "name": pipeline.name,
        "expression": pipeline.expression,
        "merge": wishes.merge,
        "on_error": wishes.on_error,
        "retry": wishes.retry,
        "stages": {name: stage.document() for name, stage in stages.items()},
        "fallen_back": [],
    }


def find_complexity(tier: str) -> str:
    """Return the complexity of a tier; empty for an agent that defines its own model."""
    return _COMPLEXITY.get(tier, "")


def list_stages(session: Session) -> dict[str, PipelineStage]:
    return {name: PipelineStage(**stage) for name, stage in (session.state.pipeline.get("stages") or {}).items()}


def list_last_stage(session: Session) -> list[str]:
    """Return the members of the last stage; its merger replaces them."""
    stages = list_stages(session)
    number = max(pipeline_stage.number for pipeline_stage in stages.values())
    names = [name for name, pipeline_stage in stages.items() if pipeline_stage.number == number]
    return [name for name in names if stages[name].name == MERGER] or names


def find_stage(session: Session, name: str) -> PipelineStage | None:
    fields = (session.state.pipeline.get("stages") or {}).get(name)
    return None if fields is None else PipelineStage(**fields)


def spawn(session: Session, task: Task, models: Mapping[str, str]) -> roles.Spawn:
    """Return the agent of a stage; what the stages before found is put into its prompt where it is stored."""
    stage = find_stage(session, task.id)
    assert stage is not None
    document = session.state.pipeline
    last = max(entry["number"] for entry in document["stages"].values())
    beside = sum(entry["number"] == stage.number for entry in document["stages"].values())
    votes = document["merge"] == written.VOTE and beside > 1
    lines = [
        f"SESSION_ID: {session.id}",
        f"TASK_ID: {task.id}",
        "",
        f"STAGE: {stage.name}, {stage.number} of {last}",
        stage.line,
        _READS if stage.reads else _WRITES,
        *([_VOTES] if votes else []),
        "",
        f"TASK: {session.goal}",
    ]
    if task.attempts and task.reason:
        lines += ["", f"The last attempt failed: {task.reason}"]
    return roles.Spawn(
        stage.agent,
        _model(stage, task, models),
        task.id,
        f"stage {task.id}",
        "\n".join(lines),
        key=roles.TASK_ID,
        acts_as=roles.READING if stage.reads else roles.WORKER,
        page=stage.page,
        stage=True,
    )


def _model(stage: PipelineStage, task: Task, models: Mapping[str, str]) -> str:
    """Return the model as written, else by the agent's tier; empty for an agent that defines its own."""
    if stage.model:
        return "" if stage.model == "inherit" else stage.model
    if not stage.tier:
        return ""
    escalated = task.attempts + 1 >= roles.STRONG_FROM
    return models[tasks.COMPLEX if escalated else _COMPLEXITY[stage.tier]]


def list_failed_stages(session: Session, plan: Sequence[Task]) -> list[Task]:
    """Return stages whose tries are used up, in plan order."""
    known = session.state.pipeline.get("stages") or {}
    return [task for task in plan if task.id in known and task.status == tasks.FAILED and not task.may_retry]


def may_go_on(session: Session, task: Task) -> bool:
    """Return whether the pipeline continues after this failure: without the stage, or with another agent."""
    document = session.state.pipeline
    if document["on_error"] == written.FALLBACK:
        return task.id not in document["fallen_back"]
    return bool(document["on_error"] == written.SKIP)


def fall_back(document: Document, name: str) -> None:
    """Repeat the stage with the plain agent of its kind, on the strongest model."""
    stage = document["stages"][name]
    plain = roles.EXPLORER if stage["reads"] else roles.WORKER
    document["stages"][name] = {**stage, "agent": plain, "model": "", "tier": HIGH, "page": ""}
    document["fallen_back"] = [*document["fallen_back"], name]


def has_writers(session: Session) -> bool:
    return any(not stage["reads"] for stage in (session.state.pipeline.get("stages") or {}).values())
