"""A project as one language server sees it: the connection, the documents, the files around them.

First the initialization (our abilities, the project, its settings), then files that change: servers rely on their
client to report them."""

import asyncio
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ...core.errors import UltraworkError
from ...system.language_servers import InstalledServer, find_language_id
from ..child_process import find_venv, make_environment
from ..files import find_by_word, walk
from .client import PATIENCE, Client
from .documents import UTF16, UTF32, Document, Documents, make_uri
from .protocol import ServerRefused, ServerSilent

T = TypeVar("T")

_MARKUP = ["plaintext", "markdown"]
_SYMBOLS = {"valueSet": list(range(1, 27))}
_ACTION_KINDS = ["", "quickfix", "refactor", "refactor.extract", "refactor.inline"]
_ACTION_KINDS += ["refactor.rewrite", "source", "source.organizeImports", "source.fixAll"]

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": [UTF32, UTF16]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
        "executeCommand": {},
        "symbol": {"symbolKind": _SYMBOLS},
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create", "rename", "delete"]},
    },
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": _ACTION_KINDS}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
        },
        "definition": {"linkSupport": True},
        "diagnostic": {"dynamicRegistration": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True, "symbolKind": _SYMBOLS},
        "hover": {"contentFormat": _MARKUP},
        "publishDiagnostics": {"versionSupport": True, "codeDescriptionSupport": True},
        "references": {},
        "rename": {"prepareSupport": True},
        "synchronization": {"didSave": True},
    },
}


# Without this typescript-language-server answers from a second, typeless server while it loads.
OPTIONS = {"tsserver": {"useSyntaxServer": "never"}}


def make_parameters(folder: str) -> dict[str, Any]:
    uri = make_uri(folder)
    return {
        "processId": os.getpid(),
        "clientInfo": {"name": "ultrawork"},
        "rootUri": uri,
        "rootPath": folder,
        "workspaceFolders": [{"uri": uri, "name": os.path.basename(folder)}],
        "capabilities": CAPABILITIES,
        "initializationOptions": OPTIONS,
    }


# Some servers check nothing by default; their editors send these settings.
CHECKING: dict[str, Any] = {
    "css": {"validate": True},
    "html": {"validate": {"scripts": True, "styles": True}},
    "json": {"validate": {"enable": True}},
    "less": {"validate": True},
    "scss": {"validate": True},
    "yaml": {"validate": True},
}


def make_settings(folder: str, top: str, *, own: bool = True) -> dict[str, Any]:
    """Return what servers request by `workspace/configuration`; Python ones need the interpreter, and start it."""
    venv = find_venv(folder, top) if own else None
    python = {"pythonPath": os.path.join(venv, "bin", "python")} if venv else {}
    plugins = {"jedi": {"environment": python.get("pythonPath")}} if venv else {}
    return {**CHECKING, "python": python, "pylsp": {"plugins": plugins}}


_CREATED, _CHANGED, _DELETED = 1, 2, 3
_SHARE = 20  # looking may take at most a twentieth of the time

Stamps = dict[str, tuple[int, int]]


class FileWatch:
    def __init__(self, folder: str, endings: Sequence[str], names: Sequence[str]) -> None:
        self._folder = folder
        self._endings = tuple(endings)
        self._names = frozenset(names)
        self._seen: Stamps | None = None
        self._rest_until = 0.0

    def changes(self) -> list[dict[str, object]]:
        """Return file events since the last scan; a very large tree is not scanned every time."""
        now = time.monotonic()
        if now < self._rest_until:
            return []
        before, self._seen = self._seen, self._look()
        took = time.monotonic() - now
        self._rest_until = now + took * _SHARE if took > 0.1 else 0.0
        return [] if before is None else list_events(before, self._seen)

    def _look(self) -> Stamps:
        stamps: Stamps = {}
        for path in walk(self._folder):
            if path.endswith(self._endings) or os.path.basename(path) in self._names:
                try:
                    status = os.stat(path)
                except OSError:
                    continue
                stamps[path] = (status.st_mtime_ns, status.st_size)
        return stamps


def list_events(before: Mapping[str, object], after: Mapping[str, object]) -> list[dict[str, object]]:
    kinds = {path: _CREATED for path in after if path not in before}
    kinds |= {path: _DELETED for path in before if path not in after}
    kinds |= {path: _CHANGED for path in after if path in before and after[path] != before[path]}
    return [{"uri": make_uri(path), "type": kind} for path, kind in kinds.items()]


