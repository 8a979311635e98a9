import json
import time

import pytest

from ultrawork.clients.claude.record import is_goal_on, list_scheduled
from ultrawork.clients.codex.record import is_begun_by_hand, read_turn, read_turn_context


def line(**record):
    return json.dumps(record)


def goal(met):
    return line(type="attachment", attachment={"type": "goal_status", "met": met, "condition": "x"})


def call(prompt, tool="CronCreate"):
    block = {"type": "tool_use", "name": tool, "input": {"prompt": prompt}}
    return line(type="assistant", message={"role": "assistant", "content": [block]})


@pytest.mark.parametrize(
    ("lines", "on"),
    [
        ([], False),
        ([goal(False)], True),
        ([goal(False), goal(True)], False),
        ([goal(True), goal(False)], True),
        ([goal(False), '{broken "goal_status"', line(type="user", text='"goal_status"')], True),
        ([line(attachment="goal_status"), line(attachment={"type": "other"})], False),
    ],
)
def test_the_last_note_about_a_goal_counts(tmp_path, lines, on):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines))
    assert is_goal_on(str(path)) is on


@pytest.mark.parametrize("path", ["", "/nowhere/t.jsonl", "/", "/dev/null", "a\0b"])
def test_a_record_that_cannot_be_read_tells_nothing(path):
    assert is_goal_on(path) is False
    assert list(list_scheduled(path)) == []
    assert read_turn_context(path) == {}
    assert is_begun_by_hand(path) is False


@pytest.mark.parametrize(
    ("first", "there"),
    [
        (line(type="session_meta", payload={"source": "cli"}), True),
        (line(type="session_meta", payload={"source": "vscode", "originator": "codex-tui"}), True),
        (line(type="session_meta", payload={"source": "vscode", "originator": "other"}), False),
        (line(type="session_meta", payload={"source": {"subagent": "review"}, "originator": "codex-tui"}), False),
        (line(type="session_meta", payload={"source": "exec"}), False),
        (line(type="session_meta", payload={"source": {"subagent": "review"}}), False),
        (line(type="session_meta", payload="cli"), False),
        (line(type="other", payload={"source": "cli"}), False),
        ("{", False),
        ("[]", False),
    ],
)
def test_the_first_line_says_whether_a_person_began_it(tmp_path, first, there):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join([first, line(type="session_meta", payload={"source": "cli"})]))
    assert is_begun_by_hand(str(path)) is there


def turn(sandbox):
    return line(type="turn_context", payload={"sandbox_policy": sandbox})


@pytest.mark.parametrize(
    ("lines", "free"),
    [
        ([turn({"type": "danger-full-access"})], True),
        ([turn({"type": "read-only"})], False),
        ([turn({"type": "danger-full-access"}), turn({"type": "workspace-write"})], False),
        ([turn({"type": "read-only"}), turn({"type": "danger-full-access"})], True),
        ([turn("danger-full-access")], False),
        ([turn({"type": "read-only"}), line(type="other", text=turn({"type": "danger-full-access"}))], False),
    ],
)  # fmt: skip
def test_the_last_turn_says_whether_commands_are_confined(tmp_path, lines, free):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(lines))
    assert read_turn(read_turn_context(str(path))).is_open is free


def test_what_the_model_scheduled_is_found(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join([call("ulw off "), call("check it", "ScheduleWakeup"), call("x", "Bash")]))
    assert sorted(list_scheduled(str(path))) == ["check it", "ulw off"]


@pytest.mark.slow
def test_a_huge_record_is_read_from_its_end_in_bounded_time(tmp_path):
    path = tmp_path / "t.jsonl"
    with path.open("w") as file:
        file.write(goal(True) + "\n")
        filler = line(type="user", text="x" * 100_000) + "\n"
        for _ in range(1500):
            file.write(filler)
        file.write("y" * 10_000_000 + "\n" + goal(False) + "\n")
        file.write(filler * 50)
    started = time.process_time()
    assert is_goal_on(str(path)) is True
    assert time.process_time() - started < 3
    assert list(list_scheduled(str(path))) == []
    assert time.process_time() - started < 6
