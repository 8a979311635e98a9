"""`ultrawork doctor --hooks`: every behaviour, and what events cost on this machine."""

import os

import pytest

from support.floor import Program
from ultrawork.cli.verbs.doctor_hooks import SAMPLES
from ultrawork.hooks.table import HANDLERS, JOBS, list_rows

TABLE = {event: list_rows(event) for event in (*HANDLERS, *JOBS)}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return Program(str(tmp_path_factory.mktemp("doctor")))


@pytest.fixture(scope="module")
def found(program):
    """Every event by its name, as one call tells them: it starts some sixty processes."""
    answer = program.run("doctor", "--hooks", "--json")
    assert answer.status == 0, answer
    return {one["event"]: one for one in answer.data["events"]}


@pytest.mark.slow
def test_every_event_is_there_with_its_behaviours_in_order(found):
    assert list(found) == list(TABLE)
    for event, rows in TABLE.items():
        assert [one["name"] for one in found[event]["behaviours"]] == [row.name for row in rows]
        assert [one["order"] for one in found[event]["behaviours"]] == list(range(1, len(rows) + 1))


@pytest.mark.slow
def test_what_has_a_harmless_sample_is_measured_off_and_on(found):
    for event, one in found.items():
        measured = event in SAMPLES
        assert (one["off_ms"] is not None, one["on_ms"] is not None) == (measured, measured)
        assert not measured or min(one["off_ms"], one["on_ms"]) > 0


@pytest.mark.slow
def test_nothing_is_left_in_the_state_folder_or_the_project(program, found):
    assert os.listdir(program.place) == []
    assert not set(os.listdir(program.home)) & {"active", "sessions", "welcomed", "logs"}


@pytest.mark.slow
def test_people_read_it_as_a_table(program):
    told = program.run("doctor", "--hooks").out.splitlines()
    assert told[0].split() == ["event", "off", "ms", "on", "ms", "behaviour", "what", "it", "does"]
    assert len(told) == 1 + sum(len(rows) for rows in TABLE.values())
    assert all(len(line) <= 100 for line in told)


@pytest.mark.slow
def test_the_doctor_tells_what_a_tool_call_costs(program):
    told = program.run("doctor", "--json").data["checks"]["hooks"]["value"]
    assert "ms per tool call while on" in told
    assert told.endswith("ms while off")


@pytest.mark.slow
def test_nothing_compiled_for_the_measured_copy_stays_in_the_cache(tmp_path):
    program = Program(str(tmp_path))
    os.makedirs(f"{program.home}/cache/bytecode")
    assert program.run("doctor", "--hooks").status == 0
    kept = [folder for folder, _, _ in os.walk(f"{program.home}/cache/bytecode") if "ultrawork-doctor-" in folder]
    assert kept == []
