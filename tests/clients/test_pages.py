"""What reaches a person and an agent of the pages, in the real client: the offer, the line, the diff, the helper file."""

import json
import os

import pytest

from support import ulw
from support.floor import PLUGIN
from support.scene import QUICK
from support.ulw import bodies, script, sh
from ultrawork.store import checkouts
from ultrawork.store.paths import Home

pytestmark = pytest.mark.client

BUG = "there is a bug in checkout, the total is wrong"
LINE = 'ultrawork: loaded the skill systematic-debugging ("there is a bug")'
OFFER = "ultrawork: turn on project features in this checkout?"
SAYS = [{"match": {"agent": "main"}, "replies": [{"text": "I see."}], "after": "repeat"}]


def flat(screen):
    return " ".join(screen.split())


def shows(terminal, words):
    terminal.wait_until(lambda screen: words in flat(screen), words, 60)


@pytest.mark.parametrize("skip", ["", "offer"])
def test_where_it_was_used_a_session_offers_the_features_and_shows_the_page_that_was_loaded(newest, project, skip):
    ulw.make(str(project), QUICK)
    seat = newest(SAYS, env={"ULTRAWORK_SKIP_HOOKS": skip})
    checkouts.note_use(Home(f"{seat.home}/.claude/ultrawork"), os.path.realpath(project))
    with seat.terminal(plugins=[PLUGIN], columns=140) as terminal:
        ulw.say(terminal, BUG)
        shows(terminal, LINE)
        assert (OFFER in flat(terminal.screen.text())) is not bool(skip)
        if skip:
            return
        ulw.say(terminal, "ulw features off")
        shows(terminal, "ultrawork: project features are off.")
    assert "Do not fix anything before you know the cause" in bodies(seat)[-1]


def test_a_reviewer_reads_the_diff_of_the_range_that_it_is_given(newest, project):
    """With its own tools and without a question: the skill has it written into the checkout."""
    ulw.make(str(project), QUICK)
    (project / "fresh.txt").write_text("a line that only the diff has\n")
    diff = f"{project}/.omc/state/review.diff"
    prompt = f"Goal: say it. Range: HEAD..working tree. Diff: {diff}"
    review = {"subagent_type": "ultrawork:code-reviewer", "description": "review", "prompt": prompt}
    calls = [sh("ultrawork route --review"), {"tool": {"name": "Agent", "input": review}}]
    read = {"tool": {"name": "Read", "input": {"file_path": diff}}}
    sub = {"match": {"agent": "sub"}, "replies": [read, {"text": "Read."}]}
    seat = newest([sub, *script(calls, "Reviewed.")])
    seat.run("/ultrawork:code-review", plugins=[PLUGIN])
    asked = [json.dumps(one["body"]) for one in seat.model.requests if one.get("agent") == "sub"]
    assert "HEAD..working tree" in asked[0]
    assert "+a line that only the diff has" in asked[1]


def test_a_helper_file_beside_a_page_is_read_without_a_question(newest, project):
    ulw.make(str(project), QUICK)
    more = "ultrawork content show test-driven-development/example.md"
    load = {"tool": {"name": "Skill", "input": {"skill": "ultrawork:test-driven-development"}}}
    seat = newest(script([load, sh(more)], "Read."))
    seat.run("go", plugins=[PLUGIN])
    assert f"`{more}`: it shows" in bodies(seat)[-1]
    assert "One test alone" in bodies(seat)[-1]
