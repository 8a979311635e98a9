"""One try of one agent at one subject: what is asked, what is run, and what came of it."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EXPLORER = "explorer"
PLANNER = "planner"
WORKER = "worker"
VERIFIER = "verifier"

RUNNING = "running"
ENDED = "ended"
LOST = "lost"


class Attempt:
    """
    Everything an executor or a backend needs, and all of it can be written down as JSON.

    `subject` is a task id, an explorer id, `plan` or `verify`. `epoch` grows with every attempt at a
    subject, whatever its cause: a late writer of an older epoch is fenced off.
    """

    __slots__ = (
        "backend", "budget_usd", "epoch", "folder", "model", "place", "prompt", "read_only", "resume",
        "role", "schema", "seconds", "session", "subject",
    )  # fmt: skip

    def __init__(
        self,
        session: str,
        subject: str,
        role: str,
        epoch: int,
        *,
        backend: str,
        place: str,
        folder: str,
        prompt: str,
        model: str = "",
        resume: str = "",
        read_only: bool = False,
        schema: "dict[str, Any] | None" = None,
        seconds: float = 3600.0,
        budget_usd: float = 0.0,
    ) -> None:
        self.session = session
        self.subject = subject
        self.role = role
        self.epoch = epoch
        self.backend = backend
        self.model = model
        self.place = place
        self.folder = folder
        self.prompt = prompt
        self.resume = resume
        self.read_only = read_only
        self.schema = schema
        self.seconds = seconds
        self.budget_usd = budget_usd

    @property
    def key(self) -> str:
        return f"{self.session}/{self.subject}/{self.epoch}"

    def document(self) -> "dict[str, Any]":
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def of(cls, document: "dict[str, Any]") -> "Attempt":
        return cls(**document)


class AgentCommand:
    """What a backend wants to be run, in the attempt's place."""

    __slots__ = ("argv", "environ", "stdin")

    def __init__(self, argv: list[str], environ: dict[str, str], stdin: bytes = b"") -> None:
        self.argv = argv
        self.environ = environ
        self.stdin = stdin


class AgentOutcome:
    """What a backend read from an attempt's output. `last` can be read while the agent is at work."""

    __slots__ = (
        "answer", "cost_usd", "detail", "last", "retry_at", "session", "text", "tokens", "trouble",
    )  # fmt: skip

    def __init__(
        self,
        text: str = "",
        *,
        answer: "dict[str, Any] | None" = None,
        session: str = "",
        tokens: int = 0,
        cost_usd: float | None = None,
        trouble: str = "",
        retry_at: float = 0.0,
        detail: str = "",
        last: str = "",
    ) -> None:
        self.text = text
        self.answer = answer
        self.session = session
        self.tokens = tokens
        self.cost_usd = cost_usd
        self.trouble = trouble
        self.retry_at = retry_at
        self.detail = detail
        self.last = last


class AttemptReport:
    """What an executor knows of an attempt. `lost`: there is no result and nobody who could write one."""

    __slots__ = (
        "code", "cpu_seconds", "ended_at", "output_bytes", "quiet_seconds", "started_at", "state", "why",
    )  # fmt: skip

    def __init__(
        self,
        state: str,
        *,
        code: int | None = None,
        why: str = "",
        started_at: float = 0.0,
        ended_at: float = 0.0,
        cpu_seconds: float = 0.0,
        quiet_seconds: float = 0.0,
        output_bytes: int = 0,
    ) -> None:
        self.state = state
        self.code = code
        self.why = why
        self.started_at = started_at
        self.ended_at = ended_at
        self.cpu_seconds = cpu_seconds
        self.quiet_seconds = quiet_seconds
        self.output_bytes = output_bytes
