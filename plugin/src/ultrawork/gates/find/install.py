"""Find the install command that a fresh clone needs before its checks can run, from its lock file and manifest.

Read only; `gates prepare` runs it."""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ...core.toolchains.toolchain import Ecosystem, get_built_in
from ...core.value import Value, fresh
from ...core.verdict.gate import LINT, Gate
from .finders.native import (
    MESON,
    find_cmake_folder,
    find_meson_folder,
    find_unconfigured_make,
    has_meson_tests,
    list_cmake_tests,
)
from .folder import ProjectFolder, get_table
from .pip_words import REQUIREMENTS, list_check_extras, list_pip_packages, list_pip_words
from .recipes.recipe import LOCKS, PACKAGE_FILE, find_manager
from .recipes.tasks import PRE_COMMIT_FILES
from .shell import quote_words, unwrap_words


class Install(Value):
    """An install command. `done`: whether its result exists; None if no folder shows it. `packages`: those it installs
    by name; None if only its manager knows. `pins`: tools whose version the project defines elsewhere."""

    family: str
    command: str
    source: str
    where: str = "."
    done: bool | None = None
    packages: frozenset[str] | None = None
    pins: Mapping[str, str] = fresh(dict)

    def describe(self) -> str:
        """Return the command as typed at the root."""
        inside = "" if self.where == "." else f"cd {quote_words([self.where])} && "
        return inside + self.command


def list_installs(project: ProjectFolder) -> list[Install]:
    """Return one install per package manager of this folder, or for node of the workspace above it."""
    ecosystems = get_built_in().ecosystems.items()
    installs = [install for family, row in ecosystems if (install := _look(project, family, row)) is not None]
    builds = [install for install in installs if install.family in _BUILDS]
    # One build is enough: the configured one, else the one whose script is ready to run.
    own = next((install for install in builds if install.done), None)
    own = own or next((install for install in builds if install.command == _CONFIGURE), None)
    return [install for install in installs if install not in builds or install == (own or builds[0])]


def _look(project: ProjectFolder, family: str, ecosystem: Ecosystem) -> Install | None:
    """Return the install of the first matching row of an ecosystem; a row with `by` names its function."""
    for row in ecosystem.install:
        install = _LOOKS[row["by"]](project) if "by" in row else _plain(project, family, row)
        if install is not None:
            return install
    return None


def choose_install(installs: Sequence[Install], gate: Gate, missing: str = "") -> Install | None:
    """Return the install for a check's own tools; if a script hides its tools, the first that is not done."""
    words = unwrap_words(gate.argv)
    named = {word.rpartition("/")[2] for word in (gate.runner, *gate.argv[:1], *words[:1])}
    text = f"{gate.command}\n{gate.definition}"
    own = [install for install in installs if _is_of(install.family, gate.runner, named)]
    own = own or [install for install in installs if _speaks_of(text, install.family)]
    # A build that the check does not mention is another way to build, not something it lacks.
    own = own or [install for install in installs if install.family not in _BUILDS]
    chosen = next(iter([install for install in own if install.done is not True] or own), None)
    if chosen is None:
        return _install_tool(gate, missing)
    if missing == chosen.command.split()[0]:
        return None
    return _add_tools(chosen, {*named, missing}, only=bool(missing) and gate.kind == LINT)


def _install_tool(gate: Gate, missing: str) -> Install | None:
    """Return how to install a missing Python tool where the project itself has nothing to install."""
    is_known = missing in _list_python_tools()
    return Install("python", f"pip install {missing}", ALONE, gate.where) if is_known else None


def _list_python_tools() -> list[str]:
    return [package for package in get_built_in().collect("package") if package in _list_programs("python")]


def _add_tools(install: Install, named: Collection[str], *, only: bool = False) -> Install:
    """Add tools that no manifest lists, because tox, pre-commit or the user is expected to provide them, in their
    pinned version. If everything else is installed, name only them; with `only` also for pip, which needs no more: a
    linter reads the files, and runs nothing of the project."""
    if install.packages is None:
        return install
    lacking = [tool for tool in _list_python_tools() if tool in named and tool not in install.packages]
    if not lacking:
        return install
    words = [install.pins.get(package, package) for package in lacking]
    adding = next((add for start, add in _ADDING.items() if install.command.startswith(start)), "")
    adding = adding or " ".join(install.command.split()[:2])
    command = " ".join([adding, *words])
    if not install.done and adding.endswith("pip install") and adding in install.command:
        command = command if only else " ".join([install.command, *words])
    elif not install.done:
        command = f"{install.command} && {command}"
    return Install(install.family, command, install.source, install.where, install.done)


def _is_of(family: str, runner: str, named: Collection[str]) -> bool:
    tool = get_built_in().get(runner)
    return (tool is not None and tool.family == family) or not _list_programs(family).isdisjoint(named)


