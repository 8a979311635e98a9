"""Runners known only by the numbers they print."""

import pytest

from ultrawork.gates.results.reading import read_report

SUMMARIES = {
    "maven": ("Tests run: 4, Failures: 1, Errors: 1, Skipped: 1\n", (3, 2, 1)),
    "gradle": ("7 tests completed, 2 failed, 1 skipped\n", (6, 2, 1)),
    "phpunit green": ("OK (5 tests, 9 assertions)\n", (5, 0, 0)),
    "phpunit red": ("Tests: 5, Assertions: 9, Errors: 1, Failures: 1, Skipped: 1.\n", (4, 2, 1)),
    "rspec": ("5 examples, 1 failure, 2 pending\n", (3, 1, 2)),
    "exunit": ("2 doctests, 5 tests, 1 failure, 1 skipped\n", (4, 1, 1)),
    "minitest": ("6 runs, 9 assertions, 1 failures, 1 errors, 1 skips\n", (5, 2, 1)),
    "dotnet": ("Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total: 4\n", (3, 1, 1)),
    "ctest": ("50% tests passed, 1 tests failed out of 2\n", (2, 1, 0)),
    "nextest": ("Summary [0.02s] 3 tests run: 2 passed, 1 failed, 1 skipped\n", (2, 1, 1)),
    "bun": (" 3 pass\n 1 skip\n 1 fail\n 4 expect() calls\n", (4, 1, 1)),
    "uvu": ("  Total:     5\n  Passed:    4\n  Skipped:   1\n", (5, 1, 1)),
    "plain": ("12 passed, 1 failed\n", (13, 1, 0)),
    "green": ("12 tests passed\n", (12, 0, 0)),
}


@pytest.mark.parametrize("runner", list(SUMMARIES))
def test_numbers_are_read_where_only_numbers_are_printed(runner):
    text, (ran, failed, skipped) = SUMMARIES[runner]
    report = read_report("", "building\n" + text + "done\n")
    assert (report.ran, report.failed_count, report.skipped_count) == (ran, failed, skipped)
    assert report.outcomes == {}
    assert not report.complete


def test_uvu_names_what_failed_and_the_place_that_is_not_in_a_package():
    text = (
        '  FAIL  Shop  "adds"\n    Expected values to be equal:  (is)\n\n        ++1  (Expected)\n\n'
        "    at assert (node_modules/uvu/assert/index.js:31:8)\n    at test/shop.js:6:9\n\n"
        '  FAIL  "pays"\n    cart.pay is not a function\n\n    at pay (src/shop.js:19:13)\n\n'
        "  Total:     5\n  Passed:    3\n  Skipped:   0\n  Duration:  2ms\n"
    )
    report = read_report("uvu", text)
    assert report.failed_count == 2
    assert report.messages == {
        'Shop  "adds"': "test/shop.js:6  Expected values to be equal:",
        '"pays"': "src/shop.js:19  cart.pay is not a function",
    }


def test_modules_of_one_build_are_added_up():
    modules = "Tests run: 4, Failures: 1, Errors: 0, Skipped: 0\n" * 2
    assert read_report("", modules).ran == 8


def test_maven_counts_each_class_and_then_all_of_them_only_once():
    text = (
        "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s - in com.A\n"
        "Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n"
    )
    assert read_report("", text).ran == 2


INNER = {
    "unittest": (
        "test_bad (tests.Inner) ... FAIL\n\nRan 1 test in 0.0s\n\nFAILED (failures=1)\n",
        "test_runner (tests.Own) ... ok\n\nRan 3 tests in 0.1s\n\nOK (skipped=1)\n",
        (2, 1),
    ),
    "pytest": (
        "FAILED test_x.py::test_bad - assert 0\n==== 1 failed in 0.01s ====\n",
        "tests/test_own.py::test_runner PASSED\n==== 2 passed, 1 skipped in 0.30s ====\n",
        (2, 1),
    ),
    "rspec": ("1 example, 1 failure\n", "4 examples, 0 failures\n", (4, 0)),
}


@pytest.mark.parametrize("runner", list(INNER))
def test_what_failed_in_a_runner_that_is_tried_is_no_failure_where_all_ends_green(runner):
    inner, outer, (ran, skipped) = INNER[runner]
    report = read_report("", inner + outer, exit_=0)
    assert (report.ran, report.failed_count, report.skipped_count) == (ran, 0, skipped)
    assert not report.failed


@pytest.mark.parametrize("runner", list(INNER))
def test_what_fails_last_or_with_a_red_end_stays_told(runner):
    inner, outer, _ = INNER[runner]
    assert read_report("", inner, exit_=0).failed_count == 1
    assert read_report("", outer + inner, exit_=0).failed_count == 1
    assert read_report("", inner + outer, exit_=1).failed_count == 1
