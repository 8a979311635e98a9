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
HANDED = "handed-over sessions"
CODES = "an approval that waits for its code"
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
        """Return what the handler does, with its state if that is not obvious."""
        return f"{self.when}: {self.says}" if self.when not in (ALWAYS, ARMED) else self.says


if TYPE_CHECKING:
    Rows = tuple[Row, ...]


# Each event makes its own rows: making all of them takes a process longer than most answers.
# fmt: off
def _session_start() -> "Rows":
    return (
        Row("welcome", "session:welcome", ALWAYS, "shows once that ultrawork is ready"),
        Row("unsaid", "silence:tell_unsaid", ALWAYS,
            "reports sessions here that ended without a verdict", only=("startup", "resume", "clear")),
        Row("offer", "features.offer:offer", ALWAYS, "asks once per checkout about project features", only=("startup",)),
        Row("brief", "session:brief", ALWAYS, "reminds the model of the goal after compaction or resuming"),
        Row("resumed", "planned.session:brief", PLANNED, "reminds the model of the next step", only=RESUMED),
        Row("restore", "features.compaction:restore", FEATURES,
            "restores the state from before a compaction", features=("checkpoint",), only=("compact",)),
        Row("context-injector", "features.session_start:tell_guide", FEATURES,
            "sends AGENTS.md, once", features=("context",)),
        Row("project-memory", "features.session_start:tell_memory", FEATURES,
            "sends known facts about the project, once", features=("memory",)),
        Row("boulder", "features.session_start:tell_plan", FEATURES,
            "shows the open boxes of the active plan", features=("boulder",)),
    )


def _user_prompt_submit() -> "Rows":
    return (
        Row("news", "prompt.handlers:tell_news", ALWAYS, "shows the result of a background run"),
        Row("lost", "prompt.handlers:tell_of_trouble", ALWAYS,
            "reports that the marker files of an active session were removed"),
        Row("codes", "prompt.codes:hear_code", CODES, "accepts an approval from a terminal when its code is typed here", by=MAIN),
        Row("free-words", "prompt.handlers:answer_free_words", ALWAYS,
            "answers `ulw off` and the other commands without the model"),
        Row("mode-words", "prompt.handlers:begin_modes", ALWAYS,
            "modes: starts or ends the mode that a prompt names", by=MAIN),
        Row("trigger", "prompt.handlers:arm_by_word", ALWAYS, "turns the session on at the word `ulw`", by=MAIN),
        Row("skill-words", "prompt.handlers:load_pages", ALWAYS,
            "loads the workflow that a prompt asks for, and shows which", by=MAIN),
        Row("typed", "prompt.handlers:begin_typed", ALWAYS,
            "planned sessions: starts one from a typed skill where the client has no event for it"),
        Row("briefed", "planned.agent_calls:brief_agent", PLANNED, "gives an agent its task if the call did not carry it", by=AGENT),
        Row("fork", "prompt.handlers:tell_fork", ALWAYS, "reports that ultrawork is off in a fork"),
        Row("turn", "prompt.handlers:note_turn", ALWAYS, "records that the user began a new turn", by=MAIN),
        Row("notified", "planned.session:push_when_notified", PLANNED, "shows the next step when an agent has ended"),
        Row("handed-over", "planned.begin:tell_model", HANDED, "reports that another client took over the session"),
        Row("direct", "planned.edits:lift_delegation", PLANNED, "records that the user wants no agents", by=MAIN),
        Row("directives", "features.prompts:keep_wishes", FEATURES,
            "remembers what the user always or never wants", features=("memory",)),
        Row("delegation-rules", "features.delegation:advise_agent", FEATURES,
            "names the agent that fits the work", features=("delegation",), by=MAIN),
        Row("think-mode", "features.prompts:ask_for_thought", FEATURES,
            "asks for careful thought when the user does", features=("think",)),
        Row("limit-over", "features.failures:note_resumed", FEATURES,
            "does not wake a session that the user continued", features=("limits",)),
        Row("learner", "features.prompts:find_skills", FEATURES,
            "sends learned skills whose triggers occur", features=("skills",)),
        Row("program-copy", "prompt.handlers:keep_program", ALWAYS, "copies the program that the session runs on"),
    )


