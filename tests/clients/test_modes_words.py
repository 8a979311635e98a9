"""
Modes by the words of a prompt, in the real client: what begins one, what only speaks of one, what ends all,
and what a person loses where the words are switched off.
"""

import os

import pytest

from support import ulw
from support.floor import PLUGIN
from support.ulw import FIX, GOAL, OPEN, PYTHON, SPOIL, bodies, script, sh, state_folder
from ultrawork.core.prompt.composition import ROOM
from ultrawork.store import checkouts

pytestmark = pytest.mark.client

ASKED = f"ralph {GOAL}"
MENTIONS = (
    "what does ralph do?",
    "`ralph fix it` is in the log",
    'he wrote "autopilot build it" and left',
    "don't use ralph for this",
    "our team has a pipeline, tell me where",
    "explain how autopilot decides",
)
HINT = "ultrawork: ralph did not start: not clearly requested. Start it: /ultrawork:ralph <task>"


@pytest.fixture
def python(project):
    ulw.make(str(project), PYTHON)
    return project


def spoken(run):
    """What our hooks said to prompts, those without a word left out."""
    return [call.answer for call in run.hooks_of("UserPromptSubmit") if call.answer]


def test_a_word_begins_its_mode_and_the_checks_decide(claude, python):
    told = ulw.go(claude(script([FIX])), ASKED)
    assert told.verdict.startswith("ultrawork: PASS")
    assert told.session["goal"] == GOAL
    assert told.session["modes"]["ralph"]["phase"] == "complete"


@pytest.mark.release
def test_an_everyday_word_begins_a_mode_and_a_lie_is_sent_back(newest, python):
    told = ulw.go(newest(script([SPOIL, sh("make test || true")])), f"{GOAL} and don't stop until all tests pass")
    assert told.refusals[0].startswith("ultrawork: sent back (round 2 of 10).")
    assert told.session["verdict"] != "PASS"


@pytest.mark.release
def test_the_same_lie_is_believed_where_the_words_are_switched_off(newest, python):
    seat = newest(script([sh("make test || true")]), env={"ULTRAWORK_SKIP_HOOKS": "mode-words"})
    told = ulw.go(seat, ASKED)
    assert told.refusals == []
    assert not os.path.exists(f"{told.state}/active/{told.run.session}")


@pytest.mark.release
def test_the_setting_switches_them_off_for_a_project_that_was_used_before(newest, python):
    checkouts.note_use(state_folder(python), os.path.realpath(python))
    (python / "ultrawork.toml").write_text("[trigger]\nother_modes = false\n")
    told = ulw.go(newest(script([])), ASKED)
    assert told.refusals == []
    assert told.injected == []


@pytest.mark.release
def test_a_mention_begins_nothing_and_adds_nothing(newest, python):
    seat = newest([{"match": {"agent": "main"}, "reply": {"text": "ok"}}])
    with seat.live(plugins=[PLUGIN], mode=OPEN) as live:
        for words in MENTIONS:
            assert live.say(words)["result"] == "ok"
    assert spoken(live) == []
    assert not os.path.exists(f"{python}/.omc")


def test_a_hint_is_said_once_and_does_not_arm(newest, python):
    seat = newest(script([]))
    with seat.live(plugins=[PLUGIN], mode=OPEN) as live:
        for words in ("use ralph sparingly", "use ralph sparingly, I said"):
            live.say(words)
    assert [one.get("systemMessage") for one in spoken(live)] == [HINT]
    told = ulw.Told(seat, live)
    assert (told.refusals, told.injected) == ([], [])


def test_words_that_go_together_are_one_session_with_one_short_block(newest, python):
    seat = newest(script([FIX]))
    told = ulw.go(seat, f"ulw ralph: {GOAL}")
    (context,) = told.injected
    block = context[context.index("Composed of default + ultrawork + ralph:") :]
    assert len(block.encode()) <= ROOM
    assert bodies(seat)[0].count("ultrawork is on. Goal: ") == 1
    assert told.verdict.startswith("ultrawork: PASS")


def test_an_end_in_words_costs_no_model_call(newest, python):
    """In plan mode nothing is sent back, so that it is still on when the person changes their mind."""
    seat = newest([{"match": {"agent": "main"}, "reply": {"text": "ok"}}])
    with seat.live(plugins=[PLUGIN], mode="plan") as live:
        live.say(ASKED)
        asked = len(bodies(seat))
        ended = live.say("stop ralph, wrong branch")["result"]
    assert len(bodies(seat)) == asked
    assert ended.startswith("Operation stopped by hook: ultrawork: off.")
    assert not os.path.exists(f"{ulw.Told(seat, live).state}/active/{live.session}")
