"""
A pipeline is a planned session whose plan the program made from what the person wrote.

No explorer and no planner is asked. What a stage reported is kept like an explorer's report, and handed
on to those after it as one object; what is too long for a prompt lies in a file beside their work.
"""

from ..core import check, outcomes, pipeline_plan, pipeline_steps, speech, stages, statuses
from ..core import pipeline as written
from ..core.modes import PIPELINE
from ..core.options import MOST, NUMBERS
from ..core.pipeline_agents import REVIEWER
from ..core.pipeline_context import context
from ..core.roles import VERIFIER
from ..core.times import iso
from ..store import attempts, contexts, pins, sessions, tasks
from ..store.fast import pretty
from ..store.omc.place import Omc
from . import begin as beginning
from . import harvest, modes, planned, planning, workers
from .stage_agents import resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..core.pipeline import Pipeline, Wishes
    from ..core.session import Session
    from ..core.steps import Known, Step
    from ..core.task import Task
    from ..store.change import Change
    from ..store.state import Store
    from .course import Course
    from .workers import Checked

_SWITCHES = ("skip_verify", "auto_mode")
_HEAD = (
    "PIPELINE_CONTEXT (what the stages before came to; a whole_output is a file in your folder):"
)


def begin(
    store: "Store",
    environ: "Mapping[str, str]",
    place: str,
    name: str,
    *,
    pipeline: "Pipeline",
    wishes: "Wishes",
    options: "Mapping[str, Any]",
) -> "Session":
    """Refused whole if an agent is unknown or another mode is in the way; else there with its plan."""
    agents = resolved(pipeline, place, environ)
    modes.refuse_rivals(store, place, name, PIPELINE)
    plan, document = pipeline_plan.planned(pipeline, wishes, agents, now=store.now())

    def fill(change: "Change", session: "Session") -> None:
        _fill(change, session, plan, document)

    words = beginning.Words({"auto_mode": True, **options}, pipeline.task)
    session = beginning.begin(store, environ, place, name, words, fill=fill)
    planned.lay_over(store, place, name, PIPELINE, limits={"retry": wishes.retry * len(plan)})
    return session


def _fill(
    change: "Change", session: "Session", plan: "list[Task]", document: "dict[str, Any]"
) -> None:
    tasks.create(change, planning.completed(plan, {}, now=change.now))
    session.exploration_stage = stages.COMPLETE
    session.plan = {**session.plan, "created_at": iso(change.now)}
    session.state[pipeline_plan.KEY] = document
    told = {"expression": document["expression"], "on_error": document["on_error"]}
    sessions.save(change, session, "pipeline.planned", told)


def wished(flags: "Mapping[str, str]") -> "Wishes":
    tries = flags.get("--retry")
    return written.Wishes(
        None if tries is None else written.tries(tries),
        flags.get("--on-error", written.ABORT),
        flags.get("--merge", written.CONCAT),
    )


def brief(course: "Course", name: str, place: str) -> str:
    """What the stage is given beside its task; long reports are laid into the folder it works in."""
    from functools import partial

    database = course.store.database
    session = sessions.get(database, course.name)
    reports = {one.id: one.report or "" for one in contexts.listed(database, course.name)}
    omc = Omc(place)
    folder = f"{omc.state_folder(course.name)}/pipeline"
    told = context(
        session, name, tasks.listed(database, course.name), reports, folder[len(omc.top) + 1 :]
    )
    for file, text in told.files.items():
        omc.change(f"{folder}/{file}", partial(_as_told, text))
    return f"{_HEAD}\n{pretty(told.document)}"


def _as_told(text: str, _before: str | None) -> str:
    return text


def looks_at_changes(session: "Session", name: str) -> bool:
    """Whether the stage judges what others changed: it reads, and has no shell to ask git."""
    stage = pipeline_plan.stage_of(session, name)
    return stage is not None and stage.agent in (REVIEWER, VERIFIER)


def settled(
    stage: "pipeline_plan.Stage", checked: "Checked", message: str
) -> "tuple[str, str, list[str]]":
    """Resolved or failed, why, and the evidence: a stage that only reads is accepted by its report."""
    if not message.strip():
        return statuses.FAILED, "it ended without a report", []
    if not stage.reads:
        return workers.settled(checked, message)
    blocked = speech.blocked(message)
    if blocked:
        return statuses.FAILED, f"the {stage.name} says it is blocked: {blocked}", []
    return statuses.RESOLVED, "", ["its report is stored"]


