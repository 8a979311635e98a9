"""Gemini's generateContent, as Gemini CLI speaks it."""

import json
import re
from urllib.parse import unquote

from . import replies
from .request import AUX, MAIN, TEXT, TOOL_RESULT, TOOL_USE, Part, flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .request import Request

LONG = 1_000_000


def read(request: "Request") -> None:
    named = re.search(r"/models/([^/:]+):", request.path)
    request.model = request.model or (unquote(named.group(1)) if named else "")
    request.stream = ":streamGenerateContent" in request.path
    body = request.body["request"] if _enveloped(request) else request.body
    system = body.get("systemInstruction") or body.get("system_instruction") or {}
    request.system = flat(system.get("parts") if isinstance(system, dict) else system)
    request.tools = [name for group in body.get("tools") or () for name in _names(group)]
    for content in body.get("contents") or ():
        role = "assistant" if content.get("role") == "model" else "user"
        parts = map(_part, content.get("parts") or ())
        request.add(role, *(part for part in parts if part))
    request.agent = MAIN if request.tools else AUX


def _enveloped(request: "Request") -> bool:
    """Whether this is the Code Assist form, with the real body one level down."""
    return isinstance(request.body.get("request"), dict)


def _names(group: "dict[str, Any]") -> list[str]:
    declared = group.get("functionDeclarations") or group.get("function_declarations") or ()
    return [function.get("name", "") for function in declared]


def _part(part: "dict[str, Any]") -> Part | None:
    if "functionResponse" in part:
        return Part(TOOL_RESULT, json.dumps(part["functionResponse"].get("response")))
    if "functionCall" in part:
        return Part(TOOL_USE, json.dumps(part["functionCall"]))
    return Part(TEXT, part["text"]) if "text" in part and not part.get("thought") else None


def whole(request: "Request", reply: "dict[str, Any]") -> "dict[str, Any]":
    parts = [part for part in map(_answer_part, replies.blocks_of(reply)) if part]
    usage = replies.usage_of(reply)
    content = {"role": "model", "parts": parts}
    answer = {
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": usage["input_tokens"],
            "candidatesTokenCount": usage["output_tokens"],
            "totalTokenCount": replies.total_of(usage),
        },
        "modelVersion": reply.get("model") or request.model,
        "responseId": replies.new_id("resp"),
    }
    return {"response": answer} if _enveloped(request) else answer


def _answer_part(block: "dict[str, Any]") -> "dict[str, Any] | None":
    if block.get("type") == "text":
        return {"text": block["text"]}
    if block.get("type") == "tool_use":
        call = {"id": block["id"], "name": block["name"], "args": block["input"]}
        return {"functionCall": call}
    return None


def events(request: "Request", reply: "dict[str, Any]") -> "Iterator[tuple[str, dict[str, Any] | str]]":
    """Yield one event, or one per block if the answer is very long: the client reads each as a whole."""
    blocks = replies.blocks_of(reply)
    is_long = sum(len(str(block)) for block in blocks) > LONG
    for block in blocks if is_long else ():
        yield "", whole(request, {"content": [block]})
    if not is_long:
        yield "", whole(request, reply)


def error(status: int, kind: str, message: str) -> "dict[str, Any]":
    return {"error": {"code": status, "message": message, "status": kind.upper()}}


def counted(tokens: int) -> "dict[str, Any]":
    return {"totalTokens": tokens}
