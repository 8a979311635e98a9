"""What runs often: the events of an active session, and the verbs that agents call all the time.

Each runs in its own interpreter that reports what it loaded. `python -m support.hot` (from `tests/`) writes our
modules among them to `tests/hot_modules.txt`; only these are bound to the rule about slow imports."""

import json
import subprocess
import sys
import tempfile
from typing import Any

from ultrawork.store import markers

from .floor import PLUGIN, TESTS, Program
from .scene import QUICK, SESSION, Scene

LIST = f"{TESTS}/hot_modules.txt"
_AGENT = [{"type": "subagent"}]
# Event, its input, the most of our modules that it may load while the session is on.
EVENTS: list[tuple[str, dict[str, Any], int]] = [
    ("PreToolUse", {"tool_name": "Edit", "tool_input": {"file_path": "a"}}, 30),
    ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "make"}}, 30),
    ("PostToolUse", {"tool_name": "Bash", "tool_input": {"command": "make"}}, 31),
    ("PostToolUse", {"tool_name": "Read", "tool_input": {"file_path": "a"}}, 31),
    ("PostToolUseFailure", {"tool_name": "Bash", "tool_input": {}, "error": "exit 1"}, 31),
    ("UserPromptSubmit", {"prompt": "why is the parser slow?"}, 35),
    ("Stop", {"background_tasks": _AGENT, "last_assistant_message": "x"}, 44),
    ("SessionStart", {"source": "startup"}, 43),
]
VERBS = [
    ["session", "get", "--field", "phase"],
    ["task", "list"],
    ["task", "claim", "--owner", "w"],
    ["task", "update", "--id", "1", "--add-evidence", "seen"],
]
_EVENT = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
from ultrawork.hooks.main import find_parent, reply
reply(sys.argv[1], sys.stdin.buffer.read(), os.environ, find_parent)
print(*sys.modules)
"""
_VERB = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
from ultrawork.cli.main import main
status = main(sys.argv[1:], dict(os.environ))
print(*sys.modules, file=sys.stderr)
sys.exit(status)
"""


def switch_on(root: str) -> Scene:
    """Return a scene as after the keyword, which made the copy of the program."""
    scene = Scene(root, QUICK)
    scene.prompt("ulw change the words")
    markers.put_text(scene.state_folder, markers.PROGRAM, SESSION, PLUGIN)
    return scene


def plan(root: str) -> Program:
    program = Program(root)
    program.done("session", "new", "--goal", "g")
    program.done("task", "create", "--id", "1", "--subject", "x")
    return program


def load_event(scene: Scene, event: str, data: dict[str, Any]) -> set[str]:
    """Return every module that an event loads."""
    given = {"session_id": SESSION, "cwd": scene.place, "hook_event_name": event, **data}
    environ = {k: v for k, v in scene.environ.items() if k != "ULTRAWORK_SKIP_HOOKS"}
    found = _run([_EVENT, f"{PLUGIN}/src", event], environ, scene.place, json.dumps(given))
    return set(found.stdout.split())


def load_verb(program: Program, words: list[str], allowed: tuple[int, ...] = (0,)) -> set[str]:
    given = [_VERB, f"{PLUGIN}/src", *words]
    found = _run(given, program.environ, program.place, "", allowed)
    return set(found.stderr.split())


def _run(
    words: list[str], environ: dict[str, str], place: str, given: str, allowed: tuple[int, ...] = (0,)
) -> "subprocess.CompletedProcess[str]":
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", *words],
        input=given, env=environ, cwd=place, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert found.returncode in allowed, found.stderr
    return found


def list_modules() -> list[str]:
    """Return our modules by name."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as root:
        scene, program = switch_on(f"{root}/on"), plan(f"{root}/plan")
        found = set[str]().union(
            *(load_event(scene, event, data) for event, data, _ in EVENTS),
            *(load_verb(program, words) for words in VERBS),
        )
    return sorted(name for name in found if name.startswith("ultrawork."))


if __name__ == "__main__":
    with open(LIST, "w", encoding="utf-8") as file:
        file.writelines(f"{name}\n" for name in list_modules())
