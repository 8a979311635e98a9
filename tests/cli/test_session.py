"""`ultrawork session …` as people and scripts type it."""

import json
import os
import shutil
import sqlite3
import subprocess

import pytest


@pytest.fixture
def begun(program):
    program.done("session", "new", "--goal", "fix the login bug", "--session", "s1")
    return program


def ended_at(program):
    """As the database has it: the second at which it is shown would hide a difference."""
    database = sqlite3.connect(f"{program.home}/ultrawork.db")
    ((value,),) = database.execute("SELECT ended_at FROM sessions")
    database.close()
    return value


def phase(program):
    return program.done("session", "get", "--field", "phase").out.strip()


def test_a_session_begins_with_its_folder_and_its_goal_on_the_last_line(program):
    answer = program.done("session", "new", "--goal", "fix the login bug", "--session", "s1")
    lines = answer.out.splitlines()
    assert lines[0] == "session  s1 begins in PLANNING"
    assert lines[1] == f"folder   {program.home}/sessions/s1"
    assert lines[2].startswith("options  max_")
    assert lines[-1] == "goal     fix the login bug"
    assert sorted(os.listdir(f"{program.home}/sessions/s1")) == [
        "context.json",
        "evidence",
        "exploration",
        "session.json",
        "tasks",
    ]


def test_the_flags_of_the_documents_become_options(program):
    words = "--auto --max-workers 3 --max-iterations 10 --skip-verify --plan-only"
    data = program.done("session", "new", "--goal", "g", *words.split(), "--json").data
    assert data["dir"] == f"{program.home}/sessions/{data['session_id']}"
    assert data["options"] == {
        "max_workers": 3,
        "max_iterations": 10,
        "skip_verify": True,
        "plan_only": True,
        "auto_mode": True,
    }


def test_words_without_a_flag_are_the_goal(program):
    data = program.done("session", "new", "add", "--auto", "tests", "--json").data
    assert data["goal"] == "add tests"


@pytest.mark.parametrize("words", [[], ["--goal", ""], ["--goal", "a\0b"], ["--goal", "x" * 200_000]])
def test_a_goal_is_needed(program, words):
    assert program.call("session", "new", *words).status == 2
    assert not os.path.exists(f"{program.home}/sessions")


@pytest.mark.parametrize("number", ["0", "-1", "many", "1.5", "99999999999"])
def test_a_number_that_makes_no_sense_is_refused(program, number):
    answer = program.call("session", "new", "--goal", "g", "--max-iterations", number)
    assert answer.status == 2
    assert "--max-iterations" in answer.err


@pytest.mark.parametrize("name", ["../x", "a/b", "", "{SESSION_ID}", "$SESSION_ID", "a b", "x" * 129, "a\0b"])
def test_what_is_no_session_id_makes_no_session(program, name):
    assert program.call("session", "new", "--goal", "g", "--session", name).status == 2
    assert program.done("session", "list", "--json").data["sessions"] == []


def test_a_placeholder_is_explained(program):
    answer = program.call("session", "get", "--session", "{SESSION_ID}")
    assert answer.status == 2
    assert "is a placeholder; pass the real session id" in answer.err


def test_the_client_s_own_session_is_the_one_that_is_meant(program):
    mine, others = {"CLAUDE_CODE_SESSION_ID": "mine"}, {"CLAUDE_CODE_SESSION_ID": "unknown"}
    program.call("session", "new", "--goal", "first", env=mine)
    program.done("session", "new", "--goal", "second", "--session", "later")
    assert program.call("session", "get", "--field", "session_id", env=mine).out == "mine\n"
    assert program.call("session", "get", "--field", "session_id", env=others).out == "later\n"


def test_an_active_session_is_not_overwritten(begun):
    refused = begun.call("session", "new", "--goal", "second", "--session", "s1")
    assert refused.status == 5
    assert "session s1 is still active" in refused.err
    begun.done("session", "new", "--goal", "second", "--session", "s1", "--force")
    assert begun.done("session", "get", "--field", "goal").out == "second\n"


def test_a_cancelled_session_is_taken_up_again(begun):
    begun.done("session", "set", "--phase", "CANCELLED")
    begun.done("session", "new", "--resume", "--session", "s1")
    assert phase(begun) == "PLANNING"
    assert begun.done("session", "get", "--field", "cancelled_at").out == "null\n"


def test_the_newest_session_is_taken_up_when_none_is_named(begun):
    begun.done("session", "set", "--plan-approved")
    begun.done("session", "set", "--phase", "CANCELLED")
    assert begun.done("session", "new", "--resume", "--json").data["phase"] == "EXECUTION"


def test_taking_up_what_is_not_there_is_not_found(program):
    assert program.call("session", "new", "--resume").status == 4


