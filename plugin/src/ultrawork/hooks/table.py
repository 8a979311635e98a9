"""
List which handlers run for each event, in order. `HANDLERS` covers client events. `JOBS` covers our own background
work, in processes that we start or that the client keeps for us.
"""

from ..core.registry import FEATURES as PACKAGES
from ..core.registry import load_part
from ..core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WAKE = "Wake"
BASE_RUN = "BaseRun"
CHECK = "Check"
VERIFY = "Verify"
NOTIFY = "Notify"
# The state in which a handler runs; in other states its code is not even loaded.
ALWAYS = ""
ARMED = "armed sessions"
PLANNED = "planned sessions"
HANDED = "sessions handed over"
CODES = "a yes that waits for its code"
FEATURES = "features"
# Whose action the event reports.
MAIN = "main"
AGENT = "agent"
# The field of an event that `only` of its handlers matches.
MATTERS = {
    "SessionStart": "source", "UserPromptExpansion": "command_name", "PreToolUse": "tool_name",
    "PostToolUse": "tool_name", "PostToolUseFailure": "tool_name", "SessionEnd": "reason",
    "Notification": "notification_type",
}  # fmt: skip
RESUMED = ("compact", "resume")
ENDED = ("resume", "logout", "prompt_input_exit", "other", "")
# Notifications that mean the client waits for its user; there are others too.
WAITS = ("permission_prompt", "idle_prompt", "agent_needs_input", "elicitation_dialog")
AGENT_TOOLS = ("Agent", "Task")
# The event name for an agent call while nothing is on: such a call is handled anyway.
AGENT_CALL = "AgentCall"
PATCH = "apply_patch"
WRITERS = ("Edit", "Write", "MultiEdit", "NotebookEdit", PATCH)
FILE_TOOLS = ("Read", *WRITERS)
PLAN_SKILLS = ("ultrawork:ultrawork", "ultrawork:ultrawork-plan", "ultrawork:ultrawork-exec")
MODE_SKILLS = (
    "ultrawork:autopilot", "ultrawork:ultrapilot", "ultrawork:team", "ultrawork:pipeline", "ultrawork:ralph",
    "ultrawork:ultraqa", "ultrawork:swarm",
)  # fmt: skip


class Row(Value):
    """
    One handler. `name` is what `ULTRAWORK_SKIP_HOOKS` takes, `target` its `module:function` in this package,
    `when` the state in which it runs, `says` what it does. Where `when` is `FEATURES`, one of `features` must be
    on; elsewhere one is enough. `only` lists the tools, sources or commands it handles, `by` whose actions; empty
    means any. A row of a feature package runs `before` the row it names.
    """

    name: str
    target: str
    when: str
    says: str
    features: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    by: str = ""
    before: str = ""

    @property
    def full_name(self) -> str:
        own = self.target.startswith("ultrawork.")
        return self.target if own else f"ultrawork.hooks.{self.target}"

    @property
    def what(self) -> str:
        """What it does, with where it does that if it is not to be expected everywhere."""
        return f"{self.when}: {self.says}" if self.when not in (ALWAYS, ARMED) else self.says


if TYPE_CHECKING:
    Rows = tuple[Row, ...]


# Each event makes its own rows: making all of them takes a process longer than most answers.
# fmt: off
def _session_start() -> "Rows":
    return (
        Row("welcome", "session:welcome", ALWAYS, "says once ever that it is ready"),
        Row("offer", "features.offer:offer", ALWAYS, "asks once a checkout about its features", only=("startup",)),
        Row("unsaid", "silence:tell_unsaid", ALWAYS,
            "says of sessions here that ended without a verdict", only=("startup", "resume", "clear")),
        Row("brief", "session:brief", ALWAYS, "after compaction or resuming tells the model what is on"),
        Row("resumed", "planned.session:brief", PLANNED, "tells a model that forgot what is next", only=RESUMED),
        Row("restore", "features.compaction:restore", FEATURES,
            "after compaction tells what was on before it", features=("checkpoint",), only=("compact",)),
        Row("context-injector", "features.session_start:tell_guide", FEATURES,
            "AGENTS.md, once", features=("context",)),
        Row("project-memory", "features.session_start:tell_memory", FEATURES,
            "what is known of the project, once", features=("memory",)),
        Row("boulder", "features.session_start:tell_plan", FEATURES,
            "the open boxes of the active plan", features=("boulder",)),
    )


