"""What the engine has in hand: one claimed subject, from its claim to the record of its end."""

import os

from ..core import statuses
from ..core.liveness import Pulse
from ..store import attempts
from ..store.attempts import End
from ..store.fast import dumps, loads
from .attempt import LOST, Attempt, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .terms import Settled

PREPARING = "preparing"
RUNNING = "running"
SETTLING = "settling"


class Work:
    """`ending` is why we have asked for its end, if we have; `late` is told once."""

    __slots__ = (
        "attempt", "ending", "epoch", "folder", "late", "phase", "pulse", "reason", "subject",
    )  # fmt: skip

    def __init__(self, subject: str, epoch: int, folder: str, now: float) -> None:
        self.subject = subject
        self.epoch = epoch
        self.folder = folder
        self.phase = PREPARING
        self.attempt: Attempt | None = None
        self.pulse = Pulse(now)
        self.ending = ""
        self.reason = ""
        self.late = False


class Ended:
    """An attempt whose end is to be written down; `settled` is the conductor's word, if it was asked."""

    __slots__ = ("end", "settled", "work")

    def __init__(self, work: Work, end: End, settled: "Settled | None") -> None:
        self.work = work
        self.end = end
        self.settled = settled


def remember(attempt: Attempt) -> None:
    """
    Leaves a note for whoever has to take over, before the agent is started.

    It has to outlive this process, not a power cut: then no agent is left to take over.
    """
    handle = os.open(_note(attempt.folder), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(handle, "wb", buffering=0) as file:
        file.write(dumps(attempt.document()).encode("utf-8", "replace"))


def remembered(folder: str) -> Attempt | None:
    """None if it was never started."""
    try:
        with open(_note(folder), encoding="utf-8") as file:
            return Attempt.of(loads(file.read()))
    except (FileNotFoundError, ValueError):  # half a note: its writer was killed before it went on
        return None


def _note(folder: str) -> str:
    """Beside the folder, which is the executor's."""
    return f"{folder}.json"


def ended(settled: "Settled", report: Report) -> End:
    return End(
        settled.status,
        settled.reason,
        why=report.why,
        code=report.code,
        evidence=settled.evidence,
        started_at=report.started_at or None,
        ended_at=report.ended_at or None,
        tokens=settled.tokens,
        cost_usd=settled.cost_usd,
        commit=settled.commit,
    )


def given_back(reason: str, report: Report | None = None) -> End:
    """It was no attempt: what ended it was not the agent's doing."""
    found = report or Report(LOST)
    return End(
        statuses.PENDING,
        reason,
        state=attempts.LOST,
        why=found.why,
        code=found.code,
        started_at=found.started_at or None,
        ended_at=found.ended_at or None,
    )
