"""`ultrawork task …` as people and scripts type it."""

import json

import pytest


@pytest.fixture
def begun(program):
    program.done("session", "new", "--goal", "g", "--session", "s1")
    return program


@pytest.fixture
def planned(begun):
    """1 and 2 are free, 3 waits for both."""
    begun.done("task", "create", "--id", "1", "--subject", "one")
    begun.done("task", "create", "--id", "2", "--subject", "two", "--complexity", "complex")
    begun.done("task", "create", "--id", "3", "--subject", "three", "--blocked-by", "1,2")
    return begun


def plan_file(program, plan):
    path = f"{program.root}/plan.json"
    with open(path, "w", encoding="utf-8") as file:
        file.write(plan if isinstance(plan, str) else json.dumps(plan))
    return path


def field(program, name, path):
    return program.done("task", "get", "--id", name, "--field", path).out.removesuffix("\n")


def test_a_task_is_made_from_flags(begun):
    words = [
        "--id", "1", "--subject", "Add the form", "--description", "all of it", "--complexity", "simple",
        "--criteria", " npm test is green | | the page loads ", "--files", "a.ts, b.ts",
        "--approach", "tdd", "--test-file", "form.test.ts", "--test-scope", "form",
    ]  # fmt: skip
    answer = begun.done("task", "create", *words)
    assert answer.out == "task 1: Add the form\n"
    task = begun.done("task", "get", "--id", "1", "--json").data
    assert task["criteria"] == ["npm test is green", "the page loads"]
    assert task["files"] == ["a.ts", "b.ts"]
    assert (task["complexity"], task["approach"]) == ("simple", "tdd")
    assert (task["test_file"], task["test_scope"]) == ("form.test.ts", "form")
    assert (task["description"], task["status"]) == ("all of it", "pending")


@pytest.mark.parametrize(
    "words", [["-i", "1", "-S", "x"], ["--task", "1", "--subject", "x"], ["--task-id=1", "--subject=x"]]
)
def test_the_other_spellings_of_the_documents_are_understood(begun, words):
    begun.done("task", "create", *words)
    assert field(begun, "1", "subject") == "x"


def test_the_description_may_come_from_a_file_or_from_standard_input(begun):
    with open(f"{begun.root}/d.txt", "w", encoding="utf-8") as file:
        file.write("  from a file  \n\n")
    words = ["--subject", "x", "--description-file", f"{begun.root}/d.txt"]
    begun.done("task", "create", "--id", "1", *words)
    begun.done("task", "create", "--id", "2", "--subject", "x", "--description", "-", stdin=b"read\n")
    assert field(begun, "1", "description") == "from a file"
    assert field(begun, "2", "description") == "read"


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (["--subject", "x"], 2, "give --id and --subject"),
        (["--id", "1"], 2, "give --id and --subject"),
        (["--id", "1", "--subject", " "], 2, "the subject of task 1 is empty"),
        (["--id", "../1", "--subject", "x"], 2, "is not a task id"),
        (["--id", "{TASK_ID}", "--subject", "x"], 2, "placeholder"),
        (["--id", "1", "--subject", "x", "--complexity", "hard"], 2, "known: simple, standard"),
        (["--id", "1", "--subject", "x", "--approach", "agile"], 2, "known: standard, tdd"),
        (["--id", "1", "--subject", "x", "--blocked-by", "9"], 2, "which is not in the plan"),
        (["--id", "1", "--subject", "x", "--blocked-by", "1"], 2, "task 1 waits for itself"),
        (["--id", "1", "--subject", "x", "--description-file", "/no/where"], 2, "could not read"),
        (["--id", "1", "--subject", "x", "-d", "a", "-D", "b"], 2, "not both"),
        (["--from", "/no/where.json"], 2, "could not read"),
        (["--from", "/"], 2, "could not read"),
    ],
)
def test_a_task_that_makes_no_sense_is_refused(begun, words, status, why):
    answer = begun.call("task", "create", *words)
    assert answer.status == status
    assert why in answer.err
    assert begun.done("task", "list", "--json").data["tasks"] == []


def test_an_id_is_used_once(planned):
    refused = planned.call("task", "create", "--id", "1", "--subject", "again")
    assert refused.status == 5
    assert "already exists" in refused.err
    assert field(planned, "1", "subject") == "one"


