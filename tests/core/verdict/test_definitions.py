"""Gates whose definition, tests or program were exchanged."""

import pytest

from ultrawork.core.verdict.definitions import (
    can_shadow,
    find_swallowed,
    find_uncollected,
    judge_definition,
    judge_new_gate,
    judge_shadow,
)
from ultrawork.core.verdict.finding import NOTE, STRONG, WEAK
from ultrawork.core.verdict.gate import LINT, TEST
from ultrawork.core.verdict.gate_run import BROKEN, FLAKY, GREEN, RED, GateResult, TestReport

NOW = GateResult(GREEN, report=TestReport(ran=9))


def changed(now=NOW, **more):
    return judge_definition(
        "test", before="jest", after="vitest run", now=now, where="package.json", **more
    )


def test_an_unchanged_definition_is_no_finding():
    assert judge_definition("test", before="x", after="x", now=NOW, pinned=None) is None


@pytest.mark.parametrize("colour", [GREEN, FLAKY])
def test_green_as_it_was_is_a_note(colour):
    found = changed(pinned=GateResult(colour, receipt=3))
    assert (found.level, found.doubt, found.receipt) == (NOTE, False, 3)
    assert found.what == "`jest` became `vitest run`; green both ways"


def test_green_only_as_it_was_says_so():
    found = changed(now=GateResult(RED), pinned=GateResult(GREEN))
    assert found.what.endswith("; green as before")


def test_red_as_it_was_is_refused():
    report = TestReport(outcomes={"t1": "failed"})
    found = changed(pinned=GateResult(RED, report=report, receipt=3))
    assert (found.level, found.clears) == (STRONG, "make `jest` green")
    assert found.what == "`jest` became `vitest run`; as it was, it is red: t1"
    assert changed(pinned=GateResult(RED)).level == STRONG


def test_red_as_it_was_and_as_before_is_nobodys_doing():
    found = changed(now=GateResult(RED), pinned=GateResult(RED), pinned_as_before=True)
    assert (found.level, found.doubt) == (NOTE, False)


def test_a_definition_that_calls_green_what_was_red_before_is_refused():
    found = changed(pinned=GateResult(RED), pinned_as_before=True)
    assert found.level == STRONG


def test_a_definition_that_a_goal_about_tests_mends_is_asked_about_once():
    found = changed(pinned=GateResult(RED), pinned_as_before=True, about_tests=True)
    assert found.level == WEAK
    assert changed(pinned=GateResult(RED), about_tests=True).level == STRONG


def test_a_gutted_script_is_refused_because_the_real_one_is_red():
    found = judge_definition("test", before="pytest", after="true", now=NOW, pinned=GateResult(RED))
    assert found.level == STRONG


PAGES = (
    'pytest\n[pyproject.toml tool.pytest] {"addopts": "-q", "pythonpath": ["."], "testpaths": "t"}'
)


@pytest.mark.parametrize(
    ("after", "told"),
    [
        (PAGES.replace('"."', '"src"'), '`"pythonpath": ["."]` became `"pythonpath": ["src"]`'),
        (PAGES.replace(' "pythonpath": ["."],', ""), '`"pythonpath": ["."]` was taken out'),
        (f"{PAGES}\n[Makefile] test: lint", "`[Makefile] test: lint` was added"),
        ("", "`pytest` was removed"),
    ],
)
def test_of_a_definition_of_many_lines_only_what_differs_is_told(after, told):
    found = judge_definition("test", before=PAGES, after=after, now=NOW, pinned=GateResult(RED))
    assert found.what == f"{told}; as it was, it is red"
    assert found.clears == "make `pytest` green as it was defined"


def test_a_removed_script_is_named():
    found = judge_definition("test", before="pytest", after="", now=NOW, pinned=GateResult(GREEN))
    assert found.what == "`pytest` was removed; green both ways"


@pytest.mark.parametrize(("base", "doubt"), [(9, False), (12, True), (0, True), (None, True)])
def test_a_program_that_left_must_be_followed_by_as_many_tests(base, doubt):
    report = None if base is None else TestReport(ran=base)
    found = changed(pinned=GateResult(BROKEN), program_left=True, base=report)
    assert (found.level, found.doubt) == (NOTE, doubt)


