"""The record of a session: what was changed, removed or cut off is found."""

import pytest

from ultrawork.store import tasks
from ultrawork.store.database import find_broken_links, find_damage, hash_link, is_linked


@pytest.fixture
def recorded(store, begin):
    begin(plan=("a", "b"))
    for status in ("in_progress", "resolved"):
        with store.change("s") as change:
            tasks.update(change, "a", status=status, evidence=["12 passed"])
    return store.database


def events(database):
    return [event for (event,) in database.rows("SELECT id FROM events ORDER BY id")]


def test_an_untouched_record_holds(recorded):
    assert find_broken_links(recorded, "s") == []
    assert find_damage(recorded) == []


def test_events_of_other_sessions_do_not_disturb(recorded, begin):
    begin("other")
    assert find_broken_links(recorded, "s") == find_broken_links(recorded, "other") == []


@pytest.mark.parametrize(
    ("column", "value"), [("data", '{"task":"b"}'), ("kind", "x"), ("actor", "agent"), ("at", 5.0)]
)
@pytest.mark.parametrize("place", [0, 1, -1])
def test_a_changed_event_is_found(recorded, column, value, place):
    event = events(recorded)[place]
    recorded.rows(f"UPDATE events SET {column}=? WHERE id=?", value, event)
    (found,) = find_broken_links(recorded, "s")
    assert found.startswith(f"event {event} (")
    assert found.endswith("was changed after it was written")


def test_a_changed_event_with_a_new_hash_is_found_at_the_next_one(recorded):
    first, second, *_ = events(recorded)
    recorded.rows("UPDATE events SET data='{}', hash='forged' WHERE id=?", first)
    assert any(f"event {second} (" in text for text in find_broken_links(recorded, "s"))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_removed_event_is_found_at_the_next_one(recorded, place):
    ids = events(recorded)
    recorded.rows("DELETE FROM events WHERE id=?", ids[place])
    (found,) = find_broken_links(recorded, "s")
    assert found.startswith(f"event {ids[place + 1]} (")
    assert found.endswith("does not follow the previous one")


@pytest.mark.parametrize("left", [0, 1, 3])
def test_a_record_that_was_cut_off_is_found(recorded, left):
    ids = events(recorded)
    for event in ids[left:]:
        recorded.rows("DELETE FROM events WHERE id=?", event)
    found = find_broken_links(recorded, "s")
    assert found == [f"the record has {left} events, but {len(ids)} were written"]


def test_a_row_that_belongs_to_nothing_is_found(recorded):
    recorded.rows("PRAGMA foreign_keys=OFF")
    recorded.rows("DELETE FROM tasks WHERE id='a'")
    assert find_damage(recorded) == ["table evidence has an orphaned row"] * 2


def test_of_many_rows_that_belong_to_nothing_five_are_told(recorded, store):
    recorded.rows("PRAGMA foreign_keys=OFF")
    with store.change("s") as change_:
        tasks.update(change_, "b", status="in_progress", evidence=[f"{n} passed" for n in range(6)])
    recorded.rows("DELETE FROM tasks WHERE id='b'")
    assert len(find_damage(recorded)) == 5


def test_a_forged_last_event_whose_hash_matches_it_is_found_by_the_head(recorded):
    """Nothing follows it that would tell; what the session itself remembers does."""
    event = events(recorded)[-1]
    born = recorded.value("SELECT born FROM sessions WHERE id='s'")
    ((actor, at, kind, previous),) = recorded.rows("SELECT actor, at, kind, previous FROM events WHERE id=?", event)
    forged = hash_link(previous, (born, actor, repr(at), kind, "{}"))
    recorded.rows("UPDATE events SET data='{}', hash=? WHERE id=?", forged, event)
    assert len(find_broken_links(recorded, "s")) == 1


def rows_of(database):
    return database.rows("SELECT id, actor, at, kind, data, previous, hash FROM events WHERE session='s' ORDER BY id")


def test_each_event_of_an_untouched_record_hangs_in_the_chain(recorded):
    assert all(is_linked(recorded, "s", event) for event in rows_of(recorded))


@pytest.mark.parametrize("place", [0, -1])
def test_an_event_that_says_something_else_does_not_hang_in_it(recorded, place):
    number, actor, at, kind, _, previous, link = rows_of(recorded)[place]
    forged = (number, actor, at, kind, "{}", previous, link)
    assert is_linked(recorded, "s", forged) is False


def test_an_event_that_the_next_one_does_not_follow_does_not_hang_in_it(recorded):
    first, second, *_ = rows_of(recorded)
    recorded.rows("UPDATE events SET previous='x' WHERE id=?", second[0])
    recorded.rows("UPDATE sessions SET head='x' WHERE id='s'")
    assert not is_linked(recorded, "s", first)
    assert not is_linked(recorded, "s", rows_of(recorded)[-1])
