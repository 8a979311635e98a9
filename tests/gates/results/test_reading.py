# ruff: noqa: RUF001 (these signs are what the runners print)
"""Every runner's output gives the names of its tests, recorded and live."""

import html
import os
import shutil
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.toolchains.toolchain import Narrowing, get_built_in
from ultrawork.gates.results import reading
from ultrawork.gates.run.narrow import shorten

PYTEST = """
+ tests/test_pay.py::test_adds
- tests/test_pay.py::test_subtracts = tests/test_pay.py:7  AssertionError: wrong total
o tests/test_pay.py::test_later
o tests/test_pay.py::test_known
+ tests/test_pay.py::test_surprise
+ tests/test_pay.py::test_each[1]
- tests/test_pay.py::test_each[2] = tests/test_pay.py:19  assert 2 != 2
+ tests/test_pay.py::test_each[a b]
+ tests/test_pay.py::TestBox::test_inside
- tests/test_pay.py::TestBox::TestDeep::test_deep = tests/test_pay.py:24  ValueError: two
- tests/test_pay.py::test_needs = tests/test_pay.py:27  RuntimeError: no fixture
- tests/test_pay.py::test_end = tests/test_pay.py:33  RuntimeError: no end
- tests/test_broken.py
"""
UNITTEST = """
+ tests.test_pay.Pay.test_adds
- tests.test_pay.Pay.test_each = tests/test_pay.py:17  AssertionError: 2 == 2
- tests.test_pay.Pay.test_error = tests/test_pay.py:13  ValueError: two
o tests.test_pay.Pay.test_known
o tests.test_pay.Pay.test_later
- tests.test_pay.Pay.test_subtracts = tests/test_pay.py:6  AssertionError: 200 != 401
- tests.test_pay.Pay.test_surprise = unexpected success
- tests.test_pay.Setup.setUpClass = tests/test_pay.py:20  RuntimeError: no class
- tests.test_broken = tests/test_broken.py:1  ModuleNotFoundError: No module named 'nothing_here'
"""
NODE = """
- broken.test.js
+ adds
+ weird # name \\ ✔ (1ms)
+ adds #2
- subtracts
o later
o someday
+ box > inside
- box > deep > fails deep
o box > deep > no
+ parent > child
"""
JEST = """
+ pay.test.js > adds
- pay.test.js > subtracts = pay.test.js:2  expected 401, received 200
+ pay.test.js > each 1
- pay.test.js > each 2
o pay.test.js > later
o pay.test.js > someday
+ pay.test.js > box > inside
- pay.test.js > box > deep > fails deep = pay.test.js:5  two
- sub/broken.test.js
+ sub/other.test.js > adds
"""
VITEST = JEST.replace(" = pay.test.js:2  expected 401, received 200", "").replace(" = pay.test.js:5  two", "")
MOCHA = """
+ adds
- box > subtracts
o box > later
o box > someday
- box > deep > fails deep
+ box > deep > ok deep
- hooked > "before all" hook for "never"
"""
GO = """
+ example.com/pay.TestAdds
- example.com/pay.TestSubtracts = pay_test.go:4  got 200, want 401
o example.com/pay.TestLater
- example.com/pay.TestEach
+ example.com/pay.TestEach/one
- example.com/pay.TestEach/two_words = pay_test.go:8  bad
+ example.com/pay/boom.TestFine
- example.com/pay/boom.TestPanics = panic: oh no
- example.com/pay/nobuild = nobuild/b_test.go:3  undefined: undefined
+ example.com/pay/sub.TestAdds
- example.com/pay/sub.ExampleX
"""
CARGO = """
+ pay::tests::adds
o pay::tests::later
+ pay::tests::panics
- pay::tests::should_but_does_not = note: test did not panic as expected at src/lib.rs:21:8
- pay::tests::subtracts = src/lib.rs:12  assertion `left == right` failed: wrong total
+ api::adds
- api::result = Error: "bad"
+ pay::src/lib.rs - add
"""
OUTCOMES = {"+": "passed", "-": "failed", "o": "skipped"}


def told(block, *, only_failed=False, rename=lambda name: name):
    """{name: (outcome, message)} of a block above."""
    found = {}
    for line in block.strip().splitlines():
        name, _, message = line[2:].partition(" = ")
        if not only_failed or line[0] == "-":
            found[rename(name)] = (OUTCOMES[line[0]], message)
    return found


def quiet_cargo(name):
    return name.removeprefix("pay::").removeprefix("api::")


