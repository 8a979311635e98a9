"""One call of a tool: its arguments, its surroundings, and the ways to follow or stop it."""

from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any, TypeVar

    from ..codeintel.lsp.service import Languages
    from .room import Room

    T = TypeVar("T")

BEAT_SECONDS = 5.0


class Call:
    """
    `tell` sends progress to the client; it is None for a client that did not ask for any. `session` is
    the one that called: some clients say it with each call, others once in the environment. `confined`
    means that the agent works in a sandbox, which this server is not in.
    """

    __slots__ = (
        "_beat", "_done", "_give_up", "arguments", "cancelled", "confined", "room", "session", "tell",
        "tool",
    )  # fmt: skip

    def __init__(
        self,
        tool: str,
        arguments: "dict[str, Any]",
        room: "Room",
        tell: "Callable[[float, float | None, str], None] | None" = None,
        *,
        session: str = "",
        confined: bool = False,
    ) -> None:
        self.tool = tool
        self.arguments = arguments
        self.room = room
        self.session = session or room.session
        self.confined = confined
        self.tell = tell
        self.cancelled = False
        self._give_up: Callable[[], object] | None = None
        self._beat = monotonic() + BEAT_SECONDS
        self._done = 0.0

    def __getitem__(self, name: str) -> "Any":
        return self.arguments[name]

    @property
    def languages(self) -> "Languages":
        return self.room.languages(own=not self.confined)

    def cancel(self) -> None:
        """From any thread; what was begun is given up where that is possible."""
        self.cancelled = True
        if self._give_up is not None:
            self._give_up()

    def wait(self, future: "Future[T]") -> "T":
        self._give_up = future.cancel
        if self.cancelled:
            future.cancel()
        while True:
            try:
                return future.result(timeout=BEAT_SECONDS)
            except TimeoutError:
                if future.done():  # it was the work itself that took too long
                    raise
                self._pulse()

    def should_stop(self) -> bool:
        """For work that asks now and then; it also shows the client that we are still at it."""
        if monotonic() >= self._beat:
            self._pulse()
        return self.cancelled

    def progress(self, done: int, wanted: int) -> None:
        if self.tell is not None and done > self._done:
            self._done = done
            self.tell(done, wanted, f"{done} of {wanted}")

    def note(self, text: str) -> None:
        """What is being done now, where no number tells it."""
        self._beat = monotonic() + BEAT_SECONDS
        if self.tell is not None:
            self._done += 0.001  # progress must grow
            self.tell(self._done, None, text)

    def _pulse(self) -> None:
        self.note(f"{self.tool} is at work")
