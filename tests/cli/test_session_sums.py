"""`ultrawork wait`, `export` and `stats`: small verbs over sessions, as scripts use them."""

import json
import os

import pytest

from support.scene import QUICK, SESSION, Scene, refused


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """A session that was sent back once and ended with a PASS."""
    scene = Scene(str(tmp_path_factory.mktemp("ended")), QUICK)
    scene.commit()
    scene.prompt("ulw ralph change the words")
    scene.edit("app.txt", "wrong\n")
    assert refused(scene.stop("All done."))
    scene.edit("app.txt", "right words\n")
    assert not refused(scene.stop("All done."))
    return scene


def data(scene, *words):
    return json.loads(scene.run(*words, "--json"))["data"]


@pytest.mark.slow
def test_wait_answers_with_what_the_session_came_to(ended):
    assert ended.status("wait", "--session", SESSION) == 0
    assert ended.run("wait", "--session", SESSION).startswith("PASS")
    assert data(ended, "wait")["ended"] is True


def test_wait_gives_up_after_its_time_and_says_so(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    assert scene.status("wait", "--timeout", "1s") == 3
    assert "is still running after 0s" in scene.run("wait", "--timeout", "0s")


def test_export_holds_everything_that_is_known_and_overwrites_nothing(ended):
    found = data(ended, "export")
    assert found["schema"] == "ultrawork.export/1"
    assert found["session"]["session_id"] == SESSION
    assert found["verdict"]["verdict"] == "PASS"
    assert {one["result"] for one in found["receipts"]} == {"red", "green"}
    assert next(one["action"] for one in found["decisions"]) == "refuse"
    assert any(one.get("tool") == "Edit" for one in found["trace"])
    ended.run("export", "one.json")
    with open(os.path.join(ended.place, "one.json"), encoding="utf-8") as file:
        assert json.load(file)["outcome"] == found["outcome"]
    assert ended.status("export", "one.json") == 2


def test_stats_counts_endings_refusals_and_results(ended):
    found = data(ended, "stats")
    assert (found["sessions"], found["endings"], found["refusals"]) == (1, {"PASS": 1}, 1)
    assert set(found["receipts"]) == {"red", "green"}
    assert "sent back  1" in ended.run("stats")
    assert data(ended, "stats", "--since", "0s")["sessions"] == 0


def test_the_modes_of_a_session_are_entries_of_its_trace(ended):
    from ultrawork.store import modes
    from ultrawork.store.database import Database

    database = Database(ended.state_folder.database)
    told = [one["what"] for one in modes.list_mode_events(database, SESSION)]
    database.close()
    assert told[0] == "ralph, ultrawork begun"
    assert [one for one in told if one.startswith("sent back: ")] == ["sent back: red"]


def test_the_report_of_a_session_without_a_plan_counts_its_rounds(ended):
    told = ended.run("report")
    assert "ralph 2 of 10" in " ".join(told.split())
    assert "No plan yet" not in told
    assert "0 of 0" not in told


def test_the_trace_names_the_word_that_began_a_mode(ended):
    from ultrawork.report.timeline import render_lines
    from ultrawork.store import trace

    lines = render_lines(trace.read_all(ended.state_folder, SESSION), "keywords")
    assert [line.partition("  ")[2] for line in lines] == ["keywords ralph: started by its keyword"]
