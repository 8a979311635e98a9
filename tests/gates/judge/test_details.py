"""What a verdict that is no PASS says about a check that cannot load its tests."""

from copy import copy

import pytest

FILES = {
    "tox.ini": "[pytest]\naddopts = --doctest-modules -ra\ntestpaths = src tests\n",
    "src/shop/__init__.py": "",
    "src/shop/prices.py": 'def total(prices):\n    """\n    >>> total([1, 2])\n    3\n    """\n    return sum(prices) + 1\n',
    "tests/test_prices.py": "from shop.prices import total\n\n\ndef test_total():\n    assert total([1]) > 0\n",
}


@pytest.fixture
def outcome(stage_of):
    stage = stage_of(FILES, "the doctest of total fails, fix total()")
    stage.apply(
        {"edit": [["tox.ini", "--doctest-modules -ra", "-ra"], ["src/shop/prices.py", "prices):", "prices):\n"]]}
    )
    return stage.verify()


@pytest.mark.slow
def test_it_passes_nothing_and_shows_the_changed_option(outcome):
    rules = {finding.rule for finding in outcome.verdict.facts.findings}
    assert outcome.value == "FAIL"
    assert "check-fails" in rules
    assert "check-blind" not in rules
    assert "changed: `--doctest-modules` was removed from" in "\n".join(outcome.details())


@pytest.mark.slow
def test_two_checks_that_run_the_same_tests_say_it_once(outcome):
    findings = outcome.verdict.facts.findings
    before = outcome.details()
    again = [copy(finding) for finding in findings]
    for finding in again:
        finding.gate = "shop/test"
    findings.extend(again)
    assert outcome.details() == before