def _user_prompt_expansion() -> "Rows":
    return (
        Row("skills", "prompt.handlers:run_skill", ALWAYS, "runs a typed skill"),
        Row("sessions", "planned.begin:begin_typed", ALWAYS,
            "planned sessions: starts or resumes one", only=PLAN_SKILLS),
        Row("mode-skills", "modes.begin:begin_typed", ALWAYS,
            "modes: starts the one that a typed skill names", only=MODE_SKILLS, by=MAIN),
        Row("program-copy", "prompt.handlers:keep_program", ALWAYS, "copies the program that the session runs on"),
    )


def _pre_tool_use() -> "Rows":
    return (
        Row("guard", "tool:guard", ALWAYS, "denies edits of the ultrawork state folder"),
        Row("handed-over", "planned.begin:hold_agents", HANDED,
            "stops agents of a session that another client took over"),
        Row("agents", "planned.agent_calls:prepare_call", PLANNED,
            "claims the task of an agent call", only=AGENT_TOOLS, by=MAIN),
        Row("ended-sessions", "planned.agent_calls:refuse_ended", ALWAYS,
            "denies agents for a planned session that has ended", only=AGENT_TOOLS, by=MAIN),
        Row("delegation", "planned.edits:check_edit", PLANNED, "lets only workers edit files", only=WRITERS),
        Row("shell-delegation", "planned.edits:check_command", PLANNED,
            "denies shell writes of agents that are not workers", only=("Bash",)),
        Row("questions", "planned.questions:check_question", PLANNED,
            "lets only the user answer questions", only=("AskUserQuestion",)),
        Row("delegation-enforcer", "features.delegation:choose_model", ARMED,
            "gives agents without a model one", features=("models",), only=AGENT_TOOLS),
        Row("agent-names", "features.delegation:correct_name", ALWAYS,
            "finds an agent under any spelling of its name", only=AGENT_TOOLS),
        Row("orchestrator", "features.delegation:check_direct_edit", FEATURES,
            "leaves large edits to agents", features=("delegation",), only=WRITERS, by=MAIN),
        Row("plans", "features.plan_files:guard_plan", ALWAYS,
            "protects a plan while it is executed", only=WRITERS),
        Row("file-conflicts", "features.running_agents:warn_of_conflict", FEATURES,
            "warns when two running agents edit one file", features=("tracker",), only=WRITERS, by=AGENT),
        Row("background-limit", "features.running_agents:limit_background", FEATURES,
            "allows at most five agents in the background", features=("tracker",), only=AGENT_TOOLS),
        Row("self-kill", "features.tool_advice:warn_of_kill", ARMED,
            "warns about commands that would kill the session", features=("recovery",), only=("Bash",)),
        Row("shell-patches", "tool:note_patch", ALWAYS,
            "records a patch in a shell command before it is applied", only=(PATCH,)),
        Row("begun", "tool:note_begun", ARMED, "records that a command starts, because it may be interrupted", only=("Bash",)),
    )


