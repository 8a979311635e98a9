"""The forms that scripts rely on, through the real launcher."""

import json
import os


def run(program, line, **options):
    answer = program.run(*line.split(), **options)
    assert answer.status == 0, answer
    return answer


def test_a_script_walks_a_session_from_goal_to_evidence(program):
    begun = run(program, "session new --goal G --session abc-1 --auto --max-workers 2 --json").data
    assert begun["session_id"] == "abc-1"
    assert begun["dir"] == f"{program.home}/sessions/abc-1"
    assert os.path.isdir(begun["dir"])
    with open(f"{program.root}/plan.json", "w", encoding="utf-8") as file:
        task = {"id": "1", "subject": "S", "description": "D", "complexity": "simple", "criteria": ["c"]}
        json.dump({"tasks": [task, {"id": "2", "subject": "T", "blockedBy": ["1"]}]}, file)
    run(program, f"task create --from {program.root}/plan.json")
    claimed = run(program, "task claim --owner W --json").data["task"]
    assert (claimed["id"], claimed["criteria"]) == ("1", ["c"])
    assert run(program, "task claim --owner W --json").data["task"] is None
    run(program, "task update --id 1 --status resolved --add-evidence ran --add-evidence saw")
    assert run(program, "task claim --owner W --id 2 --json").data["task"]["id"] == "2"
    assert run(program, "session get --field phase").out == "PLANNING\n"
    assert run(program, "session get --dir").out == f"{program.home}/sessions/abc-1\n"
    listed = json.loads(run(program, "task list --format json").out)
    assert [(task["id"], task["evidence"]) for task in listed] == [("1", ["ran", "saw"]), ("2", [])]
    run(program, "session set --phase EXECUTION")


def test_a_session_without_a_name_gets_one(program):
    begun = run(program, "session new --goal G --json").data
    assert run(program, "session get --field session_id").out.strip() == begun["session_id"]
