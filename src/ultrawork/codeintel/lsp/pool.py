"""The servers that are running: one for each program and project; idle ones stop, dead ones return."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from ...core.errors import Trouble
from .client import PATIENCE
from .protocol import ServerEnded, ServerSilent
from .servers import InstalledServer
from .workspace import Workspace

T = TypeVar("T")

IDLE_SECONDS = 300.0
CRASHES = 3
CRASH_SECONDS = 60.0


class Pool:
    def __init__(self, top: str, *, idle: float = IDLE_SECONDS, patience: float = PATIENCE) -> None:
        self._top = top
        self._patience = patience
        self._idle = idle
        self._running: dict[tuple[str, str], Workspace] = {}
        self._starting: dict[tuple[str, str], asyncio.Lock] = {}
        self._crashes: dict[tuple[str, str], deque[float]] = {}
        self._ending: set[asyncio.Task[None]] = set()
        self._sweeper: asyncio.Task[None] | None = None

    async def ask(
        self, installed: InstalledServer, question: Callable[[Workspace], Awaitable[T]]
    ) -> T:
        """Puts a question to the server; one that dies of it is started again and asked once more."""
        try:
            return await self._noted(installed, question)
        except ServerEnded:
            return await self._noted(installed, question)

    async def _noted(
        self, installed: InstalledServer, question: Callable[[Workspace], Awaitable[T]]
    ) -> T:
        crashes = self._crashes.setdefault(installed.key, deque(maxlen=CRASHES))
        if len(crashes) == CRASHES and time.monotonic() - crashes[0] < CRASH_SECONDS:
            name = installed.server.name
            raise Trouble(f"{name} ended {CRASHES} times within a minute; it is left alone for now")
        try:
            return await self._ask(installed, question)
        except ServerEnded:
            crashes.append(time.monotonic())
            raise

    async def _ask(
        self, installed: InstalledServer, question: Callable[[Workspace], Awaitable[T]]
    ) -> T:
        workspace = await self._workspace(installed)
        workspace.busy += 1
        try:
            return await question(workspace)
        except ServerSilent:
            self._running.pop(installed.key, None)
            await self._end(workspace.client.kill())
            raise
        finally:
            workspace.busy -= 1
            workspace.used = time.monotonic()

    def running(self) -> list[Workspace]:
        return [workspace for workspace in self._running.values() if workspace.client.alive]

    async def close(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        await asyncio.gather(*(self._drop(key) for key in list(self._running)))
        await asyncio.gather(*self._ending)

    async def _workspace(self, installed: InstalledServer) -> Workspace:
        async with self._starting.setdefault(installed.key, asyncio.Lock()):
            workspace = self._running.get(installed.key)
            if workspace is not None and workspace.client.alive:
                return workspace
            if workspace is not None:
                await self._drop(installed.key)
            workspace = self._running[installed.key] = await Workspace.open(
                installed, self._top, patience=self._patience
            )
        if self._sweeper is None:
            self._sweeper = asyncio.create_task(self._sweep())
        return workspace

    async def _drop(self, key: tuple[str, str]) -> None:
        workspace = self._running.pop(key, None)
        if workspace is not None:
            await self._end(workspace.client.close())

    async def _end(self, ending: Coroutine[Any, Any, None]) -> None:
        """An ending that was begun is finished, even when whoever began it is cancelled."""
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
