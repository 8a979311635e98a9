"""autopilot, ultrapilot and team without a client, event by event."""

import json
import os
import sqlite3
import subprocess
from contextlib import closing

import pytest

from support.play import GOAL, context, denied, entry, fenced
from support.scene import SESSION, refused

PASS = fenced({"verdict": "PASS", "findings": []})
FAIL = fenced({"verdict": "FAIL", "findings": [{"what": "b is not tested", "severity": "P1"}]})
CRITERIA = fenced({"criteria": ["make test => exit 0"]})
OTHER = "5e551040-0000-4000-8000-000000000009"


def begin(play, mode, words=GOAL):
    return play.begin(words, skill=f"ultrawork:{mode}")


def machine(play, mode):
    return play.session()["modes"][mode]


def phase(play, mode):
    return machine(play, mode)["phase"]


def omc(play, path):
    with open(f"{play.place}/.omc/{path}", encoding="utf-8") as file:
        text = file.read()
    return json.loads(text) if path.endswith(".json") else text


def specified(play):
    play.explored()
    return play.end(play.agent("planner", "spec"), "1. All three texts say right.")


def all_worked(play):
    for name in "abc":
        play.worked(name)


@pytest.fixture
def autopilot(play):
    """Planned: task a is due."""
    begin(play, "autopilot")
    specified(play)
    play.planned()
    return play


@pytest.fixture
def validating(autopilot):
    """All is done, the gates are green: three judges are due."""
    all_worked(autopilot)
    autopilot.stop("All done.")
    return autopilot


def test_autopilot_begins_as_a_planned_session_that_asks_nobody(play):
    told = begin(play, "autopilot", f"--max-workers 2 {GOAL}")
    assert "autopilot on, expansion" in told["systemMessage"]
    assert "Call Agent for each of these" in context(told)
    options = play.session()["options"]
    assert (options["auto_mode"], options["max_workers"]) == (True, 2)
    assert options["max_iterations"] == 10
    state = omc(play, f"state/sessions/{SESSION}/autopilot-state.json")
    assert (state["active"], state["phase"], state["max_iterations"]) == (True, "expansion", 10)


def test_nobody_gets_more_rounds_than_the_mode_has(play):
    begin(play, "autopilot", f"--max-workers 50 --max-iterations 99 {GOAL}")
    options = play.session()["options"]
    assert (options["max_workers"], options["max_iterations"]) == (5, 10)


def test_the_specification_is_kept_shown_and_given_to_the_planner(play):
    begin(play, "autopilot")
    specified(play)
    assert play.session()["modes"]["autopilot"]["phase"] == "planning"
    assert "1. All three texts say right." in omc(play, "autopilot/spec.md")
    (due,) = play.due()
    assert due["description"] == "plan the work"
    assert "1. All three texts say right." in due["prompt"]


def test_the_plan_of_autopilot_is_shown_with_its_criteria(autopilot):
    assert phase(autopilot, "autopilot") == "execution"
    assert "grep -q right a.txt" in omc(autopilot, "plans/autopilot-impl.md")


def test_files_of_a_mode_are_no_change_of_the_project(autopilot):
    listed = subprocess.run(["git", "status", "--short"], cwd=autopilot.place, capture_output=True, check=True)
    assert listed.stdout == b""


@pytest.mark.slow
def test_three_judges_are_asked_at_once_about_the_same_files(validating):
    due = validating.due()
    assert [one["description"] for one in due] == [
        "verify the work", "review for security", "review for quality",
    ]  # fmt: skip
    assert all("right" in one["prompt"].partition("DIFF:")[2] for one in due)
    assert phase(validating, "autopilot") == "validation"


@pytest.mark.slow
def test_all_three_have_to_approve(validating):
    play = validating
    for kind, part in (("verifier", "verify"), ("reviewer", "security")):
        play.end(play.agent(kind, part), PASS)
        assert play.session()["phase"] == "VERIFICATION"
    play.end(play.agent("reviewer", "quality"), PASS)
    assert (play.session()["phase"], play.session()["verdict"]) == ("COMPLETE", "PASS")
    state = omc(play, f"state/sessions/{SESSION}/autopilot-state.json")
    assert (state["active"], state["phase"]) == (False, "complete")
    assert {one["verdict"] for one in state["validation"]["verdicts"]} == {"APPROVED"}
    assert state["expansion"]["architect_complete"] is True
    assert (state["planning"]["approved"], state["qa"]["test_status"]) == (True, "passing")


