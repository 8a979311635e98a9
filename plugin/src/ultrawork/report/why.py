"""Explain what a session came to, and why: the decision, its reason, and what would change it."""

from ..core.errors import NotFound
from ..core.plan.task import Task
from ..core.session.session import LIGHT, Session
from ..core.state import GONE
from ..core.stop.rules import TRY_AGAIN
from ..core.times import format_iso
from ..core.verdict.summary import explain_pass, find_reason, name_verdict
from ..core.verdict_values import FAIL, PASS, UNVERIFIED
from ..store import decisions, receipts
from ..store.database import Database
from ..store.decisions import StoredDecision
from ..store.store import Store
from .summary import SessionSummary, read_ending, summarize

ACTIONS = {
    "silent": "allowed the agent to stop; still on",
    "quiet-end": "ended without a verdict",
    "later": "allowed the agent to stop; checks run in the background",
    "pass": "ended with PASS",
    "refuse": "sent the agent back",
    "nudge": "asked the agent to continue",
    "let-go": "ended with UNVERIFIED",
}

_TRY_AGAIN = f"try again: {TRY_AGAIN}"
# Rules that end a session because the agent was sent back often enough.
_USED_UP = ("limit", "no-progress")


def find_last_decision(store: Store, session: str) -> StoredDecision | None:
    """Return the newest decision, including one that passed at first sight."""
    taken = [decisions.find_last(store.database, session), decisions.find_noted(store.home, session)]
    stored = [decision for decision in taken if decision is not None]
    return max(stored, key=lambda decision: decision.at) if stored else None


def name_outcome(database: Database, session: Session) -> str:
    """Return the outcome as screens show it: `PASS, proved`, `FAILED`, or a phase while nothing is decided."""
    outcome = read_ending(database, session)
    strength = receipts.find_strength(database, session.id) if outcome.verdict == PASS else None
    return name_verdict(outcome.word or session.phase, strength)


def read_cause(database: Database, session: str) -> str:
    """Return why the session is in its current state: the newest reason that a stop or step recorded."""
    taken, step = decisions.find_last(database, session), read_last_step(database, session)
    if taken is not None and (step is None or taken.at >= step[0]):
        return taken.because
    return step[1] if step is not None else ""


def read_last_step(database: Database, session: str) -> tuple[float, str] | None:
    """Return when a session last moved for a recorded reason, and the reason."""
    row = database.row(
        "SELECT at, json_extract(data, '$.why') FROM events WHERE session=? AND kind IN (?,?,?,?,?)"
        " AND json_extract(data, '$.why') IS NOT NULL ORDER BY id DESC LIMIT 1",
        session, "phase.reached", "iteration.began", "session.ended", "session.failed", "question.answered",
    )  # fmt: skip
    return None if row is None else (row[0], str(row[1]))


def explain_decision(taken: StoredDecision, word: str = "", fact: str = "") -> str:
    """Explain a decision. `word` is the outcome of a session that has ended, `fact` what the last verdict found."""
    when = (format_iso(taken.at) or "")[11:16]
    action = ACTIONS.get(taken.action, taken.action)
    if word:
        action = word if word in action else f"{word}, {action}"
    lines = [
        f"decided    {when} {action}",
        f"because    {taken.because}",
        *([f"           {fact}"] if fact and fact != taken.because else []),
        f"next       {_TRY_AGAIN if taken.clears == TRY_AGAIN else taken.clears or 'nothing to do'}",
    ]
    return "\n".join(lines)


def explain_course(state: str, verdict: str, at: float, because: str) -> str:
    """Explain a session that no stop decided last: how far it is, or how it ended."""
    lines = [
        f"decided    {(format_iso(at) or '')[11:16]} {state}",
        f"because    {because}",
        f"next       {_CHANGES.get(verdict, 'nothing to do, it continues')}",
    ]
    return "\n".join(lines)


