"""Who may edit in a planned session, and what a person may ask for otherwise."""

import json

import pytest

from support.play import FILES, GOAL, Play, context, denied, fenced

TOOLS = [("Edit", "file_path"), ("Write", "file_path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")]


def at_level(tmp_path, level):
    play = Play(str(tmp_path), {**FILES, "ultrawork.toml": f'[delegation]\nlevel = "{level}"\n'})
    play.begin()
    play.planned()
    return play


@pytest.mark.parametrize(("tool", "key"), TOOLS)
def test_the_orchestrator_does_not_edit_during_execution(executing, tool, key):
    assert "Start ultrawork:worker" in denied(executing.edit_as("", "a.txt", tool, key))


@pytest.mark.parametrize(("tool", "key"), TOOLS)
def test_nothing_is_edited_before_the_plan_is_approved(play, tool, key):
    play.begin(GOAL)
    assert "before the plan is approved" in denied(play.edit_as("", "a.txt", tool, key))


def patch_as(play, agent, *paths):
    """A patch as Codex tells of it."""
    lines = "".join(f"*** Update File: {path}\n@@\n-wrong\n+right\n" for path in paths)
    told = {**play.as_codex(), **({"agent_id": agent} if agent else {})}
    given = {"command": f"*** Begin Patch\n{lines}*** End Patch\n"}
    return denied(play.event("PreToolUse", tool_name="apply_patch", tool_input=given, **told))


def test_a_patch_is_an_edit_of_all_its_files(executing):
    assert "Start ultrawork:worker" in patch_as(executing, "", "a.txt")
    executing.worked("a")
    first, second = executing.agent("worker", "b"), executing.agent("worker", "c")
    assert patch_as(executing, first, "b.txt", "shared.txt") == ""
    assert "shared.txt belongs to task b" in patch_as(executing, second, "c.txt", "shared.txt")


@pytest.mark.parametrize("name", ["design.md", "docs/plans/2026-01-01-texts-design.md"])
def test_a_copy_of_the_design_may_be_written_while_planning(play, name):
    play.begin(GOAL)
    assert denied(play.edit_as("", name, "Write")) == ""


def test_files_outside_the_project_are_nobodys_task(executing, tmp_path):
    assert denied(executing.edit_as("", str(tmp_path / "notes.md"), "Write")) == ""


def test_a_worker_edits(executing):
    assert executing.edit_as(executing.agent("worker", "a"), "a.txt") == {}


def test_a_subagent_without_a_task_counts_as_the_orchestrator(executing):
    assert "Start ultrawork:worker" in denied(executing.edit_as("stranger", "a.txt"))


def test_nothing_is_edited_during_verification(executing):
    for name in "abc":
        executing.worked(name)
    executing.stop()
    assert executing.session()["phase"] == "VERIFICATION"
    assert "during verification" in denied(executing.edit_as("", "a.txt"))


@pytest.mark.parametrize("tool", ["Edit", "NotebookEdit"])
def test_a_file_that_one_task_holds_is_denied_to_another_with_its_holder(executing, tool):
    key = "notebook_path" if tool == "NotebookEdit" else "file_path"
    executing.worked("a")
    first, second = executing.agent("worker", "b"), executing.agent("worker", "c")
    assert executing.edit_as(first, "shared.txt", tool, key) == {}
    assert "belongs to task b" in denied(executing.edit_as(second, "shared.txt", tool, key))
    executing.write("b.txt", "right\n")
    executing.end(first, "Done.")
    assert executing.edit_as(second, "shared.txt", tool, key) == {}


def test_a_warning_lets_the_edit_pass_and_tells_the_model(tmp_path):
    answer = at_level(tmp_path, "warn").edit_as("", "a.txt")
    assert denied(answer) == ""
    assert "Start ultrawork:worker" in context(answer)


def test_switched_off_nothing_is_said(tmp_path):
    assert at_level(tmp_path, "off").edit_as("", "a.txt") == {}


def test_an_unknown_level_begins_nothing(tmp_path):
    play = Play(str(tmp_path), {**FILES, "ultrawork.toml": '[delegation]\nlevel = "soft"\n'})
    assert "strict" in str(play.begin())
    assert not play.is_on()


def test_a_level_that_is_changed_later_counts_from_the_next_session(executing):
    executing.write("ultrawork.toml", '[delegation]\nlevel = "off"\n')
    executing.worked("a")
    assert denied(executing.edit_as("", "b.txt"))


