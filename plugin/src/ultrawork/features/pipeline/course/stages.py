"""A pipeline is a planned session whose plan the program made from what the user wrote.

No explorer or planner runs. A stage's report is stored like an explorer's, and passed to later stages as one object;
texts too long for a prompt are files beside their work."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from ....core import check, verdict_values
from ....core.course.roles import VERIFIER, Spawn
from ....core.course.steps import NextStep, SessionFacts
from ....core.modes import record
from ....core.modes.modes import PIPELINE
from ....core.plan.task import FAILED, PENDING, RESOLVED, SKIPPED, Task
from ....core.session import exploration
from ....core.session.session import OPTION_LIMIT, OPTION_NUMBERS, Session
from ....core.stop import last_message
from ....core.times import format_iso
from ....flow import agent_ends, beginning, modes, planning
from ....flow.agent_ends import CriteriaResult
from ....flow.course import Course
from ....flow.planning import describe_diff
from ....store import attempts, pins, sessions, tasks
from ....store.codec import dumps_pretty
from ....store.database import Change
from ....store.omc.folder import Omc
from ....store.store import Store
from ..values import context, stage_plan
from ..values import expression as written
from ..values.agents import REVIEWER
from ..values.context import make_context
from ..values.expression import Pipeline, PipelineOptions
from .agents import resolve_agents

_SWITCHES = ("skip_verify", "auto_mode")
_HEAD = "PIPELINE_CONTEXT (results of earlier stages; a whole_output is a file in your folder):"


def begin(
    store: Store,
    environ: Mapping[str, str],
    place: str,
    name: str,
    *,
    pipeline: Pipeline,
    wishes: PipelineOptions,
    options: Mapping[str, Any],
) -> Session:
    """Create the session with its plan; raise if an agent is unknown or another mode is in the way."""
    agents = resolve_agents(pipeline, place, environ)
    modes.refuse_rivals(store, place, name, PIPELINE)
    plan, document = stage_plan.make_plan(pipeline, wishes, agents, now=store.now())

    def fill(change: Change, session: Session) -> None:
        _fill(change, session, plan, document)

    words = beginning.GoalCommand({"auto_mode": True, **options}, pipeline.task)
    session = beginning.begin(store, environ, place, name, words, fill=fill)
    beginning.add_mode(store, place, name, PIPELINE, limits={"retry": wishes.retry * len(plan)})
    return session


def _fill(change: Change, session: Session, plan: list[Task], document: dict[str, Any]) -> None:
    tasks.create(change, planning.complete_tasks(plan, {}, now=change.now))
    session.exploration_stage = exploration.COMPLETE
    session.plan = {**session.plan, "created_at": format_iso(change.now)}
    session.state.pipeline = document
    details = {"expression": document["expression"], "on_error": document["on_error"]}
    sessions.save(change, session, "pipeline.planned", details)


def read_options(flags: Mapping[str, str]) -> PipelineOptions:
    tries = flags.get("--retry")
    return written.PipelineOptions(
        None if tries is None else written.parse_tries(tries),
        flags.get("--on-error", written.ABORT),
        flags.get("--merge", written.CONCAT),
    )


def brief_stage(course: Course, spawn: Spawn, place: str = "") -> Spawn:
    """Brief a stage for this folder, or where the session works."""
    session = sessions.get(course.store.database, course.name)
    prompt = spawn.with_prompt(_describe_context(course, spawn.subject, place or session.place))
    return prompt.with_prompt(describe_diff(course, place)) if _needs_diff(session, spawn.subject) else prompt


def _describe_context(course: Course, name: str, place: str) -> str:
    """Return the stage's context; long reports are written into its folder."""
    database = course.store.database
    session = sessions.get(database, course.name)
    reports = {explorer.id: explorer.report or "" for explorer in sessions.list_explorers(database, course.name)}
    omc = Omc(place)
    folder = f"{omc.state_folder(course.name)}/pipeline"
    stage_context = make_context(
        session, name, tasks.list_all(database, course.name), reports, folder[len(omc.top) + 1 :]
    )
    for file, text in stage_context.files.items():
        omc.change(f"{folder}/{file}", partial(_give_text, text))
    return f"{_HEAD}\n{dumps_pretty(stage_context.document)}"


def _give_text(text: str, _before: str | None) -> str:
    return text


def _needs_diff(session: Session, name: str) -> bool:
    """Return whether the stage judges what others changed: it reads, and has no shell to ask git."""
    stage = stage_plan.find_stage(session, name)
    return stage is not None and stage.agent in (REVIEWER, VERIFIER)


