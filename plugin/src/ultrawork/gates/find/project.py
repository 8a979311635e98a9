"""Find the checks of a project: the configured ones, else what its files define."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ...core.value import Value
from ...core.verdict.gate import LINT, TEST, Gate, is_for_paths
from ..trees.files import Files
from .candidate import find_own_toolchain, find_runner, make_storable
from .ci.truth import CiView, compare_with_ci
from .finders.native import needs_configuring
from .folder import ProjectFolder
from .gate_table import GateTable, find_named_gates, parse_table
from .table import choose_gates, is_project, list_builds
from .trace import follow_text
from .workspace import FindUsers, has_path_to, list_dependants, list_users_by_path

SEARCHED = 200
DEPTH = 2
# How deep the list of checks goes, and how many projects it reads in full or briefly.
DEEPER = 4
WHOLE = 200
GLANCE = 8
# Folders with third-party projects, or with projects that fail on purpose.
FOREIGN = frozenset(
    (
        "__fixtures__",
        "build",
        "dist",
        "env",
        "fixtures",
        "node_modules",
        "site-packages",
        "target",
        "testdata",
        "testthat",
        "third_party",
        "vendor",
        "venv",
    )
)
# Beside the product: their checks apply only to changes there.
_ASIDE = frozenset(("contrib", "demo", "demos", "doc", "docs", "example", "examples", "samples"))
# Needing these to be installed does not make a folder a project.
_BESIDE_CODE = frozenset(("ci", "doc", "docs", "requirements", "spec", "test", "testing", "tests", "tools", ".github"))
_REQUIREMENTS = "requirements.txt"


class GateSearch(Value):
    """The checks that a search found, and what the files answered. Files that answer alike have the same checks."""

    gates: list[Gate]
    answers: dict[tuple[str, str], Any]


def search_gates(
    files: Files,
    config: Mapping[str, object] | None,
    *,
    changed: Sequence[str] | None = None,
    origin: str = "ultrawork.toml",
    goal: str = "",
    find_users: FindUsers | None = None,
) -> GateSearch:
    """Return the checks to run: configured ones first, then found ones with other names, then those that the goal
    names. With `changed` paths, only checks that concern them, also of packages that depend on them according to the
    workspace or `find_users`."""
    survey = _Survey(files, parse_table(config, origin))
    gates = survey.all() if changed is None else survey.for_paths(changed, find_users)
    written = [survey.followed(gate) for gate in survey.given.gates]
    if changed is not None:
        written = [gate for gate in written if is_for_paths(gate, changed)]
    standing = written + gates
    gates = standing + find_named_gates(survey.root, goal, standing)
    return GateSearch(gates, survey.root.answers)


def find_builds(files: Files) -> list[Gate]:
    """Return how the root project is built, as one check named `build`."""
    gates = [candidate.gate for candidate in list_builds(_Survey(files, parse_table(None, "")).root)]
    for gate in gates:
        gate.name = "build"
    return gates[:1]


class ProjectGates(Value):
    """The list of checks that users see and approve. `gates` apply to any change, `below` only to changes in their
    folders. `further` counts folders that were not searched, `left_out` lists what is not a check, `ci` what CI says
    about them."""

    gates: list[Gate]
    below: list[Gate]
    further: int
    left_out: list[tuple[str, str]]
    ci: CiView


def survey_gates(
    files: Files, config: Mapping[str, object] | None, *, origin: str = "ultrawork.toml", whole: bool = True
) -> ProjectGates:
    survey = _Survey(files, parse_table(config, origin))
    gates = [*(survey.followed(gate) for gate in survey.given.gates), *survey.all()]
    taken = {gate.name for gate in gates}
    folders = survey.list_projects(DEEPER)
    looked = folders[: WHOLE if whole else GLANCE]
    below = [gate for folder in looked for gate in survey.gates(folder) if gate.name not in taken]
    view = compare_with_ci(survey.root, [*gates, *below])
    return ProjectGates(gates, below, len(folders) - len(looked), survey.root.left_out, view)


class _Survey:
    def __init__(self, files: Files, gate_table: GateTable) -> None:
        self.given = gate_table
        self.root = ProjectFolder(files)
        self._found: dict[str, list[Gate]] = {}
        self._tested: set[str] = set()

    def all(self) -> list[Gate]:
        """Return the root's checks; those of subfolders only if the root has no tests."""
        gates = list(self.gates("."))
        tested = any(gate.kind == TEST for gate in [*gates, *self.given.gates])
        # Tests that need the root's build are not those of a subfolder.
        if not tested and not needs_configuring(self.root):
            for folder in self.list_projects():
                gates += self.gates(folder) if _ASIDE.isdisjoint(folder.split("/")) else []
        return gates

    def for_paths(self, changed: Sequence[str], find_users: FindUsers | None = None) -> list[Gate]:
        folders: dict[str, None] = {}
        for path in changed:
            folders.update(dict.fromkeys(self._upwards(path)))
        known = list_dependants(self.root, folders)
        users = [folder for folder in known if folder not in folders]
        users += [folder for folder in self._list_users_above(folders) if folder not in users]
        if find_users and changed:
            users += list_users_by_path(changed, self._list_others({*folders, *users}), find_users)
        used = [gate for folder in users for gate in self.gates(folder) if gate.kind != LINT]
        return [gate for folder in folders for gate in self.gates(folder)] + used

    def _list_users_above(self, folders: Collection[str]) -> list[str]:
        """Return parent folders that include one of these by path, although it has its own checks."""
        parents: dict[str, None] = {}
        for folder in folders:
            parts = folder.split("/") if folder != "." else []
            for depth in range(len(parts)):
                above = "/".join(parts[:depth]) or "."
                project = self.root.sub(above)
                if above not in folders and project and has_path_to(project, "/".join(parts[depth:])):
                    parents[above] = None
        return list(parents)

    def _list_others(self, folders: Collection[str]) -> list[str]:
        """Projects below the root that are none of these."""
        projects = [folder for folder in self.list_projects() if folder not in folders]
        return [folder for folder in projects if _ASIDE.isdisjoint(folder.split("/"))]

    def gates(self, folder: str) -> list[Gate]:
        if folder not in self._found:
            project = self.root.sub(folder) if _is_own(self.root, folder) else None
            chosen = choose_gates(project) if project else []
            if any(candidate.gate.kind == TEST for candidate in chosen):
                self._tested.add(folder)
            self._found[folder] = [c.gate for c in chosen if self._is_free(c.gate)]
        return self._found[folder]

    def followed(self, gate: Gate) -> Gate:
        """A written gate with what its command leads to, so that a change there is noticed."""
        project = self.root.sub(gate.where)
        trace = follow_text(project, gate.command) if project else None
        if trace:
            gate.runner = find_runner(trace)
            gate.toolchain = find_own_toolchain(self.root, gate.runner)
            gate.definition = make_storable("\n".join([gate.command, *trace.definition()]))
            gate.files = tuple(dict.fromkeys([*gate.files, *trace.files()]))
        return gate

    def _is_free(self, gate: Gate) -> bool:
        """Return False if the name is configured: `test` covers every folder, `web/test` one."""
        names = {gate.name, gate.name.rpartition("/")[2]}
        free = names.isdisjoint(self.given.names())
        if not free:
            off = not names.isdisjoint(self.given.off)
            why = "is switched off" if off else "is written down"
            self.root.leave_out(gate.command, f"{gate.name} {why} in ultrawork.toml")
        return free

    def _upwards(self, path: str) -> list[str]:
        """Return the nearest folders with gates, up to the first that has tests, written or not."""
        parts = path.split("/")[:-1]
        upwards = []
        for depth in range(len(parts), -1, -1):
            folder = "/".join(parts[:depth]) or "."
            upwards += [folder] if self.gates(folder) else []
            if folder in self._tested:
                break
        return upwards

    def list_projects(self, depth: int = DEPTH) -> list[str]:
        """Folders below the root that are projects, nearest first."""
        level, projects = ["."], []
        for _ in range(depth):
            level = [below for folder in level for below in _folders(self.root, folder)][:SEARCHED]
            self.root.files.expect(level)
            projects += [folder for folder in level if _is_own(self.root, folder)]
        return projects


def _folders(root: ProjectFolder, folder: str) -> list[str]:
    names = [name[:-1] for name in root.names(folder) if name.endswith("/")]
    plain = [name for name in names if name[0] != "." and name not in FOREIGN]
    return plain if folder == "." else [f"{folder}/{name}" for name in plain]


def _is_own(root: ProjectFolder, folder: str) -> bool:
    if folder == ".":
        return True
    if not FOREIGN.isdisjoint(folder.split("/")) or not folder.isprintable():
        return False
    names = set(root.names(folder))
    return is_project(names - {_REQUIREMENTS} if _holds_no_code(folder) else names)


def _holds_no_code(folder: str) -> bool:
    """Folders in which a bare list of requirements is for what the project around it does there."""
    return folder.rpartition("/")[2].lower() in _BESIDE_CODE
