"""What the engine has in hand: one claimed subject, from its claim to the record of its end."""

import os
from mmap import ACCESS_READ, mmap

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

    It has to outlive this process, not a power cut: then no agent is left to take over. All notes of a
    session are lines of one file, as a file of its own may cost more than all else that is written.
    """
    path, key = _note(attempt.folder)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(handle, "ab") as file:
        file.write(key + dumps(attempt.document()).encode("utf-8", "replace"))


def remembered(folder: str) -> Attempt | None:
    """None if it was never started."""
    path, key = _note(folder)
    try:
        with open(path, "rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as notes:
            start = notes.rfind(key)
            text = notes[start + len(key) : _end_of_line(notes, start + len(key))]
        return Attempt.of(loads(text.decode())) if start >= 0 else None
    except (FileNotFoundError, ValueError):  # half a note: its writer was killed before it went on
        return None


def _note(folder: str) -> tuple[str, bytes]:
    """Beside the folder, which is the executor's. A line begins anew even after half a one."""
    path, name = os.path.split(folder)
    return f"{path}/notes", f"\n{name} ".encode("utf-8", "replace")


def _end_of_line(notes: mmap, start: int) -> int:
    end = notes.find(b"\n", start)
    return len(notes) if end < 0 else end


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
