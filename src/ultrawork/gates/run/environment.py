"""What a gate finds around it: its variables, what it needs, and files that stand in its runner's way."""

import os
from collections.abc import Iterator, Mapping

from ...core.agent_variables import remove_agent_variables
from ...core.verdict.gate import TEST, Gate
from ...system.process_tree import MARK
from ...system.program import find_program
from ..trees.dependencies import VENVS

_OURS = "ULTRAWORK_"
# What an outer run left, or what would make a result depend on who asks.
_OUTER = frozenset(
    (
        "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES",
        "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_CURRENT_TEST", "PYTEST_VERSION",
        "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID",
        "NODE_TEST_CONTEXT", "JEST_WORKER_ID", "VITEST", "VITEST_WORKER_ID", "VITEST_POOL_ID",
        "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "FORCE_COLOR", "CLICOLOR_FORCE",
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE",
    )
)  # fmt: skip
_PYTHON_SITE = ("sitecustomize", "usercustomize")
_PYTHON = {
    "pytest": ("pytest", "_pytest", "pluggy", "iniconfig"),
    "unittest": ("unittest",),
}
_JAVASCRIPT = ("jest", "vitest", "mocha")
_SCRIPTS = (".js", ".cjs", ".mjs", ".ts")
# Runners that watch unless they are told that nobody is there.
_WATCHING = ("jest", "vitest", "react-scripts", "karma", "craco", "ng test", "vue-cli-service")
_CONNECT = 1.0


def build_environment(gate: Gate, root: str, environ: Mapping[str, str]) -> dict[str, str]:
    """The given variables without the agent's, programs of the project first on the PATH."""
    declared = {need[4:] for need in gate.needs if need.startswith("env:")}
    given = remove_agent_variables(environ, declared)
    env = {name: value for name, value in given.items() if _is_handed_on(name)}
    if gate.kind == TEST and _may_watch(gate):
        env["CI"] = "1"
    folders = list(_upwards(root, gate.where))
    venv = next((place for folder in folders if (place := _venv(folder))), None)
    if venv:
        env["VIRTUAL_ENV"] = venv
        env.pop("PYTHONHOME", None)
    own = [f"{folder}/node_modules/.bin" for folder in folders] + ([venv + "/bin"] if venv else [])
    present = [folder for folder in own if os.path.isdir(folder)]
    env["PATH"] = os.pathsep.join([*present, env.get("PATH", os.defpath)])
    env.update(gate.env)
    return env


def _may_watch(gate: Gate) -> bool:
    """Whether the runner would wait for edits where nobody tells it that it must not."""
    told = f"{gate.runner} {gate.command} {gate.definition}"
    return any(name in told for name in _WATCHING)


def _is_handed_on(name: str) -> bool:
    return name == MARK or not (name.startswith(_OURS) or name in _OUTER)


def _upwards(root: str, where: str) -> Iterator[str]:
    """The folder a gate runs in, and those above it up to the root."""
    folder = os.path.normpath(f"{root}/{where}")
    while folder.startswith(root + "/"):
        yield folder
        folder = os.path.dirname(folder)
    yield root


def _venv(folder: str) -> str | None:
    for name in VENVS:
        if os.access(f"{folder}/{name}/bin/python", os.X_OK):
            return f"{folder}/{name}"
    return None


def list_missing_needs(gate: Gate, env: Mapping[str, str]) -> list[str]:
    """What the gate declares to need and does not find."""
    return [name for need in gate.needs if (name := _lacking(need, env))]


def _lacking(need: str, env: Mapping[str, str]) -> str:
    if need.startswith("tcp:"):
        address = need[4:]
        return "" if _answers(address) else address
    if need.startswith("env:"):
        return "" if env.get(need[4:]) else need[4:]
    return "" if find_program(need, env) else need


def _answers(address: str) -> bool:
    import socket

    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT):
            return True
    except (OSError, ValueError, OverflowError):
        return False


def find_shadows(gate: Gate, root: str) -> list[str]:
    """Files of the project, from its root, that are loaded in place of the runner or before it."""
    where = os.path.normpath(gate.where)
    folders = ["."] if where == "." else [".", where]
    found = []
    for folder in folders:
        for name in _python_names(gate.runner):
            found += [f"{folder}/{name}.py", f"{folder}/{name}/__init__.py"]
        for name in _javascript_names(gate.runner):
            found += [f"{folder}/{name}{ending}" for ending in _SCRIPTS]
    there = [os.path.normpath(path) for path in found if os.path.isfile(f"{root}/{path}")]
    return [path.removesuffix("/__init__.py") for path in there]


def _python_names(runner: str) -> tuple[str, ...]:
    """Of an unknown runner, that of any: make and scripts hide which one it is."""
    if runner in _JAVASCRIPT or (runner and runner not in _PYTHON):
        return ()
    own = _PYTHON.get(runner) or tuple(name for names in _PYTHON.values() for name in names)
    return (*own, *_PYTHON_SITE)


def _javascript_names(runner: str) -> tuple[str, ...]:
    if not runner:
        return _JAVASCRIPT
    return (runner,) if runner in _JAVASCRIPT else ()
