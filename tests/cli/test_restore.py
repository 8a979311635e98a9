"""Work of the person that a session destroyed is noticed, and brought back with `ultrawork restore`."""

import json
import os
import subprocess

import pytest

from support.scene import GIT, Scene
from ultrawork.core import errors

SHOP = "def discount(price):\n    return price\n\n\ndef total(prices):\n    return sum(prices)\n"
MINE = SHOP + "\n\ndef refund(price):\n    return -price  # half done\n"
FIXED = SHOP.replace("return price\n", "return price * 0.9\n")
FILES = {
    "shop.py": SHOP,
    "README.md": "# Shop\n\nOld words.\n",
    "Makefile": "test:\n\t@sh check.sh\n",
    "check.sh": "grep -q def shop.py && echo 1 passed\n",
    ".gitignore": ".env\nbuild/\nnode_modules/\n__pycache__/\n",
}


class Desk(Scene):
    """A checkout with work in it that nobody has committed."""

    def __init__(self, root):
        super().__init__(root, FILES)
        self.write("README.md", "# Shop\n\nNew words.\n")
        self.write("notes.py", "ideas = ['tea', 'milk']\n")
        self.write("shop.py", MINE)
        self.write(".env", "TOKEN=1\n")
        self.write("build/out.js", "1\n")

    def agent(self, command):
        subprocess.run(
            command.replace("git ", " ".join(GIT) + " "),
            shell=True, cwd=self.place, check=True, capture_output=True,
        )  # fmt: skip
        self.tool("Bash", {"command": command})

    def git(self, *words):
        subprocess.run([*GIT, *words], cwd=self.place, check=True, capture_output=True)

    def lost(self):
        told = json.loads(self.run("restore", "--json"))["data"]["lost"]
        assert all(one["held"] for one in told)
        return {one["path"]: one["kind"] for one in told}


@pytest.fixture
def desk(tmp_path):
    return Desk(str(tmp_path))


@pytest.fixture
def on(desk):
    desk.prompt("ulw fix the discount")
    return desk


def test_everything_that_checkout_and_clean_took_comes_back(on):
    on.agent("git checkout -- . && git clean -fd")
    on.edit("shop.py", FIXED)
    assert on.lost() == {"README.md": "hunk", "notes.py": "file", "shop.py": "hunk"}
    said = on.run("restore", "--all", "--yes")
    assert on.read("README.md") == "# Shop\n\nNew words.\n"
    assert on.read("notes.py") == "ideas = ['tea', 'milk']\n"
    assert "price * 0.9" in on.read("shop.py"), "the fix stays"
    assert "def refund" in on.read("shop.py")
    assert on.lost() == {}
    kept = said.split("replaced files were saved to ")[1].strip()
    with open(f"{kept}/shop.py", encoding="utf-8") as file:
        assert file.read() == FIXED


@pytest.mark.parametrize(
    ("command", "lost"),
    [
        ("git stash", {"README.md": "hunk", "shop.py": "hunk"}),
        ("git checkout shop.py", {"shop.py": "hunk"}),
        ("git reset --hard", {"README.md": "hunk", "shop.py": "hunk"}),
        ("rm notes.py .env build/out.js", {"notes.py": "file", ".env": "ignored"}),
        ("rm -f README.md", {"README.md": "hunk"}),
    ],
)
def test_what_a_command_took_is_known(on, command, lost):
    on.agent(command)
    assert on.lost() == lost


@pytest.mark.parametrize(
    "command",
    [
        "git stash && git stash pop",
        "mkdir doc && mv notes.py doc/ideas.py",
        "git add -A && git commit -qm all",
        "rm -rf build",
        "git checkout -qb fix",
    ],
)
def test_what_is_there_in_another_way_is_not_lost(on, command):
    on.agent(command)
    assert on.lost() == {}


def test_an_edit_of_these_lines_is_no_loss(on):
    on.edit("README.md", FILES["README.md"])
    on.edit("shop.py", SHOP)
    on.agent("git checkout -- Makefile && git status")
    assert on.lost() == {}


def test_a_patch_may_remove_a_file_and_edit_another(on):
    """Codex edits with patches: one that takes lines out is an edit, one that deletes a file is none."""
    on.write("README.md", FILES["README.md"])
    os.unlink(f"{on.place}/notes.py")
    on.tool("apply_patch", {"files": ["README.md", "notes.py"]})
    assert on.lost() == {"notes.py": "file"}


def test_what_the_person_takes_away_is_no_loss(on):
    on.edit("shop.py", FIXED)
    on.git("checkout", "README.md")
    os.unlink(f"{on.place}/notes.py")
    assert on.lost() == {}


