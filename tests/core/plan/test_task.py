"""A task of a plan, checked key by key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core.errors import UsageError
from ultrawork.core.plan.task import Task, parse_task

LEAST = {"id": "a", "subject": "do it"}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(
    ["id", "subject", "description", "complexity", "criteria", "blockedBy", "blocked_by",
     "approach", "test_file", "test_scope", "files", "status", "evidence", "max_retry"]
)  # fmt: skip


def test_id_and_subject_are_enough():
    task = parse_task(LEAST, now=5.0)
    assert (task.status, task.complexity, task.approach) == ("pending", "standard", "standard")
    assert (task.criteria, task.blocked_by, task.evidence, task.max_retry) == ([], [], [], 2)
    assert (task.created_at, task.updated_at) == (5.0, 5.0)


def test_every_key_of_a_plan_is_kept():
    entry = {
        "id": "b",
        "subject": "do it",
        "description": "all of it",
        "complexity": "complex",
        "criteria": ["one", "two"],
        "blockedBy": ["a", "c", "a"],
        "approach": "tdd",
        "test_file": "tests/test_b.py",
        "test_scope": "test_b",
        "files": ["b.py"],
        "status": "open",
        "evidence": ["seen", {"output": "12 passed"}],
        "max_retry": 0,
    }
    document = parse_task(entry, now=0.0).document()
    assert document["blockedBy"] == ["a", "c"]
    assert document["status"] == "pending"
    same = set(entry) - {"blockedBy", "status"}
    assert {key: document[key] for key in same} == {key: entry[key] for key in same}


def test_the_other_spelling_of_blocked_by_is_read():
    assert parse_task({**LEAST, "blocked_by": [1, "2"]}, now=0.0).blocked_by == ["1", "2"]


def test_a_number_is_taken_as_an_id():
    assert parse_task({"id": 3, "subject": "x"}, now=0.0).id == "3"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"id": None}, "has no id"),
        ({"id": True}, "has no id"),
        ({"id": "../x"}, "is not a task id"),
        ({"subject": None}, "subject of task a is missing"),
        ({"subject": 3}, "subject of task a is .*, not text"),
        ({"subject": "  "}, "the subject of task a is empty"),
        ({"complexity": "hard"}, "known: simple, standard, complex"),
        ({"approach": "agile"}, "known: standard, tdd"),
        ({"status": "done"}, "is not a task status"),
        ({"criteria": "one|two"}, "criteria of task a is .*, not a list"),
        ({"blockedBy": [["a"]]}, "blockedBy of task a is .*, not a list of texts"),
        ({"evidence": "seen"}, "evidence of task a is .*, not a list"),
        ({"evidence": 3}, "evidence of task a is .*, not a list"),
        ({"max_retry": "two"}, "max_retry of task a"),
        ({"max_retry": None}, "max_retry of task a"),
        ({"max_retry": True}, "max_retry of task a"),
        ({"max_retry": -1}, "max_retry of task a"),
        ({"max_retry": 10**30}, "max_retry of task a"),
        ({"blockedby": []}, "the unknown key"),
    ],
)
def test_what_is_wrong_with_a_task_is_said(change, why):
    with pytest.raises(UsageError, match=why):
        parse_task({**LEAST, **change}, now=0.0)


@given(st.dictionaries(KEYS, JSON))
def test_any_object_is_a_task_or_is_refused(entry):
    try:
        assert isinstance(parse_task({**LEAST, **entry}, now=0.0), Task)
    except UsageError:
        pass


def test_the_verify_task_is_known_by_its_id():
    assert Task(id="verify", subject="x").is_verify
    assert not Task(id="verify2", subject="x").is_verify


def test_a_task_is_shown_with_the_keys_of_the_documents():
    document = Task(id="1", subject="x", created_at=0.0, updated_at=60.0).document()
    assert list(document)[:8] == [
        "id",
        "subject",
        "description",
        "status",
        "complexity",
        "blockedBy",
        "criteria",
        "evidence",
    ]
    assert document["created_at"] == "1970-01-01T00:00:00Z"
    assert document["updated_at"] == "1970-01-01T00:01:00Z"
