"""A store of its own for each test, with a clock that the test moves."""

import pytest

from ultrawork.core.plan.task import Task
from ultrawork.core.session.session import Session
from ultrawork.store import sessions, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        self.now += 1
        return self.now


@pytest.fixture
def home(tmp_path):
    return Home(str(tmp_path / "state"))


@pytest.fixture
def store(home):
    store = Store(home, actor="person", clock=Clock())
    yield store
    store.database.close()


@pytest.fixture
def begin(store):
    """Begins a session, with tasks if they are named."""

    def begin(name="s", *, plan=(), **changes):
        value = Session(id=name, goal="g", working_dir="/p", started_at=store.now(), **changes)
        with store.change(name) as change:
            sessions.create(change, value)
            if plan:
                tasks.create(change, [Task(id=task, subject=f"do {task}") for task in plan])
        return value

    return begin
