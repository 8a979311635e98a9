"""`ultrawork stats`: what has come of things over time: sessions and their checks, reviewers."""

from collections import Counter
from typing import Any

from ...core import reviews
from ...core.run.prices import format_cost
from ...core.session.session import Session
from ...core.state import GONE
from ...core.times import format_duration
from ...flow.usage import take_all_usage
from ...report import costs
from ...report.components import describe_colour
from ...report.summary import SessionSummary, summarize
from ...store import receipts, sessions
from ...store import reviews as stored
from ..command import Command, Result, render_table
from ..environment import SINCE, Args, Flag, VerbEnvironment, switch

_RUNNING = "on"
_RESULTS = {"green": "passed", "red": "failed", "meant": "failed as expected", "broken": "could not run"}


def show(args: Args, env: VerbEnvironment) -> Result:
    if args.text("--by") or args.on("--csv"):
        return _show_costs(args, env)
    take_all_usage(env.store, env.since(args))
    stored_sessions = sessions.list_all(env.store.database, since=env.since(args))
    data = count(env, stored_sessions)
    if not stored_sessions:
        return Result(data, "no session yet; start a request with ulw")
    return Result(data, render(data))


def _show_costs(args: Args, env: VerbEnvironment) -> Result:
    """Show costs of headless agents and of sessions inside a client, by the client's own transcript."""
    take_all_usage(env.store, env.since(args))
    rows = costs.sum_costs(env.store.database, args.text("--by") or "day", env.since(args))
    data = {"rows": [row.document() for row in rows]}
    if args.on("--csv"):
        return Result(data, costs.render_csv(rows))
    head = (str(args.text("--by")).upper(), "AGENTS", "TOKENS", "COST", "CLAIMS REFUTED")
    table = render_table(head, [row.cells for row in rows])
    return Result(data, table if rows else "nothing has reported tokens or cost yet")


def count(env: VerbEnvironment, sessions: list[Session]) -> dict[str, Any]:
    summaries = [summarize(env.store, session) for session in sessions]
    results: Counter[str] = Counter()
    for session in sessions:
        minted = receipts.list_all(env.store.database, session.id)
        results.update(describe_colour(receipt) for receipt in minted)
    priced = [summary.cost_usd for summary in summaries if summary.cost_usd is not None]
    return {
        "sessions": len(sessions),
        "endings": dict(Counter(map(_name_end, summaries)).most_common()),
        "refusals": sum(summary.sent_back for summary in summaries),
        "receipts": dict(results.most_common()),
        "seconds": round(sum(summary.seconds for summary in summaries), 1),
        "cost_usd": round(sum(priced), 4) if priced else None,
        "cost_complete": bool(priced) and all(summary.cost_complete for summary in summaries),
        "cost_estimated": any(summary.cost_estimated for summary in summaries),
    }


def _name_end(summary: SessionSummary) -> str:
    if summary.session.active:
        return summary.state.word if summary.state.word in GONE else _RUNNING
    return summary.outcome.word


def render(data: dict[str, Any]) -> str:
    rows = {
        "sessions": f"{data['sessions']}, {format_duration(data['seconds'])} in total",
        "ended": _list(data["endings"]),
        "sent back": str(data["refusals"]),
        "checks run": _list({_RESULTS.get(name, name): n for name, n in data["receipts"].items()}) or "none",
        "cost": _describe_cost(data),
    }
    return "\n".join(f"{name:<11}{row}" for name, row in rows.items())


def _describe_cost(data: dict[str, Any]) -> str:
    if data["cost_usd"] is None:
        return "not reported by any client"
    partial = "" if data["cost_complete"] else ", excluding sessions whose client does not report it"
    return f"{format_cost(data['cost_usd'], estimated=data['cost_estimated'])}{partial}"


def _list(counts: dict[str, int]) -> str:
    return ", ".join(f"{number} {name or 'undecided'}" for name, number in counts.items())


def show_reviewers(_args: Args, env: VerbEnvironment) -> Result:
    """Over all checkouts: how often a reviewer was right, by the commands that were run."""
    records = reviews.count_records(stored.list_claims(env.store.home))
    documents = [{**record.document(), "precision": record.precision} for record in records]
    rows = [
        (record.reviewer, _share(record.precision), str(record.confirmed), str(record.refuted), str(record.opinions), str(record.pending))
        for record in records
    ]  # fmt: skip
    head = ("REVIEWER", "PRECISION", "CONFIRMED", "REFUTED", "OPINIONS", "NOT RUN")
    text = render_table(head, rows) if rows else "no reviewer findings yet"
    return Result({"reviewers": documents}, text)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


COMMANDS = (
    Command(
        "",
        "Count sessions by result, refusals, and results of checks",
        show,
        flags=(
            SINCE,
            Flag("--by", "add up cost and claims by day, project, session, agent or model", metavar="KEY"),
            switch("--csv", "print them as CSV"),
        ),
        example="ultrawork stats --by model --since 7d",
    ),
    Command(
        "reviewers",
        "Show how often each reviewer's findings were confirmed",
        show_reviewers,
        example="ultrawork stats reviewers",
    ),
)
