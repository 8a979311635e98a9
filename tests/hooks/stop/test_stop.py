import json
import os
import sqlite3

import pytest

from support import sample
from support.scene import GOAL, NO_CHECK, QUICK, SESSION, Scene, refused
from ultrawork.hooks.stop import facts

LIE = "Done. The bug is fixed and all tests pass."
BENT = sample.BENT_TEST[1]


def test_a_claim_is_sent_back_with_the_failing_gate_and_its_output(armed):
    armed.spoil()
    text = armed.stop(LIE)["reason"]
    first, run, failure, *_, step, exits = text.splitlines()
    assert first == 'ultrawork: sent back (1 of 8). You said "all tests pass", but make test fails.'
    assert run.startswith("make test: exit 2 after ")
    assert run.endswith(", 1 passed, 2 failed")
    assert failure.startswith("  FAIL test_adds")
    assert step.startswith("Next: get `")
    assert step.endswith("` to pass, then stop again.")
    assert exits == (
        "If you cannot, or the test is wrong, end with BLOCKED: why. Do not change the test to make it pass."
    )
    assert len(text.encode()) <= 1000


def test_a_failing_linter_does_not_contradict_who_says_that_tests_pass(tmp_path):
    lint = "if grep cut book.py; then exit 1; fi"
    scene = Scene(str(tmp_path), {**sample.FILES, "ultrawork.toml": f'[gates]\ntest = "make test"\nlint = "{lint}"\n'})
    scene.prompt(f"ulw {GOAL}")
    scene.edit("book.py", f"{sample.REAL_FIX[1]}# cut\n")
    assert refused(scene.stop("Fixed. Tests pass.")).startswith("ultrawork: sent back (1 of 8). lint fails.\n")
    scene.edit("book.py", f"{sample.REAL_FIX[1]}# cut here\n")
    told = refused(scene.stop("Fixed, everything passes."))
    assert told.startswith('ultrawork: sent back (2 of 8). You said "everything passes", but lint fails.')


def test_right_work_passes_in_one_line_and_is_complete(armed):
    armed.fix()
    told = armed.stop(LIE)
    assert told == {
        "systemMessage": "ultrawork: PASS, proved by test_sorts_without_regard_to_case. make test: 3 passed. Details: ulw evidence"
    }
    session = armed.session()
    assert (session["phase"], session["verdict"]) == ("COMPLETE", "PASS")
    assert session["ulw"]["enabled"] is False
    assert not armed.is_on()
    assert not os.path.exists(f"{armed.data}/active/{SESSION}")


def test_a_model_that_repeats_itself_is_let_go_after_two(armed):
    armed.spoil()
    assert "sent back (1 of 8)" in refused(armed.stop(LIE))
    assert "The failure is the same as in the last attempt." in refused(armed.stop(LIE))
    told = armed.stop(LIE)
    lines = told["systemMessage"].splitlines()
    assert lines[0] == "ultrawork: UNVERIFIED. Sent back twice without progress, so the agent was allowed to stop."
    assert lines[1].startswith("  failing   make test: ")
    assert lines[-2].startswith("  changed   book.py, 2 lines.  Agent's last words: ")
    assert lines[-1].startswith("  Why: ulw why    Try again: ")
    assert "continue" not in told
    session = armed.session()
    assert (session["phase"], session["verdict"]) == ("EXECUTION", "UNVERIFIED")
    assert session["ended_at"] is not None


def test_a_stop_right_after_a_refusal_runs_nothing_and_is_not_counted(armed):
    armed.stop(LIE)
    before = armed.run("evidence", "list", "--session", SESSION)
    armed.stop(LIE)
    assert armed.run("evidence", "list", "--session", SESSION) == before
    assert armed.session()["ulw"]["stopBlocks"] == 1


@pytest.mark.slow
def test_a_quick_fix_right_after_a_refusal_is_checked_and_passes(armed):
    armed.stop(LIE)
    armed.fix()
    assert "PASS" in armed.stop(LIE)["systemMessage"]


@pytest.mark.slow
def test_it_is_never_sent_back_more_often_than_the_limit(quick):
    quick.write("ultrawork.toml", "[stop]\ncooldown = 0\n")
    quick.prompt("ulw change the words")
    answers = []
    for number in range(12):
        quick.edit("app.txt", f"wrong {number}\n")
        answers.append(quick.stop(LIE))
        if "systemMessage" in answers[-1]:
            break
    assert [f"({number} of 8)" in refused(answer) for number, answer in enumerate(answers, 1)] == [*[True] * 8, False]
    assert answers[-1]["systemMessage"].startswith(
        "ultrawork: UNVERIFIED. Sent back 8 times, so the agent was allowed to stop."
    )


