"""`bin/ultrawork-hook` as the client starts it: one process an event."""

import json
import os
import subprocess
import time

import pytest

from support.floor import PLUGIN
from support.scene import GOAL, QUICK, SESSION, Scene
from ultrawork.core.time_budget import LATE, LATEST, TIMEOUTS
from ultrawork.hooks.table import HANDLERS

LAUNCHER = f"{PLUGIN}/bin/ultrawork-hook"
QUIET = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStop", "SessionEnd", "Wake")


class Launcher:
    def __init__(self, scene):
        self.scene = scene

    def __call__(self, event, *, words=None, raw=None, **data):
        given = {
            "session_id": SESSION, "cwd": self.scene.place, "permission_mode": "bypassPermissions",
            "prompt_id": "p", "hook_event_name": event, **data,
        }  # fmt: skip
        found = subprocess.run(
            ["/bin/sh", LAUNCHER, *([event] if words is None else words)],
            input=json.dumps(given).encode() if raw is None else raw,
            env=self.scene.environ,
            cwd=self.scene.place,
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert found.returncode == 0, found.stderr
        assert found.stderr == b""
        return json.loads(found.stdout) if found.stdout else {}


@pytest.fixture
def hook(quick):
    return Launcher(quick)


@pytest.fixture
def on(hook):
    hook.scene.prompt("ulw change the words")
    return hook


def made(scene):
    return sorted(os.listdir(scene.home))


@pytest.mark.parametrize("event", QUIET)
def test_while_nothing_is_on_an_event_never_reaches_python(hook, event):
    with open(f"{hook.scene.home}/cache/python", "w", encoding="utf-8") as file:
        file.write("/nowhere/python\n")
    before = made(hook.scene)
    hook.scene.environ["PATH"] = "/nowhere"
    assert hook(event) == {}
    assert made(hook.scene) == before


def test_the_word_reaches_it_and_switches_on(hook):
    assert hook("UserPromptSubmit", prompt="ulw change it")["systemMessage"].startswith("ultrawork: on.")
    assert hook.scene.is_on()


def test_without_an_argument_the_event_comes_from_the_input(hook):
    told = hook("UserPromptSubmit", words=[], prompt="ulw change it")
    assert told["systemMessage"].startswith("ultrawork: on.")


@pytest.mark.slow
def test_a_stop_is_refused_through_the_launcher(on):
    on.scene.write("app.txt", "wrong\n")
    assert on("Stop", last_assistant_message="Done.")["decision"] == "block"


@pytest.mark.parametrize("event", [*QUIET, "UserPromptSubmit", "SessionStart"])
def test_the_kill_switch_of_the_environment_silences_everything(hook, event):
    hook.scene.environ["ULTRAWORK_DISABLE"] = "1"
    assert hook(event, prompt="ulw change it", source="compact", last_assistant_message="x") == {}
    assert not hook.scene.is_on()


def test_the_kill_switch_holds_while_it_is_on_and_its_stop_is_let_go_aloud(on):
    on.scene.environ["ULTRAWORK_DISABLE"] = "1"
    for event in (name for name in QUIET if name not in ("Stop", "SessionEnd")):
        assert on(event, tool_name="Bash", tool_input={"command": "ls"}) == {}
    told = on("Stop", last_assistant_message="Done.")
    assert told["systemMessage"].startswith("ultrawork: UNVERIFIED. ultrawork was turned off")
    assert on("Stop", last_assistant_message="Done.") == {}
    assert on("SessionEnd") == {}


def test_the_persons_switch_needs_nothing_but_its_file(on):
    scene = on.scene
    os.makedirs(f"{scene.home}/off")
    with open(f"{scene.home}/off/{SESSION}", "w", encoding="utf-8"):
        pass
    with open(f"{scene.home}/cache/python", "w", encoding="utf-8") as file:
        file.write("/nowhere/python\n")
    scene.environ["ULTRAWORK_PYTHON"] = "/nowhere/python"
    assert on("PreToolUse", tool_name="Bash") == {}
    assert on("Stop", last_assistant_message="Done.") == {
        "systemMessage": "ultrawork: UNVERIFIED. ultrawork was turned off, so nothing was verified. Why: ulw why"
    }
    assert on("Stop", last_assistant_message="Done.") == {}
    assert not scene.is_on()
    assert not os.path.exists(f"{scene.data}/active/{SESSION}")


def test_the_shell_and_the_program_say_the_same_when_it_was_switched_off():
    from ultrawork.hooks.stop.handlers import SWITCHED_OFF

    with open(LAUNCHER, encoding="utf-8") as file:
        assert f"ultrawork: UNVERIFIED. {SWITCHED_OFF}" in file.read()


def test_switched_off_tool_calls_are_seen_only_while_markers_are_left(on):
    scene = on.scene
    os.makedirs(f"{scene.home}/off")
    with open(f"{scene.home}/off/{SESSION}", "w", encoding="utf-8"):
        pass
    on("PostToolUse", tool_name="Bash", tool_input={"command": "touch the switch"})
    assert scene.session()["phase"] == "CANCELLED"
    on("Stop", last_assistant_message="Done.")
    on("PostToolUse", tool_name="Bash", tool_input={"command": "later"})
    with open(f"{scene.home}/sessions/{SESSION}/trace.jsonl", encoding="utf-8") as file:
        assert "later" not in file.read()


@pytest.mark.parametrize("left", ["home", "data"])
def test_one_marker_is_enough_to_be_looked_at(on, left):
    scene = on.scene
    gone = {"home": scene.data, "data": scene.home}[left]
    os.unlink(f"{gone}/active/{SESSION}")
    assert "marker file of this session" in on("Stop", last_assistant_message="x")["systemMessage"]


@pytest.mark.slow
def test_after_a_verdict_only_a_stop_is_looked_at_until_files_moved(on):
    scene = on.scene
    scene.write("app.txt", "right and good\n")
    assert "PASS" in on("Stop", last_assistant_message="Done.")["systemMessage"]
    scene.write("app.txt", "right, later\n")
    assert "files changed since PASS" in on("Stop", last_assistant_message="x")["systemMessage"]
    scene.environ["ULTRAWORK_PYTHON"] = "/nowhere"
    assert on("Stop", last_assistant_message="x") == {}


@pytest.mark.slow
def test_without_a_session_id_any_marker_is_asked_for(on):
    scene = on.scene
    told = scene.as_codex()
    scene.write("app.txt", "wrong\n")
    assert on("Stop", last_assistant_message="Done.", **told)["decision"] == "block"


@pytest.mark.slow
def test_paths_with_blanks_and_quotes_do_no_harm(tmp_path):
    scene = Scene(str(tmp_path / 'it\'s a "home" $x'), QUICK)
    hook = Launcher(scene)
    assert hook("UserPromptSubmit", prompt="ulw change it")["systemMessage"].startswith("ultrawork: on.")
    scene.write("app.txt", "wrong\n")
    assert hook("Stop", last_assistant_message="Done.")["decision"] == "block"


@pytest.mark.parametrize(
    ("prompt", "told"),
    [
        ("ulw fix it", "ultrawork: not on. It needs Python 3.11 or newer; set ULTRAWORK_PYTHON."),
        ("ULTRAWORK", "ultrawork: not on. It needs Python 3.11 or newer; set ULTRAWORK_PYTHON."),
        ("fix the bulwark", None),
    ],
)
def test_without_python_the_word_is_answered_and_nothing_else(hook, prompt, told):
    hook.scene.environ["ULTRAWORK_PYTHON"] = "/nowhere/python"
    assert hook("UserPromptSubmit", prompt=prompt).get("systemMessage") == told
    assert hook("SessionStart", source="startup") == {}


@pytest.mark.slow
def test_a_home_that_cannot_be_written_lets_the_session_go_on(hook, tmp_path):
    (tmp_path / "blocked").write_text("")
    hook.scene.environ["ULTRAWORK_HOME"] = str(tmp_path / "blocked" / "state")
    assert hook("SessionStart", source="startup") == {}
    told = hook("UserPromptSubmit", prompt="ulw fix it")
    assert told["systemMessage"].startswith("ultrawork: not on. ")
    assert hook("Stop", last_assistant_message="Done.") == {}


@pytest.mark.parametrize("given", ["", "state", "./state", "../state", "~/state"])
def test_without_a_state_folder_only_who_asks_for_it_hears_why(hook, given):
    """A relative folder would be another one in each directory; it is named, and nothing is made."""
    hook.scene.environ.update({"HOME": "", "ULTRAWORK_HOME": given})
    before = sorted(os.listdir(hook.scene.place))
    told = hook("UserPromptSubmit", prompt="ulw fix it")
    assert told["systemMessage"].startswith("ultrawork: not on. ")
    assert "ULTRAWORK_HOME" in told["systemMessage"]
    assert hook("UserPromptSubmit", words=[], prompt="ulw fix it") == told
    assert hook("UserPromptSubmit", prompt="fix it") == {}
    for event in [*QUIET, "SessionStart", "UserPromptExpansion"]:
        assert hook(event, source="startup", command_name="ultrawork:ulw", prompt="ulw x") == {}
    hook.scene.environ["ULTRAWORK_DISABLE"] = "1"
    assert hook("UserPromptSubmit", prompt="ulw fix it") == {}
    assert sorted(os.listdir(hook.scene.place)) == before


def test_a_relative_state_folder_is_not_looked_into(hook):
    """What lies there by chance switches nothing on and is not started as an interpreter."""
    scene = hook.scene
    for folder in ("active", "cache"):
        os.makedirs(f"{scene.place}/state/{folder}")
    scene.write(f"state/active/{SESSION}", "{}")
    scene.write("state/cache/python", f"{scene.write('trap', '#!/bin/sh' + chr(10) + 'touch trapped')}\n")
    os.chmod(f"{scene.place}/trap", 0o755)
    scene.environ["ULTRAWORK_HOME"] = "state"
    assert hook("Stop", last_assistant_message="Done.") == {}
    assert "not on" in hook("UserPromptSubmit", prompt="ulw fix it")["systemMessage"]
    assert not os.path.exists(f"{scene.place}/trapped")


@pytest.mark.parametrize("note", ["", "\n", "/\n", "{root}\n", "/nowhere/python\n", "{root}/plain\n"])
def test_a_spoiled_note_of_the_interpreter_is_written_again(hook, note):
    scene = hook.scene
    with open(f"{scene.root}/plain", "w", encoding="utf-8"):
        pass
    with open(f"{scene.home}/cache/python", "w", encoding="utf-8") as file:
        file.write(note.replace("{root}", scene.root))
    assert hook("UserPromptSubmit", prompt="ulw help")["stopReason"].startswith("ultrawork:")
    with open(f"{scene.home}/cache/python", encoding="utf-8") as file:
        assert os.path.isfile(file.read().rstrip("\n"))


def test_a_folder_in_place_of_the_note_does_no_harm(hook):
    os.unlink(f"{hook.scene.home}/cache/python")
    os.mkdir(f"{hook.scene.home}/cache/python")
    assert hook("UserPromptSubmit", prompt="ulw help")["stopReason"].startswith("ultrawork:")


def test_an_id_that_leads_elsewhere_removes_nothing(on):
    scene = on.scene
    scene.environ.update({"CLAUDE_CODE_SESSION_ID": "../ultrawork.db", "ULTRAWORK_DISABLE": "1"})
    assert on("Stop", last_assistant_message="Done.") == {}
    assert os.path.exists(f"{scene.home}/ultrawork.db")


@pytest.mark.slow
def test_without_git_the_files_are_walked(hook, tmp_path):
    scene = hook.scene
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "make", "grep", "echo", "sleep", "cat", "env"):
        for folder in ("/bin", "/usr/bin"):
            if os.path.exists(f"{folder}/{name}"):
                os.symlink(f"{folder}/{name}", programs / name)
                break
    scene.environ["PATH"] = str(programs)
    assert hook("UserPromptSubmit", prompt="ulw change it")["systemMessage"].startswith("ultrawork: on.")
    scene.write("app.txt", "wrong\n")
    assert hook("Stop", last_assistant_message="Done.")["decision"] == "block"


