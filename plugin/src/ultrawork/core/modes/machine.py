"""A mode as a table: its phases, legal transitions, what each step needs, and how often it may be tried.

A mode is not a loop itself. It lies over a session driven by the stop decision (`light`), by the course of a plan
(`full`), or by a queue that several sessions share (`swarm`)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import Conflict, UsageError
from ..times import format_iso, parse_iso
from ..value import Value, fresh

Guard = Callable[["ModeProgress"], str]

LIGHT, FULL, SWARM = "light", "full", "swarm"
WORKING, COMPLETE, FAILED, CANCELLED = "working", "complete", "failed", "cancelled"
OUTDATED = ("proved", "verdicts", "issues")
# Active but untouched: the client was closed or killed.
INTERRUPTED_AFTER = 300.0
STALE_AFTER = 3600.0
INTERRUPTED, RESUMABLE, STALE, ENDED, RUNNING = ("interrupted", "resumable", "stale", "ended", "running")


class Machine(Value):
    """A mode's table. `entering` names the counter that entering a phase uses, so that a mode starts in its first
    iteration; a phase whose counter is used up is closed. In the phases of `works` files change, so earlier proofs and
    approvals no longer count."""

    mode: str
    base: str
    begins: str
    moves: Mapping[str, tuple[str, ...]]
    limits: Mapping[str, int] = fresh(dict)
    entering: Mapping[str, str] = fresh(dict)
    guards: Mapping[tuple[str, str], Guard] = fresh(dict)
    works: tuple[str, ...] = ()

    @property
    def ends(self) -> tuple[str, ...]:
        return COMPLETE, FAILED

    def checked(self, limits: Mapping[str, int] | None) -> dict[str, int]:
        """Return the user's limits; raise for one that the mode does not have."""
        wanted = dict(limits or {})
        unknown = [name for name in wanted if name not in self.limits]
        if unknown:
            known = ", ".join(self.limits) or "none"
            raise UsageError(f"{self.mode} has no limit {unknown[0]}; it has: {known}")
        return wanted


class ModeProgress(Value):
    """The state of a mode. `facts` are the mode's own; only the checks set `proved` among them."""

    mode: str
    phase: str
    started_at: float = 0.0
    updated_at: float = 0.0
    active: bool = True
    counts: dict[str, int] = fresh(dict)
    limits: dict[str, int] = fresh(dict)
    facts: dict[str, Any] = fresh(dict)
    linked: Sequence[str] = ()
    history: list[tuple[str, float]] = fresh(list)

    def __post_init__(self) -> None:
        self.updated_at = self.updated_at or self.started_at
        self.counts, self.limits = dict(self.counts), dict(self.limits)
        self.facts, self.linked = dict(self.facts), tuple(self.linked)
        self.history = [(str(phase), float(at)) for phase, at in self.history]

    def document(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "phase": self.phase,
            "active": self.active,
            "counts": dict(self.counts),
            "limits": dict(self.limits),
            "facts": dict(self.facts),
            "linked": list(self.linked),
            "started_at": format_iso(self.started_at),
            "updated_at": format_iso(self.updated_at),
            "history": [[phase, at] for phase, at in self.history],
        }

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "ModeProgress":
        started = parse_iso(str(document.get("started_at"))) or 0.0
        return cls(
            document["mode"],
            document["phase"],
            started_at=started,
            updated_at=parse_iso(str(document.get("updated_at"))) or started,
            active=document.get("active") is True,
            counts=document.get("counts") or {},
            limits=document.get("limits") or {},
            facts=document.get("facts") or {},
            linked=document.get("linked") or (),
            history=document.get("history") or [],
        )


def begin(
    machine: Machine,
    now: float,
    *,
    facts: Mapping[str, Any] | None = None,
    linked: Iterable[str] = (),
    limits: Mapping[str, int] | None = None,
) -> ModeProgress:
    """Start a mode; `limits` of the user replace the table's."""
    begun = ModeProgress(
        machine.mode,
        machine.begins,
        started_at=now,
        counts=dict.fromkeys(machine.limits, 0),
        limits={**machine.limits, **machine.checked(limits)},
        facts=dict(facts or {}),
        linked=tuple(linked),
        history=[(machine.begins, now)],
    )
    if machine.begins in machine.entering:
        spend(begun, machine.entering[machine.begins], now)
    return begun


def move(machine: Machine, progress: ModeProgress, target: str, now: float) -> ModeProgress:
    """Return the same progress in its new phase; raises one sentence if table, guard or limit forbids it."""
    if target == progress.phase:
        return progress
    lack = _forbidden(machine, progress, target)
    if lack:
        raise Conflict(f"{machine.mode}: {progress.phase} cannot become {target}: {lack}")
    counter = machine.entering.get(target)
    if counter:
        spend(progress, counter, now)
    if target in machine.works:
        for fact in OUTDATED:
            progress.facts.pop(fact, None)
    progress.phase = target
    progress.active = target not in machine.ends and target != CANCELLED
    progress.updated_at = now
    progress.history.append((target, now))
    return progress


def _forbidden(machine: Machine, progress: ModeProgress, target: str) -> str:
    legal = machine.moves.get(progress.phase, ())
    if target not in legal:
        return f"legal from here: {', '.join(legal) or 'none, it has ended'}"
    counter = machine.entering.get(target, "")
    if counter and count_left(progress).get(counter) == 0:
        return f"all {progress.limits[counter]} of {counter} are used up"
    guard = machine.guards.get((progress.phase, target))
    return guard(progress) if guard else ""


def spend(progress: ModeProgress, counter: str, now: float) -> bool:
    """Use one; False if none was left, and then nothing has changed."""
    if count_left(progress)[counter] == 0:
        return False
    progress.counts[counter] = progress.counts.get(counter, 0) + 1
    progress.updated_at = now
    return True


def count_left(progress: ModeProgress) -> dict[str, int]:
    return {counter: max(0, most - progress.counts.get(counter, 0)) for counter, most in progress.limits.items()}


def find_resume_state(machine: Machine, progress: ModeProgress, now: float, *, active: bool) -> str:
    """Return whether the mode may be resumed, and why or why not."""
    if progress.phase in machine.ends:
        return ENDED
    quiet = now - progress.updated_at
    if active:
        return INTERRUPTED if quiet > INTERRUPTED_AFTER else RUNNING
    return RESUMABLE if quiet < STALE_AFTER else STALE


def take_up(machine: Machine, progress: ModeProgress, now: float) -> ModeProgress:
    """On again. From `cancelled` it goes to the latest phase that the table allows, elsewhere it stays."""
    if progress.phase == CANCELLED:
        legal = [phase for phase in machine.moves[CANCELLED] if not _forbidden(machine, progress, phase)]
        move(machine, progress, (legal or machine.moves[CANCELLED])[-1], now)
    progress.active = True
    progress.updated_at = now
    return progress
