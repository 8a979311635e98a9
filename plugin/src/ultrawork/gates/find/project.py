"""Finding the gates of a project: what was written down, else what its own files define."""

from collections.abc import Collection, Mapping, Sequence

from ...core.value import Value
from ...core.verdict.gate import LINT, TEST, Gate, GateTable, is_for_paths, parse_table
from ...store.codec import digest, dumps
from ..trees.files import Files
from .candidate import find_own_toolchain, find_runner, make_storable
from .ci.truth import CiView, compare_with_ci
from .finders.native import needs_configuring
from .folder import ProjectFolder
from .named import find_named_gates
from .table import MANIFEST_ENDINGS, MANIFESTS, choose_gates, is_project, list_builds
from .trace import follow_text
from .workspace import FindUsers, has_path_to, list_dependants, list_users_by_path

SEARCHED = 200
DEPTH = 2
# What is kept of a tree is found by these rules; to be counted up where `_find_projects` takes others.
_FORM = 1
# How deep the list of gates for people goes, and to how many projects, whole or at a glance.
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
# Beside what the project is: their checks are for changes there alone.
_ASIDE = frozenset(("contrib", "demo", "demos", "doc", "docs", "example", "examples", "samples"))
# What these need to be installed makes them no project.
_BESIDE_CODE = frozenset(
    ("ci", "doc", "docs", "requirements", "spec", "test", "testing", "tests", "tools", ".github")
)
_REQUIREMENTS = "requirements.txt"


def find_gates(
    files: Files,
    config: Mapping[str, object] | None,
    *,
    changed: Sequence[str] | None = None,
    origin: str = "ultrawork.toml",
    goal: str = "",
    find_users: FindUsers | None = None,
) -> list[Gate]:
    """
    Gates to run: written ones first, then found ones whose name was not written, then those that the
    goal names. With `changed` paths only those that concern them, and also those of the packages that
    depend on them, as a workspace says or `find_users`.
    """
    survey = _Survey(files, parse_table(config, origin))
    found = survey.all() if changed is None else survey.for_paths(changed, find_users)
    written = [survey.followed(gate) for gate in survey.given.gates]
    if changed is not None:
        written = [gate for gate in written if is_for_paths(gate, changed)]
    standing = written + found
    return standing + find_named_gates(survey.root, goal, standing)


def find_builds(files: Files) -> list[Gate]:
    """How the project at the root says it is built; the first way of each, named `build`."""
    found = [one.gate for one in list_builds(_Survey(files, parse_table(None, "")).root)]
    for gate in found:
        gate.name = "build"
    return found[:1]


class ProjectGates(Value):
    """
    The one list that people see and allow from: `gates` are those of any change, `below` those that only
    changes in their folders bring, `further` how many folders have some that were not looked at, `left_out`
    what was seen and is none, `ci` what CI says about them.
    """

    gates: list[Gate]
    below: list[Gate]
    further: int
    left_out: list[tuple[str, str]]
    ci: CiView


def survey_gates(
    files: Files,
    config: Mapping[str, object] | None,
    *,
    origin: str = "ultrawork.toml",
    whole: bool = True,
) -> ProjectGates:
    survey = _Survey(files, parse_table(config, origin))
    found = [*(survey.followed(gate) for gate in survey.given.gates), *survey.all()]
    taken = {gate.name for gate in found}
    folders = survey.list_projects(DEEPER)
    looked = folders[: WHOLE if whole else GLANCE]
    below = [one for folder in looked for one in survey.gates(folder) if one.name not in taken]
    view = compare_with_ci(survey.root, [*found, *below])
    return ProjectGates(found, below, len(folders) - len(looked), survey.root.left_out, view)


class _Survey:
    def __init__(self, files: Files, given: GateTable) -> None:
        self.given = given
        self.root = ProjectFolder(files)
        self._found: dict[str, list[Gate]] = {}
        self._tested: set[str] = set()

    def all(self) -> list[Gate]:
        """The root's gates; those of the folders below only where the root has no tests."""
        found = list(self.gates("."))
        tested = any(gate.kind == TEST for gate in [*found, *self.given.gates])
        # Tests that wait for the build of the whole are not those of a folder below it.
        if not tested and not needs_configuring(self.root):
            for folder in self.list_projects():
                found += self.gates(folder) if _ASIDE.isdisjoint(folder.split("/")) else []
        return found

    def for_paths(self, changed: Sequence[str], find_users: FindUsers | None = None) -> list[Gate]:
        folders: dict[str, None] = {}
        for path in changed:
            folders.update(dict.fromkeys(self._upwards(path)))
        known = list_dependants(self.root, folders)
        users = [folder for folder in known if folder not in folders]
        users += [one for one in self._list_users_above(folders) if one not in users]
        if find_users and changed:
            users += list_users_by_path(changed, self._list_others({*folders, *users}), find_users)
        used = [gate for folder in users for gate in self.gates(folder) if gate.kind != LINT]
        return [gate for folder in folders for gate in self.gates(folder)] + used

    def _list_users_above(self, folders: Collection[str]) -> list[str]:
        """Folders around these that take one of them in by its path, though it has checks of its own."""
        found: dict[str, None] = {}
        for folder in folders:
            parts = folder.split("/") if folder != "." else []
            for depth in range(len(parts)):
                above = "/".join(parts[:depth]) or "."
                project = self.root.sub(above)
                if (
                    above not in folders
                    and project
                    and has_path_to(project, "/".join(parts[depth:]))
                ):
                    found[above] = None
        return list(found)

    def _list_others(self, folders: Collection[str]) -> list[str]:
        """Projects below the root that are none of these."""
        found = [folder for folder in self.list_projects() if folder not in folders]
        return [folder for folder in found if _ASIDE.isdisjoint(folder.split("/"))]

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
        """False if its name was written: `test` stands for every folder's, `web/test` for one."""
        names = {gate.name, gate.name.rpartition("/")[2]}
        free = names.isdisjoint(self.given.names())
        if not free:
            off = not names.isdisjoint(self.given.off)
            why = "is switched off" if off else "is written down"
            self.root.leave_out(gate.command, f"{gate.name} {why} in ultrawork.toml")
        return free

    def _upwards(self, path: str) -> list[str]:
        """The nearest folders with gates, up to the first that has tests, written or not."""
        parts = path.split("/")[:-1]
        found = []
        for depth in range(len(parts), -1, -1):
            folder = "/".join(parts[:depth]) or "."
            found += [folder] if self.gates(folder) else []
            if folder in self._tested:
                break
        return found

    def list_projects(self, depth: int = DEPTH) -> list[str]:
        """Folders below the root that are projects, nearest first."""
        rules = [_FORM, depth, SEARCHED, *map(sorted, (MANIFESTS, FOREIGN, _BESIDE_CODE)), MANIFEST_ENDINGS]  # fmt: skip
        kind = f"projects-{digest(dumps(rules))[:12]}"
        return self.root.files.remember(kind, lambda: self._find_projects(depth))

    def _find_projects(self, depth: int) -> list[str]:
        level, found = ["."], []
        for _ in range(depth):
            level = [below for folder in level for below in _folders(self.root, folder)][:SEARCHED]
            self.root.files.expect(level)
            found += [folder for folder in level if _is_own(self.root, folder)]
        return found


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