@pytest.mark.parametrize(
    ("words", "out"),
    [
        (["--field", "phase"], "PLANNING"),
        (["-f", "goal"], "fix the login bug"),
        (["--field", "options.max_iterations"], "5"),
        (["--field", "options.auto_mode"], "false"),
        (["--field", "plan.approved_at"], "null"),
        (["--field", "plan"], '{"version":1,"created_at":null,"approved_at":null}'),
        (["--dir"], "{home}/sessions/s1"),
        (["--file"], "{home}/sessions/s1/session.json"),
        (["-s", "s", "-d"], "{home}/sessions/s"),
    ],
)
def test_one_thing_about_a_session_is_printed_bare(begun, words, out):
    answer = begun.done("session", "get", *words)
    assert answer.out == out.replace("{home}", begun.home) + "\n"


def test_a_session_is_printed_whole_as_its_file_holds_it(begun):
    printed = begun.done("session", "get").out
    with open(f"{begun.home}/sessions/s1/session.json", encoding="utf-8") as file:
        assert printed == file.read()
    assert json.loads(printed)["session_id"] == "s1"


def test_the_path_of_a_session_file_names_its_session(begun):
    path = begun.done("session", "get", "--file").out.strip()
    assert begun.done("session", "get", "--session", path, "--field", "phase").out == "PLANNING\n"


@pytest.mark.parametrize("field", ["", " ", "nothing", "options.nothing", "options[0]"])
def test_a_field_that_is_not_there_is_refused(begun, field):
    answer = begun.call("session", "get", "--field", field)
    assert answer.status in (2, 4)
    assert answer.out == ""


def test_a_phase_that_cannot_follow_says_which_can(begun):
    refused = begun.call("session", "set", "--phase", "VERIFICATION")
    assert refused.status == 5
    assert refused.err == (
        "ultrawork: PLANNING cannot become VERIFICATION; legal from here: "
        "PLANNING_COMPLETE, EXECUTION, FAILED, CANCELLED\n"
    )
    assert phase(begun) == "PLANNING"


def test_a_phase_that_must_wait_says_what_is_missing(begun):
    refused = begun.call("session", "set", "--phase", "EXECUTION")
    assert refused.status == 5
    assert "the plan is not approved; approve it with --plan-approved" in refused.err
    assert begun.done("session", "set", "--plan-approved", "--phase", "execution").out == (
        "session s1: PLANNING -> EXECUTION\n"
    )


def test_nothing_of_a_refused_call_is_kept(begun):
    words = ["--plan-approved", "--exploration-stage", "complete", "--phase", "COMPLETE"]
    assert begun.call("session", "set", *words).status == 5
    assert begun.done("session", "get", "--field", "plan.approved_at").out == "null\n"
    assert begun.done("session", "get", "--field", "exploration_stage").out == "not_started\n"


def test_verification_waits_for_tasks_that_could_still_run(begun):
    begun.done("task", "create", "--id", "1", "--subject", "x")
    begun.done("task", "create", "--id", "2", "--subject", "y", "--blocked-by", "1")
    begun.done("session", "set", "--plan-approved", "--phase", "EXECUTION")
    refused = begun.call("session", "set", "--phase", "VERIFICATION")
    assert "tasks are not settled: 1" in refused.err
    begun.done("task", "claim", "--owner", "w")
    assert "not settled: 1" in begun.call("session", "set", "--phase", "VERIFICATION").err
    begun.done("task", "update", "--id", "1", "--status", "failed", "--reason", "no")
    begun.done("session", "set", "--phase", "VERIFICATION")


def test_no_flag_makes_a_session_complete(begun):
    begun.done("session", "set", "--plan-approved", "--phase", "EXECUTION")
    begun.done("session", "set", "--phase", "VERIFICATION")
    refused = begun.call("session", "set", "--phase", "COMPLETE")
    assert refused.status == 5
    assert "it needs a PASS verdict" in refused.err
    begun.done("session", "set", "--phase", "DOCUMENTATION")
    assert begun.call("session", "set", "--phase", "COMPLETE").status == 5


def test_a_failed_session_goes_on_as_a_new_run(begun):
    begun.done("session", "set", "--iteration", "4")
    begun.done("session", "set", "--phase", "FAILED")
    assert "--restart" in begun.call("session", "set", "--phase", "EXECUTION").err
    data = begun.done("session", "set", "--restart", "--json").data
    assert (data["phase"], data["run"], data["iteration"]) == ("EXECUTION", 2, 1)
    assert data["ended_at"] is None


def test_saying_the_same_phase_again_changes_nothing(begun):
    begun.done("session", "set", "--phase", "CANCELLED")
    ended = ended_at(begun)
    begun.done("session", "set", "--phase", "CANCELLED")
    assert ended_at(begun) == ended


