"""The person's answer to the question about the plan; `tool_response` as the client sends it."""

import json

import pytest

from support.play import GOAL, PLAN, Play, context, denied, entry
from support.scene import refused

ENGLISH = ("Go on with this plan?", ("Approve", "Request changes", "Cancel"))
KOREAN = ("이 계획으로 진행할까요?", ("승인", "수정 요청", "취소"))


@pytest.fixture
def stored(play):
    """Explored, and the plan stored as the model stores it."""
    play.begin(GOAL)
    play.explored()
    store(play, PLAN)
    return play


def store(play, plan):
    play.write("plan.json", json.dumps({"tasks": list(plan)}))
    return play.run("task", "create", "--session", "last", "--from", "plan.json")


def answer(play, question, options, chosen):
    asked = {
        "questions": [
            {
                "question": question,
                "header": "Plan",
                "options": [{"label": one, "description": one} for one in options],
                "multiSelect": False,
            }
        ]
    }
    answers = {question: chosen}
    return play.tool("AskUserQuestion", {**asked, "answers": answers}, tool_response={**asked, "answers": answers})  # fmt: skip


def test_the_model_is_told_once_to_ask_and_then_the_person_has_the_word(stored):
    told = refused(stored.stop("The plan is stored."))
    assert "Ask with AskUserQuestion: Go on with this plan?" in told
    assert "Options: Approve / Request changes / Cancel" in told
    assert stored.stop("What do you think?") == {}


def test_where_the_person_speaks_korean_the_question_is_korean(play):
    play.environ["LANG"] = "ko_KR.UTF-8"
    play.begin(GOAL)
    play.explored()
    store(play, PLAN)
    assert "이 계획으로 진행할까요?" in refused(play.stop("저장했습니다."))
    answer(play, *KOREAN, "승인")
    assert play.session()["plan"]["approved_at"]


def test_approval_is_recorded_and_execution_begins(stored):
    told = answer(stored, *ENGLISH, "Approve")
    assert stored.session()["plan"]["approved_at"]
    assert stored.session()["phase"] == "EXECUTION"
    assert "TASK_ID: a" in context(told)


def test_a_plan_that_is_sent_back_makes_way_for_the_next(stored):
    told = answer(stored, *ENGLISH, "Request changes")
    assert "plan with the user" in context(told)
    assert "the user wants changes" in context(told)
    assert stored.session()["plan"]["approved_at"] is None
    assert "2 tasks" in store(stored, [entry("a")])
    assert set(stored.tasks()) == {"a", "verify"}
    assert stored.session()["plan"]["version"] == 2
    assert "Go on with this plan?" in refused(stored.stop("Stored."))


def test_as_many_questions_at_a_time_as_the_project_wants(play):
    play.write("ultrawork.toml", "[plan]\nquestions = 3\n")
    play.begin(GOAL)
    play.explored()
    assert "up to 3 questions at a time" in play.next()["text"]


def test_cancelling_ends_the_session(stored):
    answer(stored, *ENGLISH, "Cancel")
    session = stored.session()
    assert (session["phase"], session["verdict"]) == ("CANCELLED", "UNVERIFIED")


@pytest.mark.parametrize("chosen", ["", "Approve, but smaller steps", "yes", "Approve, Cancel", "Approved?"])
def test_words_of_their_own_are_no_choice(stored, chosen):
    answer(stored, *ENGLISH, chosen)
    assert stored.session()["plan"]["approved_at"] is None
    assert stored.session()["phase"] == "PLANNING"


def test_another_question_approves_nothing(stored):
    answer(stored, "Which colour?", ("Approve", "Blue"), "Approve")
    assert stored.session()["plan"]["approved_at"] is None


def test_an_answer_that_the_model_wrote_into_its_own_question_approves_nothing(stored):
    question, options = ENGLISH
    given = {"questions": [{"question": f'{question}"="Approve', "options": list(options)}]}
    stored.tool("AskUserQuestion", given, tool_response={**given, "answers": {}})
    assert stored.session()["plan"]["approved_at"] is None


def test_a_subagents_question_approves_nothing(stored):
    question, _ = ENGLISH
    given = {"questions": [{"question": question}], "answers": {question: "Approve"}}
    stored.tool("AskUserQuestion", given, tool_response=given, agent_id="agent-1")
    assert stored.session()["plan"]["approved_at"] is None


def test_a_question_that_brings_its_answers_is_denied(stored):
    question, _ = ENGLISH
    given = {"questions": [{"question": question}], "answers": {question: "Approve"}}
    told = stored.event("PreToolUse", tool_name="AskUserQuestion", tool_input=given)
    assert "The user answers it" in denied(told)
    del given["answers"]
    assert stored.event("PreToolUse", tool_name="AskUserQuestion", tool_input=given) == {}


def test_where_nobody_is_an_answer_is_not_the_persons(stored):
    stored.environ["CLAUDE_CODE_SESSION_ATTENDED"] = "0"
    answer(stored, *ENGLISH, "Approve")
    assert stored.session()["plan"]["approved_at"] is None


def test_execution_does_not_begin_by_a_word_or_a_worker(stored):
    _, told = stored.ask("worker", "a")
    assert "not the next step" in str(told)
    stored.run("session", "set", "--session", "last", "--phase", "EXECUTION")
    assert stored.session()["phase"] == "PLANNING"


def test_with_nobody_there_an_unapproved_plan_is_let_go(tmp_path):
    play = Play(str(tmp_path), attended=False)
    play.begin(GOAL)
    play.explored()
    store(play, PLAN)
    for _ in range(4):
        play.stop("Stored.")
    session = play.session()
    assert (session["phase"], session["verdict"]) == ("PLANNING", "UNVERIFIED")


@pytest.mark.slow
def test_what_the_gates_could_not_decide_is_accepted_by_the_person_and_ends_it(play):
    """A planned session in verification, with a weak finding over green gates."""
    play.begin(f"--auto {GOAL}")
    play.planned()
    for name in "abc":
        play.worked(name)
    play.write("app.py", "def more():\n    pass\n")
    play.run("verify", "--session", "last")
    play.prompt("ulw accept it comes later")
    session = play.session()
    assert (session["phase"], session["verdict"]) == ("VERIFICATION", "UNVERIFIED")
