"""
A session over time, on the oldest supported client and on the newest: compaction, clearing, forks,
resuming, work that goes on in the background.
"""

import json
import os

import pytest

from support import clients, ulw
from support.claude import Claude
from support.effort import BOTH_CLAUDES, NEWEST_FIRST, rows_of
from support.floor import PLUGIN
from support.rows import is_at_work, until
from support.scene import QUICK
from support.ulw import BLOCK, GOAL, OPEN, PYTHON, WORDS, bodies, write

pytestmark = pytest.mark.client

ASKS = "Which file comes first?"
BRIEF_ENDS = "or end with a line `BLOCKED: why`."
FORK = "ultrawork: off in this fork; the original conversation is unchanged. Turn on here: ulw <task>"
SLOW = {
    **QUICK,
    "check.sh": "sleep 2; grep -q right app.txt && echo 1 passed\n",
    "ultrawork.toml": '[stop]\nbudget = "1s"\n',
}


@pytest.fixture
def asking(claude, project):
    """An agent that only asks: with somebody there, that passes and it stays on."""
    ulw.make(str(project), PYTHON)
    return claude([{"match": {"agent": "main"}, "reply": {"text": ASKS}}])


@pytest.fixture
def without(seat_at, project):
    """A function from what is switched off to the same agent, at the client of that version."""

    def seat(skipped, version=clients.NEWEST):
        ulw.make(str(project), PYTHON)
        program = clients.program(clients.CLAUDE, version)
        rules = [{"match": {"agent": "main"}, "reply": {"text": ASKS}}]
        return seat_at(Claude, program, rules, env={"ULTRAWORK_SKIP_HOOKS": skipped})

    return seat


def asked(terminal, seat, text):
    """Say it, and wait for the model's answer to it."""
    before = len(bodies(seat))
    ulw.say(terminal, text)
    terminal.wait_until(lambda _: len(bodies(seat)) > before, "a request", 60)
    terminal.wait_for(ASKS, 60)
    terminal.settle()


def begun(seat):
    """It is on, and the client was left: the name of the session."""
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        asked(terminal, seat, f"ulw {GOAL}")
        terminal.submit("/exit")
        terminal.wait_end(60)
    return os.listdir(f"{seat.home}/.claude/ultrawork/active")[0]


def sessions(home):
    folder = home / ".claude/ultrawork/sessions"
    return [json.loads(path.read_text()) for path in folder.glob("*/session.json")]


@NEWEST_FIRST
def test_after_compaction_the_model_gets_a_brief_of_a_kilobyte_and_nothing_else(asking):
    with asking.terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        for text in (f"ulw {GOAL}", "what else?", "and then?"):
            asked(terminal, asking, text)
        ulw.say(terminal, "/compact")
        terminal.wait_for("ompacted", 90)
        shown = " ".join(terminal.settle().split())
        assert "ULTRAWORK_HOME" not in shown, "the client prints the command of this hook"
        asked(terminal, asking, "what is next?")
    told = bodies(asking)[-1]
    assert told.count(BLOCK) == 1
    start = told.index(BLOCK + GOAL)
    end = told.index(BRIEF_ENDS, start) + len(BRIEF_ENDS)
    assert "Done means these pass: test (make test)." in told[start:end]
    assert len(told[start:end].encode()) <= 1000


@BOTH_CLAUDES
def test_clearing_the_conversation_ends_it_unverified(asking, home):
    with asking.terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        asked(terminal, asking, f"ulw {GOAL}")
        ulw.say(terminal, "/clear")
        terminal.wait_until(lambda _: sessions(home)[0]["verdict"] == "UNVERIFIED", "its end", 60)
    assert sessions(home)[0]["phase"] == "CANCELLED"


@pytest.mark.release
def test_without_leave_a_cleared_conversation_is_never_ended(without, home):
    seat = without("leave")
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        asked(terminal, seat, f"ulw {GOAL}")
        ulw.say(terminal, "/clear")
        terminal.settle()
        asked(terminal, seat, "what is next?")
    assert GOAL not in bodies(seat)[-1]
    assert [(one["phase"], one["verdict"]) for one in sessions(home)] == [("EXECUTION", None)]


@NEWEST_FIRST
def test_a_fork_starts_unarmed_and_says_so_once(asking):
    name = begun(asking)
    fork = asking.run("hello", plugins=[PLUGIN], resume=name, flags=["--fork-session"])
    again = asking.run("hello", plugins=[PLUGIN], resume=fork.session)
    calls = [call for run in (fork, again) for call in run.hooks]
    said = [call.answer["systemMessage"] for call in calls if call.answer.get("systemMessage")]
    # The session that it was forked from is on, and its client is gone: the next start tells that, once.
    assert said[0] == FORK
    assert ["ended without a verdict. Resume it: claude --resume " in one for one in said[1:]] == [True]
    assert [call.answer for call in calls if call.event == "Stop" and call.answer] == []