def test_alone_the_last_refusal_asks_for_the_verdict_and_then_the_turn_ends(alone):
    alone.prompt(f"ulw {GOAL}")
    alone.spoil()
    assert "exactly this line" not in refused(alone.stop(LIE))
    line = refused(alone.stop(LIE)).splitlines()[-1]
    assert line.startswith("ultrawork: UNVERIFIED. make test fails: ")
    told = alone.stop(f"I could not.\n{line}")
    assert told["continue"] is False
    assert told["stopReason"].startswith("ultrawork: UNVERIFIED. ")


def test_blocked_is_accepted_with_its_reason_in_full_and_what_fails(armed):
    reason = "the server of the licence is down since this morning, and nobody answers there; " * 3
    armed.idle()
    told = armed.stop(f"I have no access.\nBLOCKED: {reason}")["systemMessage"]
    assert told.startswith("ultrawork: UNVERIFIED. The agent is blocked:\n")
    assert " ".join(reason.split()).rstrip(";") in " ".join(told.split())
    assert "\n  FAIL test_sorts_without_regard_to_case  test_book.py:" in told
    assert armed.session()["verdict"] == "UNVERIFIED"


def test_blocked_with_a_question_as_its_reason_ends_the_session_at_once(armed):
    armed.fix()
    reason = "this needs a database, which one should I use?"
    told = armed.stop(f"I looked.\n\nBLOCKED: {reason}")["systemMessage"]
    assert told.startswith(f"ultrawork: UNVERIFIED. The agent is blocked:\n    {reason}\n")
    assert not armed.is_on()


def test_blocked_after_a_refusal_names_what_that_refusal_showed(armed):
    armed.idle()
    assert "FAIL test_sorts" in refused(armed.stop(LIE))
    told = armed.stop("BLOCKED: test test_sorts_without_regard_to_case is wrong: A comes before b")
    assert told["systemMessage"].splitlines()[:2] == [
        "ultrawork: UNVERIFIED. The agent reports that test test_sorts_without_regard_to_case is wrong:",
        "    A comes before b",
    ]
    assert "\n  FAIL test_sorts" in told["systemMessage"]
    assert "\n  Let the agent change it: ulw accept test test_sorts" in told["systemMessage"]


def test_blocked_without_a_change_ends_at_once_and_nothing_runs(armed):
    told = armed.stop("BLOCKED: there is no such bug")["systemMessage"]
    assert told.startswith("ultrawork: UNVERIFIED. The agent is blocked:\n    there is no such bug\n")
    assert "no receipt yet" in armed.run("evidence", "list", "--session", SESSION)


def test_blocked_is_heard_in_a_turn_of_talk_too(armed):
    armed.stop("Which of the two do you want?")
    armed.prompt("the first one")
    assert "The agent is blocked:" in armed.stop("BLOCKED: no access")["systemMessage"]


def test_a_claim_in_a_later_turn_that_changed_nothing_is_judged(armed):
    armed.stop("Which of the two do you want?")
    armed.prompt("the first one")
    text = refused(armed.stop(LIE))
    assert text.startswith(
        'ultrawork: sent back (1 of 8). You said "all tests pass", but no file has changed since the start.'
    )
    assert armed.stop(LIE)["systemMessage"] == (
        "ultrawork: UNVERIFIED. No file changed, so no check ran. Run the checks: ulw verify"
    )
    assert "no receipt yet" in armed.run("evidence", "list", "--session", SESSION)


def test_a_claim_after_a_change_of_an_earlier_turn_is_judged(armed):
    armed.idle()
    armed.stop("Which of the two do you want?")
    armed.prompt("the first one")
    assert "test fails" in refused(armed.stop(LIE))


def test_a_claim_before_a_question_is_judged(armed):
    armed.idle()
    assert "test fails" in refused(armed.stop("All tests pass. Do you want me to commit it?"))


def test_saying_red_and_being_red_is_refused_once_at_most(armed):
    armed.spoil()
    assert refused(armed.stop("I could not fix it, one test still fails."))
    told = armed.stop("I could not fix it, one test still fails.")
    assert "The agent itself reports that the checks fail." in told["systemMessage"]


