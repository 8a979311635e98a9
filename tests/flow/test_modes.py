"""Modes over a session: which go together, how they end, how they are taken up again."""

import json
import os

import pytest

from ultrawork.core.errors import Conflict, NotFound, UsageError
from ultrawork.core.modes import record, tables
from ultrawork.core.session.session import CANCELLED, EXECUTION, FAILED, FULL, LIGHT, Session
from ultrawork.flow import modes
from ultrawork.store import ending, markers, sessions, views
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

NOW = 1_700_000_000.0


class House:
    """A worktree, a state folder and a few sessions in it."""

    def __init__(self, root):
        self.now = NOW
        self.place = f"{root}/project"
        os.makedirs(self.place)
        self.store = Store(Home(f"{root}/state"), actor="hook", clock=lambda: self.now)

    def session(self, name, kind=FULL):
        value = Session(id=name, goal="g", working_dir=self.place, kind=kind, started_at=self.now)
        with self.store.change(name) as change:
            sessions.create(change, value)
        markers.put(self.store.home, markers.ACTIVE, name, {"kind": kind})

    def begin(self, name, mode, **more):
        return modes.begin(self.store, self.place, name, mode, now=self.now, **more)

    def resume(self, name, mode):
        return modes.resume(self.store, self.place, name, mode, now=self.now)

    def end(self, name, mode, phase):
        modes.end(self.store, name, mode, phase, now=self.now)

    def get(self, name):
        return sessions.get(self.store.database, name)

    def on(self, name):
        return list(record.read_active(self.get(name)))

    def file(self, name, mode):
        path = f"{self.place}/.omc/state/sessions/{name}/{mode}-state.json"
        if not os.path.exists(path):
            return None
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def marked(self, name):
        return (markers.get(self.store.home, markers.ACTIVE, name) or {}).get("modes")


@pytest.fixture
def house(tmp_path):
    house = House(str(tmp_path))
    yield house
    house.store.database.close()


@pytest.fixture
def planned(house):
    house.session("a")
    house.session("b")
    return house


@pytest.fixture
def light(house):
    house.session("a", LIGHT)
    house.session("b", LIGHT)
    return house


def test_a_mode_is_in_the_record_in_its_file_and_in_the_marker(planned):
    planned.begin("a", "autopilot", facts={"originalIdea": "a shop"})
    assert planned.on("a") == ["autopilot"]
    assert planned.marked("a") == ["autopilot"]
    shown = planned.file("a", "autopilot")
    assert (shown["active"], shown["phase"], shown["iteration"]) == (True, "expansion", 1)
    assert (shown["originalIdea"], shown["project_path"]) == ("a shop", planned.place)


@pytest.mark.parametrize("other", ["ultrapilot", "pipeline", "swarm"])
def test_an_exclusive_mode_keeps_the_others_out_of_the_worktree(planned, other):
    planned.begin("a", "autopilot")
    with pytest.raises(Conflict, match="autopilot is on in session a"):
        planned.begin("b", other)
    assert planned.on("b") == []
    assert planned.file("b", other) is None
    assert not os.path.exists(f"{planned.place}/.omc/state/swarm-active.marker")


def test_what_may_not_begin_can_be_asked_before(planned):
    planned.begin("a", "pipeline")
    with pytest.raises(Conflict, match="pipeline is on"):
        modes.refuse_rivals(planned.store, planned.place, "b", "swarm")
    modes.refuse_rivals(planned.store, planned.place, "b", "ralph")


def test_ralph_and_ultraqa_exclude_each_other_in_one_session_only(light):
    light.begin("a", "ralph")
    with pytest.raises(Conflict, match="ralph is on in this session"):
        light.begin("a", "ultraqa")
    light.begin("b", "ultraqa")


def test_linked_modes_begin_and_end_together(light):
    light.begin("a", "ralph", linked=("ultrawork",))
    assert light.on("a") == ["ralph", "ultrawork"]
    assert light.file("a", "ultrawork")["linked"] == ["ralph"]
    light.end("a", "ralph", tables.CANCELLED)
    assert light.on("a") == []
    assert light.marked("a") == []
    assert light.file("a", "ultrawork")["active"] is False


def test_ralph_goes_with_a_team_that_is_on_already(planned):
    planned.begin("a", "team")
    planned.begin("a", "ralph", linked=("team",))
    assert record.read_active(planned.get("a"))["team"].linked == ("ralph",)
    planned.end("a", "team", tables.FAILED)
    assert planned.on("a") == []
    assert record.read_all(planned.get("a"))["ralph"].phase == "failed"


def test_a_team_takes_the_place_of_autopilot_which_is_kept(planned):
    planned.begin("a", "autopilot")
    planned.begin("a", "team")
    assert planned.on("a") == ["team"]
    assert planned.file("a", "autopilot")["active"] is False
    with pytest.raises(Conflict, match="team is on in this session"):
        planned.begin("a", "autopilot")
    planned.end("a", "team", tables.CANCELLED)
    assert planned.resume("a", "autopilot").phase == "expansion"


