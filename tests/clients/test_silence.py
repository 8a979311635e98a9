"""No session ends in silence, in the real client: with each of these behaviours it is told, without it it is not."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from support import ulw
from support.floor import PLUGIN
from support.scene import QUICK

pytestmark = pytest.mark.client

SAYS = [{"match": {"agent": "main"}, "replies": [{"text": "I would do this."}], "after": "repeat"}]


@pytest.fixture
def begun(newest, project, home):
    """A client with a session that is on at its end: nothing is sent back while a plan is made."""
    ulw.make(str(project), QUICK)

    def begin(skip, *, removed=False):
        seat = newest(SAYS, env={"ULTRAWORK_SKIP_HOOKS": skip})
        with seat.live(plugins=[PLUGIN], mode="plan") as live:
            live.say("ulw change the words")
            if removed:
                for folder in home.glob("**/active"):
                    shutil.rmtree(folder)
                live.say("and now?")
        return seat, live

    return begin


def said(run, event, words):
    told = [str(call.answer.get("systemMessage")) for call in run.hooks_of(event)]
    return any(words in one for one in told)


@pytest.mark.parametrize("skip", ["", "lost"])
def test_without_lost_markers_that_are_gone_are_nobodys_business(begun, skip):
    _, live = begun(skip, removed=True)
    assert said(live, "UserPromptSubmit", "removed its marker files") is not bool(skip)


@pytest.mark.parametrize("skip", ["", "left"])
def test_without_left_a_client_ends_and_says_nothing(newest, project, skip):
    ulw.make(str(project), QUICK)
    seat = newest(SAYS, env={"ULTRAWORK_SKIP_HOOKS": skip})
    run = seat.run("ulw change the words", plugins=[PLUGIN], mode="plan")
    with closing(sqlite3.connect(f"{seat.home}/.claude/ultrawork/ultrawork.db")) as database:
        told = database.execute(
            "SELECT data FROM events WHERE session=? AND kind='session.left'", (run.session,)
        ).fetchall()
    assert ["ended before it was verified" in data for (data,) in told] == ([] if skip else [True])


@pytest.mark.parametrize("skip", ["", "unsaid"])
def test_without_unsaid_the_next_start_says_nothing(begun, skip):
    seat, _ = begun(skip)
    run = seat.run("hello", plugins=[PLUGIN])
    assert said(run, "SessionStart", "ended without a verdict") is not bool(skip)