def test_the_verify_task_of_the_documents_is_accepted(planned):
    words = ["--id", "verify", "--subject", "[VERIFY] Final", "--blocked-by", "1,2,3"]
    planned.done("task", "create", *words)
    assert field(planned, "verify", "blockedBy") == '["1","2","3"]'


def test_a_whole_plan_is_made_in_one_call(begun):
    plan = {
        "tasks": [
            {"id": "b", "subject": "B", "blockedBy": ["a"], "criteria": ["green"]},
            {"id": "a", "subject": "A", "complexity": "simple", "description": "first"},
        ]
    }
    answer = begun.done("task", "create", "--from", plan_file(begun, plan), "--json")
    assert answer.data == {"session_id": "s1", "created": ["b", "a"]}
    assert field(begun, "b", "blockedBy") == '["a"]'
    answer = begun.done("task", "create", "--from", "-", stdin=b'[{"id": "c", "subject": "C"}]')
    assert answer.out == "1 tasks in session s1\n"


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        ("{", "is not JSON"),
        ("[]", "has no list of tasks"),
        ({"tasks": {}}, "has no list of tasks"),
        ({"tasks": ["a"]}, 'a task of the plan is "a", not an object'),
        ({"tasks": [{"subject": "x"}]}, "has no id"),
        ({"tasks": [{"id": "a", "subject": "x", "blockedBy": ["b"]}]}, "which is not in the plan"),
        (
            {
                "tasks": [
                    {"id": "a", "subject": "x", "blockedBy": ["b"]},
                    {"id": "b", "subject": "x", "blockedBy": ["c"]},
                    {"id": "c", "subject": "x", "blockedBy": ["a"]},
                ]
            },
            "in a circle: a -> b -> c -> a",
        ),
        ({"tasks": [{"id": "a", "subject": "x"}, {"id": "A", "subject": "y"}]}, "already exists"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused_whole(begun, plan, why):
    answer = begun.call("task", "create", "--from", plan_file(begun, plan))
    assert answer.status in (2, 5)
    assert why in answer.err
    assert begun.done("task", "list").out == "no task\n"


def test_text_of_no_encoding_inside_a_plan_is_kept_readable(begun):
    plan = '{"tasks": [{"id": "a", "subject": "x", "description": "\\ud800", "criteria": ["\\udfff"]}]}'
    begun.done("task", "create", "--from", plan_file(begun, plan))
    assert field(begun, "a", "description") == "?"
    assert field(begun, "a", "criteria") == '["?"]'


def test_a_session_that_has_ended_takes_no_more_tasks(planned):
    planned.done("session", "set", "--phase", "CANCELLED")
    for words in (["create", "--id", "9", "--subject", "x"], ["claim", "--owner", "w"]):
        refused = planned.call("task", *words)
        assert refused.status == 5
        assert "session s1 has ended" in refused.err


@pytest.mark.parametrize(
    ("path", "out"),
    [
        ("status", "pending"),
        ("subject", "three"),
        ("blockedBy", '["1","2"]'),
        ("blockedBy[1]", "2"),
        ("retry_count", "0"),
        ("owner", "null"),
    ],
)
def test_one_field_of_a_task_is_printed_bare(planned, path, out):
    assert field(planned, "3", path) == out


def test_tasks_are_listed_as_a_table(planned):
    lines = planned.done("task", "list").out.splitlines()
    assert lines[0].split("  ")[0] == "ID"
    assert [line.split() for line in lines[1:]] == [
        ["1", "pending", "standard", "-", "one"],
        ["2", "pending", "complex", "-", "two"],
        ["3", "pending", "standard", "1,", "2", "three"],
    ]


def test_tasks_are_listed_as_json(planned):
    listed = json.loads(planned.done("task", "list", "--format", "json").out)
    assert [(task["id"], task["blockedBy"]) for task in listed] == [("1", []), ("2", []), ("3", ["1", "2"])]
    assert planned.done("task", "list", "--json").data["tasks"] == listed


def test_one_field_of_every_task_is_printed_a_line_each(planned):
    assert planned.done("task", "list", "--field", "status").out == "pending\npending\npending\n"
    assert planned.done("task", "list", "--field", "blockedBy").out == '[]\n[]\n["1","2"]\n'


@pytest.mark.parametrize(("status", "ids"), [("open", ["2", "3"]), ("in_progress", ["1"]), ("resolved", [])])
def test_tasks_are_listed_by_status(planned, status, ids):
    planned.done("task", "claim", "--owner", "w")
    listed = planned.done("task", "list", "--status", status, "--json").data["tasks"]
    assert [task["id"] for task in listed] == ids


def test_every_piece_of_evidence_of_a_call_is_kept(planned):
    planned.done("task", "update", "--id", "1", "--add-evidence", "one", "--add-evidence=two")
    planned.done("task", "update", "--id", "1", "-e", "three")
    assert field(planned, "1", "evidence") == '["one","two","three"]'


def test_status_evidence_reason_and_count_are_one_change(planned):
    planned.done("task", "claim", "--owner", "w")
    words = ["--status", "failed", "--add-evidence", "3 failed", "--reason", "flaky", "--retry-count", "2"]
    answer = planned.done("task", "update", "--id", "1", *words)
    assert answer.out == "task 1: failed, 1 evidence\n"
    task = planned.done("task", "get", "--id", "1", "--json").data
    assert (task["reason"], task["retry_count"], task["owner"]) == ("flaky", 2, None)


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        ([], 2, "nothing to update"),
        (["--status", "finished"], 2, "is not a task status"),
        (["--status", "resolved"], 5, "legal from here: in_progress, blocked, skipped"),
        (["--status", "skipped"], 2, "--reason"),
        (["--add-evidence", ""], 2, "the evidence is empty"),
        (["--retry-count", "-1"], 2, "--retry-count"),
        (["--owner", "w", "--status", "in_progress"], 5, "claimed by no one, not by w"),
        (["--token", "7", "--status", "in_progress"], 5, "token 0, yours is 7"),
    ],
)
def test_an_update_that_makes_no_sense_is_refused_whole(planned, words, status, why):
    before = planned.done("task", "get", "--id", "1").out
    answer = planned.call("task", "update", "--id", "1", *words)
    assert answer.status == status
    assert why in answer.err
    assert planned.done("task", "get", "--id", "1").out == before


