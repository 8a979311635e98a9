"""The driver that plays runs in repositories of every kind: a sample with the scripted agent."""

import os
import subprocess
import sys

import pytest

from support.floor import REPOSITORY
from support.repositories import KINDS

pytestmark = pytest.mark.slow
SAMPLE = ("links", "orphan branch", "lfs elsewhere")


def test_the_driver_shows_a_row_for_each_kind_and_no_fault(tmp_path):
    """git-lfs is missing on its PATH, so that kind is listed with the reason."""
    assert set(SAMPLE) <= set(KINDS)
    bare = tmp_path / "bin"
    bare.mkdir()
    (bare / "git").symlink_to("/usr/bin/git")
    environ = {"PATH": os.pathsep.join([str(bare), os.path.dirname(sys.executable)]), "HOME": str(tmp_path)}
    argv = [sys.executable, f"{REPOSITORY}/bench/repositories.py", "--client", "script", *SAMPLE]
    done = subprocess.run(
        argv, env={**environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = done.stdout.splitlines()
    for name, branch in (("links", "main"), ("orphan branch", "fresh")):
        (row,) = [line for line in rows if line.startswith(f"{name} ")]
        assert row.split("script")[1].split()[1:] == ["yes", "yes", "yes", branch, "has", "all", "results"]
    assert "lfs elsewhere    script  not run: git-lfs is not installed" in rows
    assert rows[-1] == "3 kinds, 0 runs with a fault"
