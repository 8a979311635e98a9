"""
ralph and ultraqa in the real client: from the word or the skill to the verdict, a model that lies, a client
that is killed and taken up again, agents in the background, and the same run with the mode switched off.
"""

import json
import os
import re
import signal

import pytest

from support import ulw
from support.driving import beside, wait_for
from support.effort import NEWEST_FIRST, rows_of
from support.ulw import FIX, GOAL, PYTHON, put, script, sh

pytestmark = pytest.mark.client

GREEN = "test:\n\t@sh check.sh\n\nlint:\n\t@! grep -n bad app.txt\n"
# The check knows nothing of stories: that they are done is for the PRD, that nothing is broken for it.
FILES = {"Makefile": GREEN, "check.sh": "grep -q right app.txt && echo 1 passed\n", "app.txt": "right\n"}
STORIES = ("one", "two", "three")


def prd(*done):
    stories = [
        {
            "id": f"US-00{number}",
            "title": f"Say {word}",
            "acceptanceCriteria": [f"app.txt says {word}"],
            "priority": number,
            "passes": word in done,
        }
        for number, word in enumerate(STORIES, 1)
    ]
    return json.dumps({"description": "Say three words", "userStories": stories}) + "\n"


def story(*done, line="right"):
    """One story worked on and marked, and the words of the agent about it."""
    return [put("app.txt", f"{line} {' '.join(done)}\n"), put("prd.json", prd(*done))]


def says(text):
    return {"text": text}


HONEST = [
    *story("one"), says("The first is done.\nPATTERN: words stand in app.txt"),
    *story("one", "two"), says("The second is done."),
    *story(*STORIES),
]  # fmt: skip


@pytest.fixture
def stories(project):
    ulw.make(str(project), {**FILES, "prd.json": prd()})
    return project


@pytest.fixture
def plain(project):
    ulw.make(str(project), FILES)
    return project


@pytest.fixture
def python(project):
    ulw.make(str(project), PYTHON)
    return project


def mode_of(told, mode):
    return told.session["modes"][mode]


def sent_back(told):
    """The first line of each refusal, without the claim that it quotes."""
    return [re.sub(r'You said "[^"]*"; ', "", text.partition("\n")[0]) for text in told.refusals]


@NEWEST_FIRST
def test_ralph_goes_from_the_skill_through_three_stories_to_the_verdict(claude, stories):
    told = ulw.go(claude(script(HONEST, "All three are done.")), "/ultrawork:ralph say three words")
    assert sent_back(told) == [
        "ultrawork: sent back (round 2 of 10). 2 of 3 stories are open.",
        "ultrawork: sent back (round 3 of 10). 1 of 3 stories is open.",
    ]
    assert "US-002 Say two\n    - app.txt says two" in told.refusals[0]
    assert told.verdict.startswith("ultrawork: PASS")
    assert "; 3 of 3 stories" in told.verdict
    assert told.verdict.endswith("Details: ulw evidence")
    assert told.session["phase"] == "COMPLETE"
    assert mode_of(told, "ralph")["phase"] == mode_of(told, "ultrawork")["phase"] == "complete"
    log = (stories / ".omc/progress.txt").read_text()
    assert [log.count(f"] - US-00{number}\n") for number in (1, 2, 3)] == [1, 1, 1]
    assert "- words stand in app.txt\n" in log


@pytest.mark.release
def test_ralph_goes_from_the_word_to_the_verdict_without_stories(newest, python):
    """It is sent back until the checks are green, also where it says itself that they are not."""
    admits = says("One test still fails.")
    steps = [admits, put("other.txt", "1\n"), admits, put("other.txt", "2\n"), admits, FIX]
    told = ulw.go(newest(script(steps)), f"ralph {GOAL}")
    assert [line.split(").")[0] for line in sent_back(told)] == [
        f"ultrawork: sent back (round {number} of 10" for number in (2, 3, 4)
    ]
    assert told.verdict.startswith("ultrawork: PASS")


LIES = {
    "marks every story, and the check is red": story(*STORIES, line="wrong"),
    "marks every story and does nothing else": [put("prd.json", prd(*STORIES))],
    "takes the open stories out of the file": [
        put("app.txt", "right one\n"),
        put("prd.json", json.dumps({"userStories": [{"id": "US-001", "title": "x", "passes": True}]}) + "\n"),
    ],
    "removes the file": [put("app.txt", "right one\n"), sh("rm prd.json")],
    "makes it unreadable": [put("app.txt", "right one\n"), put("prd.json", "{\n")],
}  # fmt: skip


