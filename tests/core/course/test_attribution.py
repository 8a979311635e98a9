"""Whose work a change is that no edit tool made."""

import pytest

from ultrawork.core.course import chain
from ultrawork.core.course.chain import find_doers, is_within, judge, list_calls, list_edited


def entry(agent, at, ms=100, what="", tool="Bash", **more):
    return {"tool": tool, "agent": agent, "at": at, "ms": ms, "what": what, "ok": True, **more}


ONE, OTHER = entry("a1", 100.0, 2000), entry("a2", 200.0, 2000)


@pytest.mark.parametrize(
    ("at", "expected"), [(99.5, ["a1"]), (98.0, ["a1"]), (199.0, ["a2"]), (150.0, []), (100.5, []), (90.0, [])]
)
def test_who_ran_a_command_at_that_moment_did_it(at, expected):
    assert find_doers("src/x.py", at, list_calls([ONE, OTHER], 0.0)) == expected


def test_of_several_the_one_that_names_the_file_did_it():
    both = [entry("a1", 100.0, 5000, "sed -i s/a/b/ src/x.py"), entry("a2", 101.0, 5000, "make")]
    assert find_doers("src/x.py", 99.0, list_calls(both, 0.0)) == ["a1"]
    assert find_doers("src/y.py", 99.0, list_calls(both, 0.0)) == ["a1", "a2"]


def test_a_file_that_is_gone_was_removed_by_who_named_it():
    made = list_calls([entry("a1", 100.0, what="rm src/x.py"), OTHER], 0.0)
    assert find_doers("src/x.py", None, made) == ["a1"]
    assert find_doers("src/y.py", None, made) == []


def test_a_command_in_the_background_writes_on():
    made = list_calls([entry("a1", 100.0, background=True)], 150.0)
    assert find_doers("x", 500.0, made) == ["a1"]


def test_a_command_of_unknown_length_began_at_the_last_look():
    assert find_doers("x", 60.0, list_calls([entry("a1", 100.0, None)], 50.0)) == ["a1"]


@pytest.mark.parametrize(
    "other",
    [
        entry("a1", 100.0, tool="Read"),
        entry("a1", 100.0, tool="Edit"),
        entry("a1", 100.0, what="ultrawork verify"),
        entry("a1", 40.0),
    ],
)
def test_what_does_not_write_is_no_command(other):
    assert list_calls([other], 50.0) == []


def test_tools_of_servers_may_write():
    assert len(list_calls([entry("a1", 100.0, tool="mcp__files__put")], 0.0)) == 1


def test_an_edit_that_failed_explains_nothing():
    done, failed = (entry("a1", 1.0, tool="Write", what="/p/x"), entry("a1", 1.0, tool="Edit", what="/p/y"))
    assert list_edited([done, {**failed, "ok": False}, ONE]) == {"/p/x"}


@pytest.mark.parametrize(
    ("by", "holder", "files", "left", "why"),
    [
        (["a"], "", {}, ("a",), ""),
        (["a"], "a", {}, ("a",), ""),
        (["a", "b"], "b", {}, ("b",), ""),
        (["a"], "b", {}, ("a",), "the file belongs to task b"),
        (["a"], "", {"a": ["src/x.py"]}, ("a",), ""),
        (["a"], "", {"a": ["src/y.py"]}, ("a",), chain.OUTSIDE),
        (["a", "b"], "", {"a": ["src/y.py"], "b": []}, ("b",), ""),
        (["a", "b"], "", {"a": ["src/y.py"], "b": ["src/z.py"]}, ("a", "b"), chain.OUTSIDE),
        ([""], "", {}, ("",), chain.DIRECT),
        (["", "a"], "", {}, ("", "a"), ""),
        ([""], "b", {}, ("",), "the file belongs to task b"),
    ],
)
def test_what_is_wrong_with_a_change(by, holder, files, left, why):
    found = judge("src/x.py", by, holder, files)
    assert (tuple(found.by), found.why) == (left, why)


def test_it_is_told_in_one_sentence():
    told = judge("x.py", ["", "b"], "c", {}).sentence
    assert told == "the orchestrator or task b changed x.py through the shell: the file belongs to task c"


@pytest.mark.parametrize("given", ["src/x.py", "./src/x.py", "src/", "src", "src/*.py"])
def test_a_file_is_within_files_folders_and_patterns(given):
    assert is_within("src/x.py", [given])
    assert not is_within("src2/x.md", [given])
