"""Every mode in the real Codex CLI: from its word or skill to a verdict, or refused at the word."""

import json
import os
import signal
import subprocess

import pytest

from support import ulw
from support.codex import sh
from support.driving import ask, ended, wait_for
from support.effort import rows_of
from support.follower import CODEX_STAGED, IDLE_WORKER, VERIFIER, follow_in_codex, hanging, in_codex
from support.play import FILES, GOAL

pytestmark = pytest.mark.client

LINTED = {
    "Makefile": "test:\n\t@grep -q right app.txt && echo 1 passed\n\nlint:\n\t@! grep -n bad app.txt\n",
    "app.txt": "right\n",
}
STORIES = ("one", "two")
DRAWN = f'explore -> executor "{GOAL}"'


@pytest.fixture
def texts(project):
    ulw.make(str(project), FILES)
    return project


def beside(seat, prompt):
    """A `codex exec` that can be killed."""
    free = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    return subprocess.Popen(
        [seat.program, "exec", "--skip-git-repo-check", *free, prompt],
        env=seat.env,
        cwd=seat.project,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def hangs(seat):
    return any(one.get("rule") == "hang" for one in seat.model.requests)


def test_autopilot_goes_from_its_word_over_a_cancel_and_its_skill_to_the_verdict(with_plugin, texts, home):
    """With more agents than Codex has seats: who has ended is closed."""
    gate = home / "gate"
    seat = with_plugin([in_codex(hanging("TASK_ID: b", str(gate))), *CODEX_STAGED])
    client = beside(seat, f"autopilot: {GOAL}")
    wait_for(lambda: hangs(seat))
    ask(seat, "cancel")
    gate.touch()
    client.wait(timeout=120)
    assert ended(seat)[0] == "CANCELLED"
    seat.run("$ultrawork:autopilot --resume")
    see_it_complete(seat, texts, "autopilot")


@pytest.mark.release
@pytest.mark.parametrize("mode", ["ultrapilot", "team"])
def test_a_word_leads_through_every_stage_to_the_verdict(with_plugin, texts, mode):
    seat = with_plugin(CODEX_STAGED)
    seat.run(f"{mode}: {GOAL}")
    see_it_complete(seat, texts, mode)


def see_it_complete(seat, texts, mode):
    assert ended(seat) == ("COMPLETE", "PASS")
    assert ask(seat, "session", "get")["modes"][mode]["phase"] == "complete"
    assert (texts / "c.txt").read_text() == "right\n"
    assert not any("thread limit" in one["last"] for one in seat.model.requests)


def stage(name, reply, **more):
    return {"name": name, "match": {"agent": "sub", "first": rf"TASK_ID: {name}\b", **more}, "reply": reply}  # fmt: skip


PIPELINE = follow_in_codex(
    stage("s1-explore", {"text": "The texts are a, b and c.\nDONE"}),
    stage("s2-executor", ulw.sh("for f in a b c; do echo right > $f.txt; done"), turn=1),
    VERIFIER,
    IDLE_WORKER,
)


@pytest.mark.release
def test_a_pipeline_whose_client_was_killed_is_taken_up_where_it_was(with_plugin, texts, home):
    gate = home / "gate"
    seat = with_plugin([in_codex(hanging("TASK_ID: s2-executor", str(gate))), *PIPELINE])
    client = beside(seat, f"$ultrawork:pipeline {DRAWN}")
    wait_for(lambda: hangs(seat))
    os.killpg(client.pid, signal.SIGKILL)
    client.wait(timeout=10)
    gate.touch()
    seat.run("$ultrawork:pipeline --resume")
    assert ended(seat) == ("COMPLETE", "PASS")
    assert sum(one.get("rule") == "s1-explore" for one in seat.model.requests) == 1


def prd(*done):
    stories = [
        {"id": f"US-{word}", "title": f"Say {word}", "acceptanceCriteria": [f"app.txt says {word}"], "passes": word in done}
        for word in STORIES
    ]  # fmt: skip
    return json.dumps({"description": "Say two words", "userStories": stories}) + "\n"


def put(name, text):
    return sh(f"cat > {name} <<'END_OF_FILE'\n{text}END_OF_FILE")


def test_ralph_goes_from_story_to_story_and_ultraqa_from_red_to_green(with_plugin, project):
    """One conversation: the skill of the one, then the word of the other."""
    ulw.make(str(project), {**LINTED, "prd.json": prd()})
    first = [put("app.txt", "right one\n"), put("prd.json", prd("one")), {"text": "Done."}]
    second = [put("app.txt", "right one two\n"), put("prd.json", prd(*STORIES)), {"text": "Done."}]
    quality = [put("app.txt", "right bad\n"), {"text": "Clean."}, put("app.txt", "right good\n")]
    replies = [*first, *second, *quality, {"text": "Clean."}]
    seat = with_plugin([{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}])
    run = seat.run("$ultrawork:ralph say two words")
    told = ulw.ToldByCodex(seat, run)
    assert "(round 2 of 10)" in told.refusals[0]
    assert "1 of 2 stories is open" in told.refusals[0]
    assert (len(told.refusals), told.session["verdict"]) == (1, "PASS")
    seat.run("ultraqa --lint fix the lint errors", resume=run.thread)
    assert "(round 2 of 5)" in told.refusals[1]
    assert "lint fails" in told.refusals[1]
    assert (len(told.refusals), told.session["verdict"]) == (2, "PASS")
    assert told.session["modes"]["ultraqa"]["phase"] == "complete"


REFUSED = (
    "swarm: correct the three texts",
    "$ultrawork:swarm correct the three texts",
    '$ultrawork:pipeline explore -> -> executor "x"',
    "$ultrawork:team --resume",
    "$ultrawork:autopilot",
    "$ultrawork:ralph --max-iterations two say it",
    "$ultrawork:ultrawork --unheard-of say it",
)


@pytest.mark.parametrize("words", rows_of(REFUSED, in_ci=["swarm: correct the three texts"]))
def test_what_cannot_be_done_is_refused_at_the_word_before_the_model_hears_of_it(with_plugin, texts, words):
    seat = with_plugin(ulw.script([], "I begin."))
    run = seat.run(words)
    assert (run.exit, ulw.bodies(seat)) == (0, [])