def test_agents_at_work_defer_the_verdict_and_nothing_runs(armed):
    told = armed.stop(LIE, background_tasks=[{"id": "a", "type": "subagent", "status": "running"}])
    assert told == {}
    assert armed.is_on()
    assert "agents still running: 1" in armed.run("why", "--session", SESSION)


SERVER = [{"id": "b", "type": "shell", "status": "running", "command": "npm run dev"}]
CRON = [{"id": "c", "prompt": "look at the logs", "schedule": "0 9 * * *"}]


def test_a_dev_server_and_a_scheduled_job_postpone_nothing_and_are_mentioned(armed):
    armed.idle()
    assert "sent back" in refused(armed.stop(LIE, background_tasks=SERVER, session_crons=CRON))
    armed.fix()
    told = armed.stop(LIE, background_tasks=SERVER, session_crons=CRON)["systemMessage"]
    assert told.startswith("ultrawork: PASS")
    assert told.endswith("\n  Still running: npm run dev, look at the logs")


def test_agents_that_nothing_was_heard_of_for_ten_minutes_postpone_nothing(armed):
    agent = [{"id": "a", "type": "subagent", "status": "running", "description": "reads"}]
    armed.tool("Agent", {"prompt": "read"})
    armed.idle()
    assert armed.stop(LIE, background_tasks=agent) == {}
    age_entries(armed, 601)
    assert "sent back" in refused(armed.stop(LIE, background_tasks=agent))


def age_entries(scene, seconds):
    """What the trace holds happened that much earlier."""
    path = f"{scene.home}/sessions/{SESSION}/trace.jsonl"
    with open(path, encoding="utf-8") as file:
        entries = [json.loads(line) for line in file]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps({**one, "at": one["at"] - seconds}) + "\n" for one in entries)


def test_plan_mode_is_never_refused(armed):
    armed.mode = "plan"
    assert armed.stop(LIE) == {}
    assert armed.is_on()


def test_a_question_passes_while_somebody_is_there(armed):
    assert armed.stop("Which of the two do you want?") == {}
    assert armed.is_on()


def test_a_question_to_nobody_is_sent_back_once(alone):
    alone.prompt(f"ulw {GOAL}")
    told = alone.stop("Which of the two do you want?")
    assert told["hookSpecificOutput"]["additionalContext"] == (
        "ultrawork: no one is here to answer. Take the safer choice, note it, and continue"
    )
    assert "sent back" in refused(alone.stop("Which of the two do you want?"))


def test_a_later_turn_that_changes_nothing_is_talk(armed):
    armed.stop("Which of the two do you want?")
    armed.prompt("what does sorted do?")
    assert armed.stop("It sorts.") == {}
    assert armed.is_on()


def test_what_is_typed_while_the_agent_is_at_work_is_a_later_turn_too(scene):
    """The client puts it under the mark of the prompt that is being worked on."""
    scene.prompt("ulw sort names without regard to case", prompt_id="one")
    scene.prompt("what does sorted do?", prompt_id="one")
    assert scene.stop("It sorts.") == {}
    assert scene.is_on()


@pytest.mark.slow
def test_doing_nothing_after_a_refusal_in_a_later_turn_is_no_talk(armed):
    armed.stop("Which of the two do you want?")
    armed.prompt("the first one")
    armed.edit("book.py", armed.read("book.py").replace("(self.people)", "(list(self.people))"))
    assert "sent back" in refused(armed.stop(LIE))
    assert "sent back" in refused(armed.stop(LIE))
    assert "UNVERIFIED" in armed.stop(LIE)["systemMessage"]


def test_a_turn_that_the_model_scheduled_for_itself_is_no_later_turn(armed):
    armed.tool("ScheduleWakeup", {"prompt": "carry on", "delaySeconds": 60})
    armed.prompt("carry on")
    assert "sent back" in refused(armed.stop("Still done."))


def test_a_goal_that_asks_for_an_answer_ends_without_a_verdict(scene):
    scene.prompt("ulw explain how names are sorted")
    assert scene.stop("By their code points.") == {
        "systemMessage": "ultrawork: off. The goal asks a question, and no file changed. No check ran."
    }
    assert not scene.is_on()
    assert scene.session()["verdict"] is None


def test_a_goal_that_asks_to_run_something_is_the_agents_own_run(scene):
    scene.prompt("ulw run the tests and tell me what fails")
    assert scene.stop("test_sorts fails: 'b' comes before 'A'.") == {
        "systemMessage": "ultrawork: off. No file changed. No check ran."
    }
    scene.prompt("ulw make sure the tests pass")
    assert scene.stop("All tests pass.")["systemMessage"].startswith(
        "ultrawork: UNVERIFIED. No file changed, so no check ran."
    )
    assert "no receipt yet" in scene.run("evidence", "list", "--session", SESSION)


