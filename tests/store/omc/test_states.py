import json

import pytest

from ultrawork.core.errors import Conflict, Trouble, UsageError
from ultrawork.features.swarm.store.board import Board
from ultrawork.store.omc import states
from ultrawork.store.omc.folder import Omc

NOW = 1_795_435_200.0
FRESH = "2026-11-23T11:59:00Z"


@pytest.fixture
def omc(tmp_path):
    return Omc(str(tmp_path))


def test_a_second_write_keeps_what_the_first_one_wrote(omc):
    states.write(omc, "team", {"active": True, "team_name": "t"}, now=NOW)
    states.write(omc, "team", {"current_phase": "team-exec"}, now=NOW)
    state = states.read(omc, "team")
    assert (state["active"], state["team_name"]) == (True, "t")
    assert state["current_phase"] == "team-exec"
    assert state["_meta"]["updatedAt"] == "2026-11-23T12:00:00Z"


def test_sessions_do_not_see_each_others_state(omc):
    states.write(omc, "ralph", {"active": True, "n": 1}, session="a", now=NOW)
    states.write(omc, "ralph", {"active": True, "n": 2}, session="b", now=NOW)
    states.clear(omc, "ralph", "a")
    assert states.read(omc, "ralph", "a") is None
    assert states.read(omc, "ralph", "b")["n"] == 2
    assert states.read(omc, "ralph") is None


def test_a_state_says_whose_it_is(omc):
    assert states.write(omc, "ralph", {}, session="a", now=NOW)["session_id"] == "a"


def test_active_modes_are_listed_with_their_sessions(omc):
    states.write(omc, "ralph", {"active": True}, session="a", now=NOW)
    states.write(omc, "ralph", {"active": False}, session="b", now=NOW)
    states.write(omc, "ralph", {"active": True}, now=NOW)
    assert states.list_active(omc, "ralph", NOW) == ["shared", "a"]
    assert states.list_active(omc, "team", NOW) == []


def test_a_state_of_another_session_in_the_wrong_folder_does_not_count(omc, tmp_path):
    states.write(omc, "ralph", {"active": True}, session="a", now=NOW)
    path = tmp_path / ".omc" / "state" / "sessions" / "a" / "ralph-state.json"
    path.write_text(json.dumps({"active": True, "session_id": "b", "started_at": FRESH}))
    assert not states.is_active(omc, "ralph", "a", NOW)


@pytest.mark.parametrize("mode", ["../../etc/passwd", "", "ralph\0", "Ralph", "ralplan"])
def test_only_the_eight_modes_reach_a_path(omc, mode):
    with pytest.raises(UsageError, match="is not a mode"):
        states.write(omc, mode, {}, now=NOW)


@pytest.mark.parametrize("session", ["../x", "a/b", "{{session}}", ".hidden"])
def test_only_real_session_ids_reach_a_path(omc, session):
    with pytest.raises(UsageError):
        states.write(omc, "ralph", {}, session=session, now=NOW)


def test_the_state_of_a_swarm_is_who_is_in_it_what_was_written_and_its_tasks(omc):
    assert states.read(omc, "swarm") is None
    states.write(omc, "swarm", {"active": True, "task_description": "mend"}, session="a", now=NOW)
    states.write(omc, "swarm", {"active": True, "tasks": 7}, session="b", now=NOW)
    found = states.read(omc, "swarm", "a")
    assert found == {"active": True, "sessions": ["a", "b"], "task_description": "mend", "tasks": {}}
    Board(omc, create=True).close()
    assert states.read(omc, "swarm")["tasks"]["total"] == 0
    states.write(omc, "swarm", {"active": False}, session="a", now=NOW)
    assert states.read(omc, "swarm")["sessions"] == ["b"]
    states.write(omc, "swarm", {"active": False}, session="b", now=NOW)
    assert states.read(omc, "swarm")["active"] is False


