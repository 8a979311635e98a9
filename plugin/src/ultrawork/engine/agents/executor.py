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
# Every way in which an attempt can end.
WAYS = (ENDED, DEADLINE, CANCELLED, ORPHANED, CRASHED, HANDED_BACK, FLOODED, NO_ROOM)


class Executor:
    """Runs attempts somewhere. `wake` may be called from any thread, more than once; it only means that there may be
    news."""

    @classmethod
    def require_ready(cls, settings: Settings) -> None:
        """Raise, before anything starts, if this executor cannot run."""

    @classmethod
    def list_leaving(cls, place: str, environ: Mapping[str, str]) -> list[str]:  # noqa: ARG003 (for those that send)
        """Return uncommitted files that would leave this machine with a run that starts now."""
        return []

    @classmethod
    def open(
        cls, session_folder: str, environ: Mapping[str, str], settings: Settings, say: Callable[[str], None]
    ) -> Self:
        """Open the executor; `say` prints a line for the waiting user."""
        raise NotImplementedError

    def start(self, attempt: Attempt, command: AgentCommand, wake: Callable[[], None]) -> None:
        """Start the command once, however often this is called. Raise Conflict while another attempt of its subject
        runs."""
        raise NotImplementedError

    def attach(self, attempt: Attempt, wake: Callable[[], None]) -> bool:
        """Return whether there is or will be a result to wait for; call `wake` if it has already ended."""
        raise NotImplementedError

    def cancel(self, attempt: Attempt) -> None:
        """Request the end of an attempt and everything it started; the report says `cancelled` when it is over."""
        raise NotImplementedError

    def describe(self, attempt: Attempt) -> AttemptReport:
        raise NotImplementedError

    def open_journal(self, run: Any) -> RunJournal:  # noqa: ARG002 (for those that need one)
        """Return the journal that other machines need of a HeadlessRun; local runs need none."""
        return RunJournal()

    def forget(self) -> None:
        """Remove all traces of the run elsewhere, after its results arrived."""

    def close(self) -> None:
        """Disconnect from running attempts; they continue."""
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
    executor: type[Executor] = getattr(import_module(module), member)
    return executor
