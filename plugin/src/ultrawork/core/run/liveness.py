"""
Decide from several signs whether an agent still makes progress.

Any sign is enough: output, a growing transcript, CPU use. An agent hangs only if all are missing for long. One that
repeats the same step with the same result is stuck. Both are reported first, and end the agent only after the same
time again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..tool_repeats import find_round

HUNG = "hung"
LOOPING = "looping"
QUIET = "quiet"
REPEATING = "repeating"
ENDING = (HUNG, LOOPING)
PATIENCE = 900.0
# Waiting costs a little CPU too. Work takes more of a core than this.
BUSY_SHARE = 0.05
# Observations are seconds apart. After a longer pause we were stopped ourselves, and our knowledge is outdated.
BLIND = 60.0


@dataclass(slots=True)
class AgentSample:
    """One observation. `calls` are the newest steps, distinguished by their whole input and result."""

    output_bytes: int = 0
    cpu_seconds: float = 0.0
    transcript_bytes: int = 0
    calls: Sequence[str] = ()


class AgentLiveness:
    """The signs of one agent over time."""

    def __init__(self, now: float) -> None:
        self._last = AgentSample()
        self._looked_at = now
        self.alive_at = now

    def feel(self, sign: AgentSample, now: float) -> None:
        since = now - self._looked_at
        if since > BLIND or _moved(self._last, sign, since):
            self.alive_at = now
        self._last, self._looked_at = sign, now

    def judged(self, now: float, patience: float = PATIENCE) -> str:
        """Return one of `ENDING`, or a warning of it; empty while all is well."""
        if find_round(self._last.calls, 2):
            return LOOPING
        still = now - self.alive_at
        if still >= patience:
            return HUNG
        if find_round(self._last.calls):
            return REPEATING
        return QUIET if still >= patience / 2 else ""


def _moved(before: AgentSample, after: AgentSample, seconds: float) -> bool:
    if after.output_bytes != before.output_bytes:
        return True
    if after.transcript_bytes != before.transcript_bytes:
        return True
    return after.cpu_seconds - before.cpu_seconds > BUSY_SHARE * seconds
