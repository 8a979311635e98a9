"""Codex's hook file. It ignores `args` and reports no session: one quoted shell line starts the plugin's own
program."""

from typing import Any

from ..hook_file import LAUNCHER, HookTable

# It knows fewer events; naming others is harmless but misleading. Its permission questions are left to it: we cannot
# read its rules, and its checks run in its sandbox without asking.
EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SubagentStart", "SubagentStop",
    "PreCompact", "SessionEnd",
)  # fmt: skip


def make_hook_file(table: HookTable) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [_handler(table, event)]}] for event in EVENTS}}


def _handler(table: HookTable, event: str) -> dict[str, Any]:
    command = f'[ ! -r "{LAUNCHER}" ] || exec /bin/sh "{LAUNCHER}" {event}'
    return {"type": "command", "command": command, **table.list_extras(event)}
