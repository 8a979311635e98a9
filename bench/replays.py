"""
The checkout in which bench/commits.py replays a commit: cloned at the parent, prepared, reset between replays, and a
session in it whose events go into the hooks as the client sends them.
"""

import json
import os
import resource
import shutil
import subprocess
import time

from common import PLUGIN, PYTHON
from wild import Workshop

from support import template
from support.scene import Scene

SUITE, PREPARE, LATER = 180, 600, 300
GREEN, RED, LATE, ABSENT = "green", "red", "late", "could not run"
# What runs the tests in each language, whatever the project.
SUITES = {
    "Python": "if python -c 'import pytest' 2>/dev/null; then python -m pytest -p no:cacheprovider; else python -m unittest; fi",
    "JavaScript": "npm test",
    "TypeScript": "npm test",
    "Rust": "cargo test",
    "Go": "go test ./...",
    "C": "if grep -q ^check: Makefile; then make check; else make test; fi",
    "Ruby": "if test -d spec; then rspec; else rake; fi",
    "Java": "mvn -q -B test",
}
# Where unittest finds no test, it is content.
EMPTY = "\nRan 0 tests"
# Programs that install or start everything else, and where a project names them.
MANAGERS = ("uv", "poetry", "tox", "nox", "hatch", "pdm")
SETTINGS = ("Makefile", "pyproject.toml", "tox.ini", "noxfile.py", ".github/workflows", "uv.lock")


