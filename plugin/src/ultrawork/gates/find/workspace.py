"""Find packages of a monorepo that depend on each other, from its manifests."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...core.patterns import compile_late
from .finders import go
from .folder import ProjectFolder, get_table, list_texts, matches_pattern

MEMBERS = 2_000
DEPTH = 4
_SKIPPED = ("node_modules/", "target/", "vendor/")
PNPM_FILE = "pnpm-workspace.yaml"
_NODE_GROUPS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
_CARGO_GROUPS = ("dependencies", "dev-dependencies", "build-dependencies")
_PUBLISHED = ("npm:", "http:", "https:", "git", "github:")
# From changed paths and folders of other projects: the projects that use one of the paths.
FindUsers = Callable[[Sequence[str], Sequence[str]], list[str]]


def list_users_by_path(changed: Sequence[str], projects: Iterable[str], find_users: FindUsers) -> list[str]:
    """Return projects that use what changed by a path (`PYTHONPATH=../shop`), directly or indirectly."""
    users: list[str] = []
    left = list(projects)
    fresh = list(changed)
    while fresh and left:
        fresh = find_users(fresh, left)
        users += fresh
        left = [folder for folder in left if folder not in users]
    return users


def list_dependants(root: ProjectFolder, folders: Iterable[str]) -> list[str]:
    """Folders of packages that use one of these, directly or through others."""
    users: dict[str, list[str]] = {}
    for look in dict.fromkeys(_WORKSPACES[file] for file in root.list_present(_WORKSPACES)):
        for user, used in look(root):
            users.setdefault(used, []).append(user)
    start = list(folders)
    reached = dict.fromkeys(start)
    for folder in (queue := list(start)):
        fresh = [user for user in users.get(folder, []) if user not in reached]
        reached.update(dict.fromkeys(fresh))
        queue += fresh
    return [folder for folder in reached if folder not in start]


def find_members(root: ProjectFolder, patterns: Iterable[str], manifest: str) -> dict[str, ProjectFolder]:
    """Folders with that manifest which the patterns name; `!pattern` takes some out again."""
    wanted = [pattern.strip("/").removeprefix("./") for pattern in patterns]
    without = [pattern[1:].strip("/") for pattern in wanted if pattern.startswith("!")]
    members: dict[str, ProjectFolder] = {}
    for pattern in wanted[:MEMBERS]:
        for folder in () if pattern.startswith("!") else _expanded(root, pattern):
            project = root.sub(folder)
            taken_out = any(matches_pattern(folder, other) for other in without)
            if project and not taken_out and len(members) < MEMBERS and project.exists(manifest):
                members[project.where] = project
    return members


def _expanded(root: ProjectFolder, pattern: str) -> Iterator[str]:
    folders = [""]
    for part in pattern.split("/"):
        if part == "**":
            folders = [deep for folder in folders for deep in _below(root, folder, DEPTH)]
        elif "*" in part or "?" in part:
            folders = [
                posixpath.join(folder, name)
                for folder in folders
                for name in _folders(root, folder)
                if matches_pattern(name, part)
            ]
        else:
            folders = [posixpath.join(folder, part) for folder in folders]
        folders = folders[:MEMBERS]
    yield from folders


def _below(root: ProjectFolder, folder: str, depth: int) -> Iterator[str]:
    yield folder
    for name in _folders(root, folder) if depth else ():
        yield from _below(root, posixpath.join(folder, name), depth - 1)


def _folders(root: ProjectFolder, folder: str) -> list[str]:
    names = root.names(folder or ".")
    return [n[:-1] for n in names if n.endswith("/") and n[0] != "." and n not in _SKIPPED]


def _node(root: ProjectFolder) -> Iterator[tuple[str, str]]:
    packages = find_members(root, _node_patterns(root), "package.json")
    names = {
        project.read_json("package.json").get("name"): folder
        for folder, project in packages.items()
        if isinstance(project.read_json("package.json").get("name"), str)
    }
    for folder, project in packages.items():
        for group in _NODE_GROUPS:
            for name, version in get_table(project.read_json("package.json"), group).items():
                if name in names and not str(version).startswith(_PUBLISHED):
                    yield folder, names[name]


def _node_patterns(root: ProjectFolder) -> list[str]:
    listed = root.read_json("package.json").get("workspaces")
    listed = listed.get("packages") if isinstance(listed, dict) else listed
    pnpm = root.read_yaml(PNPM_FILE).get("packages") if root.exists(PNPM_FILE) else []
    return [*list_texts(listed), *list_texts(pnpm)]


def _cargo(root: ProjectFolder) -> Iterator[tuple[str, str]]:
    workspace = get_table(root.read_toml("Cargo.toml"), "workspace")
    patterns = [*list_texts(workspace.get("members")), *("!" + p for p in list_texts(workspace.get("exclude")))]
    shared = get_table(workspace, "dependencies")
    for folder, project in find_members(root, patterns, "Cargo.toml").items():
        manifest = project.read_toml("Cargo.toml")
        targets = [get_table(target) for target in get_table(manifest, "target").values()]
        for part in (manifest, *targets):
            for group in _CARGO_GROUPS:
                for name, dependency in get_table(part, group).items():
                    used = _crate(project, root, dependency, shared.get(name))
                    if used:
                        yield folder, used


def _crate(project: ProjectFolder, root: ProjectFolder, dependency: object, shared: object) -> str:
    """Return the folder of a path dependency, given here or in the workspace."""
    path, start = get_table(dependency).get("path"), project
    if get_table(dependency).get("workspace") is True:
        path, start = get_table(shared).get("path"), root
    project_folder = start.sub(path) if isinstance(path, str) else None
    return project_folder.where if project_folder else ""


def _go(root: ProjectFolder) -> Iterator[tuple[str, str]]:
    modules = find_members(root, go.list_used_folders(root), "go.mod")
    texts_of = {folder: project.read("go.mod") or "" for folder, project in modules.items()}
    names = {words[0]: f for f, text in texts_of.items() for words in go.parse_directives(text, "module")}
    for folder, text in texts_of.items():
        for words in go.parse_directives(text, "require"):
            if words[0] in names:
                yield folder, names[words[0]]


def _uv(root: ProjectFolder) -> Iterator[tuple[str, str]]:
    workspace = get_table(root.read_toml("pyproject.toml"), "tool", "uv", "workspace")
    patterns = [*list_texts(workspace.get("members")), *("!" + p for p in list_texts(workspace.get("exclude")))]
    projects = find_members(root, patterns, "pyproject.toml")
    names = {_project_name(project): folder for folder, project in projects.items()}
    for folder, project in projects.items():
        for name, source in get_table(project.read_toml("pyproject.toml"), "tool", "uv", "sources").items():
            if get_table(source).get("workspace") is True and _plain_name(name) in names:
                yield folder, names[_plain_name(name)]


# The files of the root that name the members of a workspace, and who reads them.
_WORKSPACES = {"package.json": _node, PNPM_FILE: _node, "Cargo.toml": _cargo, "go.work": _go, "pyproject.toml": _uv}


def _project_name(project: ProjectFolder) -> str:
    return _plain_name(get_table(project.read_toml("pyproject.toml"), "project").get("name"))


def _plain_name(name: object) -> str:
    return str(name).lower().replace("_", "-").replace(".", "-")


_TAKING = ("go.mod", "package.json", "Cargo.toml", "pyproject.toml", "requirements.txt", "requirements-dev.txt", "Pipfile", "CMakeLists.txt")  # fmt: skip
_VIRTUAL = compile_late(r"(?m)\A(?![\s\S]*^\[package\])[\s\S]*^\[workspace\b")


def has_path_to(project: ProjectFolder, below: str) -> bool:
    """Return whether a manifest of this folder includes a subfolder by path: `=> ./check`, `file:./check`."""
    start = r"(?:=>[ \t]*|(?:file|link|portal):|path[ \t]*=[ \t]*[\"']|-e[ \t]+|add_subdirectory\([ \t]*)"
    pattern = re.compile(rf"(?m){start}(?:\./)?{re.escape(below)}/?(?=[\"'\s),;]|$)")
    texts = (project.read(name) or "" for name in _TAKING if project.exists(name))
    # A Cargo workspace that is not a package only lists its members.
    return any(pattern.search(text) for text in texts if not _VIRTUAL.match(text))