def test_a_session_without_a_plan_carries_no_mode_that_needs_one(light):
    with pytest.raises(Conflict, match="needs a session with a plan"):
        light.begin("a", "team")
    assert light.file("a", "team") is None


def test_a_mode_that_is_on_goes_on_and_hears_what_is_new(light):
    first = light.begin("a", "ralph", facts={"prompt": "x"})
    light.now += 60
    again = light.begin("a", "ralph", facts={"prompt": "y"}, limits={"iteration": 4})
    assert (again.started_at, again.facts["prompt"]) == (first.started_at, "y")
    assert tables.count_left(again) == {"iteration": 3}


def test_a_wrong_limit_leaves_nothing_behind(light):
    with pytest.raises(UsageError, match="ralph has no limit cycle"):
        light.begin("a", "ralph", limits={"cycle": 2})
    assert record.read_all(light.get("a")) == {}
    assert light.file("a", "ralph") is None


def test_of_linked_modes_none_begins_if_one_may_not(light):
    light.begin("a", "ultraqa")
    with pytest.raises(Conflict):
        light.begin("a", "ralph", linked=("ultrawork",))
    assert light.on("a") == ["ultraqa"]
    assert light.file("a", "ultrawork") is None


def test_what_was_claimed_in_files_is_given_back_when_a_linked_mode_is_refused(planned):
    """A script may have begun a rival that the record knows nothing of."""
    planned.begin("b", "swarm")
    with pytest.raises(Conflict, match="swarm is on"):
        planned.begin("a", "ralph", linked=("pipeline",))
    assert planned.file("a", "ralph") is None
    assert planned.on("a") == []


def test_completing_needs_the_gates_verdict_for_all_that_are_linked(light):
    light.begin("a", "ralph", linked=("ultrawork",))
    with pytest.raises(Conflict, match="PASS"):
        light.end("a", "ralph", tables.COMPLETE)
    assert light.on("a") == ["ralph", "ultrawork"]
    with light.store.change("a") as change:
        session = sessions.get(change.database, "a")
        progress = record.read_active(session)["ralph"]
        progress.facts["proved"] = True
        modes.save(change, session, progress)
    light.end("a", "ralph", tables.COMPLETE)
    assert {one.phase for one in record.read_all(light.get("a")).values()} == {"complete"}


@pytest.mark.parametrize(
    ("phase", "verdict", "expected"),
    [
        (CANCELLED, "UNVERIFIED", "working"),
        (EXECUTION, "UNVERIFIED", "working"),
        (EXECUTION, "PASS", "complete"),
        (FAILED, "UNVERIFIED", "failed"),
    ],
)
def test_a_session_that_ends_takes_its_modes_along(light, phase, verdict, expected):
    light.begin("a", "ralph")
    with light.store.change("a") as change:
        session = sessions.get(change.database, "a")
        session.phase, session.verdict, session.ended_at = phase, verdict, change.now
        sessions.save(change, session, "session.ended", {})
    assert light.on("a") == []
    assert light.file("a", "ralph")["active"] is False
    assert light.file("a", "ralph")["phase"] == expected


def test_switching_off_ends_every_mode_and_keeps_its_state(planned):
    planned.begin("a", "team", facts={"plan_path": "p.md"})
    planned.begin("a", "ralph", linked=("team",))
    ending.release(planned.store, "a", how="ulw off")
    assert planned.on("a") == []
    team = record.read_all(planned.get("a"))["team"]
    assert (team.phase, team.facts["plan_path"]) == ("cancelled", "p.md")
    planned.begin("b", "swarm")


def test_a_file_that_its_session_has_outlived_is_in_nobodys_way(planned):
    planned.begin("a", "autopilot")
    path = f"{planned.place}/.omc/state/sessions/a/autopilot-state.json"
    with open(path, encoding="utf-8") as file:
        active = file.read()
    ending.release(planned.store, "a", how="ulw off")
    with open(path, "w", encoding="utf-8") as file:
        file.write(active)
    modes.refuse_rivals(planned.store, planned.place, "b", "swarm")
    assert planned.file("a", "autopilot")["active"] is False


def test_a_swarm_is_over_for_the_worktree_when_its_last_session_left(light):
    marker = f"{light.place}/.omc/state/swarm-active.marker"
    light.now = os.stat(light.place).st_mtime
    light.begin("a", "swarm")
    light.begin("b", "swarm")
    light.end("a", "swarm", tables.CANCELLED)
    assert os.path.exists(marker)
    light.end("b", "swarm", tables.CANCELLED)
    assert not os.path.exists(marker)


def test_an_interrupted_mode_is_taken_up_where_it_was(light):
    light.begin("a", "ralph", linked=("ultrawork",))
    light.now += 301
    assert light.resume("a", "ralph").updated_at == light.now
    assert light.on("a") == ["ralph", "ultrawork"]


