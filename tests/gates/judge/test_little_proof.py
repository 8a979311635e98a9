"""A green gate that proves little says so: it names no tests, or faults were planted and nobody noticed."""

import pytest

from ultrawork.gates.session import trial

EDIT = {"write": {"shop.py": "def total(prices):\n    return sum(list(prices))\n"}}
CODE = {"shop.py": "def total(prices):\n    whole = 0\n    for one in prices:\n        whole = whole + one\n    return whole\n"}  # fmt: skip
BLIND = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n"


@pytest.fixture
def demo(stage_of, shop):
    """`make test` is a demonstration that prints what it likes."""
    return stage_of({"shop.py": shop["shop.py"], "Makefile": "test:\n\t@python3 shop.py\n"})


def test_a_gate_without_names_says_so_in_the_line_of_the_verdict(demo):
    assert demo.verify().line == "PASS. make test: ok; make test does not report its tests"


def test_after_a_change_it_shows_no_more_than_that_nothing_broke(demo):
    demo.apply(EDIT)
    outcome = demo.verify()
    assert outcome.line.startswith("PASS, not proved")
    assert outcome.line.endswith("make test does not report its tests")
    assert outcome.document["strength"] == "not proved"


def test_among_several_gates_it_is_named(stage_of, shop):
    files = {"shop.py": shop["shop.py"], "Makefile": "test:\n\t@python3 shop.py\nlint:\n\t@python3 -m py_compile shop.py\n"}  # fmt: skip
    assert stage_of(files).verify().line == "PASS. make test: ok, make lint: ok; make test does not report its tests"


def test_a_gate_with_names_says_nothing_of_the_kind(stage):
    assert stage.verify().line == "PASS. make test: 1 passed"


@pytest.mark.slow
def test_what_the_last_trial_showed_is_carried(stage_of, shop):
    stage = stage_of({**shop, **CODE, "test_shop.py": BLIND})
    trial.try_gates(stage.store(), stage.environ, stage.place, ())
    told = stage.verify().line
    assert "make test missed 1 of 1 faults planted by ultrawork gates try" in told


@pytest.mark.slow
def test_a_better_trial_takes_it_back(stage_of, shop):
    stage = stage_of({**shop, **CODE, "test_shop.py": BLIND})
    trial.try_gates(stage.store(), stage.environ, stage.place, ())
    stage.apply({"write": {"test_shop.py": shop["test_shop.py"]}})
    trial.try_gates(stage.store(), stage.environ, stage.place, ())
    assert "missed" not in stage.verify().line
