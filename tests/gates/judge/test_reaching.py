"""Tests that failed before and fail still: whether they run the change is shown by undoing it."""

import pytest

SUM = "def total(prices):\n    return len(prices)\n"
RATE = "RATE = 7\n\n\ndef tax(price):\n    return price * RATE // 100\n"


@pytest.fixture
def broken(stage_of, shop):
    """`total` is wrong and its test fails; nothing tests `tax`."""
    return stage_of({**shop, "shop.py": SUM, "tax.py": RATE}, goal="fix the wrong numbers")


def rules_of(outcome):
    return {one.rule for one in outcome.verdict.facts.findings}


@pytest.mark.slow
def test_a_failing_test_that_runs_the_change_is_sent_back(broken):
    broken.apply({"write": {"shop.py": SUM.replace("len(prices)", "len(prices) - 1")}})
    outcome = broken.verify()
    assert outcome.value == "UNVERIFIED"
    assert "still-fails" in rules_of(outcome)


@pytest.mark.slow
def test_a_failing_test_that_does_not_run_it_costs_nothing(broken):
    broken.apply({"write": {"tax.py": RATE.replace("// 100", "/ 100")}})
    assert rules_of(broken.verify()).isdisjoint({"still-fails", "still-fails-unread"})


@pytest.mark.slow
def test_nor_one_that_does_not_load_what_changed_outside_of_functions(broken):
    broken.apply({"write": {"tax.py": RATE.replace("RATE = 7", "RATE = 19")}})
    assert rules_of(broken.verify()).isdisjoint({"still-fails", "still-fails-unread"})


@pytest.mark.slow
def test_whether_code_outside_of_functions_matters_to_a_test_that_loads_it_is_not_known(broken):
    broken.apply({"write": {"shop.py": "LARGEST = 9\n\n\n" + SUM}})
    outcome = broken.verify()
    assert outcome.value == "UNVERIFIED"
    assert "still-fails-unread" in rules_of(outcome)


@pytest.mark.slow
def test_a_formatter_that_complains_as_before_costs_nothing(stage_of, shop):
    settings = '[gates]\ntest = "python3 -m unittest"\nlint = "cat drift.txt; exit 1"\n'
    files = {**shop, "tax.py": RATE, "ultrawork.toml": settings, "drift.txt": "would reformat tax\n"}  # fmt: skip
    stage = stage_of(files, goal="fix the wrong tax")
    stage.apply({"write": {"tax.py": RATE.replace("RATE = 7", "RATE = 19")}})
    outcome = stage.verify()
    assert "failing-before" in rules_of(outcome)
    assert outcome.value == "PASS"


@pytest.mark.slow
def test_a_runner_that_breaks_before_its_first_test_is_not_a_test_that_fails(stage_of, shop):
    """An old runner beside a newer interpreter, say: no one can tell what its tests would have said."""
    settings = '[gates]\ntest = "python3 -m pytest"\n'
    files = {**shop, "ultrawork.toml": settings, "conftest.py": "import os\n\nos._exit(1)\n"}
    stage = stage_of(files, goal="fix the wrong total")
    stage.apply({"edit": [["shop.py", "sum(prices)", "sum(list(prices))"]]})
    outcome = stage.verify()
    assert outcome.value == "UNVERIFIED"
    assert "still-fails-unread" in rules_of(outcome), outcome.describe()