@pytest.mark.parametrize("words", ["Run this directly.", "please execute without agents", "이건 직접 실행해줘"])
def test_a_person_who_asks_for_direct_execution_gets_it(executing, words):
    told = executing.prompt(words)
    assert told["systemMessage"] == "ultrawork: you may do the tasks without workers, as the user asked."
    assert executing.edit_as("", "a.txt") == {}
    executing.worked("a")
    assert executing.edit_as("", "b.txt") == {}


def test_the_goal_may_ask_for_it_as_well(play):
    play.begin(f"--auto {GOAL}, without agents")
    play.planned()
    assert play.edit_as("", "a.txt") == {}


@pytest.mark.parametrize(
    "data",
    [
        {"prompt": "<task-notification>run this directly</task-notification>"},
        {"prompt": "run this directly", "agent_id": "agent-1"},
        {"prompt": "do not run this directly"},
        {"prompt": "go on"},
    ],
)
def test_nobody_else_can_ask_for_it(executing, data):
    executing.event("UserPromptSubmit", **data)
    assert denied(executing.edit_as("", "a.txt"))


def test_leases_hold_when_delegation_is_off(tmp_path):
    play = at_level(tmp_path, "off")
    play.worked("a")
    first, second = play.agent("worker", "b"), play.agent("worker", "c")
    play.edit_as(first, "shared.txt")
    assert "belongs to task b" in denied(play.edit_as(second, "shared.txt"))


def test_who_asked_for_direct_execution_sees_the_main_agent_resolve_tasks_by_their_criteria(executing):
    told = executing.prompt("Run this directly.")
    assert "ultrawork task check" in context(told)
    assert "grep -q right a.txt" in context(told)
    check = ("task", "check", "--session", "last", "--json", "--id")
    red = json.loads(executing.run(*check, "a"))["data"]
    assert red["resolved"] is False
    executing.write("a.txt", "right\n")
    assert json.loads(executing.run(*check, "a"))["data"]["resolved"] is True
    task = executing.tasks()["a"]
    assert task["status"] == "resolved"
    assert "the main agent did it, as you asked" in task["evidence"]
    for name in "bc":
        executing.write(f"{name}.txt", "right\n")
        executing.run(*check, name)
    executing.stop("Done.")
    executing.end(executing.agent("verifier"), fenced({"verdict": "PASS", "findings": []}))
    executing.stop("Done.")
    assert executing.session()["verdict"] == "PASS"


def test_without_that_word_a_check_resolves_nothing(executing):
    executing.write("a.txt", "right\n")
    executing.run("task", "check", "--session", "last", "--id", "a")
    assert executing.tasks()["a"]["status"] == "pending"


def run_as(play, agent, command):
    data = {"agent_id": agent} if agent else {}
    return play.event("PreToolUse", tool_name="Bash", tool_input={"command": command}, **data)


@pytest.mark.parametrize(
    "command", ["echo right > a.txt", "cat >> a.txt <<'E'\nx\nE", "sed -i s/wrong/right/ a.txt", "echo x | tee a.txt"]
)
def test_what_the_main_agent_plainly_writes_through_the_shell_is_denied_too(executing, command):
    assert "does not edit" in denied(run_as(executing, "", command))
    agent = executing.agent("worker", "a")
    assert run_as(executing, agent, command) == {}


@pytest.mark.parametrize(
    "command",
    [
        "make test 2>&1 | tail",
        "grep '>' a.txt",
        'echo "a > b"',
        "ls > /dev/null",
        "cd /somewhere/else && echo x > a.txt",
        "make > /tmp/log",
        "make 2> err",
    ],
)
def test_commands_that_write_none_of_the_files_are_left_alone(executing, command):
    assert run_as(executing, "", command) == {}


def test_what_agents_do_the_main_agent_does_not_do_in_their_place(play):
    play.begin()
    told = denied(run_as(play, "", "ultrawork context add --id exp-1 --summary x"))
    assert "explorer reports" in told
    play.explored()
    assert "planner writes the plan" in denied(run_as(play, "", "/x/bin/ultrawork task create --from p"))


def test_in_a_planning_with_the_person_the_main_agent_stores_the_plan(play):
    play.begin(GOAL)
    play.explored()
    assert run_as(play, "", "ultrawork task create --session last --from -") == {}
