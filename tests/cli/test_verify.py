"""`ultrawork verify` as a person calls it, in a project whose main is red."""

import json
import os
import shutil

import pytest

from support.scene import Scene

FILES = {
    "Makefile": "test:\n\t@python3 -m unittest -v\n",
    "clock.py": 'def midnight():\n    return "24:00"\n',
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "test_all.py": (
        "import unittest\n\nfrom clock import midnight\nfrom shop import total\n\n\n"
        "class AllTest(unittest.TestCase):\n"
        "    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n\n"
        '    def test_midnight(self):\n        self.assertEqual(midnight(), "00:00")\n'
    ),
    ".gitignore": "__pycache__/\n",
}
FASTER = "def total(prices):\n    return sum(list(prices))\n"


@pytest.fixture
def scene(tmp_path):
    return Scene(str(tmp_path), FILES)


def verify(scene, *words):
    return json.loads(scene.run("verify", "--json", *words))["data"]


@pytest.mark.slow
def test_anything_red_is_fail_and_said_to_be_red_before_too(scene):
    scene.write("shop.py", FASTER)
    told = scene.run("verify")
    assert told.startswith("FAIL. make test fails: test_midnight, as it did before\n")


@pytest.mark.slow
def test_a_baseline_takes_what_was_red_there_for_granted(scene):
    scene.write("shop.py", FASTER)
    found = verify(scene, "--baseline", "HEAD")
    assert (found["verdict"], found["strength"]) == ("PASS", "nothing broke")
    assert [one["what"] for one in found["findings"]] == ["already failing before: test_midnight"]


@pytest.mark.slow
def test_a_baseline_names_what_failed_before_even_where_the_change_is_in_it(scene):
    scene.write("clock.py", 'def midnight():\n    return "12:00"\n')
    found = verify(scene, "--baseline", "HEAD")
    assert (found["verdict"], found["strength"]) == ("PASS", "not proved")
    assert "already failing before: test_midnight" in [one["what"] for one in found["findings"]]


@pytest.mark.slow
def test_a_new_test_that_enters_only_itself_runs_nothing_of_the_change(scene):
    scene.write("clock.py", 'def midnight():\n    return "00:00"\n')
    scene.commit()
    scene.write("shop.py", FILES["shop.py"] + "\n\ndef count(prices):\n    return len(prices)\n")
    scene.write(
        "test_more.py", "import unittest\n\n\nclass More(unittest.TestCase):\n    def test_one(self):\n        pass\n"
    )
    found = verify(scene)
    assert (found["verdict"], found["strength"]) == ("PASS", "not proved")


def test_base_and_baseline_together_are_refused(scene):
    told = scene.run("verify", "--base", "HEAD", "--baseline", "HEAD")
    assert "exclude each other" in told


def test_a_quick_look_runs_each_check_once_and_says_what_it_left_out(scene):
    scene.write("clock.py", 'def midnight():\n    return "00:00"\n')
    found = verify(scene, "--quick")
    assert (found["verdict"], found["mode"], found["strength"]) == ("PASS", "quick", None)
    assert [one["rule"] for one in found["findings"]] == ["compared-later"]
    assert len(found["receipts"]) == 1


def test_a_quick_look_at_changed_tests_is_no_pass(scene):
    scene.write("test_all.py", FILES["test_all.py"].replace('"00:00"', '"24:00"'))
    found = verify(scene, "--quick")
    assert found["verdict"] == "UNVERIFIED"
    assert found["not_checked"][0].endswith("and test_all.py changed")


def test_it_leaves_no_session_that_people_would_meet(scene):
    scene.run("verify", "--quick")
    assert "no session in this checkout" in scene.run("status")
    assert "no session in this checkout" in scene.run("cancel")
    assert scene.run("session", "list").strip() == "no session"
    assert scene.run("evidence").startswith("FAIL")


@pytest.mark.slow
def test_a_session_that_is_on_here_does_not_make_it_milder(scene):
    scene.prompt("ulw add a faster total")
    scene.edit("shop.py", FASTER)
    assert scene.run("verify").startswith("FAIL. make test fails: test_midnight, as it did before\n")


@pytest.mark.slow
def test_a_later_verdict_looks_at_the_files_no_more_often_than_runs_ask_for(scene, tmp_path):
    """Before its run, after it, and when all has run; and code is not searched whole for what its tests tell alone."""
    real, told = shutil.which("git", path=scene.environ["PATH"]), tmp_path / "asked"
    (tmp_path / "telling").mkdir()
    (tmp_path / "telling/git").write_text(f'#!/bin/sh\necho "$*" >> {told}\nexec {real} "$@"\n')
    os.chmod(tmp_path / "telling/git", 0o755)
    scene.environ["PATH"] = f"{tmp_path}/telling:{scene.environ['PATH']}"
    scene.write("clock.py", 'def midnight():\n    return "00:00"\n')
    scene.commit()
    scene.write("shop.py", FASTER)
    assert verify(scene)["verdict"] == "PASS"
    told.write_text("")
    scene.write("shop.py", FASTER.replace("list(", "tuple("))
    assert verify(scene)["verdict"] == "PASS"
    asked = told.read_text().splitlines()
    assert sum(" status " in one for one in asked) == 3
    assert not [one for one in asked if "import_module" in one]
