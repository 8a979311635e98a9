import os
import sys
import time

import pytest

from support.scene import GOAL, SESSION, refused
from ultrawork.core.prompt import mode_request, order
from ultrawork.store import ending
from ultrawork.store.store import Store

LIE = "Done. All tests pass."
LATER = "5e551040-0000-4000-8000-0000000000cd"


@pytest.mark.parametrize("words", ["ulw off", "ULW stop", "ulw cancel.", "cancelulw", "ultrawork off"])
def test_the_persons_word_switches_it_off_without_the_model(armed, words):
    armed.fix()
    assert armed.prompt(words) == {
        "continue": False,
        "stopReason": "ultrawork: off. 1 file changed, nothing verified. Turn on again: ulw <task>",
    }
    session = armed.session()
    assert (session["phase"], session["verdict"]) == ("CANCELLED", "UNVERIFIED")
    assert session["stopContinuation"] == {"disabled": True, "disabledReason": "ulw off"}
    assert not armed.is_on()
    assert armed.stop(LIE) == {}


@pytest.mark.parametrize("name", ["ultrawork:stop-continuation", "omo:stop-continuation", "ultrawork:cancel"])
def test_a_typed_skill_switches_it_off_too(armed, name):
    assert armed.typed(name)["stopReason"].startswith("ultrawork: off.")
    assert armed.stop(LIE) == {}


def test_switching_off_what_was_not_on_says_so(scene):
    assert scene.prompt("ulw off")["stopReason"] == ("ultrawork: already off. Turn on: ulw <task>")


def test_the_switch_holds_even_where_the_record_cannot_be_read(armed):
    for name in os.listdir(armed.home):
        if name.startswith("ultrawork.db"):
            with open(f"{armed.home}/{name}", "wb") as file:
                file.write(b"no database" * 1000)
    assert armed.prompt("ulw off")["stopReason"].startswith("ultrawork: off.")
    assert os.path.exists(f"{armed.home}/off/{SESSION}")
    assert armed.stop(LIE) == {}


@pytest.mark.slow
def test_after_off_the_word_switches_it_on_again(armed):
    armed.prompt("ulw off")
    assert armed.prompt(f"ulw {GOAL}")["systemMessage"].startswith("ultrawork: on.")
    assert "sent back" in refused(armed.stop(LIE))


def test_why_tells_the_last_decision(armed):
    armed.spoil()
    armed.stop(LIE)
    told = armed.prompt("ulw why")["stopReason"]
    assert told.startswith("ultrawork:\ndecided    ")
    assert "because    make test fails: " in told


def test_why_before_any_decision_says_so(armed):
    told = armed.prompt("ulw why")["stopReason"]
    assert "decided    nothing yet; working since" in told
    assert "because    ultrawork has decided nothing in this session yet" in told


@pytest.mark.parametrize("words", ["ulw status", "ultrawork status"])
def test_status_tells_what_is_on(armed, words):
    lines = armed.prompt(words)["stopReason"].splitlines()
    assert lines[1].startswith(f"on         {GOAL}")
    assert "checks     test: make test" in lines
    assert "sent back  0 of at most 8 times" in lines


def test_status_of_a_session_that_never_was_on(scene):
    assert "already off" in scene.prompt("ulw status")["stopReason"]


@pytest.mark.slow
def test_why_after_a_verify_that_fails_speaks_of_that_and_not_of_the_pass_before(armed):
    armed.fix()
    assert "PASS" in armed.stop(LIE)["systemMessage"]
    armed.spoil()
    assert armed.prompt("ulw verify")["stopReason"].startswith("ultrawork: FAIL. make test fails: test_adds")
    decided, because, step = armed.prompt("ulw why")["stopReason"].splitlines()[1:]
    assert decided.endswith("FAIL (ultrawork verify)")
    assert because == "because    make test fails: test_adds"
    assert step == "next       get `test_adds` to pass"


def test_after_a_clear_the_questions_are_answered_by_the_newest_session_of_the_checkout(armed):
    armed.spoil()
    armed.stop(LIE)
    armed.event("SessionEnd", reason="clear")
    first, *why = armed.prompt("ulw why", session_id=LATER)["stopReason"].splitlines()
    assert first == "ultrawork: not on here. The newest session of this checkout:"
    assert why[0].endswith("CANCELLED, ended with UNVERIFIED")
    status = armed.prompt("ulw status", session_id=LATER)["stopReason"].splitlines()
    assert (status[0], status[1].split()[0]) == (first, "CANCELLED")
    evidence = armed.prompt("ulw evidence", session_id=LATER)["stopReason"].splitlines()
    assert (evidence[0], evidence[1].split()[0]) == (first, "CANCELLED")
    assert armed.prompt("ulw report", session_id=LATER)["stopReason"].startswith(first)


@pytest.mark.parametrize("word", ["why", "evidence", "report"])
def test_a_question_where_nothing_ever_was_on_names_no_session(scene, word):
    told = scene.prompt(f"ulw {word}")["stopReason"]
    assert told.startswith("ultrawork: no session in this checkout yet. ")
    assert "ulw <task>" in told


def test_gates_lists_what_decides(scene):
    told = scene.prompt("ulw gates")["stopReason"]
    assert "test     make test" in told
    assert "Makefile" in told


@pytest.mark.slow
def test_verify_runs_the_checks_at_once_and_answers_in_a_line(armed):
    assert armed.prompt("ulw verify")["stopReason"].startswith("ultrawork: FAIL. make test fails")
    armed.fix()
    assert armed.prompt("ulw verify")["stopReason"].startswith("ultrawork: PASS, proved by test_sorts")
    assert armed.is_on()


