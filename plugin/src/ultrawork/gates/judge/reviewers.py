"""Test the claims of external reviewers: run each command that the user approved in a scratch copy of the current
files. A failure confirms the claim, which stays in the verdict until its command passes."""

from ...core import reviews
from ...core.reviews import CONFIRMED, OPINION, ReviewClaim
from ...core.verdict import rules
from ...core.verdict.finding import Finding
from ...core.verdict.gate import FUNCTIONALITY, Gate
from ...store import receipts
from ...store import reviews as stored
from .comparison import Comparison
from .matrix import Cell

REVIEW = "review"


def make_claim_gate(claim: ReviewClaim) -> Gate:
    return Gate(
        name=f"review {claim.id[:6]}",
        kind=FUNCTIONALITY,
        argv=["sh", "-c", claim.command],
        command=claim.command,
        source=f"a finding of {claim.reviewer}",
        reason="a reviewer reports that it fails",
    )


def make_consent_key(claim: ReviewClaim) -> str:
    """Return the key for consent to one command of one reviewer in a scratch copy; it allows the command nowhere
    else."""
    return f"review {claim.id}"


def adjudicate_open(comparison: Comparison) -> list[Finding]:
    """Run the approved commands, store the results, and return the findings."""
    context = comparison.context
    paths = comparison.source.names(comparison.matrix.tree)
    findings: list[Finding] = []
    for claim in stored.list_claims(context.store.home, context.root):
        if claim.is_open:
            findings += _settle(comparison, claim, paths)
    return findings


def _settle(comparison: Comparison, claim: ReviewClaim, paths: list[str]) -> list[Finding]:
    context = comparison.context
    if not reviews.is_about_files(claim.command, paths):
        _keep(comparison, claim, OPINION, "its command does not check these files")
        return []
    if not receipts.is_allowed(context.store.database, context.root, make_consent_key(claim)):
        return [_note(claim, "not run; run it: ultrawork review check")]
    if not context.left:
        return [_note(claim, "not run: there was no time left")]
    run = comparison.matrix.run(Cell(REVIEW, make_claim_gate(claim), comparison.matrix.tree))
    status = reviews.settle_claim(claim, run.document["run"]["exit"])
    if not status:
        return [_note(claim, "its command could not be run")]
    claim.receipt = run.number
    _keep(comparison, claim, status, f"`{claim.command}` is {run.result.colour}")
    words = {"reviewer": claim.reviewer, "title": claim.title, "command": claim.command}
    place = {"where": claim.where, "receipt": claim.receipt}
    confirmed = status == CONFIRMED
    return [rules.make_finding("review-confirmed", **words, **place)] if confirmed else []


def _keep(comparison: Comparison, claim: ReviewClaim, status: str, why: str) -> None:
    context = comparison.context
    tree = comparison.matrix.tree
    if (claim.status, claim.tree) == (status, tree):
        return
    claim.status, claim.why, claim.tree = status, why, tree
    stored.write(context.store.home, context.root, [claim])


def _note(claim: ReviewClaim, why: str) -> Finding:
    words = {"reviewer": claim.reviewer, "title": claim.title, "why": why}
    return rules.make_finding("review-open", where=claim.where, **words)