def test_without_a_check_the_verdict_says_what_changed(tmp_path):
    scene = Scene(str(tmp_path), NO_CHECK)
    scene.prompt("ulw number the pages of the report")
    scene.edit("report.py", "for page in range(3):\n    print(page)\n")
    assert scene.stop(LIE)["systemMessage"] == (
        "ultrawork: UNVERIFIED. I found no checks in this project. report.py changed, 3 lines.\n  Add one: ulw gates draft"
    )


def test_a_bent_test_is_refused_by_running_the_original(armed):
    armed.edit("test_book.py", BENT)
    assert "was failing and was changed" in refused(armed.stop("I updated the expectation; all green."))
    assert "UNVERIFIED" in armed.stop("I updated the expectation; all green.")["systemMessage"]


def test_code_that_moved_after_a_green_run_is_checked_again(armed):
    armed.fix()
    armed.tool("Bash", {"command": "ultrawork verify"})
    armed.edit("book.py", sample.BOOK)
    assert "sent back" in refused(armed.stop(LIE))


@pytest.mark.parametrize("where", ["home", "data"])
@pytest.mark.parametrize("how", ["removed", "garbled"])
def test_a_marker_that_is_gone_or_garbled_lets_go_aloud(armed, where, how):
    folder = {"home": armed.home, "data": armed.data}[where]
    if how == "removed":
        os.unlink(f"{folder}/active/{SESSION}")
    else:
        with open(f"{folder}/active/{SESSION}", "w", encoding="utf-8") as file:
            file.write("{{{")
    told = armed.stop(LIE)
    assert told["systemMessage"].startswith(
        "ultrawork: UNVERIFIED. A marker file of this session was removed or damaged."
    )
    assert armed.session()["verdict"] == "UNVERIFIED"
    assert armed.stop(LIE) == {}


def test_a_removed_record_lets_go_aloud(armed):
    with sqlite3.connect(f"{armed.home}/ultrawork.db") as database:
        database.execute("PRAGMA foreign_keys=ON")
        database.execute("DELETE FROM sessions")
    database.close()
    told = armed.stop(LIE)
    assert told["systemMessage"] == "ultrawork: UNVERIFIED. The record of this session is gone."
    assert armed.stop(LIE) == {}


def test_open_items_of_the_agents_own_list_are_held_against_it_once_and_cost_the_pass(armed):
    armed.fix()
    todos = [{"content": "write docs", "status": "pending"}, {"content": "fix", "status": "completed"}]
    armed.tool("TodoWrite", {"todos": todos})
    told = refused(armed.stop(LIE))
    assert "1 item open on your to-do list: write docs" in told
    assert "finish those items or remove them from the list" in told
    told = armed.stop(LIE)
    assert told["systemMessage"].startswith("ultrawork: UNVERIFIED. ")
    assert armed.session()["verdict"] == "UNVERIFIED"
    assert armed.run("evidence", "--session", SESSION).startswith("UNVERIFIED")


@pytest.mark.slow
def test_items_that_were_finished_or_taken_off_are_not_open(armed):
    armed.fix()
    armed.tool("TaskCreate", {"subject": "one"}, tool_response={"task": {"id": "1"}})
    armed.tool("TaskCreate", {"subject": "two"}, tool_response={"task": {"id": "2"}})
    armed.tool("TaskUpdate", {"taskId": "1", "status": "completed"})
    assert "1 item open on your to-do list: two" in refused(armed.stop(LIE))
    armed.tool("TaskUpdate", {"taskId": "2", "status": "deleted"})
    assert "PASS" in armed.stop(LIE)["systemMessage"]


def test_the_clients_own_goal_is_given_way_to(alone, tmp_path):
    record = tmp_path / "transcript.jsonl"
    goal = {"type": "attachment", "attachment": {"type": "goal_status", "met": False}}
    record.write_text('{"type":"user"}\n' + json.dumps(goal) + "\n" + "{half")
    alone.prompt(f"ulw {GOAL}")
    told = alone.stop(LIE, transcript_path=str(record))
    assert told == {
        "systemMessage": "ultrawork: UNVERIFIED. /goal decides when this session ends, so ultrawork turned itself off."
    }
    assert not alone.is_on()