@pytest.mark.parametrize("lie", rows_of(LIES, in_ci=["removes the file"]))
def test_ralph_never_completes_for_a_model_that_lies(newest, stories, lie):
    told = ulw.go(newest(script(LIES[lie], "All stories are done.")), "/ultrawork:ralph do it")
    assert len(told.refusals) == 2
    assert told.verdict.startswith("ultrawork: UNVERIFIED. Sent back twice without progress")
    assert (told.session["phase"], told.session["verdict"]) == ("EXECUTION", "UNVERIFIED")
    assert mode_of(told, "ralph")["phase"] == "failed"
    assert "decided" in told.ask("why").stdout


@pytest.mark.release
def test_ralph_never_gives_itself_more_rounds_and_a_person_can(newest, stories):
    """A model that moves something each time and never finishes."""
    steps = [one for n in range(9) for one in (put("app.txt", f"right {n}\n"), says("More to do."))]
    seat = newest(script(steps, "More to do."))
    told = ulw.go(seat, "/ultrawork:ralph --max-iterations 3 do it")
    assert len(told.refusals) == 2
    assert told.verdict.startswith("ultrawork: UNVERIFIED. All 3 rounds of ralph are used up")
    assert "more rounds: /ultrawork:ralph --max-iterations N" in told.ask("why").stdout
    again = ulw.go(seat, "/ultrawork:ralph --max-iterations 2 do it", resume=told.run.session)
    assert len(again.refusals) == 1
    assert again.session["verdict"] == "UNVERIFIED"


def killed(seat, prompt):
    """The client is killed while the model hangs; gives the name of its session."""
    client = beside(seat, prompt)
    wait_for(lambda: any(one.get("rule") == "hangs" for one in seat.model.requests))
    os.killpg(client.pid, signal.SIGKILL)
    client.wait(timeout=10)
    return next(one["session"] for one in seat.model.requests if one.get("rule") == "hangs")


def hanging(last, gate):
    reply = {"wait_file": str(gate), "text": "late"}
    return {"name": "hangs", "match": {"last": last}, "times": 1, "reply": reply}


@pytest.mark.release
def test_ralph_goes_on_after_its_client_was_killed(newest, stories, home):
    """The rounds that were used stay used, and the model hears which story is next."""
    gate = home / "gate"
    first = [hanging("round 2 of 10", gate), *script([*story("one")], "The first is done.")]
    name = killed(newest(first), "/ultrawork:ralph say three words")
    gate.touch()
    rest = [*story("one", "two"), says("The second is done."), *story(*STORIES)]
    seat = newest(script(rest, "All are done."))
    told = ulw.go(seat, "go on", resume=name)
    assert "Next: US-002 Say two" in ulw.bodies(seat)[0]
    assert sent_back(told) == ["ultrawork: sent back (round 3 of 10). 1 of 3 stories is open."]
    assert told.session["verdict"] == "PASS"


@pytest.mark.release
@pytest.mark.parametrize("skipped", ["ralph", "mode-skills"])
def test_without_ralph_the_open_stories_are_nobodys_business(newest, stories, skipped):
    """What the person loses: the same run with the mode off ends after the first of three stories."""
    seat = newest(script(HONEST, "All done."), env={"ULTRAWORK_SKIP_HOOKS": skipped})
    told = ulw.go(seat, "/ultrawork:ralph say three words")
    assert told.refusals == []
    assert (stories / "app.txt").read_text() == "right one\n"
    assert not os.path.exists(f"{told.state}/sessions/{told.run.session}/session.json")


def test_ralph_waits_for_agents_in_the_background(newest, stories):
    """A stop while an agent works is no round: the verdict comes when it has ended."""
    call = {"description": "all words", "prompt": "ZETA", "subagent_type": "general-purpose"}
    agent = {"tool": {"name": "Agent", "input": {**call, "run_in_background": True}}}
    worker = {"match": {"agent": "sub"}, "replies": [*story(*STORIES), says("Written.")]}
    seat = newest([worker, *script([agent], "It is being done.")])
    told = ulw.go(seat, "/ultrawork:ralph say three words")
    assert told.session["verdict"] == "PASS"
    assert mode_of(told, "ralph")["counts"]["iteration"] == 1