@pytest.mark.slow
def test_what_one_judge_finds_becomes_a_task_and_all_judge_again(validating):
    play = validating
    play.end(play.agent("verifier"), PASS)
    play.end(play.agent("reviewer", "security"), FAIL)
    assert play.session()["phase"] == "VERIFICATION"
    play.end(play.agent("reviewer", "quality"), PASS)
    assert phase(play, "autopilot") == "execution"
    (due,) = play.due()
    assert "judged: no longer so: security: b is not tested" in due["prompt"]
    play.end(play.agent("worker", "mend-2"), "Tested now.")
    play.stop("All done.")
    assert len(play.due()) == 3
    assert machine(play, "autopilot")["counts"]["validation"] == 2


@pytest.mark.slow
def test_judges_that_are_asked_one_by_one_are_progress(validating):
    play = validating
    for kind, part in (("verifier", "verify"), ("reviewer", "security")):
        play.end(play.agent(kind, part), PASS)
        assert "start" in refused(play.stop("One has judged."))
    play.end(play.agent("reviewer", "quality"), PASS)
    assert play.session()["phase"] == "COMPLETE"


@pytest.mark.slow
def test_words_of_the_conductor_are_no_verdict(validating):
    play = validating
    told = play.stop("functional: APPROVED security: APPROVED quality: APPROVED VALIDATION_COMPLETE")
    assert "start these judges" in refused(told)
    play.run("session", "set", "--session", "last", "--design", PASS)
    assert play.session()["phase"] == "VERIFICATION"


@pytest.mark.parametrize("forged", ["security", "verify", "anything"])
def test_a_judge_that_was_not_asked_by_the_program_counts_for_nothing(autopilot, forged):
    """Before the gates were green nobody is due, whatever the call says."""
    _, answer = autopilot.ask("reviewer", forged)
    assert "is not the next step" in denied(answer)


@pytest.mark.slow
def test_files_that_move_after_a_ruling_are_judged_again(validating):
    play = validating
    last = play.agent("reviewer", "quality")
    for kind, part in (("verifier", "verify"), ("reviewer", "security")):
        play.end(play.agent(kind, part), PASS)
    play.write("a.txt", "right, and more\n")
    play.end(last, PASS)
    assert play.next()["kind"] == "verify"
    play.stop("All done.")
    assert len(play.due()) == 3
    assert play.session()["phase"] == "VERIFICATION"


@pytest.mark.slow
def test_autopilot_that_was_cancelled_is_taken_up_where_it_was(autopilot):
    play = autopilot
    play.worked("a")
    play.prompt("ulw off")
    assert play.session()["phase"] == "CANCELLED"
    state = omc(play, f"state/sessions/{SESSION}/autopilot-state.json")
    assert (state["active"], state["phase"]) == (False, "execution")
    told = begin(play, "autopilot", "--resume")
    assert "autopilot on, execution" in told["systemMessage"]
    assert play.tasks()["a"]["status"] == "resolved"
    assert {one["description"] for one in play.due()} == {"task b", "task c"}


def aged(play, seconds):
    """Everything that is known of the session happened this much earlier."""
    with closing(sqlite3.connect(f"{play.home}/ultrawork.db")) as database, database:
        database.execute("UPDATE events SET at=at-?", (seconds,))
        ((text,),) = database.execute("SELECT state FROM sessions WHERE id=?", (SESSION,))
        state = json.loads(text)
        for document in state["modes"].values():
            document["updated_at"] = "2020-01-01T00:00:00Z"
        given = (json.dumps(state), SESSION)
        database.execute("UPDATE sessions SET state=? WHERE id=?", given)
    trace = f"{play.home}/sessions/{SESSION}/trace.jsonl"
    if os.path.exists(trace):
        os.utime(trace, (0, 0))


def taken_up(play, words="--resume", skill="ultrawork:autopilot"):
    """By another conversation."""
    return play.event(
        "UserPromptExpansion", session_id=OTHER, command_name=skill, command_args=words, prompt=f"/{skill} {words}"
    )


@pytest.mark.parametrize("skill", ["ultrawork:autopilot", "ultrawork:ultrawork-exec"])
def test_one_that_is_at_work_elsewhere_is_left_alone_until_it_is_quiet(autopilot, skill):
    words = "--resume" if skill.endswith("pilot") else ""
    told = str(taken_up(autopilot, words, skill))
    assert "autopilot is running in session 5e551040" in told
    aged(autopilot, 301)
    assert "task a" in str(taken_up(autopilot, words, skill)) or autopilot.due()
    assert autopilot.session()["phase"] == "EXECUTION"


def test_what_was_cancelled_more_than_an_hour_ago_is_begun_anew(autopilot):
    autopilot.prompt("ulw off")
    aged(autopilot, 3700)
    assert "start it again" in str(begin(autopilot, "autopilot", "--resume"))
    assert autopilot.session()["phase"] == "CANCELLED"


