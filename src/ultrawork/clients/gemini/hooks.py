"""Gemini CLI: events of the same shape under other names."""

from ..client import ClientAdapter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..client import HookEvent


class GeminiCli(ClientAdapter):
    name = "gemini"
    title = "Gemini CLI"
    one_shot = "gemini -p"
    events = {  # noqa: RUF012 (nobody changes it)
        "BeforeAgent": "UserPromptSubmit",
        "AfterAgent": "Stop",
        "BeforeTool": "PreToolUse",
        "AfterTool": "PostToolUse",
        "PreCompress": "PreCompact",
    }

    def fit_answer(self, output: "dict[str, Any]", event: "HookEvent") -> "dict[str, Any]":
        """It reads its own event names."""
        specific = output.get("hookSpecificOutput")
        if isinstance(specific, dict):
            specific["hookEventName"] = event.data["hook_event_name"]
        return output


ADAPTER = GeminiCli()
