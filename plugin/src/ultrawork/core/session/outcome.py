"""
Determine what a session came to: one word and one exit status, the same for every caller.

A check that ran after the end counts for what it shows about the files then. It can lower every session, but raises
only those that the checks alone decide. A planned session also needs its tasks and its verifier.
"""

from typing import Any

from ..errors import EXIT_DONE, EXIT_NOTHING
from ..value import Value
from ..verdict.verdict import read_value
from ..verdict_values import EXITS, FAIL, PASS, UNVERIFIED
from .session import CANCELLED, CHECKOUT, FAILED, FULL, Session

ANSWERED = "ANSWERED"  # a pipeline that only read has ended with what it found
_RANKS = (FAIL, UNVERIFIED, PASS)
_WORDS = {FAILED: FAIL, CANCELLED: UNVERIFIED}


class Outcome(Value):
    """
    `word` is what screens show, `verdict` what it means for PASS; both are empty while nothing is decided.
    `again`: a check after the end has the last word.
    """

    word: str = ""
    verdict: str = ""
    again: bool = False

    @property
    def exit(self) -> int:
        if self.word == ANSWERED:
            return EXIT_DONE
        return EXITS[self.verdict] if self.verdict else EXIT_NOTHING

    def document(self) -> dict[str, Any]:
        return {"ending": self.word or None, "verdict": self.verdict or None}


def judge_ending(session: Session, document: dict[str, Any] | None, *, after_end: bool = False) -> Outcome:
    """`document` is the last verdict of the checks; `after_end` whether it was decided after the session ended."""
    checked = read_value(document) if document is not None else ""
    if session.state.answered:
        return Outcome(ANSWERED, "")
    if session.active or session.kind == CHECKOUT:
        return Outcome(checked, checked)
    ended = _judge_end(session)
    if not ended.word:
        return Outcome(checked, checked)
    if checked and after_end and _counts(session, checked, ended.verdict):
        return Outcome(checked, checked, again=True)
    if ended.verdict == PASS and checked != PASS:
        # Whatever is stored there: no check of ours said so.
        return Outcome(checked or UNVERIFIED, checked or UNVERIFIED)
    return ended


def _judge_end(session: Session) -> Outcome:
    """Return the outcome of an ended session. COMPLETE alone is not enough: sessions imported from an older layout
    have it without a verdict."""
    if session.verdict == PASS:
        return Outcome(PASS, PASS)
    if session.phase in _WORDS:
        return Outcome(session.phase, _WORDS[session.phase])
    if session.kind != FULL and not session.verdict:
        return Outcome()
    value = session.verdict or UNVERIFIED
    return Outcome(value, value)


def _counts(session: Session, checked: str, ended: str) -> bool:
    return session.kind != FULL or _RANKS.index(checked) < _RANKS.index(ended)
