"""Codex's hook file. It ignores `args` and reports no session: one quoted shell line starts the plugin's own program,
or, once that was removed, a copy that a session runs on."""

from typing import Any

from ..hook_file import LAUNCHER, HookTable

# It knows fewer events; naming others is harmless but misleading. Its permission questions are left to it: we cannot
# read its rules, and its checks run in its sandbox without asking.
EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop",
    "PreCompact", "SessionEnd",
)  # fmt: skip
# Codex keeps a copy of what it installs, so a clone may change; an update or a removal takes that copy away.
_FIND = (
    f'f="{LAUNCHER}"; [ -r "$f" ] || {{ h=$ULTRAWORK_HOME; [ -n "$h" ] || h=$HOME/.claude/ultrawork'
    '; for p in "$h"/program/*; do IFS= read -r f <"$p"; done 2>/dev/null; f=$f/bin/ultrawork-hook; }'
)
# What is in nobody's way: no launcher, no error.
_START = '[ ! -r "$f" ] || exec /bin/sh "$f"'


def make_hook_file(table: HookTable) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [_handler(table, event)]}] for event in EVENTS}}


def _handler(table: HookTable, event: str) -> dict[str, Any]:
    return {"type": "command", "command": f"{_FIND}; {_START} {event}", **table.list_extras(event)}
