"""
Which behaviours an event has, in their order: (name, `module:function` in `handlers/`, what it does).

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
        ("resumed", "course:resumed", "planned sessions: tells a model that forgot what is next"),
        ("swarm-brief", "swarm:brief", "swarm: tells a model that forgot what it holds or leads"),
        ("restore", "features:restore", "features: after compaction tells what was on before it"),
        ("context-injector", "features:guide", "features: AGENTS.md, once"),
        ("notepad", "features:notepad", "features: the notepad's priority notes, once"),
        ("project-memory", "features:memory", "features: what is known of the project, once"),
        ("boulder", "features:boulder", "features: the open boxes of the active plan"),
    ),
    "UserPromptSubmit": (
        ("news", "prompt:news", "tells what a background run came to"),
        ("free-words", "prompt:free_words", "answers `ulw off` and its kin without the model"),
        ("mode-words", "prompt:modes", "modes: begins or ends what a prompt asks for in words"),
        ("trigger", "prompt:trigger", "switches the session on at the word `ulw`"),
        ("typed", "course:typed", "planned sessions: what Codex's person typed begins one"),
        ("briefed", "course:briefed", "planned sessions: an agent of Codex hears its task"),
        ("fork", "session:fork", "says that a fork starts switched off"),
        ("turn", "prompt:turn", "notes that a new turn of the person began"),
        ("notified", "course:notified", "planned sessions: the next step when an agent has ended"),
        ("direct", "course:direct", "planned sessions: hears that agents are not wanted"),
        ("directives", "features:wishes", "features: keeps what a person wants always or never"),
        ("delegation-rules", "features:delegating", "features: names the agent that work is for"),
        ("think-mode", "features:think", "features: asks for careful thought where the person did"),
        ("limit-over", "features:resumed", "features: somebody who goes on by hand is not woken"),
        ("learner", "features:skills", "features: learned skills whose triggers occur"),
    ),
    "UserPromptExpansion": (
        ("skills", "prompt:skills", "does what a typed skill asks for"),
        ("sessions", "course:skills", "planned sessions: begins or takes up one"),
        ("mode-skills", "modes:skills", "modes: begins the one that a typed skill names"),
    ),
    "PreToolUse": (
        ("guard", "tool:guard", "denies edits of our own state folder"),
        ("agents", "course:before_agent", "planned sessions: claims the task of an agent call"),
        ("delegation", "course:before_edit", "planned sessions: only workers edit"),
        ("questions", "course:before_question", "planned sessions: only the person answers"),
        ("delegation-enforcer", "features:models", "agents called without a model get one"),
        ("orchestrator", "features:delegation", "features: large edits are left to agents"),
        ("plans", "features:plans", "a plan is not rewritten while it is worked off"),
        ("file-conflicts", "features:meeting", "features: two running agents in one file"),
        ("background-limit", "features:crowd", "features: at most five agents in the background"),
        ("self-kill", "features:kills", "warns of commands that would end the session itself"),
    ),
    "PostToolUse": (
        ("observe", "tool:observe", "writes down what a tool did; warns of circles"),
        ("swarm-beat", "swarm:beat", "swarm: what a worker has claimed stays its own"),
        ("agent-started", "course:after_agent", "planned sessions: knows a started agent"),
        ("answers", "course:answered", "planned sessions: the person's answer to a question"),
        ("rules-injector", "features:rules", "features: rules that speak of the file, once"),
        ("directory-guides", "features:guides", "features: AGENTS.md of a file's folders, once"),
        ("memory-learner", "features:learned", "features: learns from commands and their output"),
        ("comment-checker", "features:comments", "features: names comments about the edit"),
        ("plan-written", "features:planned", "features: a plan with open boxes becomes active"),
        ("touched-files", "features:touched", "features: which files a running agent has written"),
        ("todo-list", "features:items", "features: knows the agent's own list"),
        ("error-over", "features:mended", "features: forgets a failure when the tool works again"),
    ),
    "PostToolUseFailure": (
        ("observe", "tool:observe", "writes down what a tool did; warns of circles"),
        ("error-log", "features:failed", "features: keeps failures; says when they repeat"),
        ("memory-learner", "features:learned", "features: learns from commands and their output"),
        ("recovery", "features:recovery", "tells how to go on after a well-known failure"),
    ),
    "PermissionRequest": (
        ("permission-handler", "permission:decide", "permits what only looks, and allowed checks"),
    ),
    "Stop": (
        ("continuation", "stop:stop", "decides whether the agent may stop"),
        ("shell-changes", "course:shell_changes", "planned sessions: finds what commands wrote"),
        ("course", "course:stop", "planned sessions: the next step, or the end"),
        ("plan-boxes", "features:boxes", "features: keeps the tasks of a planned session as boxes"),
        ("todo-continuation", "features:stop", "features: what is left open is sent back once"),
    ),
    "SubagentStop": (
        ("shell-changes", "course:shell_changes", "planned sessions: finds what commands wrote"),
        ("agent-end", "course:subagent", "planned sessions: checks an agent's task"),
        (
            "swarm-agent-end",
            "swarm:agent_ended",
            "swarm: checks an agent's task, hands it the next",
        ),
        ("plan-boxes", "features:boxes", "features: keeps the tasks of a planned session as boxes"),
        ("remember", "features:remember", "features: notes what an agent asks to remember"),
        ("plan-wisdom", "features:wisdom", "features: keeps with a plan what agents learned"),
        ("subagent-stop", "features:ended", "features: what an agent came to and cost"),
    ),
    "SubagentStart": (
        ("swarm-agent", "swarm:agent_began", "swarm: hands an agent its first task"),
        ("subagent-start", "features:started", "features: knows running and stale agents"),
    ),
    "PreCompact": (
        ("pre-compact", "features:checkpoint", "features: writes down what is on, for afterwards"),
    ),
    "StopFailure": (
        ("rate-limit-wait", "features:limits", "features: notes when a limit ends, and wakes then"),
    ),
    "SessionEnd": (
        ("leave", "session:leave", "ends a session that was cleared"),
        ("swarm-leave", "swarm:leave", "swarm: gives back what the session had claimed"),
        ("session-end", "features:cleanup", "features: removes what only this session needed"),
    ),
    "Setup": (("setup", "features:setup", "brings the state folder up to date; asks the doctor"),),
}
JOBS: dict[str, tuple[tuple[str, str, str], ...]] = {
    WAKE: (
        ("wake", "jobs:wake", "runs slow gates after a stop; wakes the agent if red"),
        ("watchdog", "watching:watch", "team, ultrapilot: wakes when a worker says nothing"),
    ),
    CHECK: (("check", "jobs:check", "the same where the client cannot be woken"),),
    BASE_RUN: (("base-run", "jobs:base_run", "runs the gates on the files as they were at `ulw`"),),
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
    if target.startswith("features:") and says.startswith("features:")
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


def skipped(environ: "Mapping[str, str]", name: str) -> bool:
    return name in environ.get("ULTRAWORK_SKIP_HOOKS", "").split(",")