EXPECTED = {
    "pytest-quiet": (told(PYTEST, only_failed=True), False),
    "pytest-verbose": (told(PYTEST), True),
    "pytest-workers": (told(PYTEST), True),
    "unittest": (told(UNITTEST, only_failed=True), False),
    "unittest-verbose": (told(UNITTEST), True),
    "node-spec": (told(NODE), True),
    "node-tap": (told(NODE), True),
    "jest": (told(JEST, only_failed=True), False),
    "jest-verbose": (told(JEST), True),
    "vitest": (told(VITEST), False),
    "vitest-verbose": (told(VITEST), True),
    "vitest-tree": (told(VITEST), True),
    "vitest-tap": (told(VITEST), True),
    "mocha": (told(MOCHA), True),
    "mocha-dot": (told(MOCHA, only_failed=True), False),
    "mocha-tap": (told(MOCHA, rename=lambda name: name.replace(" > ", " ")), True),
    "mocha-xunit": (told(MOCHA, rename=lambda name: "::".join(name.rsplit(" > ", 1)).replace(" > ", " ")), True),
    "go": (told(GO + "- example.com/pay/sub.TestFake", only_failed=True), False),
    "go-verbose": (told(GO), True),
    "go-json": (told(GO), True),
    "cargo": (told(CARGO), True),
    "cargo-quiet": (told(CARGO, only_failed=True, rename=quiet_cargo), False),
}
# vitest's default reporter names no test of a green file, and no green one within a suite.
for unnamed in ("sub/other.test.js > adds", "pay.test.js > box > inside"):
    EXPECTED["vitest"][0].pop(unnamed)


def check(report, variant):
    expected, complete = EXPECTED[variant]
    assert report is not None
    assert report.outcomes == {name: outcome for name, (outcome, _) in expected.items()}
    said = {name: message for name, (_, message) in expected.items() if message}
    assert {name: report.messages[name] for name in said} == said
    assert report.complete is complete


def test_the_recorded_output_names_its_tests(variant, recorded):
    check(reading.read_report("", recorded(variant), None, "/project"), variant)


def test_knowing_the_runner_changes_nothing(variant, recorded):
    runner = variant.partition("-")[0]
    check(reading.read_report(runner, recorded(variant), None, "/project"), variant)


def test_a_name_ends_in_what_the_runner_calls_the_test_itself(variant, recorded):
    """Joined by another sign than those of `shorten_name`, no test could be asked for alone."""
    output = html.unescape(recorded(variant))
    form = Narrowing(**get_built_in().tables[variant.partition("-")[0]].get("narrow", {}))
    for name in reading.read_report("", recorded(variant), None, "/project").outcomes:
        assert shorten(form, name).partition(" #")[0] in output


@pytest.mark.slow
def test_the_real_runner_names_its_tests(variant, run_runner):
    output, exit_status, folder = run_runner(variant)
    assert exit_status != 0
    check(reading.read_report("", output, None, folder), variant)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["pytest-quiet", pytest.param("pytest-workers", marks=pytest.mark.release)])
def test_pytest_names_all_its_tests_through_the_environment(how, run_runner, tmp_path):
    folder = str(tmp_path / "a folder for reports")
    added = reading.make_report_environment("", folder, {})
    output, exit_status, root = run_runner(how, added)
    assert exit_status == 1
    check(reading.read_report("", output, folder, root), "pytest-verbose")


def test_pytests_own_options_are_kept(tmp_path):
    added = reading.make_report_environment("pytest", str(tmp_path), {"PYTEST_ADDOPTS": "-x"})
    assert added["PYTEST_ADDOPTS"].startswith("-x --junitxml=")


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("go"), reason="go is not installed")
def test_go_names_all_its_tests_through_the_environment(run_runner, tmp_path):
    output, _, root = run_runner("go", reading.make_report_environment("go", str(tmp_path), {}))
    check(reading.read_report("go", output, str(tmp_path), root), "go-verbose")


@pytest.mark.parametrize("runner", ["node", "jest", "vitest", "mocha", "cargo", "unittest"])
def test_other_runners_are_left_alone(runner, tmp_path):
    assert reading.make_report_environment(runner, str(tmp_path), {"NODE_OPTIONS": "-r x"}) == {}


