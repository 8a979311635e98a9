"""A gate is blind if it stays green over small faults that are planted for it."""

import pytest

from ultrawork.core.errors import NotFound
from ultrawork.gates.session import trial


def tried(stage, *names):
    return trial.try_gates(stage.store(), stage.environ, stage.place, names)


SEEING = {
    "shop.py": "def total(prices):\n    whole = 0\n    for one in prices:\n        whole = whole + one\n"
    "    return whole\n"
}


@pytest.fixture
def shown(stage_of, shop):
    return stage_of({**shop, **SEEING})


def test_a_gate_whose_tests_look_at_the_code_notices(shown):
    found = tried(shown)
    assert found.text() == ("test     noticed      shop.py:4  whole = whole + one -> whole = whole - one")
    assert found.exit == 0


def test_a_gate_whose_tests_look_at_nothing_is_blind(stage_of, shop):
    blind = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n"
    found = tried(stage_of({**shop, **SEEING, "test_shop.py": blind}))
    assert (found.blind, found.exit) == (["test"], 1)
    assert found.text().endswith("test catches nothing: it passed with every planted fault")
    assert found.document()["faults"][0]["seen"] == "not noticed"


def test_a_linter_should_see_a_name_that_nobody_defined(stage_of, shop):
    stage = stage_of({**shop, "ruff.toml": 'lint.select = ["F"]\n'})
    found = tried(stage, "lint")
    assert [(row.gate, row.seen) for row in found.rows] == [("lint", True)]


def test_a_gate_that_is_red_already_is_not_tried(stage_of, shop):
    stage = stage_of({**shop, "shop.py": "def total(prices):\n    return 1 + 1 + 9\n"})
    found = tried(stage)
    assert (found.exit, found.blind) == (4, [])
    assert found.text() == "test     not tried    it does not pass before a bug is planted; fix that first"


def test_without_code_there_is_nothing_to_plant_in(stage_of):
    tests = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n"
    found = tried(stage_of({"test_a.py": tests}))
    assert (found.exit, found.rows[0].fault) == (4, "I found no code to plant a fault in")


@pytest.mark.slow
def test_the_checkout_is_left_as_it_was_and_no_proof_rests_on_a_trial(shown):
    before = shown.verify().document
    tried(shown)
    after = shown.verify()
    assert after.document["tree"] == before["tree"]
    assert after.measured[0].now.reused
    assert after.measured[0].now.number == 1


def test_a_gate_that_is_not_there_is_said(shown):
    with pytest.raises(NotFound, match='no check "tests" here'):
        tried(shown, "tests")
