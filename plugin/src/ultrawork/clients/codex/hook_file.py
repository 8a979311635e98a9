"""Codex's hook file. It ignores `args` and tells no session: one quoted shell line starts the plugin's own program."""

from typing import Any

from ..hook_file import LAUNCHER, HookTable

# It knows fewer events; naming others does no harm there, but says less than it seems to. Its questions for
# permission are left to it: its rules are not ours to read, and its checks run in its sandbox without asking.
EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop",
    "PreCompact", "SessionEnd",
)  # fmt: skip


def make_hook_file(table: HookTable) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [_handler(table, event)]}] for event in EVENTS}}


def _handler(table: HookTable, event: str) -> dict[str, Any]:
    command = f'[ ! -r "{LAUNCHER}" ] || exec /bin/sh "{LAUNCHER}" {event}'
    return {"type": "command", "command": command, **table.list_extras(event)}
