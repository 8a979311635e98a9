"""Real language servers, ast-grep and MCP clients, each set installed once into the tools folder."""

import fcntl
import os
import shutil
import subprocess
import sys
import time

import pytest

from .clients import tools_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# A stalled download is restarted once. Then the tests that need it are skipped, and say so.
SECONDS = 100
TRIES = 2
FRESH = 900.0
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
PYTHON_SERVERS = ("basedpyright==1.40.2", "ty==0.0.100", "python-lsp-server[pyflakes]==1.15.0")
NODE = {
    "ts6": ("typescript@6.0.3", "typescript-language-server@5.3.0"),
    "ts7": ("typescript@7.0.2",),
    "runners": ("jest@30", "vitest@4", "vite@7", "mocha@12"),
    "bun": ("bun@1",),
    "brittle": ("brittle@4.1.0",),
    "web": (
        "vscode-langservers-extracted@4.10.0",
        "yaml-language-server@2.0.0",
        "bash-language-server@5.8.1",
        "intelephense@1.18.5",
    ),
}
SDKS = {"1": "mcp>=1.30,<2", "2": "mcp>=2.3,<3"}


def python_servers() -> str:
    """Return the folder with basedpyright, ty and pylsp."""
    return f"{_environment(f'python-{VERSION}', PYTHON_SERVERS)}/bin"


def node_modules(name: str) -> str:
    """Return the `node_modules` with one of the TypeScript servers, those of web languages, or test runners."""
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", ".", *NODE[name]]
    return _installed(name, [npm]) + "/node_modules"


def behave() -> str:
    """Return the virtual environment with behave."""
    return _environment("behave", ("behave==1.3.3",))


def meson() -> str:
    """Return the folder with meson."""
    return f"{_environment(f'meson-{VERSION}', ['meson'])}/bin"


def extras() -> str:
    """Return a folder with ast-grep, as a user would add it to the plugin."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", ".", "ast-grep-py==0.51.0"]
    return _installed(f"extras-{VERSION}", [pip])


def sdk(version: str) -> str:
    """Return the interpreter of an environment with the official MCP client, 1.x or 2.x."""
    return f"{_environment(f'sdk{version}-{VERSION}', [SDKS[version]])}/bin/python"


def _environment(name: str, packages: "Sequence[str]") -> str:
    made = [sys.executable, "-m", "venv", "."]
    return _installed(name, [made, ["bin/pip", "install", "-q", *packages]])


def _installed(name: str, commands: "Sequence[Sequence[str]]") -> str:
    """Return the caller's set; it exists only when complete."""
    folder = f"{tools_folder()}/sets/{name}"
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(f"{folder}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(f"{folder}/ready"):
            _install(name, folder, commands)
    return folder


def _install(name: str, folder: str, commands: "Sequence[Sequence[str]]") -> None:
    """Install; those who waited for an install that just failed do not each retry it."""
    failed, why = f"{folder}.failed", ""
    if os.path.exists(failed) and time.time() - os.path.getmtime(failed) < FRESH:
        pytest.skip(f"not run: {name} could not be installed")
    for _ in range(TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        try:
            for command in commands:
                subprocess.run(command, cwd=folder, check=True, timeout=SECONDS, capture_output=True)
        except subprocess.TimeoutExpired:
            why = f"nothing came for {SECONDS} s"
        except subprocess.CalledProcessError as error:
            why = error.stderr.decode("utf-8", "replace").strip()[-200:]
        else:
            with open(f"{folder}/ready", "w", encoding="utf-8"):
                return
    with open(failed, "w", encoding="utf-8"):
        pytest.skip(f"not run: {name} could not be installed: {why}")