@pytest.mark.slow
def test_a_program_that_dies_in_the_middle_leaves_the_session_stoppable(on):
    """kill -9 at any moment: the next stop is decided from what was committed."""
    scene = on.scene
    scene.write("check.sh", "sleep 20\n")
    given = json.dumps({"session_id": SESSION, "cwd": scene.place, "hook_event_name": "Stop", "permission_mode": "bypassPermissions", "last_assistant_message": "Done."})  # fmt: skip
    child = subprocess.Popen(
        ["/bin/sh", LAUNCHER, "Stop"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=scene.environ, cwd=scene.place,
    )  # fmt: skip
    child.stdin.write(given.encode())
    child.stdin.close()
    running = f"{scene.home}/running/{SESSION}"
    import time

    deadline = time.monotonic() + 60
    while not os.path.exists(running) and time.monotonic() < deadline:
        time.sleep(0.05)
    child.kill()
    child.wait()
    scene.write("check.sh", QUICK["check.sh"])
    scene.write("app.txt", "right and good\n")
    assert "PASS" in on("Stop", last_assistant_message="Done.")["systemMessage"]


def test_the_goal_of_the_sample_is_armed_with_its_own_words(tmp_path):
    hook = Launcher(Scene(str(tmp_path)))
    told = hook("UserPromptSubmit", prompt=f"ulw {GOAL}")
    assert told["hookSpecificOutput"]["sessionTitle"] == GOAL


def test_every_answer_comes_before_the_client_gives_up():
    for event in HANDLERS:
        assert event not in LATEST or LATEST[event] < TIMEOUTS[event]
        assert event in LATEST or TIMEOUTS.get(event, 60) > LATE


@pytest.mark.release
@pytest.mark.slow
def test_a_git_that_hangs_is_given_up_and_told(hook, quick, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "git").write_text("#!/bin/sh\nexec sleep 271.8\n")
    (programs / "git").chmod(0o755)
    quick.environ["PATH"] = f"{programs}:{quick.environ['PATH']}"
    began = time.monotonic()
    told = hook("UserPromptSubmit", prompt="ulw change the words")
    assert time.monotonic() - began < TIMEOUTS["UserPromptSubmit"]
    assert told["systemMessage"].startswith("ultrawork: not on. ")
    running = subprocess.run(["ps", "ax"], capture_output=True, text=True, check=True)
    assert "sleep 271.8" not in running.stdout
