"""A mode's state file: the keys that scripts of document 004 know, and our own."""

from typing import Any

from ..times import format_iso
from . import tables
from .machine import COMPLETE, FAILED, ModeProgress

# Facts in a group of their own, with their default values.
GROUPS: dict[str, dict[str, dict[str, Any]]] = {
    "autopilot": {
        "expansion": {
            "analyst_complete": False, "architect_complete": False, "spec_path": None,
            "requirements_summary": "", "tech_stack": [],
        },
        "planning": {"plan_path": None, "architect_iterations": 0, "approved": False},
        "execution": {
            "ralph_iterations": 0, "ultrawork_active": False, "tasks_completed": 0, "tasks_total": 0,
            "files_created": [], "files_modified": [],
        },
        "qa": {
            "ultraqa_cycles": 0, "build_status": "pending", "lint_status": "pending",
            "test_status": "pending",
        },
        "validation": {
            "architects_spawned": 0, "verdicts": [], "all_approved": False, "validation_rounds": 0,
        },
    },
    "team": {
        "artifacts": {"plan_path": None, "prd_path": None, "verify_report_path": None},
        "execution": {
            "workers_total": 0, "workers_active": 0, "tasks_total": 0, "tasks_completed": 0,
            "tasks_failed": 0,
        },
        "fix_loop": {"attempt": 0, "max_attempts": 3, "last_failure_reason": None},
        "cancel": {"requested": False, "requested_at": None, "preserve_for_resume": False},
    },
}  # fmt: skip
# Counters by their names in the file: used, and available.
COUNTERS = {
    "iteration": ("iteration", "max_iterations"),
    "cycle": ("cycle", "max_cycles"),
    "architect": ("architect_iterations", ""),
    "qa": ("ultraqa_cycles", ""),
    "validation": ("validation_rounds", ""),
    "fix": ("attempt", "max_attempts"),
}
# (mode, linked mode): the link's name in its file.
LINKS = {
    ("ralph", "ultrawork"): "linked_ultrawork",
    ("ralph", "team"): "linked_team",
    ("team", "ralph"): "linked_ralph",
    ("ultrawork", "ralph"): "linked_to_ralph",
}


def render(progress: ModeProgress, *, session: str, place: str) -> dict[str, Any]:
    values = {**progress.facts, **_reviews(progress), **_count_limits(progress)}
    groups = {
        name: {key: values.pop(key, default) for key, default in keys.items()}
        for name, keys in GROUPS.get(progress.mode, {}).items()
    }
    return {
        **values,
        **groups,
        **_links(progress),
        "mode": progress.mode,
        "active": progress.active,
        "phase": progress.phase,
        "phase_history": [{"phase": phase, "entered_at": format_iso(at)} for phase, at in progress.history],
        "linked": list(progress.linked),
        "started_at": format_iso(progress.started_at),
        "updated_at": format_iso(progress.updated_at),
        "completed_at": format_iso(progress.updated_at if progress.phase in (COMPLETE, FAILED) else None),
        "session_id": session,
        "project_path": place,
    }


def _links(progress: ModeProgress) -> dict[str, bool]:
    named = ((pair[1], key) for pair, key in LINKS.items() if pair[0] == progress.mode)
    return {key: True for other, key in named if other in progress.linked}


def _count_limits(progress: ModeProgress) -> dict[str, int]:
    count_limits: dict[str, int] = {}
    for counter, most in progress.limits.items():
        name, limit = COUNTERS.get(counter, (f"{counter}_count", f"max_{counter}"))
        count_limits[name] = progress.counts.get(counter, 0)
        if limit:
            count_limits[limit] = most
    return count_limits


def _reviews(progress: ModeProgress) -> dict[str, Any]:
    if "verdicts" not in progress.facts:
        return {}
    issues = progress.facts.get("issues") or {}
    listed = [
        {"type": kind, "verdict": verdict, **({"issues": issues[kind]} if issues.get(kind) else {})}
        for kind, verdict in tables.list_reviews(progress).items()
    ]
    approved = tables.is_approved(progress)
    return {"verdicts": listed, "architects_spawned": len(listed), "all_approved": approved}
