"""Tool calls with features: rules once, failures counted, comments named, plans left alone."""

import os
import shutil
from time import time

import pytest

from support.scene import SESSION
from ultrawork.store.omc import memory, states


def test_rules_come_once_and_again_when_they_change(project, told):
    project.only("rules")
    project.write(".github/instructions/py.instructions.md", "---\napplyTo: '**/*.py'\n---\nUse tabs.\n")
    project.write("src/a.py", "")
    answers = [told(project.tool("Read", project.file("src/a.py"))) for _ in range(2)]
    assert answers[0] == ("Project rules for src/a.py:\n\n.github/instructions/py.instructions.md\nUse tabs.")
    assert answers[1] == ""
    assert told(project.tool("Read", project.file("app.txt"))) == ""
    project.write(".github/instructions/py.instructions.md", "---\napplyTo: '**/*.py'\n---\nUse blanks.\n")
    assert "Use blanks." in told(project.tool("Edit", project.file("src/a.py")))


def test_rules_that_lead_out_of_the_project_are_not_read(project, told, tmp_path):
    project.only("rules")
    secret = tmp_path / "secret.md"
    secret.write_text("---\nalwaysApply: true\n---\nsecret\n")
    os.makedirs(f"{project.place}/.cursor/rules")
    os.symlink(secret, f"{project.place}/.cursor/rules/x.md")
    assert told(project.tool("Read", project.file("app.txt"))) == ""
    assert told(project.tool("Read", {"file_path": str(secret)})) == ""


def fail(project, error="exit 1: boom", command="./x"):
    return project.tool("Bash", {"command": command}, ok=False, error=error)


def test_the_fifth_failure_of_a_kind_is_spoken_of_and_no_other(project, told):
    project.only("errors")
    said = [told(fail(project)) for _ in range(7)]
    assert [bool(one) for one in said] == [False] * 4 + [True] + [False] * 2
    assert "Bash has failed 5 times in the same way" in said[4]
    assert project.state("logs/../state/sessions/" + SESSION + "/last-tool-error.json")["retry_count"] == 7


def test_another_failure_or_a_success_begins_anew(project, told):
    project.only("errors")
    for _ in range(4):
        fail(project)
    fail(project, "another")
    assert told(fail(project)) == ""
    for _ in range(3):
        fail(project)
    project.tool("Bash", {"command": "./ok"}, tool_response={})
    assert told(fail(project)) == ""


def test_the_log_keeps_the_last_hundred(project):
    project.only("errors")
    for number in range(105):
        fail(project, f"error {number}")
    with open(f"{project.place}/.omc/logs/errors.jsonl", encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert (len(lines), "error 104" in lines[-1]) == (100, True)


def test_advice_is_given_once_for_a_kind_of_failure(project, told):
    project.only("recovery")
    error = "String to replace not found in file."
    said = [told(project.tool("Edit", project.file("a"), ok=False, error=error)) for _ in range(2)]
    assert "copy it verbatim" in said[0]
    assert said[1] == ""


def test_an_armed_session_hears_it_once_too_and_nothing_is_written_into_the_project(project, told):
    os.unlink(f"{project.place}/.omc/features")
    project.prompt("ulw change the words")
    shutil.rmtree(f"{project.place}/.omc")
    said = [told(fail(project, "x: command not found", f"./{n}")) for n in range(3)]
    assert [bool(one) for one in said] == [True, False, False]
    assert not os.path.exists(f"{project.place}/.omc")


def test_an_interrupted_call_is_no_failure(project, told):
    answer = project.tool("Bash", {}, ok=False, error="ENOENT", is_interrupt=True)
    assert told(answer) == ""


def test_commands_that_work_are_learned_once(project):
    project.only("memory")
    for command in ("make test", "npm test"):
        project.tool("Bash", {"command": command}, tool_response={"stdout": ""})
    assert memory.read(project.omc)["build"]["testCommand"] == "make test"


def test_a_plan_in_execution_is_ticked_and_not_rewritten(project, denied):
    path = project.write(".omc/plans/p.md", "- [ ] a\n")
    tick = {"file_path": path, "old_string": "- [ ] a", "new_string": "- [x] a"}
    change = {"file_path": path, "old_string": "- [ ] a", "new_string": "- [x] b"}
    assert denied(project.before("Edit", change)) == ""
    states.write(project.omc, "ralph", {"active": True}, session=SESSION, now=time())
    assert denied(project.before("Edit", tick)) == ""
    assert "is being executed" in denied(project.before("Edit", change))
    assert denied(project.before("Edit", project.file("app.txt"))) == ""


@pytest.mark.parametrize("command", ["pkill -9 node", "pgrep -f node", "make"])
def test_other_commands_are_not_spoken_of(project, command, told):
    assert told(project.before("Bash", {"command": command})) == ""


def test_files_that_are_worked_in_are_counted_when_the_session_ends(project):
    for _ in range(2):
        project.tool("Edit", project.file("app.txt"))
        project.tool("Edit", project.file("node_modules/x.js"))
        project.event("SessionEnd", reason="other")
    found = [(one["path"], one["accessCount"]) for one in memory.read(project.omc)["hotPaths"]]
    assert found == [("app.txt", 2)]
