"""One request, reduced to what rules can match: the same for every wire format."""

import hashlib
import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TEXT = "text"
TOOL_USE = "tool_use"
TOOL_RESULT = "tool_result"
CONTEXT = "context"  # text that the client put in by itself with the role "system"

MAIN = "main"
SUB = "sub"
AUX = "aux"  # offers no tools: titles, prompt hooks, goal evaluation


class Part:
    __slots__ = ("error", "kind", "text")

    def __init__(self, kind: str, text: str, *, error: bool = False) -> None:
        self.kind = kind
        self.text = text
        self.error = error


class Message:
    __slots__ = ("parts", "role")

    def __init__(self, role: str, parts: list[Part]) -> None:
        self.role = role
        self.parts = parts


class Request:
    def __init__(self, protocol: str, path: str, headers: dict[str, str], body: "dict[str, Any]") -> None:
        self.protocol = protocol
        self.path = path
        self.headers = headers
        self.body = body
        self.model = str(body.get("model") or "")
        self.stream = bool(body.get("stream"))
        self.system = ""
        self.tools: list[str] = []
        self.messages: list[Message] = []
        self.agent = MAIN
        self.agent_id = ""
        self.session = ""

    @property
    def turn(self) -> int:
        """1 for the first request of a conversation, then 1 + the answers already in it."""
        roles = [message.role for message in self.messages]
        answers = zip(roles, ["", *roles], strict=False)
        return 1 + sum(role == "assistant" != before for role, before in answers)

    @property
    def last(self) -> str:
        """Return everything received since the model's last answer."""
        return _joined(self._inbound(), TEXT, TOOL_RESULT, CONTEXT)

    @property
    def prompt(self) -> str:
        return _joined(self._inbound(), TEXT)

    @property
    def tool_result(self) -> str:
        return _joined(self._inbound(), TOOL_RESULT)

    @property
    def tool_error(self) -> bool:
        return any(part.error for part in self._inbound() if part.kind == TOOL_RESULT)

    @property
    def first(self) -> str:
        """Return everything received before the first answer: the initial prompt."""
        parts: list[Part] = []
        for message in self.messages:
            if message.role == "assistant":
                break
            parts += message.parts
        return _joined(parts, TEXT, TOOL_USE, TOOL_RESULT)

    @property
    def any(self) -> str:
        return "\n".join(part.text for message in self.messages for part in message.parts)

    @property
    def conversation(self) -> str:
        """A key that stays the same over the turns of one agent's conversation."""
        if self.session or self.agent_id:
            return f"{self.session}/{self.agent_id}"
        return hashlib.sha256(self.first.encode("utf-8", "replace")).hexdigest()[:16]

    def add(self, role: str, *parts: Part) -> None:
        self.messages.append(Message(role, list(parts)))

    def summary(self) -> "dict[str, Any]":
        return {
            "protocol": self.protocol,
            "path": self.path,
            "agent": self.agent,
            "agent_id": self.agent_id,
            "session": self.session,
            "model": self.model,
            "stream": self.stream,
            "turn": self.turn,
            "tools": self.tools,
            "last": self.last,
            "tool_error": self.tool_error,
            "system": self.system,
        }

    def _inbound(self) -> list[Part]:
        parts: list[Part] = []
        for message in reversed(self.messages):
            if message.role == "assistant":
                break
            parts[:0] = message.parts
        return parts


def _joined(parts: list[Part], *kinds: str) -> str:
    return "\n".join(part.text for part in parts if part.kind in kinds)


def flat(content: object) -> str:
    """The text of a content value: a string, or a list of blocks."""
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, list):
        return "\n".join(text for text in map(_block_text, content) if text is not None)
    return json.dumps(content, sort_keys=True)


def _block_text(block: object) -> str | None:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict) or block.get("type") in ("image", "document"):
        return None
    if isinstance(block.get("text"), str):
        return str(block["text"])
    return flat(block["content"]) if "content" in block else json.dumps(block, sort_keys=True)
