"""`ultrawork features …` as people type it."""

import os


def now(program):
    rows = program.done("features", "list").out.splitlines()[1:]
    return {row.split()[0]: row.split()[1] for row in rows}


def test_nothing_is_on_until_a_person_says_so(program):
    assert set(now(program).values()) == {"-"}
    assert not os.path.exists(f"{program.place}/.omc")


def test_all_are_switched_on_and_off(program):
    program.done("features", "on")
    assert "-" not in now(program).values()
    assert now(program)["delegation"] == "warn"
    program.done("features", "off")
    assert not os.path.exists(f"{program.place}/.omc/features")


def test_single_ones_are_switched_beside_the_others(program):
    program.done("features", "on", "rules", "delegation=strict")
    program.done("features", "on", "notepad")
    program.done("features", "off", "rules")
    on = {name: value for name, value in now(program).items() if value != "-"}
    assert on == {"delegation": "strict", "notepad": "on"}


def test_an_agent_may_not_switch(program):
    answer = program.call("features", "on", env={"CLAUDECODE": "1"})
    assert answer.status == 5
    assert "only the user can change a project's features" in answer.err
    assert not os.path.exists(f"{program.place}/.omc/features")


def test_unknown_names_and_values_are_refused(program):
    assert program.call("features", "on", "rulez").status == 2
    assert program.call("features", "on", "delegation=maybe").status == 2
    assert program.call("features", "on", "rules=1").status == 2