def test_hedging_evidence_does_not_resolve_a_task(planned):
    planned.done("task", "claim", "--owner", "w")
    words = ["task", "update", "--id", "1", "--status", "resolved", "--add-evidence"]
    refused = planned.call(*words, "it should work now")
    assert refused.status == 2
    assert 'evidence that only says "should work"' in refused.err
    planned.done(*words, "npm test: 12 passed")


def test_a_claim_gives_the_next_ready_task(planned):
    task = planned.done("task", "claim", "--owner", "w1", "--json").data["task"]
    assert (task["id"], task["owner"], task["token"], task["status"]) == ("1", "w1", 1, "in_progress")
    assert planned.done("task", "claim", "--owner", "w2").out.startswith("task 2 for w2 (token 1)")


def test_a_claim_of_nothing_is_no_error(planned):
    planned.done("task", "claim", "--owner", "w")
    planned.done("task", "claim", "--owner", "w")
    answer = planned.done("task", "claim", "--owner", "w", "--json")
    assert answer.data == {"session_id": "s1", "task": None}
    assert planned.done("task", "claim", "--owner", "w").out == "no task is ready\n"


def test_a_claim_by_name_says_why_not(planned):
    assert "task 3 waits for 1, 2" in planned.call("task", "claim", "--owner", "w", "--id", "3").err
    planned.done("task", "claim", "--owner", "w", "--id", "2")
    refused = planned.call("task", "claim", "--owner", "v", "--id", "2")
    assert refused.status == 5
    assert "task 2 is claimed by w (token 1)" in refused.err


def test_an_owner_is_needed(planned):
    assert planned.call("task", "claim").status == 2
    assert planned.call("task", "claim", "--owner", " ").status == 2


def test_a_subject_that_is_too_long_is_cut_at_the_edge_of_the_screen(begun):
    begun.done("task", "create", "--id", "1", "--subject", "word\n" * 60)
    line = begun.done("task", "list").out.splitlines()[1]
    assert len(line) == 100
    assert line.endswith("…")
