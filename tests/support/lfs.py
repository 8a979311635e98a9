"""Repositories with the real git-lfs: `ULTRAWORK_GIT_LFS` or a program on the PATH. Its remote is a folder, so that no
server is needed."""

import filecmp
import os
import shutil
import subprocess

import pytest

from .headless import Headless

PROGRAM = "git-lfs"
_VARIABLE = "ULTRAWORK_GIT_LFS"


def find_program(name: str) -> str | None:
    """Return a program that a kind needs; git-lfs may also be named by a variable."""
    given = os.environ.get(_VARIABLE) if name == PROGRAM else None
    return given or shutil.which(name)


def require(name: str) -> None:
    """Skip the test where a program is missing."""
    if name and not find_program(name):
        pytest.skip(f"{name} is not installed")


def lay(project: Headless) -> None:
    """Two files in LFS, pushed to a remote that is a folder, so that no server is needed."""
    path = os.path.dirname(find_program(PROGRAM) or "")
    project.environ["PATH"] = f"{project.environ['PATH']}:{path}"
    project.git("lfs", "install", "--local")
    project.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    os.mkdir(f"{project.place}/data")
    project.write("data/a.bin", "\0" * 5000)
    project.write("data/b.bin", "\1" * 5000)
    project.git("add", "-A")
    project.git("commit", "-qm", "Data")
    remote = f"{project.root}/remote"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", remote], check=True)
    project.git("remote", "add", "origin", f"file://{remote}")
    project.git("push", "-q", "origin", "main")


def lay_elsewhere(project: Headless) -> None:
    lay(project)
    os.rename(f"{project.place}/.git/lfs", f"{project.root}/store")
    project.git("config", "lfs.storage", f"{project.root}/store")


def clone_without_contents(project: Headless) -> None:
    """Clone what `lay` pushed; then the remote is gone."""
    lay(project)
    os.rename(project.place, f"{project.root}/first")
    words = ["git", "clone", "-q", f"file://{project.root}/remote", project.place]
    subprocess.run(words, check=True, env=project.environ)
    project.git("config", "user.name", "Pat")
    project.git("config", "user.email", "pat@example.org")
    project.git("lfs", "install", "--local")
    os.rename(f"{project.root}/remote", f"{project.root}/gone")


def lay_skipped(project: Headless) -> None:
    clone_without_contents(project)
    project.environ["GIT_LFS_SKIP_SMUDGE"] = "1"


def check(project: Headless) -> None:
    """LFS finds every content, none is modified, and a push brings them to another clone."""
    names = sorted(os.listdir(f"{project.place}/data"))
    project.git("lfs", "fsck")
    for name in names:
        os.utime(f"{project.place}/data/{name}")
    assert project.git("status", "--porcelain") == ""
    project.git("push", "-q", "origin", "main")
    other = f"{project.root}/other"
    project.git("clone", "-q", f"{project.root}/remote", other)
    project.git("-C", other, "lfs", "install", "--local")
    project.git("-C", other, "lfs", "pull")
    for name in names:
        assert filecmp.cmp(f"{other}/data/{name}", f"{project.place}/data/{name}", shallow=False), name
