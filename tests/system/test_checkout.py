"""What is checked out, as the files of a repository tell it."""

import subprocess

import pytest

from support.cluster import git
from ultrawork.system.checkout import read_head, read_ref


@pytest.fixture
def place(tmp_path):
    place = str(tmp_path / "place")
    subprocess.run(["git", "init", "-q", place], check=True)
    return place


def test_the_commit_that_is_checked_out_is_read_without_git(place):
    git(place, "commit", "-q", "--allow-empty", "-m", "start")
    start = git(place, "rev-parse", "HEAD")
    assert read_head(place) == start
    git(place, "worktree", "add", "-q", "-b", "other", f"{place}.other")
    git(f"{place}.other", "commit", "-q", "--allow-empty", "-m", "more")
    assert read_head(f"{place}.other") == git(place, "rev-parse", "other")
    git(place, "checkout", "-q", "--detach")
    assert read_head(place) == start


def test_where_the_files_do_not_tell_it_nothing_is_said(place, tmp_path):
    assert read_head(str(tmp_path)) == ""
    assert read_head(place) == "", "no commit yet"
    git(place, "commit", "-q", "--allow-empty", "-m", "start")
    git(place, "pack-refs", "--all")
    assert read_head(place) == ""


def test_what_a_ref_holds_is_read_without_git(place):
    git(place, "commit", "-q", "--allow-empty", "-m", "start")
    start, common = git(place, "rev-parse", "HEAD"), f"{place}/.git"
    git(place, "update-ref", "refs/x/one", start)
    assert read_ref(common, "refs/x/one") == start
    assert read_ref(common, "refs/x/none") == ""
    git(place, "symbolic-ref", "refs/x/other", "refs/x/one")
    assert read_ref(common, "refs/x/other") is None, "it leads to another one"
    git(place, "pack-refs", "--all")
    assert read_ref(common, "refs/x/one") is None, "git has packed it"
