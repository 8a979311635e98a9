"""Plans are taken whole, or refused with the reason."""

import pytest

from ultrawork.core.errors import UltraworkError
from ultrawork.core.plan.task import VERIFY, Task
from ultrawork.flow import planning


def entry(name, *needs, criteria=("make test",), **more):
    return {"id": name, "subject": name, "criteria": list(criteria), "blockedBy": list(needs), **more}


def checked(*entries):
    return planning.make_tasks(entries, {}, now=1.0)


def test_the_last_json_block_of_a_message_is_the_plan():
    message = 'First ```json\n{"tasks": 1}\n``` then\n```json\n{"tasks": [2]}\n```\nDone.'
    assert planning.parse_block(message) == {"tasks": [2]}


@pytest.mark.parametrize("message", ["", "no block", "```json\nnot json\n```", "```\n[1]\n```"])
def test_a_message_without_a_block_is_refused(message):
    with pytest.raises(UltraworkError, match="fenced JSON"):
        planning.parse_block(message)


def test_verification_is_added_last_and_waits_for_all():
    plan = checked(entry("a"), entry("b", "a"))
    assert plan[-1].id == VERIFY
    assert plan[-1].blocked_by == ["a", "b"]


def test_a_verify_task_of_the_planner_is_kept():
    plan = checked(entry("a"), entry(VERIFY, "a", criteria=()))
    assert [task.id for task in plan] == ["a", VERIFY]


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([], "no tasks"),
        (["text"], "not an object"),
        ([entry("a", "b"), entry("b", "a")], "a -> b -> a|b -> a -> b"),
        ([entry("a", "nobody")], "nobody"),
        ([entry("a", "a")], "waits for itself"),
        ([entry("a", criteria=())], "no success criterion"),
        ([entry("a", criteria=["it works"])], "cannot be checked"),
        ([entry("a", criteria=["looks good"])], "cannot be checked"),
        ([entry("{TASK}")], "placeholder"),
    ],
)
def test_a_plan_that_cannot_stand_is_refused_with_the_reason(entries, words):
    with pytest.raises(UltraworkError, match=words):
        checked(*entries)


@pytest.mark.parametrize("criterion", ["make test", "npm test => 3 passing", "judged: the names read well"])
def test_a_criterion_is_a_command_or_is_marked_as_judged(criterion):
    assert checked(entry("a", criteria=[criterion]))[0].criteria == [criterion]


def test_two_writers_of_one_file_without_an_order_are_reported():
    plan = [
        Task(id="a", subject="a", files=["x.py"]),
        Task(id="b", subject="b", files=["x.py", "y.py"]),
        Task(id="c", subject="c", files=["y.py"], blocked_by=["b"]),
    ]
    assert planning.find_overlaps(plan) == ["a and b both write x.py, and neither depends on the other"]


def test_a_plan_that_does_not_say_how_hard_its_tasks_are_is_weighed_by_its_words():
    subjects = {"a": "find the file", "b": "fix the authentication vulnerability"}
    entries = [{"id": name, "subject": subject, "criteria": ["test: make test"]} for name, subject in subjects.items()]
    entries.append({**entries[0], "id": "c", "complexity": "complex"})
    found = {task.id: task.complexity for task in planning.make_tasks(entries, {}, now=1.0)}
    assert found == {"a": "simple", "b": "complex", "c": "complex", "verify": "complex"}