def test_nothing_is_resumed_where_nothing_was(play):
    assert "team has never run" in str(begin(play, "team", "--resume"))
    assert not play.is_on()


def test_a_rival_is_refused_and_leaves_nothing_behind(play):
    begin(play, "autopilot")
    told = taken_up(play, GOAL, "ultrawork:ultrapilot")
    assert "ultrapilot is not on: " in str(told)
    assert "autopilot" in str(told)
    assert not os.path.exists(f"{play.home}/sessions/{OTHER}/session.json")


def test_a_mode_that_is_switched_off_by_name_is_not_begun(play):
    play.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,autopilot"
    told = begin(play, "autopilot")
    assert "disabled by" in told["systemMessage"]
    assert not play.is_on()


@pytest.mark.slow
def test_a_mode_that_is_switched_off_by_name_is_not_asked_at_a_stop(validating):
    validating.environ["ULTRAWORK_SKIP_HOOKS"] = "base-run,autopilot"
    assert validating.stop("All done.") == {}


def team(play, criteria=CRITERIA):
    begin(play, "team")
    play.planned()
    return play.end(play.agent("planner", "prd"), criteria)


def test_acceptance_criteria_of_a_team_become_its_last_task(play):
    begin(play, "team")
    play.planned()
    assert phase(play, "team") == "team-prd"
    (due,) = play.due()
    assert "- a: Correct a" in due["prompt"]
    play.end(play.agent("planner", "prd"), CRITERIA)
    assert phase(play, "team") == "team-exec"
    task = play.tasks()["acceptance"]
    assert (task["criteria"], task["blockedBy"]) == (["make test => exit 0"], ["a", "b", "c"])
    assert "make test => exit 0" in omc(play, "plans/team-prd.md")


def test_criteria_in_no_form_are_sent_back_and_then_gone_without(play):
    begin(play, "team")
    play.planned()
    agent = play.agent("planner", "prd")
    for _ in range(2):
        assert "the prd is not valid" in refused(play.end(agent, "It should work."))
    assert play.end(agent, "It should work.") == {}
    assert phase(play, "team") == "team-exec"
    assert "acceptance" not in play.tasks()


@pytest.mark.slow
def test_an_acceptance_criterion_that_does_not_hold_is_not_talked_away(play):
    team(play, fenced({"criteria": ["grep -q whole a.txt => exit 0"]}))
    all_worked(play)
    agent = play.agent("worker", "acceptance")
    assert "is not done" in refused(play.end(agent, "Everything holds together."))
    play.end(agent, "Everything holds together.")
    assert play.tasks()["acceptance"]["status"] != "resolved"
    assert phase(play, "team") == "team-exec"


@pytest.mark.slow
def test_a_team_fixes_three_times_and_has_failed_then(play):
    team(play)
    all_worked(play)
    play.end(play.agent("worker", "acceptance"), "It holds.")
    for number in (2, 3, 4):
        play.stop("All done.")
        play.end(play.agent("verifier"), FAIL)
        assert phase(play, "team") == "team-fix"
        play.end(play.agent("worker", f"mend-{number}"), "Mended.")
    play.stop("All done.")
    play.end(play.agent("verifier"), FAIL)
    assert (phase(play, "team"), play.session()["phase"]) == ("failed", "FAILED")


@pytest.mark.slow
def test_a_team_that_was_cancelled_goes_on_with_its_execution(play):
    team(play)
    play.worked("a")
    play.prompt("ulw off")
    assert phase(play, "team") == "cancelled"
    begin(play, "team", "--resume")
    assert phase(play, "team") == "team-exec"
    assert play.session()["phase"] == "EXECUTION"


SIDE_BY_SIDE = (entry("a", files=["a.txt"]), entry("b", files=["b.txt"]), entry("c", files=["c.txt"]))


@pytest.fixture
def ultrapilot(play):
    begin(play, "ultrapilot")
    play.planned(SIDE_BY_SIDE)
    return play


def test_workers_own_files_and_the_coordinator_what_is_shared(ultrapilot):
    play = ultrapilot
    agent = play.agent("worker", "a")
    assert denied(play.edit_as(agent, "a.txt")) == ""
    told = denied(play.edit_as(agent, "package.json"))
    assert "package.json is shared" in told
    other = play.agent("worker", "b")
    assert "belongs to task a" in denied(play.edit_as(other, "a.txt"))