class Shop(Workshop):
    """One commit's checkout, its environment and the caches that all of them share."""

    def __init__(self, root, caches):
        super().__init__(root)
        self.caches, self.place = caches, f"{root}/project"

    def environ(self, project=None):
        found = super().environ(project)
        shared = {"PIP_CACHE_DIR": "pip", "NPM_CONFIG_CACHE": "npm", "GOCACHE": "go", "GOPATH": "gopath", "CARGO_HOME": "cargo"}  # fmt: skip
        found |= {name: f"{self.caches}/{folder}" for name, folder in shared.items()}
        own = f"{self.root}/venv/bin:{self.place}/node_modules/.bin"
        # What npm did by itself when most of these commits were made.
        found["npm_config_legacy_peer_deps"] = "true"
        return {**found, "PATH": f"{own}:{found['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}  # fmt: skip

    def git(self, *words):
        return subprocess.run(["git", "-C", self.place, *words], check=True, capture_output=True).stdout  # fmt: skip

    def clone(self, mirror, parent):
        """The project at `parent`, as if nothing had been written after it."""
        shutil.rmtree(self.place, ignore_errors=True)
        subprocess.run(["git", "clone", "-q", "--no-checkout", "--no-tags", mirror, self.place], check=True, capture_output=True)  # fmt: skip
        self.git("checkout", "-q", "--detach", parent)
        self.git("remote", "remove", "origin")
        for name in self.git("branch", "--format=%(refname:short)").decode().split("\n"):
            if name and not name.startswith("("):
                self.git("branch", "-q", "-D", name)
        self.git("checkout", "-q", "-b", "work")

    def prepare(self, language):
        """
        What `gates prepare` installs; it stays when the files are reset. Python gets an empty environment first, with
        the tools that the project's people have and that nothing in the project can bring.
        """
        if language == "Python" and not os.path.exists(f"{self.root}/venv"):
            self.run([PYTHON, "-m", "venv", f"{self.root}/venv"], limit=PREPARE)
            if named := self.find_managers():
                self.run([f"{self.root}/venv/bin/pip", "install", "-q", *named], limit=PREPARE)
        self.run([f"{PLUGIN}/bin/ultrawork", "gates", "prepare", "--yes"], where=self.place, limit=PREPARE)  # fmt: skip

    def find_managers(self):
        said = subprocess.run(["git", "-C", self.place, "grep", "-hwoE", "|".join(MANAGERS), "--", *SETTINGS], capture_output=True, text=True, check=False)  # fmt: skip
        return sorted(set(said.stdout.split()))

    def keep_installed(self):
        made = self.git("ls-files", "--others", "--directory").decode().splitlines()
        kept = [f"/{name}" for name in made]
        with open(f"{self.place}/.git/info/exclude", "a", encoding="utf-8") as file:
            file.write("".join(f"{name}\n" for name in kept))
        return kept

    def reset(self, kept):
        self.git("reset", "-q", "--hard")
        self.git("clean", "-qffdx", *(word for name in kept for word in ("-e", name)))

    def suite(self, language):
        """The state of the project's own tests, their output, seconds and processor time."""
        began, spent = time.monotonic(), count_cpu()
        exit_, output = self.run(SUITES[language], where=self.place, limit=SUITE)
        state = {0: GREEN, 124: LATE, 127: ABSENT}.get(exit_, RED)
        if state == GREEN and EMPTY in output:
            state = ABSENT
        return state, output, round(time.monotonic() - began, 2), round(count_cpu() - spent, 2)


class Replay(Scene):
    """A session in a checkout that is there already; `begin` starts another one with an empty state folder."""

    def __init__(self, root, environ):
        super().__init__(root, {})
        self.kept = {name: value for name, value in environ.items() if name not in ("HOME", "ULTRAWORK_HOME")}  # fmt: skip
        self.number = 0

    def begin(self):
        self.number += 1
        self.home, self.data = f"{self.root}/state{self.number}", f"{self.root}/data{self.number}"
        os.makedirs(self.data)
        template.prepare_cache(self.home)
        self.environ |= {**self.kept, "ULTRAWORK_HOME": self.home, "CLAUDE_PLUGIN_DATA": self.data}

    def write(self, name, text):
        path = f"{self.place}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
        return path

    def put(self, name, text):
        """The file with that text; without it if there is none."""
        path = f"{self.place}/{name}"
        if text is not None:
            self.write(name, text)
        elif os.path.exists(path):
            os.remove(path)

    def act(self, name, text):
        """One file as the agent writes or removes it. Answers whether that was denied."""
        path = f"{self.place}/{name}"
        is_new = not os.path.exists(path)
        tool, given = ("Write", {"file_path": path, "content": text}) if is_new else ("Edit", {"file_path": path, "old_string": "", "new_string": (text or "")[:50]})  # fmt: skip
        if text is None:
            tool, given = "Bash", {"command": f"git rm -q {name}"}
        answer = self.event("PreToolUse", tool_name=tool, tool_input=given)
        self.put(name, text)
        self.tool(tool, given)
        return (answer.get("hookSpecificOutput") or {}).get("permissionDecision") == "deny"

    def wait_for_verdict(self, answer):
        """The verdict as `evidence` shows it; a check that was left running is waited for."""
        until = time.monotonic() + (LATER if "not verified yet" in answer.get("systemMessage", "") else 0)
        while True:
            told = json.loads(self.run("evidence", "--json")).get("data") or {}
            if told.get("verdict") or time.monotonic() >= until:
                return told
            time.sleep(2)


def count_cpu():
    kinds = (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


def obtain_mirror(folder, project, host="https://github.com"):
    """The clone of a project in `folder`, made first where there is none."""
    found = find_mirror(folder, project)
    if found is None:
        found = f"{folder}/{project.replace('/', '+')}"
        os.makedirs(folder, exist_ok=True)
        subprocess.run(["git", "clone", "-q", "--bare", f"{host}/{project}", found], check=True)
    return found


def find_mirror(folder, project):
    owner, name = project.split("/")
    for one in (f"{owner}+{name}/repo", f"{owner}+{name}", project, f"{project}.git", name, f"{name}.git"):  # fmt: skip
        if os.path.exists(f"{folder}/{one}/HEAD") or os.path.exists(f"{folder}/{one}/.git"):
            return f"{folder}/{one}"
    return None


def read_change(shop, parent, commit):
    """Each changed path with its text before and after; None where there is no file."""
    names = shop.git("diff", "--name-only", "--no-renames", "-z", parent, commit).decode()
    return {name: (read_at(shop, parent, name), read_at(shop, commit, name)) for name in names.split("\0") if name}  # fmt: skip


def read_at(shop, commit, name):
    found = subprocess.run(["git", "-C", shop.place, "show", f"{commit}:{name}"], capture_output=True, check=False)  # fmt: skip
    return None if found.returncode else found.stdout.decode("utf-8", "surrogateescape")


def read_line(mirror, *words):
    return subprocess.run(["git", "-C", mirror, *words], check=True, capture_output=True, text=True).stdout.strip()  # fmt: skip
