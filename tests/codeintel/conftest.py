"""Real language servers, installed once into the tools folder, and little projects for them."""

import fcntl
import os
import shutil
import subprocess
import sys
import textwrap

import pytest

from ultrawork.codeintel.lsp.service import Languages
from ultrawork.testing.clients import tools_folder

PYTHON = ["basedpyright==1.40.2", "ty==0.0.100", "python-lsp-server[pyflakes]==1.15.0"]
NODE = {
    "ts6": ["typescript@6.0.3", "typescript-language-server@5.3.0"],
    "ts7": ["typescript@7.0.2"],
}


def installed(name, commands):
    """The folder of one set of servers; it gets its name only when it is whole."""
    folder = os.path.join(tools_folder(), "lsp", name)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(f"{folder}/ready"):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            for command in commands:
                subprocess.run(command, cwd=folder, check=True, timeout=600, capture_output=True)
            with open(f"{folder}/ready", "w"):
                pass
    return folder


@pytest.fixture(scope="session")
def python_servers():
    """The `bin` folder that holds basedpyright, ty and pylsp."""
    pip = ["bin/pip", "install", "-q", *PYTHON]
    return os.path.join(installed("python", [[sys.executable, "-m", "venv", "."], pip]), "bin")


@pytest.fixture(scope="session")
def extras():
    """A folder of packages that holds ast-grep."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", ".", "ast-grep-py==0.51.0"]
    return installed(f"extras-{sys.version_info.major}.{sys.version_info.minor}", [pip])


def node_modules(name):
    npm = ["npm", "install", "--no-audit", "--no-fund", "--prefix", ".", *NODE[name]]
    return os.path.join(installed(name, [npm]), "node_modules")


@pytest.fixture
def project(tmp_path):
    """Writes files (`name: text`, texts dedented) into a folder and gives the folder."""

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).lstrip("\n"))
        return str(tmp_path)

    return write


@pytest.fixture
def languages():
    """Makes `Languages` for a folder and ends their servers after the test."""
    made = []

    def make(top, **options):
        made.append(Languages(top, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def only(python_servers, tmp_path, monkeypatch):
    """Puts one Python server alone on PATH."""

    def choose(program):
        folder = tmp_path / ".path"
        folder.mkdir()
        (folder / program).symlink_to(os.path.join(python_servers, program))
        system = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{system}")

    return choose


@pytest.fixture
def typescript(project):
    """Makes a project whose node_modules hold one of the two TypeScript servers."""

    def make(name, files):
        top = project(files)
        os.symlink(node_modules(name), os.path.join(top, "node_modules"))
        return top

    return make