def _user_prompt_submit() -> "Rows":
    return (
        Row("news", "prompt.handlers:tell_news", ALWAYS, "tells what a background run came to"),
        Row("lost", "prompt.handlers:tell_of_trouble", ALWAYS,
            "says that the markers of a session that is on were removed"),
        Row("codes", "prompt.codes:hear_code", CODES, "a yes from a terminal counts once its code is typed here", by=MAIN),
        Row("free-words", "prompt.handlers:answer_free_words", ALWAYS,
            "answers `ulw off` and its kin without the model"),
        Row("mode-words", "prompt.handlers:begin_modes", ALWAYS,
            "modes: begins or ends what a prompt asks for in words", by=MAIN),
        Row("trigger", "prompt.handlers:arm_by_word", ALWAYS, "switches the session on at the word `ulw`", by=MAIN),
        Row("skill-words", "prompt.handlers:load_pages", ALWAYS,
            "loads the page of a way of working that a prompt orders or needs, and shows which", by=MAIN),
        Row("typed", "prompt.handlers:begin_typed", ALWAYS,
            "planned sessions: a typed skill begins one where that is no event"),
        Row("briefed", "planned.agent_calls:brief_agent", PLANNED, "an agent that a call could not tell its task hears it", by=AGENT),
        Row("fork", "prompt.handlers:tell_fork", ALWAYS, "says that a fork starts switched off"),
        Row("turn", "prompt.handlers:note_turn", ALWAYS, "notes that a new turn of the person began", by=MAIN),
        Row("notified", "planned.session:push_when_notified", PLANNED, "the next step when an agent has ended"),
        Row("handed-over", "planned.handover:tell_model", HANDED, "says that another client took the session over"),
        Row("direct", "planned.edits:lift_delegation", PLANNED, "hears that agents are not wanted", by=MAIN),
        Row("directives", "features.prompts:keep_wishes", FEATURES,
            "keeps what a person wants always or never", features=("memory",)),
        Row("delegation-rules", "features.delegation:advise_agent", FEATURES,
            "names the agent that work is for", features=("delegation",), by=MAIN),
        Row("think-mode", "features.prompts:ask_for_thought", FEATURES,
            "asks for careful thought where the person did", features=("think",)),
        Row("limit-over", "features.failures:note_resumed", FEATURES,
            "somebody who goes on by hand is not woken", features=("limits",)),
        Row("learner", "features.prompts:find_skills", FEATURES,
            "learned skills whose triggers occur", features=("skills",)),
        Row("program-copy", "prompt.handlers:keep_program", ALWAYS, "copies the program that the session runs on"),
    )


def _user_prompt_expansion() -> "Rows":
    return (
        Row("skills", "prompt.handlers:run_skill", ALWAYS, "does what a typed skill asks for"),
        Row("sessions", "planned.begin:begin_typed", ALWAYS,
            "planned sessions: begins or takes up one", only=PLAN_SKILLS),
        Row("mode-skills", "modes.begin:begin_typed", ALWAYS,
            "modes: begins the one that a typed skill names", only=MODE_SKILLS, by=MAIN),
        Row("program-copy", "prompt.handlers:keep_program", ALWAYS, "copies the program that the session runs on"),
    )


