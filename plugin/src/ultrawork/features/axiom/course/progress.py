"""A requirement that Axiom leads over a planned session: started by a user, advanced by what is stored, archived with
its lessons. Every move is an event of the session, in the same transaction as its cause.

Its state is a row that a shell could write; its moves, reviews and answers are chained events. What is in the row but in
no event is dropped: the agent is asked again, and so is the user."""

from collections.abc import Mapping
from time import gmtime, strftime

from ....core.course.steps import SessionFacts
from ....core.errors import NotFound
from ....core.modes.machine import ModeProgress
from ....core.session.session import EXECUTION, Session
from ....core.times import format_iso
from ....core.wording import cut, join_lines
from ....flow import beginning, planning
from ....flow.beginning import GoalCommand
from ....flow.course import Course
from ....store import anchors, pins, sessions, tasks
from ....store.database import Change, Database
from ....store.store import Store
from ..store import ledger, opening
from ..values import answers as said
from ..values import manifest as manifests
from ..values import states
from ..values import step as axiom_step
from ..values.step import read_progress
from . import papers as axiom_papers
from .papers import CLEAR_ENOUGH, read_manifest


def drop_unrecorded(database: "Database", session: str, progress: "ModeProgress") -> list[str]:
    """Drop what no event recorded, and name it."""
    checks = (_drop_state, _drop_clarity, _drop_reviews, _drop_answer, _drop_sizes)
    return [name for check in checks if (name := check(database, session, progress))]


def _drop_state(database: "Database", session: str, progress: "ModeProgress") -> str:
    recorded = ledger.find_recorded_state(database, session)
    if not recorded or progress.phase == recorded:
        return ""
    progress.phase = recorded
    return "state"


def _drop_clarity(database: "Database", session: str, progress: "ModeProgress") -> str:
    given = progress.facts.get("clarity")
    question, (yes, _) = CLEAR_ENOUGH
    if not given or ledger.is_recorded(database, session, "axiom.screened", verdict="PASS", clarity=given):
        return ""
    if given == states.CLARITY and ledger.is_recorded(
        database, session, "axiom.answered", question=question, answer=yes
    ):
        return ""
    del progress.facts["clarity"]
    return "clarity"


def _drop_reviews(database: "Database", session: str, progress: "ModeProgress") -> str:
    given = progress.facts.get("reviews") or {}
    genuine = {
        part: review
        for part, review in given.items()
        if ledger.is_recorded(database, session, "axiom.reviewed", part=part, by=review.get("by"))
    }
    if genuine == given:
        return ""
    progress.facts.update(reviews=genuine)
    return "reviews"


def _drop_answer(database: "Database", session: str, progress: "ModeProgress") -> str:
    confirmed = progress.facts.get("confirmed")
    if not confirmed or ledger.is_recorded(database, session, "axiom.confirmed", prd=confirmed):
        return ""
    del progress.facts["confirmed"]
    return "the user's yes"


def _drop_sizes(database: "Database", session: str, progress: "ModeProgress") -> str:
    """Read task sizes from the manifest, not from claims about them."""
    if progress.phase != states.CONFIRMING or not progress.facts.get("tasks_total"):
        return ""
    manifest = read_manifest(database, session)
    sizes = {
        "tasks_total": len(manifest.tasks),
        "oversized": manifests.list_oversized(manifest),
        "unwritten": manifests.list_unwritten(manifest),
    }
    if all(progress.facts.get(name) == value for name, value in sizes.items()):
        return ""
    progress.facts.update(sizes)
    return "manifest"


# One task at a time if all work in one checkout: a failure then belongs to the task.
OPTIONS = {"auto_mode": True, "max_workers": 1, "max_iterations": 1 + states.MENDS}


def begin(store: "Store", environ: "Mapping[str, str]", place: str, name: str, words: "GoalCommand") -> "Session":
    """Start a requirement and its session, or neither; the checkout then has a ledger."""
    words.options = {**words.options, **{key: words.options.get(key, value) for key, value in OPTIONS.items()}}
    words.options["skip_verify"] = False
    opening.open_ledger(store, place)

    def fill(change: "Change", session: "Session") -> None:
        progress = states.begin_requirement(session.goal, change.now)
        session.state.lead = {"progress": progress.document()}
        sessions.save(change, session, "axiom.moved", {"from": states.IDLE, "to": progress.phase})
        change.touch(ledger.VIEW)

    return beginning.begin(store, environ, place, name, words, fill=fill)


def keep(change: "Change", session: "Session", progress: "ModeProgress", kind: str, data: object) -> None:
    """Save a requirement with the event that explains it."""
    session.state.lead = {**session.state.lead, "progress": progress.document()}
    sessions.save(change, session, kind, data)
    change.touch(ledger.VIEW)


def move(change: "Change", session: "Session", progress: "ModeProgress", target: str, why: str) -> None:
    """Move the machine one step; an error names the closed gate."""
    before = progress.phase
    states.move_to(progress, target, change.now)
    keep(change, session, progress, "axiom.moved", {"from": before, "to": target, "why": why})


def require_requirement(store: "Store", place: str, name: str = "") -> "Session":
    """Return the named requirement, else the open one of this checkout."""
    session = sessions.find(store.database, name, place) if name else ledger.find_requirement(store.database, place)
    if session is None or not session.state.lead:
        raise NotFound("no requirement is open here; start one: ultrawork axiom draft TEXT")
    return session


