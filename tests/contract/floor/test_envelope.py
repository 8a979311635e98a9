"""The answer with `--json`: one envelope for all verbs. Scripts rely on exactly these keys."""

import os

import pytest

SESSION = {
    "version", "session_id", "kind", "goal", "working_dir", "started_at", "updated_at", "ended_at", "phase",
    "exploration_stage", "iteration", "run", "options", "plan", "verdict", "cancelled_at",
}  # fmt: skip
TASK = {
    "id", "subject", "description", "status", "complexity", "blockedBy", "criteria", "evidence", "files",
    "approach", "test_file", "test_scope", "retry_count", "max_retry", "attempts", "owner", "token", "reason",
    "created_at", "updated_at",
}  # fmt: skip
CONTEXT = {
    "version", "expected_explorers", "exploration_complete", "explorers", "key_files", "patterns", "constraints",
    "scopeExpansion",
}  # fmt: skip

KEYS = {
    "version": {"version"},
    "session new --goal g --session s2": {"dir", *SESSION},
    "session new --resume": {"dir", *SESSION},
    "session get": SESSION,
    "session get --field phase": {"field", "value"},
    "session get --dir": {"path"},
    "session get --file": {"path"},
    "session set --iteration 2": SESSION,
    "session list": {"sessions"},
    "session rebuild": {"rebuilt"},
    "session check": {"ok", "problems"},
    "session import": {"imported", "refused"},
    "session clean": {"removed"},
    "task create --id 9 --subject x": {"session_id", "created", "task"},
    "task create --from {plan}": {"session_id", "created"},
    "task get --id 1": TASK,
    "task get --id 1 --field status": {"field", "value"},
    "task list": {"session_id", "tasks"},
    "task list --format json": {"tasks"},
    "task update --id 1 --status in_progress": {"session_id", "task"},
    "task claim --owner w": {"session_id", "task"},
    "context init --expected a": CONTEXT,
    "context add --id a": CONTEXT,
    "context get": CONTEXT,
    "context get --file": {"path"},
    "config show": {"settings", "gates", "gates_source"},
}


@pytest.fixture
def planned(program):
    program.done("session", "new", "--goal", "g", "--session", "s1")
    program.done("task", "create", "--id", "1", "--subject", "x")
    with open(f"{program.root}/plan.json", "w", encoding="utf-8") as file:
        file.write('{"tasks": [{"id": "7", "subject": "x"}]}')
    return program


@pytest.mark.parametrize("line", KEYS)
def test_a_success_has_these_keys_and_no_others(planned, line):
    words = line.replace("{plan}", f"{planned.root}/plan.json").split()
    answer = planned.done(*words, "--json")
    assert list(answer.envelope) == ["version", "status", "data", "errors"]
    assert answer.envelope["version"] == 1
    assert answer.envelope["status"] == "success"
    assert answer.envelope["errors"] == []
    assert set(answer.data) == KEYS[line]
    assert answer.out.count("\n") == 1


def test_a_task_inside_an_answer_has_the_keys_of_its_file(planned):
    for words in (["claim", "--owner", "w"], ["update", "--id", "1", "--add-evidence", "seen"]):
        assert set(planned.done("task", *words, "--json").data["task"]) == TASK
    assert set(planned.done("task", "list", "--json").data["tasks"][0]) == TASK
    listed = planned.done("session", "list", "--json").data["sessions"]
    assert set(listed[0]) == SESSION | {"summary"}


@pytest.mark.parametrize(
    ("line", "code", "status"),
    [
        ("nothing", "usage", 2),
        ("session get --session nobody", "not-found", 4),
        ("session set --phase COMPLETE", "conflict", 5),
    ],
)
def test_an_error_has_a_code_and_a_message(planned, line, code, status):
    answer = planned.call(*line.split(), "--json")
    assert answer.status == status
    assert list(answer.envelope) == ["version", "status", "data", "errors"]
    assert (answer.envelope["status"], answer.data) == ("error", None)
    (error,) = answer.envelope["errors"]
    assert list(error) == ["code", "message"]
    assert error["code"] == code
    assert "\n" not in error["message"]


def test_trouble_has_a_code_too(program):
    answer = program.call("session", "list", "--json", env={"ULTRAWORK_HOME": "relative"})
    assert answer.status == 6
    assert answer.envelope["errors"][0]["code"] == "trouble"


def test_a_partial_success_keeps_its_data_and_tells_what_is_missing(planned):
    os.rename(f"{planned.home}/sessions/s1", f"{planned.root}/away")
    with open(f"{planned.home}/sessions/s1", "w", encoding="utf-8") as file:
        file.write("in the way")
    answer = planned.call("task", "claim", "--owner", "w", "--json")
    assert answer.status == 0
    assert answer.envelope["status"] == "partial"
    assert answer.data["task"]["id"] == "1"
    assert [error["code"] for error in answer.envelope["errors"]] == ["warning"]
