"""All rounds are used up and a person is there: try again, skip, or stop."""

import pytest

from ultrawork.core.steps import STUCK
from ultrawork.testing.play import GOAL, entry
from ultrawork.testing.scene import refused

QUESTION = STUCK[0]


@pytest.fixture
def stuck(play):
    """Task b stays wrong through its three attempts in the one round that there is."""
    play.begin(f"--auto --max-iterations 1 {GOAL}")
    play.planned([entry("a"), entry("b")])
    play.worked("a")
    for _ in range(3):
        fail(play, "b")
    return play


def fail(play, name):
    """A worker is sent back once; then its task has failed."""
    agent = play.agent("worker", name)
    assert "is not done" in refused(play.end(agent, "Done."))
    play.end(agent, "Done.")


def choose(play, option):
    answers = {QUESTION: option}
    return play.tool("AskUserQuestion", {}, tool_response={"answers": answers})


def test_the_person_is_asked_what_to_do(stuck):
    told = refused(stuck.stop("It does not work."))
    assert "Ask with AskUserQuestion: What about the failed tasks?" in told
    assert "Options: Try again / Skip with a reason / Stop" in told
    assert stuck.tasks()["b"]["attempts"] == 3


def test_trying_again_is_one_more_round_and_keeps_the_count(stuck):
    choose(stuck, "Try again")
    assert stuck.session()["iteration"] == 2
    assert [one["model"] for one in stuck.due()] == ["opus"]
    stuck.worked("b")
    assert stuck.tasks()["b"]["attempts"] == 4


def test_what_is_skipped_has_a_reason_and_is_not_resolved(stuck):
    choose(stuck, "Skip with a reason")
    task = stuck.tasks()["b"]
    assert (task["status"], task["reason"]) == ("skipped", "the person skipped it")
    assert stuck.session()["phase"] == "VERIFICATION"


def test_stopping_ends_failed(stuck):
    choose(stuck, "Stop")
    session = stuck.session()
    assert (session["phase"], session["verdict"]) == ("FAILED", "FAIL")


def test_with_nobody_there_it_fails_with_a_report(stuck):
    stuck.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    stuck.stop("It does not work.")
    assert stuck.session()["phase"] == "FAILED"
    assert "| b | Correct b | failed: grep -q right b.txt" in stuck.run(
        "report", "--session", "last"
    )
