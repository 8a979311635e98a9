"""A requirement without a client: how it starts, and what its workers' ends mean."""

from ...cli.headless.new_session import NewSession
from ...clients.headless.attempt import AgentOutcome, Attempt
from ...core.errors import UsageError
from ...core.plan import task
from ...core.session.session import Session
from ...engine.agents.integration import Integration, tell_failure
from ...engine.contract import Settlement
from ...engine.run import HeadlessRun
from ...report import timeline
from .course import progress, work
from .values.answers import BLOCKED, QUESTION


def check_start(start: NewSession) -> None:
    if start.args.on("--auto"):
        raise UsageError("axiom asks you before it builds; remove --auto")


def begin_run(start: NewSession) -> Session:
    env = start.env
    words = start.words(max_workers=start.configured()["max_workers"])
    return progress.begin(env.store, env.environ, env.place, start.name, words)


def hear_worker(
    run: HeadlessRun, integration: Integration, attempt: Attempt, outcome: AgentOutcome
) -> Settlement | None:
    """Handle a worker's end: its question goes to the user; one that cannot continue is not retried."""
    answer = work.read_answer(outcome.text)
    if outcome.trouble or answer.status not in (QUESTION, BLOCKED):
        return None
    integration.salvage(attempt)
    if answer.status == QUESTION and answer.question:
        work.ask_for_task(run.store, run.name, attempt.subject, answer)
        run.tell(timeline.NOTE, text=f"{attempt.subject} asks: {answer.question}")
        return Settlement(task.PENDING, "its worker asked a question")
    work.note_stuck(run.store, run.name, answer)
    reason = f"the worker reports that it is blocked: {answer.cause or answer.needs}"
    tell_failure(run, attempt.subject, reason)
    return Settlement(task.FAILED, reason)
