"""End a session without a verdict of its own: the user's switch, and whatever bypasses it.

Also record that the user accepts open findings, or allows a test to be changed."""

from typing import Any

from ..core import check
from ..core.errors import NotFound, UsageError
from ..core.plan.task import IN_PROGRESS, PENDING
from ..core.session.session import CANCELLED, CHECKOUT, FULL, LIGHT, Session
from ..core.stop import rules
from ..core.verdict import verdict
from ..core.verdict import verdict as verdicts
from . import agents, chains, decisions, markers, receipts, sessions, tasks
from .codec import loads
from .database import Change
from .store import Store

SWITCHED_OFF = "switched-off"
BY_FILE = "another program removed its file; you did not turn it off"
_SEEN = "seen at that time"
_ACCEPTED_TEST = "test.accepted"
# Between the record and the markers of a starting session is a moment.
_ARMING = 60.0


def release(store: Store, name: str, *, how: str) -> Session | None:
    """Turn a session off: the file first, then the record. Never a PASS; the reason is recorded. The markers stay: at
    the next stop the launcher finds them beside the switch, and reports it."""
    markers.switch_off(store.home, name)
    return cancel(store, name, rule=SWITCHED_OFF, how=how)


def cancel(store: Store, name: str, *, rule: str, how: str) -> Session | None:
    """End a session as canceled and unverified; None if it does not exist."""
    try:
        with store.change(name, durable=True) as change:
            session = sessions.get(change.database, name)
            if session.active:
                session.phase = CANCELLED
                session.verdict = verdicts.UNVERIFIED
                session.ended_at = change.now
                session.state.stop_continuation = {"disabled": True, "disabledReason": how}
                _settle_tasks(change, session, how)
                decision = rules.decide_release(rule, how)
                decisions.add(change, decision, event="switch", tree="")
                sessions.save(change, session, "session.released", {"by": store.actor, "how": how})
    except NotFound:
        return None
    return session


def _settle_tasks(change: Change, session: Session, how: str) -> None:
    """Settle tasks that no agent works on anymore; an engine settles those of its own agents."""
    if session.kind != FULL or session.state.run:
        return
    for agent in agents.list_at_work(change.database, session.id, now=change.now):
        agents.mark_ended(change, agent.call)
    for task in tasks.list_all(change.database, session.id, status=IN_PROGRESS):
        tasks.update(change, task.id, status=PENDING, reason=f"not finished: {how}")
        agents.release(change, task.id)


def follow_switch(store: Store, name: str, command: str = "") -> None:
    """
    Update the record after the switch. If the record does not know of it, the file was made by hand, and the
    session ends like any release. `command` is what the agent ran then; it is shown with the reason.
    """
    row = store.database.row("SELECT kind, ended_at, updated_at FROM sessions WHERE id=?", name)
    if row is None:
        return
    kind, ended, updated = row
    seen = f"; {_SEEN}: {command}" if command else ""
    if markers.is_switched_off(store.home, name):
        if ended is None:
            release(store, name, how=f"{BY_FILE}{seen}")
        elif seen:
            _add_what_was_seen(store, name, seen)
    elif kind == LIGHT and ended is None and _markers_are_gone(store, name, updated):
        cancel(store, name, rule="state-gone", how="its marker files are gone, so nothing was verified")


def _markers_are_gone(store: Store, name: str, updated: float) -> bool:
    return not markers.is_armed(store.home, name) and store.now() - updated > _ARMING


def _add_what_was_seen(store: Store, name: str, seen: str) -> None:
    last = decisions.find_last(store.database, name)
    if last is None or last.rule != SWITCHED_OFF or _SEEN in last.because:
        return
    decision = rules.decide_release(SWITCHED_OFF, f"{last.because}{seen}")
    with store.change(name) as change:
        decisions.add(change, decision, event="switch", tree="")


def clean_reason(text: str) -> str:
    if not text.strip():
        raise UsageError("say why you accept it: ulw accept REASON. To let a test be changed: ulw accept test NAME")
    return check.clean_text(text, "reason", 500)


def accept(store: Store, name: str, reason: str, *, where: str) -> dict[str, Any]:
    """Accept open findings; `where` the user did: the client, or a terminal."""
    with store.change(name, durable=True) as change:
        last = receipts.find_last_verdict(change.database, name)
        if last is None:
            raise NotFound("nothing to accept yet, because no check has run. Run ultrawork verify first")
        document = verdict.accept(last, reason)
        receipts.add_verdict(change, document)
        session = sessions.get(change.database, name)
        session.verdict = document["verdict"]
        session.ended_at = session.ended_at or change.now
        sessions.save(change, session, "findings.accepted", {"reason": reason, "at": where})
        _close_chain(change, session)
    return document


def _close_chain(change: Change, session: Session) -> None:
    """Close the chain: accepted work does not count against the next request; `verify` in a terminal covers the whole
    checkout."""
    database = change.database
    own = chains.find(database, session.id)
    here = chains.list_here(database, session.working_dir) if session.kind == CHECKOUT else [own]
    for chain in here:
        chains.close_chain(change, chain, "ulw accept")


def allow_test(store: Store, session: str, reason: str) -> str:
    """Return the test that the user allows to be changed in this session; empty for other reasons."""
    from ..core.prompt.acceptance import find_test_name

    runs = receipts.list_all(store.database, session)
    failed = {test for run in runs for test in (run.get("tests") or {}).get("failed", ())}
    test = find_test_name(reason, failed)
    if test:
        sessions.get(store.database, session)  # raises where there is none that it could be for
        with store.change(session, durable=True) as change:
            change.record(_ACCEPTED_TEST, {"test": test})
    return test


def list_accepted_tests(store: Store, session: str) -> list[str]:
    """Return the names as the user typed them, in order: a whole id, or a test's own name. An agent cannot add one."""
    rows = store.database.rows(
        "SELECT data FROM events WHERE session=? AND kind=? ORDER BY id", session, _ACCEPTED_TEST
    )
    return list(dict.fromkeys(str(loads(data).get("test")) for (data,) in rows))