_CHANGES = {
    PASS: "nothing to do",
    FAIL: "see what failed: ultrawork report; try again: ultrawork exec --restart",
    UNVERIFIED: "check the current files: ultrawork verify",
}


def explain_task(task: Task, done: set[str]) -> str:
    """Explain why a task is in its state; `done` are the resolved tasks."""
    left = [name for name in task.blocked_by if name not in done]
    waits = f"it waits for {', '.join(left)}" if left else "it is ready to start"
    lines = [
        f"decided    task {task.id} is {task.status}, attempt {task.attempts}",
        f"because    {task.reason or waits}",
        f"next       {'; '.join(task.criteria) or 'no criterion was given'}",
    ]
    return "\n".join(lines)


def explain_verdict(store: Store, session: Session) -> tuple[dict[str, object], str]:
    """Explain the verdict of `verify` in a terminal."""
    last = receipts.find_last_verdict(store.database, session.id)
    if last is None:
        raise NotFound("nothing has been verified here yet. Run ultrawork verify")
    passes = last["verdict"] == PASS
    because = explain_pass(last) if passes else find_reason(last)
    open_findings = [finding for finding in last["findings"] if finding["level"] != "note"]
    clears = next((finding["clears"] for finding in open_findings if finding["clears"]), "")
    lines = [
        f"decided    {last['decided'][11:16]} {last['verdict']} (ultrawork verify)",
        f"because    {because}",
        f"next       {'nothing to do' if passes else clears or _CHANGES[UNVERIFIED]}",
    ]
    data = {
        "verdict": last["verdict"],
        "strength": last["strength"],
        "because": because,
        "summary": summarize(store, session).document(),
    }
    return data, "\n".join(lines)


def explain_session(store: Store, session: Session) -> tuple[dict[str, object], str]:
    """Return the newer of the last stop decision and the last step of the session, as a document and as text."""
    summary = summarize(store, session)
    data: dict[str, object] = {
        "phase": session.phase,
        **summary.outcome.document(),
        "strength": summary.strength,
        "summary": summary.document(),
    }
    if _is_superseded(store.database, session, summary.outcome.verdict):
        verified, text = explain_verdict(store, session)
        return {**data, **verified}, text
    step = read_last_step(store.database, session.id)
    taken = find_last_decision(store, session.id)
    if summary.state.word in GONE or (taken is None and step is None):
        return {**data, "because": summary.state.what}, _explain_state(summary)
    if taken is None or (step is not None and step[0] > taken.at):
        assert step is not None
        state = session.phase if session.active else summary.word
        text = explain_course(state, summary.outcome.verdict, *step)
        return {**data, "because": step[1]}, text
    fact = _find_open_fact(store, session) if taken.rule in _USED_UP else ""
    return {**taken.document(), **data}, explain_decision(taken, summary.outcome.word, fact)


def _is_superseded(database: Database, session: Session, verdict: str) -> bool:
    """Return whether a `verify` after the end came to another verdict than the session."""
    ended = not session.active and session.kind == LIGHT
    return ended and verdict != session.verdict and receipts.is_after_end(database, session.id)


def _find_open_fact(store: Store, session: Session) -> str:
    """Return what is still open after the agent was sent back in vain."""
    last = receipts.find_last_verdict(store.database, session.id)
    if last is None or last["verdict"] == PASS:
        return ""
    return str(last["accepted"][0]) if last["accepted"] else find_reason(last)


def _explain_state(summary: SessionSummary) -> str:
    """Explain a session in which nothing was decided, or that no process drives anymore."""
    state, is_gone = summary.state, summary.state.word in GONE
    lines = [
        f"decided    nothing yet; {state.word if is_gone else state.line}",
        f"because    {state.what if is_gone else 'ultrawork has decided nothing in this session yet'}",
        f"next       {'resume it, or end it: ultrawork cancel' if is_gone else 'nothing to do, it continues'}",
    ]
    return "\n".join(lines)