def decide_stage_end(
    stage: stage_plan.PipelineStage, checked: CriteriaResult, message: str
) -> tuple[str, str, list[str]]:
    """Return resolved or failed, why, and the evidence; a read-only stage is accepted by its report."""
    if not message.strip():
        return FAILED, "it ended without a report", []
    if not stage.reads:
        return agent_ends.decide_end(checked, message)
    blocked = last_message.find_blocked_reason(message)
    if blocked:
        return FAILED, f"the {stage.name} reports that it is blocked: {blocked}", []
    return RESOLVED, "", ["its report is stored"]


def finish_stage(store: Store, name: str, task: Task, checked: CriteriaResult, message: str) -> str:
    """Finish a stage in a client; its report is stored before the task is done."""
    from ....store import agents

    stage = stage_plan.find_stage(sessions.get(store.database, name), task.id)
    assert stage is not None
    status, reason, evidence = decide_stage_end(stage, checked, message)
    if status == RESOLVED:
        agent_ends.record_report(store, name, task.id, message)
    with store.change(name) as change:
        tasks.update(change, task.id, status=status, evidence=evidence, reason=reason or None)
        agents.release(change, task.id)
    return status


def handle_failure(course: Course, _step: NextStep) -> None:
    """Handle the first failed stage that the pipeline continues after: skip it, or give it to another agent."""
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        plan = tasks.list_all(change.database, course.name)
        failed = [task for task in stage_plan.list_failed_stages(session, plan) if stage_plan.may_go_on(session, task)]
        document = session.state.pipeline
        for task in failed:
            _GO_ON[document["on_error"]](change, session, task)
        details = {"stages": [task.id for task in failed], "on_error": document["on_error"]}
        sessions.save(change, session, "stage.failed", details)


def _skip(change: Change, _session: Session, task: Task) -> None:
    reason = f"skipped after its failure: {task.reason or 'no reason given'}"
    tasks.update(change, task.id, status=SKIPPED, reason=reason)
    tasks.leave_out(change, task.id)


def _fall_back(change: Change, session: Session, task: Task) -> None:
    stage_plan.fall_back(session.state.pipeline, task.id)
    tasks.update(change, task.id, status=PENDING)


_GO_ON = {written.SKIP: _skip, written.FALLBACK: _fall_back}


def close(course: Course, step: NextStep) -> bool:
    """Return whether it has ended here: a read-only pipeline has answered; one that should write and changed nothing
    has no proof. Any other is verified."""
    if not _is_untouched(course):
        return False
    if stage_plan.has_writers(sessions.get(course.store.database, course.name)):
        _end_unproved(course)
    else:
        _end_answered(course, step)
    return True


def _is_untouched(course: Course) -> bool:
    """Return whether no file is other than at the start, here or in what an engine has merged."""
    from ....gates.session import pinning

    rows = attempts.list_all(course.store.database, course.name)
    pin = pins.get(course.store.database, course.name)
    if pin is None or any(row.result for row in rows):
        return False
    session = sessions.get(course.store.database, course.name)
    return pinning.take_tree(session.place, course.store, course.environ) == pin.tree


def show(course: Course, known: SessionFacts) -> None:
    """Write `pipeline-state.json` from the current stages."""
    progress = record.read_all(known.session).get(PIPELINE)
    if progress is None:
        return
    facts = {**progress.facts, **context.collect_facts(known)}
    tried = min(context.count_retries(known), progress.limits["retry"])
    if (facts, tried) == (progress.facts, progress.counts["retry"]):
        return
    progress.facts, progress.counts["retry"] = facts, tried
    progress.updated_at = course.store.now()
    with course.change() as change:
        modes.save(change, sessions.get(change.database, course.name), progress)


def _end_unproved(course: Course) -> None:
    """End a pipeline whose writing stages changed nothing, because no check can prove it."""
    why = "No stage changed a file"
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        session.verdict, session.ended_at = verdict_values.UNVERIFIED, change.now
        session.state.unproved = why
        sessions.save(change, session, "session.ended", {"why": why.lower()})


def _end_answered(course: Course, step: NextStep) -> None:
    """End a read-only pipeline with its report: there is nothing for a check to show."""
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        session.ended_at = change.now
        session.state.answered = True
        sessions.save(change, session, "session.answered", {"why": step.text})


class PipelineCommand:
    """The whole line typed after the skill."""

    def __init__(self, text: str) -> None:
        flags, rest = written.parse_command(text)
        self.options: dict[str, Any] = {key: True for key in _SWITCHES if key in flags}
        for flag, (key, low) in OPTION_NUMBERS.items():
            if flag in flags:
                self.options[key] = check.parse_number(flags[flag], f"value for {flag}", low, OPTION_LIMIT)
        self.wishes = read_options(flags)
        self.pipeline = written.parse(rest)
