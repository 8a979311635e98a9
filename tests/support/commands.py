"""A conductor whose agents are plain commands: the engine alone, without models, worktrees or gates."""

from ultrawork.core import statuses
from ultrawork.core.session import Session
from ultrawork.core.task import Task
from ultrawork.engine.attempt import Attempt, Command
from ultrawork.engine.terms import Conductor, Quote, Settled, Signs
from ultrawork.store import sessions, tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ultrawork.engine.attempt import Report
    from ultrawork.engine.terms import Claim
    from ultrawork.store.state import Store

BACKEND = "script"
PATH = "/usr/local/bin:/usr/bin:/bin"


class Commands(Conductor):
    """`script` gives the sh script of a claim. Exit 0 resolves, 75 was no attempt, others fail."""

    def __init__(self, place: str, script: "Callable[[Claim], str]", **options: float) -> None:
        self.place = place
        self.script = script
        self.seconds = options.get("seconds", 60.0)
        self.usd = options.get("usd", 0.0)
        self.retry_after = options.get("retry_after", 0.0)
        self.told: list[tuple[str, str]] = []
        self.settled: list[tuple[str, str]] = []
        self.calls: Mapping[str, list[str]] = {}

    def quote(self, subject: str, role: str) -> Quote:  # noqa: ARG002 (one backend does it all)
        return Quote(BACKEND, usd=self.usd)

    def prepare(self, claim: "Claim") -> tuple[Attempt, Command]:
        attempt = Attempt(
            claim.folder.split("/")[-3], claim.subject, claim.role, claim.epoch, backend=BACKEND,
            place=self.place, folder=claim.folder, prompt="", seconds=self.seconds,
        )  # fmt: skip
        return attempt, Command(["/bin/sh", "-c", self.script(claim)], {"PATH": PATH})

    def settle(self, attempt: Attempt, report: "Report") -> Settled:
        self.settled.append((attempt.subject, report.why))
        if report.code == 0:
            return Settled(statuses.RESOLVED, evidence=["exit 0"], cost_usd=self.usd / 2, tokens=5)
        if report.code == 75:
            return Settled(
                statuses.PENDING, "asked to wait", retry_at=self.retry_after, blocks=BACKEND
            )
        return Settled(statuses.FAILED, f"exit {report.code}, {report.why}")

    def signs(self, attempt: Attempt) -> Signs:
        return Signs(calls=self.calls.get(attempt.subject, ()))

    def tell(self, event: str, subject: str, detail: str = "") -> None:  # noqa: ARG002 (not looked at)
        self.told.append((event, subject))


def begin(store: "Store", name: str, needs: "Mapping[str, Iterable[str]]") -> None:
    """A session with this plan."""
    value = Session(id=name, goal="g", working_dir="/p", started_at=store.now(), phase="EXECUTION")
    with store.change(name) as change:
        sessions.create(change, value)
        tasks.create(
            change,
            [
                Task(id=task, subject=f"do {task}", blocked_by=list(wanted))
                for task, wanted in needs.items()
            ],
        )
