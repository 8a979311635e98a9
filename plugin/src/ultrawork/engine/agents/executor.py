"""
Where attempts run: an interface of four methods, and a table of its implementations.

An engine may die at any moment, so an executor never forgets what was started. The same attempt, requested by another
engine, is running, ended with its result, or lost.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Self

from ...clients.headless.attempt import AgentCommand, Attempt, AttemptReport
from ...core.errors import UsageError
from ...store.settings import Settings
from ..contract import RunJournal

LOCAL = "local"
EXECUTORS = {
    LOCAL: "ultrawork.engine.agents.local.executor:LocalExecutor",
    "temporal": "ultrawork.cluster.executor:TemporalExecutor",
}

ENDED = "ended"
DEADLINE = "deadline"
CANCELLED = "cancelled"
ORPHANED = "orphaned"
CRASHED = "crashed"
HANDED_BACK = "handed back"  # by a machine that was shut down: not the fault of the task
FLOODED = "flooded"
NO_ROOM = "no room"  # on the disk when it ended: no fault of the task


class Executor:
    """`wake` may be called from any thread, more than once, and says only that it is worth a look."""

    @classmethod
    def require_ready(cls, settings: Settings) -> None:
        """Refuses with a sentence, before anything is begun, what would keep it from running."""

    @classmethod
    def list_leaving(cls, place: str, environ: Mapping[str, str]) -> list[str]:  # noqa: ARG003 (for those that send)
        """Files that are not committed and would leave this machine with a run that begins now."""
        return []

    @classmethod
    def open(
        cls,
        session_folder: str,
        environ: Mapping[str, str],
        settings: Settings,
        say: Callable[[str], None],
    ) -> Self:
        """`say` takes a line for the person who waits."""
        raise NotImplementedError

    def start(self, attempt: Attempt, command: AgentCommand, wake: Callable[[], None]) -> None:
        """Runs the command once, however often it is asked; Conflict while another of its subject runs."""
        raise NotImplementedError

    def attach(self, attempt: Attempt, wake: Callable[[], None]) -> bool:
        """Whether there is, or will be, a result to wait for; `wake` is called if it has ended already."""
        raise NotImplementedError

    def cancel(self, attempt: Attempt) -> None:
        """Asks for its end, with all that it started; the report says `cancelled` when it is over."""
        raise NotImplementedError

    def describe(self, attempt: Attempt) -> AttemptReport:
        raise NotImplementedError

    def open_journal(self, run: Any) -> RunJournal:  # noqa: ARG002 (for those that need one)
        """`run` is a HeadlessRun, which knows us. What is kept of the run for other machines; none is needed where agents run here."""
        from ..contract import RunJournal

        return RunJournal()

    def forget(self) -> None:
        """The run of `open_journal` is over and its results are here: nothing of it stays elsewhere."""

    def close(self) -> None:
        """Lets go of what runs; it goes on by itself."""
        raise NotImplementedError


def say_nothing(_: str) -> None:
    """Ignore a message; for callers without a listener."""


def open_executor(
    name: str,
    session_folder: str,
    environ: Mapping[str, str],
    settings: Settings,
    say: Callable[[str], None] = say_nothing,
) -> Executor:
    return find_executor(name).open(session_folder, environ, settings, say)


def find_executor(name: str) -> type[Executor]:
    if name not in EXECUTORS:
        raise UsageError(f"no executor {name}; known: {', '.join(EXECUTORS)}")
    module, _, member = EXECUTORS[name].partition(":")
    found: type[Executor] = getattr(import_module(module), member)
    return found