def test_an_iteration_stays_within_the_limit(begun):
    begun.done("session", "set", "--iteration", "5")
    refused = begun.call("session", "set", "--iteration", "6")
    assert refused.status == 2
    assert "exceeds this session's limit of 5" in refused.err
    assert begun.done("session", "get", "--field", "iteration").out == "5\n"


def test_the_design_comes_from_standard_input_and_lies_in_the_folder(begun):
    begun.done("session", "set", "--design", "-", stdin=b"# Design\n")
    with open(f"{begun.home}/sessions/s1/design.md", encoding="utf-8") as file:
        assert file.read() == "# Design\n"


def test_input_that_is_too_large_is_refused(begun):
    refused = begun.call("session", "set", "--design", "-", stdin=b"x" * 10_000_001)
    assert refused.status == 2
    assert "larger than 10 MB" in refused.err


def test_where_the_design_is_kept_is_recorded(begun):
    begun.done("session", "set", "--design-doc", "docs/plans/design.md")
    assert begun.done("session", "get", "--field", "plan.design_doc").out == "docs/plans/design.md\n"


def test_a_call_that_sets_nothing_is_refused(begun):
    assert begun.call("session", "set").status == 2


def test_quiet_prints_nothing(begun):
    assert begun.done("session", "set", "--exploration-stage", "overview", "--quiet").out == ""


def test_sessions_are_listed_newest_first(begun):
    begun.done("session", "new", "--goal", "another", "--session", "s2")
    lines = begun.done("session", "list").out.splitlines()
    assert lines[0].split() == ["SESSION", "STATE", "WHEN", "SENT", "BACK", "COST", "FOLDER", "GOAL"]
    assert [line.split()[0] for line in lines[1:]] == ["s2", "s1"]


def test_sessions_are_listed_by_place_and_age(begun):
    elsewhere = f"{begun.root}/elsewhere"
    os.makedirs(elsewhere)
    begun.run("session", "new", "--goal", "g", "--session", "away", cwd=elsewhere)
    here = begun.done("session", "list", "--here", "--json").data["sessions"]
    assert [session["session_id"] for session in here] == ["s1"]
    recent = begun.done("session", "list", "--since", "1h", "--json").data["sessions"]
    assert {session["session_id"] for session in recent} == {"s1", "away"}
    assert begun.call("session", "list", "--since", "soon").status == 2


def test_a_list_of_nothing_says_so(program):
    assert program.done("session", "list").out == "no session\n"


def test_lost_files_are_written_again(begun):
    path = f"{begun.home}/sessions/s1/session.json"
    with open(path, encoding="utf-8") as file:
        before = file.read()
    os.unlink(path)
    assert begun.done("session", "rebuild", "--all").out == "rebuilt the files of 1 session\n"
    with open(path, encoding="utf-8") as file:
        assert file.read() == before


def test_a_sound_record_is_said_to_be_sound(begun):
    assert begun.done("session", "check").out == "ok: all events are intact\n"
    assert begun.done("session", "check", "--all", "--json").data == {"ok": True, "problems": {}}


def test_a_changed_event_fails_the_check(begun):
    with sqlite3.connect(f"{begun.home}/ultrawork.db") as database:
        database.execute("UPDATE events SET data='{}'")
    database.close()
    answer = begun.call("session", "check", "--all")
    assert answer.status == 1
    assert answer.out == "s1: event 1 (session.created) was changed after it was written\n"
    assert begun.call("session", "check", "--json").data["ok"] is False


def test_a_folder_that_cannot_be_written_makes_a_partial_answer(begun):
    shutil.rmtree(f"{begun.home}/sessions/s1")
    with open(f"{begun.home}/sessions/s1", "w", encoding="utf-8") as file:
        file.write("in the way")
    answer = begun.call("session", "set", "--exploration-stage", "overview", "--json")
    assert answer.status == 0
    assert answer.envelope["status"] == "partial"
    assert answer.data["exploration_stage"] == "overview"
    (error,) = answer.envelope["errors"]
    assert error["code"] == "warning"
    assert "ultrawork session rebuild" in error["message"]
    answer = begun.call("session", "set", "--exploration-stage", "analyzing")
    assert answer.status == 0
    assert "could not be written" in answer.err


def test_a_linked_session_folder_is_refused(begun):
    folder = f"{begun.home}/sessions/s1"
    os.rename(folder, f"{begun.root}/away")
    os.symlink(f"{begun.root}/away", folder)
    for words in (["set", "--iteration", "2"], ["get", "--dir"], ["clean", "--session", "s1", "--all", "--yes"]):
        answer = begun.call("session", *words)
        assert answer.status == 6
        assert "is a symbolic link" in answer.err
    assert begun.done("session", "get", "--field", "iteration").out == "1\n"
    assert os.path.exists(f"{begun.root}/away/session.json")


