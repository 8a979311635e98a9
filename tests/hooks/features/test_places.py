"""A project's features are on wherever in it a session runs: in a sub-folder, and in its worktrees."""

import json
import os
import subprocess

import pytest

from support.floor import PLUGIN
from support.scene import GIT, SESSION
from ultrawork.store.omc import features
from ultrawork.store.omc.folder import Omc

KILL = {"tool_name": "Bash", "tool_input": {"command": "pkill -f node"}, "tool_use_id": "u"}


def git(place, *words):
    subprocess.run([*GIT, *words], cwd=place, check=True, capture_output=True)


def told(project, place, **environ):
    """What the launcher answers to a session that was started in that folder."""
    given = {"session_id": SESSION, "cwd": place, "hook_event_name": "PreToolUse", **KILL}
    found = subprocess.run(
        ["/bin/sh", f"{PLUGIN}/bin/ultrawork-hook", "PreToolUse"],
        input=json.dumps(given).encode(),
        env={**project.environ, "CLAUDE_PROJECT_DIR": place, **environ},
        cwd=place,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert found.stderr == b""
    return b"would also kill this session" in found.stdout


@pytest.fixture
def worktree(project):
    """A linked worktree beside the checkout; `.omc` is ignored, so it has none of its own."""
    place = f"{project.root}/it's a worktree"
    git(project.place, "worktree", "add", "-q", "-b", "side", place)
    os.makedirs(f"{place}/deep/er")
    return place


def test_in_a_sub_folder(project):
    place = f"{project.place}/web/parts"
    os.makedirs(place)
    assert told(project, place)


def test_in_a_sub_folder_with_an_empty_folder_of_git(project):
    """Git passes such a folder by."""
    place = f"{project.place}/web/parts"
    os.makedirs(f"{place}/.git")
    assert told(project, place)


def test_in_a_linked_worktree_and_in_its_sub_folders(project, worktree):
    assert told(project, worktree)
    assert told(project, f"{worktree}/deep/er")


def test_in_a_worktree_that_names_its_checkout_by_a_relative_path(project, worktree):
    with open(f"{worktree}/.git", encoding="utf-8") as file:
        named = file.read().removeprefix("gitdir: ").strip()
    with open(f"{worktree}/.git", "w", encoding="utf-8") as file:
        file.write(f"gitdir: {os.path.relpath(named, worktree)}\n")
    assert told(project, worktree)


def test_what_a_worktree_says_itself_stands(project, worktree):
    features.switch_off(project.state_folder, Omc(worktree), [])
    assert not told(project, worktree)
    assert told(project, project.place)
    features.switch_on(project.state_folder, Omc(worktree), ["recovery"])
    features.switch_off(project.state_folder, project.omc, [])
    assert told(project, worktree)


def test_what_a_worktree_keeps_lies_in_itself(project, worktree):
    project.event("UserPromptSubmit", prompt="Always use tabs in this project.", cwd=worktree)
    assert os.path.exists(f"{worktree}/.omc/project-memory.json")
    assert not os.path.exists(project.omc.memory)


@pytest.mark.parametrize("kind", ["repository", "submodule"])
def test_a_repository_within_is_a_project_of_its_own(project, kind):
    place = f"{project.place}/vendor/lib"
    os.makedirs(place)
    git(place, "init", "-q")
    if kind == "submodule":
        os.makedirs(f"{project.place}/.git/modules")
        os.rename(f"{place}/.git", f"{project.place}/.git/modules/lib")
        with open(f"{place}/.git", "w", encoding="utf-8") as file:
            file.write("gitdir: ../../.git/modules/lib\n")
    assert not told(project, place)


def test_without_git_only_the_folder_itself_counts(project):
    os.rename(f"{project.place}/.git", f"{project.root}/gone")
    os.makedirs(f"{project.place}/web")
    assert told(project, project.place)
    assert not told(project, f"{project.place}/web")


@pytest.mark.parametrize("given", ["", ".", "web"])
def test_a_client_that_does_not_say_where_it_is_is_asked_by_its_folder(project, given):
    os.makedirs(f"{project.place}/web")
    assert told(project, f"{project.place}/web", CLAUDE_PROJECT_DIR=given)