@pytest.mark.parametrize("now", [GateResult(RED, report=TestReport(ran=9)), GateResult(GREEN)])
def test_a_program_that_left_for_nothing_green_is_a_doubt(now):
    assert changed(now=now, pinned=None, program_left=True, base=TestReport(ran=9)).doubt


def test_counts_that_nobody_told_are_a_doubt():
    now = GateResult(GREEN, report=TestReport(outcomes={"a": "failed"}, complete=False))
    assert changed(
        now=now, pinned=GateResult(BROKEN), program_left=True, base=TestReport(ran=1)
    ).doubt


def test_broken_as_it_was_for_no_known_reason_is_a_doubt():
    found = changed(pinned=GateResult(BROKEN, reason="did not end in 60 s", receipt=3))
    assert (found.level, found.doubt, found.receipt) == (NOTE, True, 3)
    assert found.what.endswith("; did not end in 60 s")
    assert changed(pinned=GateResult(BROKEN)).what.endswith("; is broken as it was")
    assert changed(pinned=None).what.endswith("; could not be run as it was")


def report(**outcomes):
    return TestReport(outcomes=outcomes)


def lost(now, defined=("a", "b"), **old_on_new):
    base = report(a="passed", b="passed", c="skipped")
    return find_uncollected("test", base=base, now=now, defined=defined, old_on_new=old_on_new)


def test_all_tests_still_collected_is_no_finding():
    assert lost(report(a="passed", b="failed")) is None


def test_a_test_that_left_the_source_is_not_judged_here():
    assert lost(report(a="passed"), defined=["a"]) is None


def test_a_red_test_that_is_no_longer_collected_is_refused():
    found = lost(report(a="passed"), b="failed")
    assert (found.level, found.what) == (STRONG, "1 test is no longer run: b")


RULES = {"t[ten]": "failed", "t[half]": "failed", "t[none]": "passed"}


def cases(now, base=RULES):
    found = find_uncollected(
        "test",
        base=TestReport(outcomes=base),
        now=TestReport(outcomes=now),
        defined=list(base),
        old_on_new={},
    )
    return found and (found.what, found.level, found.doubt)


def test_red_cases_that_are_gone_from_a_test_that_still_runs_are_a_doubt():
    told = cases({"t[none]": "passed"})
    assert told == ("2 tests are no longer run, red at the start: t[ten], t[half]", NOTE, True)


def test_cases_that_are_called_otherwise_or_were_green_are_no_matter():
    assert cases({"t[10]": "passed", "t[50]": "passed", "t[0]": "passed"}) is None
    assert cases({"t[ten]": "passed", "t[half]": "passed"}) is None


def test_a_green_test_that_is_no_longer_collected_is_a_note():
    found = lost(report(c="skipped", d="passed"), a="passed", b="passed")
    assert (found.level, found.doubt) == (NOTE, False)
    assert found.what == "2 tests are no longer run: a, b"


def test_an_uncollected_test_nobody_could_run_is_a_doubt():
    found = lost(report(a="passed"))
    assert (found.level, found.doubt) == (NOTE, True)


def test_other_parameters_are_the_same_test():
    base, now = TestReport(outcomes={"t[1]": "passed"}), TestReport(outcomes={"t[one]": "passed"})
    assert find_uncollected("test", base=base, now=now, defined=["t"], old_on_new={}) is None


def test_without_names_fewer_tests_are_a_doubt_and_not_a_refusal():
    def compare(base, now):
        return find_uncollected(
            "test", base=TestReport(ran=base), now=TestReport(ran=now), defined=(), old_on_new={}
        )

    assert compare(5, 5) is None
    assert compare(None, 5) is None
    found = compare(5, 4)
    assert (found.level, found.doubt) == (NOTE, True)


def test_a_quiet_runner_that_named_only_failures_is_counted():
    def compare(now):
        return find_uncollected(
            "t",
            base=report(a="failed", b="failed"),
            now=TestReport(ran=now),
            defined=(),
            old_on_new={},
        )

    assert compare(2) is None
    assert compare(1).doubt


