"""
Whether an agent still gets anywhere, from several signs at once.

Any of them is enough to live: words on its output, a transcript that grows, a processor that works. Only
when all are missing for long is it hung; and one that makes the same call over and over is not at work.
"""

from ..tool_repeats import find_round

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HUNG = "hung"
LOOPING = "looping"
PATIENCE = 900.0
# Waiting costs a little, too: an event loop turns. Work takes more of a core than this.
BUSY_SHARE = 0.05


class AgentSample:
    """What is seen at one look; `calls` are the newest tool calls, told apart by their text."""

    __slots__ = ("calls", "cpu_seconds", "output_bytes", "transcript_bytes")

    def __init__(
        self,
        output_bytes: int = 0,
        cpu_seconds: float = 0.0,
        transcript_bytes: int = 0,
        calls: "Sequence[str]" = (),
    ) -> None:
        self.output_bytes = output_bytes
        self.cpu_seconds = cpu_seconds
        self.transcript_bytes = transcript_bytes
        self.calls = calls


class AgentLiveness:
    """The signs of one agent over time."""

    __slots__ = ("_last", "_looked_at", "alive_at")

    def __init__(self, now: float) -> None:
        self._last = AgentSample()
        self._looked_at = now
        self.alive_at = now

    def feel(self, sign: AgentSample, now: float) -> None:
        if _moved(self._last, sign, now - self._looked_at):
            self.alive_at = now
        self._last, self._looked_at = sign, now

    def judged(self, now: float, patience: float = PATIENCE) -> str:
        if find_round(self._last.calls):
            return LOOPING
        return HUNG if now - self.alive_at >= patience else ""


def _moved(before: AgentSample, after: AgentSample, seconds: float) -> bool:
    if after.output_bytes != before.output_bytes:
        return True
    if after.transcript_bytes != before.transcript_bytes:
        return True
    return after.cpu_seconds - before.cpu_seconds > BUSY_SHARE * seconds
