"""What runs of tests and code of different moments say about one test, also where they tell little."""

from types import SimpleNamespace

import pytest

from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.core.verdict.gate_run import (
    BROKEN,
    FAILED,
    GREEN,
    PASSED,
    RED,
    GateResult,
    TestReport,
)
from ultrawork.core.verdict.testcases import GONE
from ultrawork.gates.judge import retest
from ultrawork.gates.judge.cross_runs import CrossRuns
from ultrawork.gates.run.receipt import RunReceipt

GATE = Gate(
    name="test", kind=TEST, argv=["make", "test"], command="make test", source="", reason=""
)
CHANGE = SimpleNamespace(path="test_a.py", parts=("test_a",))


def ran(colour, report=None):
    document = {"id": 7, "run": {"seconds": 1.0}, "tree": {"wrote": []}}
    return RunReceipt(GATE, GateResult(colour, report=report), document)


def quiet(**counts):
    """The report of a runner that counts its tests and names none of them."""
    return TestReport(
        outcomes={}, complete=False, **{"failed_count": 0, "skipped_count": 0, **counts}
    )


def crossed(run):
    """The tests of a change in one file, every run of which ends like this."""
    side = SimpleNamespace(
        paths=["test_a.py"],
        test_paths=["test_a.py"],
        support_paths=[],
        inline=False,
        patching=[],
        judged=[],
        changed=[],
        texts=lambda **_: {},
    )
    measured = SimpleNamespace(rules=[], pair=SimpleNamespace(pinned=None, gate=GATE))
    source = SimpleNamespace(read=lambda *_: None)
    bench = SimpleNamespace(
        tree="now", base_tree="base", scratch_run=lambda *_, **__: run, source=source
    )
    return CrossRuns(bench, measured, side)


@pytest.mark.parametrize("colour", [RED, BROKEN, GREEN])
def test_of_a_changed_test_that_does_not_load_on_old_code_nothing_is_known_there(colour):
    assert crossed(ran(colour)).outcome_on_base(CHANGE) is None


@pytest.mark.parametrize(("feature", "outcome"), [("old_login", FAILED), ("", None)])
def test_an_original_that_does_not_load_has_failed_only_where_its_feature_is_gone(feature, outcome):
    runs = crossed(ran(RED))
    assert runs.outcome_on_new(CHANGE, feature) is None, "nothing has run yet"
    runs.old_on_new()
    assert runs.outcome_on_new(CHANGE, feature) == outcome


@pytest.mark.parametrize(
    ("run", "outcome"),
    [
        (None, None),
        (ran(GREEN), None),
        (ran(GREEN, TestReport(outcomes={"test_a": FAILED})), FAILED),
        (ran(GREEN, TestReport(outcomes={"test_b": PASSED}, complete=True)), GONE),
        (ran(GREEN, quiet()), PASSED),
        (ran(GREEN, quiet(skipped_count=1)), None),
        (ran(GREEN, quiet(failed_count=1)), None),
        (ran(RED, quiet()), None),
    ],
    ids=[
        "no run", "no report", "named", "complete without it", "quiet and green", "quiet with skips",
        "quiet with failures", "quiet and red",
    ],
)  # fmt: skip
def test_a_test_that_a_run_does_not_name_has_passed_only_where_all_ran_and_were_green(run, outcome):
    assert retest._by_name(run, "test_a") == outcome
