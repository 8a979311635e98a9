"""A conductor whose agents are plain commands: the engine alone, without models, worktrees or checks."""

from ultrawork.clients.headless.attempt import AgentCommand, Attempt
from ultrawork.core.plan.task import FAILED, PENDING, RESOLVED, Task
from ultrawork.core.run.crew import name_provider
from ultrawork.core.session.session import Session
from ultrawork.engine.contract import AgentSigns, Conductor, Quote, Settlement
from ultrawork.store import sessions, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ultrawork.clients.headless.attempt import AttemptReport
    from ultrawork.engine.contract import Claim
    from ultrawork.store.database import Database
    from ultrawork.store.store import Store

BACKEND = "script"
PATH = "/usr/local/bin:/usr/bin:/bin"


class Commands(Conductor):
    """`script` returns the sh script of a claim. Exit 0 resolves, 75 was not an attempt, others fail."""

    def __init__(self, place: str, script: "Callable[[Claim], str]", **options: float) -> None:
        self.place = place
        self.script = script
        self.seconds = options.get("seconds", 60.0)
        self.usd = options.get("usd", 0.0)
        self.retry_after = options.get("retry_after", 0.0)
        self.told: list[tuple[str, str]] = []
        self.settled: list[tuple[str, str]] = []
        self.calls: Mapping[str, list[str]] = {}
        self.handed: list[float] = []
        self.spent = options.get("spent", 0.0)
        self.estimated = bool(options.get("estimated"))
        self.places: dict[str, int] = {}
        self.paid: list[str] = []

    def count_places(self, database: "Database", backend: str, now: float) -> "Mapping[str, int]":  # noqa: ARG002 (one backend)
        return self.places

    def quote(self, subject: str, role: str) -> Quote:  # noqa: ARG002 (one backend does it all)
        return Quote(BACKEND, usd=self.usd)

    def prepare(self, claim: "Claim") -> tuple[Attempt, AgentCommand]:
        attempt = Attempt(
            claim.folder.split("/")[-3], claim.subject, claim.role, claim.epoch, backend=BACKEND,
            place=self.place, folder=claim.folder, prompt="", seconds=self.seconds,
            budget_usd=claim.quote.usd, account=claim.quote.account,
        )  # fmt: skip
        self.handed.append(claim.quote.usd)
        self.paid.append(claim.quote.account)
        return attempt, AgentCommand(["/bin/sh", "-c", self.script(claim)], {"PATH": PATH}, travels=True)

    def settle(self, attempt: Attempt, report: "AttemptReport") -> Settlement:
        self.settled.append((attempt.subject, report.why))
        if report.code == 0:
            return Settlement(RESOLVED, evidence=["exit 0"], cost_usd=self.usd / 2, tokens=5)
        if report.code == 75:
            return Settlement(
                PENDING, "asked to wait", retry_at=self.retry_after, blocks=name_provider(BACKEND, attempt.account)
            )
        return Settlement(FAILED, f"exit {report.code}, {report.why}")

    def signs(self, attempt: Attempt) -> AgentSigns:
        return AgentSigns(calls=self.calls.get(attempt.subject, ()), cost_usd=self.spent, estimated=self.estimated)

    def count_spent(self, attempt: Attempt) -> tuple[int, float | None]:  # noqa: ARG002 (all cost the same)
        return 7, self.spent

    def tell(self, event: str, subject: str, detail: str = "") -> None:  # noqa: ARG002 (not looked at)
        self.told.append((event, subject))


def begin(store: "Store", name: str, needs: "Mapping[str, Iterable[str]]") -> None:
    """A session with this plan."""
    value = Session(id=name, goal="g", working_dir="/p", started_at=store.now(), phase="EXECUTION")
    with store.change(name) as change:
        sessions.create(change, value)
        tasks.create(
            change, [Task(id=task, subject=f"do {task}", blocked_by=list(wanted)) for task, wanted in needs.items()]
        )
