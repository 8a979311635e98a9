"""What a scheduler and its conductor say to each other."""

from ..core.run.budget import Amount
from ..core.run.liveness import PATIENCE
from ..core.run.rate_limits import Rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..core.plan.task import Task
    from .agents.attempt import AgentCommand, Attempt, AttemptReport

DONE = "done"
CANCELLED = "cancelled"
INTERRUPTED = "interrupted"
BUDGET = "budget"
DEADLINE = "deadline"


class RunLimits:
    """
    `workers` agents at once (0: as many as there is work), each provider within its `rates`, everything
    within `budget` and before `deadline` (epoch seconds, 0: none). `depth` is how deep this run lies in
    other agents' runs. An agent without any sign of life for `patience` seconds is ended; one that has
    used `late` of its time is told of.
    """

    __slots__ = ("budget", "deadline", "depth", "late", "patience", "rates", "workers")

    def __init__(
        self,
        workers: int = 0,
        *,
        rates: "Mapping[str, Rate] | None" = None,
        budget: Amount | None = None,
        deadline: float = 0.0,
        depth: int = 0,
        patience: float = PATIENCE,
        late: float = 0.75,
    ) -> None:
        self.workers = workers
        self.rates = rates or {}
        self.budget = budget or Amount()
        self.deadline = deadline
        self.depth = depth
        self.patience = patience
        self.late = late

    def rate(self, backend: str) -> Rate:
        return self.rates.get(backend) or Rate()


class Quote:
    """Who would do it, and what is to be reserved for it."""

    __slots__ = ("backend", "model", "tokens", "usd")

    def __init__(self, backend: str, model: str = "", *, usd: float = 0.0, tokens: int = 0) -> None:
        self.backend = backend
        self.model = model
        self.usd = usd
        self.tokens = tokens


class Claim:
    """A subject that is ours now, to be prepared; `task` is the plan's, if it is one of it."""

    __slots__ = ("epoch", "folder", "quote", "role", "subject", "task")

    def __init__(
        self,
        subject: str,
        role: str,
        epoch: int,
        *,
        folder: str,
        quote: Quote,
        task: "Task | None" = None,
    ) -> None:
        self.subject = subject
        self.role = role
        self.epoch = epoch
        self.folder = folder
        self.quote = quote
        self.task = task


class Settlement:
    """
    What came of an attempt. FAILED counts and is tried again while tries are left; PENDING was no attempt
    and is tried again from `retry_at` on. `blocks` names a provider that nobody may ask until then.
    """

    __slots__ = (
        "blocks", "commit", "cost_usd", "evidence", "reason", "retry_at", "status", "tokens",
    )  # fmt: skip

    def __init__(
        self,
        status: str,
        reason: str = "",
        *,
        evidence: "Sequence[object]" = (),
        tokens: int = 0,
        cost_usd: float | None = None,
        commit: str = "",
        retry_at: float = 0.0,
        blocks: str = "",
    ) -> None:
        self.status = status
        self.reason = reason
        self.evidence = evidence
        self.tokens = tokens
        self.cost_usd = cost_usd
        self.commit = commit
        self.retry_at = retry_at
        self.blocks = blocks


class AgentSigns:
    """What only a backend can see of an agent at work."""

    __slots__ = ("calls", "last", "transcript_bytes")

    def __init__(
        self, transcript_bytes: int = 0, calls: "Sequence[str]" = (), last: str = ""
    ) -> None:
        self.transcript_bytes = transcript_bytes
        self.calls = calls
        self.last = last


class RunStop:
    """Why a run came to its end; `done`: nothing runs and nothing more can start."""

    __slots__ = ("detail", "why")

    def __init__(self, why: str, detail: str = "") -> None:
        self.why = why
        self.detail = detail


class Conductor:
    """
    What the scheduler asks of whoever knows the work. `quote` and `tell` are called from the loop and must
    be quick; `prepare` and `settle` may take their time on threads of their own.
    """

    def quote(self, subject: str, role: str) -> Quote:
        raise NotImplementedError

    def prepare(self, claim: Claim) -> "tuple[Attempt, AgentCommand]":
        raise NotImplementedError

    def settle(self, attempt: "Attempt", report: "AttemptReport") -> Settlement:
        """Asked again after a crash: the same answer must come of it, and nothing twice."""
        raise NotImplementedError

    def signs(self, attempt: "Attempt") -> AgentSigns:  # noqa: ARG002 (for those who can see more)
        return AgentSigns()

    def tell(self, event: str, subject: str, detail: str = "") -> None:
        """For a live view."""
