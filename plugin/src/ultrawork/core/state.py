"""Decide the state of a session, run, task, agent or check from stored facts: a word, a detail, and since when. A
client's own list of its sessions is a second witness, which may contradict what we know.

A wait needs the user only if a question is attached. A result never ages into idle. If no process is known for
something active, its state is unknown since it was last heard from."""

from collections.abc import Collection
from typing import Any

from .plan.task import BLOCKED, FAILED, PENDING, RESOLVED, SKIPPED, Task
from .times import format_iso
from .value import Value
from .verdict_values import FAIL, PASS, UNVERIFIED

WORKING = "working"
WAITING = "waiting"
NEEDS_YOU = "needs you"
PROVED = "proved"
PASSING = "passing"
CLAIMED = "claimed"
FAILING = "failing"
COULD_NOT_RUN = "could not run"
ENDED = "ended"
LOST = "lost"
STOPPED = "stopped"
UNKNOWN = "unknown"
GONE = (LOST, STOPPED)


CLIENT = "client"
ENGINE = "engine"
AGENT = "agent"
CHECK = "check"


class Driver(Value):
    """The process behind a part. `kind` is `client`, `engine`, `agent`, `check`, or empty if no process is known."""

    kind: str = ""
    pid: int = 0
    started: str = ""
    is_alive: bool = False

    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind or None,
            "pid": self.pid or None,
            "started": self.started or None,
            "alive": self.is_alive,
        }


class StateFacts(Value):
    """
    `verdict` is PASS, FAIL, UNVERIFIED or empty. `unable` names what could not run. `withdrawn`: the user ended it.
    `question` needs an answer of the user, `waits_for` is anything else that must happen first. `lost` says why no
    result can come any more, `stopped` why its engine ended in order. `contradicted` is what the client reports, if that does not agree with these facts.
    """

    active: bool = True
    driver: Driver = Driver()
    heard_at: float = 0.0
    ended_at: float | None = None
    verdict: str = ""
    strength: str = ""
    because: str = ""
    unable: str = ""
    withdrawn: bool = False
    question: str = ""
    asked_at: float = 0.0
    waits_for: str = ""
    waits_since: float = 0.0
    lost: str = ""
    stopped: str = ""
    contradicted: str = ""


class State(Value):
    """What every screen shows. `what` is the detail, `since` the time in seconds."""

    word: str
    what: str = ""
    since: float = 0.0

    def document(self) -> dict[str, Any]:
        return {"word": self.word, "what": self.what, "since": format_iso(self.since or None)}

    @property
    def line(self) -> str:
        """Return `waiting since 14:02: test, about 3 min left`."""
        since = f" since {(format_iso(self.since) or '')[11:16]}" if self.since else ""
        return f"{self.word}{since}{f': {self.what}' if self.what else ''}"


def judge_state(facts: StateFacts) -> State:
    """Return the one state that every screen shows for these facts."""
    if facts.lost:
        return State(LOST, facts.lost, facts.heard_at)
    return _judge_active(facts) if facts.active else _judge_end(facts)


def _judge_active(facts: StateFacts) -> State:
    driver = facts.driver
    if facts.contradicted:
        return State(UNKNOWN, facts.contradicted, facts.heard_at)
    # The store keeps a question of our own, so it outlives the engine that asked. A client's question ends with it.
    is_kept = bool(facts.question) and driver.kind == ENGINE
    if driver.kind and not driver.is_alive and not is_kept:
        return State(STOPPED if facts.stopped else LOST, facts.stopped or _GONE[driver.kind], facts.heard_at)
    if facts.question:
        return State(NEEDS_YOU, facts.question, facts.asked_at)
    if facts.waits_for:
        return State(WAITING, facts.waits_for, facts.waits_since)
    if not facts.driver.kind:
        return State(UNKNOWN, "no process is known for it", facts.heard_at)
    return State(WORKING, since=facts.heard_at)


def _judge_end(facts: StateFacts) -> State:
    detail = facts.because
    if facts.withdrawn:
        word = ENDED
    elif facts.verdict == PASS:
        word = PROVED if facts.strength == PROVED else PASSING
        detail = facts.strength
    elif facts.verdict == UNVERIFIED and facts.unable:
        word, detail = COULD_NOT_RUN, facts.unable
    else:
        word = _ENDS.get(facts.verdict, ENDED)
    return State(word, detail, facts.ended_at or 0.0)


