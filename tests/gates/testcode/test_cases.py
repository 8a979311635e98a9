"""Files whose tests nobody can tell apart, and files that hold thousands of them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.gates.testcode.cases import list_cases, list_changed_tests, read_case


@pytest.mark.parametrize(("before", "after"), [("a", "b"), (None, "b"), ("a", None)])
def test_tests_in_other_languages_are_left_to_the_runs(before, after):
    assert list_changed_tests(before, after, "spec/a_spec.rb") == []
    assert list_cases("spec/a_spec.rb", "it 'a' do end") is None


@pytest.mark.slow
def test_thousands_of_removed_tests_are_read_in_one_go():
    long = "#" * 300
    text = "".join(f"def test_{n}():\n    assert f({n}) {long}\n\n\n" for n in range(6000))
    started = time.process_time()
    changes = list_changed_tests(text, None, "tests/test_all.py")
    found = [read_case("tests/test_all.py", text, one.parts) for one in changes]
    assert time.process_time() - started < 8
    assert [one.before for one in changes[:2]] == ["def test_0():", "def test_1():"]
    assert found[-1] == ["def test_5999():", f"    assert f(5999) {long}"]


SHREDS = ["it(", "test", "'a'", "`", "${", "}", "{", ")", "(", "[", "]", "func TestA", "#", "#[test]", "fn a", "mod m",
          "/*", "*/", "//", "\n", "'", '"', "\\", "r#", "def test_a", ":", ".each", ".skip", ",", "=>", "/a/", " "]  # fmt: skip


@given(st.lists(st.sampled_from(SHREDS), max_size=15).map("".join))
@pytest.mark.parametrize("path", ["a.py", "a.test.ts", "a_test.go", "a.rs"])
def test_shreds_of_source_are_read_without_trouble(path, text):
    found = list_cases(path, text)
    assert found is None or all(case.parts for case in found)
    assert list_changed_tests(text, text, path) == []


@pytest.mark.parametrize(
    ("path", "shred"),
    [("a.rs", "fn fn "), ("a.rs", "fn a() "), ("a.test.js", "it('a', "), ("a.test.js", "`${"), ("a_test.go", "func (")],
)
def test_senseless_source_does_not_keep_anyone_waiting(path, shred):
    started = time.process_time()
    list_cases(path, shred * 5_000)
    assert time.process_time() - started < 8


def test_python_nested_beyond_measure_cannot_be_told():
    assert list_cases("test_a.py", "def test_a():\n    assert " + "-" * 5_000 + "1\n") is None
