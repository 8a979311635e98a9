"""`ultrawork statusline`: three presets over the same facts, from a file while nothing has changed."""

import json
import os
import subprocess

import pytest

from support.floor import PLUGIN
from support.scene import QUICK, SESSION, Scene
from ultrawork.core.status_line import PRESETS, render_status_line
from ultrawork.store import line_cache, markers
from ultrawork.system import ancestry

GIVEN = json.dumps({"session_id": SESSION}).encode()


@pytest.fixture
def scene(tmp_path):
    scene = Scene(os.fspath(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    return scene


def line(scene, *words):
    found = subprocess.run(
        [f"{PLUGIN}/bin/ultrawork", "statusline", *words],
        env=scene.environ,
        cwd=scene.place,
        input=GIVEN,
        capture_output=True,
        timeout=30,
        check=True,
    )
    return found.stdout.decode().strip()


def facts(**more):
    known = {
        "active": True,
        "ended": "",
        "mode": "ralph",
        "failing": "test red",
        "counted": "1 of 8",
        "tasks": "3 of 8 tasks",
        "blocking": 2,
        "cost": "$0.12+",
        "check": None,
    }
    return {**known, **more}


@pytest.mark.parametrize(
    ("preset", "shown"),
    [
        ("minimal", "ulw on · 2 need you"),
        ("focused", "ulw on · test red · 1 of 8 · 3 of 8 tasks · 2 need you"),
        ("full", "ulw on · ralph · test red · 1 of 8 · 3 of 8 tasks · 2 need you · $0.12+"),
    ],
)
def test_a_preset_chooses_what_is_shown(preset, shown):
    assert render_status_line(facts(), preset, 0.0) == shown


@pytest.mark.parametrize("preset", PRESETS)
def test_nothing_is_shown_when_nothing_is_on(preset):
    off = facts(active=False, blocking=0, cost="")
    assert render_status_line(off, preset, 0.0) == ""
    passed = facts(active=False, ended="PASS 14:02", blocking=0, cost="")
    assert render_status_line(passed, preset, 0.0) == "ulw PASS 14:02"


def test_the_kept_line_follows_every_change(scene):
    assert line(scene) == "ulw on"
    assert line_cache.find_kept(scene.state_folder, SESSION, 0.0) is None  # it is of another time
    scene.event("Notification", notification_type="permission_prompt", message="Run make?")
    assert line(scene) == line(scene) == "ulw on · 1 needs you"
    ours = [os.getpid(), ancestry.read_start(os.getpid()), False]
    running = {"gate": "test", "began": 0.0, "usual": None, "process": ours}
    markers.put(scene.state_folder, markers.RUNNING, SESSION, running)
    assert line(scene, "--preset", "minimal").startswith("ulw checking test ")
    scene.run("cancel")
    assert line(scene) == ""


def test_the_kept_line_is_read_without_the_database(scene):
    assert line(scene) == "ulw on"
    code = (
        "import sys, os; sys.path.insert(0, sys.argv.pop(1)); import atexit\n"
        "from ultrawork.cli import quick_line\n"
        "os._exit = lambda status: print(*sys.modules)\n"
        "quick_line.answer_quickly([], os.environ)\n"
    )
    found = subprocess.run(
        ["python3", "-I", "-S", "-c", code, f"{PLUGIN}/src"],
        env=scene.environ,
        input=GIVEN,
        capture_output=True,
        timeout=30,
        check=True,
    )
    first, modules = found.stdout.decode().splitlines()[:2]
    assert first == "ulw on"
    assert not {"_sqlite3", "sqlite3", "json", "re", "ultrawork.cli.main"} & set(modules.split())
