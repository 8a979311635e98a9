"""How many agents somebody wants, in the words in which people say it."""

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.features.swarm.values.tasks import parse_request


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("", (3, "")),
        ("port the tests", (3, "port the tests")),
        ("5", (5, "")),
        ("5 port the tests", (5, "port the tests")),
        ("5 agents: port\nthe tests", (5, "port\nthe tests")),
        ("12 workers", (12, "")),
        ("2 files need a header", (2, "files need a header")),
        ("swarm of 4 agents to port it", (4, "swarm of 4 agents to port it")),
        ("use 5 swarm agents to port it", (5, "use 5 swarm agents to port it")),
        ("swarm three workers on it", (3, "swarm three workers on it")),
        ("with eight agents: do it", (8, "with eight agents: do it")),
        ("close the 60 issues with agents", (3, "close the 60 issues with agents")),
        ("one thing: port the tests", (3, "one thing: port the tests")),
    ],
)
def test_the_number_and_the_goal(words, found):
    assert parse_request(words) == found


@pytest.mark.parametrize("words", ["0 do it", "21 do it", "999999999999 do it", "a swarm of 50 agents"])
def test_more_than_twenty_or_none_is_refused(words):
    with pytest.raises(UsageError, match="a swarm can have 1 to 20 agents"):
        parse_request(words)