@pytest.mark.release
def test_without_fork_the_oldest_client_does_not_say_that_a_fork_is_off(without):
    """A newer client tells by itself that it begins a fork; this one shows it by its first prompt only."""
    seat = without("fork", clients.OLDEST_CLAUDE)
    fork = seat.run("hello", plugins=[PLUGIN], resume=begun(seat), flags=["--fork-session"])
    assert [call.answer for call in fork.hooks if call.answer.get("systemMessage")] == []


@NEWEST_FIRST
def test_a_resumed_session_goes_on_with_a_brief_and_nothing_else(asking):
    name = begun(asking)
    run = asking.run("go on", plugins=[PLUGIN], resume=name, mode=OPEN)
    told = run.hooks_of("SessionStart")[0].answer["hookSpecificOutput"]["additionalContext"]
    assert told.startswith(f"{BLOCK}{GOAL}")
    assert len(told.encode()) <= 1000
    assert [call.answer for call in run.hooks_of("UserPromptSubmit")] == [{}]


@pytest.mark.release
def test_without_brief_the_model_of_a_resumed_session_is_told_nothing(without):
    seat = without("brief")
    run = seat.run("go on", plugins=[PLUGIN], resume=begun(seat), mode=OPEN)
    assert [call.answer for call in run.hooks_of("SessionStart")] == [{}]


@NEWEST_FIRST
def test_a_slow_gate_runs_in_the_background_and_wakes_the_agent_only_if_red(claude, project):
    ulw.make(str(project), SLOW)
    bad, good = write(project, "app.txt", "wrong\n"), write(project, "app.txt", "right again\n")
    mended = "Mended, all tests pass."
    replies = [*bad, {"text": WORDS}, *good, {"text": mended}, {"text": "thanks"}]
    seat = claude([{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}])
    ulw.Told(seat, None).ask("verify")
    news = f"{seat.home}/.claude/ultrawork/news"
    with seat.terminal(plugins=[PLUGIN], mode="acceptEdits") as terminal:
        ulw.say(terminal, "ulw gates allow")
        terminal.wait_for("from now on I run these myself", 60)
        ulw.say(terminal, "ulw change the words")
        terminal.wait_for("test runs in the background", 90)
        terminal.wait_for(mended, 90)
        terminal.wait_until(lambda _: os.path.isdir(news) and os.listdir(news), "news", 90)
        ulw.say(terminal, "and?")
        terminal.wait_for("UserPromptSubmit says: ultrawork: PASS", 60)
    assert any("sent back (1 of 8)" in one for one in bodies(seat))


# What is switched off, whether the next prompt tells of the red run, and whether that is still to be told.
SLOWER = {"wake": (True, False), "wake,check": (False, False), "wake,news": (False, True)}


@pytest.mark.parametrize("skipped", rows_of(SLOWER, in_ci=[]))
def test_without_the_waking_job_nobody_is_woken(seat_at, project, skipped):
    """A process of ours does the work of the client's, and the next prompt tells of it; without those, nothing."""
    ulw.make(str(project), SLOW)
    seat = seat_at(
        Claude,
        clients.program(clients.CLAUDE),
        ulw.script(write(project, "app.txt", "wrong\n")),
        env={"ULTRAWORK_SKIP_HOOKS": f"base-run,{skipped}"},
    )
    ulw.Told(seat, None).ask("verify")
    news = f"{seat.home}/.claude/ultrawork/news"
    with seat.terminal(plugins=[PLUGIN], mode="acceptEdits") as terminal:
        ulw.say(terminal, "ulw gates allow")
        terminal.wait_for("from now on I run these myself", 60)
        ulw.say(terminal, "ulw change the words")
        terminal.wait_for("test runs in the background", 90)
        until(lambda: not is_at_work(seat.home, "Check") and not is_at_work(seat.home, "Wake"))
        assert not any("sent back" in one for one in bodies(seat))
        before = len(bodies(seat))
        ulw.say(terminal, "and?")
        terminal.wait_until(lambda _: len(bodies(seat)) > before, "a request", 60)
    told = any("sent back (1 of 8)" in one for one in bodies(seat)[before:])
    assert (told, os.path.isdir(news) and os.listdir(news) != []) == SLOWER[skipped]
