"""Tasks in the database: made once, claimed by one, updated by whoever holds them."""

import pytest

from ultrawork.core.errors import Conflict, NotFound, UsageError
from ultrawork.core.plan.task import Task
from ultrawork.store import tasks


@pytest.fixture
def plan(store, begin):
    """a and b are free, c waits for both, verify for all."""
    begin()
    made = [
        Task(id="a", subject="A", criteria=["one", "two"], files=["a.py"]),
        Task(id="b", subject="B", evidence=["seen"]),
        Task(id="c", subject="C", blocked_by=["a", "b"]),
        Task(id="verify", subject="[VERIFY]", blocked_by=["a", "b", "c"]),
    ]
    with store.change("s") as change:
        tasks.create(change, made)
    return store


def claim(store, owner, name=None):
    with store.change("s") as change:
        return tasks.claim(change, owner, name)


def update(store, name, **changes):
    with store.change("s") as change:
        return tasks.update(change, name, **changes)


def resolve(store, name):
    claim(store, "w", name)
    update(store, name, status="resolved", evidence=["12 passed"])


def create(store, *new):
    with store.change("s") as change:
        tasks.create(change, new)


def test_tasks_come_back_as_they_were_made_in_the_order_of_the_plan(plan):
    found = tasks.list_all(plan.database, "s")
    assert [task.id for task in found] == ["a", "b", "c", "verify"]
    assert found[0].criteria == ["one", "two"]
    assert found[0].files == ["a.py"]
    assert found[1].evidence == ["seen"]
    assert found[2].blocked_by == ["a", "b"]
    for task in found:
        assert tasks.get(plan.database, "s", task.id).document() == task.document()


def test_tasks_are_listed_by_status(plan):
    claim(plan, "w", "b")
    assert [task.id for task in tasks.list_all(plan.database, "s", status="in_progress")] == ["b"]


def test_an_unknown_task_is_named(plan):
    with pytest.raises(NotFound, match='session s has no task "z"'):
        tasks.get(plan.database, "s", "z")


@pytest.mark.parametrize("name", ["a", "A"])
def test_an_id_is_taken_once_whatever_its_case(plan, name):
    with pytest.raises(Conflict, match=rf"task {name} already exists \(as a\)"):
        create(plan, Task(id=name, subject="again"))


def test_a_plan_is_taken_whole_or_not_at_all(plan):
    with pytest.raises(Conflict):
        create(plan, Task(id="d", subject="new"), Task(id="d", subject="twice"))
    with pytest.raises(UsageError, match="in a circle"):
        create(plan, Task(id="d", subject="D", blocked_by=["e"]), Task(id="e", subject="E", blocked_by=["d"]))
    with pytest.raises(UsageError, match="not in the plan"):
        create(plan, Task(id="d", subject="D", blocked_by=["nobody"]))
    assert [task.id for task in tasks.list_all(plan.database, "s")] == ["a", "b", "c", "verify"]


def test_later_tasks_stand_behind_the_first(plan):
    create(plan, Task(id="d", subject="D", blocked_by=["a"]))
    assert list(tasks.read_needs(plan.database, "s")) == ["a", "b", "c", "verify", "d"]


def test_ready_are_those_whose_needs_are_resolved_and_verify_is_not_among_them(plan):
    assert tasks.list_ready(plan.database, "s") == ["a", "b"]
    resolve(plan, "a")
    assert tasks.list_ready(plan.database, "s") == ["b"]
    resolve(plan, "b")
    assert tasks.list_ready(plan.database, "s") == ["c"]
    resolve(plan, "c")
    assert tasks.list_ready(plan.database, "s") == []


def test_a_skipped_task_does_not_count_as_resolved(plan):
    resolve(plan, "a")
    update(plan, "b", status="skipped", reason="not needed")
    assert tasks.list_ready(plan.database, "s") == []


def test_claims_take_the_first_ready_task_until_none_is_left(plan):
    assert [task and task.id for task in (claim(plan, "w") for _ in range(3))] == ["a", "b", None]


def test_a_claimed_task_has_an_owner_a_token_and_an_attempt(plan):
    task = claim(plan, "w1")
    stored = tasks.get(plan.database, "s", "a")
    assert task.document() == stored.document()
    assert (stored.status, stored.owner, stored.token, stored.attempts) == ("in_progress", "w1", 1, 1)


def test_a_held_task_is_given_to_nobody_else(plan):
    claim(plan, "w1", "a")
    with pytest.raises(Conflict, match=r"task a is claimed by w1 \(token 1\)"):
        claim(plan, "w2", "a")


def test_a_waiting_task_names_what_it_waits_for(plan):
    with pytest.raises(Conflict, match="task c waits for a, b"):
        claim(plan, "w", "c")


def test_the_verify_task_is_claimed_by_its_name(plan):
    for name in "abc":
        resolve(plan, name)
    assert claim(plan, "v", "verify").id == "verify"


def test_a_late_writer_of_a_dead_owner_is_fenced_off(plan):
    claim(plan, "w1", "a")
    update(plan, "a", status="pending", reason="w1 is gone")
    assert claim(plan, "w2", "a").token == 2
    with pytest.raises(Conflict, match="was claimed again since"):
        update(plan, "a", status="resolved", token=1)
    with pytest.raises(Conflict, match="is claimed by w2, not by w1"):
        update(plan, "a", status="resolved", owner="w1")
    assert update(plan, "a", status="resolved", owner="w2", token=2).status == "resolved"


def test_an_owner_lets_go_when_the_task_leaves_its_hands(plan):
    claim(plan, "w", "a")
    assert update(plan, "a", status="failed", reason="no network").owner is None
    with pytest.raises(Conflict, match="claimed by no one"):
        update(plan, "a", evidence=["late"], owner="w")


def test_attempts_are_never_reset(plan):
    for turn in (1, 2, 3):
        claim(plan, "w", "a")
        assert update(plan, "a", status="failed", retry_count=turn).attempts == turn
    assert tasks.get(plan.database, "s", "a").retry_count == 3


def test_evidence_is_added_never_replaced(plan):
    update(plan, "b", evidence=["one", "two"])
    update(plan, "b", evidence=[{"output": "three"}])
    found = tasks.get(plan.database, "s", "b").evidence
    assert found == ["seen", "one", "two", {"output": "three"}]


def test_a_task_is_not_resolved_by_hedges_alone(plan):
    claim(plan, "w", "a")
    with pytest.raises(UsageError, match='only says "should work"'):
        update(plan, "a", status="resolved", evidence=["it should work now"])
    assert tasks.get(plan.database, "s", "a").evidence == []
    assert update(plan, "a", status="resolved", evidence=["it should work", "12 passed"])


def test_sessions_keep_their_tasks_apart(plan, begin):
    begin("other", plan=("a",))
    with plan.change("other") as change:
        tasks.claim(change, "w", "a")
    assert tasks.get(plan.database, "s", "a").status == "pending"
