"""A finding: one thing about a change that a user or an agent should know."""

from collections.abc import Sequence
from typing import Any

from ..value import Value, list_fields
from ..wording import name_some
from .gate_run import quote_name

STRONG = "strong"
WEAK = "weak"
NOTE = "note"
LEVELS = (STRONG, WEAK, NOTE)
NOTHING_TO_DO = "nothing to do"

_TURN_WORDS = ", or end with"


def drop_turn_words(step: str) -> str:
    """Return a next step for people, who have no turn to end with BLOCKED."""
    return step.partition(_TURN_WORDS)[0]


class Finding(Value):
    """A `strong` finding is a failure, a `weak` one is sent back once and then reported, a `note` is reported. `doubt`
    marks a note about something that could not be decided: it is not sent back, and there is no PASS."""

    rule: str
    level: str
    what: str
    clears: str = NOTHING_TO_DO
    gate: str | None = None
    where: str = ""
    receipt: int | None = None
    doubt: bool = False

    @property
    def is_open(self) -> bool:
        """Return whether it keeps these files from a PASS."""
        return self.level != NOTE or self.doubt

    def as_note(self) -> "Finding":
        """Return the same as a note, for a check that does not decide."""
        place = {"gate": self.gate, "where": self.where, "receipt": self.receipt}
        return Finding(self.rule, NOTE, self.what, **place)  # type: ignore[arg-type]

    def document(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in list_fields(Finding) if name != "doubt"}


def render_names(names: Sequence[str]) -> str:
    """Return `: a, b and 3 more`."""
    return f": {name_some([quote_name(name) for name in names])}" if names else ""