def _pre_tool_use() -> "Rows":
    return (
        Row("guard", "tool:guard", ALWAYS, "denies edits of our own state folder"),
        Row("handed-over", "planned.handover:hold_agents", HANDED,
            "holds agents of a session that another client took over"),
        Row("agents", "planned.agent_calls:prepare_call", PLANNED,
            "claims the task of an agent call", only=AGENT_TOOLS, by=MAIN),
        Row("ended-sessions", "planned.agent_calls:refuse_ended", ALWAYS,
            "no agent is started for a planned session that has ended", only=AGENT_TOOLS, by=MAIN),
        Row("delegation", "planned.edits:check_edit", PLANNED, "only workers edit", only=WRITERS),
        Row("shell-delegation", "planned.edits:check_command", PLANNED,
            "who is no worker writes nothing through the shell either", only=("Bash",)),
        Row("questions", "planned.questions:check_question", PLANNED,
            "only the person answers", only=("AskUserQuestion",)),
        Row("delegation-enforcer", "features.delegation:choose_model", ARMED,
            "agents called without a model get one", features=("models",), only=AGENT_TOOLS),
        Row("agent-names", "features.delegation:correct_name", ALWAYS,
            "an agent is found under any spelling of its name", only=AGENT_TOOLS),
        Row("orchestrator", "features.delegation:check_direct_edit", FEATURES,
            "large edits are left to agents", features=("delegation",), only=WRITERS, by=MAIN),
        Row("plans", "features.plan_files:guard_plan", ALWAYS,
            "a plan is not rewritten while it is worked off", only=WRITERS),
        Row("file-conflicts", "features.running_agents:warn_of_conflict", FEATURES,
            "two running agents in one file", features=("tracker",), only=WRITERS, by=AGENT),
        Row("background-limit", "features.running_agents:limit_background", FEATURES,
            "at most five agents in the background", features=("tracker",), only=AGENT_TOOLS),
        Row("self-kill", "features.tool_advice:warn_of_kill", ARMED,
            "warns of commands that would end the session itself", features=("recovery",), only=("Bash",)),
        Row("shell-patches", "tool:note_patch", ALWAYS,
            "notes a patch in a shell line, which is reported only before it is applied", only=(PATCH,)),
        Row("begun", "tool:note_begun", ARMED, "notes that a command begins: it may be interrupted", only=("Bash",)),
    )


def _post_tool_use() -> "Rows":
    return (
        Row("observe", "tool:observe", ALWAYS, "writes down what a tool did; warns of circles"),
        Row("codes", "prompt.codes:show_code", CODES, "shows the code that makes a terminal's yes the person's", by=MAIN),
        Row("agent-started", "planned.agent_calls:note_started", PLANNED,
            "knows a started agent", only=AGENT_TOOLS, by=MAIN),
        Row("answers", "planned.questions:record_answer", PLANNED,
            "the person's answer to a question", only=("AskUserQuestion",)),
        Row("rules-injector", "features.file_rules:tell_rules", FEATURES,
            "rules that speak of the file, once", features=("rules",), only=FILE_TOOLS),
        Row("directory-guides", "features.file_rules:tell_guides", FEATURES,
            "AGENTS.md of a file's folders, once", features=("context",), only=FILE_TOOLS),
        Row("memory-learner", "features.memory_learner:learn", FEATURES,
            "learns from commands and their output", features=("memory",), only=("Bash", *WRITERS)),
        Row("comment-checker", "features.file_rules:name_comments", FEATURES,
            "names comments about the edit", features=("comments",), only=WRITERS),
        Row("plan-written", "features.plan_files:activate_plan", FEATURES,
            "a plan with open boxes becomes active", features=("boulder",), only=WRITERS),
        Row("touched-files", "features.running_agents:note_file", FEATURES,
            "which files a running agent has written", features=("tracker",), only=WRITERS, by=AGENT),
        Row("todo-list", "tool:note_items", FEATURES,
            "knows the agent's own list", features=("todo",), only=("TodoWrite", "TaskCreate", "TaskUpdate")),
        Row("stale-agents", "features.stale_agents:name_stale", FEATURES,
            "names an agent that has run for more than five minutes", features=("tracker",)),
        Row("error-over", "features.failures:forget_failure", FEATURES,
            "forgets a failure when the tool works again", features=("errors",)),
    )