def finish(store: "Store", name: str, task: "Task", checked: "Checked", message: str) -> str:
    """The end of a stage in a client; its report is there before anybody waits for the task no longer."""
    from ..store import agents

    stage = pipeline_plan.stage_of(sessions.get(store.database, name), task.id)
    assert stage is not None
    status, reason, evidence = settled(stage, checked, message)
    if status == statuses.RESOLVED:
        harvest.explored(store, name, task.id, message)
    with store.change(name) as change:
        tasks.update(change, task.id, status=status, evidence=evidence, reason=reason or None)
        agents.release(change, task.id)
    return status


def after_failure(course: "Course", _step: "Step") -> None:
    """The first failed stage that the pipeline goes on from: left out, or given to another agent."""
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        plan = tasks.listed(change.database, course.name)
        failed = [
            task
            for task in pipeline_plan.failed_stages(session, plan)
            if pipeline_plan.goes_on(session, task)
        ]
        document = pipeline_plan.kept(session)
        for task in failed:
            _GO_ON[document["on_error"]](change, session, task)
        told = {"stages": [task.id for task in failed], "on_error": document["on_error"]}
        sessions.save(change, session, "stage.failed", told)


def _skip(change: "Change", _session: "Session", task: "Task") -> None:
    reason = f"left out after its failure: {task.reason or 'no reason given'}"
    tasks.update(change, task.id, status=statuses.SKIPPED, reason=reason)
    tasks.leave_out(change, task.id)


def _fall_back(change: "Change", session: "Session", task: "Task") -> None:
    pipeline_plan.fall_back(pipeline_plan.kept(session), task.id)
    tasks.update(change, task.id, status=statuses.PENDING)


_GO_ON = {written.SKIP: _skip, written.FALLBACK: _fall_back}


def untouched(course: "Course") -> bool:
    """Whether no file is other than at the start, here or in what an engine has merged."""
    from ..gates import pinning

    rows = attempts.listed(course.store.database, course.name)
    pin = pins.get(course.store.database, course.name)
    if pin is None or any(row.result for row in rows):
        return False
    session = sessions.get(course.store.database, course.name)
    return pinning.tree_now(session.place, course.store, course.environ) == pin.tree


def show(course: "Course", known: "Known") -> None:
    """`pipeline-state.json` as the stages stand."""
    progress = modes.known(known.session).get(PIPELINE)
    if progress is None:
        return
    told = {**progress.facts, **pipeline_steps.facts(known)}
    tried = min(pipeline_steps.retries(known), progress.limits["retry"])
    if (told, tried) == (progress.facts, progress.counts["retry"]):
        return
    progress.facts, progress.counts["retry"] = told, tried
    progress.updated_at = course.store.now()
    with course.change() as change:
        modes.save(change, sessions.get(change.database, course.name), progress)


def only_reads(course: "Course") -> bool:
    return not pipeline_plan.writes(sessions.get(course.store.database, course.name))


def unproved(course: "Course") -> None:
    """Stages that were to write have changed nothing: no check could tell whether the task is done."""
    why = "No stage changed a file"
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        session.verdict, session.ended_at = outcomes.UNVERIFIED, change.now
        session.state["unproved"] = why
        sessions.save(change, session, "session.ended", {"why": why.lower()})


def answered(course: "Course", step: "Step") -> None:
    """A pipeline that only read ends with its report: there is nothing that a check could show."""
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        session.ended_at = change.now
        session.state["answered"] = True
        sessions.save(change, session, "session.answered", {"why": step.text})


class Typed:
    """A whole line as it was typed after the skill."""

    __slots__ = ("options", "pipeline", "wishes")

    def __init__(self, text: str) -> None:
        flags, rest = written.command(text)
        self.options: dict[str, Any] = {key: True for key in _SWITCHES if key in flags}
        for flag, (key, low) in NUMBERS.items():
            if flag in flags:
                self.options[key] = check.whole(flags[flag], f"value for {flag}", low, MOST)
        self.wishes = wished(flags)
        self.pipeline = written.parse(rest)
