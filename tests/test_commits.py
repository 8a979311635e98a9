"""The driver of bench/commits.py: its list, its breaks, its figures, and one commit of a little project."""

import subprocess
import sys
import tomllib
from types import SimpleNamespace

import pytest

from support.floor import REPOSITORY
from support.scene import GIT

sys.path.insert(0, f"{REPOSITORY}/bench")
import breaks
import commits
import commits_table
import rounds

WRONG = "def total(prices):\n    return sum(prices[1:])\n\n\ndef count(prices):\n    return len(prices)\n"
RIGHT = "def total(prices):\n    return sum(prices) + 0\n\n\ndef count(prices):\n    return len(prices)\n"
OLD_TEST = "from shop import count, total\n\n\ndef test_count():\n    assert count([1, 2]) == 2\n\n\ndef test_zero():\n    assert total([0, 5]) == 5\n"
NEW_TEST = OLD_TEST + "\n\ndef test_total():\n    assert total([1, 2]) == 3\n"


def test_the_list_names_150_commits_of_20_projects_in_6_languages_and_none_of_the_other_set():
    jobs = [run.job for run in commits.list_runs()]
    assert len({job.commit for job in jobs}) == len(jobs) >= 150
    assert len({job.project for job in jobs}) >= 20
    assert len({job.language for job in jobs}) >= 6
    assert {job.language for job in jobs} <= set(commits.SUITES)
    with open(f"{REPOSITORY}/bench/wild.toml", "rb") as file:
        others = {project["name"] for project in tomllib.load(file)["project"]}
    assert not others & {job.project.partition("/")[2] for job in jobs}


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_to_what_is_wanted():
    def draw(seed, *only):
        given = SimpleNamespace(only=only, sample=5, seed=seed)
        return [run.job for run in rounds.choose(commits.list_runs(), given)]

    assert draw(3, "Go") == draw(3, "Go") != draw(4, "Go")
    assert {job.language for job in draw(3, "Go")} == {"Go"}
    assert {job.project for job in draw(3, "hukkin/*")} == {"hukkin/tomli"}


def test_a_reverted_hunk_is_the_old_text_there_and_the_new_one_elsewhere():
    before, after = "a = 1\nb = 2\nc = 3\n", "a = 9\nb = 2\nc = 8\n"
    texts = [one.text for one in breaks.revert_hunks("x.py", before, after)]
    assert texts == ["a = 1\nb = 2\nc = 8\n", "a = 9\nb = 2\nc = 3\n"]


def test_a_test_inside_a_rust_file_is_never_broken():
    before, tests = ("fn a() -> i32 {\n    1\n}\n", "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n")
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


def test_a_clone_that_is_missing_is_made_once(tmp_path):
    for words in (("init", "-q", "own/shop"), ("-C", "own/shop", "commit", "-q", "--allow-empty", "-m", "Start")):  # fmt: skip
        subprocess.run([*GIT, *words], cwd=tmp_path, check=True)
    folder = str(tmp_path / "mirrors")
    made = commits.obtain_mirror(folder, "own/shop", host=str(tmp_path))
    assert commits.read_line(made, "log", "-1", "--format=%s") == "Start"
    assert commits.obtain_mirror(folder, "own/shop", host="/nowhere") == made


@pytest.mark.slow
def test_a_real_commit_is_replayed_honestly_and_broken(tmp_path, monkeypatch):
    mirror = tmp_path / "mirrors/own+shop"
    mirror.mkdir(parents=True)
    for texts, subject in (
        ({"shop.py": WRONG, "test_shop.py": OLD_TEST, ".gitignore": "__pycache__/\n", "requirements.txt": "pytest\n"}, "Start"),
        ({"shop.py": RIGHT, "test_shop.py": NEW_TEST}, "Fix total, which leaves out the first price"),
    ):  # fmt: skip
        for name, text in texts.items():
            (mirror / name).write_text(text)
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", subject)):
            subprocess.run([*GIT, *words], cwd=mirror, check=True)
    head = commits.read_line(str(mirror), "rev-parse", "HEAD")
    monkeypatch.setenv("PATH", f"{sys.prefix}/bin:/usr/bin:/bin")
    job = commits.Job("own/shop", "Python", head, "fix with test")
    found = commits.obtain_mirror(str(tmp_path / "mirrors"), job.project)
    honest, *broken = commits.replay(job, found, str(tmp_path / "caches"))
    assert (honest.before, honest.after) == ("green", "green")
    assert (honest.outcome, honest.strength, honest.sent_back) == ("PASS", "proved", 0), honest
    assert [one.variant for one in broken] == ["hunk reverted", "mutant", "noticing test removed"]
    assert all(one.outcome != "PASS" and one.sent_back for one in broken), broken
