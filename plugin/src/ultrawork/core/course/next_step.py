"""
Decide what comes next in a session, from what is stored.

Hooks push the step into the conversation, `ultrawork next` prints it, and the engine executes it. A step is either
the program's own work (`own`), or work for the model or the user.
"""

from collections.abc import Mapping, Sequence

from .. import registry
from ..modes import modes, shared_files
from ..plan.schedule import Schedule
from ..plan.task import FAILED, IN_PROGRESS, RESOLVED, SKIPPED, Task
from ..session import exploration
from ..session import session as phases
from ..session.session import Session
from ..verdict_values import FAIL, PASS
from . import judges, roles
from .roles import Spawn
from .steps import (
    APPROVAL,
    ASK,
    COMPLETE,
    COORDINATE,
    DONE,
    EXECUTE,
    EXPLORED,
    FAILING,
    HINTS,
    ITERATE,
    OVERVIEW,
    OWN,
    PLAN,
    REASON,
    RETRY,
    SETTLE,
    SETTLING,
    SPAWN,
    STAGES_DONE,
    STAND,
    STUCK,
    UNVERIFIED,
    VERIFY,
    WAIT,
    NextStep,
    SessionFacts,
)

UNRESOLVED = "tasks are not resolved"
_START_WORKERS = "start these workers in one message"


def choose_next(known: SessionFacts) -> NextStep:
    """Return the next step of a session."""
    if not known.session.active:
        return _describe_end(known)
    # A leading feature may leave the next step to the plan.
    led = registry.ask_lead("choose_step")(known) if known.session.state.lead else None
    step: NextStep = led or _BY_PHASE[known.session.phase](known)
    return step


def _planning(known: SessionFacts) -> NextStep:
    return _BY_STAGE[known.session.exploration_stage](known)


def _overview(known: SessionFacts) -> NextStep:
    if any(explorer.id == "overview" and explorer.done_at is not None for explorer in known.explorers):
        return NextStep(OWN, "choose what to explore", own=HINTS)
    return NextStep(OWN, "make the overview", own=OVERVIEW)


def _targeted(known: SessionFacts) -> NextStep:
    """Start the expected explorers that have not reported, and wait for those that are running."""
    missing = [explorer for explorer in known.explorers if explorer.expected and explorer.done_at is None]
    if not missing:
        return NextStep(OWN, "exploration is complete", own=EXPLORED)
    overview = next((explorer.summary for explorer in known.explorers if explorer.id == "overview"), "")
    absent = [explorer for explorer in missing if explorer.id not in known.running]
    spawns = [roles.spawn_explorer(known.session, explorer.id, explorer.hint, overview) for explorer in absent]
    waiting = [explorer.id for explorer in missing]
    if not spawns:
        return NextStep(WAIT, f"explorers running: {', '.join(waiting)}", waiting=waiting)
    return NextStep(SPAWN, "start these explorers in one message", spawns=spawns, waiting=waiting)


def _explored(known: SessionFacts) -> NextStep:
    if known.tasks and not known.plan_errors:
        return _planned(known)
    if not known.session.options["auto_mode"]:
        why = f" ({known.plan_errors[0]})" if known.plan_errors else ""
        questions = f"up to {known.questions} questions" if known.questions > 1 else "one question"
        return NextStep(PLAN, f"plan with the user: findings, {questions} at a time, design, tasks{why}")
    if judges.find_missing(known, judges.BEFORE):
        return _drafted(known, judges.BEFORE)
    if known.plan_errors and known.has_spent("architect"):
        return NextStep(OWN, f"no valid plan: {known.plan_errors[0]}", own=FAILING)
    spawn = roles.spawn_planner(known.session, known.plan_errors)
    return _start_agents(known, "start the planner", [spawn])


def _start_agents(known: SessionFacts, text: str, spawns: Sequence[Spawn]) -> NextStep:
    """Start the agents that are not running, or wait if all of them are."""
    absent = [spawn for spawn in spawns if spawn.subject not in known.running]
    waiting = [spawn.subject for spawn in spawns if spawn.subject in known.running]
    if absent:
        return NextStep(SPAWN, text, spawns=absent, waiting=waiting)
    names = ", ".join(spawn.agent.rpartition(":")[2] for spawn in spawns)
    verb = "is" if len(spawns) == 1 else "are"
    return NextStep(WAIT, f"the {names} {verb} running", waiting=waiting)


