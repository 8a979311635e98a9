"""The rule table: whole, in order, and every row with words that can be filled in."""

import string

import pytest

from ultrawork.core.verdict import rules
from ultrawork.core.verdict.verdict import NOTE, STRONG, WEAK

WORDS = dict.fromkeys(
    (
        field
        for row in rules.RULES.values()
        for text in (row.words, row.clears)
        for _, field, _, _ in string.Formatter().parse(text)
        if field
    ),
    "x",
)


@pytest.mark.parametrize("row", rules.RULES.values(), ids=lambda row: row.id)
def test_a_row_says_what_asks_for_it_and_what_it_comes_to(row):
    assert row.family in rules.FAMILIES
    assert row.asks
    assert row.cell
    assert row.effect in ("", rules.FAIL, rules.ONCE, rules.ASK, rules.UNVERIFIED, rules.SAID)
    assert bool(row.words) is bool(row.effect)


@pytest.mark.parametrize("row", [one for one in rules.RULES.values() if one.effect], ids=lambda row: row.id)
def test_what_stands_against_a_pass_says_how_to_clear_it(row):
    finding = rules.make_finding(row.id, **WORDS)
    assert finding.is_open is (row.effect != rules.SAID)
    if finding.is_open:
        assert finding.clears != "nothing to do"
    levels = {rules.FAIL: STRONG, rules.ONCE: WEAK, rules.ASK: WEAK}
    assert finding.level == levels.get(row.effect, NOTE)
    assert finding.doubt is (row.effect == rules.UNVERIFIED)


def test_a_row_stands_once():
    assert len(rules.RULES) == len(rules.ROWS)


def test_only_the_first_row_that_fits_speaks_of_a_test():
    from ultrawork.core.verdict.old_tests import OldTest

    facts = OldTest("test_x", baseline="failed", old_on_new="failed", now="gone")
    assert [one.rule for one in rules.judge(rules.OLD_TESTS, facts)] == ["test-changed"]


def test_of_the_request_every_part_that_is_missing_is_said():
    from ultrawork.core.verdict.work import WorkDone

    done = WorkDone(expects="work", changed=True, asks_commit=True, uncommitted=["a.py"], asks_tests=True)
    found = [one.rule for one in rules.judge(rules.WORK, done)]
    assert found == ["not-committed", "no-test-written"]