def _speaks_of(text: str, family: str) -> bool:
    programs = "|".join(map(re.escape, sorted(_list_programs(family))))
    return bool(programs and re.search(rf"(?<![\w.-])(?:{programs})(?![\w-])", text))


# The source of an install that no file of the project asks for.
ALONE = ""
_BUILDS = ("cmake", "meson", "autotools")
_CONFIGURE = "./configure"
# Programs that come with the machine, not from a project's package manager.
OF_THE_MACHINE = frozenset(
    (
        "autoreconf", "bash", "bats", "cc", "clang", "crystal", "docker", "dub", "g++", "gcc", "helm", "java", "luarocks",
        "nimble", "ninja", "rustc", "shellcheck", "zig", *get_built_in().gather("programs"),
    )
)  # fmt: skip


def _list_programs(family: str) -> frozenset[str]:
    """Return the programs of a family: its managers, interpreters and packaged tools."""
    known = get_built_in()
    tools = [name for name in known.collect("package") if known.tables[name]["family"] == family]
    own = known.ecosystems.get(family)
    return frozenset([*tools, *(own.programs + own.brings if own else ())])


# How to add a package to a manager's environment; pip's own command takes more words.
_ADDING = {
    "uv sync": "uv pip install",
    "poetry install": "poetry run pip install",
    "pdm install": "pdm run python -m pip install",
    "pipenv": "pipenv run pip install",
}


def _node(project: ProjectFolder) -> Install | None:
    if not project.exists(PACKAGE_FILE):
        return None
    project_folder = _find_locked(project) or project
    lock, manager = project_folder.find_first(*LOCKS), find_manager(project)
    if not lock and not _has_packages(project):
        return None
    done = project_folder.exists("node_modules") or project_folder.exists(".pnp.cjs")
    command = _NODE_LOCKED[manager] if lock else f"{manager} install"
    if lock and manager == "yarn" and not _is_modern_yarn(project_folder):
        command = "yarn install --frozen-lockfile"
    return Install("node", command, lock or PACKAGE_FILE, project_folder.where, done)


_NODE_LOCKED = {
    "npm": "npm ci",
    "pnpm": "pnpm install --frozen-lockfile",
    "yarn": "yarn install --immutable",
    "bun": "bun install --frozen-lockfile",
}


def _find_locked(project: ProjectFolder) -> ProjectFolder | None:
    """Return the nearest folder upwards with a lock file: a workspace is installed as a whole."""
    project_folder: ProjectFolder | None = project
    while project_folder is not None:
        if project_folder.find_first(*LOCKS):
            return project_folder
        project_folder = project_folder.sub("..") if project_folder.where != "." else None
    return None


def _has_packages(project: ProjectFolder) -> bool:
    manifest = project.read_json(PACKAGE_FILE)
    groups = ("dependencies", "devDependencies", "workspaces")
    return any(manifest.get(group) for group in groups)


def _is_modern_yarn(project_folder: ProjectFolder) -> bool:
    named = str(project_folder.read_json(PACKAGE_FILE).get("packageManager", ""))
    match = re.match(r"yarn@(\d+)", named)
    if match:
        return int(match[1]) >= 2
    return project_folder.exists(".yarnrc.yml") or "__metadata:" in (project_folder.read("yarn.lock") or "")[:2000]


_PYTHON_LOCKED = {
    "uv.lock": "uv sync",
    "poetry.lock": "poetry install",
    "pdm.lock": "pdm install",
    "Pipfile.lock": "pipenv sync --dev",
    "Pipfile": "pipenv install --dev",
}


def _python(project: ProjectFolder) -> Install | None:
    done = _has_python_folder(project)
    for lock, command in _PYTHON_LOCKED.items():
        path = project.find_upward(lock) if lock == "uv.lock" else project.find_first(lock)
        if path:
            extras = list_check_extras(project) if lock in ("uv.lock", "poetry.lock") else []
            options = [word for extra in extras for word in ("--extra", extra)]
            if lock == "poetry.lock":
                options = [word for extra in extras for word in ("--extras", extra)]
            where = posixpath.normpath(posixpath.join(project.where, path.removesuffix(lock) or "."))
            packages = _list_locked(project.read(path) or "")
            whole = quote_words([*command.split(), *options])
            return Install("python", whole, lock, where, done, packages, read_pins(project))
    words, source = list_pip_words(project)
    if not words:
        return None
    start = ".venv/bin/pip" if project.exists(".venv/bin/pip") else "pip"
    command = quote_words([start, "install", *words])
    return Install(
        "python", command, source, project.where, done, list_pip_packages(project, words), read_pins(project)
    )


def _list_locked(text: str) -> frozenset[str] | None:
    """Return the packages of a lock file in TOML; None where it names none."""
    names = re.findall(r'(?m)^name = "([\w.-]+)"', text)
    return frozenset(name.lower() for name in names) or None


