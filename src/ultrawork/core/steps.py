"""
What comes next in a session: one decision over what is stored.

The client's hooks push it into the conversation, `ultrawork next` prints it, the engine carries it out.
A step is either the program's own work (`own`), or something for the model or the person.
"""

from . import phases, roles, stages, statuses
from .outcomes import FAIL, PASS
from .schedule import Schedule
from .task import VERIFY as VERIFY_TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from .context import Explorer
    from .machines.machine import Progress
    from .roles import Spawn
    from .session import Session
    from .task import Task

SPAWN = "spawn"
WAIT = "wait"
ASK = "ask"
PLAN = "plan"
VERIFY = "verify"
DONE = "done"
OWN = "own"

OVERVIEW = "overview"
HINTS = "hints"
EXPLORED = "explored"
STAND = "plan-stands"
EXECUTE = "execute"
RETRY = "retry"
COORDINATE = "coordinate"
SETTLING = "settle-conflicts"
ITERATE = "iterate"
SETTLE = "settle"
COMPLETE = "complete"
FAILING = "fail"
UNVERIFIED = "end-unverified"
STAGE_FAILED = "stage-failed"
STAGES_DONE = "stages-done"

APPROVAL = {
    "en": ("Go on with this plan?", ("Approve", "Request changes", "Cancel")),
    "ko": ("이 계획으로 진행할까요?", ("승인", "수정 요청", "취소")),
}
STUCK = ("What about the failed tasks?", ("Try again", "Skip with a reason", "Stop"))
# The person's own words are the reason; the options are only the usual ones.
REASON = (
    "Why are they skipped?",
    ("Not needed for this goal", "Done elsewhere", "Not possible here"),
)
# Document 001: an agent that ends its message with this asks for the next round.
RETRY_MARK = "__ULTRAWORK_RETRY__"


class Step:
    """`own` names the program's work; the other fields are what a model or person needs. `again`: it is a retry."""

    __slots__ = ("again", "kind", "options", "own", "question", "spawns", "text", "waiting")

    def __init__(
        self,
        kind: str,
        text: str = "",
        *,
        own: str = "",
        spawns: "Sequence[Spawn]" = (),
        question: str = "",
        options: "Sequence[str]" = (),
        waiting: "Sequence[str]" = (),
        again: bool = False,
    ) -> None:
        self.again = again
        self.kind = kind
        self.text = text
        self.own = own
        self.spawns = tuple(spawns)
        self.question = question
        self.options = tuple(options)
        self.waiting = tuple(waiting)

    def document(self) -> "dict[str, Any]":
        return {
            "kind": self.kind,
            "text": self.text,
            "own": self.own,
            "agents": [spawn.document() for spawn in self.spawns],
            "question": self.question,
            "options": list(self.options),
            "waiting": list(self.waiting),
        }


class Known:
    """
    What is stored: `running` are tasks and explorers with an agent at work, `rulings` what judges said of
    the files as they are, `mode` the planned mode that lies over the session, `changed` what it changed.
    """

    __slots__ = (
        "attended", "barrier", "changed", "explorers", "findings", "language", "mode", "models",
        "plan_errors", "questions", "receipts", "rulings", "running", "session", "tasks", "verdict", "work",
    )  # fmt: skip

    def __init__(
        self,
        session: "Session",
        tasks: "Sequence[Task]",
        explorers: "Sequence[Explorer]",
        *,
        running: "Collection[str]" = (),
        verdict: str = "",
        rulings: "Mapping[str, str] | None" = None,
        findings: "Mapping[str, Sequence[str]] | None" = None,
        receipts: "Sequence[str]" = (),
        plan_errors: "Sequence[str]" = (),
        attended: bool = True,
        barrier: bool = False,
        language: str = "en",
        questions: int = 1,
        models: "Mapping[str, str] | None" = None,
        mode: "Progress | None" = None,
        changed: "Sequence[str]" = (),
    ) -> None:
        self.session = session
        self.tasks = tuple(tasks)
        self.work = [task for task in self.tasks if task.id != VERIFY_TASK]
        self.explorers = tuple(explorers)
        self.running = frozenset(running)
        self.verdict = verdict
        self.rulings = dict(rulings or {})
        self.findings = dict(findings or {})
        self.receipts = tuple(receipts)
        self.plan_errors = tuple(plan_errors)
        self.attended = attended
        self.barrier = barrier
        self.language = language
        self.questions = questions
        self.models = models or roles.DEFAULT_MODELS
        self.mode = mode
        self.changed = tuple(changed)

    def spent(self, counter: str) -> bool:
        """Whether the mode has used up all that it has of this."""
        most = self.mode.limits.get(counter) if self.mode is not None else None
        return (
            self.mode is not None and most is not None and self.mode.counts.get(counter, 0) >= most
        )

    @property
    def retired(self) -> int:
        """Seats of a team that get no task any more."""
        if self.mode is None:
            return 0
        from . import seats

        return seats.retired(self.mode.facts)

    def option(self, name: str) -> int:
        return int(str(self.session.options.get(name) or 0))


