import itertools

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.core.modes import modes
from ultrawork.core.prompt import composition
from ultrawork.core.prompt.composition import ENHANCEMENT, EXECUTION, GUARANTEE, PARTS, compose, render_block

EVERY = tuple(PARTS)


def layer(name):
    return PARTS[name][0]


def test_a_composition_has_one_execution_its_enhancements_and_a_guarantee():
    made = compose(["ulw", "ralph", "team", "tdd"])
    assert made.execution == "team"
    assert made.enhancements == ["ultrawork", "tdd"]
    assert made.guarantee == "ralph"
    assert made.modes == (modes.RALPH, modes.TEAM, modes.ULTRAWORK)
    assert made.left_out == []


def test_without_an_execution_the_work_is_done_as_usual():
    made = compose(["git-master", "ralph"])
    assert (made.execution, made.modes) == ("default", (modes.RALPH,))
    assert compose([]).parts == ["default"]


@pytest.mark.parametrize(
    ("names", "execution", "why"),
    [
        (["team", "autopilot"], "team", "team replaces autopilot"),
        (["swarm", "autopilot"], "autopilot", "autopilot and swarm both need the whole worktree"),
        (["swarm", "team"], "team", "team already runs the work"),
        (["planner", "pipeline"], "pipeline", "pipeline already runs the work"),
    ],
)  # fmt: skip
def test_one_execution_stays_and_the_others_are_told_why(names, execution, why):
    made = compose(names)
    assert made.execution == execution
    assert [reason for _, reason in made.left_out] == [why]


def test_of_two_guarantees_one_stays():
    made = compose(["ultraqa", "ralph"])
    assert made.guarantee == "ralph"
    assert made.left_out == [("ultraqa", "ralph and ultraqa drive a session in different ways")]


def test_what_an_execution_holds_already_is_not_added():
    made = compose(["autopilot", "ultraqa"])
    assert (made.guarantee, made.modes) == ("", (modes.AUTOPILOT,))
    assert made.left_out == [("ultraqa", "autopilot has it as a stage of its own")]


def test_any_three_make_a_lawful_whole_in_whatever_order():
    for names in itertools.combinations(EVERY, 3):
        is_lawful(names)


def is_lawful(names):
    made = compose(names)
    assert layer(made.execution) == EXECUTION
    assert all(layer(one) == ENHANCEMENT for one in made.enhancements)
    assert made.guarantee == "" or layer(made.guarantee) == GUARANTEE
    assert sum(mode in modes.EXCLUSIVE for mode in made.modes) <= 1
    assert not {modes.RALPH, modes.ULTRAQA} <= set(made.modes)
    told = {*made.parts, *(name for name, _ in made.left_out)}
    assert set(names) - {"default"} <= told
    backwards = compose(reversed(names))
    assert (backwards.execution, backwards.guarantee) == (made.execution, made.guarantee)


@pytest.mark.parametrize("names", [(), ("ralph", "team"), EVERY])
def test_the_block_is_short_whatever_is_named(names):
    text = render_block(compose(names))
    assert len(text.encode()) <= composition.ROOM
    assert text.startswith("Composed of ")


def test_the_block_says_each_part_and_what_was_left_out():
    assert render_block(compose(["ralph", "team", "autopilot"])).splitlines() == [
        "Composed of team + ralph:",
        "- team: stages with agents: plan, prd, exec, verify, fix.",
        "- ralph: do not stop before the checks pass on the final files.",
        "Left out: autopilot.",
    ]


def test_an_unknown_name_is_refused_with_the_nearest_known():
    with pytest.raises(UsageError, match='called "ralf"; did you mean ralph'):
        compose(["ralf"])


def test_names_may_be_written_as_commands_and_in_short():
    assert compose(["/ultrawork:team", "ULW"]).modes == (modes.TEAM, modes.ULTRAWORK)
