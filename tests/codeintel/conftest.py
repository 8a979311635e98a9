"""Little projects, and the real language servers for them."""

import os
import textwrap

import pytest

from support import toolchains
from ultrawork.codeintel.lsp.service import Languages


@pytest.fixture(scope="session")
def extras():
    return toolchains.extras()


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
def only(tmp_path, monkeypatch):
    """Puts one Python server alone on PATH."""
    servers = toolchains.python_servers()

    def choose(program):
        folder = tmp_path / ".path"
        folder.mkdir()
        (folder / program).symlink_to(os.path.join(servers, program))
        system = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin"))
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{system}")

    return choose


@pytest.fixture
def node(project):
    """Makes a project whose node_modules hold one of the sets of servers."""

    def make(name, files):
        top = project(files)
        os.symlink(toolchains.node_modules(name), os.path.join(top, "node_modules"))
        return top

    return make
