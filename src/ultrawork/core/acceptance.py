"""The person's word about open findings: `ulw accept REASON`."""

from . import verdict as verdicts
from .results import GREEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def accept(verdict: "dict[str, Any]", reason: str) -> "dict[str, Any]":
    """Open findings become accepted; the verdict becomes PASS only if every gate is green."""
    still_open = [one for one in verdict["findings"] if one["level"] != "note"]
    gates = verdict["gates"].values()
    green = bool(gates) and all(gate["result"] == GREEN for gate in gates)
    return {
        **verdict,
        "verdict": verdicts.PASS if green and not verdict["not_checked"] else verdicts.UNVERIFIED,
        "findings": [one for one in verdict["findings"] if one["level"] == "note"],
        "accepted": [
            *verdict["accepted"],
            *(f"{one['what']}: accepted by you: {reason}" for one in still_open),
        ],
    }
