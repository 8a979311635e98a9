"""What was done to the things that a verdict rests on, beside the files: pins, programs, whose word it was."""

from ...core.verdict.finding import NOTE, Finding
from ...store import pins
from ...store.pins import Pin
from ..context import GateContext

BEGIN_ANEW = "begin anew: ulw off, then ulw and what to do"


def find_tampering(context: GateContext, pin: Pin) -> list[Finding]:
    """Only of sessions that somebody began: what `verify` makes for itself is pinned by itself."""
    if pin.around is None:
        return []
    return [*_find_bent_pins(context)]


def _find_bent_pins(context: GateContext) -> list[Finding]:
    if pins.is_chained(context.store.database, context.session.id):
        return []
    what = "what was pinned at the start was changed since; nothing can be compared with it"
    return [Finding("pins-changed", NOTE, what, BEGIN_ANEW, doubt=True)]
