"""What the clients can do for an agent: tools and models by the names they are called."""

# Known to Claude Code 2.1.197 and newer; a test with the real client holds the profiles to it.
TOOLS = frozenset(
    (
        "Agent", "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterWorktree",
        "ExitWorktree", "Glob", "Grep", "NotebookEdit", "Read", "ReportFindings", "ScheduleWakeup",
        "SendMessage", "Skill", "TaskStop", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",
    )
)  # fmt: skip
# What an agent must not have that makes the promise of a fragment.
PROMISES = {
    "readonly": frozenset(("Agent", "Bash", "Edit", "NotebookEdit", "Workflow", "Write")),
    "alone": frozenset(("Agent", "Workflow")),
}
MODELS = ("haiku", "sonnet", "opus", "inherit")