def _post_tool_use_failure() -> "Rows":
    return (
        Row("observe", "tool:observe", ALWAYS, "writes down what a tool did; warns of circles"),
        Row("error-log", "features.failures:note_failure", FEATURES,
            "keeps failures; says when they repeat", features=("errors",)),
        Row("memory-learner", "features.memory_learner:learn", FEATURES,
            "learns from commands and their output", features=("memory",), only=("Bash", *WRITERS)),
        Row("recovery", "features.tool_advice:advise_after_failure", ARMED,
            "tells how to go on after a well-known failure", features=("recovery",)),
    )


def _permission_request() -> "Rows":
    return (Row("permission-handler", "permission_request:decide", ALWAYS,
                "permits what only looks, and allowed checks"),)


def _stop() -> "Rows":
    return (
        Row("queued-words", "prompt.handlers:hear_queued", ARMED,
            "hears a command to switch off that waits in the client's queue"),
        Row("continuation", "stop.handlers:decide_stop", ALWAYS, "decides whether the agent may stop"),
        Row("shell-changes", "planned.shell_changes:report", PLANNED, "finds what commands wrote"),
        Row("course", "planned.stop:decide_stop", PLANNED, "the next step, or the end"),
        Row("codes", "prompt.codes:show_code", CODES, "shows the code that makes a terminal's yes the person's", by=MAIN),
        Row("handed-over", "planned.handover:tell_person", HANDED, "says that another client took the session over"),
        Row("plan-boxes", "features.plans:renew_checklist", FEATURES,
            "keeps the tasks of a planned session as boxes", features=("boulder",)),
        Row("todo-continuation", "features.plans:send_back_open", FEATURES,
            "what is left open is sent back once", features=("todo", "boulder")),
    )


def _subagent_stop() -> "Rows":
    return (
        Row("shell-changes", "planned.shell_changes:report", PLANNED, "finds what commands wrote"),
        Row("agent-end", "planned.agent_ends:end_agent", PLANNED, "checks an agent's task"),
        Row("handed-over", "planned.handover:note_ended", HANDED,
            "knows that an agent of a session that was taken over has ended"),
        Row("agent-answers", "agent_answers:keep_answer", ARMED,
            "keeps what an agent of the catalogue found or came to"),
        Row("plan-boxes", "features.plans:renew_checklist", FEATURES,
            "keeps the tasks of a planned session as boxes", features=("boulder",)),
        Row("plan-wisdom", "features.running_agents:keep_wisdom", FEATURES,
            "keeps with a plan what agents learned", features=("boulder",)),
        Row("subagent-stop", "features.running_agents:note_end", FEATURES,
            "what an agent came to and cost", features=("tracker",)),
    )


def _subagent_start() -> "Rows":
    return (
        Row("briefed", "planned.agent_calls:brief_agent", PLANNED,
            "an agent that gets no prompt hears its task", by=AGENT),
        Row("subagent-start", "features.stale_agents:note_start", FEATURES,
            "knows running and stale agents", features=("tracker",)),
    )


def _teammate_idle() -> "Rows":
    return (
        Row("teammate-plan", "planned.agent_ends:end_teammate_turn", PLANNED,
            "checks a teammate's task, moves the stage on, hands it what is due"),
    )


def _task_completed() -> "Rows":
    return (
        Row("task-plan", "planned.agent_ends:refuse_open_task", PLANNED,
            "an item that names a task is completed only when its criteria are green"),
    )


def _notification() -> "Rows":
    return (Row("waits", "session:note_wait", ARMED,
                "keeps since when the client waits for the person, for `status`", only=WAITS),
            Row("rings", "notices:ring", ARMED, "rings, and notifies your channels, when the client asks you", only=WAITS))


def _pre_compact() -> "Rows":
    return (
        Row("pre-compact", "features.compaction:write_checkpoint", FEATURES,
            "writes down what is on, for afterwards", features=("checkpoint",)),
    )


def _stop_failure() -> "Rows":
    return (Row("rate-limit-wait", "features.failures:wait_for_limit", FEATURES,
                "notes when a limit ends, and wakes then", features=("limits",)),)