def sync(course: "Course", known: "SessionFacts") -> bool:
    """Move the machine as far as the stored facts lead. Return whether it moved."""
    progress = read_progress(known.session)
    if progress is None:
        return False
    if drop_unrecorded(course.store.database, course.name, progress):
        _take_back(course)
        return True
    red = axiom_step.list_red(known)
    if progress.phase == states.EXECUTING:
        red = red or axiom_step.list_mending(known)
    if red:
        progress.facts["red"] = red
        progress.counts["mend"] = axiom_step.count_mends(known, red)
    progress.facts["proved"] = axiom_step.is_proved(known)
    if red == [axiom_step.UNDECIDED]:
        progress.facts["stuck"] = True
    target = axiom_step.find_next_state(known, progress)
    if target == progress.phase:
        return False
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        if session.state.lead != known.session.state.lead:
            return True  # another was faster, and its result counts; the next step is decided again
        _ENTER.get(target, _enter)(change, session, progress, known)
    return True


def _take_back(course: "Course") -> None:
    """Drop what no event recorded; the verdict reports it. Then read the current state again."""
    with course.change() as change:
        session = sessions.get(change.database, course.name)
        progress = read_progress(session)
        if progress is None:
            return
        forged = drop_unrecorded(change.database, course.name, progress)
        if forged:
            anchors.record_tampering(change, f"state of the requirement: {', '.join(forged)}")
            keep(change, session, progress, "axiom.forged", {"what": forged})


def _enter(change: "Change", session: "Session", progress: "ModeProgress", _known: "SessionFacts") -> None:
    target = axiom_step.find_next_state(_known, progress)
    move(change, session, progress, target, "what it needs is there")


def _execute(change: "Change", session: "Session", progress: "ModeProgress", known: "SessionFacts") -> None:
    """Start execution: from the User Gate the manifest becomes the plan; from a fix the work continues."""
    if progress.phase == states.CONFIRMING:
        _take_manifest(change, session)
        _keep_base(change, session)
        session.phase = EXECUTION
        session.plan = {**session.plan, "approved_at": format_iso(change.now)}
    _enter(change, session, progress, known)


def _keep_base(change: "Change", session: "Session") -> None:
    """Store the files before the work as the first checkpoint; they are known since the session began."""
    pin = pins.get(change.database, session.id)
    if pin is not None and not session.state.lead.get("checkpoints"):
        name = strftime("checkpoint-%Y%m%d-%H%M%S", gmtime(pin.at))
        session.state.lead = {**session.state.lead, "checkpoints": [name], "trees": {name: pin.tree}}


def _take_manifest(change: "Change", session: "Session") -> None:
    """Store the tasks of the manifest, each with its criteria, else with the project's checks."""
    pin = pins.get(change.database, session.id)
    gates = [f"{gate.command} => exit 0" for gate in pin.gates][:2] if pin else []
    default = gates or ["judged: what the PRD says about this task"]
    entries = manifests.list_plan_entries(axiom_papers.read_manifest(change.database, session.id), default)
    given = [{**entry, "max_retry": states.MENDS} for entry in entries]
    tasks.create(change, planning.make_tasks(given, {}, now=change.now))
    session.plan = {**session.plan, "created_at": format_iso(change.now)}


def _mend(change: "Change", session: "Session", progress: "ModeProgress", known: "SessionFacts") -> None:
    """Record what fails and its output."""
    reasons = _explain_red(known, list(progress.facts.get("red") or ()))
    gate = f"{states.CI}: {cut(join_lines(reasons[0]), 120)}" if reasons else states.CI
    session.state.lead = {**session.state.lead, "last_gate": gate}
    _enter(change, session, progress, known)


def _explain_red(known: "SessionFacts", red: "list[str]") -> list[str]:
    failed = {task.id: task.reason or "it failed" for task in known.work if task.id in red}
    lines = [f"{name}: {why}" for name, why in failed.items()]
    return lines or [f"{red[0]}: {known.because or 'red'}"] if red else []


def _block(change: "Change", session: "Session", progress: "ModeProgress", known: "SessionFacts") -> None:
    """Return the BLOCKED report, for the user and for the page."""
    red = list(progress.facts.get("red") or ())
    kept = session.state.lead
    answer = said.WorkerAnswer(said.BLOCKED, **(kept.get("stuck") or {}))
    report = said.describe_blocked(answer, ", ".join(red), _explain_red(known, red))
    session.state.lead = {**kept, "blocked": report, "blocks": int(kept.get("blocks") or 0) + 1}
    before, failing = progress.phase, _explain_red(known, red)
    states.move_to(progress, states.BLOCKED, change.now)
    # A task's failing runs are events of the task; one of the whole is recorded here.
    whole = {} if any(task.id in red for task in known.work) else {"whole": "; ".join(failing)}
    details = {"from": before, "to": states.BLOCKED, "why": "nothing is left to try", **whole}
    keep(change, session, progress, "axiom.moved", details)


def _archive(change: "Change", session: "Session", progress: "ModeProgress", known: "SessionFacts") -> None:
    session.state.lead = {**session.state.lead, "last_gate": f"{states.CI}: PASS"}
    _enter(change, session, progress, known)


_ENTER = {states.EXECUTING: _execute, states.AUTO_FIX: _mend, states.BLOCKED: _block, states.ARCHIVING: _archive}
