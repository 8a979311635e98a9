"""Settings as they are on disk."""

import os

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.store import settings


def load(home, files=(), environ=()):
    return settings.load(dict(environ), home, dict(files).get)


def own(home, text):
    os.makedirs(home.root, exist_ok=True)
    with open(home.settings, "w", encoding="utf-8") as file:
        file.write(text)


def test_flags_of_the_environment_beat_the_project_and_that_beats_ones_own(home):
    own(home, '[stop]\nbudget = "10s"\nrefusals = 1\nrepeats = 1\n')
    project = {"ultrawork.toml": '[stop]\nbudget = "20s"\nrefusals = 2\n'}
    found = load(home, project, {"ULTRAWORK_STOP_BUDGET": "30s"})
    assert (found["stop.budget"], found["stop.refusals"], found["stop.repeats"]) == (30.0, 2, 1)
    assert found.values["stop.budget"].source == "environment"
    assert found.values["stop.refusals"].source == "ultrawork.toml"
    assert found.values["stop.repeats"].source == home.settings
    assert found.values["stop.cooldown"].source == "default"


def test_the_project_may_speak_in_its_pyproject(home):
    found = load(home, {"pyproject.toml": '[tool.ultrawork.stop]\nbudget = "5s"\n'})
    assert found["stop.budget"] == 5.0
    assert found.values["stop.budget"].source == "pyproject.toml"


def test_its_own_file_comes_before_its_pyproject(home):
    files = {"ultrawork.toml": "", "pyproject.toml": '[tool.ultrawork.stop]\nbudget = "5s"\n'}
    assert load(home, files)["stop.budget"] == 120.0


def test_gates_are_the_project_s_else_ones_own(home):
    own(home, '[gates]\nlint = "mine"\n')
    assert load(home).gates == {"lint": "mine"}
    assert load(home).gates_source == home.settings
    found = load(home, {"ultrawork.toml": '[gates]\ntest = "make test"\n'})
    assert (found.gates, found.gates_source) == ({"test": "make test"}, "ultrawork.toml")


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"ultrawork.toml": "[stop"}, "ultrawork.toml is not valid TOML"),
        ({"ultrawork.toml": "gates = 3"}, "gates is not a section"),
        ({"ultrawork.toml": "stop = 3"}, "is not a section"),
        ({"ultrawork.toml": "x = " + "[" * 5000}, "is not valid TOML"),
        ({"pyproject.toml": "tool = 3 # tool.ultrawork"}, "pyproject.toml: tool.ultrawork"),
        ({"pyproject.toml": "[tool]\nultrawork = 3 # tool.ultrawork"}, "tool.ultrawork is not"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused_by_name(home, files, why):
    with pytest.raises(UsageError, match=why):
        load(home, files)


def test_a_file_that_is_not_there_says_nothing(home, tmp_path):
    assert settings.read_file(f"{tmp_path}/nothing") is None
    assert settings.read_file(str(tmp_path)) is None
    assert load(home)["stop.budget"] == 120.0
