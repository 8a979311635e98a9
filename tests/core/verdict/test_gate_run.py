"""green, red, flaky or broken: every row of the guide about one run of a gate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.verdict import gate_run
from ultrawork.core.verdict.gate import LINT
from ultrawork.core.verdict.gate_run import (
    BROKEN,
    FAILED,
    FLAKY,
    GREEN,
    PASSED,
    RED,
    Colour,
    GateResult,
    RunFacts,
    TestReport,
)


def report(passed=0, failed=0, skipped=0):
    outcomes = {f"p{n}": "passed" for n in range(passed)}
    outcomes |= {f"f{n}": "failed" for n in range(failed)}
    return TestReport(
        outcomes=outcomes | {f"s{n}": "skipped" for n in range(skipped)},
        ran=passed + failed,
        failed_count=failed,
        skipped_count=skipped,
    )


ROWS = {
    "exit 0": (RunFacts(exit=0, report=report(passed=2)), GREEN, ""),
    "exit 0 of a program without tests": (RunFacts(exit=0, kind=LINT), GREEN, ""),
    "a failing test that a pipe hides": (
        RunFacts(exit=0, report=report(1, 1)),
        RED,
        "a test failed, but the command exited with 0",
    ),
    "a failing test": (RunFacts(exit=1, report=report(1, 1)), RED, "exit 1"),
    "a linter that complains": (RunFacts(exit=1, kind=LINT, output="a.py:1: F401"), RED, "exit 1"),
    "a crash": (RunFacts(exit=None, signal=11), RED, "crashed with signal 11"),
    "ended from outside": (RunFacts(exit=None, signal=15), BROKEN, "was stopped by SIGTERM"),
    "never ended": (RunFacts(exit=None, signal=9, timed_out=True), BROKEN, "did not finish in 60 s"),
    "never started": (RunFacts(exit=None), BROKEN, "did not start"),
    "a missing service": (
        RunFacts(exit=None, missing=["tcp:localhost:5432"]),
        BROKEN,
        "needs tcp:localhost:5432",
    ),
    "no test collected": (RunFacts(exit=5, report=report()), BROKEN, "no test ran"),
    "no test collected, make hides 5 behind 2": (
        RunFacts(exit=2, report=report(), output="make: *** [Makefile:2: test] Error 5"),
        BROKEN,
        "no test ran",
    ),
    "none run where base ran some": (
        RunFacts(exit=0, report=report(), base_ran=4),
        RED,
        "no test ran, but 4 did at the start",
    ),
    "all skipped where base ran some": (
        RunFacts(exit=0, report=report(skipped=4), base_ran=4),
        RED,
        "no test ran, but 4 did at the start",
    ),
    "exit 127": (RunFacts(exit=127), BROKEN, "could not start (exit 127)"),
    "exit 126": (RunFacts(exit=126), BROKEN, "could not start (exit 126)"),
    "dash": (RunFacts(exit=127, output="sh: 1: pytest: not found\n"), BROKEN, "pytest is not installed"),
    "bash": (
        RunFacts(exit=127, output="bash: line 1: jest: command not found\n"),
        BROKEN,
        "jest is not installed",
    ),
    "zsh": (RunFacts(exit=127, output="zsh:1: command not found: go\n"), BROKEN, "go is not installed"),
    "make hides 127 behind 2": (
        RunFacts(
            exit=2,
            output="make: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n",
        ),
        BROKEN,
        "pytest is not installed",
    ),
    "make tells only the number": (
        RunFacts(exit=2, output="make: *** [Makefile:2: test] Error 127"),
        BROKEN,
        "a program it starts is not installed",
    ),
    "python without the runner": (
        RunFacts(exit=1, output="/usr/bin/python3: No module named pytest\n"),
        BROKEN,
        "pytest is not installed",
    ),
    "node without the runner": (
        RunFacts(exit=1, output="Error: Cannot find module '/x/node_modules/jest/bin/jest.js'\n"),
        BROKEN,
        "jest.js is not installed",
    ),
    "env": (
        RunFacts(exit=1, output="/usr/bin/env: 'node': No such file or directory\n"),
        BROKEN,
        "node is not installed",
    ),
    "uv": (RunFacts(exit=2, output="error: Failed to spawn: `pytest`\n"), BROKEN, "pytest is not installed"),
    "poetry": (RunFacts(exit=1, output="Command not found: pytest\n"), BROKEN, "pytest is not installed"),
    "cargo": (RunFacts(exit=101, output="error: no such command: `nextest`\n"), BROKEN, "nextest is not installed"),
    "pnpm": (RunFacts(exit=1, output='Command "jest" not found\n'), BROKEN, "jest is not installed"),
    "the project's own module": (
        RunFacts(exit=1, output="ModuleNotFoundError: No module named 'billing'\n"),
        RED,
        "exit 1",
    ),
    "the runner's name after test results": (
        RunFacts(exit=1, report=report(1, 1), output="sh: 1: pytest: not found\n"),
        RED,
        "exit 1",
    ),
    "refused before the first result": (
        RunFacts(exit=1, output="psycopg.OperationalError: Connection refused\n"),
        BROKEN,
        "needs a service: connection refused",
    ),
    "no docker": (
        RunFacts(exit=1, output="Cannot connect to the Docker daemon at unix:///x\n"),
        BROKEN,
        "needs a service: cannot connect to the docker daemon",
    ),
    "refused after test results": (
        RunFacts(exit=1, report=report(1, 1), output="Connection refused"),
        RED,
        "exit 1",
    ),
    "pytest used wrongly": (
        RunFacts(exit=4, runner="pytest", output="ERROR: file or directory not found: x\n"),
        BROKEN,
        "pytest could not run the tests (exit 4)",
    ),
    "exit 4 of another": (RunFacts(exit=4, runner="node"), RED, "exit 4"),
}  # fmt: skip


@pytest.mark.parametrize("row", list(ROWS))
def test_the_colour_of_a_run(row):
    run, value, reason = ROWS[row]
    found = gate_run.find_colour(run)
    assert (found.value, found.reason) == (value, reason)


def test_a_missing_program_comes_with_the_line_for_the_configuration():
    run = RunFacts(exit=127, output="sh: 1: pytest: not found", command="pytest -q", prefix="uv run")
    assert gate_run.find_colour(run).line == '[gates] test = "uv run pytest -q"'


def test_a_folder_of_programs_is_written_without_a_blank():
    run = RunFacts(exit=127, output="sh: 1: ruff: not found", gate="lint", prefix=".venv/bin/")
    assert gate_run.find_colour(run).line == '[gates] lint = ".venv/bin/ruff"'


def test_without_a_known_environment_the_line_shows_what_to_fill_in():
    run = RunFacts(exit=127, command="make test")
    line = gate_run.find_colour(run).line
    assert line == '[gates] test = "COMMAND THAT WORKS IN YOUR SHELL"  # now: make test'


@pytest.mark.parametrize("base", [GREEN, RED, FLAKY])
def test_what_ran_on_base_and_is_broken_now_is_red(base):
    now = gate_run.compare_to_base(Colour(BROKEN, "did not finish in 60 s"), base)
    assert (now.value, now.reason) == (RED, "did not finish in 60 s; it ran at the start")


@pytest.mark.parametrize("base", [None, BROKEN])
def test_what_never_ran_stays_broken(base):
    assert gate_run.compare_to_base(Colour(BROKEN), base).value == BROKEN


def test_a_missing_service_is_nobodys_fault_even_if_it_was_there_before():
    now = gate_run.find_colour(RunFacts(exit=None, missing=["docker"]))
    assert gate_run.compare_to_base(now, GREEN).value == BROKEN


@pytest.mark.parametrize("value", [GREEN, RED])
def test_a_gate_that_ran_keeps_its_colour(value):
    assert gate_run.compare_to_base(Colour(value), GREEN).value == value


def test_red_in_the_same_way_on_base_without_its_service_is_broken():
    def side(failed):
        return GateResult(RED, report(1, failed), "ECONNREFUSED 127.0.0.1:5432")

    assert gate_run.needs_service(side(2), side(2))
    assert not gate_run.needs_service(side(2), side(1))
    assert not gate_run.needs_service(side(0), side(0))
    assert not gate_run.needs_service(GateResult(RED), side(2))
    assert not gate_run.needs_service(side(2), GateResult(RED, report(1, 2), "200 != 401"))


def ran(*failed):
    told = {"test_a": PASSED, "test_b": PASSED} | dict.fromkeys(failed, FAILED)
    return GateResult(RED if failed else GREEN, report=TestReport(outcomes=told))


def test_tests_waver_that_failed_in_the_first_run_alone():
    assert gate_run.list_wavered(ran("test_a", "test_b"), ran("test_b")) == ["test_a"]
    assert gate_run.list_wavered(ran("test_a"), ran("test_a")) == []
    assert gate_run.list_wavered(GateResult(RED), GateResult(GREEN)) == []


@pytest.mark.parametrize(
    ("names", "base", "found"),
    [
        (["test_a"], [ran("test_a"), ran()], FLAKY),
        (["test_a"], [ran(), ran()], gate_run.ONLY_HERE),
        (["test_a", "test_b"], [ran("test_a"), ran()], gate_run.ONLY_HERE),
        (["test_a"], [ran("test_a"), ran("test_a")], RED),
        (["test_a"], [ran("test_b"), ran()], gate_run.ONLY_HERE),
        (["test_a"], [], gate_run.UNKNOWN),
        (["test_a"], [ran(), GateResult(BROKEN)], gate_run.UNKNOWN),
        ([], [GateResult(RED), GateResult(GREEN)], FLAKY),
        ([], [GateResult(GREEN), GateResult(GREEN)], gate_run.ONLY_HERE),
        ([], [GateResult(RED), GateResult(RED)], RED),
    ],
)
def test_base_says_what_a_wavering_test_is(names, base, found):
    assert gate_run.judge_wavering(names, base) == found


def test_the_flaky_line_names_the_tests_and_the_runs():
    assert gate_run.describe_flaky(["test_x"], red=1, runs=4) == "flaky: test_x, failed in 1 of 4 runs"
    assert gate_run.describe_flaky([], red=1, runs=2) == "flaky, failed in 1 of 2 runs"


runs = st.builds(
    RunFacts,
    exit=st.one_of(st.none(), st.integers(-3, 130)),
    output=st.sampled_from(["", "Connection refused", "sh: 1: x: not found", "3 passed"]),
    signal=st.one_of(st.none(), st.integers(1, 15)),
    timed_out=st.booleans(),
    report=st.one_of(st.none(), st.builds(report, st.integers(0, 2), st.integers(0, 2))),
    base_ran=st.one_of(st.none(), st.integers(0, 3)),
)


@given(runs)
def test_only_a_run_that_ended_by_itself_with_0_is_green(run):
    if gate_run.find_colour(run).value == GREEN:
        assert run.exit == 0
        assert run.signal is None
        assert not run.timed_out
        assert run.report is None or run.report.ran or run.report.failed_count


@given(runs)
def test_a_colour_that_is_not_green_has_a_reason(run):
    found = gate_run.find_colour(run)
    assert found.value == GREEN or found.reason


def test_of_a_few_tests_alone_only_their_own_results_count():
    passed = TestReport(outcomes={"test_a": PASSED})
    failed = TestReport(outcomes={"test_a": FAILED})
    told = "Required test coverage of 90% not reached. Total coverage: 12.00%"
    assert gate_run.find_colour(RunFacts(exit=1, output=told, report=passed)).value == RED
    partial = RunFacts(exit=1, output=told, report=passed, partial=True)
    assert gate_run.find_colour(partial).value == GREEN
    assert gate_run.find_colour(RunFacts(exit=1, report=failed, partial=True)).value == RED
