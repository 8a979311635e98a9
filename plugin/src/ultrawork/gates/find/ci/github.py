"""GitHub Actions: workflows that a push or a pull request starts, through local actions and reusable workflows."""

from collections.abc import Iterator

from ....core.toolchains.toolchain import get_built_in
from ....core.verdict.gate import LINT, TYPES
from ..folder import ProjectFolder, get_table
from .files import GITHUB_FOLDER
from .steps import (
    STEPS,
    CiStep,
    expand_matrix,
    get_line,
    is_met_by_push,
    list_service_needs,
    put_in_variables,
    read_included,
    read_matrix,
    resolve_folder,
)

FILES = 25
DEPTH = 3
_EVENTS = ("push", "pull_request", "pull_request_target", "merge_group")
_SHELLS = ("bash", "sh", "")
_ELSEWHERE = ("windows", "macos")
# Actions that are checks themselves: the command you would type instead.
ACTIONS = {
    "astral-sh/ruff-action": "ruff check",
    "chartboost/ruff-action": "ruff check",
    "crate-ci/typos": "typos",
    "golangci/golangci-lint-action": "golangci-lint run",
    "jakebailey/pyright-action": "pyright",
    "ludeeus/action-shellcheck": "shellcheck",
    "pre-commit/action": "pre-commit run --all-files",
    "lunarmodules/luacheck": "luacheck .",
    "psf/black": "black --check .",
    "isort/isort-action": "isort --check .",
    "DavidAnson/markdownlint-cli2-action": "markdownlint-cli2",
}
_CARGO = "actions-rs/cargo"


def read_workflows(root: ProjectFolder) -> Iterator[CiStep]:
    names = [n for n in root.names(GITHUB_FOLDER) if n.endswith((".yml", ".yaml"))][:FILES]
    for name in names:
        file = f"{GITHUB_FOLDER}/{name}"
        # Skip files that name none of these events.
        text = root.read(file) or ""
        if "push" in text or "pull_request" in text:
            workflow = root.read_yaml(file)
            if _is_started_by_push(workflow.get("on")):
                yield from _Workflow(root, file, workflow).steps()


def _is_started_by_push(events: object) -> bool:
    if isinstance(events, str):
        return events in _EVENTS
    if isinstance(events, list):
        return any(event in _EVENTS for event in events)
    table = get_table(events)
    return any(_is_plain(event, table[event]) for event in _EVENTS if event in table)


def _is_plain(event: str, filters: object) -> bool:
    """Return whether a push of a branch triggers this; a push of tags alone is a release."""
    table = get_table(filters)
    return event != "push" or "tags" not in table or bool({"branches", "paths"} & table.keys())


class _Workflow:
    def __init__(self, root: ProjectFolder, file: str, workflow: dict[str, object], depth: int = 0) -> None:
        self.root = root
        self.file = file
        self.workflow = workflow
        self.depth = depth

    def steps(self) -> Iterator[CiStep]:
        for name, job in get_table(self.workflow, "jobs").items():
            table = get_table(job)
            if not is_met_by_push(table.get("if", "")) or _is_elsewhere(table.get("runs-on")):
                continue
            called = table.get("uses")
            if isinstance(called, str) and called.startswith("./") and self.depth < DEPTH:
                inner = read_included(self.root, called)
                file = called.removeprefix("./")
                yield from _Workflow(self.root, file, inner, self.depth + 1).steps()
            yield from self._job(name, table)

    def _job(self, name: str, job: dict[str, object]) -> Iterator[CiStep]:
        matrix = read_matrix(job.get("strategy"))
        variables = {**get_table(self.workflow, "env"), **get_table(job, "env")}
        default = get_table(self.workflow, "defaults", "run")
        default = {**default, **get_table(job, "defaults", "run")}
        needs = list_service_needs(job.get("services"))
        for step in self._list(job.get("steps"), self.file, 0):
            source, table = step
            if str(table.get("shell", default.get("shell", ""))).partition(" ")[0] not in _SHELLS:
                continue
            where = resolve_folder(".", table.get("working-directory") or default.get("working-directory"))
            run = table.get("run")
            known = {**variables, **get_table(table, "env")}
            for text in expand_matrix(str(run), matrix):
                if where is not None:
                    yield CiStep(put_in_variables(text, known), source, name, where, needs)

    def _list(self, steps: object, file: str, depth: int) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield each step that runs text; steps of a local action replace its call."""
        for step in steps[:STEPS] if isinstance(steps, list) else []:
            table = get_table(step)
            if not is_met_by_push(table.get("if", "")):
                continue
            used = str(table.get("uses", ""))
            text = table.get("run") or _as_typed(used, get_table(table, "with"))
            if text:
                line = get_line(table.get("run"), get_line(table.get("uses")))
                yield f"{file}:{line}", {**table, "run": text}
            elif used.startswith("./") and depth < DEPTH:
                yield from self._local(used.removeprefix("./"), depth)

    def _local(self, folder: str, depth: int) -> Iterator[tuple[str, dict[str, object]]]:
        for name in ("action.yml", "action.yaml"):
            file = f"{folder.rstrip('/')}/{name}".lstrip("/")
            runs = get_table(read_included(self.root, file), "runs")
            yield from self._list(runs.get("steps"), file, depth + 1)


def _as_typed(used: str, given: dict[str, object]) -> str:
    action = used.partition("@")[0]
    if action == _CARGO:
        return f"cargo {given.get('command', '')} {given.get('args', '')}".strip()
    args = str(given.get("args", "")) if action.endswith("ruff-action") else ""
    known = ACTIONS.get(action) or _name_tool(action)
    return f"ruff {args}" if args and known else known


def _name_tool(action: str) -> str:
    """The linter or type checker that an action is named after: `owner/action-eslint`, `owner/mypy-action`."""
    name = action.partition("/")[2].partition("/")[0].lower()
    name = name.replace("github-action", "").replace("action", "").strip("-_")
    return f"{name} ." if get_built_in().calls.get(name, ("",))[0] in (LINT, TYPES) else ""


def _is_elsewhere(machine: object) -> bool:
    return isinstance(machine, str) and machine.startswith(_ELSEWHERE)
