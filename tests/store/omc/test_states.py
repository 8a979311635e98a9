import json

import pytest

from ultrawork.core.errors import Trouble, UsageError
from ultrawork.store.omc import states
from ultrawork.store.omc.place import Omc

NOW = 1_795_435_200.0


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
    assert states.active(omc, "ralph") == ["shared", "a"]
    assert states.active(omc, "team") == []


def test_a_state_of_another_session_in_the_wrong_folder_does_not_count(omc, tmp_path):
    states.write(omc, "ralph", {"active": True}, session="a", now=NOW)
    path = tmp_path / ".omc" / "state" / "sessions" / "a" / "ralph-state.json"
    path.write_text(json.dumps({"active": True, "session_id": "b"}))
    assert not states.is_active(omc, "ralph", "a")


@pytest.mark.parametrize("mode", ["../../etc/passwd", "", "ralph\0", "Ralph", "ralplan"])
def test_only_the_eight_modes_reach_a_path(omc, mode):
    with pytest.raises(UsageError, match="is no mode"):
        states.write(omc, mode, {}, now=NOW)


@pytest.mark.parametrize("session", ["../x", "a/b", "{{session}}", ".hidden"])
def test_only_real_session_ids_reach_a_path(omc, session):
    with pytest.raises(UsageError):
        states.write(omc, "ralph", {}, session=session, now=NOW)


def test_swarm_has_a_database_and_no_state_file(omc):
    with pytest.raises(UsageError, match=r"swarm-state\.db"):
        states.write(omc, "swarm", {"active": True}, now=NOW)


def test_a_garbled_state_is_refused_and_can_be_cleared(omc, tmp_path):
    path = tmp_path / ".omc" / "state" / "ralph-state.json"
    path.parent.mkdir(parents=True)
    path.write_text("[1]")
    with pytest.raises(Trouble, match="state_clear"):
        states.write(omc, "ralph", {"active": True}, now=NOW)
    assert states.active(omc, "ralph") == []
    assert states.clear(omc, "ralph")
    assert states.read(omc, "ralph") is None
