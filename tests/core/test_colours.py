"""green, red, flaky or broken: every row of the guide about one run of a gate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core import colours
from ultrawork.core.colours import Colour, Run
from ultrawork.core.gate import LINT
from ultrawork.core.results import BROKEN, FLAKY, GREEN, RED, TestReport


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
    "exit 0": (Run(exit=0, report=report(passed=2)), GREEN, ""),
    "exit 0 of a program without tests": (Run(exit=0, kind=LINT), GREEN, ""),
    "a failing test": (Run(exit=1, report=report(1, 1)), RED, "exit 1"),
    "a linter that complains": (Run(exit=1, kind=LINT, output="a.py:1: F401"), RED, "exit 1"),
    "a crash": (Run(exit=None, signal=11), RED, "crashed with signal 11"),
    "ended from outside": (Run(exit=None, signal=15), BROKEN, "was ended by SIGTERM"),
    "never ended": (Run(exit=None, signal=9, timed_out=True), BROKEN, "did not end in 60 s"),
    "never started": (Run(exit=None), BROKEN, "was never started"),
    "a missing service": (
        Run(exit=None, missing=["tcp:localhost:5432"]),
        BROKEN,
        "not checked: needs tcp:localhost:5432",
    ),
    "no test collected": (Run(exit=5, report=report()), BROKEN, "no test ran"),
    "no test collected, make hides 5 behind 2": (
        Run(exit=2, report=report(), output="make: *** [Makefile:2: test] Error 5"),
        BROKEN,
        "no test ran",
    ),
    "none run where base ran some": (
        Run(exit=0, report=report(), base_ran=4),
        RED,
        "no test ran; 4 did at the start",
    ),
    "all skipped where base ran some": (
        Run(exit=0, report=report(skipped=4), base_ran=4),
        RED,
        "no test ran; 4 did at the start",
    ),
    "exit 127": (Run(exit=127), BROKEN, "could not be started (exit 127)"),
    "exit 126": (Run(exit=126), BROKEN, "could not be started (exit 126)"),
    "dash": (Run(exit=127, output="sh: 1: pytest: not found\n"), BROKEN, "pytest is not there"),
    "bash": (
        Run(exit=127, output="bash: line 1: jest: command not found\n"),
        BROKEN,
        "jest is not there",
    ),
    "zsh": (Run(exit=127, output="zsh:1: command not found: go\n"), BROKEN, "go is not there"),
    "make hides 127 behind 2": (
        Run(
            exit=2,
            output="make: pytest: No such file or directory\nmake: *** [Makefile:2: test] Error 127\n",
        ),
        BROKEN,
        "pytest is not there",
    ),
    "make tells only the number": (
        Run(exit=2, output="make: *** [Makefile:2: test] Error 127"),
        BROKEN,
        "its program is not there",
    ),
    "python without the runner": (
        Run(exit=1, output="/usr/bin/python3: No module named pytest\n"),
        BROKEN,
        "pytest is not there",
    ),
    "node without the runner": (
        Run(exit=1, output="Error: Cannot find module '/x/node_modules/jest/bin/jest.js'\n"),
        BROKEN,
        "jest.js is not there",
    ),
    "env": (
        Run(exit=1, output="/usr/bin/env: 'node': No such file or directory\n"),
        BROKEN,
        "node is not there",
    ),
    "uv": (Run(exit=2, output="error: Failed to spawn: `pytest`\n"), BROKEN, "pytest is not there"),
    "poetry": (Run(exit=1, output="Command not found: pytest\n"), BROKEN, "pytest is not there"),
    "cargo": (Run(exit=101, output="error: no such command: `nextest`\n"), BROKEN, "nextest is not there"),
    "pnpm": (Run(exit=1, output='Command "jest" not found\n'), BROKEN, "jest is not there"),
    "the project's own module": (
        Run(exit=1, output="ModuleNotFoundError: No module named 'billing'\n"),
        RED,
        "exit 1",
    ),
    "the runner's name after test results": (
        Run(exit=1, report=report(1, 1), output="sh: 1: pytest: not found\n"),
        RED,
        "exit 1",
    ),
    "refused before the first result": (
        Run(exit=1, output="psycopg.OperationalError: Connection refused\n"),
        BROKEN,
        "needs a service: connection refused",
    ),
    "no docker": (
        Run(exit=1, output="Cannot connect to the Docker daemon at unix:///x\n"),
        BROKEN,
        "needs a service: cannot connect to the docker daemon",
    ),
    "refused after test results": (
        Run(exit=1, report=report(1, 1), output="Connection refused"),
        RED,
        "exit 1",
    ),
    "pytest used wrongly": (
        Run(exit=4, runner="pytest", output="ERROR: file or directory not found: x\n"),
        BROKEN,
        "pytest itself had trouble (exit 4)",
    ),
    "exit 4 of another": (Run(exit=4, runner="node"), RED, "exit 4"),
}  # fmt: skip


@pytest.mark.parametrize("row", list(ROWS))
def test_the_colour_of_a_run(row):
    run, value, reason = ROWS[row]
    found = colours.colour(run)
    assert (found.value, found.reason) == (value, reason)


def test_a_missing_program_comes_with_the_line_for_the_configuration():
    run = Run(exit=127, output="sh: 1: pytest: not found", command="pytest -q", prefix="uv run")
    assert colours.colour(run).line == '[gates] test = "uv run pytest -q"'


def test_a_folder_of_programs_is_written_without_a_blank():
    run = Run(exit=127, output="sh: 1: ruff: not found", gate="lint", prefix=".venv/bin/")
    assert colours.colour(run).line == '[gates] lint = ".venv/bin/ruff"'


def test_without_a_known_environment_the_line_shows_what_to_fill_in():
    run = Run(exit=127, command="make test")
    line = colours.colour(run).line
    assert line == '[gates] test = "COMMAND THAT WORKS IN YOUR SHELL"  # now: make test'


@pytest.mark.parametrize("base", [GREEN, RED, FLAKY])
def test_what_ran_on_base_and_is_broken_now_is_red(base):
    now = colours.against_base(Colour(BROKEN, "did not end in 60 s"), base)
    assert (now.value, now.reason) == (RED, "did not end in 60 s; it did run at the start")


@pytest.mark.parametrize("base", [None, BROKEN])
def test_what_never_ran_stays_broken(base):
    assert colours.against_base(Colour(BROKEN), base).value == BROKEN


def test_a_missing_service_is_nobodys_fault_even_if_it_was_there_before():
    now = colours.colour(Run(exit=None, missing=["docker"]))
    assert colours.against_base(now, GREEN).value == BROKEN


@pytest.mark.parametrize("value", [GREEN, RED])
def test_a_gate_that_ran_keeps_its_colour(value):
    assert colours.against_base(Colour(value), GREEN).value == value


def test_red_in_the_same_way_on_base_without_its_service_is_broken():
    def side(failed):
        return Run(exit=1, report=report(1, failed), output="ECONNREFUSED 127.0.0.1:5432")

    assert colours.needs_service(side(2), side(2))
    assert not colours.needs_service(side(2), side(1))
    assert not colours.needs_service(side(0), side(0))
    assert not colours.needs_service(Run(exit=1), side(2))
    assert not colours.needs_service(side(2), Run(exit=1, report=report(1, 2), output="200 != 401"))


def test_red_then_green_on_the_same_files_is_flaky():
    assert colours.flaky(RED, GREEN) == FLAKY
    assert colours.flaky(RED, RED) == RED
    assert colours.flaky(RED, BROKEN) == RED
    assert colours.flaky(GREEN, GREEN) == GREEN


def test_flaky_counts_after_two_more_green_runs_far_from_the_change():
    assert colours.flaky_counts([GREEN, GREEN], touched=False)
    assert not colours.flaky_counts([GREEN, GREEN], touched=True)
    assert not colours.flaky_counts([GREEN], touched=False)
    assert not colours.flaky_counts([GREEN, RED], touched=False)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (["tests/test_login.py"], True),
        (["src/clock.py"], True),
        (["src/report.py"], False),
        (["src/lock.py"], False),
        ([], False),
    ],
)
def test_a_change_touches_a_flaky_test_through_its_file_or_a_file_it_names(changed, expected):
    output = "src/clock.py:12: TimeoutError"
    assert colours.touched(changed, ["tests/test_login.py::test_slow"], output) is expected


def test_the_flaky_line_names_the_tests_and_the_runs():
    assert colours.flaky_line(["test_x"], red=1, runs=4) == "flaky: test_x, red in 1 of 4 runs"
    assert colours.flaky_line([], red=1, runs=2) == "flaky: no test by name, red in 1 of 2 runs"


def test_a_gate_that_rewrites_files_runs_once_more_and_is_then_broken():
    assert colours.after_writing([], None) == ""
    assert colours.after_writing(["a.lock"], None) == colours.RUN_AGAIN
    assert colours.after_writing(["a.lock"], []) == ""
    assert colours.after_writing(["a.lock"], ["a.lock"]) == colours.REWRITES


def test_files_that_move_twice_leave_nothing_settled():
    assert colours.after_moving(first=False, second=None) == ""
    assert colours.after_moving(first=True, second=None) == colours.RUN_AGAIN
    assert colours.after_moving(first=True, second=False) == ""
    assert colours.after_moving(first=True, second=True) == "files change while I check"


runs = st.builds(
    Run,
    exit=st.one_of(st.none(), st.integers(-3, 130)),
    output=st.sampled_from(["", "Connection refused", "sh: 1: x: not found", "3 passed"]),
    signal=st.one_of(st.none(), st.integers(1, 15)),
    timed_out=st.booleans(),
    report=st.one_of(st.none(), st.builds(report, st.integers(0, 2), st.integers(0, 2))),
    base_ran=st.one_of(st.none(), st.integers(0, 3)),
)


@given(runs)
def test_only_a_run_that_ended_by_itself_with_0_is_green(run):
    if colours.colour(run).value == GREEN:
        assert run.exit == 0
        assert run.signal is None
        assert not run.timed_out
        assert run.report is None or run.report.ran or run.report.failed_count


@given(runs)
def test_a_colour_that_is_not_green_has_a_reason(run):
    found = colours.colour(run)
    assert found.value == GREEN or found.reason
