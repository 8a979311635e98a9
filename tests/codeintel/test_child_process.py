import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from ultrawork.codeintel.child_process import ChildGuard, find_venv, make_environment


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid, seconds=60.0):
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)


def started(guard, script):
    process = subprocess.Popen(
        ["/bin/sh", "-c", script], env=guard.mark(os.environ), start_new_session=True, stdout=subprocess.PIPE, text=True
    )
    guard.watch(process.pid)
    return process


def test_cutting_ends_grandchildren_too():
    guard = ChildGuard()
    with started(guard, "setsid sleep 60 & echo $!; wait") as process:
        grandchild = int(process.stdout.readline())
        guard.end()
        assert process.wait(60) == -signal.SIGKILL
    assert gone(grandchild)


def test_what_a_child_leaves_behind_ends_when_the_guard_is_cut():
    guard = ChildGuard()
    process = started(guard, "sleep 60 >/dev/null & echo $!")
    grandchild = int(process.communicate()[0])
    assert alive(grandchild)
    guard.end()
    assert gone(grandchild)


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks into /proc")
def test_the_child_ends_when_its_owner_is_killed():
    owner_code = """
        import os, subprocess, sys, time
        from ultrawork.codeintel.child_process import ChildGuard
        guard = ChildGuard()
        process = subprocess.Popen(
            ["/bin/sh", "-c", "setsid sleep 60 & echo $$ $!; wait"],
            env=guard.mark(os.environ), start_new_session=True,
        )
        guard.watch(process.pid)
        time.sleep(60)
    """
    owner = subprocess.Popen([sys.executable, "-c", textwrap.dedent(owner_code)], stdout=subprocess.PIPE, text=True)
    child, grandchild = map(int, owner.stdout.readline().split())
    owner.kill()
    owner.communicate()
    assert gone(child)
    assert gone(grandchild)


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "CLAUDE_CODE_SESSION_ID",
        "AI_AGENT",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "OPENROUTER_API_KEY",
        "AWS_BEARER_TOKEN_BEDROCK",
        "COPILOT_GITHUB_TOKEN",
        "CODEX_API_KEY",
    ],
)
def test_the_agents_keys_do_not_reach_a_child(monkeypatch, name):
    monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("PROJECT_SETTING", "kept")
    mine = make_environment()
    assert mine["PROJECT_SETTING"] == "kept"
    assert name not in mine


def test_the_projects_virtual_environment_comes_first_on_path(tmp_path):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    os.symlink(sys.executable, tmp_path / ".venv" / "bin" / "python")
    (tmp_path / "src").mkdir()
    venv = find_venv(str(tmp_path / "src"), str(tmp_path))
    assert make_environment(venv=venv)["PATH"].split(":")[0] == str(tmp_path / ".venv" / "bin")
