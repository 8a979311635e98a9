"""`ultrawork stats`: what has come of things over time: sessions and their checks, reviewers."""

from collections import Counter
from typing import Any

from ...core.session.session import Session
from ...core.times import format_duration
from ...core.verdict import reviews
from ...report.why import read_ending
from ...store import decisions, receipts, sessions
from ...store import reviews as stored
from ..command import Command, Result, render_table
from ..environment import VerbEnvironment
from ..flags import SINCE, Args

_RUNNING = "on"


def show(args: Args, env: VerbEnvironment) -> Result:
    found = sessions.list_all(env.store.database, since=env.since(args))
    data = count(env, found)
    if not found:
        return Result(data, "no session yet; begin a request with ulw")
    return Result(data, render(data))


def count(env: VerbEnvironment, found: list[Session]) -> dict[str, Any]:
    database = env.store.database
    endings: Counter[str] = Counter()
    results: Counter[str] = Counter()
    refusals, seconds = 0, 0.0
    for session in found:
        endings[_RUNNING if session.active else read_ending(database, session).word] += 1
        results.update(one["result"] for one in receipts.list_all(database, session.id))
        taken = decisions.list_since(database, session.id, 0.0)
        refusals += sum(one.action in decisions.REFUSALS for one in taken)
        seconds += (session.ended_at or session.updated_at) - session.started_at
    return {
        "sessions": len(found),
        "endings": dict(endings.most_common()),
        "refusals": refusals,
        "receipts": dict(results.most_common()),
        "seconds": round(seconds, 1),
    }


def render(data: dict[str, Any]) -> str:
    rows = {
        "sessions": f"{data['sessions']}, {format_duration(data['seconds'])} in all",
        "ended": _list(data["endings"]),
        "sent back": str(data["refusals"]),
        "checks run": _list(data["receipts"]) or "none",
    }
    return "\n".join(f"{name:<11}{told}" for name, told in rows.items())


def _list(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name or 'undecided'}" for name, number in counts.items())


def show_reviewers(_args: Args, env: VerbEnvironment) -> Result:
    """Over all checkouts: how often a reviewer was right, by the commands that were run."""
    records = reviews.count_records(stored.list_claims(env.store.home))
    documents = [{**one.document(), "precision": one.precision} for one in records]
    rows = [
        (one.reviewer, _share(one.precision), str(one.confirmed), str(one.refuted), str(one.opinions), str(one.pending))
        for one in records
    ]  # fmt: skip
    head = ("REVIEWER", "PRECISION", "CONFIRMED", "REFUTED", "OPINIONS", "NOT RUN")
    text = render_table(head, rows) if rows else "no reviewer has found anything yet"
    return Result({"reviewers": documents}, text)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


COMMANDS = (
    Command(
        "",
        "Count sessions by how they ended, refusals, and the results of checks",
        show,
        flags=(SINCE,),
        example="ultrawork stats --since 7d",
    ),
    Command(
        "reviewers",
        "Show how often each reviewer was right, by the commands that were run",
        show_reviewers,
        example="ultrawork stats reviewers",
    ),
)
