"""A change: rows, events and views come true together, or not at all."""

import os

import pytest

from ultrawork.core.errors import Conflict, UsageError
from ultrawork.store import database as store_change
from ultrawork.store import sessions, tasks


def revision(store):
    return store.database.value("SELECT revision FROM sessions WHERE id='s'")


def test_an_update_is_refused_whole_when_one_part_is_illegal(store, begin):
    begin(plan=("a",))
    before = revision(store)
    with pytest.raises(Conflict), store.change("s") as change:
        tasks.update(change, "a", status="resolved", evidence=["12 passed"], retry_count=3)
    task = tasks.get(store.database, "s", "a")
    assert (task.status, task.evidence, task.retry_count) == ("pending", [], 0)
    assert revision(store) == before


def test_what_is_written_before_an_error_is_taken_back(store, begin, home):
    begin(plan=("a", "b"))
    before = revision(store)

    def one_legal_one_not():
        with store.change("s") as change:
            tasks.update(change, "a", status="in_progress", evidence=["one"])
            tasks.update(change, "b", status="skipped")

    with pytest.raises(UsageError):
        one_legal_one_not()
    assert tasks.get(store.database, "s", "a").status == "pending"
    assert revision(store) == before
    with open(f"{home.sessions}/s/tasks/a.json", encoding="utf-8") as file:
        assert '"status": "pending"' in file.read()


def test_each_event_follows_the_one_before(store, begin):
    begin(plan=("a",))
    rows = store.database.rows("SELECT kind, previous, hash FROM events ORDER BY id")
    assert [kind for kind, _, _ in rows] == ["session.created", "tasks.created"]
    assert rows[0][1] == ""
    assert rows[1][1] == rows[0][2]
    assert store.database.value("SELECT head FROM sessions") == rows[1][2]
    assert revision(store) == 2


def test_an_event_tells_who_acted_and_when(store, begin):
    begin()
    (row,) = store.database.rows("SELECT actor, at FROM events")
    assert row[0] == "person"
    assert row[1] > 1_000_000


def test_a_linked_session_folder_is_refused_before_anything_is_written(store, begin, home, tmp_path):
    begin(plan=("a",))
    away = tmp_path / "away"
    os.rename(f"{home.sessions}/s", away)
    os.symlink(away, f"{home.sessions}/s")
    before = revision(store)
    with pytest.raises(Exception, match="is a symbolic link"), store.change("s") as change:
        tasks.update(change, "a", status="in_progress")
    assert revision(store) == before


def test_a_session_that_makes_way_for_a_new_one_keeps_everything_under_another_id(store, begin, home):
    begin(plan=("a",))
    with store.change("s") as change:
        value = sessions.get(store.database, "s")
        value.phase = "CANCELLED"
        sessions.save(change, value, "session.changed", {})
    begin()
    assert tasks.list_all(store.database, "s") == []
    assert [task.id for task in tasks.list_all(store.database, "s.1")] == ["a"]
    assert sessions.get(store.database, "s.1").phase == "CANCELLED"
    assert os.path.isfile(f"{home.sessions}/s.1/tasks/a.json")
    for name in ("s", "s.1"):
        assert store_change.find_broken_links(store.database, name) == []


def count_events(store):
    return store.database.value("SELECT count(*) FROM events")


def test_one_of_many_parts_keeps_its_events_until_the_end(store, begin):
    begin(plan=("a", "b"))
    before = count_events(store)
    with store.change("s", many=True) as change:
        tasks.claim(change, "pat", "a")
        tasks.claim(change, "pat", "b")
        assert (count_events(store), change.recorded) == (before, 0)
    assert (count_events(store), change.recorded) == (before + 2, 2)
    assert store_change.find_broken_links(store.database, "s") == []


def test_every_other_change_writes_an_event_at_once(store, begin):
    """What reads the session's revision in the middle of a change counts on it."""
    begin(plan=("a",))
    before = count_events(store)
    with store.change("s") as change:
        tasks.claim(change, "pat", "a")
        assert (count_events(store), change.recorded) == (before + 1, 1)


def seen_by(database, calls, *, broken=""):
    """A change of which every call of `mark` and `show` is written down, with the events of that moment."""

    def hear(name):
        def called(_session, views):
            calls.append((name, views, database.value("SELECT count(*) FROM events")))
            if name == broken:
                raise OSError(f"{name} is broken")

        return called

    return store_change.Change(
        database, session="s", actor="pat", now=5.0, show=hear("show"), mark=hear("mark"), many=True
    )


def test_views_are_marked_before_the_commit_and_shown_after_it(store, begin):
    begin(plan=("a",))
    calls, before = [], count_events(store)
    with seen_by(store.database, calls) as change:
        tasks.claim(change, "pat", "a")
    assert [name for name, _, _ in calls] == ["mark", "show"]
    assert all(views and events == before + 1 for _, views, events in calls)


def test_a_change_that_touched_no_view_marks_and_shows_none(store, begin):
    begin()
    calls = []
    with seen_by(store.database, calls) as change:
        change.record("session.changed", {})
    assert calls == []


def test_a_change_that_fails_marks_and_shows_nothing(store, begin):
    begin(plan=("a",))
    calls = []

    def fail():
        with seen_by(store.database, calls) as change:
            tasks.claim(change, "pat", "a")
            raise UsageError("no")

    with pytest.raises(UsageError):
        fail()
    assert calls == []


def test_views_that_cannot_be_marked_take_the_change_back(store, begin):
    begin(plan=("a",))
    before = revision(store)
    with pytest.raises(OSError, match="mark is broken"), seen_by(store.database, [], broken="mark") as change:
        tasks.claim(change, "pat", "a")
    assert (revision(store), tasks.get(store.database, "s", "a").status) == (before, "pending")
    with store.change("s") as change:
        tasks.claim(change, "pat", "a")
    assert tasks.get(store.database, "s", "a").status == "in_progress"
