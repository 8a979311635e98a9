"""How strong a PASS is, and in which words."""

import pytest

from ultrawork.core.verdict.strength import (
    MOVED,
    NOT_RUN,
    NOTHING_BROKE,
    PROVED,
    StrengthFacts,
    describe_strength,
    grade,
    name_verdict,
)
from ultrawork.core.verdict.summary import explain_pass, render_verdict


@pytest.mark.parametrize(
    ("facts", "strength"),
    [
        (StrengthFacts(["a"], moved=True, runs=False), PROVED),
        (StrengthFacts([], moved=True, runs=True), MOVED),
        (StrengthFacts([], runs=True), NOTHING_BROKE),
        (StrengthFacts([], runs=None), NOTHING_BROKE),
        (StrengthFacts([], runs=False), NOT_RUN),
        (StrengthFacts(None, runs=False), NOT_RUN),
        (StrengthFacts(None, runs=True), ""),
        (StrengthFacts(None), ""),
    ],
)
def test_what_was_seen_decides(facts, strength):
    assert grade(facts) == strength


def passed(strength, *, findings=(), noticed=()):
    return {
        "verdict": "PASS",
        "strength": strength,
        "gates": {"test": {"result": "green", "receipt": 1}},
        "findings": list(findings),
        "noticed_by": list(noticed),
        "not_checked": [],
    }


RUN = {1: {"tests": {"ran": 4, "failed_count": 0}}}
MOVED_TEST = {"rule": "test-moved", "level": "note", "gate": None, "what": "x"}
STILL = {
    "rule": "red-as-before",
    "level": "note",
    "gate": "test",
    "what": "red before and still: test_midnight_is_a_long_name_that_fills_the_line",
}


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (passed(PROVED, noticed=["a.py::test_x"]), "PASS, proved by test_x; test 4 ok"),
        (
            passed(PROVED, noticed=["t1", "t2", "t3"]),
            "PASS, proved by t1, t2 and 1 more; test 4 ok",
        ),
        (
            passed(MOVED, findings=[MOVED_TEST]),
            "PASS, moved: 1 expectation changed with the code; test 4 ok",
        ),
        (
            passed(NOTHING_BROKE),
            "PASS, nothing broke: no test notices this change; test 4 ok",
        ),
        (passed(NOT_RUN), "PASS, no test runs it; test 4 ok"),
        (passed(None), "PASS  test 4 ok"),
        (
            passed(PROVED, noticed=["t1"], findings=[MOVED_TEST]),
            "PASS, proved by t1; test 4 ok; 1 expectation changed",
        ),
    ],
)
def test_the_line_says_it_first(verdict, line):
    assert render_verdict(verdict, RUN) == line


def test_what_is_red_still_is_named_whole_on_a_line_of_its_own():
    first, second = render_verdict(passed(NOTHING_BROKE, findings=[STILL]), RUN).splitlines()
    assert first == "PASS, nothing broke: no test notices this change; test 4 ok"
    assert second == f"  {STILL['what']}"


def test_why_says_the_same_as_the_line():
    assert explain_pass(passed(PROVED, noticed=["t1"])) == "proved by t1; all checks are green"
    assert explain_pass(passed(NOT_RUN, findings=[STILL])) == f"no test runs it; {STILL['what']}"
    assert describe_strength(passed(None)) == ""


def test_a_verdict_is_named_with_its_strength():
    assert name_verdict("PASS", PROVED) == "PASS, proved"
    assert name_verdict("FAIL", None) == "FAIL"
