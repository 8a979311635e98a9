"""A gate for some of its tests: told where the runner can be, whole where it cannot."""

import pytest

from ultrawork.core.verdict.gate import TEST, Gate
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
        ("", (), {"PYTEST_ADDOPTS": '-k "test_a or test_b"'}),
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
        ("unittest", ("python3", "-m", "unittest"), ("-k", "test_a")),
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
        (gate("unittest"), ["test_a"]),
        (gate("cargo", "cargo", "test"), ["tests::a"]),
        (gate("pytest"), ["it's $(odd)"]),
        (gate("pytest"), [f"test_{n}" for n in range(50)]),
        (gate("pytest"), []),
    ],
)
def test_where_it_cannot_be_told_the_whole_gate_runs(whole, names):
    assert not is_narrow(narrow(whole, names), whole)


def test_files_are_told_by_their_names():
    assert narrow_to_files(gate("pytest"), ["tests/test_shop.py"]).env == {
        "PYTEST_ADDOPTS": '-k "test_shop"'
    }
    whole = gate("unittest", "python3", "-m", "unittest")
    assert narrow_to_files(whole, ["tests/test_shop.py"]).argv[-2:] == ("-k", "*test_shop.*")
    assert not is_narrow(narrow_to_files(gate("jest"), ["a.test.js"]), gate("jest"))
