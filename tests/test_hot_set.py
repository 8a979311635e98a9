"""The hot set: which modules of ours come often, and that none of them brings something slow along."""

import os

import pytest

from support import hot
from support.floor import PLUGIN
from support.house import read_house

SLOW = {
    "argparse", "contextlib", "dataclasses", "datetime", "enum", "hashlib", "importlib.util", "inspect",
    "json", "logging", "pathlib", "re", "shutil", "sqlite3", "subprocess", "tempfile", "traceback", "typing",
}  # fmt: skip
# What SQLite's own module brings along cannot be helped: verbs open the database, events that come often do not.
WITHOUT_DATABASE = {"collections", "functools"}


def recorded():
    with open(hot.LIST, encoding="utf-8") as file:
        return file.read().split()


def test_the_hot_set_is_what_events_and_verbs_load():
    assert hot.list_modules() == recorded(), "cd tests && python -m support.hot, and look what came in"


def test_no_hot_module_imports_something_slow_at_its_top():
    assert read_house(f"{PLUGIN}/src/ultrawork").slow_imports(recorded()) == []


@pytest.mark.parametrize(("event", "data", "most"), hot.EVENTS)
def test_events_that_come_often_load_nothing_slow(tmp_path, event, data, most):
    scene = hot.switch_on(os.fspath(tmp_path / "on"))
    assert (SLOW | WITHOUT_DATABASE) & hot.load_event(scene, event, data) == set()


@pytest.mark.parametrize("words", hot.VERBS, ids=" ".join)
def test_verbs_that_come_often_load_nothing_slow(tmp_path, words):
    assert SLOW & hot.load_verb(hot.plan(os.fspath(tmp_path)), words) == set()