START_SECONDS = 60.0
SETTLE_SECONDS = 15.0
_YOUNG_SECONDS = 4.0
# A server that was slow to start, on a busy machine, is slow to read its files too.
_SLOW_START = 8.0
_MOST_SHOWN = 60
_SHOW_SECONDS = 5.0
_ASK_AGAIN = (-32801, -32802)  # content modified, cancelled by the server


class Workspace:
    def __init__(self, installed: InstalledServer, top: str, client: Client) -> None:
        self.installed = installed
        self.top = top
        self.client = client
        self.documents = Documents(client.notify, find_language_id)
        self.used = self._opened = time.monotonic()
        self._young_seconds = _YOUNG_SECONDS
        self.busy = 0
        self.silent: ServerSilent | None = None
        self.listed: dict[tuple[object, ...], tuple[str, list[dict[str, Any]]]] = {}
        language = installed.language
        self._watch = FileWatch(installed.folder, tuple(language.ids), language.markers)

    @classmethod
    async def open(
        cls, installed: InstalledServer, top: str, *, patience: float = PATIENCE, start: float = START_SECONDS
    ) -> "Workspace":
        venv = find_venv(installed.folder, top) if installed.own else None
        client = await Client.start(
            installed.server.name, installed.argv, folder=installed.folder, environment=make_environment(venv=venv)
        )
        client.patience = patience
        workspace = cls(installed, top, client)
        try:
            await workspace._greet(start)
        except BaseException:
            await client.kill()
            raise
        return workspace

    async def _greet(self, seconds: float) -> None:
        self.client.settings = make_settings(self.installed.folder, self.top, own=self.installed.own)
        answer = await self.client.request("initialize", make_parameters(self.installed.folder), seconds=seconds)
        took = time.monotonic() - self._opened
        self._young_seconds = max(_YOUNG_SECONDS, _SLOW_START * took)
        self.client.capabilities = (answer or {}).get("capabilities") or {}
        encoding = self.client.capabilities.get("positionEncoding")
        self.documents.encoding = encoding or UTF16
        self.client.notify("initialized", {})
        self.client.notify("workspace/didChangeConfiguration", {"settings": self.client.settings})
        self._watch.changes()

    def refresh(self) -> None:
        """Tell the server what changed on disk since the last question."""
        changes = self._watch.changes()
        if changes:
            self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
            self.documents.changes += 1
        self.documents.sync_all()

    def document(self, path: str) -> Document:
        self.refresh()
        return self.documents.sync(path)

    async def show(self, word: str) -> None:
        """Opens the files that mention a name: what a server has not loaded yet, it cannot find."""
        endings = tuple(self.installed.language.ids)
        unread: set[str] = set()
        for path in find_by_word(self.installed.folder, endings, word, _MOST_SHOWN):
            try:
                unread.add(self.documents.sync(path).uri)
            except UltraworkError:
                continue
        if not self.client.provides("diagnosticProvider"):
            published = self.client.published  # a server that pushes has read what it reports on
            await self.wait_for(lambda: unread <= published.keys() or None, _SHOW_SECONDS)

    async def ask(self, method: str, params: dict[str, Any]) -> Any:
        """A question to a server that has finished loading, or has had its time for that."""
        await self.wait_idle()
        while not (answer := await self._request(method, params)) and self.young:
            await asyncio.sleep(_YOUNG_SECONDS / 10)
            await self.wait_idle()
        return answer

    @property
    def young(self) -> bool:
        """Return whether the server just started: it may know nothing yet without showing that it is busy."""
        return time.monotonic() - self._opened < self._young_seconds

    async def _request(self, method: str, params: dict[str, Any]) -> Any:
        try:
            return await self.client.request(method, params)
        except ServerRefused as refusal:
            if refusal.number not in _ASK_AGAIN:
                raise
            return await self.client.request(method, params)

    async def wait_idle(self, seconds: float = SETTLE_SECONDS) -> None:
        await self.wait_for(lambda: not self.client.working or None, seconds)

    async def wait_for(self, check: Callable[[], T | None], seconds: float) -> T | None:
        """Return what `check` returns once it is not None; it is called whenever the server speaks."""
        end = time.monotonic() + seconds
        while (seen := check()) is None and time.monotonic() < end:
            self.client.check()
            self.client.news.clear()
            try:
                async with asyncio.timeout(end - time.monotonic()):
                    await self.client.news.wait()
            except TimeoutError:
                break
        return seen if seen is not None else check()
