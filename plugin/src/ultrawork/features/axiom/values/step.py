"""The next step in a requirement that Axiom leads: which agent writes which paper, which question the user gets.

The machine's table (`core.axiom.states`) says what may follow; this module says who is started for it. Tasks run and
are verified like those of any planned session."""

from collections.abc import Callable, Sequence
from typing import Any

from ....core.course import judges, roles
from ....core.course.roles import Spawn
from ....core.course.steps import ARCHIVE, ASK, FAILING, OWN, SPAWN, WAIT, NextStep, SessionFacts
from ....core.modes.machine import ModeProgress
from ....core.plan import task as tasks
from ....core.session.session import EXECUTION, VERIFICATION, Session
from ....core.verdict_values import FAIL, PASS
from ....core.wording import cut, join_lines
from . import manifest, review, states

REQUIREMENT, DRAFT, ROUGH, PRD, MANIFEST, REFLECTION = (
    "requirement", "draft", "rough", "prd", "manifest", "reflection",
)  # fmt: skip
REVIEW, SUB = "review_", "sub-"
WORKER = "ultrawork:axiom-worker"
# Paper → who writes it, and the request. The program adds what it must read.
WRITERS = {
    REQUIREMENT: ("axiom-requirement-analyst", "Screen the requirement below."),
    DRAFT: ("axiom-product-designer", "Write the draft PRD of the requirement below."),
    ROUGH: ("axiom-review-aggregator", "Merge the draft and the reviews. Where experts disagree, follow RULINGS."),
    PRD: ("axiom-prd-crafter", "Turn the rough PRD into one that can be built and checked."),
    MANIFEST: ("axiom-system-architect", "Split the PRD into tasks."),
    REFLECTION: ("axiom-evolution-engine", "Look back on the requirement below."),
}
SUB_WRITER = "axiom-sub-prd-writer"
CONFIRM = ("The PRD is written. Build it as it stands?", ("Yes", "No"))
BLOCKED = ("The work is blocked. How should it continue?", ("Try again", "Archive as it is"))
YES, NO = CONFIRM[1]
AGAIN, AS_IT_IS = BLOCKED[1]
# Drafts that experts may send back before the user decides with their findings in view.
MOST_DRAFTS = 3


def read_progress(session: Session) -> ModeProgress | None:
    """Return the state of the requirement; None if Axiom does not lead this session."""
    progress = session.state.lead.get("progress")
    return ModeProgress.read(progress) if isinstance(progress, dict) else None


def find_state(session: Session) -> str:
    progress = read_progress(session)
    return progress.phase if progress is not None else ""


def is_paper(part: str) -> bool:
    return part in WRITERS or part.startswith((REVIEW, SUB))


def choose_axiom_step(known: SessionFacts) -> NextStep | None:
    """Return the next step; None if the plan's own course decides."""
    progress = read_progress(known.session)
    if progress is None:
        return None
    question = known.session.state.lead.get("open")
    if isinstance(question, dict) and question.get("question"):
        return NextStep(
            ASK,
            str(question.get("why") or "the user decides"),
            question=str(question["question"]),
            options=tuple(question.get("options") or ()),
        )
    return _BY_STATE[progress.phase](known, progress.facts)


def _planning(known: SessionFacts, facts: dict[str, Any]) -> NextStep | None:
    missing = find_missing_papers(facts)
    if not missing:
        return None
    lost = _find_lost(known, missing)
    return lost or _write(known, missing)


def find_missing_papers(facts: dict[str, Any]) -> list[str]:
    """Return the papers due now; several only if they are written in parallel."""
    if not facts.get("clarity"):
        return [REQUIREMENT]
    if not facts.get("draft"):
        return [DRAFT]
    absent = review.list_missing(facts.get("reviews"), facts["draft"])
    if absent:
        return [f"{REVIEW}{part}" for part in absent]
    for part in (ROUGH, PRD):
        if not facts.get(part):
            return [part]
    return []


