"""The tables of the modes, and what moves along them."""

import pytest

from ultrawork.core.errors import Conflict, UsageError
from ultrawork.core.modes import modes, tables

NOW = 1_000_000.0


@pytest.mark.parametrize("mode", modes.ALL)
def test_every_mode_has_a_table_that_only_names_phases_it_has(mode):
    machine = tables.find(mode)
    assert machine.mode == mode
    assert {machine.begins, *machine.ends} <= set(machine.moves)
    assert {target for legal in machine.moves.values() for target in legal} <= set(machine.moves)
    assert {pair for pair in machine.guards if pair[1] not in machine.moves[pair[0]]} == set()
    assert set(machine.entering.values()) <= set(machine.limits)
    assert all(machine.moves[end] == () for end in machine.ends)


@pytest.mark.parametrize("mode", modes.ALL)
def test_no_mode_completes_without_the_gates_verdict(mode):
    machine = tables.find(mode)
    for phase, legal in machine.moves.items():
        if tables.COMPLETE in legal:
            progress = tables.ModeProgress(mode, phase, started_at=NOW, limits=machine.limits)
            progress.facts.update({"verdicts": dict.fromkeys(("functional", "security", "quality"), "APPROVED")})
            with pytest.raises(Conflict, match="PASS"):
                tables.move(progress, tables.COMPLETE, NOW)
            progress.facts["proved"] = True
            assert tables.move(progress, tables.COMPLETE, NOW).active is False


def test_what_was_proved_before_more_work_counts_no_longer():
    progress = tables.begin("team", NOW, facts={"plan_path": "p", "tasks_total": 1, "tasks_completed": 1})
    for phase in ("team-prd", "team-exec", "team-verify"):
        tables.move(progress, phase, NOW)
    progress.facts["proved"] = True
    tables.move(progress, "team-fix", NOW)
    with pytest.raises(Conflict, match="PASS"):
        tables.move(progress, "complete", NOW)


def test_a_phase_whose_counter_is_used_up_is_closed():
    progress = tables.begin("team", NOW, facts={"plan_path": "p", "tasks_total": 1, "tasks_completed": 1})
    for phase in ("team-prd", "team-exec", "team-verify", *("team-fix", "team-verify") * 3):
        tables.move(progress, phase, NOW)
    with pytest.raises(Conflict, match="all 3 of fix are used up"):
        tables.move(progress, "team-fix", NOW)
    assert tables.move(progress, "failed", NOW).phase == "failed"


def test_counting_stops_at_the_limit_and_a_person_may_set_another():
    progress = tables.begin("ralph", NOW, limits={"iteration": 2})
    assert tables.count_left(progress) == {"iteration": 1}
    assert [tables.spend(progress, "iteration", NOW) for _ in range(2)] == [True, False]
    assert tables.count_left(progress) == {"iteration": 0}
    with pytest.raises(UsageError, match="has no limit cycle"):
        tables.begin("ralph", NOW, limits={"cycle": 2})


def test_progress_survives_being_written_down():
    progress = tables.begin("ralph", NOW, facts={"prompt": "x"}, linked=("ultrawork",))
    tables.spend(progress, "iteration", NOW + 5)
    again = tables.ModeProgress.read(progress.document())
    assert again.document() == progress.document()


@pytest.mark.parametrize(
    ("active", "quiet", "phase", "expected"),
    [
        (True, 300, "qa", "running"),
        (True, 301, "qa", "interrupted"),
        (True, 7200, "qa", "interrupted"),
        (False, 3599, "qa", "resumable"),
        (False, 3600, "qa", "stale"),
        (False, 1, "complete", "ended"),
        (True, 900, "failed", "ended"),
    ],
)
def test_an_interrupted_mode_can_be_taken_up_and_a_stale_one_cannot(active, quiet, phase, expected):
    progress = tables.ModeProgress("autopilot", phase, started_at=NOW)
    assert tables.find_resume_state(progress, NOW + quiet, active=active) == expected