def _session_end() -> "Rows":
    return (
        Row("leave", "session:leave", ALWAYS, "ends a session that was cleared", only=("clear",)),
        Row("left", "silence:tell_left", ALWAYS, "says that nothing was verified where it ends while on", only=ENDED),
        Row("session-end", "features.session_end:clean_up", FEATURES,
            "removes what only this session needed", features=("cleanup",)),
    )


def _setup() -> "Rows":
    return (Row("setup", "setup:set_up", ALWAYS, "brings the state folder up to date; asks the doctor"),)


def _wake() -> "Rows":
    return (
        Row("wake", "jobs:wake", ALWAYS, "runs slow gates after a stop; wakes the agent if red"),
        Row("watchdog", "jobs:watch", ALWAYS, "team, ultrapilot: wakes when a worker says nothing"),
    )
# fmt: on
HANDLERS: "dict[str, Callable[[], Rows]]" = {
    "SessionStart": _session_start,
    "UserPromptSubmit": _user_prompt_submit,
    "UserPromptExpansion": _user_prompt_expansion,
    "PreToolUse": _pre_tool_use,
    "PostToolUse": _post_tool_use,
    "PostToolUseFailure": _post_tool_use_failure,
    "PermissionRequest": _permission_request,
    "Stop": _stop,
    "SubagentStop": _subagent_stop,
    "SubagentStart": _subagent_start,
    "TeammateIdle": _teammate_idle,
    "TaskCompleted": _task_completed,
    "Notification": _notification,
    "PreCompact": _pre_compact,
    "StopFailure": _stop_failure,
    "SessionEnd": _session_end,
    "Setup": _setup,
}
# fmt: off
JOBS: "dict[str, Callable[[], Rows]]" = {
    WAKE: _wake,
    CHECK: lambda: (Row("check", "jobs:check", ALWAYS, "the same where the client cannot be woken"),),
    BASE_RUN: lambda: (Row("base-run", "jobs:run_on_base", ALWAYS, "runs the gates on the files as they were at `ulw`"),),
    VERIFY: lambda: (Row("verify-later", "jobs:verify", ALWAYS, "runs what `ulw verify` could not wait for"),),
    NOTIFY: lambda: (Row("notices", "notices:send", ALWAYS, "sends notifications that are due to your own channels"),),
}
# fmt: on
# Events at which the client keeps the waking job beside the session.
WAKING = ("Stop", "StopFailure")
# Events whose own handler the client keeps beside the session as well: it may wait for hours.
BESIDE = ("StopFailure",)
# The client's own limits in seconds; we answer ten seconds before them.
TIMEOUTS = {
    "Stop": 300, "SubagentStop": 300, "TeammateIdle": 300, "TaskCompleted": 300, WAKE: 3600,
    "StopFailure": 21_660, "UserPromptSubmit": 60, "UserPromptExpansion": 60,
}  # fmt: skip
MARGIN = 10
STATUS = {"Stop": "ultrawork checks the work", "SubagentStop": "ultrawork checks a task"}


def list_rows(event: str, is_awake: "Callable[[str, str], bool] | None" = None) -> "Rows":
    """
    The behaviours of an event or a job; none if it is not known. Those of a feature's package are loaded only where
    `is_awake` says that the feature is in that state; without it, all are.
    """
    make = HANDLERS.get(event) or JOBS.get(event)
    rows = make() if make is not None else ()
    for name, feature in PACKAGES.items():
        state = feature.hears.get(event)
        if state and (is_awake is None or is_awake(name, state)):
            for row in load_part(name, "table").ROWS[event]:
                at = next((at for at, one in enumerate(rows) if one.name == row.before), len(rows))
                rows = (*rows[:at], row, *rows[at:])
    return rows


# The variable that skips behaviours, and what an armed session's marker keeps of it.
SKIPS = "ULTRAWORK_SKIP_HOOKS"
SKIPPED = "skipped"


def is_skipped(environ: "Mapping[str, str]", name: str) -> bool:
    return name in environ.get(SKIPS, "").split(",")
