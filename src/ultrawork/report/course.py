"""A planned session in words: its plan, how far it is, and how it ended."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.course import roles, steps
from ..core.course.steps import NextStep
from ..core.plan import graph, statuses
from ..core.plan.evidence import SHELL
from ..core.plan.task import Task
from ..core.session import phases
from ..core.session.session import Session
from ..core.times import format_duration
from ..core.verdict.strength import name_verdict
from ..core.wording import escape_markdown
from ..store import agents, attempts, explorers, receipts, tasks
from ..store.database import Database

_MARKS = {
    statuses.RESOLVED: "✓ resolved",
    statuses.IN_PROGRESS: "→ running",
    statuses.FAILED: "✗ failed",
    statuses.SKIPPED: "- skipped",
    statuses.BLOCKED: "⏳ blocked",
    statuses.PENDING: "⏳ pending",
}


def render_plan(session: Session, listed: Sequence[Task]) -> str:
    """The plan as it is reviewed: table, waves, longest chain."""
    needs = {task.id: task.blocked_by for task in listed}
    rows = [
        f"| {task.id} | {escape_markdown(task.subject)} | {task.complexity} | {', '.join(task.blocked_by) or '-'} |"
        for task in listed
    ]
    waves = [
        f"- Wave {number}: [{', '.join(wave)}]{_when(number, wave)}"
        for number, wave in enumerate(graph.list_waves(needs), 1)
    ]
    return "\n".join(
        [
            "## Ultrawork plan",
            "",
            f"**Goal**: {escape_markdown(session.goal)}",
            "",
            "| ID | Task | Complexity | Blocked By |",
            "|---|---|---|---|",
            *rows,
            "",
            "**Waves:**",
            *waves,
            "",
            f"**Longest chain:** {' -> '.join(graph.find_critical_path(needs)) or 'none'}",
        ]
    )


def _when(number: int, wave: Sequence[str]) -> str:
    if number == 1:
        return " can start immediately"
    return " after all" if wave == ["verify"] else f" after wave {number - 1}"


def render_progress(
    session: Session, listed: Sequence[Task], working: int, models: Mapping[str, str]
) -> str:
    """`models` are those that agents of tasks had last; one that is due shows the one it will have."""
    due = (statuses.PENDING, statuses.BLOCKED, statuses.FAILED)
    used = {task.id: "" if task.status in due else models.get(task.id, "") for task in listed}
    rows = [
        f"| {task.id} | {_MARKS[task.status]} | {used[task.id] or roles.choose_model(task)} |"
        for task in listed
    ]
    limit = session.options["max_iterations"]
    return "\n".join(
        [
            "## Progress",
            "",
            f"**Iteration:** {session.iteration}/{limit}   **Phase:** {session.phase}",
            "",
            "| Task | Status | Model |",
            "|---|---|---|",
            *rows,
            "",
            f"Active workers: {working}",
        ]
    )


def render_ending(session: Session, listed: Sequence[Task], verdict: dict[str, Any] | None) -> str:
    """How it ended: what is proved, what failed and why, what to do next."""
    done = [task for task in listed if task.status == statuses.RESOLVED]
    result = "PASS" if session.phase == phases.COMPLETE else session.verdict or session.phase
    told = name_verdict(result, verdict.get("strength") if verdict else None)
    lines = [
        "## Execution complete" if result == "PASS" else "## Execution ended",
        "",
        f"**Goal:** {escape_markdown(session.goal)}",
        f"**Iterations:** {session.iteration}/{session.options['max_iterations']}",
        f"**Result:** {'✓' if result == 'PASS' else '✗'} {told}",
        f"**Tasks:** {len(done)}/{len(listed)} resolved",
        *_evidence(listed),
        *_failures(listed),
        *([f"- {escape_markdown(session.state.skipped)}"] if session.state.skipped else []),
        *_issues(session, verdict),
    ]
    return "\n".join([*lines, "", f"Session: {session.id}"])


def _evidence(listed: Sequence[Task]) -> list[str]:
    last = {task.id: describe_evidence(task.evidence[-1]) for task in listed if task.evidence}
    return (
        ["", "### Evidence", *(f"- {name}: {escape_markdown(text)}" for name, text in last.items())]
        if last
        else []
    )


def describe_evidence(entry: object) -> str:
    """One piece of evidence as people read it."""
    if not isinstance(entry, dict):
        return str(entry)
    if entry.get("type") == SHELL:
        return f"through the shell: {', '.join(map(str, entry.get('files') or ()))}"
    return "; ".join(f"{key} {value}" for key, value in entry.items())


def _sent_back(rows: Sequence[attempts.AttemptRow]) -> list[str]:
    """Attempts of a headless run whose work was not taken."""
    lines = [
        f"| {one.subject}.{one.epoch} | {escape_markdown(one.reason.partition(chr(10))[0][:160])} |"
        for one in rows
        if one.status == statuses.FAILED
    ]
    return ["## Sent back", "", "| Attempt | Why |", "|---|---|", *lines, ""] if lines else []


def _shell(session: Session) -> list[str]:
    rows = [f"- {escape_markdown(one)}" for one in session.state.shell]
    return ["## Changed through the shell", "", *rows, ""] if rows else []


def _failures(listed: Sequence[Task]) -> list[str]:
    bad = [task for task in listed if task.status in (statuses.FAILED, statuses.SKIPPED)]
    if not bad:
        return []
    rows = [
        f"| {task.id} | {escape_markdown(task.subject)} | {task.status}: {escape_markdown(task.reason or '')} |"
        for task in bad
    ]
    return ["", "### Failed and skipped tasks", "| ID | Task | Reason |", "|---|---|---|", *rows]


def list_issues(session: Session, verdict: dict[str, Any] | None) -> list[str]:
    """What gates and verifier hold against the work."""
    found = [
        one["what"] for one in (verdict or {"findings": []})["findings"] if one["level"] != "note"
    ]
    said = session.state.verification.get("findings")
    return found + [
        str(one.get("what", one)) if isinstance(one, dict) else str(one) for one in said or []
    ]


def _issues(session: Session, verdict: dict[str, Any] | None) -> list[str]:
    found = list_issues(session, verdict)
    return (
        ["", "### Verification", *(f"- {escape_markdown(text)}" for text in found)] if found else []
    )


def render(database: Database, session: Session, *, now: float) -> str:
    """Plan, progress and ending, as far as the session has come."""
    listed = tasks.list_all(database, session.id)
    working = agents.list_at_work(database, session.id, now=now)
    explored = [one for one in explorers.list_all(database, session.id) if one.done_at is not None]
    parts = [f"# {escape_markdown(session.goal)}", ""]
    parts += [f"Explored: {', '.join(one.id for one in explored)}", ""] if explored else []
    parts += [render_plan(session, listed), ""] if listed else ["No plan yet.", ""]
    models = {one.subject: one.model for one in agents.list_all(database, session.id)}
    parts += [render_progress(session, listed, len(working), models), ""] if listed else []
    parts += _sent_back(attempts.list_all(database, session.id))
    parts += _shell(session)
    if not session.active:
        parts += [
            render_ending(session, listed, receipts.find_last_verdict(database, session.id)),
            "",
        ]
        parts += [f"Took {format_duration((session.ended_at or now) - session.started_at)}."]
    return "\n".join(parts)


def render_step(step: NextStep) -> str:
    """What comes next: for whom, and with which words."""
    lines = [f"{step.kind}: {step.text}"]
    for spawn in step.spawns:
        lines += [
            "",
            f"{spawn.agent} ({spawn.model}): {spawn.description}",
            *_indented(spawn.prompt),
        ]
    if step.kind == steps.ASK:
        lines += [step.question, *(f"  - {option}" for option in step.options)]
    return "\n".join(lines)


def _indented(prompt: str) -> list[str]:
    return [f"  {line}".rstrip() for line in prompt.splitlines()]