def test_one_path_is_brought_back_and_no_other(on):
    on.agent("git checkout -- . && git clean -fd")
    assert on.run("restore", "./notes.py", "--yes").startswith("write notes.py")
    assert on.lost() == {"README.md": "hunk", "shop.py": "hunk"}


def test_an_ignored_file_comes_back(on):
    on.agent("rm .env")
    on.run("restore", ".env", "--yes")
    assert on.read(".env") == "TOKEN=1\n"


class TestCommits:
    @pytest.fixture
    def committed(self, desk):
        desk.commit()
        desk.write("shop.py", FIXED)
        desk.git("commit", "-qam", "fix")
        return desk

    def test_a_stash_that_was_dropped(self, desk):
        desk.git("stash")
        desk.prompt("ulw fix the discount")
        desk.agent("git stash drop")
        assert desk.lost() == {"stash@{0}": "stash"}
        desk.run("restore", "--all", "--yes")
        desk.git("stash", "pop")
        assert desk.read("shop.py") == MINE

    def test_a_stash_that_was_applied_is_not_lost(self, desk):
        desk.git("stash")
        desk.prompt("ulw fix the discount")
        desk.agent("git stash pop")
        assert desk.lost() == {}

    def test_a_commit_that_was_reset(self, committed):
        committed.prompt("ulw say more")
        committed.agent("git reset -q --hard HEAD~1")
        assert committed.lost() == {"main": "commit"}
        committed.run("restore", "main", "--yes")
        found = subprocess.run(
            [*GIT, "branch", "--list", "restored-*", "--format=%(subject)"],
            cwd=committed.place, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert found.stdout == "fix\n"
        assert committed.lost() == {}

    def test_a_branch_that_was_deleted(self, committed):
        committed.git("branch", "idea")
        committed.git("reset", "-q", "--hard", "HEAD~1")
        committed.prompt("ulw say more")
        committed.agent("git branch -D idea")
        assert committed.lost() == {"idea": "commit"}

    def test_one_that_was_amended_is_not_lost(self, committed):
        committed.prompt("ulw say more")
        committed.agent("git commit -q --amend -m better")
        assert committed.lost() == {}

    def test_commits_that_were_squashed_are_not_lost(self, committed):
        committed.prompt("ulw squash them")
        committed.agent("git reset -q --soft HEAD~1 && git commit -q --amend -m one")
        assert committed.lost() == {}


def test_without_a_yes_nothing_happens(on):
    on.agent("git clean -fd")
    assert "nothing was restored" in on.run("restore", "--all", stdin=b"n\n")
    assert not os.path.exists(f"{on.place}/notes.py")


def test_what_both_changed_is_left_and_laid_beside(on):
    on.agent("git checkout README.md")
    on.edit("README.md", "# Shop\n\nOld words.\nAgent's words.\n")
    status, said = on.status_and_text("restore", "README.md", "--yes")
    assert status == errors.EXIT_CONFLICT
    assert "leave README.md: the same lines have changed since" in said
    assert "replaced files" not in said
    kept = said.split("merge by hand: your version of README.md was saved to ")[1].strip()
    with open(f"{kept}/README.md", encoding="utf-8") as file:
        assert "New words." in file.read()


def test_nothing_missing_is_said(on):
    assert on.run("restore").strip() == "no work of yours is missing"
    status, said = on.status_and_text("restore", "shop.py")
    assert status == errors.EXIT_NOTHING
    assert "nothing of shop.py is missing" in said


class TestLastGreen:
    def test_the_files_of_the_last_pass_come_back(self, on):
        on.edit("shop.py", FIXED)
        assert "PASS" in on.stop()["systemMessage"]
        on.write("shop.py", "ruined\n")
        on.write("more.py", "new\n")
        os.unlink(f"{on.place}/README.md")
        said = on.run("restore", "--last-green", "--yes")
        assert on.read("shop.py") == FIXED
        assert on.read("README.md") == "# Shop\n\nNew words.\n"
        assert not os.path.exists(f"{on.place}/more.py")
        kept = said.split("replaced files were saved to ")[1].strip()
        assert sorted(os.listdir(kept)) == ["more.py", "shop.py"]
        assert "those of the last PASS" in on.run("restore", "--last-green")

    def test_without_a_pass_there_is_nothing_to_go_back_to(self, on):
        status, said = on.status_and_text("restore", "--last-green", "--yes")
        assert status == errors.EXIT_NOTHING
        assert "no PASS in this checkout yet" in said
