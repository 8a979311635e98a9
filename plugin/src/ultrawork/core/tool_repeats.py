"""An agent that goes in circles: the same call over and over, or a short round of calls."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

IN_A_ROW = 5
ROUNDS = 4
LONGEST_ROUND = 4
FEWEST = min(IN_A_ROW, ROUNDS)  # a call that came less often is in no round


def find_round(calls: "Sequence[str]", factor: int = 1) -> int:
    """Return the length of the cycle that the newest calls repeat: 1 for the same call five times in a row, up to 4
    for a cycle repeated four times, `factor` times that; 0 if they do not repeat."""
    for length in range(1, LONGEST_ROUND + 1):
        times = factor * (IN_A_ROW if length == 1 else ROUNDS)
        newest = calls[-length * times :]
        if len(newest) == length * times and _turns(newest, length):
            return length
    return 0


def _turns(calls: "Sequence[str]", length: int) -> bool:
    return all(calls[place] == calls[place % length] for place in range(len(calls)))
