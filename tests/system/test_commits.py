"""Commits and refs of ours: written whole or not at all, and never over somebody else's."""

import os
import subprocess

import pytest

from ultrawork.core.errors import Trouble
from ultrawork.system import checkout as checkouts
from ultrawork.system import history
from ultrawork.system.git import Git, TreeEntry
from ultrawork.system.history import RefMove
from ultrawork.system.mirror import Mirror

NOBODY = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin", **NOBODY}
IDENTITY = {f"GIT_{role}_{what}": "x" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@pytest.fixture
def repo(tmp_path):
    path = tmp_path / "repo"
    path.mkdir()
    for command in (["init", "-q", "-b", "main"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", *command], cwd=path, env={**ENVIRON, **IDENTITY}, check=True)
    return Git(str(path), ENVIRON, extra=IDENTITY)


def test_refs_move_all_or_none(repo):
    head = repo.head()
    other = history.write(repo, repo.tree_id(head), [head], "other\n")
    assert history.move_refs(repo, [RefMove("refs/x/a", head, ""), RefMove("refs/x/b", head, "")], "why")
    assert not history.move_refs(repo, [RefMove("refs/x/a", other, head), RefMove("refs/x/b", other, other)], "why")
    assert history.list_refs(repo, "refs/x") == {"refs/x/a": head, "refs/x/b": head}


def test_a_ref_that_should_not_be_there_is_not_overwritten(repo):
    history.set_ref(repo, "refs/x/a", repo.head())
    other = history.write(repo, repo.tree_id("HEAD"), [], "other\n")
    assert not history.move_refs(repo, [RefMove("refs/x/a", other, "")], "why")


def test_a_ref_is_deleted_only_from_what_it_held(repo):
    head = repo.head()
    history.set_ref(repo, "refs/x/a", head)
    other = history.write(repo, repo.tree_id(head), [head], "other\n")
    assert not history.move_refs(repo, [RefMove("refs/x/a", "", other)], "why")
    assert history.move_refs(repo, [RefMove("refs/x/a", "", head)], "why")
    assert history.list_refs(repo, "refs/x") == {}


def test_a_ref_that_git_does_not_take_is_trouble(repo):
    with pytest.raises(Trouble, match="git update-ref failed"):
        history.move_refs(repo, [RefMove("refs/x/a..b", repo.head(), "")], "why")


def test_the_persons_variables_come_before_their_configuration(repo):
    repo.ask(["config", "user.name", "Pat"])
    found = history.read_identity(repo, {"GIT_AUTHOR_NAME": "Kim"})
    assert found == {
        "GIT_AUTHOR_NAME": "Kim",
        "GIT_COMMITTER_NAME": "Pat",
        "GIT_AUTHOR_EMAIL": "ultrawork@localhost",
        "GIT_COMMITTER_EMAIL": "ultrawork@localhost",
    }


def test_a_tree_of_working_files_is_brought_into_their_repository(repo, tmp_path):
    with open(f"{repo.root}/new.py", "w", encoding="utf-8") as file:
        file.write("new\n")
    mirror = Mirror(checkouts.find_at(repo.root), str(tmp_path / "store"), ENVIRON)
    tree = mirror.tree()
    assert repo.read(tree, "new.py") is None
    history.copy_objects(mirror, repo, tree, [repo.tree_id("HEAD")])
    assert repo.read(tree, "new.py") == b"new\n"


def test_an_amended_tree_has_the_new_entries_and_not_the_dropped_ones(repo, tmp_path):
    blob = repo.ask(["hash-object", "-w", "--stdin"], b"text\n").decode().strip()
    index = str(tmp_path / "index")
    one = TreeEntry("100644", blob, "a b/one")
    two = TreeEntry("100755", blob, "two")
    tree = history.amend_tree(repo, repo.tree_id("HEAD"), index, {entry.path: entry for entry in (one, two)})
    again = history.amend_tree(repo, tree, index, {"a b/one": None})
    assert [(entry.mode, entry.path) for entry in repo.entries(again)] == [("100755", "two")]
    assert not os.path.exists(index)
    assert history.amend_tree(repo, again, index, {}) == again
