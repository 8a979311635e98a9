"""What a scheduler and its conductor say to each other."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from errno import EDQUOT, EIO, ENOSPC, EROFS, ESTALE

from ..clients.headless.attempt import AgentCommand, Attempt, AttemptReport
from ..core.errors import Trouble, UltraworkError, Unwritable
from ..core.plan.task import Task
from ..core.run.budget import Amount
from ..core.run.liveness import PATIENCE
from ..core.run.rate_limits import Rate
from ..store.database import Database

DONE = "done"
CANCELLED = "cancelled"
INTERRUPTED = "interrupted"
BUDGET = "budget"
DEADLINE = "deadline"
PAUSED = "paused"
RETURNED = "returned"  # what had gone away is back: whatever knows nothing of before may go on


class CalledOff(UltraworkError):  # noqa: N818 (nobody did anything wrong)
    """What goes on here is not wanted any more; it was no attempt."""


class RunHalted(Trouble):
    """Nothing can go on here for the time being; nothing was lost, and a resume goes on."""


# Of what all work of a run stands on: no room, no right to write, a disk that fails or is gone.
_EVERYWHERE = (ENOSPC, EDQUOT, EROFS, EIO, ESTALE)


def is_everywhere(error: BaseException) -> bool:
    """Whether trouble is not one result's but the machine's."""
    causes = (error, error.__cause__, error.__context__)
    return isinstance(error, Unwritable | RunHalted) or any(
        isinstance(one, OSError) and one.errno in _EVERYWHERE for one in causes
    )


def may_pass(error: BaseException | None) -> bool:
    """Whether a disk was at the bottom of it, which may be well again by now."""
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
    What a person wants of a run. The loop and signal handlers set it, and whatever takes long looks at it,
    on any thread: `check` raises where what goes on has to end now.
    """

    cancelled: bool = False
    finishing: bool = False
    leaving: bool = False
    paused: bool = False

    @property
    def is_ending(self) -> bool:
        """Nothing new begins from now on, whatever is being set up; what is at work may come to its end."""
        return self.cancelled or self.finishing or self.leaving

    def check(self) -> None:
        if self.cancelled:
            raise CalledOff("the run was cancelled")
        if self.leaving:
            raise CalledOff("the run was stopped")


class RunJournal:
    """
    What whoever goes on with a run on another machine has to know, kept where they find it. This one keeps
    nothing: where all agents run here, the store is enough.
    """

    def record(self) -> None:
        """Returns when all that is in the store so far is kept; does nothing if nothing is new."""

    def get_loss(self) -> str:
        """A sentence once nothing more may be begun here: somebody else drives the run, or it can be kept nowhere."""
        return ""

    def close(self) -> None:
        """Nothing more is kept."""


AWAY_SECONDS = 3600.0


@dataclass(slots=True)
class RunLimits:
    """
    `workers` agents at once (0: as many as there is work), each provider within its `rates`, everything
    within `budget` and before `deadline` (epoch seconds, 0: none). `depth` is how deep this run lies in
    other agents' runs. An agent without any sign of life for `patience` seconds is ended; one that has
    used `late` of its time is told of. What the run stands on and goes away is waited for `away` seconds.
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
    """Who would do it, on whose account if that matters, and what is to be reserved for it."""

    backend: str
    model: str = ""
    _: KW_ONLY
    usd: float = 0.0
    tokens: int = 0
    account: str = ""


@dataclass(slots=True)
class Claim:
    """A subject that is ours now, to be prepared; `task` is the plan's, if it is one of it."""

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
    What came of an attempt. FAILED counts and is tried again while tries are left; PENDING was no attempt
    and is tried again from `retry_at` on. `blocks` names a provider that nobody may ask until then.
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
    What only a backend can see of an agent at work; `cost_usd` is None where nobody knows it, and `estimated` if it is
    ours and not the program's.
    """

    transcript_bytes: int = 0
    calls: Sequence[str] = ()
    last: str = ""
    tokens: int = 0
    cost_usd: float | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class RunStop:
    """Why a run came to its end; `done`: nothing runs and nothing more can start."""

    why: str
    detail: str = ""


class Conductor:
    """
    What the scheduler asks of whoever knows the work. `quote` and `tell` are called from the loop and must
    be quick; `prepare` and `settle` may take their time on threads of their own.
    """

    def see_claims(self, database: Database) -> None:
        """Where what is claimed now can be seen before anybody else sees it; for those who share seats out."""

    def count_places(self, database: Database, backend: str, now: float) -> Mapping[str, int]:  # noqa: ARG002 (for runs elsewhere)
        """The accounts that a program works on elsewhere, with their places; none where it works here."""
        return {}

    def quote(self, subject: str, role: str) -> Quote:
        raise NotImplementedError

    def prepare(self, claim: Claim) -> tuple[Attempt, AgentCommand]:
        raise NotImplementedError

    def settle(self, attempt: Attempt, report: AttemptReport) -> Settlement:
        """Asked again after a crash: the same answer must come of it, and nothing twice."""
        raise NotImplementedError

    def count_spent(self, attempt: Attempt) -> tuple[int, float | None]:  # noqa: ARG002 (for those who know)
        """Tokens and money of an attempt that nobody settles; None where nobody knows."""
        return 0, None

    def has_finished(self, attempt: Attempt) -> bool:  # noqa: ARG002 (for those who can read it)
        """Whether the agent itself said that it was done."""
        return False

    def signs(self, attempt: Attempt) -> AgentSigns:  # noqa: ARG002 (for those who can see more)
        return AgentSigns()

    def tell(self, event: str, subject: str, detail: str = "") -> None:
        """For a live view."""
