"""A tree composed of the entries of others: with git and without, and nothing of the repository is touched."""

import os
import shutil

import pytest
from tests.gates.trees.test_tree import Repo, fingerprint

from ultrawork.gates.trees import tree as trees


@pytest.fixture(params=["git", "walk"])
def project(request, tmp_path):
    found = Repo(tmp_path)
    for name in ("a.py", "src/b.py", "src/deep/c.py", "place"):
        found.write(name, f"# {name}\n")
    found.commit()
    if request.param == "walk":
        shutil.rmtree(found.path / ".git")
    return found


def change(project):
    """Every way in which a path can differ."""
    project.write("a.py", "changed\n")
    project.write("added/new.py", "new\n")
    (project.path / "src/deep/c.py").unlink()
    (project.path / "place").unlink()
    project.write("place/inner.py", "a folder now\n")
    os.symlink("a.py", project.path / "link")
    (project.path / "src/b.py").chmod(0o755)


def test_taking_every_path_from_the_other_tree_gives_that_tree(project):
    before = project.tree()
    change(project)
    after = project.tree()
    sides = trees.diff_entries(before, after)
    assert set(sides) == {
        "a.py", "added/new.py", "src/deep/c.py", "place", "place/inner.py", "link", "src/b.py",
    }  # fmt: skip
    assert trees.compose(after, {path: old for path, (old, _) in sides.items()}) == before
    assert trees.compose(before, {path: new for path, (_, new) in sides.items()}) == after


def test_some_paths_are_taken_and_the_rest_stays(project):
    before = project.tree()
    change(project)
    after = project.tree()
    sides = trees.diff_entries(before, after)
    wanted = {path: sides[path][0] for path in ("a.py", "added/new.py", "src/deep/c.py")}
    made = trees.compose(after, wanted)
    assert trees.read(made, "a.py") == b"# a.py\n"
    assert trees.read(made, "added/new.py") is None
    assert trees.read(made, "src/deep/c.py") == b"# src/deep/c.py\n"
    assert trees.read(made, "place/inner.py") == b"a folder now\n"


def test_it_can_be_written_out(project, tmp_path):
    before = project.tree()
    project.write("a.py", "changed\n")
    project.write("b.py", "kept\n")
    after = project.tree()
    old = trees.diff_entries(before, after)["a.py"][0]
    trees.materialise(trees.compose(after, {"a.py": old}), str(tmp_path / "copy"))
    assert (tmp_path / "copy/a.py").read_text() == "# a.py\n"
    assert (tmp_path / "copy/b.py").read_text() == "kept\n"


def test_the_repository_is_not_touched(tmp_path):
    project = Repo(tmp_path)
    project.write("a.py", "one\n")
    project.commit()
    before = project.tree()
    project.write("a.py", "two\n")
    after = project.tree()
    state = fingerprint(project.path / ".git")
    trees.compose(after, {"a.py": trees.diff_entries(before, after)["a.py"][0]})
    assert fingerprint(project.path / ".git") == state
