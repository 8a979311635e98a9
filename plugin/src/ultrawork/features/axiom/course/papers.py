"""The papers of a requirement: what a requested agent wrote, accepted if it has the right form, else sent back.

They are stored with the call that wrote them; the files that people see are copies. What an agent must read for its
paper is put into its prompt from here."""

from collections.abc import Callable
from typing import Any

from ....core.errors import Conflict, UltraworkError
from ....core.modes.machine import ModeProgress
from ....core.session.session import Session
from ....core.value import Value
from ....flow import planning
from ....store import sessions
from ....store.codec import dumps, loads
from ....store.database import Change, Database
from ....store.store import Store
from ..store import ledger, proposals
from ..values import answers as said
from ..values import manifest as manifests
from ..values import review, states
from ..values import step as axiom_step
from ..values.manifest import Manifest
from ..values.step import read_progress

LONGEST = 40_000
_SHORTEST = 40
LOST = {
    "question": "A document of the requirement could not be written. How should it continue?",
    "options": ["Try again", "Stop"],
}
# Used if no one gave any: a question has options.
USUAL = ("As you suggest", "The simplest that works")
CLEAR_ENOUGH = ("Is the requirement clear enough to draft it?", ("Yes", "No"))
# What each writer reads, by names of papers.
READS = {
    axiom_step.DRAFT: ("requirement.md",),
    axiom_step.ROUGH: ("draft.md", *(expert.file for expert in review.EXPERTS.values())),
    axiom_step.PRD: ("rough.md",),
    axiom_step.MANIFEST: ("prd.md",),
    axiom_step.REFLECTION: ("prd.md", "manifest.md"),
}
_REVIEW_READS, _SUB_READS = ("draft.md",), ("prd.md", "manifest.md")


class Taking(Value):
    """An incoming paper: `by` is the call of the agent that wrote it."""

    change: Change
    session: Session
    progress: ModeProgress
    part: str
    message: str
    by: str

    @property
    def block(self) -> "dict[str, Any]":
        return planning.parse_block(self.message)

    def write(self, name: str, text: str) -> proposals.Paper:
        return proposals.write_paper(self.change, name, text[:LONGEST], by=self.by)

    def remember(self, **more: object) -> None:
        self.session.state.lead = {**self.session.state.lead, **more}

    def keep(self, kind: str, data: object) -> None:
        self.remember(progress=self.progress.document())
        sessions.save(self.change, self.session, kind, data)
        self.change.touch(ledger.VIEW)


