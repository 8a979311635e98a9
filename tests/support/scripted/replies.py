"""What a script's reply means, before a wire format encodes it."""

import itertools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

DEFAULT_USAGE = {"input_tokens": 100, "output_tokens": 20}
MOST_PIECES = 1000
PIECE = 400
SIGNATURE = "c2NyaXB0ZWQ="

_numbers = itertools.count(1)


def new_id(prefix: str) -> str:
    return f"{prefix}_{next(_numbers):08d}"


def blocks_of(reply: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Content blocks in Anthropic's shape, from any of the reply's shorthands."""
    blocks: list[dict[str, Any]] = []
    if "thinking" in reply:
        blocks.append({"type": "thinking", "thinking": reply["thinking"], "signature": SIGNATURE})
    blocks += [dict(block) for block in reply.get("content") or ()]
    if "text" in reply:
        blocks.append({"type": "text", "text": reply["text"]})
    return [_with_id(block) for block in [*blocks, *_calls(reply)]]


def _calls(reply: "dict[str, Any]") -> "list[dict[str, Any]]":
    calls = [reply["tool"]] if "tool" in reply else []
    return [{"type": "tool_use", **call} for call in [*calls, *(reply.get("tools") or ())]]


def _with_id(block: "dict[str, Any]") -> "dict[str, Any]":
    if block.get("type") != "tool_use":
        return block
    return {"id": new_id("toolu"), "input": {}, **block}


def stop_reason_of(reply: "dict[str, Any]", blocks: "list[dict[str, Any]]") -> str:
    if reply.get("stop_reason"):
        return str(reply["stop_reason"])
    called = any(block.get("type") == "tool_use" for block in blocks)
    return "tool_use" if called else "end_turn"


def usage_of(reply: "dict[str, Any]") -> "dict[str, Any]":
    return {**DEFAULT_USAGE, **(reply.get("usage") or {})}


def total_of(usage: "dict[str, Any]") -> int:
    return int(usage["input_tokens"]) + int(usage["output_tokens"])


def pieces(text: str) -> "Iterator[str]":
    """Yield small pieces, unless there would be very many."""
    size = max(PIECE, len(text) // MOST_PIECES)
    for start in range(0, max(len(text), 1), size):
        yield text[start : start + size]
