"""
Decide the state of a session, run, task, agent or check from stored facts: a word, a detail, and since when.

A wait needs the user only if a question is attached. A result never ages into idle. If no process is known for
something active, its state is unknown since it was last heard from.
"""

from typing import Any

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
UNKNOWN = "unknown"


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
    result can come any more. `contradicted` is what the client reports, if that does not agree with these facts.
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
        return State(LOST, _GONE[driver.kind], facts.heard_at)
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
