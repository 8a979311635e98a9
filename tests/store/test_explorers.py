"""Explorers and their findings."""

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.session.exploration import Explorer, make_document
from ultrawork.store import sessions


@pytest.fixture
def explored(store, begin):
    begin()
    return store


def expect(store, *names):
    with store.change("s") as change:
        sessions.expect_explorers(change, names)


def add(store, name, **changes):
    with store.change("s") as change:
        return sessions.take_report(change, Explorer(id=name, **changes))


def context(store):
    return make_document(sessions.list_explorers(store.database, "s"))


def test_exploration_is_complete_when_all_expected_have_reported(explored):
    expect(explored, "overview", "exp-1")
    add(explored, "exp-1")
    assert context(explored)["exploration_complete"] is False
    add(explored, "overview")
    assert context(explored)["exploration_complete"] is True


def test_an_explorer_nobody_expected_does_no_harm(explored):
    expect(explored, "overview")
    add(explored, "extra")
    assert context(explored)["exploration_complete"] is False
    add(explored, "overview")
    assert context(explored)["exploration_complete"] is True


def test_expecting_again_counts_what_has_been_reported(explored):
    add(explored, "overview", findings={"key_files": ["a"]})
    expect(explored, "overview")
    assert context(explored)["exploration_complete"] is True
    assert context(explored)["key_files"] == ["a"]
    expect(explored, "overview", "exp-1")
    assert context(explored)["exploration_complete"] is False


def test_the_first_report_of_an_explorer_stays(explored):
    assert add(explored, "overview", summary="first") is True
    assert add(explored, "overview", summary="second") is False
    assert context(explored)["explorers"][0]["summary"] == "first"


@pytest.mark.parametrize("name", ["../x", "", "{EXPLORER}"])
def test_what_is_no_id_is_refused(explored, name):
    with pytest.raises(UsageError):
        add(explored, name)
    with pytest.raises(UsageError):
        expect(explored, name)
    assert context(explored)["explorers"] == []