def _has_python_folder(project: ProjectFolder) -> bool | None:
    """Return whether the project has its own environment, which shows that it was set up."""
    return True if project.find_first(".venv", "venv", "env/bin/python") else None


def _plain(project: ProjectFolder, family: str, row: Mapping[str, Any]) -> Install | None:
    """A manager that needs no more than its manifest; `done` is the folder that it fills."""
    source = project.find_matching(*row["files"])
    text = row.get("text", {}).get(source, "")
    if not source or (text and not re.search(text, project.read(source) or "")):
        return None
    there = project.exists(row["done"]) if "done" in row else None
    return Install(family, row["run"].replace("FILE", source), source, project.where, there)


def _rust(project: ProjectFolder) -> Install | None:
    if not project.exists("Cargo.toml"):
        return None
    command = "cargo fetch --locked" if project.find_upward("Cargo.lock") else "cargo fetch"
    return Install("rust", command, "Cargo.toml", project.where)


def _jvm(project: ProjectFolder) -> Install | None:
    if project.exists("pom.xml"):
        start = "./mvnw" if project.exists("mvnw") else "mvn"
        command = f"{start} -B dependency:go-offline"
        return Install("jvm", command, "pom.xml", project.where)
    file = project.find_first("build.gradle.kts", "build.gradle")
    start = "./gradlew" if project.exists("gradlew") else "gradle"
    return Install("jvm", f"{start} testClasses", file, project.where) if file else None


def _autotools(project: ProjectFolder) -> Install | None:
    source = find_unconfigured_make(project)
    if not source and not project.exists("Makefile"):
        source = project.find_first("Makefile.am", "configure.ac")
    if not source:
        return None
    command = _CONFIGURE if project.exists("configure") else f"autoreconf -i && {_CONFIGURE}"
    return Install("autotools", command, source, project.where, False)


def _cmake(project: ProjectFolder) -> Install | None:
    if not list_cmake_tests(project):
        return None
    done = bool(find_cmake_folder(project))
    return Install("cmake", "cmake -B build", "CMakeLists.txt", project.where, done)


def _meson(project: ProjectFolder) -> Install | None:
    if not has_meson_tests(project):
        return None
    done = bool(find_meson_folder(project))
    return Install("meson", "meson setup build", MESON, project.where, done)


_LOOKS: dict[str, Callable[[ProjectFolder], Install | None]] = {
    "node": _node,
    "python": _python,
    "rust": _rust,
    "jvm": _jvm,
    "cmake": _cmake,
    "meson": _meson,
    "autotools": _autotools,
}

# Modules whose package has another name.
_PACKAGES = {
    "attr": "attrs", "bs4": "beautifulsoup4", "cv2": "opencv-python", "dateutil": "python-dateutil", "dotenv": "python-dotenv",
    "git": "gitpython", "jwt": "pyjwt", "magic": "python-magic", "OpenSSL": "pyopenssl", "PIL": "pillow",
    "pkg_resources": "setuptools", "serial": "pyserial", "sklearn": "scikit-learn", "yaml": "pyyaml", "zmq": "pyzmq",
}  # fmt: skip
_MANIFESTS = ("package.json", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", "Pipfile", "requirements.txt", *REQUIREMENTS)  # fmt: skip


def list_asked_for(project: ProjectFolder, modules: Iterable[str]) -> list[str]:
    """Return the modules that the project's manifests require, or that it would install itself from `src`."""
    names = list(modules)
    if not names:
        return []
    text = "\n".join(project.read(file) or "" for file in _MANIFESTS)
    words = {word.lower().replace("_", "-") for word in re.findall(r"[@\w./-]+", text)}
    return [
        name
        for name in names
        if _PACKAGES.get(name, name).lower().replace("_", "-") in words
        or project.find_first(f"src/{name}", f"src/{name}.py")
    ]


# Names under which the hooks of a tool are published: `ruff-pre-commit`, `mirrors-mypy`, `pre-commit-shfmt`.
_AROUND = re.compile(r"^(?:mirrors-|pre-commit-)|(?:-pre-commit|-mirror|\.git)$")


def read_pins(project: ProjectFolder) -> dict[str, str]:
    """Map a tool to pip's requirement, `ruff` -> `ruff==0.4.8`: what pre-commit hooks pin, where no package manager
    looks."""
    name = project.find_first(*PRE_COMMIT_FILES)
    listed = project.read_yaml(name).get("repos") if name else None
    pins = {}
    for repository in map(get_table, listed if isinstance(listed, list) else ()):
        version = re.fullmatch(r"v?(\d[\w.]*)", str(repository.get("rev", "")))
        tool = str(repository.get("repo", "")).rstrip("/").rpartition("/")[2]
        while (shorter := _AROUND.sub("", tool)) != tool:
            tool = shorter
        if version and tool:
            pins[tool] = f"{tool}=={version[1]}"
    return pins
