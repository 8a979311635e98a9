"""Anthropic Messages, as Claude Code speaks it."""

import json

from . import replies
from .request import AUX, CONTEXT, MAIN, SUB, TEXT, TOOL_RESULT, TOOL_USE, Part, flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .request import Request


UNSEEN = ("thinking", "redacted_thinking", "image", "document")


def read(request: "Request") -> None:
    body = request.body
    request.system = flat(body.get("system"))
    request.tools = [tool.get("name") or tool.get("type") or "" for tool in body.get("tools") or ()]
    for message in body.get("messages") or ():
        role = message.get("role", "user")
        parts = (_part(role, block) for block in _blocks(message.get("content")))
        request.add(role, *(part for part in parts if part))
    request.agent_id = request.headers.get("x-claude-code-agent-id", "")
    request.session = request.headers.get("x-claude-code-session-id", "") or _session_in(body)
    request.agent = _agent(request)


def _blocks(content: object) -> "list[dict[str, Any]]":
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def _part(role: str, block: "dict[str, Any]") -> Part | None:
    kind = block.get("type")
    if kind in UNSEEN:
        return None
    if kind == "tool_result":
        return Part(TOOL_RESULT, flat(block.get("content")), error=bool(block.get("is_error")))
    if kind == "tool_use":
        return Part(TOOL_USE, json.dumps({block.get("name", ""): block.get("input")}))
    return Part(CONTEXT if role == "system" and kind == "text" else TEXT, flat([block]))


def _session_in(body: "dict[str, Any]") -> str:
    try:
        user = json.loads((body.get("metadata") or {}).get("user_id") or "{}")
        return str(user.get("session_id", ""))
    except (ValueError, AttributeError):
        return ""


def _agent(request: "Request") -> str:
    if request.agent_id or "cc_is_subagent=true" in request.system:
        return SUB
    return MAIN if request.tools else AUX


def whole(request: "Request", reply: "dict[str, Any]") -> "dict[str, Any]":
    blocks = replies.blocks_of(reply)
    return {
        "id": replies.new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": reply.get("model") or request.model,
        "content": blocks,
        "stop_reason": replies.stop_reason_of(reply, blocks),
        "stop_sequence": None,
        "usage": replies.usage_of(reply),
    }


def events(request: "Request", reply: "dict[str, Any]") -> "Iterator[tuple[str, dict[str, Any] | str]]":
    message = whole(request, reply)
    usage = message["usage"]
    opened = {**message, "content": [], "stop_reason": None}
    yield _event("message_start", message={**opened, "usage": {**usage, "output_tokens": 1}})
    for index, block in enumerate(message["content"]):
        opening, deltas = _streamed(block)
        yield _event("content_block_start", index=index, content_block=opening)
        for delta in deltas:
            yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=usage)
    yield _event("message_stop")


def _event(kind: str, **fields: object) -> "tuple[str, dict[str, Any]]":
    return kind, {"type": kind, **fields}


def _streamed(block: "dict[str, Any]") -> "tuple[dict[str, Any], list[dict[str, Any]]]":
    """How a block opens, and the deltas that fill it."""
    kind = block.get("type")
    if kind == "text":
        return {"type": "text", "text": ""}, _deltas("text_delta", "text", block["text"])
    if kind == "thinking":
        signature = {"type": "signature_delta", "signature": block.get("signature", replies.SIGNATURE)}
        filled = _deltas("thinking_delta", "thinking", block["thinking"])
        return {"type": "thinking", "thinking": "", "signature": ""}, [*filled, signature]
    if kind == "tool_use":
        text = json.dumps(block["input"])
        return {**block, "input": {}}, _deltas("input_json_delta", "partial_json", text)
    return block, []


def _deltas(kind: str, key: str, text: str) -> "list[dict[str, Any]]":
    return [{"type": kind, key: piece} for piece in replies.pieces(text)]


def error(_status: int, kind: str, message: str) -> "dict[str, Any]":
    return {"type": "error", "error": {"type": kind, "message": message}}


def counted(tokens: int) -> "dict[str, Any]":
    return {"input_tokens": tokens}
