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
        ("notified", "course:notified"),
    ),
    "UserPromptExpansion": (("skills", "prompt:skills"), ("sessions", "course:skills")),
    "PreToolUse": (
        ("guard", "tool:guard"),
        ("agents", "course:before_agent"),
        ("delegation", "course:before_edit"),
    ),
    "PostToolUse": (
        ("observe", "tool:observe"),
        ("agent-started", "course:after_agent"),
        ("answers", "course:answered"),
    ),
    "PostToolUseFailure": (("observe", "tool:observe"),),
    "Stop": (("continuation", "stop:stop"), ("course", "course:stop")),
    "SubagentStop": (("agent-end", "course:subagent"),),
    "SessionEnd": (("leave", "session:leave"),),
}
