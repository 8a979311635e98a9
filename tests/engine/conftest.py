"""A repository of a person, and what a session knows of it."""

import os
import subprocess
from pathlib import Path

import pytest

from support import template
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.merge_queue import MergeQueue
from ultrawork.engine.repository.opening import open_repository
from ultrawork.store.paths import Home

PATH = "/usr/local/bin:/usr/bin:/bin"


class Person:
    """Somebody with a checkout, a name that git knows, and a state folder of ours."""

    def __init__(self, folder: Path, name: str = "shop"):
        self.folder = folder
        self.path = folder / name
        self.home = Home(str(folder / "state"))
        self.environ = {"PATH": PATH, "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        (folder / ".gitconfig").write_text(
            '[user]\n\tname = Pat\n\temail = pat@example.org\n[protocol "file"]\n\tallow = always\n'
        )
        self.path.mkdir(parents=True, exist_ok=True)

    def git(self, *arguments, at=None, check=True):
        ended = subprocess.run(
            ["git", *arguments], cwd=at or self.path, env=self.environ, capture_output=True, check=False
        )
        assert not check or ended.returncode == 0, ended.stderr.decode()
        return ended.stdout.decode("utf-8", "surrogateescape").strip()

    def init(self, **files):
        self.git("init", "-q", "-b", "main")
        return self.commit(**files) if files else ""

    def write(self, name, text="text\n", at=None):
        path = Path(at or self.path) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return path

    def commit(self, **files):
        for name, text in files.items():
            self.write(named(name), text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")

    def open(self, session="s1", place=None):
        return open_repository(str(place or self.path), self.home, session, self.environ)

    def files(self, commit):
        """Every file of a commit with its text."""
        names = self.git("ls-tree", "-r", "--name-only", commit).splitlines()
        return {name: self.git("show", f"{commit}:{name}") for name in names}


def named(keyword):
    """`a__b_py` as a keyword means `a/b.py`."""
    return keyword.replace("__", "/").replace("_py", ".py").replace("_txt", ".txt")


def done(repository, subject, files, epoch=1, onto=None):
    """A worker's whole attempt: a worktree, some files, the commit."""
    worktree = worktrees.prepare(repository, subject, epoch, onto)
    for name, text in files.items():
        path = Path(worktree.path) / name
        if text is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return worktree.collect(f"Do {subject}")


def green(path, subject):
    return True, ""


@pytest.fixture
def person(tmp_path):
    return Person(tmp_path)


@pytest.fixture
def shop(person):
    """With three files and two commits."""

    def lay():
        person.init(a_py="a = 1\n", src__b_py="b = 1\nb = 2\nb = 3\n", _gitignore="build/\n*.log\n")
        os.rename(person.path / "_gitignore", person.path / ".gitignore")
        person.commit()

    template.fill(str(person.path), "shop", lay)
    return person


@pytest.fixture
def repository(shop):
    return shop.open()


@pytest.fixture
def do():
    return done


@pytest.fixture
def queue(repository):
    return MergeQueue(repository, green)
