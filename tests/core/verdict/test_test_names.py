"""A test of the source found again under the name its runner gave it."""

import time

import pytest

from ultrawork.core.verdict.gate_run import TestReport
from ultrawork.core.verdict.old_tests import is_same, read_outcome, strip_parameters

SAME = [
    ("tests/test_a.py::test_x", "tests/test_a.py", ["test_x"]),
    ("tests/test_a.py::TestBox::test_x[1-a.b]", "tests/test_a.py", ["TestBox", "test_x"]),
    ("tests.test_a.Box.test_x", "tests/test_a.py", ["Box", "test_x"]),
    ("test_a.Box.test_x", "tests/test_a.py", ["Box", "test_x"]),
    ("src/a.test.js > box > adds", "src/a.test.js", ["box", "adds"]),
    ("box > adds #2", "src/a.test.js", ["box", "adds"]),
    ("box adds", "test/a.js", ["box", "adds"]),
    ("example.com/pay.TestAdds", "pay_test.go", ["TestAdds"]),
    ("example.com/pay/sub.TestAdds/one", "sub/pay_test.go", ["TestAdds", "one"]),
    ("pay::tests::adds", "src/lib.rs", ["tests", "adds"]),
    ("com.example.PayTest::adds", "src/com/example/PayTest.java", ["adds"]),
]
OTHER = [
    ("tests/test_a.py::test_x", "tests/test_b.py", ["test_x"]),
    ("tests/test_a.py::test_xy", "tests/test_a.py", ["test_x"]),
    ("tests/test_a.py::my_test_x", "tests/test_a.py", ["test_x"]),
    ("tests.test_b.Box.test_x", "tests/test_a.py", ["Box", "test_x"]),
    ("src/b.test.js > box > adds", "src/a.test.js", ["box", "adds"]),
    ("pay::tests::adds_more", "src/lib.rs", ["tests", "adds"]),
]


@pytest.mark.parametrize(("told", "path", "parts"), SAME)
def test_two_spellings_of_one_test_match(told, path, parts):
    assert is_same(told, path, parts)


@pytest.mark.parametrize(("told", "path", "parts"), OTHER)
def test_other_tests_do_not_match(told, path, parts):
    assert not is_same(told, path, parts)


def test_parameters_and_ordinals_are_no_part_of_a_name():
    assert strip_parameters("a.py::test_x[1]") == "a.py::test_x"
    assert strip_parameters("adds #2") == "adds"


def test_one_red_parameter_makes_the_test_red():
    report = TestReport(outcomes={"a.py::t[1]": "passed", "a.py::t[2]": "failed"})
    assert read_outcome(report, "a.py", ["t"]) == "failed"


@pytest.mark.parametrize("value", ["passed", "skipped"])
def test_the_outcome_is_found_by_name(value):
    assert read_outcome(TestReport(outcomes={"a.py::t": value}), "a.py", ["t"]) == value


def test_a_name_missing_from_a_complete_report_is_gone():
    assert read_outcome(TestReport(outcomes={"a.py::t": "passed"}), "a.py", ["u"]) == "gone"


def test_a_file_that_could_not_be_loaded_tells_nothing_of_its_tests():
    report = TestReport(outcomes={"a.py": "failed", "b.py::t": "passed"})
    assert read_outcome(report, "a.py", ["t"]) is None


def test_where_only_failures_are_named_the_others_passed():
    report = TestReport(outcomes={"a.py::u": "failed"}, ran=3, failed_count=1, skipped_count=0)
    assert read_outcome(report, "a.py", ["t"]) == "passed"


def test_where_failures_are_only_counted_nothing_is_known():
    assert read_outcome(TestReport(ran=3, failed_count=1, skipped_count=0), "a.py", ["t"]) is None
    assert read_outcome(TestReport(ran=3, failed_count=0, skipped_count=1), "a.py", ["t"]) is None
    assert read_outcome(None, "a.py", ["t"]) is None


def test_thousands_of_tests_are_found_among_thousands():
    names = [f"tests/test_all.py::test_{n}" for n in range(5000)]
    report = TestReport(outcomes=dict.fromkeys(names, "passed") | {names[7] + "[1]": "failed"})
    started = time.process_time()
    found = [read_outcome(report, "tests/test_all.py", [f"test_{n}"]) for n in range(5000)]
    assert time.process_time() - started < 5
    assert (found.count("passed"), found[7]) == (4999, "failed")
