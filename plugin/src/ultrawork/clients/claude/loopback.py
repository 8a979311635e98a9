"""A model on loopback that records what a client sends and answers with next to nothing: no account, no network."""

import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any, Self

# The helper's prompt; the client's first request gets nothing else.
HELPER = "Say ok."
_AGENT_TOOLS = ("Agent", "Task")
_USAGE = {"input_tokens": 1, "output_tokens": 1}

Body = dict[str, Any]


class LoopbackModel:
    """`main` is the first request of the session, `helper` that of the agent that it was told to start."""

    def __init__(self) -> None:
        self.main: bytes | None = None
        self.helper: bytes | None = None
        kind = type("_Recorder", (_Handler,), {"model": self})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def take(self, raw: bytes, *, of_helper: bool) -> list[Body]:
        """Record a request; return the content of its answer."""
        body = _parse(raw)
        tools = [str(tool.get("name")) for tool in body.get("tools") or () if isinstance(tool, dict)]
        if of_helper or "cc_is_subagent=true" in json.dumps(body.get("system")):
            self.helper = self.helper or raw
        elif tools and self.main is None:
            self.main = raw
            name = next((agent_tool for agent_tool in _AGENT_TOOLS if agent_tool in tools), "")
            return [_call_helper(name)] if name else [_SAID]
        return [_SAID]


_SAID: Body = {"type": "text", "text": "ok"}


def _call_helper(tool: str) -> Body:
    given = {"description": "say ok", "prompt": HELPER, "subagent_type": "general-purpose"}
    return {"type": "tool_use", "id": "toolu_1", "name": tool, "input": given}


def _parse(raw: bytes) -> Body:
    try:
        document = json.loads(raw)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: LoopbackModel

    def log_message(self, *_: object) -> None:
        """Do not log: the verb owns the screen."""

    def do_GET(self) -> None:
        self._send_json({"data": [], "has_more": False})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        if "count_tokens" in self.path:
            self._send_json({"input_tokens": len(raw) // 4})
            return
        blocks = self.model.take(raw, of_helper="x-claude-code-agent-id" in self.headers)
        body = _parse(raw)
        message = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": str(body.get("model")),
            "content": blocks, "stop_sequence": None, "usage": _USAGE,
            "stop_reason": "tool_use" if blocks[0]["type"] == "tool_use" else "end_turn",
        }  # fmt: skip
        if body.get("stream"):
            self._stream(message)
        else:
            self._send_json(message)

    def _send_json(self, value: Body) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, message: Body) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for event in _list_events(message):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())


def _list_events(message: Body) -> Iterator[Body]:
    """Yield the one block of a message as stream events."""
    (block,) = message["content"]
    opened, delta = _part(block)
    begun = {**message, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": begun}
    yield {"type": "content_block_start", "index": 0, "content_block": opened}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": _USAGE}
    yield {"type": "message_stop"}


def _part(block: Body) -> tuple[Body, Body]:
    if block["type"] == "text":
        return {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    text = json.dumps(block["input"])
    return {**block, "input": {}}, {"type": "input_json_delta", "partial_json": text}
