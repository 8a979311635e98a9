"""Words that hedge where a fact is wanted."""

import pytest

from ultrawork.core import phrases


@pytest.mark.parametrize("phrase", phrases.HEDGES)
def test_every_hedge_is_found_whatever_its_case(phrase):
    assert phrases.hedged(f"Well, this {phrase.upper()} now.") == [phrase]


@pytest.mark.parametrize("mark", phrases.MARKS)
def test_a_mark_counts_as_a_word_in_upper_case(mark):
    assert phrases.hedged(f"({mark}: later)") == [mark]
    assert phrases.hedged(mark) == [mark]


@pytest.mark.parametrize(
    "text", ["a todo app", "MASTODON", "TODOS", "TODO_LIST", "fixme", "MYTODO", "12 passed"]
)
def test_what_only_looks_like_a_mark_is_left_alone(text):
    assert phrases.hedged(text) == []


def test_a_later_mark_counts_when_the_first_is_part_of_a_word():
    assert phrases.hedged("TODOS and a TODO") == ["TODO"]


def test_evidence_is_worthless_when_every_entry_hedges():
    assert phrases.only_hedged(["should work", "a placeholder", "should work"]) == [
        "should work",
        "placeholder",
    ]


@pytest.mark.parametrize("evidence", [[], ["12 passed"], ["should work", "pytest: 12 passed"]])
def test_one_entry_without_a_hedge_is_enough(evidence):
    assert phrases.only_hedged(evidence) == []


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
    assert phrases.spoken_parts(entry) == text
