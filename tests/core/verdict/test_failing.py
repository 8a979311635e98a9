"""A check that fails: because of this change, as before, or a fix that nothing shows."""

import pytest

from ultrawork.core.verdict import rules
from ultrawork.core.verdict.gate_findings import FailingTests


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        ({}, "check-fails"),
        ({"is_fix": True, "proved": True}, "check-fails"),
        ({"failed_on_baseline": True}, "failing-before"),
        ({"failed_on_baseline": True, "wanted": True}, "check-fails"),
        ({"failed_on_baseline": True, "is_fix": True, "reaches": True}, "still-fails"),
        ({"failed_on_baseline": True, "is_fix": True, "reaches": None}, "still-fails-unread"),
        ({"failed_on_baseline": True, "is_fix": True, "reaches": False}, "failing-before"),
        ({"failed_on_baseline": True, "is_fix": True, "reaches": True, "proved": True}, "failing-before"),
        ({"failed_on_baseline": True, "reaches": True}, "failing-before"),
    ],
)
def test_a_failure_is_read_by_its_story(facts, rule):
    (found,) = rules.judge(rules.CHECKS, FailingTests("test", ["a.py::test_x"], **facts))
    assert found.rule == rule
    assert "test_x" in found.what


def test_a_test_name_with_spaces_is_quoted():
    (found,) = rules.judge(rules.CHECKS, FailingTests("test", ["shop > adds two numbers"]))
    assert found.what == 'test fails: "adds two numbers"'
    assert found.clears == "get `adds two numbers` to pass"


def test_a_check_that_names_no_test_says_its_reason():
    (found,) = rules.judge(rules.CHECKS, FailingTests("test", reason="exit 2"))
    assert found.what == "test fails: exit 2"
    assert found.clears == "get `test` to pass"
