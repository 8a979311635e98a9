"""What was taken into the branch of results, and what was taken out again, read from its commits."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .repository import Repository

TASK = "Ultrawork-Task"
RESULT = "Ultrawork-Result"
UNDOES = "Ultrawork-Undoes"
_FORMAT = "%H%n%B%x00"


class ResultCommit:
    """One commit on the branch of results. `undoes` is the commit that it takes back."""

    __slots__ = ("commit", "result", "task", "undoes")

    def __init__(self, commit: str, trailers: dict[str, str]) -> None:
        self.commit = commit
        self.task = trailers.get(TASK, "").partition("/")[2]
        self.result = trailers.get(RESULT, "")
        self.undoes = trailers.get(UNDOES, "")

    def files(self, ground: "Repository") -> list[str]:
        return [change.path for change in ground.git.changes(self.commit + "^", self.commit)]


class ResultHistory:
    """Oldest first. `standing` are steps that nobody has taken back."""

    __slots__ = ("standing", "steps")

    def __init__(self, ground: "Repository", head: str) -> None:
        span = f"{ground.base}..{head}"
        printed = ground.git.ask(
            ["log", "--reverse", "--first-parent", f"--format={_FORMAT}", span]
        )
        records = os.fsdecode(printed).split("\0")
        self.steps = [_step(record.strip("\n")) for record in records if record.strip()]
        undone = {step.undoes for step in self.steps}
        self.standing = [
            step for step in self.steps if step.commit not in undone and not step.undoes
        ]

    def of_result(self, result: str) -> str | None:
        found = [step.commit for step in self.standing if step.result == result]
        return found[-1] if found else None

    def of_task(self, subject: str) -> list[ResultCommit]:
        return [step for step in self.standing if step.task == subject]


def _step(record: str) -> ResultCommit:
    commit, _, message = record.partition("\n")
    ours = (line for line in message.splitlines() if line.startswith("Ultrawork-"))
    return ResultCommit(
        commit, {name: value.strip() for name, _, value in (s.partition(":") for s in ours)}
    )