def _drafted(known: SessionFacts, table: Mapping[str, str]) -> NextStep:
    spawn = judges.spawn_draft(known, table)
    return _start_agents(known, f"start the planner for the {spawn.subject}", [spawn])


def _planned(known: SessionFacts) -> NextStep:
    if judges.find_missing(known, judges.AFTER):
        return _drafted(known, judges.AFTER)
    if known.session.options["plan_only"]:
        return NextStep(OWN, "the plan is ready", own=STAND)
    if known.session.options["auto_mode"] or known.session.plan.get("approved_at"):
        return NextStep(OWN, "start the execution", own=EXECUTE)
    question, options = APPROVAL.get(known.language, APPROVAL["en"])
    return NextStep(ASK, "show the plan, then ask", question=question, options=options)


def _stands(known: SessionFacts) -> NextStep:
    if known.session.options["plan_only"]:
        return NextStep(DONE, "the plan is ready. Execute it: /ultrawork:ultrawork-exec")
    return _planned(known)


def _execution(known: SessionFacts) -> NextStep:
    if any(task.status == FAILED and task.may_retry for task in known.work):
        return NextStep(OWN, "failed tasks are retried", own=RETRY)
    if known.session.state.pipeline:
        after: NextStep | None = registry.ask(modes.PIPELINE, "decide_after_failure")(known)
        if after is not None:
            return after
    running = [task.id for task in known.work if task.status == IN_PROGRESS]
    chosen = _ready(known, len(running))
    if chosen:
        spawns = [spawn_task(known.session, task, known.models) for task in chosen]
        again = known.session.iteration > 1 or any(task.attempts for task in chosen)
        direct = known.session.state.direct and not known.session.state.run
        text = "do these tasks yourself, as the user asked" if direct else _START_WORKERS
        return NextStep(SPAWN, text, spawns=spawns, waiting=running, again=again, direct=direct)
    if running:
        return NextStep(WAIT, f"workers running: {', '.join(running)}", waiting=running)
    return _continue_settled(known)


def spawn_task(session: Session, task: Task, models: Mapping[str, str] = roles.DEFAULT_MODELS) -> Spawn:
    """Return the agent for a task. Stages of a pipeline have their own agents."""
    if task.id in session.state.pipeline.get("stages", {}):
        stage: Spawn = registry.ask(modes.PIPELINE, "spawn_stage")(session, task, models)
        return stage
    worker = roles.spawn_worker(session, task, models)
    if session.state.lead:
        worker = registry.ask_lead("spawn_worker")(session, worker)
    return worker


def _ready(known: SessionFacts, running: int) -> list[Task]:
    by_name = {task.id: task for task in known.work}
    schedule = Schedule.of(known.tasks, barrier=known.barrier)
    return [by_name[name] for name in schedule.ready(_slots(known, running))]


def _slots(known: SessionFacts, running: int) -> int | None:
    limit = known.option("max_workers")
    return max(0, limit - known.retired - running) if limit else None


def _continue_settled(known: SessionFacts) -> NextStep:
    """Continue when nothing runs and nothing can start: verify, start another round, or ask the user."""
    tasks = [task for task in known.work if task.status not in (RESOLVED, SKIPPED)]
    if tasks:
        why = f"{UNRESOLVED}: {', '.join(task.id for task in tasks[:5])}"
        if known.retired and known.retired >= known.option("max_workers"):
            return NextStep(OWN, f"{why}, and every worker of the team failed twice", own=FAILING)
        if known.attended and not known.session.options["auto_mode"]:
            return _stuck(known, why)
        return _another_round(known, why)
    together = None if known.mode is None else _together(known)
    if together is not None:
        return together
    if known.session.options["skip_verify"]:
        return NextStep(OWN, "verification was skipped, as requested", own=UNVERIFIED)
    if known.session.state.pipeline:
        return NextStep(OWN, "all stages are done", own=STAGES_DONE)
    return NextStep(OWN, "all tasks are done", own=SETTLE)


