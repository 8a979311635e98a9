"""The next step of a session as a value, its kinds, and the facts it is chosen from."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..modes.machine import ModeProgress
from ..plan.task import VERIFY as VERIFY_TASK
from ..plan.task import Task
from ..session.exploration import Explorer
from ..session.phases import PLANNING_COMPLETE
from ..session.session import Session
from ..value import Value, fresh
from .roles import DEFAULT_MODELS, Spawn

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
ARCHIVE = "archive"

APPROVAL = {
    "en": ("Go on with this plan?", ("Approve", "Request changes", "Cancel")),
    "ko": ("이 계획으로 진행할까요?", ("승인", "수정 요청", "취소")),
}
STUCK = ("What about the failed tasks?", ("Try again", "Skip with a reason", "Stop"))
# The user's own words are the reason; the options are only the usual ones.
REASON = ("Why are they skipped?", ("Not needed for this goal", "Done elsewhere", "Not possible here"))
# Document 001: an agent that ends its message with this asks for the next round.
RETRY_MARK = "__ULTRAWORK_RETRY__"


def find_question(session: Session) -> tuple[str, tuple[str, ...]] | None:
    """Return the question that a session waits for, with its answers, as far as the session alone shows it."""
    if session.phase != PLANNING_COMPLETE or session.state.lead or not session.active:
        return None
    options, approved = session.options, session.plan.get("approved_at")
    if approved or options["auto_mode"] or options["plan_only"]:
        return None
    return APPROVAL["en"]


class NextStep(Value):
    """
    One step. `own` names the program's work; the other fields are for a model or the user. `again`: it is a
    retry. `direct`: the coordinator may do the work of these agents itself.
    """

    kind: str
    text: str = ""
    own: str = ""
    spawns: Sequence[Spawn] = ()
    question: str = ""
    options: tuple[str, ...] = ()
    waiting: Sequence[str] = ()
    again: bool = False
    direct: bool = False

    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "text": self.text,
            "own": self.own,
            "agents": [spawn.document() for spawn in self.spawns],
            "question": self.question,
            "options": list(self.options),
            "waiting": list(self.waiting),
            "direct": self.direct,
        }


class SessionFacts(Value):
    """
    What is stored. `running`: tasks and explorers with a running agent. `rulings`: what judges said about the
    current files. `mode`: the planned mode of the session. `changed`: the files it changed. `because`: what keeps
    the verdict from PASS. `sends_back`: whether part of that was not sent back yet.
    """

    session: Session
    tasks: Sequence[Task]
    explorers: Sequence[Explorer]
    running: Collection[str] = ()
    verdict: str = ""
    because: str = ""
    sends_back: bool = False
    rulings: Mapping[str, str] = fresh(dict)
    findings: Mapping[str, Sequence[str]] = fresh(dict)
    receipts: Sequence[str] = ()
    plan_errors: Sequence[str] = ()
    attended: bool = True
    barrier: bool = False
    language: str = "en"
    questions: int = 1
    models: Mapping[str, str] = DEFAULT_MODELS
    mode: ModeProgress | None = None
    changed: Sequence[str] = ()
    changed_lines: int = 0
    tests_changed: bool = False

    @property
    def work(self) -> list[Task]:
        return [task for task in self.tasks if task.id != VERIFY_TASK]

    def has_spent(self, counter: str) -> bool:
        """Return whether the mode has used up all of this counter."""
        most = self.mode.limits.get(counter) if self.mode is not None else None
        return self.mode is not None and most is not None and self.mode.counts.get(counter, 0) >= most

    @property
    def retired(self) -> int:
        """Return how many seats of a team get no more tasks."""
        if self.mode is None:
            return 0
        from ..modes import worker_watch  # few sessions ask, and every hook of a plan loads this module

        return worker_watch.count_retired(self.mode.facts)

    def option(self, name: str) -> int:
        return int(str(self.session.options.get(name) or 0))
