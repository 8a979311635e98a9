"""Handle files that no worker owns: a change to one affects everyone, so the coordinator makes it."""

from collections.abc import Mapping, Sequence

from ..plan.statuses import RESOLVED
from ..plan.task import Task
from ..session.session import Session

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
