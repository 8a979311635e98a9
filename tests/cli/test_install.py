"""`ultrawork install` records what it changes, and `ultrawork uninstall` takes back exactly that."""

import json
import os
import re
import subprocess

import pytest

from support.floor import PATH, Program
from support.scene import GIT, QUICK, Scene

# Clients in small: each writes what its own commands write, and says what it was asked.
CLAUDE = """\
[ "$1" = --version ] && { echo "2.1.325 (Claude Code)"; exit; }
echo "$*" >>"$HOME/../asked"
case "$*" in
"plugin marketplace add"*) mkdir -p "$HOME/.claude/plugins"; echo '{"ultrawork": 1}' >"$HOME/.claude/plugins/known_marketplaces.json" ;;
"plugin install"*) mkdir -p "$HOME/.claude/plugins/cache/ultrawork"; echo x >"$HOME/.claude/plugins/cache/ultrawork/x"; echo '{"enabledPlugins": 1}' >"$HOME/.claude/settings.json" ;;
esac
"""
CODEX = """\
[ "$1" = --version ] && { echo "codex-cli 0.169.0"; exit; }
echo "$*" >>"$HOME/../asked"
mkdir -p "$HOME/.codex/plugins/cache/ultrawork"
echo "$*" >>"$HOME/.codex/config.toml"
echo x >"$HOME/.codex/plugins/cache/ultrawork/x"
"""
OWN = '{"theme":   "dark",\n\n "statusLine": {"type": "command", "command": "echo mine"}}\n'


@pytest.fixture
def person(tmp_path):
    """Somebody with settings of their own, two clients, and a project."""
    made = Program(str(tmp_path))
    home, programs = tmp_path / "home", tmp_path / "programs"
    for name, text in {
        "home/.claude/settings.json": OWN,
        "home/.gemini/settings.json": '{"hooks": {"BeforeAgent": []}}',
        "home/.codex/config.toml": 'model = "m"\n',
        "project/a.py": "x = 1\n",
        "programs/claude": f"#!/bin/sh\n{CLAUDE}",
        "programs/codex": f"#!/bin/sh\n{CODEX}",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if path.parent == programs else 0o644)
    subprocess.run([*GIT, "init", "-q"], cwd=made.place, check=True)
    made.environ = {"HOME": str(home), "PATH": f"{home}/.local/bin:{programs}:{PATH}"}
    return made


def read_all(*folders):
    """Every path below with its bytes; a folder has none."""
    found = {}
    for top in folders:
        for folder, folders_in, files in os.walk(top):
            found |= dict.fromkeys((f"{folder}/{name}" for name in folders_in), b"")
            for name in files:
                with open(f"{folder}/{name}", "rb") as file:
                    found[f"{folder}/{name}"] = file.read()
    return found


def home_of(person):
    return person.environ["HOME"]


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_uninstalling_leaves_every_byte_as_it_was(person, client):
    before = read_all(home_of(person), person.place)
    words = ("--client", client, "--statusline", "--features", "all", "--yes")
    person.done("install", *words)
    assert read_all(home_of(person), person.place) != before
    answer = person.done("uninstall", "--state", "--yes", "--json")
    assert answer.data["by_hand"] == []
    assert read_all(home_of(person), person.place) == before


def test_each_change_is_shown_and_nothing_happens_without_a_yes(person):
    before = read_all(home_of(person))
    answer = person.call("install", "--client", "gemini", "--statusline", stdin=b"n\n")
    assert answer.out == "nothing was changed\n"
    shown = [line.strip() for line in answer.err.splitlines()]
    home = home_of(person)
    assert f'write {home}/.gemini/settings.json: "hooks" with the name "ultrawork"' in shown
    assert any(line.startswith(f"link {home}/.local/bin/ultrawork -> ") for line in shown)
    after = read_all(home)
    assert {path: after[path] for path in after if "/.claude/ultrawork" not in path} == before


def test_a_change_that_cannot_be_made_is_named_with_its_cause(person):
    with open(f"{home_of(person)}/.local", "w", encoding="utf-8") as file:
        file.write("a file, where a folder has to be made")
    answer = person.call("install", "--yes")
    assert answer.status == 6
    assert answer.err.startswith(f"ultrawork: could not link {home_of(person)}/.local/bin/ultrawork -> ")
    assert answer.err.endswith("; fix that and run ultrawork install again\n")


def test_what_cannot_be_recorded_is_not_changed(person):
    os.makedirs(f"{home_of(person)}/.claude/ultrawork/installed.json")
    answer = person.call("install", "--yes")
    assert answer.status == 6
    assert "installed.json (Is a directory), so nothing was changed; " in answer.err
    assert not os.path.lexists(f"{home_of(person)}/.local/bin/ultrawork")


