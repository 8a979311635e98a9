"""A session: one goal, from its first word to its verdict, and what a person may wish of it."""

from ..session_kinds import CHECKOUT, FULL, LIGHT
from ..times import format_iso
from ..value import Value, fresh
from . import exploration, phases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Wherever it is typed: the flag, the option, the least number.
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
    """One key of a session's state; what is missing or of another kind is empty."""

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
    """
    What a session keeps beside its fields. It is stored, and shown in `session.json`, by the documents' own
    keys, which stand here and nowhere else; what is read from a key that is not there is changed by setting it.
    """

    __slots__ = ()

    # The light mode: since when, how often a stop was refused, which commands a rule of the client allows.
    ulw: "dict[str, Any]" = _key(dict, "ulw")
    # What is known of a person who typed the words that began it; empty if no person did.
    typed: "dict[str, Any]" = _key(dict, "typed")
    stop_continuation: "dict[str, Any]" = _key(dict, "stopContinuation")
    modes: "dict[str, dict[str, Any]]" = _key(dict, "modes")
    # What was named together: one execution, enhancements, a guarantee.
    composition: "dict[str, Any]" = _key(dict, "composition")
    # How strictly work is delegated, and where the client keeps the transcripts of its agents.
    delegation: str = _key(str, "delegation")
    # The person asked that the main agent does the tasks itself.
    direct: bool = _key(bool, "direct")
    subagents: str = _key(str, "subagents")
    plan_errors: list[str] = _key(list, "plan_errors")
    spec: "dict[str, Any]" = _key(dict, "spec")
    prd: "dict[str, Any]" = _key(dict, "prd")
    pipeline: "dict[str, Any]" = _key(dict, "pipeline")
    ultrapilot: "dict[str, Any]" = _key(dict, "ultrapilot")
    # What the feature keeps that leads this session; empty where none does.
    lead: "dict[str, Any]" = _key(dict, "axiom")
    # What judges said since the verification began, and after how many verdicts of the gates it did.
    verification: "dict[str, Any]" = _key(dict, "verification")
    # What the last worker said, and the files when the round began.
    round: dict[str, str] = _key(dict, "round")
    # The tree that was looked at last for changes past the edit tools, what was wrong, what the model must hear.
    looked: "dict[str, Any]" = _key(dict, "looked")
    shell: list[str] = _key(list, "shell")
    untold: list[str] = _key(list, "untold")
    # Lines about tasks that ended, which the person has not been shown yet.
    settled: list[str] = _key(list, "settled")
    # Which agents the model was last asked to start, so that it is asked once.
    asked_for: list[str] = _key(list, "asked_for")
    # The person wants to skip what failed, and did; a pipeline that changed nothing, or had only to read.
    skipping: bool = _key(bool, "skipping")
    skipped: str = _key(str, "skipped")
    unproved: str = _key(str, "unproved")
    answered: bool = _key(bool, "answered")
    # The model of an unattended client was asked to end with the verdict.
    last_line: bool = _key(bool, "last_line")
    # What a headless run was begun with, so that a later engine goes on alike, and where its work comes together.
    run: "dict[str, Any]" = _key(dict, "run")
    integration: str = _key(str, "integration")

    @property
    def has_modes(self) -> bool:
        """Whether a mode is or was on; one that ended stays in the record."""
        return "modes" in self


class Session(Value):
    """A session. `kind` distinguishes a planned session, the light `ulw` mode, and `verify` outside both."""

    id: str
    goal: str
    working_dir: str
    started_at: float
    kind: str = FULL
    phase: str = phases.PLANNING
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
        return self.ended_at is None and self.phase not in phases.TERMINAL

    @property
    def can_go_on(self) -> bool:
        """
        Return whether it is active, or ended without a final verdict: allowed to stop, undecided, or not
        verified.
        """
        return self.active or (self.phase not in phases.TERMINAL and not self.state.answered)

    @property
    def place(self) -> str:
        """Where the work comes together: a headless run has a worktree of its own for that."""
        return self.state.integration or self.working_dir

    def document(self) -> dict[str, object]:
        """`session.json`: the keys of the documents; `state` adds those of modes, such as `ulw`."""
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
            "cancelled_at": format_iso(self.ended_at) if self.phase == phases.CANCELLED else None,
            **self.state,
        }


__all__ = ["CHECKOUT", "DEFAULT_OPTIONS", "FULL", "LIGHT", "SCHEMA", "Session", "SessionState"]
