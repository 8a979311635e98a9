"""A remote that refuses: what it said, whether that may pass by itself, how long it is retried.

The waiting user is told at once, and `status` shows it until the remote accepts again. An unreachable remote is
different: it returns by itself, and a short outage is not reported."""

import time
from collections.abc import Callable
from threading import Lock

from ..core.errors import NotFound, Trouble
from ..core.times import format_duration
from ..core.wording import cut, join_lines
from ..engine.agents.executor import say_nothing
from ..store import markers
from ..store.paths import Home

FIRM = 20.0  # seconds that one is asked again which will not change its mind by itself
_SILENT = 10.0  # seconds that one may be unreachable before it is reported
_SHOWN = 160
# Git's own words if a ref is not what was expected.
_STALE = ("stale info", "already exists", "fetch first", "non-fast-forward")
_BESIDE = "atomic"  # of a ref that would have moved, but for another one
_RULES = (
    "hook declined", "push declined", "protected", "prohibited", "deny updating", "not allowed",
    "insufficient permission",
)  # fmt: skip
_BARRED = (
    "authentication failed", "could not read username", "could not read password", "permission denied (",
    "error: 401", "error: 403", "host key verification failed", "marked as read only", "write access",
)  # fmt: skip
_GONE = "couldn't find remote ref"
# Git's own words for data that is as bad the next time, and for data that only ended too early.
_DAMAGED = (
    "repository corruption", "did not send all necessary objects", "inflate returned", "pack is corrupted",
    "bad object", "pack signature mismatch", "failed to apply delta", "unresolved deltas", "unknown object type",
)  # fmt: skip
_CUT_OFF = ("disconnect", "early eof", "hung up")
_NO_RULE = "allow refs below refs/ultrawork/ there"
_NO_KEY = "configure a token or a key that can push there"
_WHEN_BACK = "resume when the remote is available again"


class RemoteTrouble(Trouble):
    """The remote could not be reached, or failed; it may work later."""


class RefGone(NotFound):
    """The remote has no such ref, or damaged data of it: waiting does not help."""


class RemoteRefusal(RemoteTrouble):
    """The remote refuses; `cure` is what a user can do if it will not pass by itself."""

    def __init__(self, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.cure = cure


def is_stale(report: str) -> bool:
    """Whether something else was there than expected, by git's own report of a push: a hook may print anything."""
    return any(how == "[rejected]" and why in _STALE for how, why in _read_report(report))


def read_trouble(doing: str, report: str, printed: str) -> RemoteTrouble | RefGone:
    """Return what git could not do, from its report of each ref and its output."""
    lines = [line for line in printed.splitlines() if _GONE in line]
    if lines:
        return RefGone(f"{doing} failed: it has no {lines[0].rpartition(' ')[2]}")
    said = printed.lower()
    if not report and any(word in said for word in _DAMAGED) and not any(word in said for word in _CUT_OFF):
        return RefGone(f"{doing} failed: the data is damaged: {_show(_pick_line(printed))}; run git fsck there")
    refused = [(how, why) for how, why in _read_report(report) if _BESIDE not in why]
    if refused and refused[0][0] != "[remote failure]":
        why = refused[0][1]
        show = _show(f"{why}: {_pick_remote(printed)}".removesuffix(": "))
        rule = any(word in f"{why} {printed}".lower() for word in _RULES)
        return RemoteRefusal(f"{doing} was rejected: {show}", _NO_RULE if rule else "")
    barred = [line for line in printed.splitlines() if any(word in line.lower() for word in _BARRED)]
    if barred:
        return RemoteRefusal(f"{doing} was rejected: {_show(_pick_remote(printed) or barred[0])}", _NO_KEY)
    return RemoteTrouble(f"{doing} failed: {_show(_pick_line(printed))}")


def _read_report(report: str) -> list[tuple[str, str]]:
    """Return of each ref that did not move: `[remote rejected]` or the like, and why."""
    refusals = []
    for line in report.splitlines():
        flag, _, rest = line.partition("\t")
        summary = rest.partition("\t")[2]
        if flag == "!" and summary.startswith("["):
            how, _, why = summary.partition(" (")
            refusals.append((how, why.removesuffix(")")))
    return refusals


def _pick_remote(printed: str) -> str:
    lines = [line.removeprefix("remote:").strip() for line in printed.splitlines() if line.startswith("remote:")]
    return next((line for line in lines if line), "")


def _pick_line(printed: str) -> str:
    lines = printed.strip().splitlines()
    wanted = [line for line in lines if line.startswith(("fatal:", "error:", "remote:"))]
    return ([*wanted, *lines] or ["no reason given"])[0]


def _show(line: str) -> str:
    return cut(join_lines(line.removeprefix("remote:")), _SHOWN)


def describe_end(error: Exception) -> str:
    """Describe it for the user who finds the run stopped, with how to continue."""
    return f"{error}; {_find_cure(error) or _WHEN_BACK}"


def _find_cure(error: Exception) -> str:
    return error.cure if isinstance(error, RemoteRefusal) else ""


class RefusalBoard:
    """What is currently refused, by operation; each sentence is shown once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: dict[str, tuple[str, str]] = {}
        self._home: Home | None = None
        self._session = ""
        self._tell: Callable[[str], None] = say_nothing

    def show(self, home: Home, session: str, tell: Callable[[str], None]) -> None:
        """Start reporting; what an earlier engine was refused is forgotten."""
        self._home, self._session, self._tell = home, session, tell
        self._write()

    def put(self, who: str, sentence: str, then: str) -> None:
        with self._lock:
            is_new = sentence not in (line for line, _ in self._held.values())
            if self._held.get(who) != (sentence, then):
                self._held[who] = (sentence, then)
                self._write()
        if is_new:
            self._tell(f"{sentence}; {then}")

    def take_away(self, who: str) -> None:
        with self._lock:
            if self._held.pop(who, None) is not None:
                self._write()

    def _write(self) -> None:
        if self._home is None:
            return
        first = next(iter(self._held.values()), None)
        if first is None:
            markers.remove(self._home, markers.REMOTE, self._session)
        else:
            markers.put(self._home, markers.REMOTE, self._session, {"line": "; ".join(first)})


class RemotePatience:
    def __init__(self, board: RefusalBoard, who: str, longest: float, firm: float = FIRM) -> None:
        self._board = board
        self._who = who
        self._longest = longest
        self._firm = firm
        self._began = time.monotonic()
        self._firm_end = 0.0

    def is_over(self, error: Exception) -> bool:
        """Return whether to give up; else report what happens next, if useful."""
        now, end = time.monotonic(), self._began + self._longest
        cure = _find_cure(error)
        self._firm_end = (self._firm_end or now + self._firm) if cure else 0.0
        if now >= min(end, self._firm_end or end):
            self._board.put(self._who, str(error), f"{cure}, then resume" if cure else _WHEN_BACK)
            return True
        if cure:
            wait = format_duration(self._firm)
            self._board.put(self._who, str(error), f"retrying for {wait}, then the run stops")
        elif isinstance(error, RemoteRefusal) or now - self._began >= _SILENT:
            clock = time.strftime("%H:%M", time.localtime(time.time() + end - now))
            self._board.put(self._who, str(error), f"retrying until {clock}")
        return False

    def end(self) -> None:
        self._board.take_away(self._who)
