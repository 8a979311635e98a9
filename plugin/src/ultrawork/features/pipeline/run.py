"""A pipeline without a client: how it starts, what its stages' ends mean, and its answer."""

from ...cli.headless.new_session import NewSession
from ...clients.headless.attempt import AgentOutcome, Attempt
from ...core.plan import task
from ...core.registry import FEATURES
from ...core.session.session import Session
from ...engine.agents.integration import Integration, tell_failure
from ...engine.contract import Settlement
from ...engine.run import HeadlessRun
from ...flow import agent_ends
from ...report import timeline
from ...store import sessions
from .course import stages
from .course.agents import resolve_agents
from .values import stage_plan
from .values.context import describe_vote
from .values.expression import Pipeline, PipelineOptions, parse
from .values.stage_plan import PipelineStage


def check_start(start: NewSession) -> None:
    expression, _ = _read(start)
    resolve_agents(expression, start.place, start.env.environ)


def begin_run(start: NewSession) -> Session:
    env = start.env
    expression, wishes = _read(start)
    words = start.words(auto_mode=start.args.on("--auto"))
    return stages.begin(
        env.store, env.environ, env.place, start.name, pipeline=expression, wishes=wishes, options=words.options
    )


def _read(start: NewSession) -> tuple[Pipeline, PipelineOptions]:
    """Parse the expression and its flags, before a program is looked for."""
    flags = {name: str(start.args.text(name)) for name in FEATURES["pipeline"].run_flags if start.args.on(name)}
    return parse(start.goal), stages.read_options(flags)


def settle_stage(run: HeadlessRun, integration: Integration, attempt: Attempt, outcome: AgentOutcome) -> Settlement:
    stage = stage_plan.find_stage(run.session, attempt.subject)
    if stage is None:
        return integration.integrate(attempt, outcome)
    settled = _settle_reader(run, stage, attempt, outcome) if stage.reads else integration.integrate(attempt, outcome)
    if settled.status == task.RESOLVED:
        agent_ends.record_report(run.store, run.name, attempt.subject, outcome.text or "(no report)")
    return settled


def _settle_reader(run: HeadlessRun, stage: PipelineStage, attempt: Attempt, outcome: AgentOutcome) -> Settlement:
    """Accept a stage that changes nothing by its report."""
    if outcome.trouble:
        tell_failure(run, attempt.subject, outcome.detail)
        return Settlement(task.FAILED, outcome.detail)
    status, reason, evidence = stages.decide_stage_end(stage, agent_ends.CriteriaResult(), outcome.text)
    if status == task.RESOLVED:
        run.tell(timeline.REPORTED, subject=attempt.subject, said=outcome.text)
    elif status == task.FAILED:
        tell_failure(run, attempt.subject, reason, outcome.text)
    return Settlement(status, reason, evidence=evidence)


def read_answer(run: HeadlessRun, session: Session) -> tuple[list[str], str]:
    """Return the last reports of a read-only pipeline, and its vote."""
    names = stage_plan.list_last_stage(session)
    reports = {explorer.id: explorer.report or "" for explorer in sessions.list_explorers(run.store.database, run.name)}
    return [reports[name] for name in names if name in reports], describe_vote(session, reports, names)
