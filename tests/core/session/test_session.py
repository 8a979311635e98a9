"""A session as a value."""

import pathlib
import re

import pytest

from support.floor import PLUGIN
from ultrawork.core.session.session import ALL, CANCELLED, DEFAULT_OPTIONS, FAILED, Session


def session(**changes):
    return Session(id="s", goal="g", working_dir="/p", started_at=0.0, **changes)


def test_a_new_session_begins_in_planning_with_the_defaults_of_the_documents():
    document = session().document()
    assert document["phase"] == "PLANNING"
    assert document["exploration_stage"] == "not_started"
    assert document["iteration"] == 1
    assert document["options"] == DEFAULT_OPTIONS == {
        "max_workers": 0,
        "max_iterations": 5,
        "skip_verify": False,
        "plan_only": False,
        "auto_mode": False,
    }  # fmt: skip
    assert document["plan"] == {"version": 1, "created_at": None, "approved_at": None}
    assert document["updated_at"] == document["started_at"] == "1970-01-01T00:00:00Z"
    assert document["verdict"] is document["ended_at"] is document["cancelled_at"] is None


def test_options_that_are_given_stand_beside_the_defaults():
    assert session(options={"max_workers": 3}).options["max_workers"] == 3
    assert session(options={"max_workers": 3}).options["max_iterations"] == 5


def test_the_state_of_modes_is_shown_beside_the_rest():
    assert session(state={"ulw": {"enabled": True}}).document()["ulw"] == {"enabled": True}


@pytest.mark.parametrize("phase", ALL)
def test_a_session_is_active_until_it_ends(phase):
    assert session(phase=phase).active is (phase not in ("COMPLETE", "FAILED", "CANCELLED"))
    assert not session(phase=phase, ended_at=1.0).active


def test_only_a_cancelled_session_shows_when_it_was_cancelled():
    assert session(phase=CANCELLED, ended_at=60.0).document()["cancelled_at"]
    assert session(phase=FAILED, ended_at=60.0).document()["cancelled_at"] is None


def test_the_state_is_kept_by_the_keys_of_the_documents():
    begun = session()
    begun.state.ulw = {"enabled": True}
    begun.state.stop_continuation = {"disabled": False}
    begun.state.plan_errors = ["no"]
    assert begun.state == {
        "ulw": {"enabled": True}, "stopContinuation": {"disabled": False}, "plan_errors": ["no"],
    }  # fmt: skip
    del begun.state.stop_continuation
    del begun.state.stop_continuation
    assert list(begun.document())[-2:] == ["ulw", "plan_errors"]


def test_what_is_missing_or_of_another_kind_is_empty():
    state = session(state={"ulw": "on", "untold": None, "delegation": 3, "modes": {}}).state
    assert (state.ulw, state.untold, state.delegation, state.answered) == ({}, [], "", False)
    assert state.has_modes
    assert not session().state.has_modes


def test_no_other_module_spells_a_key_of_the_state():
    spelled = re.compile(r"\.state(\[|\.(get|pop|setdefault)\()")
    src = pathlib.Path(PLUGIN, "src")
    assert [path.name for path in src.rglob("*.py") if spelled.search(path.read_text())] == []
