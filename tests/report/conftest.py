"""Sessions to report on, played without a client."""

import pytest

from support.play import GOAL, Play, entry, fenced


@pytest.fixture
def play(tmp_path):
    return Play(str(tmp_path), attended=False)


@pytest.fixture
def finished(play):
    """Complete: three tasks, green gates, a verifier that found nothing."""
    play.begin()
    play.planned()
    for name in "abc":
        play.worked(name)
    play.stop("Done.")
    play.end(play.agent("verifier"), fenced({"verdict": "PASS", "findings": []}))
    play.stop("Done.")
    return play


@pytest.fixture
def failed(play):
    """Task b stays wrong, and there is one round."""
    play.begin(f"--auto --max-iterations 1 {GOAL}")
    play.planned([entry("a"), entry("b", max_retry=0)])
    play.worked("a")
    agent = play.agent("worker", "b")
    play.end(agent, "Done.")
    play.end(agent, "Done.")
    play.stop("Done.")
    return play
