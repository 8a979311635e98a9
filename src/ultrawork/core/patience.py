"""How long a stop may wait for gates, and which of them have to run elsewhere."""

from .times import spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TRIAL = 60.0  # for a gate that nobody has timed yet
TOGETHER = 600.0  # all waiting in the stops of one session
RECENT = 3


class Expected:
    """A gate's usual time; `cut_off`: its last run did not end by itself."""

    __slots__ = ("command", "cut_off", "seconds")

    def __init__(self, command: str, seconds: float | None, *, cut_off: bool = False) -> None:
        self.command = command
        self.seconds = seconds
        self.cut_off = cut_off


def usual(runs: "Iterable[tuple[float, float]]") -> float | None:
    """The longest of the last three runs, given as (when, how long)."""
    return max((seconds for _, seconds in sorted(runs)[-RECENT:]), default=None)


def too_slow(gates: "Sequence[Expected]", *, budget: float, waited: float) -> list[str]:
    """The commands that this stop may not wait for: over its budget, alone or together."""
    slow: list[str] = []
    room = min(budget, TOGETHER - waited)
    for gate in gates:
        seconds = min(TRIAL, budget) if gate.seconds is None else gate.seconds
        if gate.cut_off or room <= 0 or (gate.seconds is not None and seconds > room):
            slow.append(gate.command)
        else:
            room -= seconds
    return slow


def why(gate: Expected) -> str:
    """Why a stop does not wait for a gate, to be put after its name."""
    if gate.cut_off or gate.seconds is None:
        return f"did not end in {TRIAL:.0f} s, longer than a stop may wait"
    return f"takes about {spoken(gate.seconds)}, longer than a stop may wait"