def take_paper(store: "Store", name: str, part: str, message: str, *, by: str) -> list[str]:
    """Store what an agent wrote for a requested part; return its errors."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        progress = read_progress(session)
        if progress is None:
            return ["no requirement is open in this session"]
        try:
            _find_taker(part)(Taking(change, session, progress, part, message, by))
        except UltraworkError as error:
            return [str(error)]
    return []


def lose_paper(store: "Store", name: str, part: str, why: str) -> None:
    """Record that no one could write a paper. The user decides whether to retry; what depends on it does not start."""
    with store.change(name) as change:
        session = sessions.get(change.database, name)
        lost = {**(session.state.lead.get("lost") or {}), part: why[:300]}
        session.state.lead = {**session.state.lead, "lost": lost}
        if part != axiom_step.REFLECTION:
            question = {**LOST, "about": "lost", "part": part, "why": f"{part}: {why[:200]}"}
            session.state.lead = {**session.state.lead, "open": question}
        sessions.save(change, session, "axiom.lost", {"part": part, "why": why[:300]})


def _find_taker(part: str) -> "Callable[[Taking], None]":
    if part.startswith(axiom_step.REVIEW):
        return _take_review
    return _take_sub if part.startswith(axiom_step.SUB) else _TAKE[part]


def _take_screening(taking: Taking) -> None:
    screening = said.read_screening(taking.block)
    taking.write("requirement.md", taking.message)
    if screening.verdict == said.REJECT:
        taking.remember(lost={axiom_step.REQUIREMENT: f"rejected: {screening.why}"})
    elif screening.verdict == said.CLARIFY:
        taking.remember(open=_make_question(taking, screening))
    else:
        taking.progress.facts["clarity"] = screening.clarity
    taking.keep("axiom.screened", {"verdict": screening.verdict, "clarity": screening.clarity})


def _make_question(taking: Taking, screening: said.Screening) -> "dict[str, Any]":
    """Ask one question at a time; after a limit the user decides whether it is clear enough."""
    why = f"the requirement is {screening.clarity} % clear; ask this one question"
    question, options = (screening.question, screening.options if len(screening.options) > 1 else USUAL)
    if len(taking.session.state.lead.get("asked") or ()) >= said.MOST_QUESTIONS:
        question, options = CLEAR_ENOUGH
    return {"question": question, "options": list(options), "about": axiom_step.REQUIREMENT, "why": why}


def _take_draft(taking: Taking) -> None:
    paper = taking.write("draft.md", _require_text(taking))
    taking.progress.facts.update(draft=paper.digest, reviews={}, rough="", prd="")
    taking.keep("axiom.drafted", {"version": paper.version})


def _require_text(taking: Taking) -> str:
    text = taking.message.strip()
    if len(text) < _SHORTEST:
        raise Conflict(f"the {taking.part} is empty; your last message is the text itself")
    return text


def _take_review(taking: Taking) -> None:
    """Store a review. Five of them open the gate; one that refuses sends the draft back, a few times."""
    expert = review.EXPERTS[taking.part.removeprefix(axiom_step.REVIEW)]
    facts = taking.progress.facts
    draft = str(facts.get("draft") or "")
    expert_review = review.read_review(expert.part, taking.block, by=taking.by, draft=draft)
    if isinstance(expert_review, str):
        raise Conflict(expert_review)
    taking.write(expert.file, taking.message)
    document = {**expert_review.document(), "findings": [finding.document() for finding in expert_review.findings]}
    taking.write(f"{expert.file}.json", dumps(document))
    facts["reviews"] = {**(facts.get("reviews") or {}), expert.part: expert_review.summary()}
    drafts = int(taking.session.state.lead.get("drafts") or 1)
    whole = not review.list_missing(facts["reviews"], draft)
    if whole and review.needs_revision(facts["reviews"]) and drafts < axiom_step.MOST_DRAFTS:
        taking.remember(drafts=drafts + 1)
        facts["draft"] = ""
    details = {"part": expert.part, "verdict": expert_review.verdict, "by": taking.by}
    taking.keep("axiom.reviewed", details)


def list_given_reviews(database: "Database", session: str) -> "list[review.Review]":
    """Return the reviews of the last draft that had any."""
    reviews = []
    for expert in review.EXPERTS.values():
        paper = proposals.find_paper(database, session, f"{expert.file}.json")
        if paper is not None:
            kept = loads(paper.text)
            findings = [review.ReviewFinding(**finding) for finding in kept.pop("findings")]
            reviews.append(review.Review(**kept, findings=findings))
    return reviews


def _take_text(name: str) -> "Callable[[Taking], None]":
    def take(taking: Taking) -> None:
        paper = taking.write(name, _require_text(taking))
        taking.progress.facts[taking.part] = paper.digest
        taking.keep(f"axiom.{taking.part}", {"version": paper.version, "digest": paper.digest})

    return take


def _take_architecture(taking: Taking) -> None:
    _keep_manifest(taking, manifests.parse_manifest(taking.block))


def _take_sub(taking: Taking) -> None:
    known = read_manifest(taking.change.database, taking.session.id)
    name = taking.part.removeprefix(axiom_step.SUB)
    _keep_manifest(taking, manifests.replace_task(known, name, taking.block))


def _keep_manifest(taking: Taking, manifest: Manifest) -> None:
    # An invalid plan is refused here, while its writer can still fix it.
    entries = manifests.list_plan_entries(manifest, ["judged: the PRD"])
    planning.make_tasks(entries, {}, now=taking.change.now)
    taking.write("manifest.json", dumps(manifest.document()))
    taking.write("manifest.md", manifests.render_manifest(manifest, taking.session.goal))
    taking.progress.facts.update(
        tasks_total=len(manifest.tasks),
        oversized=manifests.list_oversized(manifest),
        unwritten=manifests.list_unwritten(manifest),
    )
    taking.keep("axiom.manifest", {"tasks": len(manifest.tasks), "hours": manifest.hours})


def read_manifest(database: "Database", session: str) -> Manifest:
    paper = proposals.find_paper(database, session, "manifest.json")
    kept = loads(paper.text) if paper is not None else {}
    return manifests.parse_manifest({"tasks": kept.get("tasks")})


def _take_reflection(taking: Taking) -> None:
    """Store a reflection as written; closing the requirement decides what becomes memory."""
    reflection = said.read_reflection(taking.block)
    taking.write("reflection.json", dumps(reflection.document()))
    taking.progress.facts["archived"] = True
    taking.keep("axiom.reflected", {"lessons": len(reflection.lessons)})


_TAKE: "dict[str, Callable[[Taking], None]]" = {
    axiom_step.REQUIREMENT: _take_screening,
    axiom_step.DRAFT: _take_draft,
    axiom_step.ROUGH: _take_text("rough.md"),
    axiom_step.PRD: _take_text("prd.md"),
    axiom_step.MANIFEST: _take_architecture,
    axiom_step.REFLECTION: _take_reflection,
}


def describe_reading(database: "Database", session: Session, part: str) -> str:
    """Return what the writer of a part gets to read, with the user's statements."""
    names = (
        _REVIEW_READS
        if part.startswith(axiom_step.REVIEW)
        else _SUB_READS
        if part.startswith(axiom_step.SUB)
        else READS.get(part, ())
    )
    papers = (proposals.find_paper(database, session.id, name) for name in names)
    lines = [f"## {paper.name}\n{paper.text}" for paper in papers if paper is not None]
    return "\n\n".join([*_list_words(session), *_list_more(database, session, part), *lines])


