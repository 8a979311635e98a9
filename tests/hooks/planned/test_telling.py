"""What the person sees of a planned session in the client, whatever the model says or leaves out."""

import json
from time import time

import pytest

from support.play import GOAL, PLAN, Play, context, entry, fenced
from support.scene import SESSION, refused
from ultrawork.core.course import steps
from ultrawork.flow import answers
from ultrawork.store.store import Store

APPROVAL = "Go on with this plan?"


def store(play, plan):
    play.write("plan.json", json.dumps({"tasks": list(plan)}))
    return play.run("task", "create", "--session", "last", "--from", "plan.json")


def asks(play):
    """What is shown where the model is told to ask."""
    return play.stop("It is time to ask.").get("systemMessage", "")


def answer(play, question, chosen):
    given = {"questions": [{"question": question}], "answers": {question: chosen}}
    return play.tool("AskUserQuestion", given, tool_response=given)


def told(answer):
    return str(answer.get("systemMessage", ""))


@pytest.fixture
def stored(tmp_path):
    play = Play(str(tmp_path))
    play.begin(GOAL)
    play.explored()
    store(play, PLAN)
    return play


@pytest.fixture
def auto(tmp_path):
    play = Play(str(tmp_path), attended=False)
    play.begin()
    play.explored()
    return play


def test_the_plan_is_shown_above_the_question_for_approval(stored):
    shown = asks(stored)
    assert "Done means" in shown
    assert "grep -q right b.txt" in shown
    assert "Wave 2: [b, c] after wave 1" in shown
    assert asks(stored) == ""


def test_approving_shows_the_queue_with_order_and_models(stored):
    shown = " ".join(told(answer(stored, APPROVAL, "Approve")).split())
    assert "3 tasks, round 1 of 5" in shown
    assert "a ready sonnet Correct a" in shown
    assert "b after a sonnet Correct b" in shown


def test_feedback_that_is_typed_at_the_question_makes_a_new_plan(stored):
    pushed = context(answer(stored, APPROVAL, "Smaller steps, and leave c alone"))
    assert "plan with the user" in pushed
    assert "Smaller steps, and leave c alone" in pushed
    assert "2 tasks" in store(stored, [entry("a")])
    assert set(stored.tasks()) == {"a", "verify"}
    assert "Correct b" not in asks(stored)
    assert stored.session()["plan"]["version"] == 2


def test_the_queue_is_shown_when_a_plan_begins_by_itself(auto):
    agent = auto.agent("planner")
    auto.event("SubagentStop", agent_id=agent, last_assistant_message=fenced({"tasks": list(PLAN)}))
    prompt = f"<task-notification>{agent}</task-notification>"
    assert "3 tasks, round 1 of 5" in told(auto.event("UserPromptSubmit", prompt=prompt))
    assert told(auto.event("UserPromptSubmit", prompt=prompt)) == ""


def test_a_line_for_each_task_that_begins_and_that_is_settled(auto):
    auto.planned([entry("a"), entry("b", max_retry=0)])
    call, begun = auto.ask("worker", "a")
    assert told(begun) == "ultrawork: a begins (sonnet): Correct a (0 of 2)"
    auto.event("PostToolUse", tool_name="Agent", tool_input={}, tool_use_id=call,
               tool_response={"isAsync": True, "agentId": "one"})  # fmt: skip
    auto.write("a.txt", "right\n")
    auto.end("one", "Done.")
    assert told(auto.notified).splitlines()[0] == "ultrawork: a resolved (1 of 2)"
    agent = auto.agent("worker", "b")
    auto.end(agent, "Done.")
    auto.end(agent, "Done.")
    shown = told(auto.notified).splitlines()[0]
    assert shown.startswith("ultrawork: b failed, grep -q right b.txt fails (")
    assert shown.endswith("(1 of 2)")
    assert len(shown) <= 100


@pytest.mark.slow
def test_a_verification_that_fails_is_said_with_its_round_and_its_cause(auto):
    auto.planned([entry("a"), entry("b")])
    auto.worked("a")
    auto.worked("b")
    shown = told(auto.stop("Done."))
    assert shown.startswith("ultrawork: verification failed, round 2 of 5:")
    assert "test" in shown


@pytest.mark.slow
def test_what_the_verifier_found_is_said_with_the_round(auto):
    auto.planned()
    for name in "abc":
        auto.worked(name)
    auto.stop("Done.")
    found = {"verdict": "FAIL", "findings": [{"severity": "P1", "what": "b is untested"}]}
    auto.event("SubagentStop", agent_id=auto.agent("verifier"), last_assistant_message=fenced(found))
    shown = told(auto.stop("Done."))
    assert "round 2 of 5" in shown
    assert "b is untested" in shown


@pytest.mark.slow
def test_a_task_that_another_undid_is_named_whole_and_its_old_evidence_counts_no_more(tmp_path):
    play = Play(str(tmp_path), attended=False)
    play.begin(f"--auto --max-iterations 2 {GOAL}")
    play.planned([entry("a"), entry("b", "a")])
    play.worked("a")
    agent = play.agent("worker", "b")
    play.write("b.txt", "right\n")
    play.write("a.txt", "wrong\n")
    play.end(agent, "Done.")
    shown = told(play.stop("Done."))
    assert "round 2 of 2:\n  task a no longer meets its criterion `grep -q right a.txt`" in shown
    play.run("session", "set", "--session", "last", "--phase", "FAILED")
    report = play.run("report", "--session", "last")
    assert "b: grep -q right b.txt: met" in report
    assert "a: grep -q right a.txt: met" not in report


