"""A gate for some of its tests: told where the runner can be, whole where it cannot."""

import os
import subprocess

import pytest

from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.gates.run.environment import ONLY, lead_inside
from ultrawork.gates.run.narrow import is_narrow, narrow, narrow_to_files


def gate(runner, *argv):
    words = argv or ("make", "test")
    return Gate(
        name="test", kind=TEST, argv=words, command=" ".join(words), source="", reason="", runner=runner
    )  # fmt: skip


@pytest.mark.parametrize(
    ("runner", "argv", "told"),
    [
        ("pytest", (), {"PYTEST_ADDOPTS": '-k "test_a or test_b"'}),
        ("unittest", (), {ONLY: '{"unittest":["*.test_a","*.test_b"]}'}),
        ("node", ("npm", "test"), {ONLY: '{"node":["test_a|test_b"]}'}),
        ("cargo", (), {ONLY: '{"cargo":["test_a","test_b"]}'}),
        ("go", ("go", "test", "./..."), {"GOFLAGS": "-run=^(test_a|test_b)$"}),
    ],
)
def test_some_runners_are_told_by_their_environment(runner, argv, told):
    whole = gate(runner, *argv)
    some = narrow(whole, ["tests/test_x.py::test_a[1-2]", "tests/test_x.py::K::test_b"])
    assert some.env == told
    assert some.argv == whole.argv
    assert is_narrow(some, whole)


@pytest.mark.parametrize(
    ("runner", "argv", "added"),
    [
        ("unittest", ("python3", "-m", "unittest"), ("-k", "*.test_a")),
        ("cargo", ("cargo", "test"), ("--", "test_a")),
        ("jest", ("npm", "test"), ("--", "-t", "test_a")),
        ("vitest", ("npx", "vitest", "run"), ("-t", "test_a")),
        ("mocha", ("mocha",), ("-g", "test_a")),
    ],
)
def test_others_by_their_arguments(runner, argv, added):
    assert narrow(gate(runner, *argv), ["test_a"]).argv == (*argv, *added)


@pytest.mark.parametrize(
    ("whole", "names"),
    [
        (gate("prove"), ["test_a"]),
        (gate("pytest"), ["it's $(odd)"]),
        (gate("pytest"), [f"test_{n}" for n in range(50)]),
        (gate("pytest"), []),
    ],
)
def test_where_it_cannot_be_told_the_whole_gate_runs(whole, names):
    assert not is_narrow(narrow(whole, names), whole)


def test_files_are_told_by_their_names():
    assert narrow_to_files(gate("pytest"), ["tests/test_shop.py"]).env == {"PYTEST_ADDOPTS": '-k "test_shop"'}
    whole = gate("unittest", "python3", "-m", "unittest")
    assert narrow_to_files(whole, ["tests/test_shop.py"]).argv[-2:] == ("-k", "*test_shop.*")
    assert not is_narrow(narrow_to_files(gate("jest"), ["a.test.js"]), gate("jest"))


UNITS = """\
import unittest


class ShopTest(unittest.TestCase):
    def test_a(self):
        print("A RAN")

    def test_ab(self):
        print("AB RAN")
"""


def told(some, tmp_path, **variables):
    """What a run of a gate prints."""
    env = {"PATH": os.environ["PATH"], **variables, **some.env}
    done = subprocess.run(
        some.argv, cwd=tmp_path, env=lead_inside(env, some, f"{tmp_path}/doors"), check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout + done.stderr


@pytest.mark.parametrize("recipe", ["python3 -m unittest", "PYTHONPATH=src python3 -m unittest"])
def test_unittest_behind_a_script_runs_only_what_it_is_told(recipe, tmp_path):
    """Also where the script sets the variable that leads into the interpreter."""
    (tmp_path / "test_shop.py").write_text(UNITS)
    whole = Gate(
        name="test", kind=TEST, argv=("sh", "-c", recipe), command="make test", source="", reason="",
        definition=recipe, runner="unittest",
    )  # fmt: skip
    printed = told(narrow(whole, ["test_shop.ShopTest.test_a"]), tmp_path)
    assert "A RAN" in printed
    assert "AB RAN" not in printed
    assert "AB RAN" in told(whole, tmp_path)


@pytest.mark.parametrize(
    ("runner", "script", "given"),
    [
        ("node", "node --test tests/", "--test-name-pattern=test_a|test_b --test tests/"),
        ("node", "node tool.js", "tool.js"),
        ("cargo", "cargo test --all", "test --all -- test_a test_b"),
        ("cargo", "cargo test -- --nocapture", "test -- --nocapture test_a test_b"),
        ("cargo", "cargo build", "build"),
    ],
)
def test_programs_that_take_only_words_are_told_by_a_door(runner, script, given, tmp_path):
    (tmp_path / runner).write_text('#!/bin/sh\necho "given: $*"\n')
    (tmp_path / runner).chmod(0o700)
    some = narrow(gate(runner, "sh", "-c", script), ["test_a", "test_b"])
    path = f"{tmp_path}:{os.environ['PATH']}"
    assert told(some, tmp_path, PATH=path) == f"given: {given}\n"
