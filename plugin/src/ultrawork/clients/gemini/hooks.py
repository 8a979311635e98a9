"""Gemini CLI: events of the same shape under other names."""

from ..client import ClientAdapter, late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..client import HookEvent


# Its tools that edit, read and run commands; their inputs have the same keys as ours.
_TOOLS = {"run_shell_command": "Bash", "write_file": "Write", "replace": "Edit", "read_file": "Read"}


class GeminiCli(ClientAdapter):
    name = "gemini"
    title = "Gemini CLI"
    one_shot = "gemini -p"
    events = {  # noqa: RUF012 (no code changes it)
        "BeforeAgent": "UserPromptSubmit",
        "AfterAgent": "Stop",
        "BeforeTool": "PreToolUse",
        "AfterTool": "PostToolUse",
        "PreCompress": "PreCompact",
    }
    plan_install = late("install")

    def translate_call(self, data: "dict[str, Any]", _raw: bytes) -> "dict[str, Any]":
        name = data.get("tool_name")
        return {**data, "tool_name": _TOOLS[name]} if name in _TOOLS else data

    def fit_answer(self, output: "dict[str, Any]", event: "HookEvent") -> "dict[str, Any]":
        """Use its own event names."""
        specific = output.get("hookSpecificOutput")
        if isinstance(specific, dict):
            specific["hookEventName"] = event.data["hook_event_name"]
        return output


ADAPTER = GeminiCli()
