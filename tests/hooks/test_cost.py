"""What an event loads: each module costs a quarter of a millisecond, and a heavy one many of them."""

import json
import subprocess
import sys

import pytest

from support.floor import REPOSITORY
from support.scene import QUICK, SESSION, Scene
from ultrawork.hooks.table import ARMED, FEATURES, HANDLERS, PLANNED, SWARM, list_rows

SLOW = {
    "argparse", "collections", "contextlib", "dataclasses", "datetime", "enum", "functools", "hashlib", "inspect",
    "json", "logging", "pathlib", "re", "shutil", "sqlite3", "subprocess", "tempfile", "traceback", "typing",
}  # fmt: skip
AGENT = [{"type": "subagent"}]
SCRIPT = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
from ultrawork.hooks.main import reply
reply(sys.argv[1], sys.stdin.buffer.read(), os.environ)
print(*sys.modules)
"""
# Event, its input, the most modules of ours that it may load while the session is on.
HOT = [
    ("PreToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "a"}}, 30),
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "make"}}, 30),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "make"}}, 31),
    ("PostToolUse", {"tool_name": "Read", "tool_input": {"file_path": "a"}}, 31),
    ("PostToolUseFailure", {"tool_name": "Bash", "tool_input": {}, "error": "exit 1"}, 31),
    ("UserPromptSubmit", {"prompt": "why is the parser slow?"}, 32),
    ("Stop", {"background_tasks": AGENT, "last_assistant_message": "x"}, 36),
    ("SessionStart", {"source": "startup"}, 28),
]


def loaded(scene, event, data):
    given = {"session_id": SESSION, "cwd": scene.place, "hook_event_name": event, **data}
    environ = {k: v for k, v in scene.environ.items() if k != "ULTRAWORK_SKIP_HOOKS"}
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", SCRIPT, f"{REPOSITORY}/src", event],
        input=json.dumps(given).encode(),
        env=environ,
        cwd=scene.place,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return set(found.stdout.decode().split())


@pytest.fixture(scope="module")
def on(tmp_path_factory):
    scene = Scene(str(tmp_path_factory.mktemp("on")), QUICK)
    scene.prompt("ulw change the words")
    return scene


@pytest.mark.parametrize(
    ("event", "data", "most"), HOT, ids=[f"{e}-{i}" for i, (e, _, _) in enumerate(HOT)]
)
def test_an_event_that_comes_often_loads_little(on, event, data, most):
    found = loaded(on, event, data)
    ours = sorted(name for name in found if name.split(".")[0] == "ultrawork")
    assert SLOW & found == set()
    assert len(ours) <= most, ours


def test_what_only_some_sessions_have_is_not_loaded_elsewhere(on):
    theirs = {
        f"ultrawork.hooks.{row.target.partition(':')[0]}"
        for event in HANDLERS
        for row in list_rows(event)
        if row.when in (PLANNED, FEATURES, SWARM) and row.name != "todo-list"  # of hooks.tool
    }
    assert len(theirs) > 15
    for event, data, _ in HOT:
        own = {
            f"ultrawork.hooks.{row.target.partition(':')[0]}"
            for row in list_rows(event)
            if row.when not in (PLANNED, FEATURES, SWARM)
        }
        assert not (theirs - own) & loaded(on, event, data), event


def test_a_feature_is_asked_for_exactly_where_features_are():
    for event in HANDLERS:
        for row in list_rows(event):
            assert bool(row.features) == (row.when in (FEATURES, ARMED)), row


MODES = (
    "ultrawork.core.modes.machine",
    "ultrawork.core.modes.record",
    "ultrawork.store.modes",
    "ultrawork.flow.modes",
    "ultrawork.hooks.modes",
)


@pytest.mark.parametrize(
    ("event", "data"),
    [*((event, data) for event, data, _ in HOT), ("Stop", {"last_assistant_message": "Done."})],
)
def test_a_session_without_a_mode_loads_nothing_of_modes(on, event, data):
    assert [name for name in loaded(on, event, data) if name.startswith(MODES)] == []
