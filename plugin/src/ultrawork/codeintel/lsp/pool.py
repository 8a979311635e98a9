"""The running servers: one per program and project; idle ones stop, dead ones restart."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from ...core.errors import Trouble
from ...system.language_servers import InstalledServer
from .client import PATIENCE
from .protocol import ServerEnded, ServerSilent, ServerSlow
from .workspace import START_SECONDS, Workspace

T = TypeVar("T")

IDLE_SECONDS = 300.0
CRASHES = 3
CRASH_SECONDS = 60.0
SILENCES = 2
REST_SECONDS = 300.0
Key = tuple[str, str]


class ServerHealth:
    """How often a server recently ended or hung, and until when it is therefore not used."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._crashes: deque[float] = deque(maxlen=CRASHES)
        self._silences: deque[float] = deque(maxlen=SILENCES)
        self._rest = 0.0
        self._said = ""

    def check(self) -> None:
        now = time.monotonic()
        if now < self._rest:
            raise Trouble(f"{self._said}; next attempt in {self._rest - now:.0f} s or later")
        if _is_crowded(self._crashes, now):
            name = self._name
            raise Trouble(f"{name} crashed {CRASHES} times within a minute, so it is paused")

    def note_crash(self) -> None:
        self._crashes.append(time.monotonic())

    def note_silence(self, trouble: Trouble) -> None:
        """Record silence of a server that had answered before: it is replaced once, then left alone."""
        self._silences.append(time.monotonic())
        if _is_crowded(self._silences, time.monotonic()):
            self.note_no_start(trouble)

    def note_no_start(self, trouble: Trouble) -> None:
        """Record a failed start, the longest wait; later callers get an error instead of waiting too."""
        self._rest = time.monotonic() + REST_SECONDS
        self._said = str(trouble).partition(";")[0]


def _is_crowded(times: deque[float], now: float) -> bool:
    return len(times) == times.maxlen and now - times[0] < CRASH_SECONDS


class Pool:
    def __init__(
        self, top: str, *, idle: float = IDLE_SECONDS, patience: float = PATIENCE, start: float = START_SECONDS
    ) -> None:
        self._top = top
        self._patience = patience
        self._start = start
        self._idle = idle
        self._running: dict[Key, Workspace] = {}
        self._starting: dict[Key, asyncio.Task[Workspace]] = {}
        self._health: dict[Key, ServerHealth] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._sweeper: asyncio.Task[None] | None = None

    async def ask(self, installed: InstalledServer, question: Callable[[Workspace], Awaitable[T]]) -> T:
        """Ask the server; if it dies, restart it and ask once more."""
        try:
            return await self._noted(installed, question)
        except ServerEnded:
            return await self._noted(installed, question)

    async def _noted(self, installed: InstalledServer, question: Callable[[Workspace], Awaitable[T]]) -> T:
        health = self._health.setdefault(installed.key, ServerHealth(installed.server.name))
        health.check()
        try:
            return await self._ask(installed, question)
        except ServerEnded:
            health.note_crash()
            raise

    async def _ask(self, installed: InstalledServer, question: Callable[[Workspace], Awaitable[T]]) -> T:
        workspace = await self._workspace(installed)
        workspace.busy += 1
        try:
            return await question(workspace)
        except ServerSilent as trouble:
            await self._give_up(installed.key, workspace, trouble)
            raise
        except ServerEnded:
            if workspace.silent is None:
                raise
            raise workspace.silent from None  # ended by us, while this question waited for it too
        finally:
            workspace.busy -= 1
            workspace.used = time.monotonic()

    async def _give_up(self, key: Key, workspace: Workspace, trouble: ServerSilent) -> None:
        """Give up on a server once, however many requests are open."""
        if workspace.silent is None:
            workspace.silent = trouble
            self._health[key].note_silence(trouble)
            if self._running.get(key) is workspace:
                del self._running[key]
            await self._end(workspace.client.kill())

    def running(self) -> list[Workspace]:
        return [workspace for workspace in self._running.values() if workspace.client.alive]

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        for task in self._starting.values():
            task.cancel()
        await asyncio.gather(*self._starting.values(), return_exceptions=True)
        await asyncio.gather(*(self._drop(key) for key in list(self._running)))
        await asyncio.gather(*self._ending)

    async def _workspace(self, installed: InstalledServer) -> Workspace:
        """Return the workspace; concurrent callers share one start, which continues if one of them gives up."""
        workspace = self._running.get(installed.key)
        if workspace is not None and workspace.client.alive:
            return workspace
        task = self._starting.get(installed.key)
        if task is None:
            task = self._starting[installed.key] = asyncio.create_task(self._open(installed))
            task.add_done_callback(lambda done: self._started(installed.key, done))
        return await asyncio.shield(task)

    async def _open(self, installed: InstalledServer) -> Workspace:
        await self._drop(installed.key)
        try:
            workspace = await Workspace.open(installed, self._top, patience=self._patience, start=self._start)
        except (ServerSilent, ServerSlow) as trouble:
            self._health[installed.key].note_no_start(trouble)
            raise
        self._running[installed.key] = workspace
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep())
        return workspace

    def _started(self, key: Key, done: asyncio.Task[Workspace]) -> None:
        del self._starting[key]
        if not done.cancelled():
            done.exception()  # all who asked may have given up

    async def _drop(self, key: Key) -> None:
        workspace = self._running.pop(key, None)
        if workspace is not None:
            await self._end(workspace.client.close())

    async def _end(self, ending: Coroutine[Any, Any, None]) -> None:
        """Finish ending a server, even if the caller is canceled."""
        task = asyncio.create_task(ending)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        await asyncio.shield(task)

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(60.0, self._idle / 2))
            limit = time.monotonic() - self._idle
            for key, workspace in list(self._running.items()):
                if not workspace.busy and workspace.used < limit:
                    await self._drop(key)
