"""How far a running check has come, from its output alone."""

import pytest

from ultrawork.core.status_line import describe_check
from ultrawork.report.summary import count_finished


@pytest.mark.parametrize(
    ("output", "tests", "done"),
    [
        ("....... [ 50%]\n", 300, 150),
        ("....... [ 50%]\n", None, None),
        ("TAP version 13\nok 1 - a\nnot ok 2 - b\n", 5, 2),
        ("--- PASS: TestA (0.00s)\n    --- FAIL: TestA/b (0.00s)\n", 9, 2),
        ("test a::b ... ok\ntest a::c ... FAILED\n", None, 2),
        ("tests/test_a.py::test_b PASSED\n", 7, 1),
        ("  ✓ adds (2 ms)\n  ✕ subtracts\n", 7, 2),
        ("compiling\n", 7, None),
    ],
)
def test_finished_tests_are_counted_in_the_form_of_each_runner(output, tests, done):
    assert count_finished(output, tests) == done


def test_a_running_check_shows_tests_and_time_left_and_without_a_count_its_usual_time():
    running = {"gate": "test", "began": 100.0, "usual": 120.0, "tests": 300, "done": 150}
    assert describe_check(running, 160.0) == "test 150 of 300 tests, about 1 min left"
    assert describe_check({**running, "done": None}, 140.0) == "test 40 s of ~2 min"
    assert describe_check({**running, "done": 999}, 900.0) == "test 300 of 300 tests, longer than usual"
