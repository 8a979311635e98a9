"""Requests for permission, answered by the hook in a real little repository."""

import json
import os
import subprocess

import pytest

from support.scene import GIT, SESSION
from ultrawork.hooks import main
from ultrawork.store import receipts
from ultrawork.store.paths import Home
from ultrawork.store.store import Store


@pytest.fixture
def asking(quick):
    """`asking(command)` is the behaviour that was decided: allow, deny, or empty for no opinion."""

    def ask(command, *, event="PermissionRequest", **more):
        fields = {"tool_name": "Bash", "tool_input": {"command": command}, **more}
        told = quick.event(event, **fields)
        return told.get("hookSpecificOutput", {}).get("decision", {}).get("behavior", "")

    ask.scene = quick
    quick.environ["CLAUDE_PROJECT_DIR"] = quick.place
    return ask


def settings(scene, rules, name="settings.json"):
    os.makedirs(f"{scene.place}/.claude", exist_ok=True)
    with open(f"{scene.place}/.claude/{name}", "w", encoding="utf-8") as file:
        json.dump({"permissions": rules}, file)


def audited(scene):
    path = f"{scene.home}/logs/audit.jsonl"
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_looking_is_permitted_and_written_down(asking):
    assert asking("git status --short") == "allow"
    (entry,) = audited(asking.scene)
    assert entry["kind"] == "permitted"
    assert entry["session"] == SESSION
    assert entry["command"] == "git status --short"


@pytest.mark.parametrize(
    "command",
    ["rm -rf /", "git status; rm x", "git branch -D main", "cat /etc/passwd", "git fetch", "", "make"],
)  # fmt: skip
def test_about_anything_else_there_is_no_opinion(asking, command):
    assert asking(command) == ""
    assert audited(asking.scene) == []


@pytest.mark.parametrize(
    "more",
    [
        {"tool_name": "mcp__shell__Bash"},
        {"tool_input": {"command": "git status", "dangerouslyDisableSandbox": True}},
        {"tool_input": {"command": ["git", "status"]}},
        {"tool_input": {}},
    ],
)
def test_only_a_plain_call_of_the_clients_own_shell_is_judged(asking, more):
    assert asking("git status", **more) == ""


def test_a_check_runs_without_asking_only_where_the_person_allowed_it(asking):
    scene = asking.scene
    assert asking("make test") == ""
    store = Store(Home(scene.home), actor="person", clock=lambda: 1.0)
    receipts.allow(store.database, scene.place, ["make test"], at=1.0, how="ulw gates allow")
    assert asking("make test") == "allow"
    assert asking("make lint") == ""
    assert asking("make test", permission_mode="plan") == ""


@pytest.mark.parametrize("kind", ["ask", "deny"])
def test_a_rule_of_the_person_comes_first(asking, kind):
    settings(asking.scene, {kind: ["Bash(git status:*)"]})
    assert asking("git status") == ""
    assert asking("git log") == "allow"


def test_what_cannot_be_written_down_is_not_permitted(asking):
    os.makedirs(f"{asking.scene.home}/logs/audit.jsonl")
    assert asking("git status") == ""


def test_a_folder_that_looks_like_a_repository_is_not_trusted(asking):
    """git takes the settings of the first repository it finds on the way up, and obeys them."""
    scene = asking.scene
    trap = f"{scene.place}/sub/trap"
    os.makedirs(f"{trap}/objects")
    scene.write("sub/trap/HEAD", "ref: refs/heads/main\n")
    assert asking("git status", cwd=trap) == ""
    assert asking("git status", cwd=f"{scene.place}/sub") == "allow"
    assert asking("ls", cwd=trap) == "allow"


def test_a_repository_inside_the_project_is_not_the_project(asking):
    scene = asking.scene
    inner = f"{scene.place}/inner"
    os.makedirs(inner)
    subprocess.run([*GIT, "init", "-q", inner], check=True, capture_output=True)
    assert asking("git status", cwd=inner) == ""


def test_a_link_that_leads_out_of_the_worktree_is_not_looked_through(asking):
    scene = asking.scene
    os.makedirs(f"{scene.place}/inner")
    os.symlink("/etc", f"{scene.place}/out")
    os.symlink(f"{scene.place}/inner", f"{scene.place}/in")
    assert asking("ls out") == ""
    assert asking("ls out/ssl") == ""
    assert asking("ls in") == "allow"


