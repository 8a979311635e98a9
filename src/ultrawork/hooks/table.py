"""
Which behaviours an event has, in their order: (name, `module:function` of this room, what it does).

The names are what `ULTRAWORK_SKIP_HOOKS` takes. `HANDLERS` are the clients' events, `JOBS` our own:
work that goes on beside a session, in processes that we start or that the client keeps for us.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

WAKE = "Wake"
BASE_RUN = "BaseRun"
CHECK = "Check"
VERIFY = "Verify"

HANDLERS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "SessionStart": (
        ("welcome", "session:welcome", "says once ever that it is ready"),
        ("brief", "session:brief", "after compaction or resuming tells the model what is on"),
        (
            "resumed",
            "planned.handlers:brief",
            "planned sessions: tells a model that forgot what is next",
        ),
        (
            "swarm-brief",
            "modes.swarm_agents:brief",
            "swarm: tells a model that forgot what it holds or leads",
        ),
        (
            "restore",
            "features.handlers:restore",
            "features: after compaction tells what was on before it",
        ),
        ("context-injector", "features.handlers:tell_guide", "features: AGENTS.md, once"),
        ("notepad", "features.handlers:tell_notes", "features: the notepad's priority notes, once"),
        (
            "project-memory",
            "features.handlers:tell_memory",
            "features: what is known of the project, once",
        ),
        ("boulder", "features.handlers:tell_plan", "features: the open boxes of the active plan"),
    ),
    "UserPromptSubmit": (
        ("news", "prompt.handlers:tell_news", "tells what a background run came to"),
        (
            "free-words",
            "prompt.handlers:answer_free_words",
            "answers `ulw off` and its kin without the model",
        ),
        (
            "mode-words",
            "prompt.handlers:begin_modes",
            "modes: begins or ends what a prompt asks for in words",
        ),
        ("trigger", "prompt.handlers:arm_by_word", "switches the session on at the word `ulw`"),
        (
            "typed",
            "planned.handlers:begin_typed_in_codex",
            "planned sessions: what Codex's person typed begins one",
        ),
        (
            "briefed",
            "planned.handlers:brief_agent",
            "planned sessions: an agent of Codex hears its task",
        ),
        ("fork", "session:tell_fork", "says that a fork starts switched off"),
        ("turn", "prompt.handlers:note_turn", "notes that a new turn of the person began"),
        (
            "notified",
            "planned.handlers:push",
            "planned sessions: the next step when an agent has ended",
        ),
        (
            "direct",
            "planned.handlers:lift_delegation",
            "planned sessions: hears that agents are not wanted",
        ),
        (
            "directives",
            "features.handlers:keep_wishes",
            "features: keeps what a person wants always or never",
        ),
        (
            "delegation-rules",
            "features.handlers:advise_agent",
            "features: names the agent that work is for",
        ),
        (
            "think-mode",
            "features.handlers:ask_for_thought",
            "features: asks for careful thought where the person did",
        ),
        (
            "limit-over",
            "features.handlers:note_resumed",
            "features: somebody who goes on by hand is not woken",
        ),
        (
            "learner",
            "features.handlers:find_skills",
            "features: learned skills whose triggers occur",
        ),
    ),
    "UserPromptExpansion": (
        ("skills", "prompt.handlers:run_skill", "does what a typed skill asks for"),
        ("sessions", "planned.handlers:begin_typed", "planned sessions: begins or takes up one"),
        (
            "mode-skills",
            "modes.begin:begin_typed",
            "modes: begins the one that a typed skill names",
        ),
    ),
    "PreToolUse": (
        ("guard", "tool:guard", "denies edits of our own state folder"),
        (
            "agents",
            "planned.handlers:prepare_call",
            "planned sessions: claims the task of an agent call",
        ),
        ("delegation", "planned.handlers:check_edit", "planned sessions: only workers edit"),
        (
            "questions",
            "planned.handlers:check_question",
            "planned sessions: only the person answers",
        ),
        (
            "delegation-enforcer",
            "features.handlers:choose_model",
            "agents called without a model get one",
        ),
        (
            "orchestrator",
            "features.handlers:check_direct_edit",
            "features: large edits are left to agents",
        ),
        ("plans", "features.handlers:guard_plan", "a plan is not rewritten while it is worked off"),
        (
            "file-conflicts",
            "features.handlers:warn_of_conflict",
            "features: two running agents in one file",
        ),
        (
            "background-limit",
            "features.handlers:limit_background",
            "features: at most five agents in the background",
        ),
        (
            "self-kill",
            "features.handlers:warn_of_kill",
            "warns of commands that would end the session itself",
        ),
    ),
    "PostToolUse": (
        ("observe", "tool:observe", "writes down what a tool did; warns of circles"),
        ("swarm-beat", "modes.swarm_agents:beat", "swarm: what a worker has claimed stays its own"),
        (
            "agent-started",
            "planned.handlers:note_started",
            "planned sessions: knows a started agent",
        ),
        (
            "answers",
            "planned.handlers:record_answer",
            "planned sessions: the person's answer to a question",
        ),
        (
            "rules-injector",
            "features.handlers:tell_rules",
            "features: rules that speak of the file, once",
        ),
        (
            "directory-guides",
            "features.handlers:tell_guides",
            "features: AGENTS.md of a file's folders, once",
        ),
        (
            "memory-learner",
            "features.handlers:learn_from_tool",
            "features: learns from commands and their output",
        ),
        (
            "comment-checker",
            "features.handlers:name_comments",
            "features: names comments about the edit",
        ),
        (
            "plan-written",
            "features.handlers:activate_plan",
            "features: a plan with open boxes becomes active",
        ),
        (
            "touched-files",
            "features.handlers:note_file",
            "features: which files a running agent has written",
        ),
        ("todo-list", "features.handlers:note_items", "features: knows the agent's own list"),
        (
            "error-over",
            "features.handlers:forget_failure",
            "features: forgets a failure when the tool works again",
        ),
    ),
    "PostToolUseFailure": (
        ("observe", "tool:observe", "writes down what a tool did; warns of circles"),
        (
            "error-log",
            "features.handlers:note_failure",
            "features: keeps failures; says when they repeat",
        ),
        (
            "memory-learner",
            "features.handlers:learn_from_tool",
            "features: learns from commands and their output",
        ),
        (
            "recovery",
            "features.handlers:advise_after_failure",
            "tells how to go on after a well-known failure",
        ),
    ),
    "PermissionRequest": (
        (
            "permission-handler",
            "permission_request:decide",
            "permits what only looks, and allowed checks",
        ),
    ),
    "Stop": (
        ("continuation", "stop.handlers:decide_stop", "decides whether the agent may stop"),
        (
            "shell-changes",
            "planned.handlers:report_shell_changes",
            "planned sessions: finds what commands wrote",
        ),
        ("course", "planned.handlers:decide_stop", "planned sessions: the next step, or the end"),
        (
            "plan-boxes",
            "features.handlers:renew_checklist",
            "features: keeps the tasks of a planned session as boxes",
        ),
        (
            "todo-continuation",
            "features.handlers:send_back_open",
            "features: what is left open is sent back once",
        ),
    ),
    "SubagentStop": (
        (
            "shell-changes",
            "planned.handlers:report_shell_changes",
            "planned sessions: finds what commands wrote",
        ),
        ("agent-end", "planned.handlers:end_agent", "planned sessions: checks an agent's task"),
        (
            "swarm-agent-end",
            "modes.swarm_agents:end_agent",
            "swarm: checks an agent's task, hands it the next",
        ),
        (
            "plan-boxes",
            "features.handlers:renew_checklist",
            "features: keeps the tasks of a planned session as boxes",
        ),
        (
            "remember",
            "features.handlers:keep_notes",
            "features: notes what an agent asks to remember",
        ),
        (
            "plan-wisdom",
            "features.handlers:keep_wisdom",
            "features: keeps with a plan what agents learned",
        ),
        ("subagent-stop", "features.handlers:note_end", "features: what an agent came to and cost"),
    ),
    "SubagentStart": (
        ("swarm-agent", "modes.swarm_agents:begin_agent", "swarm: hands an agent its first task"),
        (
            "subagent-start",
            "features.handlers:note_start",
            "features: knows running and stale agents",
        ),
    ),
    "PreCompact": (
        (
            "pre-compact",
            "features.handlers:write_checkpoint",
            "features: writes down what is on, for afterwards",
        ),
    ),
    "StopFailure": (
        (
            "rate-limit-wait",
            "features.handlers:wait_for_limit",
            "features: notes when a limit ends, and wakes then",
        ),
    ),
    "SessionEnd": (
        ("leave", "session:leave", "ends a session that was cleared"),
        (
            "swarm-leave",
            "modes.swarm_agents:leave",
            "swarm: gives back what the session had claimed",
        ),
        (
            "session-end",
            "features.handlers:clean_up",
            "features: removes what only this session needed",
        ),
    ),
    "Setup": (
        (
            "setup",
            "features.handlers:set_up",
            "brings the state folder up to date; asks the doctor",
        ),
    ),
}
JOBS: dict[str, tuple[tuple[str, str, str], ...]] = {
    WAKE: (
        ("wake", "jobs:wake", "runs slow gates after a stop; wakes the agent if red"),
        ("watchdog", "jobs:watch", "team, ultrapilot: wakes when a worker says nothing"),
    ),
    CHECK: (("check", "jobs:check", "the same where the client cannot be woken"),),
    BASE_RUN: (
        ("base-run", "jobs:run_on_base", "runs the gates on the files as they were at `ulw`"),
    ),
    VERIFY: (("verify-later", "jobs:verify", "runs what `ulw verify` could not wait for"),),
}
# Behaviours that only planned sessions have: elsewhere their code is not even loaded.
PLANNED = frozenset((
    "agents", "delegation", "questions", "agent-started", "answers", "notified", "direct",
    "shell-changes", "course", "agent-end", "resumed", "briefed",
))  # fmt: skip
# Behaviours that a person switches on for a project: without `.omc/features` they are not loaded either.
FEATURED = frozenset(
    name
    for rows in HANDLERS.values()
    for name, target, says in rows
    if target.startswith("features.") and says.startswith("features:")
)
# Behaviours of sessions that work in a swarm.
SWARMING = frozenset((
    "swarm-beat", "swarm-agent", "swarm-agent-end", "swarm-leave", "swarm-brief",
))  # fmt: skip
# Events at which the client keeps the waking job beside the session.
WAKING = ("Stop", "StopFailure")
# Events whose own handler the client keeps beside the session as well: it may wait for hours.
BESIDE = ("StopFailure",)
# The client's own limits in seconds; we answer ten seconds before them.
TIMEOUTS = {
    "Stop": 300,
    "SubagentStop": 300,
    WAKE: 3600,
    "StopFailure": 21_660,
    "UserPromptSubmit": 60,
    "UserPromptExpansion": 60,
}
MARGIN = 10
STATUS = {"Stop": "ultrawork checks the work", "SubagentStop": "ultrawork checks a task"}


def is_skipped(environ: "Mapping[str, str]", name: str) -> bool:
    return name in environ.get("ULTRAWORK_SKIP_HOOKS", "").split(",")
