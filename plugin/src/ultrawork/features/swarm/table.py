"""What a swarm does at a client's events (`ROWS`), and what the rest of the program asks of it (`ANSWERS`)."""

from ...core.registry import OPEN
from ...hooks.table import RESUMED, Row

_AT = "ultrawork.features.swarm.hooks.agents"
_OPEN = f"swarm {OPEN}"

# fmt: off
ROWS = {
    "SessionStart": (
        Row("swarm-brief", f"{_AT}:tell_task", _OPEN,
            "reminds a model after a resume which task it holds or which swarm it leads", only=RESUMED, before="restore"),
    ),
    "PostToolUse": (
        Row("swarm-beat", f"{_AT}:beat", _OPEN, "renews the lease of what a worker has claimed", before="agent-started"),
    ),
    "SubagentStop": (
        Row("swarm-agent-end", f"{_AT}:hand_next_task", _OPEN,
            "checks an agent's task, hands it the next", before="agent-answers"),
    ),
    "SubagentStart": (
        Row("swarm-agent", f"{_AT}:hand_first_task", _OPEN, "hands an agent its first task", before="briefed"),
    ),
    "TeammateIdle": (
        Row("teammate-swarm", f"{_AT}:hand_to_teammate", _OPEN,
            "checks a teammate's task, hands it the next before it idles", before="teammate-plan"),
    ),
    "TaskCompleted": (
        Row("task-swarm", f"{_AT}:refuse_red_task", _OPEN,
            "completes an item that names a task only when its check passes", before="task-plan"),
    ),
    "SessionEnd": (
        Row("swarm-leave", f"{_AT}:give_back_all", _OPEN, "gives back what the session had claimed",
            before="session-end"),
    ),
}
# fmt: on
ANSWERS = {
    "begin": "hooks.begin:begin",
    "decide_stop": "hooks.stop:decide",
    "leave": "store.board:leave",
    "read_tasks": "store.reading:SwarmReading",
    "read_summary": "report:read_summary",
    "format_tally": "values.wording:format_tally",
    # `ultrawork worker --team`
    "work_in_team": "verbs.team:work_in_team",
    "show_workers": "verbs.team:show_workers",
    "tell_workers": "verbs.team:tell_workers",
    "drain_workers": "verbs.team:drain_workers",
    "stop_workers": "verbs.team:stop_workers",
}