def test_a_goal_that_was_met_decides_nothing(armed, tmp_path):
    record = tmp_path / "transcript.jsonl"
    states = [{"attachment": {"type": "goal_status", "met": met}} for met in (False, True)]
    record.write_text("\n".join(map(json.dumps, states)))
    assert "sent back" in refused(armed.stop(LIE, transcript_path=str(record)))


def test_words_about_a_goal_are_no_goal(armed, tmp_path):
    record = tmp_path / "transcript.jsonl"
    text = json.dumps({"attachment": {"type": "goal_status", "met": False}})
    record.write_text(json.dumps({"message": {"content": text}}))
    assert "sent back" in refused(armed.stop(LIE, transcript_path=str(record)))


def test_another_loop_plugin_is_given_way_to(armed):
    armed.write(".claude/ralph-loop.local.md", "---\nactive: true\n---\n")
    assert "another loop plugin decides" in armed.stop(LIE)["systemMessage"].lower()


def test_a_conversation_that_no_longer_fits_is_let_go(armed):
    told = armed.stop("Prompt is too long")
    assert "no longer fits into the model's context" in told["systemMessage"]


def test_work_outside_the_files_is_said_and_not_refused(armed):
    armed.fix()
    armed.commit()
    scene = armed
    scene.prompt("ulw off")
    scene.prompt("ulw publish the branch")
    scene.tool("Bash", {"command": "git push origin main"})
    told = scene.stop("Pushed.")
    assert not refused(told)
    assert "No file changed; the agent pushed (git push origin main)" in told["systemMessage"]


@pytest.mark.slow
def test_somebody_elses_edits_are_named_and_refused_once_at_most(armed):
    armed.fix()
    other = {"session_id": "0c5d1a52-0000-4000-8000-00000000000b"}
    armed.event("UserPromptSubmit", prompt="ulw change the tests", **other)
    bent = sample.TESTS.replace("3)", "4)")
    for name, text in (("other.py", "x = 1\n"), ("test_book.py", bent)):
        armed.tool("Edit", {"file_path": armed.write(name, text)}, **other)
    text = refused(armed.stop(LIE))
    assert "\n  Someone else changed other.py, test_book.py" in text
    told = armed.stop("Fine.")
    assert "The checks fail, and someone else changed other.py, test_book.py." in told["systemMessage"]


@pytest.mark.slow
def test_what_the_agents_own_shell_moved_or_copied_with_old_times_is_its_own(armed):
    path = armed.write("test_book.py", sample.TESTS.replace("3)", "4)"))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    os.rename(path, f"{armed.place}/test_books.py")
    armed.tool("Bash", {"command": "git mv test_book.py test_books.py"})
    assert "Someone else changed" not in refused(armed.stop(LIE))


def test_after_a_verdict_moved_files_are_mentioned_once(armed):
    armed.fix()
    armed.stop(LIE)
    assert armed.stop("Anything else.") == {}
    armed.write("book.py", sample.BOOK)
    assert armed.stop("Changed.") == {
        "systemMessage": "ultrawork: files changed since PASS, not checked. Check again: ulw verify"
    }
    assert armed.stop("Changed.") == {}


def test_every_decision_is_told_by_why(armed):
    armed.spoil()
    armed.stop(LIE)
    decided, because, change = armed.run("why", "--session", SESSION).splitlines()[:3]
    assert decided.endswith("sent the agent back")
    assert because.startswith("because    make test fails: ")
    assert change == "next       get `test_adds` to pass"


@pytest.mark.parametrize("run", ['["no-such-linter", "."]', '"no-such-linter ."'])
def test_a_linter_that_is_not_installed_is_named_once_and_its_output_left_out(tmp_path, run):
    linted = Scene(str(tmp_path), sample.FILES | {"ultrawork.toml": f"[gates.lint]\nrun = {run}\n"})
    told = linted.prompt(f"ulw {GOAL}")["systemMessage"]
    assert "Done means this passes: `make test`. Turn off" in told
    assert "\n  Cannot run: lint (no-such-linter is not installed)" in told
    linted.spoil()
    said = refused(linted.stop(LIE))
    assert "not found" not in said
    assert "\nnot checked: lint (no-such-linter is not installed)\nNext: " in said


def test_a_stop_of_another_session_is_left_alone(armed):
    other = "5e551040-0000-4000-8000-00000000000f"
    armed.environ["CLAUDE_CODE_SESSION_ID"] = other
    assert armed.stop(LIE, session_id=other) == {}