def _post_tool_use() -> "Rows":
    return (
        Row("observe", "tool:observe", ALWAYS, "records what a tool did and warns about repeated calls"),
        Row("codes", "prompt.codes:show_code", CODES, "shows the code that confirms an approval from a terminal", by=MAIN),
        Row("agent-started", "planned.agent_calls:note_started", PLANNED,
            "records a started agent", only=AGENT_TOOLS, by=MAIN),
        Row("answers", "planned.questions:record_answer", PLANNED,
            "records the user's answer to a question", only=("AskUserQuestion",)),
        Row("rules-injector", "features.file_rules:tell_rules", FEATURES,
            "sends rules that match the file, once", features=("rules",), only=FILE_TOOLS),
        Row("directory-guides", "features.file_rules:tell_guides", FEATURES,
            "sends AGENTS.md of a file's folders, once", features=("context",), only=FILE_TOOLS),
        Row("memory-learner", "features.memory_learner:learn", FEATURES,
            "learns from commands and their output", features=("memory",), only=("Bash", *WRITERS)),
        Row("comment-checker", "features.file_rules:name_comments", FEATURES,
            "reports comments about the edit", features=("comments",), only=WRITERS),
        Row("plan-written", "features.plan_files:activate_plan", FEATURES,
            "makes a plan with open boxes active", features=("boulder",), only=WRITERS),
        Row("touched-files", "features.running_agents:note_file", FEATURES,
            "records which files a running agent wrote", features=("tracker",), only=WRITERS, by=AGENT),
        Row("todo-list", "tool:note_items", FEATURES,
            "reads the agent's to-do list", features=("todo",), only=("TodoWrite", "TaskCreate", "TaskUpdate")),
        Row("stale-agents", "features.running_agents:name_stale", FEATURES,
            "reports an agent that has run for more than five minutes", features=("tracker",)),
        Row("error-over", "features.failures:forget_failure", FEATURES,
            "forgets a failure when the tool works again", features=("errors",)),
    )


def _post_tool_use_failure() -> "Rows":
    return (
        Row("observe", "tool:observe", ALWAYS, "records what a tool did and warns about repeated calls"),
        Row("error-log", "features.failures:note_failure", FEATURES,
            "records failures and warns when they repeat", features=("errors",)),
        Row("memory-learner", "features.memory_learner:learn", FEATURES,
            "learns from commands and their output", features=("memory",), only=("Bash", *WRITERS)),
        Row("recovery", "features.tool_advice:advise_after_failure", ARMED,
            "gives advice after a well-known failure", features=("recovery",)),
    )


def _permission_request() -> "Rows":
    return (Row("permission-handler", "permission_request:decide", ALWAYS,
                "permits read-only commands and allowed checks"),)


def _stop() -> "Rows":
    return (
        Row("queued-words", "prompt.handlers:hear_queued", ARMED,
            "obeys an `ulw off` that waits in the client's queue"),
        Row("continuation", "stop.handlers:decide_stop", ALWAYS, "decides whether the agent may stop"),
        Row("shell-changes", "planned.edits:report", PLANNED, "finds what commands wrote"),
        Row("course", "planned.stop:decide_stop", PLANNED, "shows the next step, or ends the session"),
        Row("codes", "prompt.codes:show_code", CODES, "shows the code that confirms an approval from a terminal", by=MAIN),
        Row("handed-over", "planned.begin:tell_person", HANDED, "reports that another client took over the session"),
        Row("plan-boxes", "features.plans:renew_checklist", FEATURES,
            "keeps the tasks of a planned session as boxes", features=("boulder",)),
        Row("todo-continuation", "features.plans:send_back_open", FEATURES,
            "sends the agent back once for open items", features=("todo", "boulder")),
    )


def _subagent_stop() -> "Rows":
    return (
        Row("shell-changes", "planned.edits:report", PLANNED, "finds what commands wrote"),
        Row("agent-end", "planned.agent_ends:end_agent", PLANNED, "checks an agent's task"),
        Row("handed-over", "planned.begin:note_ended", HANDED,
            "records the end of an agent of a session that was taken over"),
        Row("agent-answers", "agent_answers:keep_answer", ARMED,
            "stores the result of a catalog agent"),
        Row("plan-boxes", "features.plans:renew_checklist", FEATURES,
            "keeps the tasks of a planned session as boxes", features=("boulder",)),
        Row("plan-wisdom", "features.running_agents:keep_wisdom", FEATURES,
            "stores with a plan what agents learned", features=("boulder",)),
        Row("subagent-stop", "features.running_agents:note_end", FEATURES,
            "records the result and the cost of an agent", features=("tracker",)),
    )


