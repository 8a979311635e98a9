"""
The state of a session, run, task, agent or check, from stored facts: a word, what it is about, and since when.

A wait is the person's only if a question is attached. An end never turns into idleness. Where no process vouches for
what is active, the state is unknown since it was last heard of.
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
    """The process behind something: `kind` is `client`, `engine`, `agent`, `check`, or empty where none is known."""

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
    `verdict` is PASS, FAIL, UNVERIFIED or empty, `unable` what could not run, `withdrawn` that its person ended it.
    `question` is one that a person has to answer, `waits_for` anything else that has to happen first. `lost` says why
    no result can come any more. `contradicted` is what another witness says that does not agree with these.
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
    word: str
    what: str = ""
    since: float = 0.0

    def document(self) -> dict[str, Any]:
        return {"word": self.word, "what": self.what, "since": format_iso(self.since or None)}

    @property
    def line(self) -> str:
        """`waiting since 14:02: test, about 3 min left`."""
        since = f" since {(format_iso(self.since) or '')[11:16]}" if self.since else ""
        return f"{self.word}{since}{f': {self.what}' if self.what else ''}"


def judge_state(facts: StateFacts) -> State:
    if facts.lost:
        return State(LOST, facts.lost, facts.heard_at)
    return _judge_active(facts) if facts.active else _judge_end(facts)


def _judge_active(facts: StateFacts) -> State:
    driver = facts.driver
    if facts.contradicted:
        return State(UNKNOWN, facts.contradicted, facts.heard_at)
    # A question of ours is kept in the store and outlives the engine that asked it; a client takes its own along.
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
    what = facts.because
    if facts.withdrawn:
        word = ENDED
    elif facts.verdict == PASS:
        word = PROVED if facts.strength == PROVED else PASSING
        what = facts.strength
    elif facts.verdict == UNVERIFIED and facts.unable:
        word, what = COULD_NOT_RUN, facts.unable
    else:
        word = _ENDS.get(facts.verdict, ENDED)
    return State(word, what, facts.ended_at or 0.0)


_ENDS = {FAIL: FAILING, UNVERIFIED: CLAIMED}
_GONE = {
    CLIENT: "its client has ended, and nothing was verified",
    ENGINE: "no engine runs it",
    AGENT: "its process has ended without a result",
    CHECK: "its process has ended without a result",
}
