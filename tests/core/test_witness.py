"""The client's own list as a second witness: where it disagrees with us, the state is unknown."""

import pytest

from ultrawork.core.state import CLIENT, ENGINE, ClientWord, Driver, StateFacts, find_disagreement, judge_state

HEARD, LISTED = 1000.0, 1100.0
ALIVE, GONE = Driver(CLIENT, 7, "s", is_alive=True), Driver(CLIENT, 7, "s")


def judge(word, **given):
    facts = StateFacts(**{"driver": ALIVE, "heard_at": HEARD, **given})
    facts.contradicted = find_disagreement(word, facts)
    return judge_state(facts)


@pytest.mark.parametrize(
    ("word", "given", "what"),
    [
        (ClientWord(LISTED), {}, "no longer lists it"),
        (ClientWord(LISTED, 8), {"driver": GONE}, "lists it in process 8"),
        (ClientWord(LISTED, 7, "busy"), {"question": "Run make?", "asked_at": HEARD}, "says it is busy"),
        (ClientWord(LISTED, 7, "waiting", "permission"), {}, "waits for permission"),
    ],
    ids=["gone", "elsewhere", "answered", "asks"],
)  # fmt: skip
def test_a_client_that_disagrees_makes_the_state_unknown_since_it_was_last_heard(word, given, what):
    state = judge(word, **given)
    assert (state.word, state.since) == ("unknown", HEARD)
    assert what in state.what


@pytest.mark.parametrize(
    ("word", "given", "expected"),
    [
        (None, {}, "working"),
        (ClientWord(LISTED, 7, "busy"), {}, "working"),
        (ClientWord(LISTED), {"driver": GONE}, "lost"),
        (ClientWord(LISTED, 7, "waiting", "permission"), {"question": "Run make?"}, "needs you"),
        (ClientWord(HEARD), {}, "working"),
        (ClientWord(LISTED), {"driver": Driver(ENGINE, 7, "s", is_alive=True)}, "working"),
        (ClientWord(LISTED), {"active": False, "verdict": "FAIL"}, "failing"),
    ],
    ids=["silent", "agrees", "both gone", "both ask", "older than what we heard", "an engine", "ended"],
)  # fmt: skip
def test_a_client_that_agrees_or_knows_less_changes_nothing(word, given, expected):
    assert judge(word, **given).word == expected
