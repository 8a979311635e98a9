"""A project as one language server sees it: the connection, the documents, the files around them."""

import asyncio
import time

from ...core.errors import UltraworkError
from ..files import mentioning
from ..leash import environment, venv_of
from . import opening
from .client import PATIENCE, Client
from .documents import Documents
from .faults import Refused
from .positions import UTF16
from .servers import language_id
from .watch import Watch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from .documents import Document
    from .servers import Found

    T = TypeVar("T")

START_SECONDS = 60.0
SETTLE_SECONDS = 15.0
_YOUNG_SECONDS = 4.0
_MOST_SHOWN = 60
_SHOW_SECONDS = 5.0
_ASK_AGAIN = (-32801, -32802)  # content modified, cancelled by the server


class Workspace:
    def __init__(self, found: "Found", top: str, client: Client) -> None:
        self.found = found
        self.top = top
        self.client = client
        self.documents = Documents(client.notify, language_id)
        self.used = self._opened = time.monotonic()
        self.busy = 0
        self.listed: dict[tuple[object, ...], tuple[str, list[dict[str, Any]]]] = {}
        language = found.language
        self._watch = Watch(found.folder, tuple(language.ids), language.markers)

    @classmethod
    async def open(cls, found: "Found", top: str, *, patience: float = PATIENCE) -> "Workspace":
        venv = venv_of(found.folder, top)
        client = await Client.start(
            found.server.name,
            found.argv,
            folder=found.folder,
            environment=environment(venv=venv),
        )
        client.patience = patience
        workspace = cls(found, top, client)
        try:
            await workspace._greet()
        except BaseException:
            await client.kill()
            raise
        return workspace

    async def _greet(self) -> None:
        self.client.settings = opening.settings(self.found.folder, self.top)
        answer = await self.client.request(
            "initialize", opening.parameters(self.found.folder), seconds=START_SECONDS
        )
        self.client.capabilities = (answer or {}).get("capabilities") or {}
        encoding = self.client.capabilities.get("positionEncoding")
        self.documents.encoding = encoding or UTF16
        self.client.notify("initialized", {})
        self.client.notify("workspace/didChangeConfiguration", {"settings": self.client.settings})
        self._watch.changes()

    def refresh(self) -> None:
        """Tells the server what changed on disk since it was last asked."""
        changes = self._watch.changes()
        if changes:
            self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
            self.documents.told += 1
        self.documents.sync_all()

    def document(self, path: str) -> "Document":
        self.refresh()
        return self.documents.sync(path)

    async def show(self, word: str) -> None:
        """Opens the files that mention a name: what a server has not loaded yet, it cannot find."""
        endings = tuple(self.found.language.ids)
        unread: set[str] = set()
        for path in mentioning(self.found.folder, endings, word, _MOST_SHOWN):
            try:
                unread.add(self.documents.sync(path).uri)
            except UltraworkError:
                continue
        if not self.client.provides("diagnosticProvider"):
            published = self.client.published  # a server that pushes has read what it reports on
            await self.until(lambda: unread <= published.keys() or None, _SHOW_SECONDS)

    async def ask(self, method: str, params: "dict[str, Any]") -> "Any":
        """A question to a server that has finished loading, or has had its time for that."""
        await self.settled()
        while not (answer := await self._asked(method, params)) and self.young:
            await asyncio.sleep(_YOUNG_SECONDS / 10)
            await self.settled()
        return answer

    @property
    def young(self) -> bool:
        """Just started, a server may know nothing yet and say so without a sign of being at work."""
        return time.monotonic() - self._opened < _YOUNG_SECONDS

    async def _asked(self, method: str, params: "dict[str, Any]") -> "Any":
        try:
            return await self.client.request(method, params)
        except Refused as refusal:
            if refusal.number not in _ASK_AGAIN:
                raise
            return await self.client.request(method, params)

    async def settled(self, seconds: float = SETTLE_SECONDS) -> None:
        await self.until(lambda: not self.client.working or None, seconds)

    async def until(self, look: "Callable[[], T | None]", seconds: float) -> "T | None":
        """What `look` gives once it gives something; it looks again whenever the server speaks."""
        end = time.monotonic() + seconds
        while (seen := look()) is None and time.monotonic() < end:
            self.client.check()
            self.client.news.clear()
            try:
                async with asyncio.timeout(end - time.monotonic()):
                    await self.client.news.wait()
            except TimeoutError:
                break
        return seen if seen is not None else look()