def _confirming(known: SessionFacts, facts: dict[str, Any]) -> NextStep | None:
    if facts.get("confirmed") != facts.get("prd"):
        where = f".omc/axiom/requirements/{known.session.id}/prd.md"
        return NextStep(ASK, f"show the user {where}, then ask", question=CONFIRM[0], options=CONFIRM[1])
    if not facts.get("tasks_total"):
        return _find_lost(known, [MANIFEST]) or _write(known, [MANIFEST])
    unwritten = facts.get("unwritten") or facts.get("oversized")
    if unwritten:
        parts = [f"{SUB}{name}" for name in unwritten]
        return _find_lost(known, parts) or _write(known, parts)
    return None


def _executing(_known: SessionFacts, _facts: dict[str, Any]) -> NextStep | None:
    return None


def _blocked(known: SessionFacts, _facts: dict[str, Any]) -> NextStep:
    text = cut(join_lines(str(known.session.state.lead.get("blocked") or "")), 300)
    return NextStep(ASK, text or "the work is blocked", question=BLOCKED[0], options=BLOCKED[1])


def _archiving(known: SessionFacts, facts: dict[str, Any]) -> NextStep:
    if facts.get("archived") or _list_lost(known, [REFLECTION]):
        return NextStep(OWN, "store what was learned", own=ARCHIVE)
    return _write(known, [REFLECTION])


def _idle(_known: SessionFacts, _facts: dict[str, Any]) -> NextStep:
    return NextStep(OWN, "the requirement is archived", own=ARCHIVE)


_BY_STATE: dict[str, Callable[[SessionFacts, dict[str, Any]], NextStep | None]] = {
    states.IDLE: _idle,
    states.PLANNING: _planning,
    states.CONFIRMING: _confirming,
    states.EXECUTING: _executing,
    states.AUTO_FIX: _executing,
    states.BLOCKED: _blocked,
    states.ARCHIVING: _archiving,
}


def _list_lost(known: SessionFacts, parts: Sequence[str]) -> dict[str, str]:
    lost = known.session.state.lead.get("lost")
    return {part: lost[part] for part in parts if part in lost} if isinstance(lost, dict) else {}


def _find_lost(known: SessionFacts, parts: Sequence[str]) -> NextStep | None:
    """End if a paper could not be written, because everything later depends on it."""
    for part, why in _list_lost(known, parts).items():
        reason = why if part == REQUIREMENT else f"no {part} could be written: {why}"
        return NextStep(OWN, reason, own=FAILING)
    return None


def _write(known: SessionFacts, parts: Sequence[str]) -> NextStep:
    absent = [part for part in parts if part not in known.running]
    waiting = [part for part in parts if part in known.running]
    if not absent:
        return NextStep(WAIT, f"running: {', '.join(waiting)}", waiting=waiting)
    text = "start this agent" if len(absent) == 1 else "start these agents in one message"
    spawns = [spawn_writer(known.session, part) for part in absent]
    return NextStep(SPAWN, text, spawns=spawns, waiting=waiting)


def spawn_writer(session: Session, part: str) -> Spawn:
    """Return the read-only writer of a paper; the program puts its reading into the prompt."""
    agent, instructions = _find_writer(part)
    prompt = f"SESSION_ID: {session.id}\nPART: {part}\n\nREQUIREMENT: {session.goal}\n\n{instructions}"
    return roles.Spawn(
        f"ultrawork:{agent}",
        roles.DEFAULT_MODELS[tasks.STANDARD],
        part,
        f"axiom: {part}",
        prompt,
        key=roles.PART,
        acts_as=roles.PLANNER,
    )


def _find_writer(part: str) -> tuple[str, str]:
    if part.startswith(REVIEW):
        expert = review.EXPERTS[part.removeprefix(REVIEW)]
        return expert.agent, f"Review the draft below for one thing: {expert.asks}."
    if part.startswith(SUB):
        return SUB_WRITER, (
            f"Specify task {part.removeprefix(SUB)} of the manifest. If it takes over {manifest.TASK_HOURS:g} hours, split it."
        )
    return WRITERS[part]


