"""Where ultrawork was never used, hooks leave in the shell: only the prompt starts Python."""

import json
import subprocess
import sys

import pytest

from support.floor import REPOSITORY
from support.hook_files import AGENT_CALL
from support.scene import QUICK, SESSION, Scene
from ultrawork.core.wording import READY
from ultrawork.hooks.table import HANDLERS, WAKE

LAUNCHER = f"{REPOSITORY}/plugin/bin/ultrawork-hook"
# The client's events and jobs, as its hook file names them.
EVENTS = (*HANDLERS, WAKE, AGENT_CALL)
PROMPTS = ("UserPromptSubmit", "UserPromptExpansion")
ASKED_FOR = "Setup"  # by `claude --init`, which is a person's command
LATER = "5e551040-0000-4000-8000-0000000000cd"


class CountingPython:
    """A stand-in for Python that writes down each start, and then is the real one."""

    def __init__(self, root):
        self._log = root / "starts"
        program = root / "python3"
        program.write_text(f'#!/bin/sh\necho "$*" >>"{self._log}"\nexec "{sys.executable}" "$@"\n')
        program.chmod(0o755)
        self.path = str(program)

    def take(self):
        """How often it was started since the last time."""
        found = len(self._log.read_text().splitlines()) if self._log.exists() else 0
        self._log.unlink(missing_ok=True)
        return found


@pytest.fixture
def python(tmp_path):
    return CountingPython(tmp_path)


@pytest.fixture
def scene(tmp_path, python):
    made = Scene(str(tmp_path / "scene"), QUICK)
    with open(f"{made.home}/cache/python", "w", encoding="utf-8") as file:
        file.write(f"{python.path}\n")
    made.environ["PATH"] = f"{tmp_path}:{made.environ['PATH']}"
    return made


def send(scene, event, session=SESSION, **data):
    given = {"session_id": session, "cwd": scene.place, "hook_event_name": event, **data}
    done = subprocess.run(
        ["/bin/sh", LAUNCHER, event], input=json.dumps(given).encode(), cwd=scene.place,
        env={**scene.environ, "CLAUDE_CODE_SESSION_ID": session}, capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    return json.loads(done.stdout) if done.stdout else {}


def test_in_a_session_without_the_word_only_the_prompt_starts_python(scene, python):
    started = {}
    for event in EVENTS:
        send(scene, event, prompt="what is this?", source="startup", tool_name="Bash")
        started[event] = python.take()
    expected = {event: int(event in (*PROMPTS, ASKED_FOR)) for event in EVENTS}
    # What is set up asks the doctor, which is a program of its own.
    assert {**started, ASKED_FOR: min(started[ASKED_FOR], 1)} == expected


def test_the_first_start_says_once_that_it_is_ready_and_starts_no_python(scene, python):
    assert send(scene, "SessionStart", source="startup") == {"systemMessage": READY}
    assert send(scene, "SessionStart", source="startup", session=LATER) == {}
    assert python.take() == 0


@pytest.mark.parametrize("event", ["SessionStart", "PermissionRequest", "AgentCall"])
def test_a_checkout_that_was_used_is_looked_at_and_its_neighbor_is_not(scene, python, tmp_path, event):
    scene.prompt("ulw change the words")
    scene.prompt("ulw off")
    send(scene, event, session=LATER, source="startup", tool_name="Agent")
    assert python.take() == 1
    neighbor = Scene(str(tmp_path / "neighbor"), QUICK)
    neighbor.environ |= {"ULTRAWORK_HOME": scene.home, "PATH": scene.environ["PATH"]}
    send(neighbor, event, session=LATER, source="startup", tool_name="Agent")
    assert python.take() == 0
