"""A session: one goal, from the first prompt to the verdict, with the user's options. Its life is a row of phases: what
may follow what, and what each step needs."""

from ..errors import Conflict, UsageError
from ..session_kinds import CHECKOUT, FULL, LIGHT
from ..times import format_iso
from ..value import Value, fresh
from . import exploration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

PLANNING = "PLANNING"
PLANNING_COMPLETE = "PLANNING_COMPLETE"
EXECUTION = "EXECUTION"
VERIFICATION = "VERIFICATION"
DOCUMENTATION = "DOCUMENTATION"
COMPLETE = "COMPLETE"
FAILED = "FAILED"
CANCELLED = "CANCELLED"

_ENDINGS = (FAILED, CANCELLED)
NEXT: dict[str, tuple[str, ...]] = {
    PLANNING: (PLANNING_COMPLETE, EXECUTION, *_ENDINGS),
    PLANNING_COMPLETE: (PLANNING, EXECUTION, *_ENDINGS),
    EXECUTION: (VERIFICATION, *_ENDINGS),
    VERIFICATION: (EXECUTION, DOCUMENTATION, COMPLETE, *_ENDINGS),
    DOCUMENTATION: (EXECUTION, COMPLETE, *_ENDINGS),
    COMPLETE: (),
    FAILED: (EXECUTION,),
    CANCELLED: (),
}
ALL = tuple(NEXT)
TERMINAL = (COMPLETE, FAILED, CANCELLED)
_SPELLINGS = {"COMPLETED": COMPLETE, "CANCELED": CANCELLED}


class PhaseFacts(Value):
    """The facts that guards use."""

    approved: bool = False
    auto: bool = False
    passed: bool = False
    restart: bool = False
    unsettled: "Sequence[str]" = ()
    iteration: int = 1
    limit: int = 5


def parse(word: str) -> str:
    """A phase as people write it; 2 of the documents' spellings are taken too."""
    from ..check import quote

    upper = word.strip().upper()
    phase = _SPELLINGS.get(upper, upper)
    if phase not in NEXT:
        raise UsageError(f"{quote(word)} is not a phase; known: {', '.join(ALL)}")
    return phase


def find_missing(now: str, target: str, facts: PhaseFacts) -> str | None:
    """Return what a session still lacks for a phase that the table allows; None if nothing."""
    if target == EXECUTION:
        return _missing_for_execution(now, facts)
    if target == VERIFICATION and facts.unsettled:
        return f"tasks are not settled: {', '.join(facts.unsettled[:5])}"
    if target == COMPLETE and not facts.passed:
        return "it needs a PASS verdict for the files as they are; run ultrawork verify"
    return None


def _missing_for_execution(now: str, facts: PhaseFacts) -> str | None:
    if now in (PLANNING, PLANNING_COMPLETE) and not (facts.approved or facts.auto):
        return "the plan is not approved; approve it with --plan-approved, or start with --auto"
    if now == FAILED and not facts.restart:
        return "a failed session continues only with --restart"
    if now == VERIFICATION and facts.iteration >= facts.limit:
        return f"all {facts.limit} iterations are used up"
    return None


def move(now: str, target: str, facts: PhaseFacts) -> str:
    """Return the phase after a legal transition; an error says which are legal and what is missing."""
    if now == target:
        return now
    if target not in NEXT[now]:
        legal = ", ".join(NEXT[now]) or "none, it has ended"
        raise Conflict(f"{now} cannot become {target}; legal from here: {legal}")
    lack = find_missing(now, target, facts)
    if lack:
        raise Conflict(f"{now} cannot become {target} yet: {lack}")
    return target


# Each option: its flag, its name, its smallest value.
OPTION_SWITCHES = {
    "--auto": "auto_mode",
    "--skip-verify": "skip_verify",
    "--plan-only": "plan_only",
    "--barrier": "barrier",
}
OPTION_NUMBERS = {"--max-workers": ("max_workers", 0), "--max-iterations": ("max_iterations", 1)}
OPTION_LIMIT = 10_000
SCHEMA = "8.0"
DEFAULT_OPTIONS: dict[str, object] = {
    "max_workers": 0,
    "max_iterations": 5,
    "skip_verify": False,
    "plan_only": False,
    "auto_mode": False,
}


class _Key:
    """One key of a session's state. A missing value or one of the wrong type reads as empty."""

    __slots__ = ("kind", "name")

    def __init__(self, kind: type, name: str) -> None:
        self.kind = kind
        self.name = name

    def __get__(self, state: "SessionState", _owner: type) -> "Any":
        value = state.get(self.name)
        return value if isinstance(value, self.kind) else self.kind()

    def __set__(self, state: "SessionState", value: object) -> None:
        state[self.name] = value

    def __delete__(self, state: "SessionState") -> None:
        state.pop(self.name, None)


def _key(kind: type, name: str) -> "Any":
    return _Key(kind, name)


