"""Axiom's other pages: a requirement's state, the machine, the rules, the queue, the figures. They are only written;
edits have no effect. Files of other tools in the same place are understood at import."""

from collections.abc import Mapping, Sequence
from typing import Any

from ....core.times import format_iso
from ....core.value import Value, fresh
from ....core.wording import cut, join_lines
from . import states
from .queue import Proposal

ACTIVE_PAGE, STATES_PAGE, RULES_PAGE = "active_context.md", "state_machine.md", "constitution.md"
QUEUE_PAGE, METRICS_PAGE = "evolution/learning_queue.md", "evolution/workflow_metrics.md"
USAGE_PAGE = "evolution/usage_metrics.json"
_ONLY_SHOWN = "<!-- Written by ultrawork, for reading only: edits here have no effect. -->"


class RequirementView(Value):
    """What the page of the open requirement shows; IDLE without one."""

    session: str = ""
    goal: str = ""
    state: str = states.IDLE
    phase: str = ""
    last_gate: str = ""
    task: str = ""
    tasks: "Sequence[tuple[str, str, str]]" = ()
    checkpoint: str = ""
    next: str = ""
    blocked: str = ""
    updated_at: float = 0.0


def render_active(view: RequirementView) -> str:
    head = [
        "---",
        f"session_id: {view.session or 'none'}",
        f"task_status: {view.state}",
        f"current_phase: {view.phase or 'none'}",
        f"last_gate: {join_lines(view.last_gate) or 'none'}",
        f"updated_at: {format_iso(view.updated_at)}",
        "---",
        "",
        "# Active context",
        "",
        _ONLY_SHOWN,
        "",
        f"## Status: {view.state}",
        "",
        f"- goal: {cut(join_lines(view.goal), 300) or 'none'}",
        f"- active task: {view.task or 'none'}",
        f"- last checkpoint: {view.checkpoint or 'none'}",
        f"- next: {join_lines(view.next) or 'ax-draft'}",
        "",
    ]
    rows = [f"- [{_box(status)}] {name}: {join_lines(text)} ({status})" for name, text, status in view.tasks]
    queue = ["## Tasks", "", *rows, ""] if rows else []
    report = ["## Blocked", "", view.blocked, ""] if view.blocked else []
    return "\n".join([*head, *queue, *report])


def _box(status: str) -> str:
    return "x" if status == "resolved" else " "


def render_states() -> str:
    lines = ["# State machine", "", _ONLY_SHOWN, "", "```mermaid", "stateDiagram-v2"]
    for state, description in states.describe_states():
        lines += [f"  {state} --> {other}" for other in description["next"]]
    lines += ["```", "", "| state | next | gate before code |", "|---|---|---|"]
    for state, description in states.describe_states():
        lines.append(f"| {state} | {', '.join(description['next'])} | {description['gate'] or '-'} |")
    return "\n".join([*lines, ""])


def render_rules() -> str:
    """Return the constitution: what the program enforces, whatever anyone asks."""
    rules = (
        "Only the user can open the User Gate and resolve a blocked requirement.",
        "Five reviews by five agents that ultrawork started open the Expert Gate.",
        "Receipts of the project's own checks open the CI Gate; words do not.",
        f"A task takes at most 4 hours and gets at most {states.MENDS} automatic fixes.",
        "Nothing becomes memory without the user's approval or receipts; only receipts raise confidence.",
        "A failed attempt stays a failure. Every entry names its evidence.",
        "Learning never changes prompts or skills; only the user does.",
    )
    return "\n".join(["# Constitution", "", _ONLY_SHOWN, "", *(f"- {rule}" for rule in rules), ""])


def render_queue_page(proposals: "Sequence[Proposal]") -> str:
    lines = ["# Learning queue", "", _ONLY_SHOWN, ""]
    lines += ["| ID | Source Type | Source ID | Priority | Created | Status | Description |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for proposal in proposals:
        description = cut(join_lines(f"{proposal.operation} {proposal.title}").replace("|", "/"), 100)
        lines.append(
            f"| {proposal.id} | {proposal.source} | {proposal.origin or '-'} | {proposal.priority} |"
            f" {format_iso(proposal.created_at)} | {proposal.status} | {description} |"
        )
    return "\n".join([*lines, ""])


class RunMetrics(Value):
    """The result of one requirement; a page of figures, and what `status` sums up."""

    requirement: str
    goal: str = ""
    outcome: str = ""
    started_at: float = 0.0
    ended_at: float = 0.0
    questions: int = 0
    tasks: int = 0
    done: int = 0
    red_runs: int = 0
    mends: int = 0
    blocked: int = 0
    lessons: int = 0
    clarity: int = 0
    hours: float = 0.0
    extra: "dict[str, Any]" = fresh(dict)


def sum_metrics(runs: "Sequence[RunMetrics]") -> "dict[str, Any]":
    proved = sum(run.outcome == "PASS" for run in runs)
    return {
        "requirements": len(runs),
        "proved": proved,
        "tasks": sum(run.tasks for run in runs),
        "red_runs": sum(run.red_runs for run in runs),
        "mends": sum(run.mends for run in runs),
        "blocked": sum(run.blocked for run in runs),
        "lessons": sum(run.lessons for run in runs),
    }


def render_metrics(runs: "Sequence[RunMetrics]") -> str:
    lines = ["# Workflow metrics", "", _ONLY_SHOWN, ""]
    lines += ["| requirement | outcome | tasks | failing runs | automatic fixes | blocked | questions | lessons |"]
    lines += ["|---|---|---|---|---|---|---|---|"]
    for run in runs:
        goal = cut(join_lines(run.goal).replace("|", "/"), 50)
        lines.append(
            f"| {goal} | {run.outcome} | {run.done}/{run.tasks} | {run.red_runs} | {run.mends} |"
            f" {run.blocked} | {run.questions} | {run.lessons} |"
        )
    return "\n".join([*lines, ""])


# How other tools spell the same lines.
_FOREIGN = {
    "当前状态": "state", "活跃任务": "task", "上次检查点": "checkpoint", "task_status": "state",
    "## Status": "state", "- active task": "task", "- last checkpoint": "checkpoint",
}  # fmt: skip
_NOTHING = ("", "none", "无", "-")


def read_foreign_state(text: str) -> "Mapping[str, str]":
    """Read `active_context.md` of another tool; it is shown if we have nothing, and has no effect. Only single words:
    a page from a repository is not trusted."""
    fields = {"state": states.IDLE}
    for line in text.splitlines():
        key, colon, value = line.replace("\uff1a", ":").partition(":")
        name, word = _FOREIGN.get(key.strip(), ""), value.strip()
        if not colon or not name or word.lower() in _NOTHING or len(word.split()) > 1:
            continue
        if name != "state" or word in states.ALL:
            fields[name] = word[:100]
    return fields
