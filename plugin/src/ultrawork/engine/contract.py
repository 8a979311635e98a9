"""The interface between a scheduler and its conductor."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from errno import EDQUOT, EIO, ENOSPC, EROFS, ESTALE

from ..clients.headless.attempt import AgentCommand, Attempt, AttemptReport
from ..core.errors import Trouble, UltraworkError, Unwritable
from ..core.plan.task import Task
from ..core.run.prices import Amount
from ..core.run.rate_limits import Rate
from ..core.run.subagents import PATIENCE
from ..store.database import Database

DONE = "done"
CANCELLED = "cancelled"
INTERRUPTED = "interrupted"
BUDGET = "budget"
DEADLINE = "deadline"
PAUSED = "paused"
RETURNED = "returned"  # a missing folder is back, so new work may continue


class CalledOff(UltraworkError):  # noqa: N818 (not an error)
    """The current work is no longer wanted. It does not count as an attempt."""


class RunHalted(Trouble):
    """The run cannot continue for now. Nothing was lost, and a resume continues it."""


# Errors that affect all work of a run: no space, no permission to write, a disk that fails or is gone.
_EVERYWHERE = (ENOSPC, EDQUOT, EROFS, EIO, ESTALE)


def is_everywhere(error: BaseException) -> bool:
    """Return whether an error affects the whole machine instead of one result."""
    causes = (error, error.__cause__, error.__context__)
    return isinstance(error, Unwritable | RunHalted) or any(
        isinstance(cause, OSError) and cause.errno in _EVERYWHERE for cause in causes
    )


def may_pass(error: BaseException | None) -> bool:
    """Return whether a disk caused the error, which may have recovered by now."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _EVERYWHERE:
            return True
        error = error.__cause__
    return False


def describe_trouble(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'a file'}: {error.strerror or error}"
    return str(error)


@dataclass(slots=True)
class RunOrders:
    """
    What the user wants from a run. The loop and signal handlers set it; long operations on any thread call
    `check`, which raises if they must end now. `why` says who wanted the end.
    """

    cancelled: bool = False
    finishing: bool = False
    leaving: bool = False
    paused: bool = False
    why: str = "you asked it to"

    @property
    def is_ending(self) -> bool:
        """Return whether nothing new may start; running work may finish."""
        return self.cancelled or self.finishing or self.leaving

    def check(self) -> None:
        if self.cancelled:
            raise CalledOff("the run was cancelled")
        if self.leaving:
            raise CalledOff("the run was stopped")


class RunJournal:
    """
    What another machine needs to continue a run. This implementation keeps nothing: if all agents run here, the
    store is enough.
    """

    def record(self) -> None:
        """Return once everything stored so far is kept; do nothing if nothing is new."""

    def get_loss(self) -> str:
        """Return a sentence if nothing more may start here: another machine drives the run, or it cannot be kept."""
        return ""

    def close(self) -> None:
        """Stop keeping anything."""


AWAY_SECONDS = 3600.0


@dataclass(slots=True)
class RunLimits:
    """
    Limits of a run: `workers` agents at once (0: as many as there is work), each provider within its `rates`,
    everything within `budget` and before `deadline` (epoch seconds, 0: none). `depth` is how deeply this run is
    nested in other agents' runs. An agent without a sign of life for `patience` seconds is ended; one that used
    `late` of its time is reported. A missing folder is waited for `away` seconds.
    """

    workers: int = 0
    rates: Mapping[str, Rate] = field(default_factory=dict)
    budget: Amount = field(default_factory=Amount)
    deadline: float = 0.0
    depth: int = 0
    patience: float = PATIENCE
    late: float = 0.75
    away: float = AWAY_SECONDS

    def rate(self, backend: str) -> Rate:
        return self.rates.get(backend) or Rate()


@dataclass(frozen=True, slots=True)
class Quote:
    """Who would do the work, on which account if that matters, and what to reserve for it."""

    backend: str
    model: str = ""
    _: KW_ONLY
    usd: float = 0.0
    tokens: int = 0
    account: str = ""


@dataclass(slots=True)
class Claim:
    """A subject that this engine holds and prepares. `task` is the plan's task, if there is one."""

    subject: str
    role: str
    epoch: int
    _: KW_ONLY
    folder: str
    quote: Quote
    task: Task | None = None


@dataclass(slots=True)
class Settlement:
    """
    The outcome of an attempt. FAILED counts and is retried while tries are left. PENDING was not an attempt and
    is retried from `retry_at` on. `blocks` names a provider that must not be used until then.
    """

    status: str
    reason: str = ""
    _: KW_ONLY
    evidence: Sequence[object] = ()
    tokens: int = 0
    cost_usd: float | None = None
    commit: str = ""
    retry_at: float = 0.0
    blocks: str = ""


@dataclass(slots=True)
class AgentSigns:
    """
    What only a backend can see of a running agent. `cost_usd` is None if unknown; `estimated` marks our own
    estimate.
    """

    transcript_bytes: int = 0
    calls: Sequence[str] = ()
    last: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class RunStop:
    """Why a run ended. `done`: nothing runs and nothing more can start."""

    why: str
    detail: str = ""


class Conductor:
    """
    What the scheduler asks about the work. `quote` and `tell` are called from the loop and must be quick;
    `prepare` and `settle` may take time on their own threads.
    """

    def see_claims(self, database: Database) -> None:
        """Receive the claims first, to distribute seats."""

    def count_places(self, database: Database, backend: str, now: float) -> Mapping[str, int]:  # noqa: ARG002 (for runs elsewhere)
        """Return the accounts that a program uses elsewhere, with their places; none if it works here."""
        return {}

    def quote(self, subject: str, role: str) -> Quote:
        raise NotImplementedError

    def prepare(self, claim: Claim) -> tuple[Attempt, AgentCommand]:
        raise NotImplementedError

    def settle(self, attempt: Attempt, report: AttemptReport) -> Settlement:
        """
        Settle an attempt. After a crash this is called again and must give the same answer, without doing
        anything twice.
        """
        raise NotImplementedError

    def count_spent(self, attempt: Attempt) -> tuple[int, float | None]:  # noqa: ARG002 (for those who know)
        """Return tokens and money of an attempt that is never settled; None if unknown."""
        return 0, None

    def has_finished(self, attempt: Attempt) -> bool:  # noqa: ARG002 (for those who can read it)
        return False

    def signs(self, attempt: Attempt) -> AgentSigns:  # noqa: ARG002 (for those who can see more)
        return AgentSigns()

    def require_room(self) -> None:
        """Raise if agents cannot store their results."""

    def tell(self, event: str, subject: str, detail: str = "") -> None:
        """Report to a live view."""