def test_a_second_install_has_nothing_left_to_link(person):
    person.done("install", "--yes")
    assert person.done("install", "--yes", "--json").data["changes"] == []


def test_a_link_of_ours_is_no_conflict_where_its_folder_is_not_on_the_path(person):
    person.environ["PATH"] = PATH
    person.done("install", "--yes")
    assert person.done("install", "--yes", "--json").data["changes"] == []


def test_the_linked_program_runs(person):
    person.done("install", "--yes")
    for name in ("ultrawork", "ulw"):
        path = f"{home_of(person)}/.local/bin/{name}"
        done = subprocess.run([path, "version"], env=person.environ, capture_output=True, check=True)
        assert done.stdout.strip()


def test_the_status_line_of_the_person_stays_and_comes_first(person):
    person.done("install", "--statusline", "--yes")
    with open(f"{home_of(person)}/.claude/settings.json", encoding="utf-8") as file:
        command = json.load(file)["statusLine"]["command"]
    done = subprocess.run(
        ["sh", "-c", command], input=b"{}", env=person.environ, cwd=person.place, capture_output=True, check=True
    )
    assert done.stdout == b"mine\n"


def test_of_a_file_that_was_changed_since_only_our_part_goes(person):
    home = home_of(person)
    person.done("install", "--client", "gemini", "--statusline", "--yes")
    for name in (".gemini/settings.json", ".claude/settings.json"):
        with open(f"{home}/{name}", encoding="utf-8") as file:
            found = json.load(file)
        with open(f"{home}/{name}", "w", encoding="utf-8") as file:
            json.dump({**found, "later": True}, file)
    assert person.done("uninstall", "--yes", "--json").data["by_hand"] == []
    with open(f"{home}/.gemini/settings.json", encoding="utf-8") as file:
        assert json.load(file) == {"later": True}
    with open(f"{home}/.claude/settings.json", encoding="utf-8") as file:
        left = json.load(file)
    assert left == {**json.loads(OWN), "later": True}


def test_what_a_client_changed_since_is_taken_out_by_its_own_commands(person, tmp_path):
    person.done("install", "--client", "claude", "--yes")
    with open(f"{home_of(person)}/.claude/settings.json", "a", encoding="utf-8") as file:
        file.write("\n")
    person.done("uninstall", "--yes")
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[-2:] == ["plugin uninstall ultrawork@ultrawork", "plugin marketplace remove ultrawork"]


def test_a_file_that_is_in_the_way_is_named_and_left_alone(person):
    os.makedirs(f"{home_of(person)}/.local/bin")
    path = f"{home_of(person)}/.local/bin/ultrawork"
    with open(path, "w", encoding="utf-8") as file:
        file.write("another program")
    answer = person.call("install", "--yes")
    assert (answer.status, f"{path} already exists and is not ours" in answer.err) == (5, True)


def test_a_client_that_is_not_installed_is_named_with_how_to_get_it(person):
    os.unlink(f"{person.root}/programs/codex")
    answer = person.call("install", "--client", "codex", "--yes")
    assert answer.status == 4
    assert "is not installed: npm install -g @openai/codex" in answer.err


def test_state_that_a_live_session_uses_stays(tmp_path):
    scene = Scene(str(tmp_path / "scene"), QUICK)
    scene.prompt("ulw change the words")
    program = Program(str(tmp_path))
    program.place, program.environ = scene.place, scene.environ
    answer = program.call("uninstall", "--state", "--yes")
    assert answer.status == 5
    assert "is still on" in answer.err
    assert "ultrawork cancel --session" in answer.err
    assert os.path.exists(f"{scene.home}/ultrawork.db")


def test_refs_and_notes_in_projects_and_what_agents_said_go_with_the_state(person):
    home, state = home_of(person), f"{home_of(person)}/.claude/ultrawork"
    person.done("session", "new", "--goal", "x")
    git = [*GIT, "-C", person.place]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    for ref in ("refs/notes/ultrawork", "refs/ultrawork/s/base", "refs/heads/mine"):
        subprocess.run([*git, "update-ref", ref, "HEAD"], check=True)
    said = f"{home}/.claude/projects/{re.sub('[^A-Za-z0-9]', '-', state)}-worktrees-1"
    mine = f"{home}/.claude/projects/-home-me-project"
    os.makedirs(said)
    os.makedirs(mine)
    person.done("uninstall", "--state", "--yes")
    left = subprocess.run([*git, "for-each-ref", "--format=%(refname)"], capture_output=True, check=True)
    assert left.stdout.decode().split() == ["refs/heads/main", "refs/heads/mine"]
    assert (os.path.exists(said), os.path.exists(mine), os.path.exists(state)) == (False, True, False)
