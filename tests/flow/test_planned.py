"""Planned modes begin and are taken up again, without a client."""

from contextlib import closing
from time import time

import pytest

from support.floor import REPOSITORY
from support.play import GOAL, Play
from ultrawork.core.errors import Conflict, UltraworkError
from ultrawork.core.modes import record
from ultrawork.flow import beginning
from ultrawork.store import sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store


@pytest.fixture
def play(tmp_path):
    return Play(str(tmp_path))


@pytest.fixture
def store(play):
    found = Store(Home(play.home), actor="person", clock=time)
    with closing(found.database):
        yield found


def started(store, play, name, mode, words=GOAL):
    return beginning.begin_mode(store, play.environ, play.place, name, mode, beginning.parse(words))


@pytest.mark.parametrize("mode", beginning.MODE_OPTIONS)
def test_a_mode_begins_with_its_session_and_its_limits(store, play, mode):
    session = started(store, play, "s1", mode)
    most = beginning.MODE_OPTIONS[mode]
    assert {key: session.options[key] for key in most} == most
    assert session.options["auto_mode"] is True
    assert record.read_active(session)[mode].limits["iteration"] == most["max_iterations"]


def test_less_than_the_mode_allows_is_less_for_its_machine_too(store, play):
    session = started(store, play, "s1", "team", f"--max-iterations 2 {GOAL}")
    assert record.read_active(session)["team"].limits["iteration"] == 2


def test_a_rival_leaves_no_session_behind(store, play):
    started(store, play, "s1", "autopilot")
    with pytest.raises(Conflict, match="autopilot is on"):
        started(store, play, "s2", "ultrapilot")
    with pytest.raises(UltraworkError):
        sessions.get(store.database, "s2")


def test_a_mode_without_a_goal_begins_nothing(store, play):
    with pytest.raises(UltraworkError, match="goal"):
        started(store, play, "s1", "autopilot", "")
    assert sessions.list_all(store.database) == []


def test_the_newest_session_of_a_mode_is_the_one_that_is_taken_up(store, play):
    first = started(store, play, "s1", "team")
    assert beginning.find_by_mode(store, play.place, "team").id == first.id
    with pytest.raises(UltraworkError, match="autopilot has never run"):
        beginning.find_by_mode(store, play.place, "autopilot")


@pytest.mark.parametrize("mode", beginning.MODE_OPTIONS)
def test_the_page_tells_the_numbers_of_the_program(mode):
    with open(f"{REPOSITORY}/docs/reference/planned-modes.md", encoding="utf-8") as file:
        rows = [line for line in file if line.startswith(f"| `{mode}` |")]
    most = beginning.MODE_OPTIONS[mode]
    (row,) = rows
    assert row.startswith(f"| `{mode}` | {most['max_workers']} | {most['max_iterations']}")
