"""What `make` writes lies in the folders that CONTRIBUTING.md names, and nowhere else."""

import os
import re
import subprocess
import sys

import pytest

from support.floor import PATH, REPOSITORY

SMALL = "tests/core/test_wording.py"


@pytest.fixture
def clone(tmp_path):
    """A clone whose .venv has the programs of ours and caches of its own."""
    place = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", REPOSITORY, place], check=True, timeout=60)
    (place / ".venv").mkdir()
    (place / ".venv/bin").symlink_to(os.path.dirname(sys.executable))
    for name in ("ready", "collected"):
        (place / ".venv" / name).touch()
    return place


def read_status(clone):
    words = ["git", "status", "--porcelain", "--ignored"]
    return subprocess.run(words, cwd=clone, check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_lint_and_tests_leave_nothing_beside_their_sources(clone):
    env = {"PATH": PATH, "HOME": str(clone.parent), "PYTHONPATH": f"{clone}/plugin/src"}
    words = ["make", "lint", "layers", "unit", f"TESTS={SMALL}", "WORKERS=1"]
    done = subprocess.run(words, cwd=clone, env=env, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_status(clone) == "!! .venv/\n"
    made = {path.name.partition(".")[0] for path in (clone / ".venv/cache").rglob("*.pyc")}
    assert "test_wording" in made


def test_contributors_read_which_folders_are_made():
    with open(f"{REPOSITORY}/CONTRIBUTING.md", encoding="utf-8") as file:
        named = re.search(r"All that `make` writes lies in (.*?);", file.read())
    with open(f"{REPOSITORY}/.gitignore", encoding="utf-8") as file:
        ignored = re.findall(r"^/(.+)/$", file.read(), re.MULTILINE)
    assert re.findall(r"`([^`]+)`", named[1]) == [".venv", ".tools", "demo", "build", "dist"]
    assert set(ignored) == {".venv", ".tools", "demo", "build", "dist"}