def test_ended_sessions_are_removed_with_their_files(begun):
    begun.done("session", "new", "--goal", "g", "--session", "s2")
    begun.done("session", "set", "--session", "s2", "--phase", "CANCELLED")
    assert begun.done("session", "clean", "--json").data == {"removed": []}
    assert begun.done("session", "clean", "--older-than", "0s", "--json").data == {"removed": ["s2"]}
    assert os.listdir(f"{begun.home}/sessions") == ["s1"]
    assert begun.call("session", "get", "--session", "s2").status == 4


def test_ended_sessions_of_any_age_are_removed_when_asked(begun):
    begun.done("session", "set", "--phase", "FAILED")
    assert begun.done("session", "clean", "--completed", "--json").data == {"removed": ["s1"]}


def test_an_active_session_is_removed_only_when_that_is_said(begun):
    refused = begun.call("session", "clean", "--session", "s1")
    assert refused.status == 5
    assert "session s1 is active" in refused.err
    asked = begun.done("session", "clean", "--all")
    assert "fix the login bug" in asked.err
    assert os.listdir(f"{begun.home}/sessions") == ["s1"]
    begun.done("session", "clean", "--all", stdin=b"y\n")
    assert os.listdir(f"{begun.home}/sessions") == []


def test_files_that_cannot_be_removed_are_told(begun):
    folder = f"{begun.home}/sessions/s1/tasks"
    if subprocess.run(["chattr", "+i", folder], capture_output=True, check=False).returncode:
        pytest.skip("only root may make a folder that even it cannot remove")
    try:
        answer = begun.call("session", "clean", "--all", "--yes", "--json")
    finally:
        subprocess.run(["chattr", "-i", folder], check=True)
    assert answer.envelope["status"] == "partial"
    assert answer.data == {"removed": ["s1"]}
    assert "could not be removed" in answer.envelope["errors"][0]["message"]


def test_earlier_sessions_are_taken_in_and_what_is_left_out_is_told(program):
    for name, text in (("old", '{"session_id": "old", "goal": "g"}'), ("bad", "{")):
        os.makedirs(f"{program.root}/before/sessions/{name}")
        with open(f"{program.root}/before/sessions/{name}/session.json", "w", encoding="utf-8") as file:
            file.write(text)
    answer = program.done("session", "import", f"{program.root}/before")
    assert "imported old" in answer.out
    assert "is not JSON" in answer.out
    assert program.done("session", "get", "--session", "old", "--field", "goal").out == "g\n"
    again = program.call("session", "import", f"{program.root}/before", "--json")
    assert again.status == 1
    assert again.data["imported"] == []
    assert len(again.data["refused"]) == 2


def test_a_state_folder_without_earlier_sessions_says_so(program):
    assert program.done("session", "import").out == "found no session of an earlier layout\n"


@pytest.mark.slow
def test_a_damaged_row_is_told_by_doctor_and_cleaned_alone(program):
    for name in ("good", "bad"):
        program.run("session", "new", "--session", name, "--goal", name, "--force")
    database = sqlite3.connect(f"{program.home}/ultrawork.db")
    database.execute("UPDATE sessions SET state='{' WHERE id='bad'")
    database.commit()
    database.close()
    listed = program.run("session", "list", "--json").data["sessions"]
    assert [one["session_id"] for one in listed] == ["good"]
    checks = program.run("doctor", "--json").data["checks"]
    assert "could not read bad" in checks["database"]["mend"]
    assert "MB" in checks["kept"]["value"]
    assert program.run("session", "clean", "--damaged", "--json").data["removed"] == ["bad"]
    assert program.run("session", "check", "--all").status == 0


def test_a_word_to_an_engine_that_is_not_there_is_refused(begun):
    answer = begun.run("session", "ask", "pause")
    assert (answer.status, "no process is running session s1" in answer.err) == (5, True), answer


def test_cleaning_stays_in_this_project(begun, tmp_path):
    begun.done("session", "set", "--phase", "FAILED")
    begun.place = str(tmp_path)
    words = ("session", "clean", "--completed", "--json")
    assert begun.done(*words).data == {"removed": []}
    assert begun.done("clean", "--yes", "--json").data["removed"] == []
    assert begun.done(*words, "--everywhere").data == {"removed": ["s1"]}


def test_clean_lists_what_is_over_and_asks_before_it_goes(begun):
    begun.done("session", "set", "--phase", "FAILED")
    asked = begun.done("clean")
    assert asked.out == "nothing was deleted\n"
    assert "s1  FAILED" in asked.err
    assert begun.done("clean", stdin=b"y\n").out.startswith("removed  s1  FAILED")
    assert os.listdir(f"{begun.home}/sessions") == []


def test_where_no_session_is_the_way_to_one_is_what_people_type(program):
    told = program.run("evidence")
    assert (told.status, 'Start one: ultrawork run "GOAL", or ulw <task> in a client' in told.err) == (4, True)
