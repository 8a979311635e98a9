"""The driver of bench/commits.py: its list, its breaks and its figures."""

import sys
import tomllib

import pytest

from support.floor import REPOSITORY

sys.path.insert(0, f"{REPOSITORY}/bench")
import breaks
import commits
import commits_table


def test_the_list_names_150_commits_of_20_projects_in_6_languages_and_none_of_the_other_set():
    jobs = commits.load_jobs([], 0, 1)
    assert len({job.commit for job in jobs}) == len(jobs) >= 150
    assert len({job.project for job in jobs}) >= 20
    assert len({job.language for job in jobs}) >= 6
    assert {job.language for job in jobs} <= set(commits.SUITES)
    with open(f"{REPOSITORY}/bench/wild.toml", "rb") as file:
        others = {project["name"] for project in tomllib.load(file)["project"]}
    assert not others & {job.project.partition("/")[2] for job in jobs}


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_to_what_is_wanted():
    sample = commits.load_jobs(["Go"], 5, 3)
    assert sample == commits.load_jobs(["Go"], 5, 3) != commits.load_jobs(["Go"], 5, 4)
    assert {job.language for job in sample} == {"Go"}


def test_a_reverted_hunk_is_the_old_text_there_and_the_new_one_elsewhere():
    before, after = "a = 1\nb = 2\nc = 3\n", "a = 9\nb = 2\nc = 8\n"
    texts = [one.text for one in breaks.revert_hunks("x.py", before, after)]
    assert texts == ["a = 1\nb = 2\nc = 8\n", "a = 9\nb = 2\nc = 3\n"]


def test_a_test_inside_a_rust_file_is_never_broken():
    before, tests = (
        "fn a() -> i32 {\n    1\n}\n",
        "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
    )
    after = before + tests.replace("use super::*;", "assert!(a() == 1);")
    made = breaks.mutate("a.rs", before + tests, after) + breaks.revert_hunks("a.rs", before + tests, after)  # fmt: skip
    assert made == []


def test_a_mutant_changes_only_lines_that_the_commit_added():
    before, after = "if a == b:\n    pass\n", "if a == b:\n    pass\nif c == d:\n    pass\n"
    texts = [one.text for one in breaks.mutate("x.py", before, after)]
    assert texts == ["if a == b:\n    pass\nif c != d:\n    pass\n"]


@pytest.mark.parametrize(
    ("language", "output", "text", "left"),
    [
        ("Python", "FAILED tests/t.py::Cart::test_a[1-2] - assert 1\n", "@mark\ndef test_a():\n    x()\n\n\ndef test_b():\n    y()\n", "def test_b():\n    y()\n"),
        ("Go", "--- FAIL: TestA (0.00s)\n", "func TestA(t *T) {\n\tif x {\n\t}\n}\nfunc TestB(t *T) {}\n", "func TestB(t *T) {}\n"),
        ("Rust", "test tests::a ... FAILED\n", "#[test]\nfn a() {\n    x();\n}\n#[test]\nfn b() {}\n", "#[test]\nfn b() {}\n"),
        ("JavaScript", "    1) adds up\n", "it('adds up', () => {\n  x()\n})\nit('b', () => {})\n", "it('b', () => {})\n"),
        ("Ruby", "  1) Failure:\nCartTest#test_a [t.rb:3]:\n", "def test_a\n  x\nend\ndef test_b\nend\n", "def test_b\nend\n"),
    ],
)  # fmt: skip
def test_the_test_that_a_runner_names_is_removed_and_its_neighbor_stays(language, output, text, left):  # fmt: skip
    names = breaks.list_failing(language, output)
    assert breaks.remove_tests(language, text, names).lstrip("\n") == left


def make_result(**given):
    played = commits.Played("a/b", "Go", "0" * 40, "feature", "honest", "green", "green")
    return {**commits.asdict(played), "outcome": "PASS", "suite_seconds": 1.0, **given}


@pytest.mark.parametrize(
    ("result", "missed"),
    [
        (make_result(), False),
        (make_result(outcome="UNVERIFIED", rules=["test-removed"]), True),
        (make_result(sent_back=1), True),
        (make_result(sent_back=1, asked=True), False),
        (make_result(variant="mutant", after="red"), True),
        (make_result(variant="mutant", after="red", outcome="FAIL"), False),
        (make_result(after="red", outcome="FAIL"), False),
    ],
)
def test_the_goal_is_missed_by_what_is_not_right_and_by_nothing_else(capsys, result, missed):
    assert commits_table.show([result]) is missed
    assert ("not right: a/b" in capsys.readouterr().out) is missed