def test_a_garbled_state_is_refused_and_can_be_cleared(omc, tmp_path):
    path = tmp_path / ".omc" / "state" / "ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text("[1]")
    with pytest.raises(Trouble, match="state_clear"):
        states.write(omc, "ralph", {"active": True}, now=NOW)
    assert states.list_active(omc, "ralph", NOW) == []
    assert states.clear(omc, "ralph")
    assert states.read(omc, "ralph") is None


def put(tmp_path, name, text):
    path = tmp_path / ".omc" / "state" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text))
    return path


def test_a_state_that_nobody_touched_for_two_hours_is_ignored(omc):
    states.write(omc, "ralph", {"active": True}, session="a", now=NOW)
    assert states.is_active(omc, "ralph", "a", NOW + 7_199)
    assert not states.is_active(omc, "ralph", "a", NOW + 7_201)


def test_a_state_without_a_time_is_as_old_as_its_file(omc, tmp_path):
    path = put(tmp_path, "ralph-state.json", {"active": True})
    written = path.stat().st_mtime
    assert states.list_active(omc, "ralph", written + 10) == ["shared"]
    assert states.list_active(omc, "ralph", written + 7_300) == []


def test_a_state_of_another_worktree_is_ignored(omc):
    states.write(omc, "ralph", {"active": True, "project_path": "/elsewhere"}, now=NOW)
    assert states.list_active(omc, "ralph", NOW) == []
    states.write(omc, "ralph", {"project_path": omc.top}, now=NOW)
    assert states.list_active(omc, "ralph", NOW) == ["shared"]


@pytest.mark.parametrize("second", ["ultrapilot", "pipeline"])
def test_modes_that_take_the_whole_worktree_shut_each_other_out(omc, second):
    states.write(omc, "autopilot", {"active": True}, session="a", now=NOW)
    with pytest.raises(Conflict, match="autopilot is on in session a; end it there: ulw off"):
        states.write(omc, second, {"active": True}, session="b", now=NOW)
    assert states.read(omc, second, "b") is None
    states.write(omc, second, {"active": True}, session="b", now=NOW + 7_300)


def test_a_running_swarm_shuts_out_the_others_until_it_is_cleared(omc, tmp_path):
    marker = put(tmp_path, "swarm-active.marker", "{}")
    now = marker.stat().st_mtime
    with pytest.raises(Conflict, match="swarm is on"):
        states.write(omc, "autopilot", {"active": True}, now=now)
    assert states.list_active(omc, "swarm", now) == ["shared"]
    assert states.list_active(omc, "swarm", now + 3_700) == []
    assert states.clear(omc, "swarm")
    states.write(omc, "autopilot", {"active": True}, now=now)


def test_ralph_and_ultraqa_exclude_each_other_within_one_session_only(omc):
    states.write(omc, "ralph", {"active": True}, session="a", now=NOW)
    states.write(omc, "ultraqa", {"active": True}, session="b", now=NOW)
    with pytest.raises(Conflict, match="ralph is on"):
        states.write(omc, "ultraqa", {"active": True}, session="a", now=NOW)


def test_a_mode_that_is_on_may_write_on_and_one_that_ends_is_never_refused(omc):
    states.write(omc, "autopilot", {"active": True}, session="a", now=NOW)
    states.write(omc, "autopilot", {"iteration": 2}, session="a", now=NOW)
    states.write(omc, "pipeline", {"active": False}, session="b", now=NOW)


def test_clearing_takes_the_marker_along(omc, tmp_path):
    states.write(omc, "ralph", {"active": True}, session="a", now=NOW)
    marker = put(tmp_path, "sessions/a/ralph-verification.json", {})
    states.clear(omc, "ralph", "a")
    assert not marker.exists()


def test_an_ended_session_leaves_only_what_can_be_resumed(omc):
    states.write(omc, "ralph", {"active": True}, session="a", now=NOW)
    states.write(omc, "team", {"active": False}, session="a", now=NOW)
    assert states.sweep(omc, "a", NOW) == ["team"]
    assert states.read(omc, "ralph", "a") is not None