def test_nothing_else_in_the_hooks_can_permit():
    folder = os.path.dirname(main.__file__)
    texts = {}
    for inner, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".py"):
                with open(f"{inner}/{name}", encoding="utf-8") as file:
                    texts[name] = file.read()
    assert [name for name, text in texts.items() if "permit=True" in text] == ["permission_request.py"]
    assert [name for name, text in texts.items() if '"behavior": "allow"' in text] == ["event.py"]
    assert not any('"permissionDecision": "allow"' in text for text in texts.values())


def test_a_secret_in_a_permitted_command_is_masked_in_the_audit(asking):
    token = "ghp_" + "a" * 36
    assert asking(f"git log --grep={token}") == "allow"
    (entry,) = audited(asking.scene)
    assert token not in json.dumps(entry)
    assert "[redacted GitHub token]" in entry["command"]


def test_nothing_is_permitted_at_another_event(asking):
    assert asking("git status", event="PreToolUse") == ""


def submodule(scene):
    """A commit of another repository, in its own folder of the project."""
    inner = f"{scene.place}/lib"
    os.makedirs(inner)
    for words in (("init", "-q"), ("commit", "-q", "--allow-empty", "-m", "x")):
        subprocess.run([*GIT, *words], cwd=inner, check=True, capture_output=True)
    subprocess.run([*GIT, "add", "lib"], cwd=scene.place, check=True, capture_output=True)
    return inner


def test_git_is_not_asked_about_files_where_it_would_look_into_another_repository(asking, tmp_path):
    """The trap works: a submodule's settings lie in the worktree, and git runs the program they name."""
    scene = asking.scene
    assert asking("git status") == "allow"
    inner, sprung = submodule(scene), tmp_path / "sprung"
    scene.write("lib/.git/config", f'[core]\n\tfsmonitor = "touch {sprung}; false"\n')
    subprocess.run([*GIT, "status"], cwd=scene.place, check=True, capture_output=True)
    assert sprung.exists()
    assert os.path.exists(inner)
    for command in ("git status", "git diff", "git --no-pager diff --stat", "git log -p", "git show"):
        assert asking(command) == ""
    assert asking("git branch --list") == "allow"


def test_a_project_that_names_submodules_has_some(asking):
    asking.scene.write(".gitmodules", "")
    assert asking("git status") == ""


def test_an_index_that_cannot_be_read_may_hold_anything(asking):
    os.unlink(f"{asking.scene.place}/.git/index")
    os.makedirs(f"{asking.scene.place}/.git/index")
    assert asking("git status") == ""


def test_a_worktree_is_trusted_unless_its_settings_lie_where_agents_write(asking):
    scene = asking.scene
    place = f"{scene.root}/side"
    add = [*GIT, "worktree", "add", "-q", "-b", "side", place]
    subprocess.run(add, cwd=scene.place, check=True, capture_output=True)
    scene.environ["CLAUDE_PROJECT_DIR"] = place
    assert asking("git status", cwd=place) == "allow"
    with open(f"{place}/.git", "w", encoding="utf-8") as file:
        file.write("gitdir: trap\n")
    assert asking("git status", cwd=place) == ""


@pytest.mark.parametrize(
    "command",
    ["git branch --format='%(signature)'", "git branch --sort=signature:key", "git tag --sort=-signature",
     "git log --format=%GG", "ls -RL", "ls -lH"],
)  # fmt: skip
def test_what_runs_another_program_or_follows_links_is_not_in_the_table(asking, command):
    assert asking(command) == ""


@pytest.mark.parametrize(
    "setting", ["core.fsmonitor", "diff.external", "diff.x.textconv", "core.pager", "include.path"]
)
def test_where_the_repositorys_settings_may_name_a_program_the_person_is_asked(asking, setting):
    assert asking("git status") == "allow"
    subprocess.run([*GIT, "config", setting, "./evil"], cwd=asking.scene.place, check=True)
    for command in ("git status", "git diff", "git log"):
        assert asking(command) == ""


def test_where_a_hook_hears_of_the_index_the_person_is_asked(asking):
    asking.scene.write(".git/hooks/post-index-change", "#!/bin/sh\n")
    assert asking("git status") == ""


def test_in_a_linked_worktree_the_settings_of_its_repository_count(asking, tmp_path):
    scene = asking.scene
    other = f"{tmp_path}/linked"
    subprocess.run([*GIT, "worktree", "add", "-q", other], cwd=scene.place, check=True)
    scene.environ["CLAUDE_PROJECT_DIR"] = other
    assert asking("git status", cwd=other) == "allow"
    subprocess.run([*GIT, "config", "core.fsmonitor", "./evil"], cwd=scene.place, check=True)
    assert asking("git status", cwd=other) == ""
