"""
The command beside "could not run" works when it is run: in throw-away projects, with the real package managers.

They install from the machine's own index. Without one, a row says why it was not run.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from support.floor import PLUGIN

pytestmark = pytest.mark.slow
CODE = "def add(a, b):\n    return a + b\n"
PROJECT = """[project]
name = "sums"
version = "1.0"
[project.optional-dependencies]
dev = ["pytest"{more}]
[tool.setuptools]
py-modules = ["sums"]
"""
HOOKS = """repos:
  - repo: https://github.com/astral-sh/ruff-pre-commit
    rev: v0.6.9
    hooks:
      - id: ruff
"""
LINTED = {
    "sums.py": CODE,
    "pyproject.toml": PROJECT.format(more=""),
    ".pre-commit-config.yaml": HOOKS,
    "ultrawork.toml": '[gates]\nlint = "ruff check sums.py"\n',
}
TIMED = {
    "sums.py": CODE,
    "pyproject.toml": PROJECT.format(more=', "pytest-timeout"')
    + '[tool.pytest.ini_options]\naddopts = "--timeout=60"\n',
    "test_sums.py": "from sums import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}
NODE = {
    "package.json": json.dumps({"name": "sums", "scripts": {"test": "uvu tests"}, "devDependencies": {"uvu": "0.5.6"}}),
    "sums.js": "exports.add = (a, b) => a + b\n",
    "tests/sums.js": "const { test } = require('uvu')\nconst assert = require('uvu/assert')\n"
    "test('adds', () => assert.is(require('../sums').add(1, 2), 3))\ntest.run()\n",
}
GO = {
    "go.mod": "module example.org/sums\n\ngo 1.18\n\nrequire example.org/near v1.0.0\n",
    "sums.go": "package sums\n\nfunc Add(a, b int) int { return a + b }\n",
    "sums_test.go": 'package sums\n\nimport (\n\t"testing"\n\n\t"example.org/near"\n)\n\n'
    "func TestAdd(t *testing.T) {\n\tif !near.Same(Add(1, 2), 3) {\n\t\tt.Fatal(Add(1, 2))\n\t}\n}\n",
}


class Place:
    """A project in a folder of its own, with an environment that the cure may fill."""

    def __init__(self, root, files):
        self.path = f"{root}/sums"
        self.environ = {**os.environ, "HOME": f"{root}/home", "ULTRAWORK_HOME": f"{root}/state"}
        os.makedirs(self.environ["HOME"])
        for name, text in files.items():
            os.makedirs(os.path.dirname(f"{self.path}/{name}"), exist_ok=True)
            with open(f"{self.path}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "x"]):
            named = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
            subprocess.run(["git", *named, *words], cwd=self.path, check=True)

    def run(self, command):
        return subprocess.run(
            ["sh", "-c", command], cwd=self.path, env=self.environ, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip

    def install(self, command):
        """Not a fault of ours where nothing can be reached."""
        done = self.run(command)
        if done.returncode and re.search(UNREACHABLE, done.stdout + done.stderr):
            pytest.skip(f"not run: {command!r} reaches no index")
        assert done.returncode == 0, done.stdout + done.stderr

    def verify(self):
        done = self.run(f"{PLUGIN}/bin/ultrawork verify")
        return done.returncode, done.stdout + done.stderr


UNREACHABLE = r"ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|No matching distribution|Connection|no such host"


def add_venv(place, *packages):
    """An environment that is activated, as the person's shell has it, and is not the project's own folder."""
    venv = f"{place.environ['HOME']}/venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    place.environ |= {"VIRTUAL_ENV": venv, "PATH": f"{venv}/bin:{os.defpath}"}
    if packages:
        place.install(f"pip install -q {' '.join(packages)}")


def add_node(place):
    require("npm")


def add_go(place):
    """A module that only a proxy of our own has."""
    require("go")
    home = place.environ["HOME"]
    proxy = f"{home}/proxy/example.org/near/@v"
    os.makedirs(proxy)
    files = {
        "go.mod": "module example.org/near\n\ngo 1.18\n",
        "near.go": "package near\n\nfunc Same(a, b int) bool { return a == b }\n",
    }
    with zipfile.ZipFile(f"{proxy}/v1.0.0.zip", "w") as packed:
        for name, text in files.items():
            packed.writestr(f"example.org/near@v1.0.0/{name}", text)
    for name, text in (("v1.0.0.mod", files["go.mod"]), ("v1.0.0.info", '{"Version": "v1.0.0"}'), ("list", "v1.0.0\n")):
        with open(f"{proxy}/{name}", "w", encoding="utf-8") as file:
            file.write(text)
    place.environ |= {
        "GOPROXY": f"file://{home}/proxy", "GOSUMDB": "off", "GOMODCACHE": f"{home}/modules", "GOCACHE": f"{home}/cache",
        "GOFLAGS": "-modcacherw",
    }  # fmt: skip


def require(program):
    if shutil.which(program) is None:
        pytest.skip(f"not run: {program} is not installed")


@pytest.mark.parametrize(
    ("files", "prepare", "wanted"),
    [
        pytest.param(LINTED, add_venv, "ruff==0.6.9", id="a linter that pre-commit pins"),
        pytest.param(TIMED, lambda place: add_venv(place, "pytest"), "pip install -e '.[dev]'", id="a plugin of pytest"),
        pytest.param(NODE, add_node, "npm install", id="packages of npm"),
        pytest.param(GO, add_go, "go mod tidy", id="modules of Go"),
    ],
)  # fmt: skip
def test_the_cure_beside_could_not_run_works(tmp_path, files, prepare, wanted):
    place = Place(str(tmp_path), files)
    prepare(place)
    status, told = place.verify()
    assert (status, told.partition(".")[0]) == (3, "UNVERIFIED"), told
    found = re.search(r"(?m)run (.+?) \(or ultrawork gates prepare\)", told)
    assert found, told
    assert wanted in found[1]
    place.install(found[1])
    status, told = place.verify()
    assert status == 0, told
