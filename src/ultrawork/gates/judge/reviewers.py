"""
Claims of reviewers from outside, put to the test: each command that the person has allowed runs in a scratch copy
of the files as they are. Red confirms the claim, and such a one stands in the verdict until its command is green.
"""

from ...core.verdict import reviews
from ...core.verdict.finding import NOTE, STRONG, Finding
from ...core.verdict.gate import FUNCTIONALITY, Gate
from ...core.verdict.reviews import CONFIRMED, OPINION, ReviewClaim
from ...store import receipts
from ...store import reviews as stored
from .comparison import GateComparison

REVIEW = "review"
REVIEW_RED = "review-red"


def make_claim_gate(claim: ReviewClaim) -> Gate:
    return Gate(
        name=f"review {claim.id[:6]}",
        kind=FUNCTIONALITY,
        argv=["sh", "-c", claim.command],
        command=claim.command,
        source=f"a finding of {claim.reviewer}",
        reason="a reviewer says that it is red",
    )


def make_consent_key(claim: ReviewClaim) -> str:
    """A yes to one command of one reviewer, in a scratch copy: it allows the same words nowhere else."""
    return f"review {claim.id}"


def adjudicate_open(comparison: GateComparison) -> list[Finding]:
    """Runs what may be run, keeps what became of it, and says what it means for a verdict."""
    context = comparison.context
    paths = comparison.source.names(comparison.tree)
    found: list[Finding] = []
    for claim in stored.list_claims(context.store.home, context.root):
        if claim.is_open:
            found += _settle(comparison, claim, paths)
    return found


def _settle(comparison: GateComparison, claim: ReviewClaim, paths: list[str]) -> list[Finding]:
    context = comparison.context
    if not reviews.is_about_files(claim.command, paths):
        _keep(comparison, claim, OPINION, "its command does not look at these files")
        return []
    if not receipts.is_allowed(context.store.database, context.root, make_consent_key(claim)):
        return [_note(claim, "not run: ultrawork review check asks you")]
    if not context.left:
        return [_note(claim, "not run: no time was left")]
    run = comparison.scratch_run(make_claim_gate(claim), REVIEW, comparison.tree)
    status = reviews.settle_claim(claim, run.document["run"]["exit"])
    if not status:
        return [_note(claim, "its command could not be run")]
    claim.receipt = run.number
    _keep(comparison, claim, status, f"`{claim.command}` is {run.result.colour}")
    return [_red(claim)] if status == CONFIRMED else []


def _keep(comparison: GateComparison, claim: ReviewClaim, status: str, why: str) -> None:
    context = comparison.context
    if (claim.status, claim.tree) == (status, comparison.tree):
        return
    claim.status, claim.why, claim.tree = status, why, comparison.tree
    stored.write(context.store.home, context.root, [claim])


def _red(claim: ReviewClaim) -> Finding:
    return Finding(
        rule=REVIEW_RED,
        level=STRONG,
        what=f"{claim.reviewer} found, and its command is red: {claim.title}",
        where=claim.where,
        receipt=claim.receipt,
        clears=f"mend it: `{claim.command}` must be green",
    )


def _note(claim: ReviewClaim, why: str) -> Finding:
    return Finding(
        rule="review-not-run",
        level=NOTE,
        what=f"{claim.reviewer} says: {claim.title} ({why})",
        where=claim.where,
    )
