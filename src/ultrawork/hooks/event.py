"""An event as the handlers see it: the client's JSON, checked key by key and named the same for all clients."""

import os

from ..core import check
from ..core.errors import UsageError
from ..store import paths
from ..store.fast import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..store.paths import Home
    from ..store.state import Store

_SPELLINGS = {
    "event": "hook_event_name",
    "sessionId": "session_id",
    "toolName": "tool_name",
    "toolInput": "tool_input",
    "toolResponse": "tool_response",
    "tool_output": "tool_response",
    "toolOutput": "tool_response",
    "user_prompt": "prompt",
    "directory": "cwd",
}
GEMINI_EVENTS = {
    "BeforeAgent": "UserPromptSubmit",
    "AfterAgent": "Stop",
    "BeforeTool": "PreToolUse",
    "AfterTool": "PostToolUse",
    "PreCompress": "PreCompact",
}


class Event:
    """Wrong types do not pass: a key that should be text and is not reads as empty."""

    __slots__ = ("_store", "clock", "data", "environ", "home", "name")

    def __init__(
        self, name: str, data: "dict[str, Any]", environ: "Mapping[str, str]", clock: "Any"
    ) -> None:
        for other, ours in _SPELLINGS.items():
            if ours not in data and other in data:
                data[ours] = data[other]
        self.name = GEMINI_EVENTS.get(name, name)
        self.data = data
        self.environ = environ
        self.clock = clock
        self.home: Home = paths.home(environ)
        self._store: Store | None = None

    def text(self, key: str) -> str:
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    def mapping(self, key: str) -> "dict[str, Any]":
        value = self.data.get(key)
        return value if isinstance(value, dict) else {}

    def entries(self, key: str) -> "list[dict[str, Any]]":
        value = self.data.get(key)
        return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

    @property
    def session(self) -> str:
        """The client's session id; an id that could not be a file name is treated as none."""
        try:
            return check.session_id(self.text("session_id"))
        except UsageError:
            return ""

    @property
    def cwd(self) -> str:
        given = self.text("cwd")
        return given if os.path.isdir(given) else os.getcwd()

    @property
    def place(self) -> str:
        return paths.checkout(self.cwd)

    @property
    def is_codex(self) -> bool:
        return "turn_id" in self.data and not self.environ.get("CLAUDE_CODE_SESSION_ID")

    @property
    def attended(self) -> bool:
        """Whether a person sits there; Claude Code says so, older and other clients by their entry point."""
        told = self.environ.get("CLAUDE_CODE_SESSION_ATTENDED")
        if told is not None:
            return told != "0"
        return self.environ.get("CLAUDE_CODE_ENTRYPOINT", "") == "cli"

    @property
    def prompt_mark(self) -> str:
        """What two events of one prompt have in common, and two prompts have not."""
        known = self.text("prompt_id") or self.text("turn_id")
        return known or digest(self.text("prompt"))[:16]

    @property
    def program(self) -> str:
        """How the agent's shell can call us: Claude Code puts the plugin's programs on its PATH."""
        root = self.environ.get("CLAUDE_PLUGIN_ROOT", "").rstrip("/")
        return f'"{root}/bin/ultrawork"' if self.is_codex and root else "ultrawork"

    @property
    def store(self) -> "Store":
        if self._store is None:
            from ..store.state import Store

            self._store = Store(self.home, actor="hook", clock=self.clock)
        return self._store
