"""All rounds are used up and a person is there: try again, skip, or stop."""

import json

import pytest

from support.play import GOAL, PLAN, context, entry, fenced
from support.scene import refused
from ultrawork.core.course.steps import REASON, STUCK

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


def choose(play, option, question=QUESTION):
    answers = {question: option}
    return play.tool("AskUserQuestion", {}, tool_response={"answers": answers})


@pytest.mark.slow
def test_the_person_is_asked_what_to_do(stuck):
    told = refused(stuck.stop("It does not work."))
    assert "Ask with AskUserQuestion: What about the failed tasks?" in told
    assert "Options: Try again / Skip with a reason / Stop" in told
    assert stuck.tasks()["b"]["attempts"] == 3


@pytest.mark.slow
def test_trying_again_is_one_more_round_and_keeps_the_count(stuck):
    before = stuck.tasks()["b"]["retry_count"]
    choose(stuck, "Try again")
    assert stuck.session()["iteration"] == 2
    again = stuck.tasks()["b"]
    assert (again["status"], again["retry_count"]) == ("pending", before + 1)
    assert [one["model"] for one in stuck.due()] == ["opus"]
    stuck.worked("b")
    assert stuck.tasks()["b"]["attempts"] == 4


@pytest.mark.slow
def test_what_is_skipped_has_the_persons_own_words_as_its_reason_and_is_not_resolved(stuck):
    told = context(choose(stuck, "Skip with a reason"))
    assert f"Ask with AskUserQuestion: {REASON[0]}" in told
    assert stuck.tasks()["b"]["status"] == "failed"
    choose(stuck, "the printer\nis  gone", REASON[0])
    task = stuck.tasks()["b"]
    words = "skipped by you: the printer is gone"
    assert (task["status"], task["reason"]) == ("skipped", words)
    assert stuck.session()["phase"] == "VERIFICATION"
    stuck.run("cancel", "--session", "last")
    assert words in stuck.run("report", "--session", "last")


@pytest.mark.slow
def test_a_reason_that_nobody_asked_for_skips_nothing(stuck):
    choose(stuck, "the printer is gone", REASON[0])
    assert stuck.tasks()["b"]["status"] == "failed"


@pytest.mark.slow
@pytest.mark.parametrize("words", ["", "  ", ["a"], None])
def test_skipping_without_a_reason_skips_nothing(stuck, words):
    choose(stuck, "Skip with a reason")
    choose(stuck, words, REASON[0])
    assert stuck.tasks()["b"]["status"] == "failed"


@pytest.mark.slow
def test_with_a_person_who_plans_along_retries_used_up_are_reason_enough_to_ask(play):
    """There are rounds left; with --auto they are used first."""
    play.begin(GOAL)
    play.explored()
    play.write("plan.json", json.dumps({"tasks": [entry("a"), entry("b")]}))
    play.run("task", "create", "--session", "last", "--from", "plan.json")
    choose(play, "Approve", "Go on with this plan?")
    play.worked("a")
    for _ in range(3):
        fail(play, "b")
    assert QUESTION in refused(play.stop("It does not work."))
    assert play.session()["iteration"] == 1
    choose(play, "Try again")
    assert (play.session()["iteration"], play.session()["options"]["max_iterations"]) == (2, 5)
    fail(play, "b")
    assert QUESTION in refused(play.stop("It does not work."))


@pytest.mark.slow
def test_skipping_what_only_verification_refuses_ends_unverified_with_the_reason(play):
    play.begin(f"--auto --max-iterations 1 {GOAL}")
    play.planned([entry("a")])
    play.worked("a")
    assert QUESTION in refused(play.stop("Done."))
    choose(play, "Skip with a reason")
    choose(play, "b and c are wanted so", REASON[0])
    session = play.session()
    assert (session["phase"], session["verdict"]) == ("VERIFICATION", "UNVERIFIED")
    assert "skipped by you: b and c are wanted so" in play.run("report", "--session", "last")


@pytest.mark.slow
def test_trying_again_after_the_verifier_gives_its_findings_to_a_worker(play):
    play.begin(f"--auto --max-iterations 1 {GOAL}")
    play.planned()
    for name in "abc":
        play.worked(name)
    play.stop("Done.")
    found = {"verdict": "FAIL", "findings": [{"what": "b is untested"}]}
    play.end(play.agent("verifier"), fenced(found))
    assert play.next()["question"] == QUESTION
    assert "TASK_ID: mend-2" in context(choose(play, "Try again"))


@pytest.mark.slow
def test_stopping_ends_failed(stuck):
    choose(stuck, "Stop")
    session = stuck.session()
    assert (session["phase"], session["verdict"]) == ("FAILED", "FAIL")


@pytest.mark.slow
def test_with_nobody_there_it_fails_with_a_report(stuck):
    stuck.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    stuck.stop("It does not work.")
    assert stuck.session()["phase"] == "FAILED"
    told = " ".join(stuck.run("report", "--session", "last").split())
    assert "b Correct b failed: grep -q right b.txt" in told


@pytest.mark.slow
def test_what_is_left_after_skipping_can_still_be_proved(play):
    play.begin(f"--auto --max-iterations 1 {GOAL}")
    play.planned([*PLAN, {**entry("extra"), "criteria": ["false => exit 0"]}])
    for name in "abc":
        play.worked(name)
    for _ in range(3):
        fail(play, "extra")
    choose(play, "Skip with a reason")
    choose(play, "nobody needs it", REASON[0])
    play.stop("Done.")
    play.end(play.agent("verifier"), fenced({"verdict": "PASS", "findings": []}))
    play.stop("Done.")
    session = play.session()
    assert (session["phase"], session["verdict"]) == ("COMPLETE", "PASS")
