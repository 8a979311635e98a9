"""The person's verbs need a terminal of their own, whatever the variables say; no verb of theirs makes a PASS."""

import os
import shlex
import sqlite3
import subprocess
import sys
import time

import pytest

from support.floor import PLUGIN, TERMINAL, Console
from support.scene import GOAL, Scene
from support.terminal import Terminal
from ultrawork.cli.main import main
from ultrawork.gates.session import pinning
from ultrawork.store import pins
from ultrawork.store.paths import find_home
from ultrawork.store.store import Store

SCRIPT = {"CLAUDECODE": "", "CLAUDE_CODE_SESSION_ID": ""}
VERBS = [("accept", "fine"), ("gates", "allow"), ("session", "set", "--plan-approved")]


@pytest.fixture
def scene(tmp_path):
    return Scene(str(tmp_path))


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_without_a_terminal_nobody_is_the_person(program, words):
    program.done("session", "new", "--goal", "x")
    answer = program.run(*words, env=SCRIPT)
    assert answer.status == 5
    assert "in their own terminal" in answer.err


CONFIGURE = "#!/bin/sh\necho made > Makefile\n"


def _write(program, name, text, mode=0o644):
    with open(f"{program.place}/{name}", "w") as file:
        file.write(text)
    os.chmod(file.name, mode)


def test_what_gates_need_is_run_after_a_yes_alone(program):
    """Without a terminal the command is named, not run; in scripts `--yes` says it; without a manifest: 4."""
    assert program.run("gates", "prepare", "--yes", env=SCRIPT).status == 4
    _write(program, "Makefile.am", "")
    _write(program, "configure", CONFIGURE, 0o755)
    asked = program.run("gates", "prepare", env=SCRIPT)
    assert asked.status == 5
    assert "only the user can approve this" in asked.err
    assert not os.path.exists(f"{program.place}/Makefile")
    (done,) = program.done("gates", "prepare", "--yes", "--json").data["prepared"]
    assert (done["command"], done["exit"]) == ("./configure", 0)
    assert os.path.exists(f"{program.place}/Makefile")


@pytest.mark.parametrize(("answer", "made"), [("y", True), ("n", False)])
def test_a_person_says_yes_or_no_at_the_terminal(program, answer, made):
    _write(program, "Makefile.am", "")
    _write(program, "configure", CONFIGURE, 0o755)
    program.remember_python()
    argv = ["/bin/sh", "-c", f'"{PLUGIN}/bin/ultrawork" gates prepare; echo ended $?']
    with Terminal(argv, env=program.environ, cwd=program.place) as terminal:
        asked = terminal.wait_for("Run this? [y/N]")
        assert "./configure" in asked
        assert not os.path.exists(f"{program.place}/Makefile")
        terminal.submit(answer)
        ended = terminal.wait_for("ended 0")
    assert os.path.exists(f"{program.place}/Makefile") is made
    assert ("nothing was run" in ended) is not made


def test_what_failed_to_install_is_one_sentence_and_exit_1(program):
    _write(program, "Makefile.am", "")
    _write(program, "configure", "#!/bin/sh\necho configure: error: no C compiler\nexit 77\n", 0o755)
    failed = program.run("gates", "prepare", "--yes", env=SCRIPT)
    assert failed.status == 1
    assert failed.out.endswith("exit 77: ./configure; configure: error: no C compiler\n")


@pytest.mark.parametrize(("name", "status"), [("sh", 4), ("claude", 5)])
def test_a_terminal_beneath_an_agent_is_not_the_persons(program, tmp_path, name, status):
    """An agent can make a terminal, but not one that does not descend from it. No gate is found there: 4."""
    script = f'"{PLUGIN}/bin/ultrawork" gates allow; echo ended $?'
    start = f"import os; os.execv('/bin/sh', [{name!r}, '-c', {script!r}])"
    program.remember_python()
    argv = [sys.executable, "-c", start]
    with Terminal(argv, env=program.environ, cwd=program.place) as terminal:
        terminal.wait_for(f"ended {status}")


@pytest.mark.slow
@pytest.mark.parametrize("words", [*VERBS, ("features", "on")], ids=" ".join)
def test_a_terminal_that_nobody_opened_needs_the_code_of_the_client(program, tmp_path, words):
    """Its shell was detached from whoever started it, after a session began here."""
    program.done("session", "new", "--goal", "x")
    program.remember_python()
    log = f"{tmp_path}/said"
    command = f"{shlex.join([f'{PLUGIN}/bin/ultrawork', *words])} >{log} 2>&1; echo ended $? >>{log}"
    argv = ["setsid", "-f", "script", "-qec", command, "/dev/null"]
    subprocess.run(argv, env=program.environ, cwd=program.place, check=True, timeout=30, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # fmt: skip
    end = time.monotonic() + 30
    said = ""
    while "ended" not in said and time.monotonic() < end:
        time.sleep(0.05)
        said = _read(log)
    assert "Your client shows a code" in said
    assert "ended 5" in said


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def test_a_task_of_a_conducted_session_is_settled_by_hand_only_at_a_terminal(program):
    """A pin tells that the program conducts it; the verdict tells what was settled so."""
    name = program.done("session", "new", "--goal", "x", "--json").data["session_id"]
    program.done("task", "create", "--id", "a", "--subject", "sort")
    store = Store(find_home(program.environ), actor="person", clock=time.time)
    with store.change(name) as change:
        pins.save(change, pinning.pin(program.place, store, program.environ))
    words = ("task", "update", "--id", "a", "--status", "resolved", "--add-evidence", "seen")
    with Console(program.place, b""):
        assert main(words, program.environ, str) == 5
    program.done("task", "claim", "--owner", "me", "--id", "a")
    program.done(*words)
    program.call("verify", "--session", name)
    assert "marked done by hand: a" in program.call("evidence", "--session", name).out


@pytest.mark.slow
def test_where_it_was_said_is_written_down(scene):
    scene.prompt(f"ulw {GOAL}")
    scene.edit("book.py", "def broken(:\n")
    scene.stop()
    said = scene.run("accept", "I know")
    assert said.startswith("UNVERIFIED: ")
    with sqlite3.connect(f"{scene.home}/ultrawork.db") as database:
        (told,) = database.execute("SELECT data FROM events WHERE kind='findings.accepted'")
    assert TERMINAL in told[0]
