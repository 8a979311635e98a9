"""A planned mode over its session: its phase and facts follow from what is stored.

Nothing an agent says moves it. The session's phase, its tasks, the verdict of the checks and the rulings of requested
judges decide; the machine's tables say whether a step is legal."""

from collections.abc import Sequence
from typing import Any

from ..modes import modes, tables
from ..modes.machine import COMPLETE, FAILED, Machine, ModeProgress
from ..modes.shared_files import is_coordinator_task
from ..plan import task as statuses
from ..plan.task import Task
from ..session import exploration, session
from ..verdict.gate_run import GREEN, RED
from ..verdict_values import PASS
from . import judges
from .steps import SessionFacts

SPEC = ".omc/autopilot/spec.md"
PLANS = {
    modes.AUTOPILOT: ".omc/plans/autopilot-impl.md",
    modes.ULTRAPILOT: ".omc/plans/ultrapilot.md",
    modes.TEAM: ".omc/plans/team.md",
}
PRD = ".omc/plans/team-prd.md"
ENDS = {session.COMPLETE: COMPLETE, session.FAILED: FAILED}
_SETTLED = (statuses.RESOLVED, statuses.SKIPPED)


def find_phase(progress: ModeProgress, known: SessionFacts) -> str:
    """Return the phase of the machine for the current phase of the session."""
    ended = ENDS.get(known.session.phase)
    return ended or _PHASES[progress.mode](progress, known)


def _autopilot(progress: ModeProgress, known: SessionFacts) -> str:
    at = known.session.phase
    if at == session.EXECUTION:
        return tables.AUTOPILOT_EXECUTION
    if at == session.VERIFICATION:
        # Files that change during validation are checked again; the reviewers' round is not over.
        validating = known.verdict == PASS or progress.phase == tables.AUTOPILOT_VALIDATION
        return tables.AUTOPILOT_VALIDATION if validating else tables.AUTOPILOT_QA
    return tables.AUTOPILOT_PLANNING if known.session.design and _explored(known) else tables.AUTOPILOT_EXPANSION


def _explored(known: SessionFacts) -> bool:
    return known.session.exploration_stage == exploration.COMPLETE


def _team(progress: ModeProgress, known: SessionFacts) -> str:
    at = known.session.phase
    if at == session.EXECUTION:
        mends = progress.phase in (tables.TEAM_VERIFY, tables.TEAM_FIX)
        return tables.TEAM_FIX if mends else tables.TEAM_EXEC
    if at == session.VERIFICATION:
        return tables.TEAM_VERIFY
    return tables.TEAM_PRD if known.work and not known.plan_errors else tables.TEAM_PLAN


def _ultrapilot(_progress: ModeProgress, known: SessionFacts) -> str:
    at = known.session.phase
    if at == session.VERIFICATION:
        return tables.ULTRAPILOT_VALIDATION
    if at != session.EXECUTION:
        return tables.ULTRAPILOT_PARTITION
    return tables.ULTRAPILOT_EXECUTION if _open(_workers(known)) else tables.ULTRAPILOT_INTEGRATION


_PHASES = {modes.AUTOPILOT: _autopilot, modes.ULTRAPILOT: _ultrapilot, modes.TEAM: _team}


def collect_facts(progress: ModeProgress, known: SessionFacts) -> dict[str, Any]:
    """Return the current facts that the guards read."""
    counted = _workers(known) if progress.mode == modes.ULTRAPILOT else known.work
    facts: dict[str, Any] = {
        "goal": known.session.goal,
        "tasks_total": len(counted),
        "tasks_completed": len(counted) - len(_open(counted)),
        "tasks_failed": sum(task.status == statuses.FAILED for task in counted),
    }
    ended = known.session.phase == session.COMPLETE and known.session.verdict == PASS
    if ended or known.verdict == PASS:
        facts["proved"] = True
    if known.work and not known.plan_errors:
        facts["plan_path"] = PLANS[progress.mode]
    return {**facts, **_MORE.get(progress.mode, _nothing)(known)}


def _autopilots(known: SessionFacts) -> dict[str, Any]:
    """Return the facts as document 004 groups them: what was expanded, approved and checked."""
    specified = bool(known.session.design)
    planning = known.session.phase in (session.PLANNING, session.PLANNING_COMPLETE)
    return {
        **({"spec_path": SPEC} if specified else {}),
        "analyst_complete": _explored(known),
        "architect_complete": specified,
        "approved": bool(known.work) and not planning,
        **_checks(known.receipts),
    }


def _checks(receipts: Sequence[str]) -> dict[str, str]:
    """The gates of these names as their last receipts have them: `test: green (#3)`."""
    colours = {line.partition(": ")[0]: line.partition(": ")[2].split()[0] for line in receipts}
    return {
        f"{name}_status": _COLOURS.get(colours[name], "pending")
        for name in ("build", "lint", "test")
        if name in colours
    }


_COLOURS = {GREEN: "passing", RED: "failing"}


def _criteria(known: SessionFacts) -> dict[str, Any]:
    return {"prd_path": PRD} if known.session.state.prd else {}


def _nothing(_known: SessionFacts) -> dict[str, Any]:
    return {}


_MORE = {modes.AUTOPILOT: _autopilots, modes.TEAM: _criteria}


def record_reviews(progress: ModeProgress, known: SessionFacts, now: float) -> None:
    """Record the rulings on exactly these files; those on others no longer count."""
    if progress.phase != tables.AUTOPILOT_VALIDATION or known.session.phase != session.VERIFICATION:
        return
    if progress.mode != modes.AUTOPILOT:
        return
    progress.facts["verdicts"], progress.facts["issues"] = {}, {}
    for kind, part in judges.KINDS.items():
        if part in known.rulings:
            issues = known.findings.get(part, ())
            tables.record_review(progress, kind, known.rulings[part], issues, now=now)


def count_rounds(progress: ModeProgress, known: SessionFacts) -> None:
    """Count rounds of the session as iterations of its mode, unless the machine counts them itself."""
    if progress.mode != modes.ULTRAPILOT:
        most = progress.limits["iteration"]
        progress.counts["iteration"] = min(known.session.iteration, most)


def _open(plan: Sequence[Task]) -> list[Task]:
    return [task for task in plan if task.status not in _SETTLED]


def _workers(known: SessionFacts) -> list[Task]:
    """Return tasks without the coordinator's own, if there are others."""
    return [task for task in known.work if not is_coordinator_task(task)] or list(known.work)


def find_route(machine: Machine, start: str, target: str) -> list[str]:
    """Return the shortest legal way from one phase to another; empty if there is none."""
    ways: dict[str, list[str]] = {start: []}
    queue = [start]
    for here in queue:
        for step in machine.moves.get(here, ()):
            if step not in ways:
                ways[step] = [*ways[here], step]
                queue.append(step)
    return ways.get(target, [])
