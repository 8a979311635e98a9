"""A team of workers with several programs that share a swarm's list: what a worker may change, its prompt, what the
end of an attempt means for the task and itself, and when a dead one is restarted."""

from collections.abc import Sequence

from ....core.project.file_rules import is_match
from ....core.value import Value
from ....core.wording import DATA_RULE, wrap_data

# Off limits for every worker, whatever it was allowed.
ALWAYS_DENIED = (".git/**", ".env*", "**/.env*", "**/secrets/**", "**/.ssh/**", "**/node_modules/.cache/**")
MOST_ERRORS = 3
BACK_OFF = (5.0, 10.0, 20.0)
MESSAGE_LIMIT, MESSAGES_LIMIT = 5000, 20_000


class WorkerRights(Value):
    """Globs of what a worker may change; nothing allowed by name means everything. What is denied wins."""

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()

    @property
    def all_denied(self) -> tuple[str, ...]:
        own = [glob for glob in self.denied if glob not in ALWAYS_DENIED]
        return (*ALWAYS_DENIED, *own)

    def find_violation(self, path: str) -> str:
        """Return why this worker may not change a path in the worktree; empty if it may."""
        if path.startswith("/") or ".." in path.split("/"):
            return f"{path} is outside of the worktree"
        denied = next((glob for glob in self.all_denied if is_match(glob, path)), "")
        if denied:
            return f"{path} is denied ({denied})"
        if self.allowed and not any(is_match(glob, path) for glob in self.allowed):
            return f"{path} is not allowed (only {', '.join(self.allowed)})"
        return ""

    def list_violations(self, paths: Sequence[str]) -> list[str]:
        return [violation for path in paths if (violation := self.find_violation(path))]

    def describe(self) -> str:
        """Tell the worker which paths it may change; other changes are rejected."""
        only = f"Change only {', '.join(self.allowed)}. " if self.allowed else ""
        return f"{only}Never change {', '.join(self.all_denied)}: such a result is rejected."


def quote_messages(messages: Sequence[str], nonce: str) -> str:
    """Return messages to this worker, as data; the newest are kept if there are too many."""
    kept: list[str] = []
    left = MESSAGES_LIMIT
    for text in reversed(messages):
        short = text[:MESSAGE_LIMIT]
        if len(short) > left:
            break
        left -= len(short)
        kept.insert(0, short)
    if not kept:
        return ""
    parts = [wrap_data(text, "message to you", nonce) for text in kept]
    return "\n\n".join(["From your team:", DATA_RULE.format(nonce=nonce), *parts])


MERGED = "merged"
RED = "red"
CLASHED = "clashed"
STOPPED = "stopped"
PUT_OFF = "put off"
BROKEN = "broken"


class WorkerEnd(Value):
    """The result of an attempt. `merged`: done. `red`: its work or program failed. `clashed`: others were faster.
    `stopped`: ended on request. `put off`: the provider asks to wait `until` then. `broken`: its program cannot work
    at all."""

    kind: str
    reason: str = ""
    until: float = 0.0

    @property
    def counts_as_try(self) -> bool:
        """Return whether the attempt uses up a try of the task."""
        return self.kind in (RED, CLASHED)


def count_errors(errors: int, end: WorkerEnd) -> int:
    """Return the errors in a row. A merge resets the count; what is no one's fault leaves it."""
    if end.kind == BROKEN:
        return MOST_ERRORS
    if end.kind == RED:
        return errors + 1
    return 0 if end.kind == MERGED else errors


def choose_back_off(deaths: int) -> float | None:
    """Return the seconds until a worker that died is started again; None if it has died too often."""
    return BACK_OFF[deaths - 1] if deaths <= len(BACK_OFF) else None
