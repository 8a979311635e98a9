"""What an event loads: each module costs a quarter of a millisecond, and a heavy one many of them."""

import pytest

from support.hot import EVENTS as HOT
from support.hot import load_event as loaded
from support.hot import switch_on
from ultrawork.hooks.table import ARMED, FEATURES, HANDLERS, PLANNED, list_rows


@pytest.fixture(scope="module")
def on(tmp_path_factory):
    return switch_on(str(tmp_path_factory.mktemp("on") / "scene"))


@pytest.mark.parametrize(("event", "data", "most"), HOT, ids=[f"{e}-{i}" for i, (e, _, _) in enumerate(HOT)])
def test_an_event_that_comes_often_loads_little(on, event, data, most):
    ours = sorted(name for name in loaded(on, event, data) if name.split(".")[0] == "ultrawork")
    assert len(ours) <= most, "\n".join(ours)


def test_what_only_some_sessions_have_is_not_loaded_elsewhere(on):
    theirs = {
        row.full_name.partition(":")[0]
        for event in HANDLERS
        for row in list_rows(event)
        if row.when in (PLANNED, FEATURES, "swarm open") and row.name != "todo-list"  # of hooks.tool
    }
    assert len(theirs) > 15
    for event, data, _ in HOT:
        own = {
            row.full_name.partition(":")[0]
            for row in list_rows(event)
            if row.when not in (PLANNED, FEATURES, "swarm open")
        }
        assert not (theirs - own) & loaded(on, event, data), event


NO_FEATURE = ("agent-answers", "waits", "rings", "begun", "queued-words")


def test_a_feature_is_asked_for_exactly_where_features_are():
    for event in HANDLERS:
        for row in list_rows(event):
            asks = row.when == FEATURES or (row.when == ARMED and row.name not in NO_FEATURE)
            assert bool(row.features) == asks, row


MODES = (
    "ultrawork.core.modes.machine",
    "ultrawork.core.modes.tables",
    "ultrawork.core.modes.record",
    "ultrawork.store.modes",
    "ultrawork.flow.modes",
    "ultrawork.hooks.modes",
)


@pytest.mark.parametrize(
    ("event", "data"), [*((event, data) for event, data, _ in HOT), ("Stop", {"last_assistant_message": "Done."})]
)
def test_a_session_without_a_mode_loads_nothing_of_modes(on, event, data):
    assert [name for name in loaded(on, event, data) if name.startswith(MODES)] == []
