"""Features are packages: none is loaded where it is not used, and what is asked of one is answered."""

import os
import re

import pytest

from support.floor import PLUGIN, TESTS
from support.headless import FIX, GOAL, SHOW, Headless, task, worker
from support.hot import load_event, load_verb, switch_on
from support.house import read_house
from test_names import leads_somewhere
from ultrawork.core import errors, registry
from ultrawork.core.registry import FEATURES, find_keeper, load_part

PACKAGES = f"{PLUGIN}/src/ultrawork/features"
# Who is asked, and what: by name or by a constant of that name, as the feature that leads, as a team.
ASKED = re.compile(r'\bask\(([\w."]+), "(\w+)"\)|\bask_(lead)\("(\w+)"\)|_of_(team)\("(\w+)"\)')
ALIASES = {"lead": "axiom", "team": "swarm"}


def of_features(modules):
    return sorted(name for name in modules if name.startswith("ultrawork.features"))


def test_the_folders_are_the_rows_of_the_table():
    folders = {one.name for one in os.scandir(PACKAGES) if os.path.isfile(f"{one.path}/__init__.py")}
    assert folders == set(FEATURES)
    tested = {one.name for one in os.scandir(f"{TESTS}/features") if one.is_dir()}
    assert tested - {"__pycache__"} <= set(FEATURES)


def test_verify_loads_no_feature(tmp_path):
    project = Headless(str(tmp_path))
    assert of_features(load_verb(project, ["verify"], allowed=(0, 1, 3))) == []


def test_what_checks_a_change_can_be_read_without_the_engine():
    """Whatever `verify`, `gates` and `evidence` may import, also late: no agents, no machines, no screens."""
    house = read_house(f"{PLUGIN}/src/ultrawork")
    waiting = [f"ultrawork.cli.verbs.{verb}" for verb in ("verify", "gates", "evidence")]
    reached = set()
    while waiting:
        name = waiting.pop()
        if name in house.sources and name not in reached:
            reached.add(name)
            waiting += house.imports(name)
    packages = {name.split(".")[1] for name in reached if "." in name}
    assert packages & {"engine", "cluster", "sight", "mcp", "hooks", "features", "codeintel"} == set()
    assert sum(house.lengths()[name] for name in reached) <= 41_500


def test_a_stop_loads_no_feature(tmp_path):
    scene = switch_on(os.fspath(tmp_path / "on"))
    scene.edit("app.txt", "right and more\n")
    loaded = load_event(scene, "Stop", {"last_assistant_message": "Done."})
    assert "ultrawork.gates.judge.verify" in loaded
    assert of_features(loaded) == []


@pytest.mark.slow
def test_a_run_loads_no_feature(tmp_path):
    project = Headless(str(tmp_path))
    project.remember_python()
    project.cast([task("sum")], worker("sum", FIX, SHOW))
    loaded = load_verb(project, ["run", "--auto", "--backend", "script", GOAL])
    assert "ultrawork.engine.agents.conductor" in loaded
    assert of_features(loaded) == []


@pytest.mark.parametrize("name", FEATURES)
def test_what_is_asked_of_a_feature_is_answered(name):
    table = load_part(name, "table")
    for target in getattr(table, "ANSWERS", {}).values():
        assert leads_somewhere(f"ultrawork.features.{name}.{target}"), target
    assert set(getattr(table, "ROWS", {})) == set(FEATURES[name].hears)
    for groups in FEATURES[name].tools.values():
        known = load_part(name, "tools").TOOLS
        assert {tool for names in groups.values() for tool in names} <= set(known)
    for module, *_ in FEATURES[name].verbs.values():
        assert leads_somewhere(f"ultrawork.features.{name}.{module}:COMMANDS")


def list_questions():
    for text in read_house(f"{PLUGIN}/src/ultrawork").sources.values():
        for found in ASKED.findall(text):
            who, question = (one for one in found if one)
            name = who.strip('"').rpartition(".")[2].lower()
            yield ALIASES.get(name, name), question


def test_every_question_to_a_feature_has_an_answer_and_every_answer_is_asked_for():
    """What is asked of a feature that was taken out is not looked at."""
    asked = set(list_questions())
    for name in FEATURES:
        answers = set(getattr(load_part(name, "table"), "ANSWERS", {}))
        assert {question for who, question in asked if who == name} <= answers
        assert answers <= {question for _, question in asked}


def test_a_feature_that_is_gone_is_named():
    with pytest.raises(errors.NotFound, match="the feature hats, which is not installed"):
        registry.ask("hats", "sync")
    for name in FEATURES:
        assert find_keeper(f"{name}-0123") == name
    assert find_keeper("s-0123") == ""


def test_nothing_below_names_a_feature_by_its_package():
    """Imports are held by import-linter; this is for names in strings."""
    found = [
        name
        for name, text in read_house(f"{PLUGIN}/src/ultrawork").sources.items()
        if "ultrawork.features." in text and not name.startswith("ultrawork.features.")
    ]
    assert set(found) == {"ultrawork.core.registry", "ultrawork.cli.verbs_table"}
