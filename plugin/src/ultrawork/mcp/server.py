"""The MCP server: read messages, queue calls, answer in any order."""

from time import monotonic

from ..clients.servers import is_told_all, read_call_origin
from ..core.check import quote
from ..core.errors import UltraworkError
from ..core.toolbox import FINDER, resolve_call
from . import wire
from .table import read_table
from .wire import DEFECT, INVALID_PARAMS, INVALID_REQUEST, NO_METHOD, PARSE_ERROR, as_key, as_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .call import CallQueues, ToolCall
    from .environment import ToolEnvironment
    from .table import ToolTable
    from .tool import Tool

    Key = str | int

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
NAME = "ultrawork"
# Only for the toolbox: a helper server's few tool names explain themselves.
INSTRUCTIONS = {
    "": "lsp_* query language servers. ast_* search and rewrite code by structure. notepad_*, project_memory_* and state_* persist. Lines start at 1, characters at 0. Edits are previews unless applied."
}
OTHERS = f"Only the most used tools are listed; {FINDER} finds and calls the others."
MOST_CALLS = 10_000
LONGEST_ANSWER = 100_000


class RequestRefused(Exception):  # noqa: N818 (an answer of the protocol, not an error of ours)
    def __init__(self, code: int, sentence: str) -> None:
        """`hello` is what the client sent to an earlier server that this one replaces."""
        super().__init__(sentence)
        self.code = code


