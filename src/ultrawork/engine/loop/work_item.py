"""What the engine has in hand: one claimed subject, from its claim to the record of its end."""

import os
from mmap import ACCESS_READ, mmap

from ...core.plan import statuses
from ...core.run.liveness import AgentLiveness
from ...store import attempts
from ...store.attempts import AttemptEnd
from ...store.codec import dumps, loads
from ..agents.attempt import LOST, Attempt, AttemptReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..contract import Settlement

PREPARING = "preparing"
AT_WORK = "running"
SETTLING = "settling"


class WorkItem:
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
        self.pulse = AgentLiveness(now)
        self.ending = ""
        self.reason = ""
        self.late = False


class EndedItem:
    """An attempt whose end is to be written down; `settled` is the conductor's word, if it was asked."""

    __slots__ = ("end", "settled", "work")

    def __init__(self, work: WorkItem, end: AttemptEnd, settled: "Settlement | None") -> None:
        self.work = work
        self.end = end
        self.settled = settled


def write_note(attempt: Attempt) -> None:
    """
    Leaves a note for whoever has to take over, before the agent is started.

    It has to outlive this process, not a power cut: then no agent is left to take over. All notes of a
    session are lines of one file, as a file of its own may cost more than all else that is written.
    """
    path, key = _note(attempt.folder)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(handle, "ab") as file:
        file.write(key + dumps(attempt.document()).encode("utf-8", "replace"))


def read_note(folder: str) -> Attempt | None:
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


def make_end(settled: "Settlement", report: AttemptReport) -> AttemptEnd:
    return AttemptEnd(
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


def make_lost_end(reason: str, report: AttemptReport | None = None) -> AttemptEnd:
    """It was no attempt: what ended it was not the agent's doing."""
    found = report or AttemptReport(LOST)
    return AttemptEnd(
        statuses.PENDING,
        reason,
        state=attempts.LOST,
        why=found.why,
        code=found.code,
        started_at=found.started_at or None,
        ended_at=found.ended_at or None,
    )
