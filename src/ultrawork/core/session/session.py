"""A session: one goal, from its first word to its verdict, and what a person may wish of it."""

from ..session_kinds import CHECKOUT, FULL, LIGHT
from ..times import format_iso
from ..value import Value, fresh
from . import exploration, phases

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


class Session(Value):
    """`kind` tells a planned session from the light `ulw` mode and from `verify` outside of both."""

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
    state: dict[str, object] = fresh(dict)
    design: str | None = None
    verdict: str | None = None
    updated_at: float = 0.0
    ended_at: float | None = None
    revision: int = 0

    def __post_init__(self) -> None:
        self.options = {**DEFAULT_OPTIONS, **self.options}
        self.plan = self.plan or {"version": 1, "created_at": None, "approved_at": None}
        self.updated_at = self.updated_at or self.started_at

    @property
    def active(self) -> bool:
        return self.ended_at is None and self.phase not in phases.TERMINAL

    @property
    def place(self) -> str:
        """Where the work comes together: a headless run has a worktree of its own for that."""
        return str(self.state.get("integration") or self.working_dir)

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


__all__ = ["CHECKOUT", "DEFAULT_OPTIONS", "FULL", "LIGHT", "SCHEMA", "Session"]