def run_pytest(folder, environment, *options):
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    keep = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(argv, cwd=folder, env=keep | environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.slow
def test_two_sessions_behind_one_command_are_counted_together(tmp_path):
    for name in ("test_one.py", "test_two.py"):
        (tmp_path / name).write_text("def test_a(): pass\ndef test_b(): assert 0\n")
    added = reading.make_report_environment("", str(tmp_path / "reports"), {})
    output = run_pytest(tmp_path, added, "test_one.py") + run_pytest(tmp_path, added, "test_two.py")
    report = reading.read_report("", output, str(tmp_path / "reports"), str(tmp_path))
    assert (report.ran, report.failed_count) == (4, 2)
    assert report.failed == ["test_one.py::test_b", "test_two.py::test_b"]
    assert not report.complete


@pytest.mark.slow
def test_a_pytest_that_refuses_the_report_is_noticed(tmp_path):
    (tmp_path / "test_one.py").write_text("def test_a(): pass\n")
    added = reading.make_report_environment("", str(tmp_path), {})
    assert reading.has_refused_report(run_pytest(tmp_path, added, "-p", "no:junitxml"))
    assert not reading.has_refused_report(run_pytest(tmp_path, added))


@pytest.mark.slow
def test_a_session_without_tests_ran_none(tmp_path):
    report = reading.read_report("pytest", run_pytest(tmp_path, {}))
    assert report.ran == 0


def test_the_same_test_has_one_name_in_two_copies_of_a_project(recorded):
    text = recorded("node-tap")
    here = reading.read_report("node", text, None, "/project")
    there = reading.read_report("node", text.replace("/project", "/scratch/7"), None, "/scratch/7")
    assert here.outcomes == there.outcomes


def test_output_of_no_runner_tells_nothing():
    assert reading.read_report("", "compiled 12 files\n", None) is None


def test_a_known_runner_that_printed_nothing_known_tells_nothing():
    assert reading.read_report("jest", "sh: 1: jest: not found\n", None) is None


@pytest.mark.parametrize("head", ["shop.test.js (5.123 s)", "web shop.test.js (12 s)", "shop.test.js"])
def test_a_file_of_jest_keeps_its_name_when_its_time_is_told(head):
    text = f"FAIL {head}\n  shop\n    ✕ adds (3 ms)\n\nTests:       1 failed, 1 total\n"
    assert reading.read_report("jest", text, None).failed == ["shop.test.js > shop > adds"]


def test_two_runners_behind_one_command_are_read_together(recorded):
    both = recorded("pytest-verbose") + recorded("mocha")
    report = reading.read_report("", both, None, "/project")
    assert reading.guess_readers(both) == ["mocha", "pytest"]
    assert "box > subtracts" in report.failed
    assert "tests/test_pay.py::test_subtracts" in report.failed
    assert report.complete


def test_an_outer_runner_is_not_confused_by_what_its_tests_print(recorded):
    """A known runner's own words win over those of another that it quotes."""
    quoted = recorded("mocha") + recorded("pytest-verbose")
    report = reading.read_report("pytest", quoted, None, "/project")
    assert "box > subtracts" not in report.outcomes


SHREDS = [
    "1 passed in 0.1s", "short test summary info", "FAILED a.py::b - c", "Ran 3 tests in 1s", "OK", "FAIL: a (b)",
    "=" * 70, "ok 1 - a # SKIP", "not ok 2", "1..2", "    ---", "}", " {", "# Subtest: a", "TAP version 13", "✔ a (1ms)",
    "▶ a", "✖ failing tests:", "ℹ tests 3", "Tests: 1 failed, 2 total", "PASS a.js", "  ● a › b", " Test Files  1 failed",
    " FAIL  a.js > b", "   ✓ a 1ms", "  2 passing (1ms)", "  1 failing", "  1) a", "--- FAIL: A (0.00s)", "=== RUN A",
    "FAIL\tpkg\t0.1s", '{"Action":"run"}', '{"Action":"fail","Package":1}', '{"Action"', "running 1 test",
    "test a ... ok", "test result: ok. 1 passed; 0 failed; 0 ignored", "---- a stdout ----", "<testsuite>",
    "</testsuite>", "<testcase name='a'/>", "Tests run: 3, Failures: 1", "\x1b[31m", "\r", "",
]  # fmt: skip


@given(st.lists(st.sampled_from(SHREDS), max_size=12).map("\n".join), st.sampled_from(["", "go", "tap"]))
def test_shreds_of_output_are_read_without_trouble(text, runner):
    report = reading.read_report(runner, text)
    assert report is None or (report.failed_count or 0) >= len(report.failed)


def test_thirty_thousand_tests_of_one_name_are_told_apart_in_a_moment():
    report = reading.read_report("tap", "TAP version 13\n" + "ok 1 - a\n" * 30_000)
    assert (report.ran, report.complete) == (30_000, True)


def test_a_line_without_end_does_not_keep_anyone_waiting():
    report = reading.read_report("pytest", "a::b " * 200_000 + "\n2 passed in 0.10s\n")
    assert report.ran == 2


def test_an_example_of_cargo_is_named_by_what_it_documents_not_by_its_line():
    rows = [f"test src/lib.rs - {item} ... ok" for item in ("sum (line 30)", "sum (line 9)", "tax (line 50)")]
    text = "\n".join(["   Doc-tests pay", "", "running 3 tests", *rows, "", "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured"])  # fmt: skip
    report = reading.read_report("cargo", text)
    assert sorted(report.outcomes) == [
        "pay::src/lib.rs - sum", "pay::src/lib.rs - sum #2", "pay::src/lib.rs - tax",
    ]  # fmt: skip