class Server:
    def __init__(
        self,
        environment: "ToolEnvironment",
        version: str,
        *,
        source: int = 0,
        target: int = 1,
        table: "ToolTable | None" = None,
        hello: "Mapping[str, Any] | None" = None,
    ) -> None:
        """`hello` is what the client said to an earlier server that this one replaces."""
        self._environment = environment
        self._version = version
        self._source = source
        self._writer = wire.Writer(target)
        self._table = table or read_table(environment.environ, environment.server)
        self._in_full = is_told_all(hello or {})
        self._queues: CallQueues | None = None
        self._running: dict[Key, ToolCall] = {}

    def serve(self) -> None:
        """Serve until the client closes its end or is gone."""
        try:
            for message in wire.read_messages(self._source):
                self._survive(message)
                if self._writer.gone:
                    break
        finally:
            for call in list(self._running.values()):
                call.cancel()
            self._environment.close()

    def _survive(self, message: "Any") -> None:
        """Let a defect of ours cost one answer, not the server."""
        try:
            self._take(message)
        except Exception as error:  # noqa: BLE001 (whatever it is, the next message may be served)
            key = as_key(message.get("id")) if isinstance(message, dict) else None
            self._refuse(key, DEFECT, self._defect(error))

    def _take(self, message: "Any") -> None:
        if isinstance(message, wire.Unreadable):
            self._refuse(None, PARSE_ERROR, message.reason)
        elif not isinstance(message, dict):
            self._refuse(None, INVALID_REQUEST, "a message must be one object; batches are not supported")
        elif "id" not in message:
            self._handle_notification(message)
        elif isinstance(message.get("method"), str) and as_key(message["id"]) is not None:
            self._handle_request(message)
        elif "method" in message:
            self._refuse(None, INVALID_REQUEST, "a request needs a method and an id (string or number)")

    def _handle_notification(self, message: "dict[str, Any]") -> None:
        if message.get("method") != "notifications/cancelled":
            return
        key = as_key(as_mapping(message.get("params")).get("requestId"))
        call = self._running.get(key) if key is not None else None
        if call is not None:
            call.cancel()

    def _handle_request(self, message: "dict[str, Any]") -> None:
        key, params = message["id"], as_mapping(message.get("params"))
        answer = _ANSWERS.get(message["method"])
        try:
            if message["method"] == "tools/call":
                self._call(key, params)
            elif answer is None:
                raise RequestRefused(NO_METHOD, f"unknown method {quote(message['method'])}")
            else:
                self._writer.send({"id": key, "result": answer(self, params)})
        except RequestRefused as refusal:
            self._refuse(key, refusal.code, str(refusal))

    @property
    def _is_silent(self) -> bool:
        """Return whether to hide a tool whose program is not installed."""
        return bool(self._environment.server) and not self._environment.has_helper()

    def _initialize(self, params: "dict[str, Any]") -> "dict[str, Any]":
        wanted = params.get("protocolVersion")
        self._in_full = is_told_all(params)
        instruction = INSTRUCTIONS.get(self._environment.server, "")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": NAME, "version": self._version},
            "instructions": instruction if self._in_full or not instruction else f"{instruction} {OTHERS}",
        }

    def _list(self, _: "dict[str, Any]") -> "dict[str, Any]":
        if self._is_silent:
            return {"tools": []}
        listed = self._table.list_tools(in_full=self._in_full)
        return {"tools": [tool.document() for tool in listed]}

    def _call(self, key: "Key", params: "dict[str, Any]") -> None:
        from .call import ToolCall

        name = params.get("name")
        named = name if isinstance(name, str) else ""
        meant, arguments = resolve_call(named, as_mapping(params.get("arguments")))
        if key in self._running:
            raise RequestRefused(INVALID_REQUEST, f"the request {quote(key)} is still running")
        try:
            tool = self._table.find(meant)
        except UltraworkError as error:
            raise RequestRefused(INVALID_PARAMS, str(error)) from None
        if len(self._running) >= MOST_CALLS:
            self._answer(key, f"{MOST_CALLS:,} calls are waiting; try again later", failed=True)
            return
        meta = as_mapping(params.get("_meta"))
        call = ToolCall(tool.name, dict(arguments), self._environment, self._teller(meta), **read_call_origin(meta))
        self._running[key] = call
        self._enqueue(tool, call, lambda: self._run(key, tool, call))

    def _enqueue(self, tool: "Tool", call: "ToolCall", job: "Callable[[], None]") -> None:
        if self._queues is None:
            from .call import CallQueues

            self._queues = CallQueues()
        self._queues.put(tool.choose_queue(call.arguments), job)

    def _run(self, key: "Key", tool: "Tool", call: "ToolCall") -> None:
        from .call import record_call
        from .tool import check_arguments

        began, failed = monotonic(), True
        try:
            if call.cancelled:
                return
            call.arguments = check_arguments(call.arguments, tool.properties, tool.required, tool.other_names)
            text, failed = tool.run(call), False
        except UltraworkError as error:
            text = str(error)
        except BaseException as error:  # noqa: BLE001 (a tool may die of anything; the server does not)
            text = "" if call.cancelled else self._defect(error)
        finally:
            self._running.pop(key, None)
        record_call(call, monotonic() - began, failed=failed)
        if not call.cancelled:
            self._answer(key, text, failed=failed)

    def _answer(self, key: "Key", text: str, *, failed: bool) -> None:
        if len(text) > LONGEST_ANSWER:
            left = len(text) - LONGEST_ANSWER
            text = f"{text[:LONGEST_ANSWER]}\n… {left:,} characters omitted"
        result: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
        self._writer.send({"id": key, "result": {**result, "isError": True} if failed else result})

    def _refuse(self, key: "Key | None", code: int, sentence: str) -> None:
        self._writer.send({"id": key, "error": {"code": code, "message": sentence}})

    def _teller(self, meta: "dict[str, Any]") -> "Callable[[float, float | None, str], None] | None":
        token = as_key(meta.get("progressToken"))
        if token is None:
            return None

        def tell(done: float, wanted: float | None, text: str) -> None:
            params = {"progressToken": token, "progress": done, "message": text}
            params |= {} if wanted is None else {"total": wanted}
            self._writer.send({"method": "notifications/progress", "params": params})

        return tell

    def _defect(self, error: BaseException) -> str:
        from traceback import format_exception

        from ..store import log

        try:
            where = log.write(self._environment.home, "mcp", "".join(format_exception(error)))
        except OSError:
            where = "none, because the log is not writable"
        return f"internal error ({type(error).__name__}: {quote(error)}); details: {where}"


_ANSWERS: "dict[str, Callable[[Server, dict[str, Any]], dict[str, Any]]]" = {
    "initialize": Server._initialize,  # noqa: SLF001 (the table of this very class)
    "tools/list": Server._list,  # noqa: SLF001 (as above)
    "ping": lambda _, __: {},
}
