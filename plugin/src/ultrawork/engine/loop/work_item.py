"""One claimed subject, from its claim to the record of its end."""

from dataclasses import dataclass

from ...clients.headless.attempt import LOST, Attempt, AttemptReport
from ...core.plan import task
from ...core.run.subagents import AgentLiveness
from ...store import attempts
from ...store.attempts import AttemptEnd
from ..contract import Settlement

PREPARING = "preparing"
AT_WORK = "running"
SETTLING = "settling"


class WorkItem:
    """`ending`: why we asked for its end, if we did. `warned`: what was reported about it, once each."""

    def __init__(self, subject: str, epoch: int, folder: str, now: float) -> None:
        self.subject = subject
        self.epoch = epoch
        self.folder = folder
        self.phase = PREPARING
        self.attempt: Attempt | None = None
        self.pulse = AgentLiveness(now)
        self.ending = ""
        self.reason = ""
        self.warned: set[str] = set()
        self.tokens = 0
        self.cost_usd: float | None = None
        self.machine = ""
        self.account = ""
        self.noted = self.course

    @property
    def course(self) -> tuple[int, float | None, str, str]:
        return self.tokens, self.cost_usd, self.machine, self.account


@dataclass(slots=True)
class EndedItem:
    """An attempt whose end is to be recorded; `settled` is the conductor's result, if it was asked."""

    work: WorkItem
    end: AttemptEnd
    settled: Settlement | None


def make_end(settled: Settlement, report: AttemptReport) -> AttemptEnd:
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
        machine=report.machine,
        account=report.account,
    )


def make_lost_end(reason: str, report: AttemptReport | None = None) -> AttemptEnd:
    """Return the end of something that was not an attempt: the agent did not cause it."""
    attempt_report = report or AttemptReport(LOST)
    return AttemptEnd(
        task.PENDING,
        reason,
        state=attempts.LOST,
        why=attempt_report.why,
        code=attempt_report.code,
        started_at=attempt_report.started_at or None,
        ended_at=attempt_report.ended_at or None,
        machine=attempt_report.machine,
        account=attempt_report.account,
    )
