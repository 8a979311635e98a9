"""
Which behaviours an event has, in their order: name → `module:function` in `handlers/`.

The names are what `ULTRAWORK_SKIP_HOOKS` takes.
"""

HANDLERS: dict[str, tuple[tuple[str, str], ...]] = {
    "SessionStart": (("welcome", "session:welcome"), ("brief", "session:brief")),
    "UserPromptSubmit": (
        ("free-words", "prompt:free_words"),
        ("trigger", "prompt:trigger"),
        ("turn", "prompt:turn"),
    ),
    "UserPromptExpansion": (("skills", "prompt:skills"),),
    "PreToolUse": (("guard", "tool:guard"),),
    "PostToolUse": (("observe", "tool:observe"),),
    "PostToolUseFailure": (("observe", "tool:observe"),),
    "Stop": (("continuation", "stop:stop"),),
    "SubagentStop": (("worker-end", "stop:subagent"),),
    "SessionEnd": (("leave", "session:leave"),),
}