def next_step(known: Known) -> Step:
    if not known.session.active:
        return _ended(known)
    return _BY_PHASE[known.session.phase](known)


def _planning(known: Known) -> Step:
    return _BY_STAGE[known.session.exploration_stage](known)


def _overview(known: Known) -> Step:
    if any(one.id == "overview" and one.done_at is not None for one in known.explorers):
        return Step(OWN, "choose what to explore", own=HINTS)
    return Step(OWN, "make the overview", own=OVERVIEW)


def _targeted(known: Known) -> Step:
    """Expected minus reported; those that are at work are waited for."""
    missing = [one for one in known.explorers if one.expected and one.done_at is None]
    if not missing:
        return Step(OWN, "exploration is complete", own=EXPLORED)
    overview = next((one.summary for one in known.explorers if one.id == "overview"), "")
    absent = [one for one in missing if one.id not in known.running]
    spawns = [roles.explorer(known.session, one.id, one.hint, overview) for one in absent]
    waiting = [one.id for one in missing]
    if not spawns:
        return Step(WAIT, f"explorers at work: {', '.join(waiting)}", waiting=waiting)
    return Step(SPAWN, "start these explorers in one message", spawns=spawns, waiting=waiting)


def _explored(known: Known) -> Step:
    if known.tasks and not known.plan_errors:
        return _planned(known)
    if not known.session.options["auto_mode"]:
        why = f" ({known.plan_errors[0]})" if known.plan_errors else ""
        asked = f"up to {known.questions} questions" if known.questions > 1 else "one question"
        return Step(PLAN, f"plan with the person: findings, {asked} at a time, design, tasks{why}")
    from . import drafts

    if drafts.lacking(known, drafts.BEFORE):
        return _drafted(known, drafts.BEFORE)
    if known.plan_errors and known.spent("architect"):
        return Step(OWN, f"no plan could stand: {known.plan_errors[0]}", own=FAILING)
    spawn = roles.planner(known.session, known.plan_errors)
    return _started(known, "start the planner", [spawn])


def _started(known: Known, text: str, spawns: "Sequence[Spawn]") -> Step:
    """Those that are not at work yet are started; the rest is waited for."""
    absent = [spawn for spawn in spawns if spawn.subject not in known.running]
    waiting = [spawn.subject for spawn in spawns if spawn.subject in known.running]
    if absent:
        return Step(SPAWN, text, spawns=absent, waiting=waiting)
    names = ", ".join(spawn.agent.rpartition(":")[2] for spawn in spawns)
    verb = "is" if len(spawns) == 1 else "are"
    return Step(WAIT, f"the {names} {verb} at work", waiting=waiting)


def _drafted(known: Known, table: "Mapping[str, str]") -> Step:
    from . import drafts

    spawn = drafts.spawn(known, table)
    return _started(known, f"start the planner for the {spawn.subject}", [spawn])


def _planned(known: Known) -> Step:
    from . import drafts

    if drafts.lacking(known, drafts.AFTER):
        return _drafted(known, drafts.AFTER)
    if known.session.options["plan_only"]:
        return Step(OWN, "the plan stands", own=STAND)
    if known.session.options["auto_mode"] or known.session.plan.get("approved_at"):
        return Step(OWN, "begin to execute", own=EXECUTE)
    question, options = APPROVAL.get(known.language, APPROVAL["en"])
    return Step(ASK, "show the plan, then ask", question=question, options=options)


def _stands(known: Known) -> Step:
    if known.session.options["plan_only"]:
        return Step(DONE, "the plan stands; /ultrawork:ultrawork-exec executes it")
    return _planned(known)


def _execution(known: Known) -> Step:
    if any(task.status == statuses.FAILED and task.may_retry for task in known.work):
        return Step(OWN, "failed tasks get another try", own=RETRY)
    if known.session.state.get("pipeline"):
        from .pipeline_steps import failure

        after = failure(known)
        if after is not None:
            return after
    running = [task.id for task in known.work if task.status == statuses.IN_PROGRESS]
    chosen = _ready(known, len(running))
    if chosen:
        spawns = [roles.worker(known.session, task, known.models) for task in chosen]
        again = known.session.iteration > 1 or any(task.attempts for task in chosen)
        text = "start these workers in one message"
        return Step(SPAWN, text, spawns=spawns, waiting=running, again=again)
    if running:
        return Step(WAIT, f"workers at work: {', '.join(running)}", waiting=running)
    return _settled(known)


