"""A person whose prompt begins with `ulw` always hears of it."""

import os

import pytest

HEARD = os.path.join(os.path.dirname(__file__), "../../core/prompt/data/first_word_heard.txt")


def test_a_remark_is_left_to_the_model_and_the_person_hears_how_to_make_it_a_task(quick):
    answer = quick.prompt("ulw crashes on empty input")
    assert answer == {
        "systemMessage": "ultrawork: not on. I read this as a remark. To use it as a task: ulw: crashes on empty input"
    }
    assert not quick.is_on()
    assert quick.prompt("ulw: crashes on empty input")["systemMessage"].startswith("ultrawork: on.")
    assert quick.session()["goal"] == "crashes on empty input"


def test_while_it_is_on_a_remark_adds_nothing_to_the_goal(quick):
    quick.prompt("ulw change the words")
    told = quick.prompt("ulw is slow")["systemMessage"]
    assert told.startswith("ultrawork: still on, with the same goal.")
    assert quick.session()["goal"] == "change the words"


def test_a_mark_alone_is_answered_like_the_word_alone(quick):
    assert quick.prompt("ulw ?")["systemMessage"] == quick.prompt("ulw")["stopReason"]


def test_a_task_that_begins_like_accept_shows_how_to_make_it_a_task(quick):
    told = quick.prompt("ulw accept dates in ISO format")["stopReason"]
    assert told.endswith("To use it as a task: ulw: accept dates in ISO format")


@pytest.mark.parametrize(
    ("typed", "meant"), [("ulw statsu", "ulw status"), ("ulw acept it is fine", "ulw accept"), ("ulw pause", "ulw off")]
)
def test_a_mistyped_command_begins_nothing_and_costs_no_model_call(quick, typed, meant):
    answer = quick.prompt(typed)
    assert answer["continue"] is False
    assert f"Did you mean {meant}?" in answer["stopReason"]
    assert not quick.is_on()


def test_a_command_of_the_terminal_is_named_and_begins_nothing(quick):
    answer = quick.prompt("ulw doctor")
    assert answer["continue"] is False
    assert answer["stopReason"].startswith("ultrawork: `doctor` is a command for the terminal: ultrawork doctor.")
    assert not quick.is_on()


def test_a_goal_in_the_form_of_a_commit_switches_it_on(quick):
    assert quick.prompt("ulw docs: clarify the options")["systemMessage"].startswith("ultrawork: on.")


def test_who_chose_plain_text_hears_nothing_of_a_remark(quick):
    quick.environ["ULTRAWORK_TRIGGER_PLAIN"] = "true"
    assert quick.prompt("ulw is slow") == {}


def test_what_the_model_scheduled_for_itself_is_not_answered(quick):
    quick.prompt("ulw change the words")
    quick.stop(session_crons=[{"prompt": "ulw is slow"}, {"prompt": "ulw statsu"}])
    assert quick.prompt("ulw is slow") == {}
    assert quick.prompt("ulw statsu") == {}


def test_a_question_is_not_told_that_checks_decide(quick):
    told = quick.prompt("ulw what does this repository do?")["systemMessage"]
    assert told.startswith("ultrawork: on. No check runs unless a file changes. Turn off: ulw off")


@pytest.mark.slow
def test_sixty_prompts_in_six_languages_are_all_answered(quick):
    with open(HEARD, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("|", 2) for line in file if line[:1] != "#"]
    assert (len(rows), len({row[0] for row in rows})) == (60, 6)
    for _, wanted, prompt in rows:
        quick.prompt("ulw off")
        quick.prompt("ulw new")
        answer = quick.prompt(prompt)
        said = answer.get("systemMessage") or answer.get("stopReason") or ""
        assert said.startswith("ultrawork: "), prompt
        assert quick.is_on() or wanted != "task", prompt
        meant = wanted.removeprefix("meant ")
        assert meant == wanted or f"Did you mean ulw {meant}?" in said, prompt
