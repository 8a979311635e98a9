"""Success criteria: a command with its expected result, or something that a judge decides."""

from collections.abc import Sequence

from .. import check
from ..errors import UsageError
from ..value import Value
from ..verdict.gate import Gate
from .task import Task

JUDGED = "judged:"
VAGUE = (
    "works", "work", "is done", "looks good", "good quality", "properly", "correctly", "as expected",
    "appropriately", "well", "nicely", "clean", "잘", "제대로", "적절", "깔끔",
)  # fmt: skip


class Criterion(Value):
    """A criterion. `command` is empty if it is judged; `expected` is an exit status, a text, or nothing: exit 0."""

    text: str
    command: str
    expected: str

    @property
    def judged(self) -> bool:
        return not self.command


def parse(text: str) -> Criterion:
    """`make test => 3 passed`, `make test`, or `judged: the names read well`."""
    plain = text.strip()
    if plain.lower().startswith(JUDGED):
        return Criterion(plain, "", plain[len(JUDGED) :].strip())
    command, arrow, expected = plain.partition("=>")
    command = command.strip().strip("`").strip()
    if arrow or _is_command(plain):
        return Criterion(plain, command, expected.strip().strip('"`'))
    return Criterion(plain, "", plain)


_PROGRAMS = frozenset(
    ("make", "npm", "pnpm", "yarn", "bun", "npx", "node", "python", "python3", "pytest", "uv",
     "poetry", "go", "cargo", "just", "mvn", "gradle", "dotnet", "mix", "bundle", "rspec",
     "rake", "composer", "phpunit", "ctest", "cmake", "ruff", "mypy", "tsc", "eslint", "test",
     "grep", "sh", "bash", "git", "curl", "ls", "cat")
)  # fmt: skip


def _is_command(text: str) -> bool:
    words = text.strip("`").split()
    first = words[0] if words else ""
    return text.startswith("`") or first in _PROGRAMS or first.startswith(("./", "bin/"))


def is_met(criterion: Criterion, *, exit: int | None, output: str) -> bool:  # noqa: A002 (it is the exit status)
    """Return whether a run of its command shows what it expects; a text must be printed by a green run."""
    expected = criterion.expected.lower()
    if not expected:
        return exit == 0
    if expected.startswith("exit "):
        return expected[5:].strip() == str(exit)
    return exit == 0 and expected in output.lower()


def make_gate(task: str, criterion: Criterion) -> Gate:
    """Return a criterion as a check with its own receipt."""
    from ..verdict.gate import make_task_gate

    return make_task_gate(f"task {task}", criterion.command, "a criterion of the plan")


def refuse_unchecked(tasks: Sequence[Task]) -> None:
    """Refuse a plan with a task whose completion no criterion can show."""
    for task in tasks:
        if task.is_verify:
            continue
        if not task.criteria:
            raise UsageError(f"task {task.id} has no success criterion; give a command, or judged: TEXT")
        for text in task.criteria:
            criterion = parse(text)
            if criterion.judged and not text.lower().startswith(JUDGED) and _vague(text):
                raise UsageError(
                    f"criterion {check.quote(text)} of task {task.id} cannot be checked; write a command"
                    " with what it prints (make test => 3 passed), or judged: and what to look at"
                )


def _vague(text: str) -> bool:
    lower = text.lower()
    return any(lower.endswith(word) or f"{word} " in lower for word in VAGUE)
