"""Sessions in the database, and how one is found."""

import pytest

from ultrawork.core.errors import Conflict, NotFound, UsageError
from ultrawork.store import attempts, controls, receipts, sessions


def end(store, name, phase="CANCELLED"):
    with store.change(name) as change:
        value = sessions.get(store.database, name)
        value.phase = phase
        sessions.save(change, value, "session.changed", {"phase": phase})


def test_a_session_comes_back_as_it_was_begun(store, begin):
    begun = begin(options={"max_workers": 3}, state={"ulw": {"enabled": True}}, kind="ulw")
    assert sessions.get(store.database, "s").document() == begun.document()


def test_a_change_moves_the_time_of_the_last_change(store, begin):
    begun = begin()
    end(store, "s")
    assert sessions.get(store.database, "s").updated_at > begun.updated_at


def test_sessions_are_listed_newest_first_and_by_age(store, begin):
    begin("one")
    begin("two")
    assert [found.id for found in sessions.list_all(store.database)] == ["two", "one"]
    end(store, "one")
    last = sessions.get(store.database, "one").updated_at
    assert [found.id for found in sessions.list_all(store.database, since=last)] == ["one"]


@pytest.mark.parametrize(
    ("name", "found"), [("abc1", "abc1"), ("abc12", "abc12"), ("abd", "abd9"), ("last", "abd9"), (None, "abd9")]
)
def test_a_session_is_found_by_id_unique_beginning_last_or_place(store, begin, name, found):
    for name_ in ("abc1", "abc12", "abd9"):
        begin(name_)
    assert sessions.find(store.database, name, "/p").id == found


def test_a_beginning_of_several_is_refused_with_two_of_them(store, begin):
    begin("abc1")
    begin("abc2")
    with pytest.raises(Conflict, match="abc1 and abc2; give more characters"):
        sessions.find(store.database, "ab", "/p")


@pytest.mark.parametrize(("name", "place"), [("nobody", "/p"), (None, "/elsewhere")])
def test_what_is_not_there_is_not_found(store, begin, name, place):
    begin()
    with pytest.raises(NotFound, match="no session"):
        sessions.find(store.database, name, place)


def test_nothing_is_last_before_the_first(store):
    with pytest.raises(NotFound, match=r"no session yet\. Start one: ultrawork run"):
        sessions.find(store.database, "last", "/p")


@pytest.mark.parametrize("name", ["", "../s", "{SESSION_ID}", "a%", "s\0"])
def test_what_is_no_id_never_reaches_the_database(store, name):
    with pytest.raises(UsageError):
        sessions.find(store.database, name, "/p")


def test_an_underscore_is_no_wildcard(store, begin):
    begin("a_b")
    begin("axb")
    assert sessions.find(store.database, "a_", "/p").id == "a_b"


def test_an_active_session_makes_way_only_by_force(store, begin):
    begin()
    with pytest.raises(Conflict, match="--force"):
        begin()
    with store.change("s") as change:
        value = sessions.get(store.database, "s")
        value.goal = "another"
        sessions.create(change, value, force=True)
    assert sessions.get(store.database, "s").goal == "another"


@pytest.mark.parametrize("phase", ["COMPLETE", "FAILED", "CANCELLED"])
def test_an_ended_session_makes_way(store, begin, phase):
    begin()
    end(store, "s", phase)
    begin()
    assert sessions.get(store.database, "s").phase == "PLANNING"


def test_a_removed_session_leaves_nothing_in_the_database(store, begin):
    begin(plan=("a",))
    with store.change("s") as change:
        sessions.delete(change, "s")
    for table in ("sessions", "events", "tasks", "needs", "evidence", "explorers"):
        assert store.database.value(f"SELECT count(*) FROM {table}") == 0


def test_everything_that_belongs_to_a_session_makes_way_with_it(store):
    """A table that was forgotten would hand its rows to the next session of that name."""
    tables = [
        name
        for (name,) in store.database.rows("SELECT name FROM sqlite_master WHERE type='table'")
        if any(row[1] == "session" for row in store.database.rows(f"PRAGMA table_info({name})"))
    ]
    assert set(sessions._PARTS) == set(tables)


def test_a_session_of_the_same_name_begins_with_nothing_of_the_old_one(store, begin):
    begin(plan=["t"])
    with store.change("s") as change:
        controls.ask(change, controls.CANCEL)
        folder = store.home.session("s") + "/attempts"
        attempts.claim(change, "t", "worker", folder=folder, backend="b", is_task=True)
    end(store, "s")
    begin(plan=["t"])
    assert controls.list_waiting(store.database, "s") == []
    assert attempts.list_all(store.database, "s") == []
    assert attempts.sum_spent(store.database, "s", store.now()).agents == 0
    (old,) = attempts.list_all(store.database, "s.1")
    assert old.folder == store.home.session("s.1") + "/attempts/t.1"


def test_receipts_of_a_session_that_made_way_are_still_genuine(store, begin):
    begin()
    with store.change("s") as change:
        document = {
            "gate": {"name": "test"},
            "output": {},
            "run": {"on": "new", "by": "engine", "seconds": 1.0},
            "tree": {"before": "t"},
            "result": "green",
        }
        made = receipts.add(change, document, place="/p", command="make test", report=None)
    end(store, "s")
    begin()
    assert receipts.is_genuine(store.database, "s.1", made["id"])


def test_a_session_that_somebody_else_changed_meanwhile_is_not_written_over(store, begin):
    begin()
    mine = sessions.get(store.database, "s")
    end(store, "s")
    with pytest.raises(Conflict, match="changed by another process"), store.change("s") as change:
        sessions.save(change, mine, "session.changed", {})
    assert sessions.get(store.database, "s").phase == "CANCELLED"


def test_a_session_may_be_written_several_times_in_one_change_and_after_it(store, begin):
    begin()
    with store.change("s") as change:
        value = sessions.get(change.database, "s")
        change.record("something.else", {})
        sessions.save(change, value, "one", {})
        sessions.save(change, value, "two", {})
    with store.change("s") as change:
        sessions.save(change, value, "three", {})


def test_one_damaged_row_hides_itself_and_not_the_others(store, begin):
    for name in ("one", "two", "three"):
        begin(name)
    store.database.rows("UPDATE sessions SET state='{' WHERE id='two'")
    assert [found.id for found in sessions.list_all(store.database)] == ["three", "one"]
    assert sessions.list_damaged(store.database) == ["two"]