def _ready(known: Known, running: int) -> "list[Task]":
    by_name = {task.id: task for task in known.work}
    schedule = Schedule.of(known.tasks, barrier=known.barrier)
    return [by_name[name] for name in schedule.ready(_slots(known, running))]


def _slots(known: Known, running: int) -> int | None:
    limit = known.option("max_workers")
    return max(0, limit - known.retired - running) if limit else None


def _settled(known: Known) -> Step:
    """Nothing runs and nothing can start: on to verification, another round, or a person's word."""
    left = [task for task in known.work if task.status not in (statuses.RESOLVED, statuses.SKIPPED)]
    if left:
        why = f"tasks are not resolved: {', '.join(task.id for task in left[:5])}"
        if known.retired and known.retired >= known.option("max_workers"):
            return Step(OWN, f"{why}; every worker of the team failed twice", own=FAILING)
        if known.attended and not known.session.options["auto_mode"]:
            return _stuck(known, why)
        return _another_round(known, why)
    together = None if known.mode is None else _together(known)
    if together is not None:
        return together
    if known.session.options["skip_verify"]:
        return Step(OWN, "verification was skipped on request", own=UNVERIFIED)
    if known.session.state.get("pipeline"):
        return Step(OWN, "all stages are settled", own=STAGES_DONE)
    return Step(OWN, "all tasks are settled", own=SETTLE)


def _together(known: Known) -> Step | None:
    """What several workers wanted or did with the same file is brought in order before anything is verified."""
    from . import modes, sharing

    assert known.mode is not None
    if known.mode.mode != modes.ULTRAPILOT:
        return None
    if sharing.wishes(known.session):
        return Step(OWN, "workers asked for changes of shared files", own=COORDINATE)
    clashes = sharing.clashes(known.session, known.tasks)
    if not clashes:
        return None
    path, one, other = clashes[0]
    why = f"{one} and {other} both changed {path}"
    step = _another_round(known, why)
    return Step(OWN, why, own=SETTLING) if step.own == ITERATE else step


def _another_round(known: Known, why: str, counter: str = "") -> Step:
    """A mode ends by itself when its own number of rounds is used up; elsewhere a person may give more."""
    over = next((one for one in (counter, "fix") if counter and known.spent(one)), "")
    if over:
        return Step(OWN, f"{why}; all rounds of {over} are used up", own=FAILING)
    if known.session.iteration < known.option("max_iterations"):
        return Step(OWN, why, own=ITERATE)
    if known.attended and known.mode is None:
        return _stuck(known, why)
    return Step(OWN, f"{why}; all iterations are used up", own=FAILING)


def _stuck(known: Known, why: str) -> Step:
    """All tries are used up, and there is a person: again, skip, or stop."""
    question, options = REASON if known.session.state.get("skipping") else STUCK
    return Step(ASK, why, question=question, options=options)


def _verification(known: Known) -> Step:
    if not known.verdict:
        return Step(VERIFY, "run `ultrawork verify`: the gates decide")
    if known.verdict == FAIL:
        return _another_round(known, "the gates are red", "qa")
    if known.verdict != PASS:
        return Step(OWN, "what the gates could not decide stays undecided", own=UNVERIFIED)
    return _judged(known)


def _judged(known: Known) -> Step:
    """All judges look at the same files; what they found is mended together."""
    from . import judges

    wanted = judges.wanted(known)
    missing = [judges.spawn(known, part) for part in wanted if part not in known.rulings]
    if missing:
        text = "start the verifier" if len(missing) == 1 else "start these judges in one message"
        return _started(known, text, missing)
    against = [part for part in wanted if known.rulings[part] != judges.APPROVED]
    if not against:
        return Step(OWN, "gates and verifier agree", own=COMPLETE)
    who = "the verifier" if against == [judges.VERIFY] else f"a judge ({', '.join(against)})"
    return _another_round(known, f"{who} found something", "validation")


def _ended(known: Known) -> Step:
    if known.session.state.get("answered"):
        from .pipeline_steps import answer

        return Step(DONE, answer(known))
    verdict = f", {known.session.verdict}" if known.session.verdict else ""
    return Step(DONE, f"the session has ended: {known.session.phase}{verdict}")


_BY_STAGE = {
    stages.NOT_STARTED: _overview,
    stages.OVERVIEW: _overview,
    stages.ANALYZING: lambda _known: Step(OWN, "choose what to explore", own=HINTS),
    stages.TARGETED: _targeted,
    stages.COMPLETE: _explored,
}
_BY_PHASE = {
    phases.PLANNING: _planning,
    phases.PLANNING_COMPLETE: _stands,
    phases.EXECUTION: _execution,
    phases.VERIFICATION: _verification,
    phases.DOCUMENTATION: _ended,
    phases.COMPLETE: _ended,
    phases.FAILED: _ended,
    phases.CANCELLED: _ended,
}