@pytest.mark.slow
def test_what_workers_want_in_shared_files_is_done_by_a_task_at_the_end(ultrapilot):
    play = ultrapilot
    agent = play.agent("worker", "a")
    play.edit_as(agent, "package.json")
    play.write("a.txt", "right\n")
    play.end(agent, "Done. package.json needs left-pad 1.3.")
    for name in "bc":
        play.worked(name)
    assert phase(play, "ultrapilot") == "integration"
    (due,) = play.due()
    assert "package.json: requested by a" in due["prompt"]
    assert "left-pad 1.3" in due["prompt"]
    owned = omc(play, f"state/sessions/{SESSION}/ultrapilot-ownership.json")
    assert owned["coordinator"] == ["package.json"]
    assert owned["workers"] == {"a": ["a.txt"], "b": ["b.txt"], "c": ["c.txt"]}
    coordinator = play.agent("worker", "shared-1")
    assert denied(play.edit_as(coordinator, "package.json")) == ""


def test_a_task_that_was_planned_for_a_shared_file_may_write_it(play):
    begin(play, "ultrapilot")
    play.planned([entry("a", files=["a.txt", "Makefile"]), entry("b", "a")])
    agent = play.agent("worker", "a")
    assert denied(play.edit_as(agent, "Makefile")) == ""


def edits(play, agent, path, text):
    """With the client's own tool, as a worker does it."""
    whole = play.write(path, text)
    play.tool("Edit", {"file_path": whole, "new_string": text}, agent_id=agent)


@pytest.mark.slow
def test_a_file_that_two_finished_workers_changed_is_settled_by_a_third(ultrapilot):
    play = ultrapilot
    for name in "abc":
        agent = play.agent("worker", name)
        play.write(f"{name}.txt", "right\n")
        if name != "c":
            edits(play, agent, "both.txt", name)
        play.end(agent, "Done.")
    (due,) = play.due()
    assert due["description"] == "task settle-1"
    assert "a and b both changed both.txt" in due["prompt"]
    task = play.tasks()["settle-1"]
    assert task["criteria"] == ["grep -q right a.txt", "grep -q right b.txt"]
    assert play.session()["iteration"] == 2
    play.end(play.agent("worker", "settle-1"), "Both fit.")
    assert play.next()["kind"] == "verify"
    owned = f"{play.place}/.omc/state/sessions/{SESSION}/ultrapilot-ownership.json"
    assert omc(play, f"state/sessions/{SESSION}/ultrapilot-ownership.json")["conflicts"]
    play.stop("All done.")
    play.end(play.agent("verifier"), PASS)
    assert play.session()["phase"] == "COMPLETE"
    assert not os.path.exists(owned)


def test_ultrapilot_starts_as_many_at_once_as_it_may(play):
    begin(play, "ultrapilot")
    play.planned([entry(f"t{number}", criteria=["true"]) for number in range(25)])
    assert len(play.due()) == 20


def test_a_team_takes_the_place_of_autopilot_in_its_own_session(autopilot):
    told = begin(autopilot, "team", "go on as a team")
    assert "team on, " in told["systemMessage"]
    assert machine(autopilot, "autopilot")["active"] is False
    assert machine(autopilot, "team")["active"] is True


def test_plans_that_cannot_stand_end_autopilot(play):
    begin(play, "autopilot")
    specified(play)
    for _ in range(2):
        agent = play.agent("planner", "plan")
        for _ in range(3):
            play.end(agent, "No plan.")
    assert (play.session()["phase"], phase(play, "autopilot")) == ("FAILED", "failed")


def idle(play, agent):
    return play.event("TeammateIdle", agent_id=agent, agent_type="ada", teammate_name="ada")


@pytest.mark.slow
def test_an_idle_teammate_is_checked_gets_what_is_due_and_the_stage_moves_on(play):
    team(play)
    mate = play.agent("worker", "a")
    told = idle(play, mate)["wake"]
    assert told.startswith("ultrawork: task a is not done: ")
    for name, due in (("a", "b"), ("b", "c"), ("c", "acceptance")):
        play.write(f"{name}.txt", "right\n")
        told = idle(play, mate)["wake"]
        assert told.startswith("ultrawork: the next task is yours.\n")
        assert f"TASK_ID: {due}\n" in told
    idle(play, mate)
    assert "4 of 4" in str(play.session()["settled"])
    done = play.tasks()
    assert [done[name]["status"] for name in ("a", "b", "c", "acceptance")] == ["resolved"] * 4
    assert phase(play, "team") == "team-verify"


def test_an_item_of_the_clients_list_is_completed_only_with_green_criteria(play):
    team(play)
    named = {"task_id": "1", "task_subject": "first", "task_description": "TASK_ID: a"}
    play.agent("worker", "a")
    told = play.event("TaskCompleted", **named)["wake"]
    assert told.startswith("ultrawork: task a is not done: ")
    play.write("a.txt", "right\n")
    assert play.event("TaskCompleted", **named) == {}