def _together(known: SessionFacts) -> NextStep | None:
    """Resolve files that several workers wanted or changed before anything is verified."""
    assert known.mode is not None
    if known.mode.mode != modes.ULTRAPILOT:
        return None
    if shared_files.list_wishes(known.session):
        return NextStep(OWN, "workers asked for changes in shared files", own=COORDINATE)
    clashes = shared_files.find_clashes(known.session, known.tasks)
    if not clashes:
        return None
    path, task, other = clashes[0]
    why = f"{task} and {other} both changed {path}"
    step = _another_round(known, why)
    return NextStep(OWN, why, own=SETTLING) if step.own == ITERATE else step


def _another_round(known: SessionFacts, why: str, counter: str = "") -> NextStep:
    """
    Start another round, or end. A mode ends when its own rounds are used up; elsewhere the user may grant more.
    Every way back runs the checks, so it needs a qa round.
    """
    over = next((name for name in (counter, "fix", "qa") if counter and known.has_spent(name)), "")
    if over:
        return NextStep(OWN, f"{why}, and all rounds of {over} are used up", own=FAILING)
    if known.session.iteration < known.option("max_iterations"):
        return NextStep(OWN, why, own=ITERATE)
    if known.attended and known.mode is None:
        return _stuck(known, why)
    return NextStep(OWN, f"{why}, and all iterations are used up", own=FAILING)


def _stuck(known: SessionFacts, why: str) -> NextStep:
    """Ask the user after all tries are used up: try again, skip, or stop."""
    question, options = REASON if known.session.state.skipping else STUCK
    return NextStep(ASK, why, question=question, options=options)


def _verification(known: SessionFacts) -> NextStep:
    if not known.verdict:
        return NextStep(VERIFY, "run `ultrawork verify` to check the result")
    if known.verdict == FAIL:
        return _another_round(known, known.because or "the checks fail", "qa")
    if known.verdict != PASS:
        return _undecided(known, known.because or "no reason is known")
    return _run_judges(known)


def _undecided(known: SessionFacts, why: str) -> NextStep:
    """Send a finding that is not a failure back once, while a round is left. Then the result is final."""
    again = _another_round(known, why, "qa") if known.sends_back else None
    if again is not None and again.own != FAILING:
        return again
    return NextStep(OWN, f"the checks could not decide: {why}", own=UNVERIFIED)


def _run_judges(known: SessionFacts) -> NextStep:
    """Let all judges review the same files, then fix their findings together."""
    wanted = judges.list_wanted(known)
    missing = [judges.spawn(known, part) for part in wanted if part not in known.rulings]
    if missing:
        text = "start the verifier" if len(missing) == 1 else "start these judges in one message"
        return _start_agents(known, text, missing)
    against = [part for part in wanted if known.rulings[part] != judges.APPROVED]
    if not against:
        return NextStep(OWN, "the checks pass and the verifier agrees", own=COMPLETE)
    if all(known.rulings[part] == judges.UNCLEAR for part in against):
        why = f"{' and '.join(against)} gave no readable verdict, even when asked again"
        return NextStep(OWN, why, own=UNVERIFIED)
    who = "the verifier" if against == [judges.VERIFY] else f"a judge ({', '.join(against)})"
    return _another_round(known, f"{who} found something", "validation")


def _describe_end(known: SessionFacts) -> NextStep:
    if known.session.state.answered:
        return NextStep(DONE, registry.ask(modes.PIPELINE, "describe_answer")(known))
    verdict = f", {known.session.verdict}" if known.session.verdict else ""
    return NextStep(DONE, f"the session has ended: {known.session.phase}{verdict}")


_BY_STAGE = {
    exploration.NOT_STARTED: _overview,
    exploration.OVERVIEW: _overview,
    exploration.ANALYZING: lambda _known: NextStep(OWN, "choose what to explore", own=HINTS),
    exploration.TARGETED: _targeted,
    exploration.COMPLETE: _explored,
}
_BY_PHASE = {
    phases.PLANNING: _planning,
    phases.PLANNING_COMPLETE: _stands,
    phases.EXECUTION: _execution,
    phases.VERIFICATION: _verification,
    phases.DOCUMENTATION: _describe_end,
    phases.COMPLETE: _describe_end,
    phases.FAILED: _describe_end,
    phases.CANCELLED: _describe_end,
}
