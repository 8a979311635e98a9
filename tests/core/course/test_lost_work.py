"""Which of the person's hunks were undone, and which commands can have done it."""

import pytest

from ultrawork.core.course.chain import can_undo, find_undone_hunks, is_found_in

COMMITTED = ["a", "b", "c", "d"]


def undone(before, now):
    return [(one.removed, one.added) for one in find_undone_hunks(COMMITTED, before, now)]


def test_a_line_that_is_as_committed_again_is_undone():
    assert undone(["a", "B", "c", "d"], COMMITTED) == [(["b"], ["B"])]


def test_what_was_added_and_is_gone_is_undone_whatever_was_written_elsewhere():
    assert undone([*COMMITTED, "mine"], ["a", "b", "c", "D", "new"]) == [([], ["mine"])]


@pytest.mark.parametrize(
    "now", [["a", "B", "c", "d"], ["a", "edited", "c", "d"], ["B", "a", "b", "c", "d"]], ids=["kept", "edited", "moved"]
)
def test_what_is_there_was_edited_or_moved_is_not_undone(now):
    assert undone(["a", "B", "c", "d"], now) == []


def test_of_several_hunks_only_the_undone_ones_are_told():
    assert undone(["a", "B", "c", "D"], ["a", "b", "c", "D"]) == [(["b"], ["B"])]


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -- .",
        "git checkout shop.py",
        "git restore src/shop.py",
        "cd src && git restore shop.py",
        "git reset --hard",
        "git -C . stash",
        "make; git clean -fd",
        "rm -rf src",
        "git checkout HEAD -- 'src/*.py'",
    ],
)
def test_commands_that_undo(command):
    assert can_undo(command, "src/shop.py")


@pytest.mark.parametrize(
    "command",
    [
        "git checkout -b fix",
        "git checkout -- other.py",
        "git reset HEAD~1",
        "git status; git diff src/shop.py",
        "rm -rf build",
        "echo rm src/other.py",
    ],
)
def test_commands_that_do_not(command):
    assert not can_undo(command, "src/shop.py")


def test_a_file_of_which_most_lines_lie_in_another_was_moved():
    assert is_found_in("one\ntwo\nthree\n", ["# new\none\ntwo\n"])
    assert not is_found_in("one\ntwo\nthree\n", ["three\n", "four\n"])
