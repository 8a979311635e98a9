"""What became of a baseline test: each cell of the table, and the row it ends in."""

import pytest

from ultrawork.core.verdict import rules
from ultrawork.core.verdict.gate_run import FAILED, PASSED, SKIPPED
from ultrawork.core.verdict.old_tests import COULD_NOT_RUN, GONE, OldTest, find_difference

NAME = "tests/test_shop.py::test_total"


def judge(**facts):
    found = rules.judge(rules.OLD_TESTS, OldTest(NAME, **facts))
    return found[0].rule if found else ""


@pytest.mark.parametrize(
    ("facts", "rule"),
    [
        # The old version passes: renamed, moved, merged, reformatted, strengthened.
        ({"old_on_new": PASSED}, ""),
        ({"old_on_new": PASSED, "baseline": FAILED}, ""),
        ({"old_on_new": PASSED, "now": GONE}, "test-dropped"),
        ({"old_on_new": PASSED, "now": GONE, "kept_elsewhere": True}, ""),
        ({"old_on_new": PASSED, "now": SKIPPED}, "test-dropped"),
        # The baseline did not run it.
        ({"baseline": SKIPPED, "old_on_new": FAILED}, ""),
        ({"baseline": GONE, "old_on_new": FAILED}, ""),
        # It passed, and cannot run any more.
        ({"old_on_new": COULD_NOT_RUN, "missing": "total"}, "test-adapted"),
        ({"old_on_new": COULD_NOT_RUN, "missing": "total", "now": GONE}, "test-adapted"),
        ({"old_on_new": COULD_NOT_RUN}, "test-undecided"),
        ({"old_on_new": GONE}, "case-gone"),
        # It passed, and fails on the new code.
        ({"old_on_new": FAILED, "new_on_old": FAILED}, "expectation-changed"),
        ({"old_on_new": FAILED, "new_on_old": COULD_NOT_RUN}, "expectation-changed"),
        ({"old_on_new": FAILED, "new_on_old": PASSED}, "test-loosened"),
        ({"old_on_new": FAILED, "new_on_old": PASSED, "same_assertion": True}, "set-up-changed"),
        ({"old_on_new": FAILED, "now": GONE}, "test-put-away"),
        ({"old_on_new": FAILED, "now": SKIPPED}, "test-put-away"),
        ({"old_on_new": FAILED, "now": GONE, "replaced": True}, "test-replaced"),
        # It failed.
        ({"baseline": FAILED, "old_on_new": FAILED}, "test-changed"),
        ({"baseline": FAILED, "old_on_new": COULD_NOT_RUN, "missing": "total"}, "test-changed"),
        ({"baseline": FAILED, "old_on_new": GONE}, "test-changed"),
        # It could not run.
        ({"baseline": COULD_NOT_RUN, "old_on_new": FAILED}, "test-changed"),
        ({"baseline": COULD_NOT_RUN, "old_on_new": COULD_NOT_RUN}, "test-repaired"),
        ({"baseline": COULD_NOT_RUN, "old_on_new": COULD_NOT_RUN, "now": GONE}, "test-unread"),
    ],
)
def test_each_cell_of_the_table_has_its_row(facts, rule):
    assert judge(**facts) == rule


@pytest.mark.parametrize("baseline", [PASSED, FAILED])
@pytest.mark.parametrize("now", [PASSED, GONE, SKIPPED])
def test_what_the_goal_asks_for_sends_nothing_back(baseline, now):
    assert judge(baseline=baseline, old_on_new=FAILED, now=now, covered=True) == "test-asked-for"


def test_a_condition_that_does_not_hold_here_hides_nothing():
    assert judge(old_on_new=FAILED, now=PASSED, conditional=True) == "test-skip-idle"
    assert judge(old_on_new=FAILED, now=SKIPPED, conditional=True) == "test-put-away"


def test_the_words_show_the_lines_before_and_after():
    facts = OldTest(NAME, old_on_new=FAILED, new_on_old=FAILED, before="assert a == 5", after="assert a == 6")
    (found,) = rules.judge(rules.OLD_TESTS, facts)
    assert found.what == "test_total has a new expectation: 5 → 6"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (
            'self.assertEqual(names(), ["Ada", "Bo"])',
            'self.assertEqual(names(), ["Bo", "Ada"])',
            ('["Ada", "Bo"]', '["Bo", "Ada"]'),
        ),
        (
            'self.assertEqual(names(), ["Ada", "bea", "Carl"])',
            'self.assertEqual(names(), ["Ada", "Carl", "bea"])',
            ('["Ada", "bea", "Carl"]', '["Ada", "Carl", "bea"]'),
        ),
        ("if got != 6 {", "if got != 6 && got != 5 {", ("if got != 6 {", "if got != 6 && got != 5 {")),
        ("total: 5", "sum: 5", ("total: 5", "sum: 5")),
        ("check(a)", "check(a)  # twice", ("a)", "a)  # twice")),
    ],
)
def test_of_two_lines_what_differs_is_shown(before, after, shown):
    assert find_difference(before, after) == shown


def test_a_changed_test_names_the_exit():
    (found,) = rules.judge(rules.OLD_TESTS, OldTest(NAME, baseline=FAILED, old_on_new=FAILED))
    assert found.clears.endswith("or end with BLOCKED: test test_total is wrong: why")
