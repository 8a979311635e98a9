"""A claim whose agent never started does not hold its task for ever."""

import time

import pytest

from support.play import Play, entry
from support.scene import SESSION
from ultrawork.flow import own_steps
from ultrawork.flow.course import Course
from ultrawork.store import agents, tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store


@pytest.fixture
def play(tmp_path):
    play = Play(str(tmp_path))
    play.begin()
    play.planned([entry("a"), entry("b")])
    return play


def later(play, seconds):
    """The session as it is seen some time after the last event."""
    return Store(Home(play.home), actor="person", clock=lambda: time.time() + seconds)


@pytest.mark.parametrize(("seconds", "status"), [(30, "in_progress"), (90, "pending")])
def test_a_claim_lapses_after_a_minute(play, seconds, status):
    """The person declined the call, so that no agent ever came of it."""
    play.ask("worker", "a")
    play.agent("worker", "b")
    store = later(play, seconds)
    own_steps.advance(Course(store, play.environ, SESSION))
    assert tasks.get(store.database, SESSION, "a").status == status
    assert tasks.get(store.database, SESSION, "b").status == "in_progress"
    store.database.close()


def test_what_lapsed_is_due_again_and_its_late_agent_counts_for_nothing(play):
    call, _ = play.ask("worker", "a")
    store = later(play, 90)
    step = own_steps.advance(Course(store, play.environ, SESSION))
    assert [spawn.subject for spawn in step.spawns] == ["a", "b"]
    assert agents.find_by_call(store.database, SESSION, call).ended_at
    store.database.close()


def test_a_foreground_agent_that_works_for_long_is_not_forgotten(play, tmp_path):
    """Such a call tells of its agent only at the end; until then the client's own file does."""
    play.transcript = str(tmp_path / "talk.jsonl")
    call, _ = play.ask("worker", "a")
    folder = tmp_path / "talk" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-x1.meta.json").write_text(f'{{"toolUseId": "{call}"}}')
    store = later(play, 90)
    own_steps.advance(Course(store, play.environ, SESSION))
    assert tasks.get(store.database, SESSION, "a").status == "in_progress"
    assert agents.find_by_agent(store.database, SESSION, "x1").call == call
    store.database.close()
