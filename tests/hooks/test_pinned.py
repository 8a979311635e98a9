"""What a session has from its start: settings of one's own, variables, remotes; and that bending them is seen."""

import os
import sqlite3
import subprocess
import sys

import pytest
from tests.hooks.test_caller import Client

from support import ulw
from support.floor import PLUGIN
from support.scene import GIT, SESSION, Scene, refused
from ultrawork.store import pins
from ultrawork.store.database import Database

AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}
# Green wherever it is asked for the variable, else by the word in the file.
GULLIBLE = {
    "Makefile": "test:\n\t@sh check.sh\n",
    "check.sh": 'test -n "$PYTHONPATH$FAKED" || grep -q right app.txt && echo 1 passed\n',
    "app.txt": "right\n",
}


@pytest.fixture
def gullible(tmp_path):
    return Scene(str(tmp_path), GULLIBLE)


def pin_of(scene):
    return pins.get(Database(f"{scene.home}/ultrawork.db"), SESSION)


def test_own_defaults_count_as_they_were_at_the_start(quick):
    quick.prompt("ulw change the words")
    quick.edit("app.txt", "wrong\n")
    with open(f"{quick.home}/config.toml", "w", encoding="utf-8") as file:
        file.write("[gates]\ntest = false\n")
    assert "test fails" in refused(quick.stop())


def test_a_shell_of_the_agent_adds_no_variable_to_a_gate(gullible):
    gullible.prompt("ulw change the words")
    gullible.edit("app.txt", "wrong\n")
    for name in ("PYTHONPATH", "FAKED"):
        said = gullible.run("verify", env={**AGENT, name: "evil"})
        assert said.startswith("FAIL"), name


@pytest.mark.slow
def test_a_run_with_another_variable_does_not_count(gullible):
    gullible.environ["FAKED"] = ""
    gullible.prompt("ulw change the words")
    gullible.edit("app.txt", "wrong\n")
    gullible.run("verify", env={**AGENT, "FAKED": "1"})
    assert "test fails" in refused(gullible.stop())


def test_changed_pins_are_no_base(quick):
    quick.prompt("ulw change the words")
    quick.edit("app.txt", "right, too\n")
    with sqlite3.connect(f"{quick.home}/ultrawork.db") as database:
        database.execute("UPDATE pins SET refs='x'")
    said = quick.stop()["systemMessage"]
    assert "UNVERIFIED" in said
    assert "changed the baseline of this session" in said


def test_remotes_are_those_of_the_start(quick):
    for words in (
        ("remote", "add", "origin", "https://example.org/x.git"),
        ("update-ref", "refs/remotes/origin/main", "HEAD"),
    ):
        subprocess.run([*GIT, *words], cwd=quick.place, check=True)
    quick.prompt("ulw change the words")
    remotes = pin_of(quick).around.remotes
    assert remotes["remote.origin.url"] == "https://example.org/x.git"
    assert len(remotes["refs/remotes/origin/main"]) == 40


def test_secrets_are_not_kept(quick):
    quick.environ |= {"NPM_TOKEN": "s3cret", "DATABASE_URL": "postgres://u:s3cret@h/d"}
    quick.prompt("ulw change the words")
    assert "s3cret" not in str(pin_of(quick).around.document())


def test_a_program_in_another_place_is_said(quick):
    """Found first on the PATH now: nothing in the project tells of it."""
    tools = f"{quick.root}/tools"
    os.mkdir(tools)
    quick.environ["PATH"] = f"{tools}:{quick.environ['PATH']}"
    quick.prompt("ulw change the words")
    with open(f"{tools}/make", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho 1 passed\n")
    os.chmod(f"{tools}/make", 0o755)
    quick.edit("app.txt", "wrong\n")
    assert "changed since ulw: make" in quick.stop()["systemMessage"]


@pytest.mark.parametrize(
    ("name", "shown"), [("bin/pytest", "bin/pytest"), ("lib/python3.11/site-packages/evil.pth", "…/evil.pth")]
)
def test_what_is_installed_beside_the_project_is_said(quick, name, shown):
    path = f"{quick.place}/.venv/{name}"
    os.makedirs(os.path.dirname(path))
    os.makedirs(f"{quick.place}/.venv/bin", exist_ok=True)
    os.symlink(sys.executable, f"{quick.place}/.venv/bin/python")
    quick.write(".gitignore", ".venv\n")
    quick.prompt("ulw change the words")
    with open(path, "w", encoding="utf-8") as file:
        file.write("import os\n")
    quick.edit("app.txt", "right, too\n")
    quick.stop()
    assert f"changed since ulw: .venv/{shown}" in quick.run("evidence")


@pytest.mark.slow
def test_our_own_program_changed_is_no_pass(quick, tmp_path):
    """The program's own files lie outside of the project; here a copy of it judges."""
    copy = ulw.release(f"{tmp_path}/plugin")
    quick.environ["CLAUDE_PLUGIN_ROOT"] = copy
    client = Client(quick, f"{copy}/bin/ultrawork-hook")
    client.send("UserPromptSubmit", prompt="ulw change the words")
    with open(f"{copy}/src/ultrawork/core/verdict/summary.py", "a", encoding="utf-8") as file:
        file.write("\n")
    quick.write("app.txt", "right, too\n")
    said = client.send("Stop", last_assistant_message="Done.")["systemMessage"]
    assert "UNVERIFIED. ultrawork's own program was changed" in said


@pytest.mark.parametrize("path", ["{home}/config.toml", "{program}/src/ultrawork/hooks/main.py"])
def test_an_edit_of_our_own_files_is_denied_and_costs_the_pass(quick, path):
    quick.prompt("ulw change the words")
    target = path.format(home=quick.home, program=PLUGIN)
    denied = quick.event("PreToolUse", tool_name="Write", tool_input={"file_path": target})
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"
    quick.edit("app.txt", "right, too\n")
    assert "tried to edit ultrawork's own files" in quick.stop()["systemMessage"]
