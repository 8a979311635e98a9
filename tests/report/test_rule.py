"""`ultrawork why RULE`: one rule of the judge, as a sentence that a person could meet."""

import pytest

from ultrawork.core.verdict.rules import RULES
from ultrawork.report.rule import describe_rule


@pytest.mark.parametrize("name", RULES)
def test_no_rule_shows_the_gaps_of_its_sentence(name):
    _, text = describe_rule(name)
    assert "{" not in text
    assert "  message         :" not in text


def test_a_rule_is_shown_with_an_example():
    document, text = describe_rule("test-put-away")
    assert "message         test_total was removed, and its old version fails on this code" in text
    assert "cleared by      restore test_total and get it to pass" in text
    assert document["effect"] == RULES["test-put-away"].effect


def test_what_is_no_rule_is_not_explained():
    assert describe_rule("nothing-of-ours") is None


def test_the_words_of_a_verdict_are_explained():
    texts = [describe_rule(word)[1] for word in ("PASS", "FAIL", "UNVERIFIED")]
    assert len(set(texts)) == 3
    assert "neither right nor wrong" in texts[2]