def test_nothing_green_comes_from_a_gate_that_was_gutted(quick):
    quick.prompt("ulw change the words")
    quick.edit("app.txt", "wrong\n")
    quick.edit("Makefile", "test:\n\t@echo 1 passed\n")
    assert "sent back" in refused(quick.stop(LIE))


def test_the_settings_that_count_are_those_of_the_start(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "wrong\n")
    scene.edit("ultrawork.toml", '[gates]\ntest = "true"\n[stop]\nrefusals = 0\n')
    assert "sent back" in refused(scene.stop(LIE))


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"user_requested": True}, "You ended the turn."),
        ({"stop_reason": "user_cancel"}, "You ended the turn."),
        ({"stop_reason": "context_limit"}, "The conversation no longer fits into the model's context."),
    ],
)  # fmt: skip
def test_an_end_that_the_client_tells_of_is_never_refused(armed, told, why):
    said = armed.stop(LIE, **told)["systemMessage"]
    assert said.startswith(f"ultrawork: UNVERIFIED. {why}")
    assert not armed.is_on()


def test_the_same_refusal_on_other_files_is_not_called_the_same(quick):
    quick.write("ultrawork.toml", "[stop]\ncooldown = 0\n")
    quick.prompt("ulw change the words")
    told = []
    for text in ("wrong\n", "wrong\n", "wrong again\n"):
        quick.edit("app.txt", text)
        told.append("The failure is the same as in the last attempt." in refused(quick.stop(LIE)))
    assert told == [False, True, False]


def test_after_a_red_check_a_question_to_nobody_is_answered_in_the_same_words(alone):
    alone.prompt(f"ulw {GOAL}")
    assert "sent back" in refused(alone.stop(LIE))
    told = alone.stop("Which of the two do you want?")
    assert told["hookSpecificOutput"]["additionalContext"] == (
        "ultrawork: no one is here to answer. Take the safer choice, note it, and continue"
    )


def test_what_an_interrupted_command_wrote_is_the_agents(quick):
    """Of a command that the person stops with Esc nothing is heard after its beginning."""
    quick.prompt("ulw change the words")
    command = {"command": "sed -i s/right/wrong/ app.txt && sleep 600"}
    quick.event("PreToolUse", tool_name="Bash", tool_input=command)
    quick.write("app.txt", "wrong\n")
    quick.prompt("carry on")
    assert "Someone else changed" not in refused(quick.stop(LIE))


def test_a_command_counts_as_interrupted_until_something_else_is_heard():
    begun, ended = {"at": 100.0, "begun": "a"}, {"at": 110.0, "tool": "Bash", "call": "a"}
    turn = {"at": 120.0, "turn": "p"}
    assert facts._list_interrupted([begun, ended, turn]) == []
    assert facts._list_interrupted([begun, turn]) == [(98.0, 122.0)]
    assert facts._list_interrupted([turn, begun]) == [(98.0, float("inf"))]


@pytest.mark.slow
def test_a_fix_that_was_asked_for_its_test_once_ends_as_not_proved(tmp_path):
    """Also at once, on the same files: what was found a moment ago is not held against it again."""
    files = {**sample.FILES, "book.py": sample.BOOK.replace("sorted(self.people)", "sorted(self.people, key=lambda one: one[0].lower())")}  # fmt: skip
    scene = Scene(str(tmp_path / "fix"), files)
    scene.prompt("ulw fix how people are added")
    scene.edit("book.py", files["book.py"].replace("self.people.append((name, city))", "self.people += [(name, city)]"))  # fmt: skip
    assert "add a test that fails without it" in refused(scene.stop("Fixed."))
    told = scene.stop("None can: the difference cannot be seen from outside.")["systemMessage"]
    assert told.startswith("ultrawork: PASS, not proved")


def test_missing_dependencies_are_named_with_the_command_that_installs_them(tmp_path):
    listed = '[project]\nname = "x"\nversion = "1"\ndependencies = ["neverthere"]\n'
    code = "import neverthere\n\n\ndef f():\n    return 1\n"
    test = "import x\n\n\ndef test_f():\n    assert x.f() == 1\n"
    scene = Scene(str(tmp_path), {"pyproject.toml": listed, "x.py": code, "tests/test_x.py": test})
    scene.prompt("ulw make f return 2")
    scene.edit("x.py", code.replace("1", "2"))
    told = scene.stop("Done.")["systemMessage"]
    assert told.startswith("ultrawork: UNVERIFIED.")
    assert "to run    pip install -e . pytest, then ulw verify" in told
