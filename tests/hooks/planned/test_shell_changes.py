"""What agents write through the shell is found, written down with their task, and said once."""

import json
import os
import time

import pytest

from support.play import context, entry

PLAN = (entry("a", files=["a.txt"]), entry("b", files=["b.txt"]), entry("c"))


@pytest.fixture
def two(play):
    """Tasks a and b are running."""
    play.begin()
    play.planned(PLAN)
    return play, play.agent("worker", "a"), play.agent("worker", "b")


def shell(play, agent, path, text="right\n"):
    """A command of this agent that writes a file; the moment before it belongs to nobody."""
    time.sleep(0.02)
    play.write(path, text)
    return told(play, agent, path)


def told(play, agent, words):
    given = {"command": f"write {words}"}
    data = {"agent_id": agent} if agent else {}
    return play.event("PostToolUse", tool_name="Bash", tool_input=given, duration_ms=5, **data)


def shells(task):
    return [one for one in task["evidence"] if isinstance(one, dict) and one["type"] == "shell"]


def test_a_worker_that_writes_its_own_file_has_it_in_its_record_and_nothing_is_said(two):
    play, a, _ = two
    shell(play, a, "a.txt")
    assert play.end(a, "Done.") == {}
    assert play.notified["systemMessage"].splitlines()[0] == "ultrawork: a resolved (1 of 3)"
    (found,) = shells(play.tasks()["a"])
    assert (found["files"], found["wrong"]) == (["a.txt"], [])
    assert play.tasks()["a"]["status"] == "resolved"


def test_a_file_of_another_running_task_is_said_to_the_person_and_once_to_the_model(two):
    play, a, _ = two
    shell(play, a, "a.txt")
    shell(play, a, "b.txt", "wronger\n")
    play.end(a, "Done.")
    line = "task a changed b.txt through the shell: the file belongs to task b"
    shown = play.notified["systemMessage"].splitlines()
    assert shown[:2] == [f"ultrawork: {line}.", "ultrawork: a resolved (1 of 3)"]
    assert f"Note: {line}." in context(play.notified)
    again = play.event("UserPromptSubmit", prompt="<task-notification>a</task-notification>")
    assert "Note:" not in context(again)
    assert shells(play.tasks()["a"])[0]["wrong"] == [line]


def test_a_file_outside_the_planned_ones_is_said(two):
    play, a, _ = two
    shell(play, a, "a.txt")
    shell(play, a, "d.txt")
    play.end(a, "Done.")
    line = "ultrawork: task a changed d.txt through the shell: the file is not one of its own."
    assert line in play.notified["systemMessage"].splitlines()


def test_status_and_report_show_it(two):
    play, a, _ = two
    shell(play, a, "a.txt")
    shell(play, a, "b.txt", "wronger\n")
    play.end(a, "Done.")
    line = "task a changed b.txt through the shell: the file belongs to task b"
    assert line in play.run("status", "--session", "last")
    assert line in play.run("report", "--session", "last")
    assert json.loads(play.run("status", "--session", "last", "--json"))["data"]["shell"] == [line]


def test_each_has_what_it_wrote_itself(two):
    """b ends first, while a has written too."""
    play, a, b = two
    shell(play, a, "a.txt")
    shell(play, b, "b.txt")
    play.end(b, "Done.")
    assert "ultrawork: b resolved (1 of 3)" in play.notified["systemMessage"]
    play.end(a, "Done.")
    assert "ultrawork: a resolved (2 of 3)" in play.notified["systemMessage"]
    tasks = play.tasks()
    assert [shells(tasks[name])[0]["files"] for name in "ab"] == [["a.txt"], ["b.txt"]]


def test_what_an_edit_tool_wrote_is_no_change_through_the_shell(two):
    play, a, _ = two
    path = play.write("a.txt", "right\n")
    play.tool("Write", {"file_path": path, "content": "right\n"}, agent_id=a)
    told(play, a, "nothing")
    play.end(a, "Done.")
    assert shells(play.tasks()["a"]) == []


def test_what_somebody_else_wrote_is_nobodys(two):
    """No agent ran a command then: a person with an editor."""
    play, a, _ = two
    shell(play, a, "a.txt")
    time.sleep(0.02)
    play.write("c.txt", "by hand\n")
    play.end(a, "Done.")
    assert all("c.txt" not in str(shells(task)) for task in play.tasks().values())


def test_the_orchestrator_is_named_too(two):
    play, a, _ = two
    shell(play, "", "c.txt")
    play.end(a, "Done.")
    assert "the orchestrator changed c.txt through the shell" in str(play.session()["settled"])


def test_who_asked_for_direct_execution_hears_nothing_of_it(two):
    play, a, _ = two
    play.prompt("do it directly")
    shell(play, "", "c.txt")
    assert "c.txt" not in str(play.end(a, "BLOCKED: no"))


def test_an_agent_of_no_task_counts_as_the_orchestrator(two):
    play, a, _ = two
    shell(play, "stranger", "c.txt")
    play.end(a, "Done.")
    assert "the orchestrator changed c.txt" in str(play.session()["settled"])


def test_a_removed_file_is_found(two):
    play, a, _ = two
    shell(play, a, "a.txt")
    os.unlink(f"{play.place}/b.txt")
    told(play, a, "rm b.txt")
    play.end(a, "Done.")
    assert "task a changed b.txt through the shell: the file belongs to task b" in str(play.notified)


def test_it_is_found_at_the_end_of_a_turn_as_well(two):
    play, _, _ = two
    shell(play, "", "c.txt")
    running = [{"type": "subagent", "id": "x"}]
    assert "the orchestrator changed c.txt" in str(play.stop("Done.", background_tasks=running))


def test_planned_files_are_held_from_the_claim_on(two):
    play, _, b = two
    answer = play.edit_as(b, "a.txt")
    assert "a.txt belongs to task a" in str(answer)


def test_what_a_command_has_written_that_still_runs_is_put_down_to_it_when_it_has_ended(two):
    play, a, b = two
    play.write("b.txt", "right\n")
    play.end(a, "BLOCKED: nothing to do")
    assert shells(play.tasks()["b"]) == []
    told(play, b, "b.txt")
    play.end(b, "Done.")
    assert [one["files"] for one in shells(play.tasks()["b"])] == [["b.txt"]]
