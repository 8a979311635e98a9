"""A session runs on a copy of the program: whatever happens to the plugin's folder, it is judged, and nothing is blocked."""

import json
import os
import shutil
import subprocess
import time

import pytest

from support import ulw
from support.floor import PLUGIN
from support.scene import SESSION
from ultrawork.store import program_copy
from ultrawork.store.paths import Home

DONE = "Done. All tests pass."


class Plugin:
    """The plugin in a folder of its own, started as `hooks.json` says."""

    def __init__(self, scene):
        self.scene = scene
        self.root = ulw.release(f"{scene.root}/plugin")
        scene.environ |= {"CLAUDE_PLUGIN_ROOT": self.root, "ULTRAWORK_SKIP_HOOKS": "base-run"}
        with open(f"{self.root}/hooks/hooks.json", encoding="utf-8") as file:
            self.hooks = json.load(file)["hooks"]

    def run(self, event, **data):
        given = {"session_id": SESSION, "cwd": self.scene.place, "prompt_id": "p", "hook_event_name": event,
                 "permission_mode": "bypassPermissions", **data}  # fmt: skip
        hook = self.hooks[event][0]["hooks"][0]
        argv = [one.replace("${CLAUDE_PLUGIN_ROOT}", self.root) for one in (hook["command"], *hook["args"])]
        done = subprocess.run(
            argv, input=json.dumps(given).encode(), env=self.scene.environ, cwd=self.scene.place,
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
        return json.loads(done.stdout) if done.stdout else {}

    def stop(self):
        answer = self.run("Stop", last_assistant_message=DONE, background_tasks=[], session_crons=[])
        return answer.get("reason") or answer.get("systemMessage", "")


@pytest.fixture
def plugin(quick):
    return Plugin(quick)


@pytest.fixture
def on(plugin):
    assert "ultrawork: on." in plugin.run("UserPromptSubmit", prompt="ulw change the words")["systemMessage"]
    plugin.scene.edit("app.txt", "wrong\n")
    return plugin


def remove_launcher(root):
    os.unlink(f"{root}/bin/ultrawork-hook")


def move_away(root):
    os.rename(root, f"{root}-moved")


def remove_all(root):
    shutil.rmtree(root)


def switch_version(root):
    with open(f"{root}/src/ultrawork/hooks/stop/handlers.py", "w", encoding="utf-8") as file:
        file.write("def decide_stop(event):\n    return None\n")


@pytest.mark.slow
@pytest.mark.parametrize("harm", [remove_launcher, move_away, remove_all, switch_version])
def test_whatever_happens_to_the_plugin_the_session_is_judged(on, harm):
    harm(on.root)
    assert "sent back (1 of 8)" in on.stop()


@pytest.mark.slow
def test_a_session_that_ended_runs_on_the_plugin_again(on):
    assert os.listdir(f"{on.scene.home}/program") == [SESSION]
    on.scene.edit("app.txt", "right and good\n")
    assert "PASS" in on.stop()
    assert os.listdir(f"{on.scene.home}/program") == []
    assert len(os.listdir(f"{on.scene.home}/programs")) == 1


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PreToolUse", "Stop", "SessionStart"])
def test_a_launcher_that_is_missing_is_in_nobodys_way(plugin, event):
    os.unlink(f"{plugin.root}/bin/ultrawork-hook")
    assert plugin.run(event, prompt="ulw fix it") == {}


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_in_codex_a_missing_launcher_is_in_nobodys_way_either(tmp_path, shell):
    program = shutil.which(shell) or pytest.skip(f"no {shell} here")
    with open(f"{PLUGIN}/hooks/codex.json", encoding="utf-8") as file:
        line = json.load(file)["hooks"]["Stop"][0]["hooks"][0]["command"]
    line = line.replace("${CLAUDE_PLUGIN_ROOT}", f"{tmp_path}/no where")
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    done = subprocess.run([program, "-c", line], env=env, capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_version_is_copied_once_and_an_old_copy_goes(tmp_path):
    home = Home(f"{tmp_path}/state")
    program_copy.keep_copy(home, "one", time.time())
    (first,) = os.listdir(f"{home.root}/programs")
    os.makedirs(f"{home.root}/programs/older")
    os.utime(f"{home.root}/programs/older", (1, 1))
    program_copy.keep_copy(home, "two", time.time())
    assert sorted(os.listdir(f"{home.root}/programs")) == sorted([first, "older"])
    shutil.rmtree(f"{home.root}/programs/{first}")
    program_copy.keep_copy(home, "three", time.time())
    assert os.listdir(f"{home.root}/programs") == [first]


def test_the_command_that_a_client_prints_after_a_compaction_is_short_and_in_nobodys_way(plugin):
    hook = plugin.hooks["PreCompact"][0]["hooks"][0]
    assert len(" ".join([hook["command"], *hook["args"]])) <= 110
    assert plugin.run("PreCompact", trigger="manual") == {}
    remove_launcher(plugin.root)
    assert plugin.run("PreCompact", trigger="manual") == {}