@pytest.mark.slow
def test_verify_works_where_nothing_was_ever_on(scene):
    scene.fix()
    assert scene.prompt("ulw verify")["stopReason"].startswith("ultrawork: PASS, proved by test_sorts")


def test_evidence_shows_the_last_verdict(armed):
    assert "no verdict yet" in armed.prompt("ulw evidence")["stopReason"]
    armed.spoil()
    armed.stop(LIE)
    assert armed.prompt("ulw evidence")["stopReason"].startswith("ultrawork:\nFAIL ")


def test_accepting_ends_it_with_the_reason_and_stays_unverified_while_red(armed):
    armed.idle()
    armed.stop(LIE)
    told = armed.prompt("ulw accept known flake, see #12")["stopReason"]
    assert told.startswith("ultrawork: UNVERIFIED. ")
    assert told.endswith(" accepted by you: known flake, see #12")
    assert armed.session()["verdict"] == "UNVERIFIED"
    assert not armed.is_on()
    assert armed.stop(LIE) == {}


def test_accepting_without_a_reason_says_how_and_ends_nothing(armed):
    armed.spoil()
    armed.stop("Done.")
    told = armed.prompt("ulw accept")["stopReason"]
    assert told.startswith("ultrawork: say why you accept it: ulw accept REASON.")
    assert armed.is_on()


@pytest.mark.slow
def test_accepting_open_findings_over_green_gates_ends_it_and_is_no_pass(armed):
    armed.fix()
    armed.edit("book.py", armed.read("book.py") + "\n\ndef later():\n    pass\n")
    assert refused(armed.stop(LIE))
    told = armed.prompt("ulw accept it comes later")["stopReason"]
    assert told.startswith("ultrawork: UNVERIFIED. 1 finding accepted by you")
    assert armed.session()["verdict"] == "UNVERIFIED"
    assert not armed.is_on()


def test_help_lists_every_word(scene):
    told = scene.prompt("ulw help")["stopReason"]
    words = ("off", "why", "status", "gates", "verify", "evidence", "accept <reason>")
    assert all(f"ulw {word}" in told for word in words)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["status", "why", "gates", "evidence"])
def test_each_skill_of_the_person_is_answered_by_the_hook(armed, name):
    armed.stop(LIE)
    assert armed.typed(f"ultrawork:{name}")["stopReason"].startswith("ultrawork:")


def test_the_gates_skill_can_allow(armed):
    assert "from now on I run these" in armed.typed("ultrawork:gates", "allow")["stopReason"]


def test_skills_of_others_are_left_alone(armed):
    assert armed.typed("other:status") == {}


def test_news_of_a_background_run_comes_with_the_next_prompt_once(armed):
    os.makedirs(f"{armed.home}/news", exist_ok=True)
    with open(f"{armed.home}/news/{SESSION}", "w", encoding="utf-8") as file:
        file.write('{"message": "ultrawork: PASS  test 3 ok", "context": ""}')
    assert armed.prompt("go on") == {"systemMessage": "ultrawork: PASS  test 3 ok"}
    assert armed.prompt("go on") == {}


@pytest.mark.parametrize("words", ["ulw change the words", "ralph ulw change the words"])
def test_a_prompt_is_read_once_whoever_asks(scene, words):
    """Before and after it was read for modes, several behaviours ask what it says."""
    wanted = {order.find_order.__code__: "order", mode_request.find_modes.__code__: "modes"}
    read = []

    def note(frame, what, _argument):
        if what == "call" and frame.f_code in wanted:
            read.append(wanted[frame.f_code])

    sys.setprofile(note)
    try:
        scene.prompt(words)
    finally:
        sys.setprofile(None)
    assert scene.is_on()
    assert sorted(read) == ["modes", "order"]


def accepted(scene, session=SESSION):
    store = Store(scene.state_folder, actor="test", clock=time.time)
    try:
        return ending.list_accepted_tests(store, session)
    finally:
        store.database.close()


def test_a_person_allows_one_test_to_be_changed_and_it_stays_on(armed):
    told = armed.prompt("ulw accept test test_adds")["stopReason"]
    assert told.startswith("ultrawork: the agent is now allowed to change test_adds in this session.")
    armed.prompt("ulw accept test `sorts by name`")
    armed.prompt("ulw accept test test_adds")
    assert armed.is_on()
    assert accepted(armed) == ["test_adds", "sorts by name"]
    assert accepted(armed, "another") == []


def test_without_a_session_no_test_can_be_accepted(scene):
    assert "no session" in scene.prompt("ulw accept test test_adds")["stopReason"]


def test_an_agent_accepts_no_test(armed):
    armed.tool("ScheduleWakeup", {"prompt": "ulw accept test test_adds", "delaySeconds": 60})
    armed.prompt("ulw accept test test_adds")
    assert accepted(armed) == []


def test_evidence_of_a_goal_for_which_nothing_ran_shows_nothing_of_the_goal_before(armed):
    armed.fix()
    assert "PASS" in armed.stop(LIE)["systemMessage"]
    time.sleep(1.1)  # moments are kept in whole seconds
    armed.prompt("ulw print the names in capitals")
    assert "no verdict yet" in armed.prompt("ulw evidence")["stopReason"]
    for _ in range(2):
        armed.stop("Done.")
    _, head, *lines = armed.prompt("ulw evidence")["stopReason"].splitlines()
    assert head.startswith("UNVERIFIED print the names in capitals")
    assert not [line for line in lines if line.startswith(("test", "tree", "strength"))]
