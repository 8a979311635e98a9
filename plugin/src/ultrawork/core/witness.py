"""A second witness: what a client's own list says about its sessions, and whether that contradicts what we know."""

from .state import CLIENT, StateFacts
from .value import Value

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
