"""The face of the language servers for callers without a loop: one thread runs them all."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from ...system import language_servers as servers
from . import directory_diagnostics, edits, questions
from .client import PATIENCE
from .directory_diagnostics import Progress
from .pool import IDLE_SECONDS, Pool
from .questions import FilePosition
from .workspace import START_SECONDS, Workspace

T = TypeVar("T")


class Languages:
    """Every question returns a future, so that callers may also give up."""

    def __init__(
        self,
        top: str,
        *,
        own: bool = True,
        cure: str = "",
        idle: float = IDLE_SECONDS,
        patience: float = PATIENCE,
        start: float = START_SECONDS,
    ) -> None:
        self.top = top
        self._own = own
        self._cure = cure
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="lsp", daemon=True)
        self._thread.start()
        self._pool = Pool(top, idle=idle, patience=patience, start=start)

    def hover(self, place: FilePosition) -> Future[str]:
        return self._about(place.path, lambda workspace: questions.hover(workspace, place))

    def definition(self, place: FilePosition) -> Future[str]:
        return self._about(place.path, lambda workspace: questions.find_definition(workspace, place))

    def references(self, place: FilePosition, *, declaration: bool = True) -> Future[str]:
        return self._about(
            place.path, lambda workspace: questions.find_references(workspace, place, declaration=declaration)
        )

    def document_symbols(self, path: str) -> Future[str]:
        return self._about(path, lambda workspace: questions.list_document_symbols(workspace, path))

    def workspace_symbols(self, query: str, path: str) -> Future[str]:
        return self._about(path, lambda space: questions.find_workspace_symbols(space, query, path))

    def diagnostics(self, path: str, severity: str | None = None) -> Future[list[str]]:
        return self._about(path, lambda workspace: questions.list_problems(workspace, path, severity))

    def directory(self, folder: str, strategy: str, progress: Progress) -> Future[str]:
        scope = directory_diagnostics.FolderScope(folder, self.top, own=self._own, cure=self._cure)
        return self._run(directory_diagnostics.list_problems(self._pool, scope, strategy, progress))

    def prepare_rename(self, place: FilePosition) -> Future[str]:
        return self._about(place.path, lambda workspace: questions.prepare_rename(workspace, place))

    def rename(self, place: FilePosition, name: str, *, apply: bool = False) -> Future[str]:
        return self._about(place.path, lambda workspace: edits.rename(workspace, place, name, apply=apply))

    def code_actions(self, start: FilePosition, end: FilePosition) -> Future[str]:
        return self._about(start.path, lambda space: edits.list_actions(space, start, end))

    def resolve_action(
        self, start: FilePosition, end: FilePosition, number: int, *, apply: bool = False
    ) -> Future[str]:
        return self._about(start.path, lambda space: edits.resolve_action(space, start, end, number, apply=apply))

    def known_servers(self) -> str:
        """Return one line per language: what is installed or running, else how to get it."""
        running = {workspace.installed.server.name for workspace in self._pool.running()}
        return "\n".join(self._line(language, running) for language in servers.list_languages())

    def _line(self, language: servers.Language, running: set[str]) -> str:
        for server in language.servers:
            if server.name in running:
                return f"{language.name}: {server.name} (running)"
            program = servers.find_installed(server, self.top, own=self._own)
            if program:
                return f"{language.name}: {server.name} (installed: {program})"
        return f"{language.name}: none; install with {language.servers[0].install}"

    def close(self) -> None:
        self._run(self._pool.close()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _about(self, path: str, question: Callable[[Workspace], Awaitable[T]]) -> Future[T]:
        installed_server = servers.find(path, self.top, own=self._own, cure=self._cure)
        return self._run(self._pool.ask(installed_server, question))

    def _run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)
