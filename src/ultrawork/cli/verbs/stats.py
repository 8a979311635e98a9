"""`ultrawork stats`: what has come of things over time, one subject each."""

from ...core.verdict import reviews
from ...store import reviews as stored
from ..command import Command, Result, render_table
from ..environment import VerbEnvironment
from ..flags import Args


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
        "reviewers",
        "Show how often each reviewer was right, by the commands that were run",
        show_reviewers,
        example="ultrawork stats reviewers",
    ),
)