def find_background(database: "Database", name: str, question: str) -> str:
    """Return what a user at a terminal reads before this question: the PRD to approve."""
    is_confirmation = question == axiom_step.CONFIRM[0]
    paper = proposals.find_paper(database, name, "prd.md") if is_confirmation else None
    return paper.text if paper is not None else ""


def _list_words(session: Session) -> list[str]:
    """Return the user's own answers and wishes."""
    kept = session.state.lead
    answers = [f"- {answer['question']}\n  {answer['answer']}" for answer in kept.get("asked") or ()]
    wishes = [f"- {wish}" for wish in kept.get("wishes") or ()]
    sections = ["THE USER ANSWERED:\n" + "\n".join(answers)] if answers else []
    return sections + (["THE USER REQUESTED CHANGES:\n" + "\n".join(wishes)] if wishes else [])


def _list_more(database: "Database", session: Session, part: str) -> list[str]:
    reviews = list_given_reviews(database, session.id)
    if part == axiom_step.DRAFT and reviews:
        findings = [
            f"- {review_finding.severity} {name}: {review_finding.what}"
            for name, review_finding in review.sort_findings(reviews)
        ]
        return ["FOUND IN THE DRAFT BEFORE:\n" + "\n".join(findings[:20])]
    if part == axiom_step.ROUGH:
        rulings = review.describe_rulings(review.arbitrate(reviews))
        return ["RULINGS:\n" + ("\n".join(f"- {ruling}" for ruling in rulings) or "- none needed")]
    if part == axiom_step.REFLECTION:
        runs = ledger.list_failing_runs(database, session.id)
        state = axiom_step.find_state(session)
        text = "\n".join(f"- {run}" for run in runs) or "- none"
        return [f"STATE: {state}, gates: {states.CI}", f"RED RUNS:\n{text}"]
    return []