BREAKS = put("app.txt", "right bad\n")
MENDS = put("app.txt", "right good\n")
WAYS = ["/ultrawork:ultraqa --lint", "ultraqa --lint fix the lint errors"]


@pytest.mark.parametrize("way", rows_of(WAYS, in_ci=["/ultrawork:ultraqa --lint"]))
def test_ultraqa_goes_from_the_skill_or_the_word_to_the_verdict(newest, plain, way):
    told = ulw.go(newest(script([BREAKS, says("Lint is clean."), MENDS])), way)
    assert sent_back(told) == ["ultrawork: sent back (round 2 of 5). make lint fails."]
    assert told.verdict.startswith("ultrawork: PASS")
    assert ": ok" in told.verdict
    assert mode_of(told, "ultraqa")["phase"] == "complete"


def test_ultraqa_mends_what_was_red_at_the_start(claude, project):
    """A plain session lets that be; here it is what was asked for."""
    ulw.make(str(project), {**FILES, "app.txt": "right bad\n"})
    steps = [put("other.txt", "1\n"), says("Lint is clean."), MENDS]
    told = ulw.go(claude(script(steps)), "/ultrawork:ultraqa --lint")
    assert len(told.refusals) == 1
    assert "lint fails" in sent_back(told)[0]
    assert told.session["verdict"] == "PASS"


@pytest.mark.release
def test_ultraqa_ends_when_the_same_failure_came_three_times(newest, plain):
    """Each time other files, and a line number that moves: the failure is the same."""
    lies = [put("app.txt", "right\n" * n + "bad\n") for n in (1, 2, 3)]
    steps = [lies[0], says("Lint is clean."), lies[1], says("Lint is clean."), lies[2]]
    told = ulw.go(newest(script(steps, "Lint is clean.")), "/ultrawork:ultraqa --lint")
    assert len(told.refusals) == 2
    assert told.verdict.startswith("ultrawork: UNVERIFIED. The same failure occurred 3 times: make lint fails")
    assert told.session["phase"] != "COMPLETE"


@pytest.mark.release
def test_ultraqa_has_five_cycles_for_a_model_that_fails_in_new_ways(newest, plain):
    words = ("alpha", "beta", "gamma", "delta", "epsilon")
    steps = [one for word in words for one in (put("app.txt", f"right bad {word}\n"), says("Clean."))]
    told = ulw.go(newest(script(steps, "Clean.")), "/ultrawork:ultraqa --lint")
    assert len(told.refusals) == 4
    assert told.verdict.startswith("ultrawork: UNVERIFIED. All 5 rounds of ultraqa are used up")


@pytest.mark.release
def test_ultraqa_goes_on_after_its_client_was_killed(newest, plain, home):
    gate = home / "gate"
    first = [hanging("round 2 of 5", gate), *script([BREAKS], "Lint is clean.")]
    name = killed(newest(first), "/ultrawork:ultraqa --lint")
    gate.touch()
    told = ulw.go(newest(script([put("app.txt", "right bad 2\n"), says("Clean."), MENDS])), "go on", resume=name)  # fmt: skip
    assert sent_back(told) == ["ultrawork: sent back (round 3 of 5). make lint fails."]
    assert told.session["verdict"] == "PASS"


@pytest.mark.release
def test_without_ultraqa_the_claim_stands(newest, plain):
    """What the person loses: nobody looks whether lint is clean."""
    seat = newest(
        script([BREAKS], "Lint is clean."), env={"ULTRAWORK_SKIP_HOOKS": "ultraqa"}
    )  # fmt: skip
    told = ulw.go(seat, "/ultrawork:ultraqa --lint")
    assert told.refusals == []
    assert told.run.result == "Lint is clean."


@pytest.mark.release
def test_ultraqa_runs_a_command_of_the_person(newest, plain):
    steps = [put("app.txt", "right\n\n"), says("Done."), put("app.txt", "right smoke\n")]
    told = ulw.go(newest(script(steps)), '/ultrawork:ultraqa --custom "grep -q smoke app.txt"')
    assert sent_back(told) == ["ultrawork: sent back (round 2 of 5). custom fails."]
    assert told.session["verdict"] == "PASS"
    assert "custom" in told.ask("evidence").stdout
