"""The workers of a team: when a silent one is checked on, when its task goes to another, and files that none of them
owns. A change to one of those affects everyone, so the coordinator makes it.

A worker in a seat has a task, and a seat that failed twice stays empty, so a team that keeps failing ends by itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..plan.task import RESOLVED, Task
from ..session.session import Session
from . import modes, tables

_NAMES = frozenset((
    "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml", "bun.lock",
    "bun.lockb", "deno.json", "deno.lock", "tsconfig.json", "jsconfig.json", "turbo.json", "nx.json",
    "pyproject.toml", "setup.py", "setup.cfg", "poetry.lock", "uv.lock", "pdm.lock", "pipfile", "pipfile.lock",
    "tox.ini", "pytest.ini", "cargo.toml", "cargo.lock", "go.mod", "go.sum", "go.work", "gemfile",
    "gemfile.lock", "composer.json", "composer.lock", "pom.xml", "build.gradle", "build.gradle.kts",
    "settings.gradle", "settings.gradle.kts", "gradle.properties", "mix.exs", "mix.lock", "makefile", "justfile",
    "cmakelists.txt", "dockerfile", "docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml",
    ".gitignore", ".gitattributes", ".editorconfig", ".env", ".env.example", "ultrawork.toml", "package.swift",
))  # fmt: skip
_ENDS = (".lock", ".csproj", ".sln")
_CONFIGS = (".config.js", ".config.mjs", ".config.cjs", ".config.ts", "rc.json", "rc.yaml", "rc.yml")
_FOLDERS = (".github/", ".circleci/")
COORDINATOR, SETTLER = "shared-", "settle-"
# Tasks that the program creates come after everything before them.
_LATER = (COORDINATOR, SETTLER, "mend-")


def is_shared(path: str) -> bool:
    """Return whether a file is shared, by its name; `path` is relative to the worktree."""
    name = path.rpartition("/")[2].lower()
    if name in _NAMES or name.endswith(_ENDS) or name.endswith(_CONFIGS):
        return True
    if name.startswith("requirements") and name.endswith((".txt", ".in")):
        return True
    return path.startswith(_FOLDERS)


def is_coordinator_task(task: Task) -> bool:
    """Return whether the program made it for workers' requests, or it was planned to write shared files."""
    return task.id.startswith(COORDINATOR) or any(is_shared(name.removeprefix("./")) for name in task.files)


def list_wishes(session: Session) -> dict[str, list[str]]:
    """Return shared files that workers asked for and that are not changed yet: path to tasks."""
    wishes: dict[str, list[str]] = session.state.ultrapilot.get("wishes", {})
    return wishes


def find_clashes(session: Session, plan: Sequence[Task]) -> list[list[str]]:
    """Path and two finished tasks that both changed it, where neither had waited for the other."""
    state = session.state.ultrapilot
    known = {task.id: task for task in plan if not task.id.startswith(_LATER)}
    done = {name for name, task in known.items() if task.status == RESOLVED}
    before = {name: _before(name, known) for name in known}
    clashes = [
        [path, task, other]
        for path, tasks in sorted(state.get("wrote", {}).items())
        for place, task in enumerate(sorted(tasks))
        for other in sorted(tasks)[place + 1 :]
        if {task, other} <= done and task not in before[other] and other not in before[task]
    ]
    return [clash for clash in clashes if clash not in state.get("settled", [])]


def _before(name: str, plan: Mapping[str, Task]) -> set[str]:
    dependencies: set[str] = set()
    queue = list(plan[name].blocked_by)
    while queue:
        dependency = queue.pop()
        if dependency not in dependencies and dependency in plan:
            dependencies.add(dependency)
            queue += plan[dependency].blocked_by
    return dependencies


Seats = dict[str, dict[str, Any]]

ASK, REPLACE = "ask", "replace"
# Seconds of silence until the coordinator checks, and until another worker takes over.
PATIENCE = {
    modes.TEAM: (tables.LOOK_AFTER, tables.REASSIGN_AFTER),
    modes.ULTRAPILOT: (tables.WORKER_PATIENCE, 2 * tables.WORKER_PATIENCE),
}
# A worker is silent while its command runs: how long that may take before the silence counts.
COMMAND = 600.0


def judge_silence(mode: str, quiet: float, *, commanding: bool) -> str:
    if mode not in PATIENCE:
        return ""
    silence = quiet - (COMMAND if commanding else 0.0)
    look, replace = PATIENCE[mode]
    if silence >= replace:
        return REPLACE
    return ASK if silence >= look else ""


KEY = "seats"
FAILURES = 2


def read_seats(facts: Mapping[str, Any]) -> Seats:
    fact = facts.get(KEY)
    return {name: dict(seat) for name, seat in fact.items()} if isinstance(fact, dict) else {}


def take_seat(seats: Seats, call: str, most: int) -> Seats:
    """Assign the first free seat that may still have a task."""
    for number in range(1, most + 1):
        seat = seats.setdefault(f"worker-{number}", {"call": "", "failures": 0})
        if not seat["call"] and seat["failures"] < FAILURES:
            seat["call"] = call
            break
    return seats


def leave_seat(seats: Seats, call: str, *, failed: bool) -> Seats:
    for seat in seats.values():
        if seat["call"] == call:
            seat["call"] = ""
            seat["failures"] += failed
    return seats


def count_retired(facts: Mapping[str, Any]) -> int:
    """How many seats get no task any more."""
    return sum(seat["failures"] >= FAILURES for seat in read_seats(facts).values())
