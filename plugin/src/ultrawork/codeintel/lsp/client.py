"""One connection to one language server: requests and answers, its end, and tables of its requests and
notifications."""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..child_process import ChildGuard, describe_exit
from . import protocol
from .documents import make_uri
from .protocol import ServerEnded, ServerRefused, ServerSilent, ServerSlow

NOTHING = object()  # `shutdown` must carry no params at all, not even null
PATIENCE = 20.0
LAST_WORDS = 2_000


class Client:
    """A connection, made by `start`; `say` is its name in messages. Belongs to the loop that started it."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, guard: ChildGuard) -> None:
        self.name = name
        self.capabilities: dict[str, Any] = {}
        self.settings: Mapping[str, Any] = {}
        self.folder = ""
        self.patience = PATIENCE
        self.registered: dict[str, str] = {}
        self.published: dict[str, Publication] = {}
        self.news = asyncio.Event()
        self.working: dict[str, str] = {}
        self.offered: list[dict[str, Any]] = []
        self._process = process
        self._guard = guard
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._heard = time.monotonic()
        self._words = bytearray()
        self._ending = ""
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._overhear())]

    @classmethod
    async def start(cls, name: str, argv: Sequence[str], *, folder: str, environment: Mapping[str, str]) -> "Client":
        guard = ChildGuard()
        try:
            process = await asyncio.create_subprocess_exec(
                *argv,
                cwd=folder,
                env=guard.mark(environment),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except BaseException:
            guard.end()
            raise
        guard.watch(process.pid)
        client = cls(name, process, guard)
        client.folder = folder
        return client

    @property
    def alive(self) -> bool:
        return not self._ending

    @property
    def pid(self) -> int:
        return self._process.pid

    def check(self) -> None:
        if self._ending:
            raise ServerEnded(self._ending)

    def provides(self, feature: str) -> bool:
        """Return whether the server announced this, in its first answer or later."""
        return bool(self.capabilities.get(feature)) or feature in self.registered.values()

    def notify(self, method: str, params: Any = NOTHING) -> None:
        self.send({"method": method} if params is NOTHING else {"method": method, "params": params})

    def send(self, message: dict[str, Any]) -> None:
        stdin = self._process.stdin
        if self.alive and stdin is not None and not stdin.is_closing():
            stdin.write(protocol.frame_message({"jsonrpc": "2.0", **message}))

    async def request(self, method: str, params: Any = NOTHING, *, seconds: float | None = None) -> Any:
        seconds = self.patience if seconds is None else seconds
        self.check()
        self._number += 1
        number, start = self._number, time.monotonic()
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        body = {} if params is NOTHING else {"params": params}
        self.send({"id": number, "method": method, **body})
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError:
            raise self._late(method, start, seconds) from None
        finally:
            del self._waiting[number]
            if answer.cancelled():
                self.notify("$/cancelRequest", {"id": number})

    def _late(self, method: str, start: float, seconds: float) -> ServerSlow | ServerSilent:
        short = method.rpartition("/")[2]
        if self._heard > start:
            return ServerSlow(f"{self.name} did not answer {short} within {seconds:g} s; try again later")
        return ServerSilent(f"{self.name} said nothing for {seconds:g} s and was stopped; try again")

    async def close(self) -> None:
        """Ask it to exit, and kill it if it does not."""
        if self.alive:
            try:
                await self.request("shutdown", seconds=2.0)
                self.notify("exit")
                async with asyncio.timeout(1.0):
                    await self._process.wait()
            except (ServerEnded, ServerSilent, ServerSlow, ServerRefused, TimeoutError):
                pass
        await self.kill()

    async def kill(self) -> None:
        self._guard.end()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()
        self._over(f"{self.name} was stopped")
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        why = ""
        try:
            while message := await protocol.read_message(self._process.stdout):
                self._heard = time.monotonic()
                self._take(message)
        except (protocol.Garbled, ValueError, asyncio.IncompleteReadError, OSError) as trouble:
            why = f"{self.name} sent {trouble}" if isinstance(trouble, protocol.Garbled) else ""
            self._guard.end()
        status = await self._process.wait()
        self._over(why or f"{self.name} ended {describe_exit(status)}{self._last_words()}")

    async def _overhear(self) -> None:
        assert self._process.stderr is not None
        while piece := await self._process.stderr.read(4096):
            self._words += piece
            del self._words[:-LAST_WORDS]

    def _last_words(self) -> str:
        lines = [line for line in self._words.decode("utf-8", "replace").splitlines() if line.strip()]
        return f": {lines[-1].strip()[:200]}" if lines else ""

    def _over(self, sentence: str) -> None:
        self._ending = self._ending or sentence
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ServerEnded(self._ending))
        self.news.set()

    def _take(self, message: dict[str, Any]) -> None:
        if "method" in message:
            handle_message(self, message)
            return
        number = message.get("id")
        answer = self._waiting.get(number) if isinstance(number, int) else None
        if answer is None or answer.done():
            return
        error = message.get("error")
        if isinstance(error, dict):
            reason = " ".join(str(error.get("message", "an error")).split())[:200]
            answer.set_exception(ServerRefused(f"{self.name}: {reason}", int(error.get("code", 0))))
        else:
            answer.set_result(message.get("result"))


_UNKNOWN_METHOD = -32601


@dataclass(slots=True, frozen=True)
class Publication:
    """Diagnostics that a server pushed for one file, for a version if it says so."""

    items: list[dict[str, Any]]
    version: int | None


def handle_message(client: Client, message: Mapping[str, Any]) -> None:
    method, params = message["method"], message.get("params")
    params = params if isinstance(params, dict) else {}
    if "id" not in message:
        listener = _TOLD.get(method)
        if listener is not None:
            listener(client, params)
        return
    handler = _ASKED.get(method) or (_nothing if method.endswith("/refresh") else None)
    if handler is None:
        error = {"code": _UNKNOWN_METHOD, "message": f"{method} is not known here"}
        client.send({"id": message["id"], "error": error})
    else:
        client.send({"id": message["id"], "result": handler(client, params)})


def find_setting(settings: Mapping[str, Any], section: str) -> Any:
    """`python.analysis` of nested settings; None where nothing is set, as the protocol wants it."""
    value: Any = settings
    for name in section.split(".") if section else ():
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _configuration(client: Client, params: dict[str, Any]) -> Any:
    return [find_setting(client.settings, item.get("section") or "") for item in params.get("items", [])]


def _register(client: Client, params: dict[str, Any]) -> None:
    for item in params.get("registrations", []):
        client.registered[str(item.get("id"))] = _feature(str(item.get("method")))
    client.news.set()


def _unregister(client: Client, params: dict[str, Any]) -> None:
    for item in params.get("unregisterations", []):  # the protocol's own spelling
        client.registered.pop(str(item.get("id")), None)


def _feature(method: str) -> str:
    """The capability that a method belongs to: `textDocument/diagnostic` is `diagnosticProvider`."""
    return method.rpartition("/")[2] + "Provider"


def _folders(client: Client, _: dict[str, Any]) -> Any:
    return [{"uri": make_uri(client.folder), "name": client.folder.rpartition("/")[2]}]


def _apply_edit(client: Client, params: dict[str, Any]) -> Any:
    """Keep the edit for the caller of the command; only `edits` writes files."""
    client.offered.append(params.get("edit") or {})
    return {"applied": True}


def _nothing(_: Client, __: dict[str, Any]) -> None:
    return None


def _publish(client: Client, params: dict[str, Any]) -> None:
    items = params.get("diagnostics") or []
    client.published[str(params.get("uri"))] = Publication(items, params.get("version"))
    client.news.set()


def _progress(client: Client, params: dict[str, Any]) -> None:
    value = params.get("value") or {}
    token = str(params.get("token"))
    if value.get("kind") == "begin":
        client.working[token] = str(value.get("title", ""))
    elif value.get("kind") == "end":
        client.working.pop(token, None)
    client.news.set()


def _indexing(client: Client, _: dict[str, Any]) -> None:
    """Handle Intelephense's own notification for being busy."""
    client.working["indexing"] = "indexing"


def _indexed(client: Client, _: dict[str, Any]) -> None:
    client.working.pop("indexing", None)
    client.news.set()


_ASKED: dict[str, Callable[[Client, dict[str, Any]], Any]] = {
    "client/registerCapability": _register,
    "client/unregisterCapability": _unregister,
    "window/showDocument": lambda _, __: {"success": False},
    "window/showMessageRequest": _nothing,
    "window/workDoneProgress/create": _nothing,
    "workspace/applyEdit": _apply_edit,
    "workspace/configuration": _configuration,
    "workspace/workspaceFolders": _folders,
}

_TOLD: dict[str, Callable[[Client, dict[str, Any]], None]] = {
    "$/progress": _progress,
    "indexingEnded": _indexed,
    "indexingStarted": _indexing,
    "textDocument/publishDiagnostics": _publish,
}
