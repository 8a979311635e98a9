"""Words that hedge where a fact is wanted."""

import pytest

from ultrawork.core.plan import evidence as plan_evidence


@pytest.mark.parametrize("phrase", plan_evidence.HEDGES)
def test_every_hedge_is_found_whatever_its_case(phrase):
    assert plan_evidence.find_hedges(f"Well, this {phrase.upper()} now.") == [phrase]


@pytest.mark.parametrize("mark", plan_evidence.MARKS)
def test_a_mark_counts_as_a_word_in_upper_case(mark):
    assert plan_evidence.find_hedges(f"({mark}: later)") == [mark]
    assert plan_evidence.find_hedges(mark) == [mark]


@pytest.mark.parametrize("text", ["a todo app", "MASTODON", "TODOS", "TODO_LIST", "fixme", "MYTODO", "12 passed"])
def test_what_only_looks_like_a_mark_is_left_alone(text):
    assert plan_evidence.find_hedges(text) == []


def test_a_later_mark_counts_when_the_first_is_part_of_a_word():
    assert plan_evidence.find_hedges("TODOS and a TODO") == ["TODO"]


def test_evidence_is_worthless_when_every_entry_hedges():
    assert plan_evidence.find_only_hedges(["should work", "a placeholder", "should work"]) == [
        "should work",
        "placeholder",
    ]


@pytest.mark.parametrize("evidence", [[], ["12 passed"], ["should work", "pytest: 12 passed"]])
def test_one_entry_without_a_hedge_is_enough(evidence):
    assert plan_evidence.find_only_hedges(evidence) == []


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        ("words", "words"),
        ({"output": "a", "description": "b", "command": "c", "type": "d"}, "a\nb\nc"),
        ({"output": None, "command": 3}, ""),
        (7, "7"),
    ],
)
def test_structured_evidence_is_read_key_by_key(entry, text):
    assert plan_evidence.read_entry_text(entry) == text
