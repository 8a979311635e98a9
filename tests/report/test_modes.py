"""What status says of modes."""

from time import time

import pytest

from support.floor import Program
from ultrawork.core.modes import record
from ultrawork.core.session.session import LIGHT, Session
from ultrawork.flow import modes
from ultrawork.report import status
from ultrawork.store import sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

OWNER, OTHER = "7f3a51c2-0000", "9c1f0a2e-0000"


@pytest.fixture
def program(tmp_path):
    return Program(str(tmp_path))


@pytest.fixture
def store(program):
    store = Store(Home(program.home), actor="hook", clock=time)
    for name in (OWNER, OTHER):
        value = Session(id=name, goal="fix it", working_dir=program.place, kind=LIGHT, started_at=store.now())
        with store.change(name) as change:
            sessions.create(change, value)
    yield store
    store.database.close()


def begin(store, program, name, mode, **more):
    return modes.begin(store, program.place, name, mode, now=store.now(), **more)


def test_status_shows_every_mode_of_the_worktree_with_owner_phase_and_what_is_left(program, store):
    begin(store, program, OWNER, "ralph", linked=("ultrawork",))
    begin(store, program, OTHER, "ultraqa")
    lines = program.done("status", "--session", OWNER).out.splitlines()
    assert [line for line in lines if line.startswith("mode")] == [
        "mode       ralph working, 7f3a51c2, left: iteration 9 of 10, with ultrawork",
        "mode       ultrawork working, 7f3a51c2, with ralph",
        "mode       ultraqa working, 9c1f0a2e, left: cycle 4 of 5",
    ]


def test_the_same_as_json(program, store):
    begin(store, program, OWNER, "ralph")
    (row,) = program.done("status", "--session", OWNER, "--json").data["modes"]
    assert (row["mode"], row["owner"], row["phase"]) == ("ralph", OWNER, "working")
    assert (row["left"], row["limits"]) == ({"iteration": 9}, {"iteration": 10})
    assert row["state"] == "running"


def test_a_mode_that_nobody_touches_is_shown_as_quiet(program, store):
    begun = begin(store, program, OWNER, "ralph")
    session = sessions.get(store.database, OWNER)
    found = status.read(store, session, limit=8, now=begun.updated_at + 600)
    assert "quiet for 10 min" in status.render(found)
    assert found["modes"][0]["state"] == "interrupted"


def test_a_check_without_a_result_was_not_run(store):
    found = status.read(store, sessions.get(store.database, OWNER), limit=8)
    found["results"] = {"lint": "green", "test": None}
    assert "last run   lint green, test not run" in status.render(found)


def test_a_session_without_modes_has_no_line_of_a_mode(program, store):
    """Its refusals have a line of their own; for programs it is a mode like others."""
    begin(store, program, OWNER, "ralph")
    modes.end(store, OWNER, "ralph", "cancelled", now=store.now())
    assert "\nmode " not in program.done("status", "--session", OWNER).out
    (row,) = program.done("status", "--session", OWNER, "--json").data["modes"]
    assert (row["mode"], row["left"]) == ("ultrawork", {"refusals": 8})


def test_a_swarm_without_a_session_is_shown_where_there_is_no_session(program):
    program.done("swarm", "start", "port the tests")
    program.done("swarm", "add", "one")
    assert program.done("status").out.splitlines() == [
        "no session in this checkout yet",
        "mode       swarm working, shared, 0 of 1 done",
    ]
    (row,) = program.done("status", "--json").data["modes"]
    assert (row["mode"], row["owner"], row["state"]) == ("swarm", "shared", "running")
    program.done("swarm", "stop")
    assert program.call("status").status == 4


def test_a_mode_that_a_script_wrote_is_shown_where_there_is_no_session(program):
    program.done("mode", "write", "autopilot", "active=true", "phase=qa")
    program.done("mode", "write", "ralph", "active=true", "--session", "script-17")
    assert program.done("status").out.splitlines() == [
        "no session in this checkout yet",
        "mode       autopilot qa, shared, from its state file",
        "mode       ralph working, script-1, from its state file",
    ]
    program.done("mode", "write", "autopilot", "active=false")
    program.done("mode", "write", "ralph", "active=false", "--session", "script-17")
    assert program.call("status").status == 4


def test_modes_of_files_stand_beside_those_of_sessions_and_none_twice(program, store):
    begin(store, program, OWNER, "ralph")
    program.done("mode", "write", "ultraqa", "active=true")
    program.done("swarm", "start", "port the tests")
    lines = program.done("status", "--session", OWNER).out.splitlines()
    assert [line for line in lines if line.startswith("mode")] == [
        "mode       ralph working, 7f3a51c2, left: iteration 9 of 10",
        "mode       ultraqa working, shared, from its state file",
        "mode       swarm working, shared, 0 of 0 done",
    ]


def test_a_session_in_a_swarm_has_one_line_for_it(program, store):
    begin(store, program, OWNER, "swarm")
    found = program.done("status", "--session", OWNER, "--json").data["modes"]
    assert [(one["mode"], one["owner"]) for one in found] == [("swarm", OWNER)]


def test_what_a_script_writes_for_a_session_is_shown(program, store):
    program.done("mode", "write", "team", "active=true", "phase=[1]", "--session", OWNER)
    lines = program.done("status", "--session", OWNER).out.splitlines()
    assert [line for line in lines if line.startswith("mode")] == [
        "mode       team working, 7f3a51c2, from its state file"
    ]


def test_a_file_of_a_mode_that_its_session_has_ended_is_not_believed(program, store):
    begin(store, program, OWNER, "ralph")
    modes.end(store, OWNER, "ralph", "cancelled", now=store.now())
    program.done("mode", "write", "ralph", "active=true", "--session", OWNER)
    found = program.done("status", "--session", OWNER, "--json").data["modes"]
    assert [one["mode"] for one in found] == ["ultrawork"]


def test_a_marker_that_cannot_be_read_is_shown_as_a_swarm(program):
    program.done("swarm", "start", "port the tests")
    with open(f"{program.place}/.omc/state/swarm-active.marker", "wb") as file:
        file.write(b"\xff\xfe")
    assert "mode       swarm working, shared, 0 of 0 done\n" in program.done("status").out


def test_cancel_ends_every_mode_of_the_session_and_says_that_it_is_kept(program, store):
    begin(store, program, OWNER, "ralph", linked=("ultrawork",))
    begin(store, program, OTHER, "ultraqa")
    told = program.done("cancel", "--session", OWNER).out
    assert "; saved for later: ralph, ultrawork. Files" in told
    assert record.read_active(sessions.get(store.database, OWNER)) == {}
    assert list(record.read_active(sessions.get(store.database, OTHER))) == ["ultraqa"]


def test_clearing_a_mode_ends_it_in_the_record_of_its_session(program, store):
    begin(store, program, OWNER, "ralph", linked=("ultrawork",))
    assert program.done("mode", "clear", "ralph").out == "ralph: cleared\n"
    assert record.read_active(sessions.get(store.database, OWNER)) == {}


def test_an_agent_cannot_end_the_mode_that_keeps_it_at_work(program, store):
    begin(store, program, OWNER, "ralph")
    answer = program.call("mode", "clear", "ralph", env={"CLAUDE_CODE_SESSION_ID": OWNER})
    assert answer.status == 5
    assert "only the user" in answer.err
    assert list(record.read_active(sessions.get(store.database, OWNER))) == ["ralph"]
