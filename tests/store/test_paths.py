"""Where things of ours are."""

import os

import pytest

from ultrawork.core.errors import Trouble, UsageError
from ultrawork.store import paths


def test_the_state_folder_is_named_or_lies_in_the_home():
    assert paths.find_home({"ULTRAWORK_HOME": "/a/b/", "HOME": "/h"}).root == "/a/b"
    assert paths.find_home({"HOME": "/h"}).root == "/h/.claude/ultrawork"
    assert paths.find_home({"ULTRAWORK_HOME": "", "HOME": "/h"}).root == "/h/.claude/ultrawork"


@pytest.mark.parametrize("environ", [{}, {"HOME": ""}, {"HOME": "h"}, {"ULTRAWORK_HOME": "rel"}, {"HOME": "/a\0b"}])
def test_a_state_folder_that_is_no_absolute_path_is_refused(environ):
    with pytest.raises(Trouble, match=r"ULTRAWORK_HOME|HOME is"):
        paths.find_home(environ)


@pytest.mark.parametrize("name", ["..", "a/b", "", "a\0", "{SESSION_ID}", "x" * 10_000_000])
def test_no_name_leads_out_of_the_state_folder(home, name):
    with pytest.raises(UsageError):
        home.session(name)


@pytest.mark.parametrize("link", ["sessions/s", "sessions"])
def test_a_linked_session_folder_is_refused(home, tmp_path, link):
    (tmp_path / "away" / "s").mkdir(parents=True)
    os.makedirs(home.root)
    if link == "sessions/s":
        os.makedirs(home.sessions)
    os.symlink(tmp_path / "away", f"{home.root}/{link}")
    with pytest.raises(Trouble, match="is a symbolic link"):
        home.session("s")


def test_a_checkout_is_the_nearest_folder_upwards_with_git(tmp_path):
    inner = tmp_path / "repo" / "a" / "b"
    inner.mkdir(parents=True)
    assert paths.find_checkout(str(inner)) == str(inner)
    (tmp_path / "repo" / ".git" / "objects").mkdir(parents=True)
    assert paths.find_checkout(str(inner)) == str(tmp_path / "repo")
    (tmp_path / "repo" / "a" / ".git").write_text("gitdir: elsewhere")
    assert paths.find_checkout(str(inner)) == str(tmp_path / "repo" / "a")


def test_an_empty_folder_of_git_is_passed_by_as_git_does(tmp_path):
    inner = tmp_path / "repo" / "a"
    (inner / ".git").mkdir(parents=True)
    assert paths.find_checkout(str(inner)) == str(inner)
    (tmp_path / "repo" / ".git").mkdir()
    assert paths.find_checkout(str(inner)) == str(inner)
    (tmp_path / "repo" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert paths.find_checkout(str(inner)) == str(tmp_path / "repo")


@pytest.mark.parametrize("lost", ["HEAD", "objects", "refs"])
def test_a_repository_that_lost_a_part_is_still_the_one_that_is_meant(tmp_path, lost):
    for part in {"HEAD", "objects", "refs"} - {lost}:
        (tmp_path / "repo" / ".git" / part).mkdir(parents=True)
    (tmp_path / "repo" / "a").mkdir()
    assert paths.find_checkout(str(tmp_path / "repo" / "a")) == str(tmp_path / "repo")


def test_a_checkout_is_the_same_through_a_link(tmp_path):
    (tmp_path / "repo" / ".git" / "refs").mkdir(parents=True)
    os.symlink(tmp_path / "repo", tmp_path / "link")
    assert paths.find_checkout(f"{tmp_path}/link") == str(tmp_path / "repo")