def test_a_step_of_the_course_does_not_look_like_an_error_and_nothing_was_sent_back(auto):
    given = auto.stop("Done.")
    assert "start the planner" in refused(given)
    assert "decision" not in given
    assert "sent back" not in auto.run("evidence", "--session", "last")
    assert "asked the agent to continue" in auto.run("why", "--session", "last")


def test_failed_tasks_come_with_their_reasons_when_the_person_is_asked(tmp_path):
    play = Play(str(tmp_path))
    play.begin(GOAL)
    play.explored()
    store(play, [entry("a"), entry("b", max_retry=0)])
    answer(play, APPROVAL, "Approve")
    play.worked("a")
    agent = play.agent("worker", "b")
    play.end(agent, "Done.")
    play.end(agent, "Done.")
    shown = asks(play)
    assert "- b: grep -q right b.txt fails, 1 try" in shown
    assert "- a:" not in shown


@pytest.mark.slow
def test_the_end_is_a_report_with_what_to_type_next(auto):
    auto.planned()
    for name in "abc":
        auto.worked(name)
    auto.stop("Done.")
    auto.end(auto.agent("verifier"), fenced({"verdict": "PASS", "findings": []}))
    assert "as your last line: ultrawork: PASS" in str(auto.stop("Done."))
    shown = " ".join(told(auto.stop("Done.")).split())
    assert shown.startswith("ultrawork: PASS. Full report: ulw report Result ✓ PASS")
    assert "Tasks 3 of 3 resolved" in shown
    assert "Files changed 3, +3 -3 lines" in shown
    assert f"Work {auto.place}" in shown
    assert "ulw evidence" in shown


def test_a_verification_that_was_skipped_says_so_at_the_end(tmp_path):
    play = Play(str(tmp_path), attended=False)
    play.begin(f"--auto --skip-verify {GOAL}")
    play.planned([entry("a")])
    assert "[VERIFY]" not in told(play.notified) + play.run("plan", "--session", "last")
    play.worked("a")
    assert "as your last line: ultrawork: UNVERIFIED" in str(play.stop("Done."))
    given = play.stop("Done.")
    assert "Files changed 1" in " ".join(told(given).split())
    assert told(given).startswith("ultrawork: UNVERIFIED.")
    assert "verification was skipped, as requested" in told(given)
    assert given["stopReason"] == told(given)


@pytest.mark.parametrize(
    ("word", "part"), [("plan", "Done means"), ("report", "Active workers"), ("status", "0 of 3 resolved")]
)
def test_plan_report_and_status_are_answered_without_the_model(stored, word, part):
    given = stored.prompt(f"ulw {word}")
    assert given["continue"] is False
    assert part in given["stopReason"]


def test_status_of_a_planned_session_tells_phase_round_and_tasks(auto):
    auto.planned()
    auto.worked("a")
    auto.agent("worker", "b")
    shown = auto.run("status", "--session", "last")
    assert "execution, round 1 of 5" in shown
    assert "1 of 3 resolved; running b" in shown
    assert "refusals" not in shown


def test_the_plan_can_be_shown_in_a_terminal(stored):
    assert "Wave 1: [a] can start immediately" in stored.run("plan")
    data = json.loads(stored.run("plan", "--json"))["data"]
    assert [task["id"] for task in data["tasks"]] == ["a", "b", "c", "verify"]


def fail_thrice(play, task="a"):
    for _ in range(3):
        agent = play.agent("worker", task)
        for _ in range(2):
            play.end(agent, "Done.")


def test_status_and_why_of_a_failed_session_name_its_end_and_not_what_an_agent_was_sent_back_for(tmp_path):
    play = Play(str(tmp_path), attended=False)
    play.begin(f"--auto --max-iterations 1 {GOAL}")
    play.planned()
    fail_thrice(play)
    play.stop("Done.")
    play.stop("Done.")
    assert play.session()["phase"] == "FAILED"
    cause = "tasks are not resolved: a, b, c"
    for verb in ("status", "why", "report", "evidence"):
        assert cause in play.run(verb), verb
    assert "Next: fix it" not in play.run("status")


def test_a_session_that_you_stopped_says_so(tmp_path):
    play = Play(str(tmp_path))
    play.begin(GOAL)
    store = Store(play.state_folder, actor="person", clock=time)
    answers.record(store, SESSION, steps.STUCK[0], "Stop")
    store.database.close()
    assert play.session()["phase"] == "FAILED"
    for verb in ("why", "report"):
        assert 'you answered "Stop"' in play.run(verb), verb


def test_a_finding_without_our_keys_is_shown_in_its_own_words(auto):
    found = {"severity": "P2", "file": "a.txt", "message": "name the text better"}
    auto.planned()
    for name in "abc":
        auto.worked(name)
    auto.stop("All done.")
    auto.end(auto.agent("verifier"), fenced({"verdict": "PASS", "findings": [found]}))
    auto.stop("Done.")
    shown = told(auto.stop("Done."))
    assert "- name the text better" in shown
    assert "{" not in shown