def spawn_axiom_worker(session: Session, spawn: Spawn) -> Spawn:
    """Return the same task for Axiom's own worker, which answers with one of three words."""
    answers = session.state.lead.get("answers")
    known = answers.get(spawn.subject) if isinstance(answers, dict) else None
    more = f"\n\nTHE USER ANSWERED: {known}" if known else ""
    return roles.Spawn(
        **{
            **{name: getattr(spawn, name) for name in roles.Spawn._fields},
            "agent": WORKER,
            "acts_as": roles.WORKER,
            "prompt": spawn.prompt + more,
        }
    )


GATES, UNDECIDED, JUDGES = "gates", "undecided", "verifier"


def list_red(known: SessionFacts) -> list[str]:
    """Return what fails in the work on a requirement: tasks, the checks over the whole, or its judges."""
    failed = [task.id for task in known.work if task.status == tasks.FAILED]
    if failed or known.session.phase != VERIFICATION or not known.verdict:
        return failed
    if known.verdict != PASS:
        return [GATES] if known.verdict == FAIL else [UNDECIDED]
    return [JUDGES] if any(ruling != judges.APPROVED for ruling in known.rulings.values()) else []


def list_mending(known: SessionFacts) -> list[str]:
    """Return failed tasks that are being tried again."""
    over = (tasks.FAILED, tasks.RESOLVED, tasks.SKIPPED)
    return [task.id for task in known.work if task.retry_count and task.status not in over]


def is_proved(known: SessionFacts) -> bool:
    """Return whether the checks passed on the current files and no judge objects."""
    wanted = judges.list_wanted(known)
    agreed = all(known.rulings.get(part) == judges.APPROVED for part in wanted)
    return known.session.phase == VERIFICATION and known.verdict == PASS and agreed


def count_mends(known: SessionFacts, red: Sequence[str]) -> int:
    """Return how often the failures were fixed automatically."""
    tries = [task.retry_count for task in known.work if task.id in red]
    rounds = known.session.iteration - 1 if known.session.phase == VERIFICATION else 0
    return min(states.MENDS, max([*tries, rounds], default=0))


def find_next_state(known: SessionFacts, progress: ModeProgress) -> str:
    """Return the state that the stored facts lead to; the current one if nothing leads further."""
    if known.session.state.lead.get("open"):
        return progress.phase
    return _TARGETS.get(progress.phase, _stay)(known, progress)


def _stay(_known: SessionFacts, progress: ModeProgress) -> str:
    return progress.phase


def _from_planning(_known: SessionFacts, progress: ModeProgress) -> str:
    missing = find_missing_papers(progress.facts)
    return states.PLANNING if missing else states.CONFIRMING


def _from_confirming(_known: SessionFacts, progress: ModeProgress) -> str:
    facts = progress.facts
    ready = facts.get("prd") and facts.get("confirmed") == facts.get("prd")
    open_tasks = not facts.get("tasks_total") or facts.get("unwritten") or facts.get("oversized")
    return states.EXECUTING if ready and not open_tasks else states.CONFIRMING


def _from_executing(known: SessionFacts, _progress: ModeProgress) -> str:
    if list_red(known) or list_mending(known):
        return states.AUTO_FIX
    return states.ARCHIVING if is_proved(known) else states.EXECUTING


def _from_mending(known: SessionFacts, progress: ModeProgress) -> str:
    """Return BLOCKED if nothing is left to try, or what follows once nothing fails and the fixes are done."""
    red = list_red(known)
    if red:
        used_up = count_mends(known, red) >= states.MENDS or red == [UNDECIDED]
        return states.BLOCKED if used_up or progress.facts.get("stuck") else states.AUTO_FIX
    mending = list_mending(known) or (known.session.phase == EXECUTION and _is_round(progress))
    return states.AUTO_FIX if mending else states.EXECUTING


def _is_round(progress: ModeProgress) -> bool:
    """Return whether the checks of the whole failed: then the round lasts until they have run again."""
    return bool(set(progress.facts.get("red") or ()) & {GATES, JUDGES})


_TARGETS: dict[str, Callable[[SessionFacts, ModeProgress], str]] = {
    states.PLANNING: _from_planning,
    states.CONFIRMING: _from_confirming,
    states.EXECUTING: _from_executing,
    states.AUTO_FIX: _from_mending,
}
