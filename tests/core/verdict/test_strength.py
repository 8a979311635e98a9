"""How strong a PASS is, and in which words."""

import pytest

from ultrawork.core.verdict.summary import (
    EXPECTATIONS,
    NOT_MEASURED,
    NOT_PROVED,
    NOTHING_BROKE,
    PROVED,
    StrengthFacts,
    describe_looks,
    describe_notes,
    describe_strength,
    explain_kind,
    explain_pass,
    limit_strength,
    name_verdict,
    render_verdict,
)


@pytest.mark.parametrize(
    ("facts", "word"),
    [(StrengthFacts(True), NOTHING_BROKE), (StrengthFacts(False), NOT_PROVED), (StrengthFacts(None), NOT_MEASURED)],
)
def test_what_undone_functions_show_decides(facts, word):
    assert facts.grade == word


@pytest.mark.parametrize(
    ("paths", "tests", "code", "deleted", "kind"),
    [
        (["README.md"], [], [], [], "only docs changed"),
        (["tests/test_a.py"], ["tests/test_a.py"], [], [], "only tests changed"),
        (["tests/test_a.py", "README.md"], ["tests/test_a.py"], [], [], "only tests changed"),
        ([".github/workflows/test.yml"], [], [], [], "only CI files changed"),
        ([".github/workflows/test.yml", "package.json"], [], [], [], "only settings changed"),
        (["requirements-dev.txt", "pyproject.toml"], [], [], [], "only settings changed"),
        (["shop.py"], [], [], [], "only comments or layout changed"),
        (["old.py"], [], [], ["old.py"], "code was only removed"),
        (["old.py"], [], ["old.py"], ["old.py"], "code was only removed"),
        (["shop.py"], [], ["shop.py"], [], None),
        (["prices.json"], [], [], [], None),
    ],
)
def test_some_changes_need_no_word(paths, tests, code, deleted, kind):
    found = explain_kind(paths, tests=tests, code=code, deleted=deleted, only_removed=False)
    assert found == kind


def test_code_that_asks_whether_a_test_is_running_is_never_proved():
    assert limit_strength(PROVED, ["test-aware"]) == NOT_PROVED
    assert limit_strength(PROVED, ["suppression"]) == PROVED
    assert limit_strength(NOTHING_BROKE, ["test-aware"]) == NOTHING_BROKE


def test_a_change_for_which_a_failing_test_went_away_is_not_proved_by_other_tests():
    assert limit_strength(PROVED, ["test-replaced"]) == EXPECTATIONS
    assert limit_strength(PROVED, ["expectation-changed"]) == PROVED
    gone = {"rule": "test-replaced", "what": "test_a was removed, and new tests replace it"}
    line = describe_strength(passed(EXPECTATIONS, findings=[gone]))
    assert line == "1 expectation changed: test_a was removed, and new tests replace it"


def passed(word, *, findings=(), noticed=(), reason=""):
    return {
        "verdict": "PASS",
        "strength": word,
        "strength_reason": reason,
        "gates": {"test": {"result": "green", "receipt": 1}},
        "findings": list(findings),
        "noticed_by": list(noticed),
        "not_checked": [],
    }


RUN = {
    1: {
        "gate": {"name": "test", "kind": "TEST", "command": "make test"},
        "run": {"cwd": "."},
        "tests": {"ran": 4, "failed_count": 0},
    }
}
CHANGED = {
    "rule": "expectation-changed",
    "level": "note",
    "gate": None,
    "what": "test_total has a new expectation: 5 → 6",
}
STILL = {"rule": "failing-before", "level": "note", "gate": "test", "what": "already failing before: test_midnight"}
LITTLE = {"rule": "names-no-tests", "level": "note", "gate": "test", "what": "make test does not report its tests"}


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (passed(PROVED, noticed=["a.py::test_x"]), "proved by test_x"),
        (passed(PROVED, noticed=["shop > adds two"]), 'proved by "adds two"'),
        (passed(PROVED, noticed=["rule"]), 'proved by "rule"'),
        (passed(PROVED, noticed=["test"]), "proved by the `test` check"),
        (passed(PROVED, noticed=["test_a", "test_b", "test_c"]), "proved by test_a, test_b and 1 more"),
        (passed(EXPECTATIONS, findings=[CHANGED]), "1 expectation changed: test_total 5 → 6"),
        (passed(NOTHING_BROKE), "no regression: tests cover this change and see no difference"),
        (passed(NOT_PROVED, reason="refund()"), "not proved: no test covers refund()"),
        (passed(NOT_PROVED), "not proved: no test covers this change"),
        (
            passed(NOT_PROVED, reason="sale()", findings=[{"rule": "idle-test", "what": ""}]),
            "not proved: no test notices sale()",
        ),
        (passed(NOT_MEASURED, reason="only data changed"), "not measured: only data changed"),
        (passed(None), ""),
    ],
)
def test_the_words_of_a_strength(verdict, said):
    assert describe_strength(verdict) == said