def test_a_cancelled_mode_is_taken_up_within_an_hour_and_not_later(planned):
    planned.begin("a", "autopilot", facts={"spec_path": "s.md"})
    planned.end("a", "autopilot", tables.CANCELLED)
    planned.now += 3599
    assert planned.resume("a", "autopilot").facts["spec_path"] == "s.md"
    planned.end("a", "autopilot", tables.CANCELLED)
    planned.now += 3600
    with pytest.raises(Conflict, match="was last active 1 h 0 min ago"):
        planned.resume("a", "autopilot")


def test_a_cancelled_team_that_has_a_plan_goes_on_with_execution(planned):
    planned.begin("a", "team", facts={"plan_path": "p.md"})
    planned.end("a", "team", tables.CANCELLED)
    assert planned.resume("a", "team").phase == "team-exec"
    assert planned.file("a", "team")["active"] is True


def test_a_team_without_a_plan_begins_again_with_planning(planned):
    planned.begin("a", "team")
    planned.end("a", "team", tables.CANCELLED)
    assert planned.resume("a", "team").phase == "team-plan"


def test_a_team_whose_person_did_not_want_it_kept_stays_cancelled(planned):
    planned.begin("a", "team", facts={"preserve_for_resume": False})
    planned.end("a", "team", tables.CANCELLED)
    with pytest.raises(Conflict, match="without keeping it"):
        planned.resume("a", "team")
    assert planned.on("a") == []


def test_what_failed_or_never_was_cannot_be_taken_up(light):
    light.begin("a", "ralph")
    light.end("a", "ralph", tables.FAILED)
    with pytest.raises(Conflict, match="ralph is failed"):
        light.resume("a", "ralph")
    with pytest.raises(NotFound, match="ultraqa has never run"):
        light.resume("a", "ultraqa")


def test_a_rival_that_began_meanwhile_keeps_a_cancelled_mode_from_being_taken_up(planned):
    planned.begin("a", "autopilot")
    planned.end("a", "autopilot", tables.CANCELLED)
    planned.begin("b", "pipeline")
    with pytest.raises(Conflict, match="pipeline is on"):
        planned.resume("a", "autopilot")
    assert planned.file("a", "autopilot")["active"] is False


def test_a_file_that_somebody_removed_does_not_let_a_rival_in(planned):
    planned.begin("a", "autopilot")
    os.unlink(f"{planned.place}/.omc/state/sessions/a/autopilot-state.json")
    with pytest.raises(Conflict, match="autopilot is on in session a"):
        planned.begin("b", "pipeline")


def test_an_exclusive_mode_that_nobody_touched_for_two_hours_makes_way_and_is_kept(planned):
    planned.begin("a", "autopilot")
    planned.now += 7201
    planned.begin("b", "pipeline")
    assert planned.on("a") == []
    assert record.read_all(planned.get("a"))["autopilot"].phase == "expansion"


def test_a_mode_whose_session_is_at_work_does_not_make_way(planned):
    planned.begin("a", "autopilot")
    planned.now += 7201
    with planned.store.change("a") as change:
        sessions.save(change, sessions.get(change.database, "a"), "task.done", {})
    with pytest.raises(Conflict, match="autopilot is on"):
        planned.begin("b", "pipeline")


def test_modes_that_exclude_each_other_cannot_be_linked(light):
    with pytest.raises(Conflict, match="ultraqa is on in this session"):
        light.begin("a", "ralph", linked=("ultraqa",))
    assert light.on("a") == []


def test_over_a_plan_the_rounds_of_ralph_are_those_of_the_plan(planned):
    planned.begin("a", "team", linked=("ralph",))
    with planned.store.change("a") as change:
        session = sessions.get(change.database, "a")
        session.iteration, session.options["max_iterations"] = 3, 7
        sessions.save(change, session, "round", {})
    ralph = record.read_active(planned.get("a"))["ralph"]
    assert (ralph.counts, tables.count_left(ralph)) == ({"iteration": 3}, {"iteration": 4})
    assert planned.file("a", "ralph")["max_iterations"] == 7


def test_the_files_can_be_made_again_from_the_record(planned):
    planned.begin("a", "autopilot")
    os.unlink(f"{planned.place}/.omc/state/sessions/a/autopilot-state.json")
    store = planned.store
    views.refresh(store.database, store.home, "a", views.list_names(store.database, "a"))
    assert planned.file("a", "autopilot")["active"] is True


def test_a_session_that_made_way_for_another_of_its_name_holds_no_mode(planned):
    planned.begin("a", "autopilot")
    planned.now += 60
    again = Session(id="a", goal="g", working_dir=planned.place, started_at=planned.now)
    with planned.store.change("a") as change:
        sessions.create(change, again, force=True)
    planned.begin("a", "pipeline")
    assert planned.on("a") == ["pipeline"]


def test_a_worktree_that_cannot_be_written_lets_the_session_go_on_and_end(light):
    light.begin("a", "ralph")
    folder = f"{light.place}/.omc/state/sessions/a"
    os.rename(folder, f"{folder}-moved")
    with open(folder, "w", encoding="utf-8"):
        pass
    ending.release(light.store, "a", how="ulw off")
    assert light.on("a") == []
