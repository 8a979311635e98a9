"""The state of anything that runs, from facts alone."""

import itertools

import pytest

from ultrawork.core import state
from ultrawork.core.state import Driver, StateFacts, judge_state

HERE = Driver("client", 7, "100", is_alive=True)
GONE = Driver("client", 7, "100")


@pytest.mark.parametrize(
    ("facts", "word", "what"),
    [
        ({"driver": HERE}, state.WORKING, ""),
        ({"driver": HERE, "question": "Run make?"}, state.NEEDS_YOU, "Run make?"),
        ({"driver": HERE, "waits_for": "the check test"}, state.WAITING, "the check test"),
        ({"driver": GONE, "question": "Run make?"}, state.LOST, "its client has ended"),
        ({"driver": Driver("engine")}, state.LOST, "no process runs it"),
        ({}, state.UNKNOWN, "no process"),
        ({"active": False, "verdict": "PASS", "strength": "proved"}, state.PROVED, ""),
        ({"active": False, "verdict": "PASS", "strength": "not proved"}, state.PASSING, "not proved"),
        ({"active": False, "verdict": "FAIL", "because": "test fails"}, state.FAILING, "test fails"),
        ({"active": False, "verdict": "UNVERIFIED"}, state.CLAIMED, ""),
        ({"active": False, "verdict": "UNVERIFIED", "unable": "lint"}, state.COULD_NOT_RUN, "lint"),
        ({"active": False, "verdict": "UNVERIFIED", "withdrawn": True}, state.ENDED, ""),
        ({"active": False}, state.ENDED, ""),
    ],
)
def test_a_state_follows_from_facts(facts, word, what):
    found = judge_state(StateFacts(**facts))
    assert found.word == word
    assert what in found.what


def test_nothing_needs_a_person_without_a_question_and_no_end_becomes_idle():
    for driver, waits, verdict, active in itertools.product(
        (HERE, GONE, Driver()), ("", "your next message"), ("", "FAIL", "UNVERIFIED"), (True, False)
    ):
        found = judge_state(StateFacts(driver=driver, waits_for=waits, verdict=verdict, active=active))
        assert found.word != state.NEEDS_YOU
        assert active or found.word not in (state.WAITING, state.WORKING, state.UNKNOWN)


def test_a_state_is_told_with_its_time():
    found = state.State(state.WAITING, "the check test", 1_700_000_000.0)
    assert found.line == "waiting since 22:13: the check test"
    assert found.document()["since"] == "2023-11-14T22:13:20Z"