def test_a_runner_that_names_only_files_that_failed_is_counted_once_all_are_green():
    """vitest: at the start a test was red, and the others of its file were named with it."""

    def compare(now):
        return find_uncollected(
            "t",
            base=report(a="failed", b="passed"),
            now=TestReport(ran=now, complete=False),
            defined=(),
            old_on_new={},
            names_red_files=True,
        )

    assert compare(2) is None
    assert compare(1).doubt


def test_a_runner_that_named_what_passed_and_names_nothing_now_is_a_doubt():
    found = find_uncollected(
        "t", base=report(a="passed"), now=TestReport(ran=1), defined=(), old_on_new={}
    )
    assert found.doubt


def test_tests_that_were_taken_out_of_the_code_explain_a_smaller_number():
    base, now = TestReport(ran=5), TestReport(ran=4)
    assert find_uncollected("t", base=base, now=now, defined=(), old_on_new={}, fewer=1) is None


def test_a_test_that_is_skipped_now_without_a_word_of_its_own_is_not_run():
    found = lost(report(a="passed", b="skipped"), b="failed")
    assert (found.level, found.what) == (STRONG, "1 test is no longer run: b")


@pytest.mark.parametrize("now", [None, TestReport(), TestReport(ran=0)])
def test_no_test_where_base_ran_some_is_refused(now):
    found = find_uncollected("t", base=report(a="passed"), now=now, defined=(), old_on_new={})
    assert found.level == STRONG
    assert found.what.endswith("1 ran at the start")


@pytest.mark.parametrize(
    ("base", "refused"),
    [
        (GateResult(GREEN, report=report(a="passed")), True),
        (GateResult(RED, report=report(a="failed")), True),
        (GateResult(GREEN, report=TestReport(ran=1)), True),
        (GateResult(GREEN, report=report(a="failed")), False),
        (GateResult(GREEN, report=report(b="passed")), False),
    ],
)
def test_green_over_a_failed_test_is_refused_unless_it_was_so_before(base, refused):
    found = find_swallowed("test", GateResult(GREEN, report=report(a="failed")), base)
    assert (found is not None) is refused


def test_without_a_report_of_base_nothing_is_compared():
    assert (
        find_uncollected("t", base=None, now=report(a="passed"), defined=(), old_on_new={}) is None
    )


def test_a_new_gate_that_tells_no_test_is_a_doubt():
    assert [one.doubt for one in judge_new_gate("test", TEST, GateResult(GREEN))] == [True]
    assert judge_new_gate("test", TEST, GateResult(GREEN, report=report(a="passed"))) == []
    assert judge_new_gate("lint", LINT, GateResult(GREEN)) == []


@pytest.mark.parametrize(
    ("path", "runner", "expected"),
    [
        ("pytest.py", "pytest", True),
        ("pytest/__init__.py", "pytest", True),
        ("src/_pytest/main.py", "pytest", True),
        ("unittest.py", "unittest", True),
        ("sitecustomize.py", "jest", True),
        (".npmrc", "jest", True),
        (".cargo/config.toml", "cargo", True),
        ("pytest.py", "", True),
        ("pytest.py", "jest", False),
        ("tests/test_pytest.py", "pytest", False),
        ("pytest.ini", "pytest", False),
        ("pay.py", "pytest", False),
    ],
)
def test_a_file_with_the_name_of_the_runner_is_seen(path, runner, expected):
    assert can_shadow(path, runner) is expected


def test_a_shadowed_runner_is_refused_if_the_tests_are_red_without_it():
    found = judge_shadow("pytest.py", "pytest", without=RED, receipt=4)
    assert (found.level, found.receipt) == (STRONG, 4)
    assert judge_shadow("pytest.py", "pytest", without=BROKEN).level == STRONG


def test_a_file_named_like_the_runner_is_a_note_if_nothing_depends_on_it():
    found = judge_shadow("pytest.py", "pytest", without=GREEN)
    assert (found.level, found.doubt) == (NOTE, False)


def test_a_shadow_nobody_could_take_away_is_a_doubt():
    assert judge_shadow("pytest.py", "pytest", without=None).doubt
