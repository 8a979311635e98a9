"""OpenAI Chat Completions, as opencode and many others speak it."""

import json
import time

from . import replies
from .request import AUX, MAIN, SUB, TEXT, TOOL_RESULT, TOOL_USE, Part, flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .request import Request

FINISH = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length"}


def read(request: "Request") -> None:
    tools = request.body.get("tools") or ()
    request.tools = [(tool.get("function") or {}).get("name") or tool.get("type") or "" for tool in tools]
    for message in request.body.get("messages") or ():
        _read_message(request, message, message.get("role", "user"))
    request.session = request.headers.get("x-session-id") or ""
    request.agent = MAIN if request.tools else AUX
    if request.headers.get("x-parent-session-id"):
        request.agent, request.agent_id = SUB, request.session


def _read_message(request: "Request", message: "dict[str, Any]", role: str) -> None:
    text = flat(message.get("content"))
    if role in ("system", "developer"):
        request.system += ("\n" if request.system else "") + text
    elif role == "tool":
        request.add("user", Part(TOOL_RESULT, text))
    else:
        calls = (json.dumps(call.get("function")) for call in message.get("tool_calls") or ())
        spoken = [Part(TEXT, text)] if text else []
        request.add(role, *spoken, *(Part(TOOL_USE, call) for call in calls))


def _said(reply: "dict[str, Any]") -> "tuple[str, list[dict[str, Any]], str]":
    """Text, tool calls and finish reason of a reply."""
    blocks = replies.blocks_of(reply)
    text = "".join(block["text"] for block in blocks if block.get("type") == "text")
    called = [block for block in blocks if block.get("type") == "tool_use"]
    calls = [_call(index, block) for index, block in enumerate(called)]
    return text, calls, FINISH.get(replies.stop_reason_of(reply, blocks), "stop")


def _call(index: int, block: "dict[str, Any]") -> "dict[str, Any]":
    function = {"name": block["name"], "arguments": json.dumps(block["input"])}
    return {"index": index, "id": block["id"], "type": "function", "function": function}


def _usage(reply: "dict[str, Any]") -> "dict[str, Any]":
    usage = replies.usage_of(reply)
    return {
        "prompt_tokens": usage["input_tokens"],
        "completion_tokens": usage["output_tokens"],
        "total_tokens": replies.total_of(usage),
    }


def _head(request: "Request", reply: "dict[str, Any]", kind: str) -> "dict[str, Any]":
    return {
        "id": replies.new_id("chatcmpl"),
        "object": kind,
        "created": int(time.time()),
        "model": reply.get("model") or request.model,
    }


def whole(request: "Request", reply: "dict[str, Any]") -> "dict[str, Any]":
    text, calls, finish = _said(reply)
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "message": message, "finish_reason": finish}
    head = _head(request, reply, "chat.completion")
    return {**head, "choices": [choice], "usage": _usage(reply)}


def events(request: "Request", reply: "dict[str, Any]") -> "Iterator[tuple[str, dict[str, Any] | str]]":
    text, calls, finish = _said(reply)
    head = _head(request, reply, "chat.completion.chunk")
    yield _chunk(head, {"role": "assistant", "content": ""})
    for piece in replies.pieces(text) if text else ():
        yield _chunk(head, {"content": piece})
    for call in calls:
        yield _chunk(head, {"tool_calls": [call]})
    yield _chunk(head, {}, finish)
    yield "", {**head, "choices": [], "usage": _usage(reply)}
    yield "", "[DONE]"


def _chunk(head: "dict[str, Any]", delta: "dict[str, Any]", reason: str | None = None) -> "tuple[str, dict[str, Any]]":
    return "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def error(_status: int, kind: str, message: str) -> "dict[str, Any]":
    return {"error": {"message": message, "type": kind, "code": kind}}


def counted(tokens: int) -> "dict[str, Any]":
    return {"input_tokens": tokens}
