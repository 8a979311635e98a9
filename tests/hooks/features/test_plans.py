"""The active plan comes from who makes plans: agents that write one, and planned sessions."""

import os

import pytest

from support.play import Play, fenced
from support.scene import SESSION
from ultrawork.gates.trees import tree
from ultrawork.store.omc import boulder, features
from ultrawork.store.omc.folder import Omc

LATER = "5e551040-0000-4000-8000-000000000002"
PLAN = ".omc/plans/sort.md"
OPEN = "# Sort\n\n- [ ] first\n- [ ] second\n"


def wrote(project, name=PLAN, text=OPEN, **data):
    path = project.write(name, text)
    return project.tool("Write", {"file_path": path, "content": text}, **data)


def ticked(project, name=PLAN):
    text = project.read(name).replace("[ ]", "[x]", 1)
    path = project.write(name, text)
    project.tool("Edit", {"file_path": path, "old_string": "[ ]", "new_string": "[x]"})


def active(project):
    return boulder.read(Omc(project.place)).get("active_plan")


def test_a_plan_that_was_written_is_told_to_the_next_session(project, told):
    wrote(project)
    document = boulder.read(project.omc)
    assert document["active_plan"] == PLAN
    assert document["plan_name"] == "sort"
    assert document["session_ids"] == [SESSION]
    answer = project.event("SessionStart", source="startup", session_id=LATER)
    assert f"Active plan {PLAN}: 0 of 2 boxes done. Open:\n- first\n- second" in told(answer)


def test_who_only_drafted_a_plan_may_stop_until_it_is_worked_off(project, told):
    wrote(project)
    assert project.stop("Here is the plan.") == {}
    ticked(project)
    assert "1 box open in the plan: second." in told(project.stop("Done."))
    assert project.stop("Done.") == {}


def test_another_session_that_stops_with_open_boxes_is_sent_back_once(project, told):
    wrote(project)
    assert "2 boxes open in the plan" in told(project.stop("Done.", session_id=LATER))
    assert project.stop("Done.", session_id=LATER) == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".omc/plans/done.md", "- [x] all\n"),
        (".omc/plans/words.md", "No boxes.\n"),
        (".omc/plans/x.txt", OPEN),
        ("plans/x.md", OPEN),
    ],
)
def test_what_is_no_open_plan_becomes_none(project, name, text):
    wrote(project, name, text)
    assert active(project) is None


def test_a_plan_in_work_is_not_pushed_aside_by_another(project):
    wrote(project)
    ticked(project)
    wrote(project, ".omc/plans/other.md")
    assert active(project) == PLAN
    ticked(project)
    wrote(project, ".omc/plans/other.md")
    assert active(project) == ".omc/plans/other.md"


def test_a_draft_makes_way_for_the_next_one(project):
    wrote(project)
    wrote(project, ".omc/plans/better.md")
    assert active(project) == ".omc/plans/better.md"


def test_a_plan_that_leads_out_of_the_worktree_is_not_taken(project, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text(OPEN)
    os.makedirs(f"{project.place}/.omc/plans")
    os.symlink(outside, f"{project.place}/{PLAN}")
    project.tool("Write", project.file(PLAN))
    assert active(project) is None


def test_who_works_on_it_is_added_and_its_beginning_stays(project):
    wrote(project)
    began = boulder.read(project.omc)["started_at"]
    project.environ["CLAUDE_CODE_SESSION_ID"] = LATER
    wrote(project, session_id=LATER)
    document = boulder.read(project.omc)
    assert document["session_ids"] == [SESSION, LATER]
    assert document["started_at"] == began


@pytest.fixture
def play(tmp_path):
    """A planned session in a project that has the feature: task a is due."""
    played = Play(str(tmp_path / "played"))
    features.switch_on(played.state_folder, Omc(played.place), ["boulder"])
    played.begin()
    played.planned()
    played.stop("Started.")
    return played


def boxes(play):
    found = boulder.read_plan(Omc(play.place))
    return ([box[0] for box in found[1].done], [box[0] for box in found[1].open]) if found else None


def test_the_tasks_of_a_planned_session_are_boxes_that_are_ticked_when_they_are_resolved(play):
    assert boxes(play) == ([], ["a", "b", "c", "v"])
    play.worked("a")
    assert boxes(play) == (["a"], ["b", "c", "v"])


def test_the_boxes_are_part_of_no_tree(play):
    """Were they, ticking one would make every receipt stale."""
    before = tree.take_snapshot(play.place, f"{play.home}/cache", play.environ)
    boulder.write_checklist(Omc(play.place), "another", "goal", [(True, "a")])
    boulder.begin(Omc(play.place), ".omc/state/plans/another.md", LATER, 1.0)
    assert tree.take_snapshot(play.place, f"{play.home}/cache", play.environ) == before


def test_a_later_session_hears_of_it_and_how_its_person_takes_it_up(play, told):
    play.worked("a")
    answer = play.event("SessionStart", source="startup", session_id=LATER)
    assert f"resume with /ultrawork:ultrawork-exec --session {SESSION[:8]}: 1 of 4" in told(answer)
    assert "- b: Correct b" in told(answer)


def test_a_plan_that_was_made_in_a_terminal_is_heard_of_as_well(play, told):
    os.unlink(f"{play.place}/.omc/boulder.json")
    answer = play.event("SessionStart", source="startup", session_id=LATER)
    assert "0 of 4 boxes done" in told(answer)


def test_no_other_session_is_held_by_the_tasks_of_a_planned_one(play):
    assert play.stop("Done.", session_id=LATER) == {}


def test_the_session_itself_is_not_told_twice(play, told):
    assert "Active plan" not in told(play.event("SessionStart", source="resume"))


def test_an_ended_session_leaves_no_active_plan(play, told):
    play.run("cancel", "--session", "last")
    answer = play.event("SessionStart", source="startup", session_id=LATER)
    assert "Active plan" not in told(answer)
    assert active(play) is None


@pytest.mark.slow
def test_a_session_that_came_to_its_end_has_all_boxes_ticked(play):
    for name in "abc":
        play.worked(name)
    play.stop("All done.")
    play.end(play.agent("verifier"), fenced({"verdict": "PASS", "findings": []}))
    play.stop("Done.")
    [name] = os.listdir(f"{play.place}/.omc/state/plans")
    assert play.session()["phase"] == "COMPLETE"
    assert "[ ]" not in play.read(f".omc/state/plans/{name}")
    assert active(play) is None
