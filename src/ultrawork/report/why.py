"""Why something was decided: what, because of what, and what would change it."""

from ..core.times import iso

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..store.decisions import Taken

_ACTIONS = {
    "silent": "let the stop pass and stayed on",
    "quiet-end": "ended without a verdict",
    "later": "let the stop pass and checks in the background",
    "pass": "ended with PASS",
    "refuse": "sent the agent back",
    "nudge": "asked the agent to go on",
    "let-go": "let go with UNVERIFIED",
}


def why(taken: "Taken") -> str:
    when = (iso(taken.at) or "")[11:16]
    lines = [
        f"decided    {when} {_ACTIONS.get(taken.action, taken.action)} ({taken.rule})",
        f"because    {taken.because}",
        f"to change  {taken.clears or 'nothing to do'}",
    ]
    return "\n".join(lines)
