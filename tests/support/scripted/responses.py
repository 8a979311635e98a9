"""OpenAI Responses, as Codex CLI speaks it."""

import json
import time

from . import replies
from .request import AUX, MAIN, SUB, TEXT, TOOL_RESULT, TOOL_USE, Part, flat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .request import Request

LONG = 1_000_000


def read(request: "Request") -> None:
    body, headers = request.body, request.headers
    request.system = flat(body.get("instructions"))
    request.tools = [name for tool in _offered(body) for name in _names(tool)]
    for item in _items(body.get("input")):
        _read_item(request, item)
    request.session = headers.get("session-id") or headers.get("session_id") or body.get("prompt_cache_key") or ""
    request.agent = MAIN if request.tools else AUX
    if headers.get("x-openai-subagent"):
        request.agent, request.agent_id = SUB, headers.get("thread-id", "")


def _offered(body: "dict[str, Any]") -> "Iterator[dict[str, Any]]":
    """Newer models get their tools as an item of the input."""
    yield from body.get("tools") or ()
    for item in _items(body.get("input")):
        if item.get("type") == "additional_tools":
            yield from item.get("tools") or ()


def _names(tool: "dict[str, Any]") -> list[str]:
    if tool.get("type") == "namespace":
        space = "" if tool.get("name") == "functions" else f"{tool.get('name')}."
        return [f"{space}{inner.get('name')}" for inner in tool.get("tools") or ()]
    return [tool.get("name") or tool.get("type") or ""]


def _items(source: object) -> "list[dict[str, Any]]":
    if isinstance(source, str):
        return [{"role": "user", "content": source}]
    return source if isinstance(source, list) else []


def _read_item(request: "Request", item: "dict[str, Any]") -> None:
    kind = item.get("type") or "message"
    if kind == "message":
        _read_message(request, item.get("role", "user"), flat(item.get("content")))
    elif kind.endswith("_output"):
        request.add("user", Part(TOOL_RESULT, flat(item.get("output"))))
    elif kind.endswith("_call"):
        request.add("assistant", Part(TOOL_USE, json.dumps(item)))


def _read_message(request: "Request", role: str, text: str) -> None:
    if role in ("system", "developer"):
        request.system += "\n" + text
    else:
        request.add(role, Part(TEXT, text))


def whole(request: "Request", reply: "dict[str, Any]") -> "dict[str, Any]":
    usage = replies.usage_of(reply)
    blocks = replies.blocks_of(reply)
    return {
        "id": replies.new_id("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": reply.get("model") or request.model,
        "output": [item for item in map(_item, blocks) if item],
        "usage": {
            "input_tokens": usage["input_tokens"],
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": usage["output_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": replies.total_of(usage),
        },
    }


def _item(block: "dict[str, Any]") -> "dict[str, Any] | None":
    if block.get("type") == "text":
        part = {"type": "output_text", "text": block["text"], "annotations": []}
        return _made("message", "msg", role="assistant", content=[part])
    if block.get("type") != "tool_use":
        return None
    if block.get("custom"):  # a free-form tool such as apply_patch
        called = {"name": block["name"], "call_id": block["id"], "input": str(block["input"])}
        return _made("custom_tool_call", "ctc", **called)
    space, _, name = block["name"].rpartition(".")  # "multi_agent_v1.spawn_agent"
    called = {"name": name, "call_id": block["id"], "arguments": json.dumps(block["input"])}
    return _made("function_call", "fc", **called, **({"namespace": space} if space else {}))


def _made(kind: str, prefix: str, **fields: object) -> "dict[str, Any]":
    return {"id": replies.new_id(prefix), "type": kind, "status": "completed", **fields}


def events(request: "Request", reply: "dict[str, Any]") -> "Iterator[tuple[str, dict[str, Any] | str]]":
    response = whole(request, reply)
    opened = {**response, "status": "in_progress", "output": [], "usage": None}
    yield _event("response.created", response=opened)
    for index, item in enumerate(response["output"]):
        yield from _item_events(index, item)
    # A very long answer repeated at its end keeps the client busy for minutes.
    is_long = sum(len(str(item)) for item in response["output"]) > LONG
    yield _event("response.completed", response={**response, "output": []} if is_long else response)


def _item_events(index: int, item: "dict[str, Any]") -> "Iterator[tuple[str, dict[str, Any]]]":
    hollow = {**item, "status": "in_progress"}
    texts = []
    if item["type"] == "message":
        hollow["content"] = []
        texts = list(replies.pieces(item["content"][0]["text"]))
    yield _event("response.output_item.added", output_index=index, item=hollow)
    place = {"item_id": item["id"], "output_index": index, "content_index": 0}
    for text in texts:
        yield _event("response.output_text.delta", **place, delta=text)
    yield _event("response.output_item.done", output_index=index, item=item)


def _event(kind: str, **fields: object) -> "tuple[str, dict[str, Any]]":
    return kind, {"type": kind, **fields}


def error(_status: int, kind: str, message: str) -> "dict[str, Any]":
    return {"error": {"message": message, "type": kind, "code": kind}}


def counted(tokens: int) -> "dict[str, Any]":
    return {"input_tokens": tokens}
