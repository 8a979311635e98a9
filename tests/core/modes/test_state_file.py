"""State files as scripts know them."""

from ultrawork.core.modes import state_file, tables

NOW = 1_700_000_000.0


def state(progress):
    return state_file.render(progress, session="s", place="/p")


def test_autopilot_groups_its_facts_as_the_document_does():
    progress = tables.begin("autopilot", NOW, facts={"spec_path": "s.md", "tasks_total": 4})
    found = state(progress)
    assert found["expansion"]["spec_path"] == "s.md"
    assert found["execution"]["tasks_total"] == 4
    assert "spec_path" not in found
    assert found["qa"] == {
        "ultraqa_cycles": 0, "build_status": "pending", "lint_status": "pending", "test_status": "pending",
    }  # fmt: skip


def test_reviews_are_listed_with_what_they_want_changed():
    limits = tables.find("autopilot").limits
    progress = tables.ModeProgress("autopilot", "validation", started_at=NOW, limits=limits)
    tables.record_review(progress, "security", "REJECTED", ["a key in the log"], now=NOW)
    tables.record_review(progress, "quality", "APPROVED", now=NOW)
    assert state(progress)["validation"] == {
        "architects_spawned": 2,
        "verdicts": [
            {"type": "security", "verdict": "REJECTED", "issues": ["a key in the log"]},
            {"type": "quality", "verdict": "APPROVED"},
        ],
        "all_approved": False,
        "validation_rounds": 0,
    }


def test_a_team_shows_its_fixes_and_the_way_it_came():
    progress = tables.begin("team", NOW)
    tables.move(progress, "team-prd", NOW + 60)
    found = state(progress)
    assert found["fix_loop"]["max_attempts"] == 3
    assert [one["phase"] for one in found["phase_history"]] == ["team-plan", "team-prd"]
    assert found["phase_history"][1]["entered_at"] == "2023-11-14T22:14:20Z"


def test_linked_modes_say_so_under_their_own_names():
    assert state(tables.begin("ralph", NOW, linked=("ultrawork",)))["linked_ultrawork"] is True
    assert state(tables.begin("ultrawork", NOW, linked=("ralph",)))["linked_to_ralph"] is True
    assert "linked_ultrawork" not in state(tables.begin("ralph", NOW))


def test_only_what_has_ended_has_a_time_of_its_end():
    progress = tables.begin("ralph", NOW)
    assert state(progress)["completed_at"] is None
    tables.move(progress, "failed", NOW + 60)
    assert state(progress)["completed_at"] == "2023-11-14T22:14:20Z"