_ENDS = {FAIL: FAILING, UNVERIFIED: CLAIMED}
_GONE = {
    CLIENT: "its client has ended, and nothing was verified",
    ENGINE: "no process runs it",
    AGENT: "its process has ended without a result",
    CHECK: "its process has ended without a result",
}


_RESULTS = {"green": PASS, "red": FAIL, "meant": FAIL}
_CLOSED = (RESOLVED, FAILED, SKIPPED)


def collect_task(
    task: Task,
    *,
    driver: Driver,
    open_tasks: Collection[str] = (),
    session_active: bool = True,
    verdict: str = "",
    strength: str = "",
) -> StateFacts:
    """Collect facts of a task. A resolved task is a claim until its session's checks pass; then it is as strong as
    they are. `driver` is the process of its agent, else of its session."""
    facts = StateFacts(
        active=session_active and task.status not in _CLOSED,
        driver=driver,
        heard_at=task.updated_at,
        ended_at=task.updated_at,
        because=task.reason or "",
    )
    if task.status == RESOLVED:
        facts.verdict = PASS if verdict == PASS else UNVERIFIED
        facts.strength = strength
    elif task.status == FAILED:
        facts.verdict = FAIL
    elif task.status == SKIPPED:
        facts.withdrawn = True
    elif task.status in (PENDING, BLOCKED):
        facts.waits_for, facts.waits_since = _name_wait(task, open_tasks), task.updated_at
    return facts


def _name_wait(task: Task, open_tasks: Collection[str]) -> str:
    needed = [name for name in task.blocked_by if name in open_tasks]
    if needed:
        return f"task{'s' if len(needed) > 1 else ''} {', '.join(needed)}"
    return task.reason or ("a change outside this task" if task.status == BLOCKED else "its turn")


def collect_agent(
    *,
    driver: Driver,
    started_at: float,
    ended_at: float | None,
    heard_at: float,
    status: str = "",
    why: str = "",
    is_lost: bool = False,
    refuted: str = "",
) -> StateFacts:
    """Collect facts of an agent. Its final message is a claim; `refuted` is what a run showed against it."""
    facts = StateFacts(
        active=ended_at is None,
        driver=driver,
        heard_at=heard_at or started_at,
        ended_at=ended_at,
        because=refuted or why,
        lost=(why or "it ended without a result") if is_lost else "",
    )
    if ended_at is None:
        return facts
    if refuted or status == FAILED:
        facts.verdict = FAIL
    elif status in (SKIPPED, PENDING):
        facts.withdrawn = True
    else:
        facts.verdict = UNVERIFIED
    return facts


def collect_check(
    *,
    process: tuple[int, str] | None = None,
    is_there: bool = False,
    began: float = 0.0,
    result: str = "",
    ended_at: float | None = None,
    why: str = "",
) -> StateFacts:
    """Collect facts of a check. `process` runs it now; without one, `result` is from its last receipt. One that never
    ran waits for a change."""
    if process is not None:
        return StateFacts(driver=Driver(CHECK, *process, is_alive=is_there), heard_at=began)
    if not result:
        return StateFacts(waits_for="the next stop", waits_since=began)
    verdict = _RESULTS.get(result, UNVERIFIED)
    unable = "" if result in _RESULTS else why or result
    return StateFacts(active=False, ended_at=ended_at, verdict=verdict, unable=unable, because=why)


BUSY = "busy"
# A list is older than what it describes; whatever we heard shortly before may not be in it yet.
_SLACK = 5.0


class ClientWord(Value):
    """One session in a client's list at a moment. `pid` 0: it was there before and is gone now."""

    at: float
    pid: int = 0
    status: str = ""
    waits_for: str = ""


def find_disagreement(word: ClientWord | None, facts: StateFacts) -> str:
    """
    Return what the client says that does not agree with us; empty if it agrees, or says nothing that counts. A list
    proves nothing about a session that it never had, nor about what we heard after it was made.
    """
    driver = facts.driver
    if word is None or not facts.active or driver.kind != CLIENT:
        return ""
    if facts.heard_at > word.at - _SLACK or facts.asked_at > word.at - _SLACK:
        return ""
    if driver.is_alive and not word.pid:
        return "its client no longer lists it, but the process is there"
    if not driver.is_alive and word.pid and word.pid != driver.pid:
        return f"its client lists it in process {word.pid}"
    if facts.question and word.status == BUSY:
        return f"it asked: {facts.question}; its client says it is busy"
    if word.waits_for and not facts.question:
        return f"its client says it waits for {word.waits_for}"
    return ""
