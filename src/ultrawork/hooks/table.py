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
    ),
    "UserPromptSubmit": (
        ("news", "prompt:news", "tells what a background run came to"),
        ("free-words", "prompt:free_words", "answers `ulw off` and its kin without the model"),
        ("trigger", "prompt:trigger", "switches the session on at the word `ulw`"),
        ("typed", "course:typed", "planned sessions: what Codex's person typed begins one"),
        ("fork", "session:fork", "says that a fork starts switched off"),
        ("turn", "prompt:turn", "notes that a new turn of the person began"),
        ("notified", "course:notified", "planned sessions: the next step when an agent has ended"),
        ("direct", "course:direct", "planned sessions: hears that agents are not wanted"),
    ),
    "UserPromptExpansion": (
        ("skills", "prompt:skills", "does what a typed skill asks for"),
        ("sessions", "course:skills", "planned sessions: begins or takes up one"),
    ),
    "PreToolUse": (
        ("guard", "tool:guard", "denies edits of our own state folder"),
        ("agents", "course:before_agent", "planned sessions: claims the task of an agent call"),
        ("delegation", "course:before_edit", "planned sessions: only workers edit"),
        ("questions", "course:before_question", "planned sessions: only the person answers"),
        ("delegation-enforcer", "features:models", "agents called without a model get one"),
        ("orchestrator", "features:delegation", "features: large edits are left to agents"),
    ),
    "PostToolUse": (
        ("observe", "tool:observe", "writes down what a tool did; warns of circles"),
        ("agent-started", "course:after_agent", "planned sessions: knows a started agent"),
        ("answers", "course:answered", "planned sessions: the person's answer to a question"),
    ),
    "PostToolUseFailure": (
        ("observe", "tool:observe", "writes down what a tool did; warns of circles"),
    ),
    "PermissionRequest": (
        ("permission-handler", "permission:decide", "permits what only looks, and allowed checks"),
    ),
    "Stop": (
        ("continuation", "stop:stop", "decides whether the agent may stop"),
        ("shell-changes", "course:shell_changes", "planned sessions: finds what commands wrote"),
        ("course", "course:stop", "planned sessions: the next step, or the end"),
    ),
    "SubagentStop": (
        ("shell-changes", "course:shell_changes", "planned sessions: finds what commands wrote"),
        ("agent-end", "course:subagent", "planned sessions: checks an agent's task"),
    ),
    "SessionEnd": (("leave", "session:leave", "ends a session that was cleared"),),
}
JOBS: dict[str, tuple[tuple[str, str, str], ...]] = {
    WAKE: (("wake", "jobs:wake", "runs slow gates after a stop; wakes the agent if red"),),
    CHECK: (("check", "jobs:check", "the same where the client cannot be woken"),),
    BASE_RUN: (("base-run", "jobs:base_run", "runs the gates on the files as they were at `ulw`"),),
    VERIFY: (("verify-later", "jobs:verify", "runs what `ulw verify` could not wait for"),),
}
# Events at which the client keeps the waking job beside the session.
WAKING = ("Stop", "StopFailure")
# The client's own limits in seconds; we answer ten seconds before them.
TIMEOUTS = {
    "Stop": 300,
    "SubagentStop": 300,
    WAKE: 3600,
    "UserPromptSubmit": 60,
    "UserPromptExpansion": 60,
}
MARGIN = 10
STATUS = {"Stop": "ultrawork checks the work", "SubagentStop": "ultrawork checks a task"}


def skipped(environ: "Mapping[str, str]", name: str) -> bool:
    return name in environ.get("ULTRAWORK_SKIP_HOOKS", "").split(",")