def _subagent_start() -> "Rows":
    return (
        Row("briefed", "planned.agent_calls:brief_agent", PLANNED,
            "gives its task to an agent without a prompt", by=AGENT),
        Row("subagent-start", "features.running_agents:note_start", FEATURES,
            "tracks running and stale agents", features=("tracker",)),
    )


def _teammate_idle() -> "Rows":
    return (
        Row("teammate-plan", "planned.agent_ends:end_teammate_turn", PLANNED,
            "checks a teammate's task, advances the stage and assigns the next task"),
    )


def _task_completed() -> "Rows":
    return (
        Row("task-plan", "planned.agent_ends:refuse_open_task", PLANNED,
            "completes an item that names a task only when its criteria are met"),
    )


def _notification() -> "Rows":
    return (Row("waits", "session:note_wait", ARMED,
                "records since when the client waits for the user", only=WAITS),
            Row("rings", "notices:ring", ARMED, "rings, and notifies your channels, when the client asks you", only=WAITS))


def _pre_compact() -> "Rows":
    return (
        Row("pre-compact", "features.compaction:write_checkpoint", FEATURES,
            "saves the state for after the compaction", features=("checkpoint",)),
    )


def _stop_failure() -> "Rows":
    return (Row("rate-limit-wait", "features.failures:wait_for_limit", FEATURES,
                "records when a rate limit ends, and wakes the session then", features=("limits",)),)


def _session_end() -> "Rows":
    return (
        Row("leave", "session:leave", ALWAYS, "ends a session that was cleared", only=("clear",)),
        Row("left", "silence:tell_left", ALWAYS, "reports that nothing was verified if the session is still on", only=ENDED),
        Row("session-end", "features.session_end:clean_up", FEATURES,
            "removes what only this session needed", features=("cleanup",)),
    )


def _setup() -> "Rows":
    return (Row("setup", "setup:set_up", ALWAYS, "brings the state folder up to date; asks the doctor"),)


def _wake() -> "Rows":
    return (
        Row("wake", "jobs:wake", ALWAYS, "runs slow checks after a stop and wakes the agent if one fails"),
        Row("watchdog", "jobs:watch", ALWAYS, "team, ultrapilot: wakes the session when a worker is silent"),
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
    CHECK: lambda: (Row("check", "jobs:check", ALWAYS, "does the same as `wake` where the client cannot be woken"),),
    BASE_RUN: lambda: (Row("base-run", "jobs:run_on_base", ALWAYS, "runs the checks on the baseline"),),
    VERIFY: lambda: (Row("verify-later", "jobs:verify", ALWAYS, "runs checks that `ulw verify` could not wait for"),),
    NOTIFY: lambda: (Row("notices", "notices:send", ALWAYS, "sends notifications that are due to your own channels"),),
}
# fmt: on


def list_rows(event: str, is_awake: "Callable[[str, str], bool] | None" = None) -> "Rows":
    """Return the handlers of an event or job; none if it is unknown. A feature's rows are loaded only if `is_awake`
    says that the feature is in that state; without it, all are."""
    make = HANDLERS.get(event) or JOBS.get(event)
    rows = make() if make is not None else ()
    for name, feature in PACKAGES.items():
        state = feature.hears.get(event)
        if state and (is_awake is None or is_awake(name, state)):
            for row in load_part(name, "table").ROWS[event]:
                at = next((at for at, handler in enumerate(rows) if handler.name == row.before), len(rows))
                rows = (*rows[:at], row, *rows[at:])
    return rows


# The variable that skips handlers, and the key under which an armed session's marker stores it.
SKIPS = "ULTRAWORK_SKIP_HOOKS"
SKIPPED = "skipped"


def is_skipped(environ: "Mapping[str, str]", name: str) -> bool:
    return name in environ.get(SKIPS, "").split(",")
