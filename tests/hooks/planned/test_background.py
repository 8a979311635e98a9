"""What decides at the end of a planned session takes longer than a stop may wait; and stops right after each other."""

import os
import time

import pytest

from support.play import FILES, PLAN, Play, entry
from support.scene import SESSION, refused
from ultrawork.store import decisions
from ultrawork.store.atomic import Lock
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

SLOW = {**FILES, "ultrawork.toml": '[stop]\nbudget = "0.4s"\n'}
SLOWLY = "sleep 0.5; grep -q right a.txt => exit 0"
SECOND = "verification failed, round 2 of 5"


def begin(play, *plan):
    play.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,check"
    play.begin()
    play.planned(plan)
    return play


@pytest.fixture
def slow(tmp_path):
    """One criterion takes longer than the whole budget; its worker has just ended."""
    play = begin(Play(str(tmp_path), SLOW), {**PLAN[0], "criteria": [SLOWLY]}, *PLAN[1:])
    for name in "abc":
        play.worked(name)
    return play


def stop(play):
    """As in the client, whose waking process holds the lock by then."""
    with Lock(f"{play.home}/background/{SESSION}.lock", patience=0):
        return play.stop()


def list_counted(play):
    taken = decisions.list_since(Store(Home(play.home), actor="test", clock=time.time).database, SESSION, 0.0)
    return [one.counts for one in taken if one.event == "Stop" and one.rule == "next"]


def wake(play):
    return play.event("Wake", last_assistant_message="Done.").get("wake", "")


@pytest.mark.slow
def test_criteria_over_the_budget_run_beside_the_stop_and_the_verdict_waits_for_them(slow):
    assert os.path.exists(f"{slow.home}/background/{SESSION}"), "nobody would wait for the stop"
    told = stop(slow)["systemMessage"]
    running = told.partition("not verified yet. ")[2].partition(" run in the background")[0]
    assert sorted(running.split(", ")) == ["task a", "task b", "task c", "test"]
    assert told.endswith("The verdict waits for it.")
    assert (slow.session()["phase"], slow.session()["verdict"]) == ("VERIFICATION", None)
    assert stop(slow) == {}
    assert "ultrawork:verifier" in wake(slow)
    assert slow.session()["verdict"] is None


@pytest.mark.slow
def test_a_criterion_that_turns_red_beside_the_stop_wakes_with_the_next_round(slow):
    slow.write("a.txt", "wrong\n")
    stop(slow)
    assert "TASK_ID: " in wake(slow)
    assert slow.session()["iteration"] == 2
    assert SECOND in slow.prompt("and?")["systemMessage"]


@pytest.mark.slow
def test_switched_off_meanwhile_nobody_is_woken(slow):
    stop(slow)
    slow.prompt("ulw off")
    assert wake(slow) == ""


def test_alone_the_agent_is_asked_to_run_them(tmp_path):
    play = begin(Play(str(tmp_path), SLOW, attended=False), {**entry("a"), "criteria": [SLOWLY]})
    play.worked("a")
    assert "ultrawork verify" in refused(play.stop())


@pytest.mark.slow
def test_what_fits_is_run_in_the_stop_itself(tmp_path):
    play = begin(Play(str(tmp_path)), *PLAN)
    for name in "abc":
        play.worked(name)
    assert "ultrawork:verifier" in refused(play.stop())


def test_a_stop_right_after_a_step_is_not_counted_and_runs_nothing(tmp_path):
    play = begin(Play(str(tmp_path)), *PLAN)
    first, again = (refused(play.stop()) for _ in range(2))
    assert first == again
    assert list_counted(play) == [True, False]


def test_without_a_cooldown_each_stop_counts(tmp_path):
    files = {**FILES, "ultrawork.toml": "[stop]\ncooldown = 0\n"}
    play = begin(Play(str(tmp_path), files), *PLAN)
    for _ in range(2):
        play.stop()
    assert list_counted(play) == [True, True]
