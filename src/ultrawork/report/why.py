"""Why something was decided: what, because of what, and what would change it."""

from ..core.plan.task import Task
from ..core.session.session import Session
from ..core.times import format_iso
from ..core.verdict_values import FAIL, PASS, UNVERIFIED
from ..store.decisions import StoredDecision

_ACTIONS = {
    "silent": "let the stop pass and stayed on",
    "quiet-end": "ended without a verdict",
    "later": "let the stop pass and checks in the background",
    "pass": "ended with PASS",
    "refuse": "sent the agent back",
    "nudge": "asked the agent to go on",
    "let-go": "let go with UNVERIFIED",
}


def explain_decision(taken: StoredDecision) -> str:
    when = (format_iso(taken.at) or "")[11:16]
    lines = [
        f"decided    {when} {_ACTIONS.get(taken.action, taken.action)} ({taken.rule})",
        f"because    {taken.because}",
        f"to change  {taken.clears or 'nothing to do'}",
    ]
    return "\n".join(lines)


def explain_course(session: Session, at: float, because: str) -> str:
    """The same of a session that no stop decided: how far it is, or how it ended."""
    when, stands = (format_iso(at) or "")[11:16], session.phase.lower().replace("_", " ")
    lines = [
        f"decided    {when} {stands}{f', {session.verdict}' if session.verdict else ''}",
        f"because    {because}",
        f"to change  {_CHANGES.get(session.verdict or '', 'nothing to do, it goes on')}",
    ]
    return "\n".join(lines)


_CHANGES = {
    PASS: "nothing to do",
    FAIL: "see ultrawork logs; ultrawork exec --restart tries again",
    UNVERIFIED: "ultrawork verify, in the files as they are",
}


def explain_task(task: Task, done: set[str]) -> str:
    """Why a task is where it is; `done` are the tasks that are resolved."""
    left = [name for name in task.blocked_by if name not in done]
    waits = f"it waits for {', '.join(left)}" if left else "nothing holds it"
    lines = [
        f"decided    task {task.id} is {task.status}, attempt {task.attempts}",
        f"because    {task.reason or waits}",
        f"to change  {'; '.join(task.criteria) or 'no criterion was given'}",
    ]
    return "\n".join(lines)