def test_a_pass_leads_with_its_strength_and_names_what_else_changed():
    line = render_verdict(passed(PROVED, noticed=["test_x"], findings=[CHANGED]), RUN)
    assert line == "PASS, proved by test_x. make test: 4 passed\n  1 expectation changed: test_total 5 → 6"


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("only comments or layout changed", "PASS, only comments or layout changed. make test: 4 passed"),
        ("nothing changed", "PASS. make test: 4 passed"),
    ],
)
def test_a_change_that_no_test_could_notice_is_named_first_by_its_kind(reason, line):
    assert render_verdict(passed(None, reason=reason), RUN) == line


def test_a_changed_check_is_named_with_what_changed_and_how_to_undo_it():
    what = (
        "make check was changed, and both forms pass: `2>&1 | tail -n 4` was added to "
        "`test: python3 -m unittest discover -s tests`. If you did not ask for it, undo it in Makefile"
    )
    changed = {"rule": "check-same", "level": "note", "gate": "test", "what": what}
    lines = render_verdict(passed(None, reason="only settings changed", findings=[changed]), RUN).splitlines()
    assert lines[0] == "PASS, only settings changed. make test: 4 passed"
    assert " ".join(line.strip() for line in lines[1:]) == what


def test_what_failed_before_is_named():
    line = render_verdict(passed(PROVED, noticed=["test_x"], findings=[STILL]), RUN)
    assert line.endswith("\n  Already failing before: test_midnight")


def test_a_check_that_could_not_run_before_either_is_named():
    verdict = passed(PROVED, noticed=["test_x"])
    verdict["gates"]["lint"] = {"result": "broken", "receipt": 2, "not_checked": True}
    verdict["not_checked"] = ["lint: ruff is not installed"]
    line = render_verdict(verdict, RUN)
    named = "PASS, proved by test_x. make test: 4 passed\n  Not checked: lint (ruff is not installed)"
    assert line == named


def test_of_a_long_line_nothing_is_cut():
    """What does not fit stands below: the checks of a strength in many words, the values of an expectation."""
    refactored = render_verdict(passed(NOTHING_BROKE), RUN)
    assert refactored.endswith("and see no difference.\n  make test: 4 passed")
    what = f"test_{'x' * 40} has a new expectation: [1, 2] → [2, 1]"
    lines = render_verdict(passed(EXPECTATIONS, findings=[{**CHANGED, "what": what}]), RUN)
    assert lines.splitlines() == [
        "PASS, 1 expectation changed. make test: 4 passed",
        f"  test_{'x' * 40} [1, 2] → [2, 1]",
    ]


def test_why_it_passed_is_said_without_numbers():
    assert explain_pass(passed(PROVED, noticed=["test_x"])) == "proved by test_x; all checks pass"


def test_a_pass_names_the_checks_that_do_not_report_their_tests():
    assert "make test does not report its tests" in describe_notes(passed(None, findings=[LITTLE]))


def test_a_name_that_no_file_contains_stands_in_the_verdict_itself():
    missing = {"rule": "name-nowhere", "what": "no file contains `reset`", "level": "note"}
    verdict = passed(PROVED, findings=[missing], noticed=["test_peek"])
    assert explain_pass(verdict) == "proved by test_peek; no file contains `reset`"
    assert describe_looks(verdict) == ""


def test_a_verdict_has_a_short_name():
    assert name_verdict("PASS", PROVED) == "PASS, proved"
    assert name_verdict("PASS", None) == "PASS"


def test_a_pass_names_what_is_worth_a_look_and_counts_the_rest():
    found = [
        {"rule": "counts-calls", "what": "shop.py:3 counts its calls"},
        {"rule": "idle-test", "what": "test_total passes even if total() does nothing"},
        {"rule": "failing-before", "what": "test_clock fails, as before"},
    ]
    assert describe_looks({"findings": found}) == "Worth a look: test_total passes even if total() does nothing (and 1 more)"  # fmt: skip
    assert describe_looks({"findings": found[2:]}) == ""
