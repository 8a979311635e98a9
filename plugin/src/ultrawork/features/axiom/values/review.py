"""The five experts: who reviews what, what their answers mean, and who wins a contradiction.

A review counts if an agent that the program asked for this exact draft gave it, each by another one."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....core.value import Value, fresh

UX, PRODUCT, DOMAIN, TECH, CRITIC = "ux", "product", "domain", "tech", "critic"
SAFETY, TECHNICAL, STRATEGY, LOGIC, EXPERIENCE = ("safety", "technical", "strategy", "logic", "experience")
# Document 004's order for conflicts: earlier wins.
ORDER = (SAFETY, TECHNICAL, STRATEGY, LOGIC, EXPERIENCE)
PASSES, REVISE, REJECTS = "PASS", "REVISE", "REJECT"
WORDS = (PASSES, REVISE, REJECTS)
SEVERITIES = ("P0", "P1", "P2", "P3")
_MOST = 20
_LONG = 400


class Expert(Value):
    part: str
    agent: str
    concern: str
    asks: str

    @property
    def file(self) -> str:
        """Return its name in document 004."""
        return f"review_{self.part}.md"


EXPERTS = {
    expert.part: expert
    for expert in (
        Expert(UX, "axiom-ux-director", EXPERIENCE, "what people see, do and feel, step by step"),
        Expert(PRODUCT, "axiom-product-director", STRATEGY, "whether this is worth doing, and now"),
        Expert(DOMAIN, "axiom-domain-expert", LOGIC, "whether the rules of the subject are right"),
        Expert(TECH, "axiom-tech-lead", TECHNICAL, "whether it can be built here, and what it costs"),
        Expert(CRITIC, "axiom-critic", SAFETY, "security, edge cases, contradictions, what is missing"),
    )
}


class ReviewFinding(Value):
    """`topic` is what it is about in a word or two; two findings about one topic may contradict."""

    what: str
    severity: str = "P2"
    topic: str = ""
    wants: str = ""


class Review(Value):
    """A review. `by` is the call of the agent that gave it, `draft` the digest of what it reviewed."""

    part: str
    verdict: str
    by: str = ""
    draft: str = ""
    findings: list[ReviewFinding] = fresh(list)

    def summary(self) -> dict[str, Any]:
        """Return what the machine needs; the text is with the papers."""
        blocking = [finding.what for finding in self.findings if finding.severity == "P0"]
        return {
            "verdict": self.verdict,
            "by": self.by,
            "draft": self.draft,
            "blocking": blocking,
            "findings": len(self.findings),
        }


class Arbitration(Value):
    """Two experts want different things on one topic: whose wish wins, and over whose."""

    topic: str
    winner: str
    wants: str
    over: list[tuple[str, str]] = fresh(list)


def read_review(part: str, block: Mapping[str, Any], *, by: str, draft: str) -> Review | str:
    """Read the block that an expert ends with; return a sentence if it is invalid."""
    word = str(block.get("verdict") or "").upper()
    if word not in WORDS:
        return f"the review has no verdict: one of {', '.join(WORDS)}"
    given = block.get("findings")
    if given is not None and not isinstance(given, list):
        return "findings must be a list"
    findings = [_read_finding(finding) for finding in (given or [])[:_MOST]]
    if word != PASSES and not findings:
        return f"{word} needs at least one finding that says why"
    return Review(part, word, by=by, draft=draft, findings=findings)


def _read_finding(given: object) -> ReviewFinding:
    if not isinstance(given, dict):
        return ReviewFinding(str(given)[:_LONG])
    severity = str(given.get("severity") or "P2").upper()
    return ReviewFinding(
        str(given.get("what") or "")[:_LONG],
        severity if severity in SEVERITIES else "P2",
        " ".join(str(given.get("topic") or "").lower().split())[:60],
        str(given.get("wants") or "")[:_LONG],
    )


def rank(part: str) -> int:
    """Return the rank of an expert. The smaller one wins."""
    return ORDER.index(EXPERTS[part].concern)


def list_missing(reviews: object, draft: object) -> list[str]:
    """Return parts that no one reviewed for this draft, or that one agent gave twice."""
    known = reviews if isinstance(reviews, dict) else {}
    seen: set[object] = set()
    missing = []
    for part in EXPERTS:
        given = known.get(part)
        review = given if isinstance(given, dict) else {}
        by = review.get("by")
        if not by or not draft or review.get("draft") != draft or by in seen:
            missing.append(part)
        seen.add(by)
    return missing


def explain_missing(reviews: object, draft: object) -> str:
    """Return one sentence for a gate; empty if all five exist."""
    if not draft:
        return "there is no draft to look at"
    missing = list_missing(reviews, draft)
    if not missing:
        return ""
    names = ", ".join(EXPERTS[part].file for part in missing)
    return f"{len(missing)} of {len(EXPERTS)} reviews of this draft are missing: {names}"


def needs_revision(reviews: Mapping[str, Mapping[str, Any]]) -> bool:
    """Return whether an expert found what must not be built as it is."""
    return any(review.get("verdict") == REJECTS or review.get("blocking") for review in reviews.values())


def arbitrate(reviews: Sequence[Review]) -> list[Arbitration]:
    """Return one ruling per contested topic; by rank, not by votes."""
    wishes: dict[str, dict[str, str]] = {}
    for expert_review in sorted(reviews, key=lambda review: rank(review.part)):
        for finding in expert_review.findings:
            if finding.topic and finding.wants:
                wishes.setdefault(finding.topic, {}).setdefault(expert_review.part, finding.wants)
    arbitrations = []
    for topic, by_part in wishes.items():
        winner, *others = by_part
        over = [(part, by_part[part]) for part in others if by_part[part] != by_part[winner]]
        if over:
            arbitrations.append(Arbitration(topic, winner, by_part[winner], over))
    return arbitrations


def sort_findings(reviews: Sequence[Review]) -> list[tuple[str, ReviewFinding]]:
    """Return findings by severity, then by rank."""
    pairs = [(review.part, finding) for review in reviews for finding in review.findings]
    return sorted(pairs, key=lambda pair: (SEVERITIES.index(pair[1].severity), rank(pair[0])))


def describe_rulings(rulings: Sequence[Arbitration]) -> list[str]:
    return [
        f"{ruling.topic}: {EXPERTS[ruling.winner].concern} wins ({ruling.wants}), over "
        + "; ".join(f"{EXPERTS[part].concern} ({wish})" for part, wish in ruling.over)
        for ruling in rulings
    ]
