"""`ultrawork compose …` as people and scripts type it."""

import pytest

from ultrawork.core.prompt.composition import ROOM


def test_names_are_put_into_their_layers(program):
    out = program.done("compose", "ralph", "team", "tdd").out
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["execution", "team"],
        ["enhancement", "tdd"],
        ["guarantee", "ralph"],
        ["modes", "ralph,"],
    ]


def test_what_gives_way_is_told_with_its_reason(program):
    out = program.done("compose", "team", "autopilot").out
    assert "left out     autopilot        team replaces autopilot" in out


def test_a_prompt_is_read_as_the_client_would_read_it(program):
    found = program.done("compose", "--json", "ulw ralph: mend the parser").data
    assert found["modes"] == ["ralph", "ultrawork"]
    assert found["goal"] == "mend the parser"
    assert len(found["block"].encode()) <= ROOM


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("what does ralph do?", "no mode: the prompt does not ask for one"),
        ("use ralph sparingly", "no mode: the prompt only mentions ralph; start it with /ultrawork:ralph"),
        ("please stop ralph now", "no mode: the prompt turns the active mode off"),
    ],
)
def test_words_that_begin_nothing_say_why(program, words, told):
    answer = program.call("compose", words)
    assert answer.status == 4
    assert answer.out.startswith(told)


@pytest.mark.parametrize(
    ("words", "mode"),
    [
        ("ralphで直して", "ralph"),
        ("fullsend", "autopilot"),
        ("this must complete: migrate the users table", "ralph"),
        ("don't stop until all tests pass", "ralph"),
        ("make the suite green, ralph", "ralph"),
        ("with a swarm of 5 agents fix the errors", "swarm"),
    ],
)
def test_what_the_page_of_words_gives_as_an_example_begins_its_mode(program, words, mode):
    assert program.done("compose", "--json", words).data["modes"] == [mode]


def test_one_word_that_ends_all_is_read_as_a_prompt(program):
    answer = program.call("compose", "stopomc")
    assert (answer.status, answer.out) == (4, "no mode: the prompt turns the active mode off\n")


def test_a_name_that_nobody_knows_is_refused(program):
    answer = program.call("compose", "ralf")
    assert answer.status == 2
    assert "did you mean ralph?" in answer.err


def test_without_words_it_says_what_is_missing(program):
    assert "name modes or skills" in program.call("compose").err
