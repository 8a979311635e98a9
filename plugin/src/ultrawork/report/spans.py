"""
A session as OpenTelemetry spans: the session, its tasks, the agents of each, and its checks.

Ids are made from what they name, so that a session that is exported again gives the same spans. No request, code or
output is in them.
"""

import os
from typing import Any

from ..core.plan.task import FAILED, IN_PROGRESS, RESOLVED
from ..core.session.session import FULL, Session
from ..core.times import parse_iso
from ..core.value import Value, fresh
from ..store import agents, attempts, receipts, tasks
from ..store.codec import digest
from ..store.store import Store
from .summary import summarize

_OK, _ERROR, _UNSET = 1, 2, 0
_INTERNAL = 1
_ENDS = {"PASS": _OK, "FAIL": _ERROR, "green": _OK, "red": _ERROR}
_STATUSES = {RESOLVED: _OK, FAILED: _ERROR}
Attributes = dict[str, Any]


class Span(Value):
    """`parent` is the name of the span above; the session has none. Attributes that are None are left out."""

    name: str
    kind: str
    title: str
    parent: str
    start: float
    end: float
    status: int = _UNSET
    attributes: Attributes = fresh(dict)


def list_spans(store: Store, session: Session) -> list[Span]:
    """Return the session first, then its tasks, agents and checks. What is still running ends now."""
    now = store.now()
    spans = [_describe_session(store, session, now)]
    working = _list_agents(store, session, now)
    spans += _list_tasks(store, session, working, now)
    known = {span.name for span in spans}
    for span in working:
        span.parent = span.parent if span.parent in known else "session"
    return [*spans, *working, *_list_checks(store, session)]


def _describe_session(store: Store, session: Session, now: float) -> Span:
    summary = summarize(store, session)
    verdict = summary.outcome.verdict
    attributes: Attributes = {
        "ultrawork.session.id": session.id,
        "ultrawork.session.kind": session.kind,
        "ultrawork.project": os.path.basename(session.working_dir),
        "ultrawork.state": summary.state.word,
        "ultrawork.verdict": verdict or None,
        "ultrawork.strength": summary.strength,
        "ultrawork.sent_back": summary.sent_back,
        "ultrawork.cost_usd": summary.cost_usd,
        "ultrawork.cost_complete": None if summary.cost_usd is None else summary.cost_complete,
    }
    end = session.ended_at or now
    status = _ENDS.get(verdict, _UNSET)
    return Span("session", "session", "session", "", session.started_at, end, status, attributes)


def _list_tasks(store: Store, session: Session, working: list[Span], now: float) -> list[Span]:
    """Return a span for each task that began; it starts with the task's first agent."""
    if session.kind != FULL:
        return []
    began: dict[str, float] = {}
    for span in working:
        began[span.parent] = min(span.start, began.get(span.parent, span.start))
    listed = [task for task in tasks.list_all(store.database, session.id) if not task.is_verify]
    return [
        Span(
            f"task {task.id}",
            "task",
            f"task {task.id}",
            "session",
            began[f"task {task.id}"],
            now if task.status == IN_PROGRESS else task.updated_at,
            _STATUSES.get(task.status, _UNSET),
            {"ultrawork.task.status": task.status, "ultrawork.task.attempts": task.attempts},
        )
        for task in listed
        if f"task {task.id}" in began
    ]


def _list_agents(store: Store, session: Session, now: float) -> list[Span]:
    rows = attempts.list_all(store.database, session.id)
    if rows:
        return [_describe_attempt(row, now) for row in rows]
    return [
        Span(
            f"agent {call.call}",
            "agent",
            f"agent {call.role.rpartition(':')[2]}",
            f"task {call.subject}",
            call.started_at or call.asked_at,
            call.ended_at or now,
            attributes={"gen_ai.agent.name": call.role, "gen_ai.request.model": call.model or None},
        )
        for call in agents.list_all(store.database, session.id)
    ]


def _describe_attempt(row: attempts.AttemptRow, now: float) -> Span:
    attributes: Attributes = {
        "gen_ai.agent.name": row.role,
        "gen_ai.request.model": row.model or None,
        "ultrawork.backend": row.backend,
        "ultrawork.tokens": row.tokens,
        "ultrawork.cost_usd": row.cost_usd,
        "ultrawork.attempt": row.epoch,
        "ultrawork.machine": row.machine or None,
    }
    return Span(
        f"agent {row.subject}.{row.epoch}",
        "agent",
        f"agent {row.role}",
        f"task {row.subject}",
        row.started_at or row.claimed_at,
        row.ended_at or now,
        _ERROR if row.state == attempts.LOST else _STATUSES.get(row.status, _UNSET),
        attributes,
    )


def _list_checks(store: Store, session: Session) -> list[Span]:
    return [_describe_check(receipt) for receipt in receipts.list_all(store.database, session.id)]


def _describe_check(receipt: dict[str, Any]) -> Span:
    run, start = receipt["run"], parse_iso(receipt["run"]["started"]) or 0.0
    attributes: Attributes = {
        "ultrawork.receipt": receipt["id"],
        "ultrawork.check.on": run["on"],
        "ultrawork.check.result": receipt["result"],
        "ultrawork.check.tests": (receipt["tests"] or {}).get("ran"),
        "process.exit.code": run["exit"],
    }
    name = receipt["gate"]["name"]
    status = _ENDS.get(receipt["result"], _UNSET)
    end = start + float(run["seconds"])
    return Span(f"check {receipt['id']}", "check", f"check {name}", "session", start, end, status, attributes)


def make_request(session: Session, spans: list[Span], version: str) -> dict[str, Any]:
    """Return the body of an OTLP request, in its JSON form."""
    trace = digest(f"ultrawork trace {session.id} {session.run}")[:32]

    def name_span(name: str) -> str:
        return digest(f"{trace} {name}")[:16]

    def encode(span: Span) -> dict[str, Any]:
        document = {
            "traceId": trace,
            "spanId": name_span(span.name),
            "name": span.title,
            "kind": _INTERNAL,
            "startTimeUnixNano": str(int(span.start * 1e9)),
            "endTimeUnixNano": str(int(max(span.start, span.end) * 1e9)),
            "attributes": _encode({"ultrawork.kind": span.kind, **span.attributes}),
            "status": {"code": span.status},
        }
        return {**document, "parentSpanId": name_span(span.parent)} if span.parent else document

    scope = {"name": "ultrawork", "version": version}
    listed = [encode(span) for span in spans]
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _encode({"service.name": "ultrawork"})},
                "scopeSpans": [{"scope": scope, "spans": listed}],
            }
        ]
    }


def _encode(attributes: Attributes) -> list[dict[str, Any]]:
    return [{"key": key, "value": _encode_value(value)} for key, value in attributes.items() if value is not None]


def _encode_value(value: object) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": str(value)}