class SessionState(dict[str, object]):
    """What a session stores beside its fields, and shows in `session.json`. The key names come from the spec and
    appear only here. To change a value that was missing, assign it."""

    __slots__ = ()

    # Light mode: when it started, how often a stop was refused, which commands a client rule allows.
    ulw: "dict[str, Any]" = _key(dict, "ulw")
    # What is known about the user who typed the first prompt; empty if no user did.
    typed: "dict[str, Any]" = _key(dict, "typed")
    stop_continuation: "dict[str, Any]" = _key(dict, "stopContinuation")
    modes: "dict[str, dict[str, Any]]" = _key(dict, "modes")
    # What was requested together: one execution mode, enhancements, a guarantee.
    composition: "dict[str, Any]" = _key(dict, "composition")
    # How strictly work is delegated, and where the client stores its agents' transcripts.
    delegation: str = _key(str, "delegation")
    # The user asked the main agent to do the tasks itself.
    direct: bool = _key(bool, "direct")
    subagents: str = _key(str, "subagents")
    plan_errors: list[str] = _key(list, "plan_errors")
    spec: "dict[str, Any]" = _key(dict, "spec")
    prd: "dict[str, Any]" = _key(dict, "prd")
    pipeline: "dict[str, Any]" = _key(dict, "pipeline")
    ultrapilot: "dict[str, Any]" = _key(dict, "ultrapilot")
    # State of the feature that leads this session; empty if none does.
    lead: "dict[str, Any]" = _key(dict, "axiom")
    # Rulings of the judges since verification began, and the number of verdicts at that time.
    verification: "dict[str, Any]" = _key(dict, "verification")
    # The last worker's report, and the files when the round began.
    round: dict[str, str] = _key(dict, "round")
    # The tree last scanned for changes made outside the edit tools, what was wrong, what the model must be shown.
    looked: "dict[str, Any]" = _key(dict, "looked")
    shell: list[str] = _key(list, "shell")
    untold: list[str] = _key(list, "untold")
    # Lines about finished tasks that the user has not seen yet.
    settled: list[str] = _key(list, "settled")
    # Agents the model was last asked to start, so that it is asked once.
    asked_for: list[str] = _key(list, "asked_for")
    # The user wants to skip what failed, and did; a pipeline that changed nothing, or was read-only.
    skipping: bool = _key(bool, "skipping")
    skipped: str = _key(str, "skipped")
    unproved: str = _key(str, "unproved")
    answered: bool = _key(bool, "answered")
    # The model of an unattended client was asked to end its message with the verdict.
    last_line: bool = _key(bool, "last_line")
    # How a headless run was started, so that a later engine continues alike, and where its results are merged.
    run: "dict[str, Any]" = _key(dict, "run")
    integration: str = _key(str, "integration")

    @property
    def has_modes(self) -> bool:
        """Return whether a mode is or was on; an ended mode stays on record."""
        return "modes" in self


class Session(Value):
    """A session. `kind` distinguishes a planned session, the light `ulw` mode, and `verify` outside both."""

    id: str
    goal: str
    working_dir: str
    started_at: float
    kind: str = FULL
    phase: str = PLANNING
    exploration_stage: str = exploration.NOT_STARTED
    iteration: int = 1
    run: int = 1
    options: dict[str, object] = fresh(dict)
    plan: dict[str, object] = fresh(dict)
    state: SessionState = fresh(SessionState)
    design: str | None = None
    verdict: str | None = None
    updated_at: float = 0.0
    ended_at: float | None = None
    revision: int = 0

    def __post_init__(self) -> None:
        self.options = {**DEFAULT_OPTIONS, **self.options}
        self.plan = self.plan or {"version": 1, "created_at": None, "approved_at": None}
        self.state = SessionState(self.state)
        self.updated_at = self.updated_at or self.started_at

    @property
    def active(self) -> bool:
        return self.ended_at is None and self.phase not in TERMINAL

    @property
    def can_go_on(self) -> bool:
        """
        Return whether it is active, or ended without a final verdict: allowed to stop, undecided, or not
        verified.
        """
        return self.active or (self.phase not in TERMINAL and not self.state.answered)

    @property
    def place(self) -> str:
        """Return where results are merged. A headless run has its own worktree for that."""
        return self.state.integration or self.working_dir

    def document(self) -> dict[str, object]:
        """Return `session.json` with the keys that the spec names; `state` adds those of modes, such as `ulw`."""
        return {
            "version": SCHEMA,
            "session_id": self.id,
            "kind": self.kind,
            "goal": self.goal,
            "working_dir": self.working_dir,
            "started_at": format_iso(self.started_at),
            "updated_at": format_iso(self.updated_at),
            "ended_at": format_iso(self.ended_at),
            "phase": self.phase,
            "exploration_stage": self.exploration_stage,
            "iteration": self.iteration,
            "run": self.run,
            "options": self.options,
            "plan": self.plan,
            "verdict": self.verdict,
            "cancelled_at": format_iso(self.ended_at) if self.phase == CANCELLED else None,
            **self.state,
        }


__all__ = ["CHECKOUT", "DEFAULT_OPTIONS", "FULL", "LIGHT", "SCHEMA", "Session", "SessionState"]
