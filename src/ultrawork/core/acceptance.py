"""The person's word about what is open: `ulw accept REASON`. It makes no red gate green."""

from . import verdict as verdicts
from .findings import NOTE
from .results import GREEN, RED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Document = dict[str, Any]


def accept(document: "Document", reason: str) -> "Document":
    """Open findings and doubts become accepted; it is a PASS only if nothing else stands in its way."""
    unchecked = document["not_checked"]
    doubts = {one["what"] for one in document["findings"]} & set(unchecked)
    taken = [one for one in document["findings"] if one["level"] != NOTE or one["what"] in doubts]
    words = [f"{one['what']}: accepted by you: {reason}" for one in taken]
    accepted = {
        **document,
        "verdict": verdicts.PASS,
        "findings": [one for one in document["findings"] if one not in taken],
        "not_checked": [one for one in unchecked if one not in doubts],
        "accepted": [*document["accepted"], *words],
    }
    return accepted if _is_proved(accepted) else {**accepted, "verdict": verdicts.UNVERIFIED}


def _is_proved(document: "Document") -> bool:
    """Whether every gate that decides counts, and nothing but what those need not was left unchecked."""
    before = {one["gate"] for one in document["findings"] if one["rule"] == "red-as-before"}
    gates = document["gates"].items()
    deciding = [(name, gate["result"]) for name, gate in gates if gate.get("required") is not False]
    counted = {GREEN, verdicts.NOT_NEEDED}
    if not all(found in counted or (found == RED and name in before) for name, found in deciding):
        return False
    needed = {name for name, found in deciding if found != verdicts.NOT_NEEDED}
    excused = tuple(f"{name}: " for name, _ in gates if name not in needed)
    unchecked = [one for one in document["not_checked"] if not one.startswith(excused)]
    return not unchecked and verdicts.read(document) == verdicts.PASS
