"""Into the real clients and out again: what is installed works, and nothing of it is left afterwards."""

import json
import os
import shutil
import stat

import pytest

from support import process, ulw
from support.effort import rows_of
from support.floor import PLUGIN
from support.ulw import PYTHON, script

pytestmark = pytest.mark.client

QUESTION = [{"match": {"agent": "main"}, "reply": {"text": "It sorts names."}}]
# What clients keep for themselves whenever they are started, with us or without.
NOISE = ("/.claude.json", "/.claude/backups", "/.claude/telemetry", "/.codex/tmp", "/.codex/log")


@pytest.fixture
def home(tmp_path):
    """A HOME with nothing in it."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def read_all(seat):
    found = {}
    for top in (seat.home, seat.project):
        for folder, folders, files in os.walk(top):
            found |= dict.fromkeys((f"{folder}/{name}" for name in folders), b"")
            for name in files:
                with open(f"{folder}/{name}", "rb") as file:
                    found[f"{folder}/{name}"] = file.read()
    return {path: data for path, data in found.items() if not any(one in path for one in NOISE)}


def call(seat, *words):
    """Our own program where the person has the client."""
    path = f"{os.path.dirname(seat.program)}:{seat.env['PATH']}"
    env = {**seat.env, "PATH": path}
    argv = [f"{PLUGIN}/bin/ultrawork", *words]
    return process.run(argv, env=env, cwd=seat.project, timeout=150).checked()


def settle(seat):
    """A person with settings of their own, whose client was started before."""
    os.makedirs(f"{seat.home}/.claude", exist_ok=True)
    with open(f"{seat.home}/.claude/settings.json", "w", encoding="utf-8") as file:
        file.write('{"theme":   "dark"}\n')


@pytest.mark.parametrize("client", ["claude", "codex"])
def test_what_was_installed_works_and_leaves_no_byte_behind(client, newest, codex, project):
    ulw.make(str(project), PYTHON)
    seat = newest(QUESTION) if client == "claude" else codex(QUESTION)
    settle(seat)
    before = read_all(seat)
    call(seat, "install", "--client", client, "--statusline", "--yes")
    listed = seat.call("plugin", "list").checked().out
    assert "ultrawork@ultrawork" in listed
    answer = json.loads(call(seat, "uninstall", "--state", "--yes", "--json").out)["data"]
    assert answer["by_hand"] == []
    assert read_all(seat) == before


def test_after_a_session_the_client_takes_the_plugin_out(newest, project):
    """Running changes the client's own files: then its own commands remove our part, and settings stay."""
    ulw.make(str(project), PYTHON)
    seat = newest(QUESTION)
    settle(seat)
    call(seat, "install", "--client", "claude", "--yes")
    seat.run("what does it do?")
    with open(f"{seat.home}/.claude/settings.json", "r+", encoding="utf-8") as file:
        found = {**json.load(file), "later": True}
        file.seek(0)
        json.dump(found, file)
        file.truncate()
    call(seat, "uninstall", "--state", "--yes")
    assert "ultrawork" not in seat.call("plugin", "list").checked().out
    with open(f"{seat.home}/.claude/settings.json", encoding="utf-8") as file:
        left = json.load(file)
    assert (left["theme"], left["later"]) == ("dark", True)
    assert "ultrawork" not in json.dumps(left)
    assert not os.path.exists(f"{seat.home}/.claude/ultrawork")


def test_a_session_without_the_word_starts_python_for_its_prompt_alone(newest, project, tmp_path):
    ulw.make(str(project), PYTHON)
    starts, stand_in = tmp_path / "starts", tmp_path / "python3"
    real = shutil.which("python3")
    stand_in.write_text(f'#!/bin/sh\necho "$*" >>"{starts}"\nexec "{real}" "$@"\n')
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    seat = newest(script([ulw.FIX, ulw.sh("ls")]))
    state = tmp_path / "home" / ".claude" / "ultrawork" / "cache"
    state.mkdir(parents=True)
    (state / "python").write_text(f"{stand_in}\n")
    seat.run("sort the names", plugins=[PLUGIN], mode="bypassPermissions")
    hooks = [line for line in starts.read_text().splitlines() if "hooks/start.py" in line]
    assert [line.split()[-1] for line in hooks] == ["UserPromptSubmit"]


EVALS = sorted(name for name in os.listdir(f"{PLUGIN}/evals") if name != "README.md")


@pytest.mark.parametrize("count", rows_of([1, len(EVALS)], in_ci=[1]))
def test_the_evals_are_read_by_the_clients_own_command(newest, tmp_path, count):
    shutil.copytree(PLUGIN, tmp_path / "plugin")
    for name in EVALS[count:]:
        shutil.rmtree(tmp_path / "plugin" / "evals" / name)
    seat = newest(QUESTION)
    words = ("--no-publish", "--trust-plugin", "--runs", "1", "--ablation", "none")
    path = tmp_path / "result.json"
    done = seat.call("plugin", "eval", str(tmp_path / "plugin"), *words, "--json", str(path), timeout=200)
    assert "failed to load" not in done.out + done.err
    cases = {case["name"] for case in json.loads(path.read_text())["cases"]}
    assert cases == set(EVALS[:count])


@pytest.mark.release
def test_gemini_with_our_hooks_sends_a_lie_back_and_leaves_no_byte_behind(gemini, project):
    ulw.make(str(project), PYTHON)
    lie = [{"match": {"agent": "main"}, "reply": {"text": "Done. All tests pass."}}]
    seat = gemini(lie)
    before = read_all(seat)
    call(seat, "install", "--client", "gemini", "--yes")
    done = seat.run(f"ulw {ulw.GOAL}", flags=["--yolo"])
    assert "ultrawork: on. Done means" in done.err
    assert "ultrawork: UNVERIFIED." in done.err
    assert "sent back" in json.dumps(seat.model.requests[-1]["body"])
    assert json.loads(call(seat, "uninstall", "--state", "--yes", "--json").out)["data"]["by_hand"] == []
    after = read_all(seat)
    assert {path for path in after if "ultrawork" in path} == set()
    assert after[f"{seat.home}/.gemini/settings.json"] == before[f"{seat.home}/.gemini/settings.json"]
