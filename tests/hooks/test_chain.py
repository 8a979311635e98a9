"""A second `ulw` continues the first: what an agent left keeps its old baseline, what the person did does not."""

import json
import os
import shutil
import subprocess
import time
import uuid

import pytest

from support.scene import GIT, NO_CHECK, QUICK, SESSION, Scene, refused
from ultrawork.core.caller import Caller
from ultrawork.store import pins, receipts
from ultrawork.store.database import Database

SHOP = """\
def discount(price, percent):
    return price - percent


def label(name):
    return name.title()


def total(prices):
    return sum(prices)
"""
FIXED = SHOP.replace("price - percent", "price * (100 - percent) / 100")
BROKEN_LABEL = SHOP.replace("name.title()", "name")
TESTS = """\
import unittest

import shop


class ShopTest(unittest.TestCase):
    def test_discount(self):
        self.assertEqual(shop.discount(200, 10), 180)

    def test_label(self):
        self.assertEqual(shop.label("tea"), "Tea")

    def test_total(self):
        self.assertEqual(shop.total([1, 2]), 3)
"""
BENT = TESTS.replace("180", "190")
SKIPPED = TESTS.replace("    def test_discount", '    @unittest.skip("later")\n    def test_discount')
FILES = {
    "shop.py": SHOP,
    "test_shop.py": TESTS,
    "README.md": "# Shop\n",
    "Makefile": "test:\n\t@python3 -m unittest -v\n",
    ".gitignore": "__pycache__/\n",
}
GOAL = "ulw make discount work in percent"
COSMETIC = SHOP.replace("return sum(prices)", "return sum(prices)  # all of them")


class Shop(Scene):
    """A project with one failing test, and what an agent and its person do in it."""

    def __init__(self, root):
        super().__init__(root, FILES)
        self.client = SESSION

    def event(self, name, **data):
        return super().event(name, **{"session_id": self.client, **data})

    def new_client(self):
        """Another client in the same checkout."""
        self.client = str(uuid.uuid4())
        self.environ["CLAUDE_CODE_SESSION_ID"] = self.client

    def give_up(self, message="Done."):
        """Stops until somebody is told."""
        for _ in range(9):
            said = self.stop(message)
            if not refused(said):
                return said.get("systemMessage", "")
        raise AssertionError("it was never allowed to stop")

    def bash(self, command):
        """As the agent runs it."""
        subprocess.run(command, shell=True, cwd=self.place, check=True, capture_output=True)
        return self.tool("Bash", {"command": command})

    def git(self, *words):
        """As the person types it."""
        subprocess.run([*GIT, *words], cwd=self.place, check=True, capture_output=True)

    def database(self):
        return Database(f"{self.home}/ultrawork.db")

    def baseline(self, path):
        tree = pins.get(self.database(), self.client).tree
        asked = subprocess.run(
            [*GIT, "cat-file", "blob", f"{tree}:{path}"],
            cwd=self.place,
            env={**self.environ, **self._objects()},
            capture_output=True,
            check=False,
        )
        return None if asked.returncode else asked.stdout.decode()

    def _objects(self):
        found = subprocess.run(
            ["find", f"{self.home}/cache", "-name", "objects", "-type", "d"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": ":".join(found.stdout.split())}


@pytest.fixture
def shop(tmp_path):
    return Shop(str(tmp_path))


@pytest.fixture
def bent(shop):
    """A session that changed the failing test instead of the code, and was told so."""
    shop.prompt(GOAL)
    shop.edit("test_shop.py", BENT)
    assert "UNVERIFIED" in shop.give_up()
    return shop


def carry_on(shop, words="ulw carry on"):
    said = shop.prompt(words)["systemMessage"]
    shop.edit("shop.py", COSMETIC)
    return said, shop.give_up()


def is_pass(line):
    return "PASS" in line and "UNVERIFIED" not in line


class TestLaundering:
    """Each of these ended in PASS when a second `ulw` took a new baseline."""

    def test_a_bent_test_stays_bent(self, bent):
        said, end = carry_on(bent)
        assert "Continuing: test_discount" in said
        assert not is_pass(end)

    @pytest.mark.slow
    def test_a_skipped_test_stays_skipped(self, shop):
        shop.prompt(GOAL)
        shop.edit("test_shop.py", SKIPPED)
        shop.give_up()
        assert not is_pass(carry_on(shop)[1])

    @pytest.mark.slow
    def test_what_the_chain_broke_was_not_failing_before(self, shop):
        shop.prompt("ulw tidy the shop")
        shop.edit("shop.py", BROKEN_LABEL)
        shop.give_up()
        shop.prompt("ulw say more in the README")
        shop.edit("README.md", "# Shop\n\nSells tea.\n")
        end = shop.give_up()
        assert not is_pass(end)
        assert "test_label" in end
        assert "before" not in end.partition("test_label")[2].split("\n")[0]

    @pytest.mark.slow
    def test_off_does_not_close_it(self, shop):
        shop.prompt(GOAL)
        shop.edit("test_shop.py", BENT)
        shop.prompt("ulw off")
        said, end = carry_on(shop)
        assert "Continuing: test_shop.py changed and was not verified" in said
        assert not is_pass(end)

    @pytest.mark.slow
    def test_an_unarmed_turn_after_a_pass_belongs_to_it(self, shop):
        shop.prompt(GOAL)
        shop.edit("shop.py", FIXED)
        assert is_pass(shop.give_up())
        shop.prompt("make the label shorter, whatever the test says")
        shop.write("test_shop.py", TESTS.replace('"Tea"', '"tea"'))
        shop.write("shop.py", FIXED.replace("name.title()", "name"))
        shop.stop()
        said = shop.prompt("ulw say more in the README")["systemMessage"]
        assert "2 files changed after PASS and not checked" in said
        assert shop.baseline("test_shop.py") == TESTS
        assert shop.baseline("shop.py") == FIXED

    @pytest.mark.slow
    def test_a_new_session_continues_it(self, bent):
        bent.new_client()
        said, end = carry_on(bent)
        assert "Continuing: test_discount" in said
        assert not is_pass(end)

    @pytest.mark.slow
    @pytest.mark.parametrize("is_same_client", [True, False])
    def test_discarded_work_stays_discarded(self, shop, is_same_client):
        shop.write("shop.py", FIXED)
        shop.git("commit", "-qam", "percent")
        shop.write("README.md", "# Shop\n\nMy line.\n")
        shop.prompt("ulw tidy the shop")
        shop.bash("git checkout -- README.md")
        shop.edit("shop.py", FIXED + "\n")
        assert "is gone: README.md" in shop.give_up()
        if not is_same_client:
            shop.new_client()
        shop.prompt("ulw add a docstring")
        shop.edit("shop.py", FIXED.replace("return sum", '"""Sum."""\n    return sum'))
        end = shop.give_up()
        assert "is gone: README.md" in end
        assert not is_pass(end)


@pytest.fixture
def left(shop):
    """The same, quicker: the agent bent the test, asked something, and was switched off."""
    shop.prompt(GOAL)
    shop.edit("test_shop.py", BENT)
    shop.stop("Shall I go on?")
    shop.prompt("ulw off")
    return shop


def test_a_path_as_the_agent_left_it_keeps_its_old_baseline(left):
    said = left.prompt("ulw carry on")["systemMessage"]
    assert left.baseline("test_shop.py") == TESTS
    assert left.baseline("shop.py") == SHOP
    assert len(said.split("\n")) == 2
    assert said.endswith("\n  Continuing: test_shop.py changed and was not verified")


def test_a_file_that_the_agent_added_is_absent_in_it_and_one_it_removed_is_there(shop):
    shop.prompt(GOAL)
    shop.edit("extra/test_more.py", "def test_nothing(): pass\n")
    shop.bash("rm README.md")
    shop.stop("Shall I go on?")
    shop.prompt("ulw off")
    shop.prompt("ulw carry on")
    assert shop.baseline("extra/test_more.py") is None
    assert shop.baseline("README.md") == "# Shop\n"


def test_it_goes_on_over_several_requests(left):
    left.prompt("ulw carry on")
    left.edit("shop.py", BROKEN_LABEL)
    left.stop("Shall I go on?")
    left.new_client()
    left.prompt("ulw carry on")
    assert left.baseline("test_shop.py") == TESTS
    assert left.baseline("shop.py") == SHOP


def test_a_question_is_not_held_up_by_it(left):
    left.prompt("ulw explain what label does")
    assert "asks a question" in left.stop("It makes a title.")["systemMessage"]
    left.prompt("ulw carry on")
    assert left.baseline("test_shop.py") == TESTS


class TestThePersonsWork:
    """Each is the honest twin of a laundering: nothing of it is held against the next request."""

    def test_edits(self, left):
        left.write("test_shop.py", TESTS + "\n# mine\n")
        left.write("README.md", "mine\n")
        said = left.prompt("ulw carry on")["systemMessage"]
        assert left.baseline("test_shop.py") == TESTS + "\n# mine\n"
        assert left.baseline("README.md") == "mine\n"
        assert "continuing" not in said

    def test_edits_between_turns_of_a_session(self, shop):
        shop.prompt(GOAL)
        shop.edit("shop.py", BROKEN_LABEL)
        shop.stop("Shall I go on?")
        shop.write("test_shop.py", BENT)
        shop.prompt("yes")
        shop.stop("Really?")
        shop.prompt("ulw off")
        shop.prompt("ulw carry on")
        assert shop.baseline("test_shop.py") == BENT
        assert shop.baseline("shop.py") == SHOP

    def test_a_commit(self, left):
        left.git("commit", "-qam", "as it should be")
        said = left.prompt("ulw carry on")["systemMessage"]
        assert left.baseline("test_shop.py") == BENT
        assert "continuing" not in said

    def test_a_commit_of_something_else_accepts_nothing(self, left):
        left.write("README.md", "mine\n")
        left.git("commit", "-qm", "mine", "README.md")
        left.prompt("ulw carry on")
        assert left.baseline("test_shop.py") == TESTS
        assert left.baseline("README.md") == "mine\n"

    def test_a_pull(self, left, tmp_path):
        other = f"{tmp_path}/other"
        left.git("clone", "-q", left.place, other)
        with open(f"{other}/README.md", "w", encoding="utf-8") as file:
            file.write("theirs\n")
        subprocess.run([*GIT, "commit", "-qam", "theirs"], cwd=other, check=True)
        left.git("pull", "-q", other, "main")
        left.prompt("ulw carry on")
        assert left.baseline("README.md") == "theirs\n"
        assert left.baseline("test_shop.py") == TESTS

    def test_another_branch_has_its_own_chain(self, left):
        left.git("switch", "-qc", "other")
        left.prompt("ulw carry on")
        assert left.baseline("test_shop.py") == BENT
        left.prompt("ulw off")
        left.git("switch", "-q", "main")
        left.prompt("ulw carry on")
        assert left.baseline("test_shop.py") == TESTS

    def test_ulw_new(self, left):
        said = left.prompt("ulw new")
        assert said["continue"] is False
        assert "compared with the current files" in said["stopReason"]
        left.prompt("ulw carry on")
        assert left.baseline("test_shop.py") == BENT

    def test_ulw_new_while_it_is_on_changes_nothing(self, left):
        left.prompt("ulw carry on")
        assert "Type ulw off, then ulw new" in left.prompt("ulw new")["stopReason"]
        assert left.baseline("test_shop.py") == TESTS

    @pytest.mark.slow
    def test_ulw_accept(self, bent):
        bent.prompt("ulw accept the discount is an amount")
        said, end = carry_on(bent)
        assert "continuing" not in said
        assert is_pass(end)

    @pytest.mark.slow
    def test_a_pass_and_the_next_task(self, shop):
        shop.prompt(GOAL)
        shop.edit("shop.py", FIXED)
        assert is_pass(shop.give_up())
        said = shop.prompt("ulw say more in the README")["systemMessage"]
        assert "continuing" not in said
        assert shop.baseline("shop.py") == FIXED
        shop.edit("README.md", "# Shop\n\nSells tea.\n")
        assert is_pass(shop.give_up())

    def test_an_edit_between_a_pass_and_an_unarmed_turn(self, quick_pass):
        quick_pass.write("app.txt", "right, mine\n")
        time.sleep(0.1)
        quick_pass.prompt("what is in it?")
        quick_pass.stop("Words.")
        assert "continuing" not in quick_pass.prompt("ulw more words")["systemMessage"]


@pytest.fixture
def quick_pass(quick):
    quick.prompt("ulw change the words")
    quick.edit("app.txt", "right, too\n")
    assert "PASS" in quick.stop()["systemMessage"]
    return quick


class TestTheAgentsCommits:
    def test_one_is_no_commit_of_the_person(self, shop):
        shop.prompt(GOAL)
        shop.edit("test_shop.py", BENT)
        shop.bash("git -c user.name=t -c user.email=t@example.org commit -qam fixed")
        shop.stop("Shall I go on?")
        shop.prompt("ulw off")
        shop.prompt("ulw carry on")
        assert shop.baseline("test_shop.py") == TESTS

    def test_what_it_merges_is_not_its_own(self, shop):
        shop.git("switch", "-qc", "words")
        shop.write("README.md", "theirs\n")
        dated = {**shop.environ, "GIT_COMMITTER_DATE": "2024-05-01T12:00:00"}
        words = [*GIT, "commit", "-qam", "words"]
        subprocess.run(words, cwd=shop.place, env=dated, check=True)
        shop.git("switch", "-q", "main")
        shop.prompt(GOAL)
        shop.edit("test_shop.py", BENT)
        shop.bash("git merge -q words")
        shop.stop("Shall I go on?")
        shop.prompt("ulw off")
        shop.prompt("ulw carry on")
        assert shop.baseline("README.md") == "theirs\n"
        assert shop.baseline("test_shop.py") == TESTS

    def test_a_branch_that_the_agent_makes_belongs_to_the_chain(self, shop):
        shop.prompt(GOAL)
        shop.edit("test_shop.py", BENT)
        shop.bash("git checkout -qb fix")
        shop.stop("Shall I go on?")
        shop.prompt("ulw off")
        shop.prompt("ulw carry on")
        assert shop.baseline("test_shop.py") == TESTS

    def test_one_in_an_unarmed_turn_is_none_either(self, left):
        left.prompt("commit it")
        left.git("commit", "-qam", "fixed")
        left.prompt("ulw carry on")
        assert left.baseline("test_shop.py") == TESTS

    def test_a_check_that_it_committed_is_not_run_unasked(self, shop):
        """Consent is for what was committed, and this was committed by an agent that nobody has approved."""
        shop.mode = "default"
        shop.prompt(GOAL)
        shop.edit("Makefile", "test:\n\t@touch made\n")
        shop.bash("git -c user.name=t -c user.email=t@example.org commit -qam faster")
        shop.stop("Shall I go on?")
        shop.prompt("ulw off")
        shop.prompt("ulw carry on")
        shop.edit("shop.py", COSMETIC)
        assert "new command not run: ulw gates allow" in shop.give_up()
        assert not os.path.exists(f"{shop.place}/made")


def test_clear_does_not_close_it(shop):
    shop.prompt(GOAL)
    shop.edit("test_shop.py", BENT)
    shop.event("SessionEnd", reason="clear")
    shop.new_client()
    shop.prompt("ulw carry on")
    assert shop.baseline("test_shop.py") == TESTS


def test_a_client_that_was_killed_does_not_close_it(shop):
    gone = subprocess.Popen(["true"])
    gone.wait()
    here, shop.find_caller = shop.find_caller, lambda: Caller(gone.pid, "1")
    shop.prompt(GOAL)
    shop.edit("test_shop.py", BENT)
    shop.find_caller = here
    shop.new_client()
    shop.prompt("ulw carry on")
    assert shop.baseline("test_shop.py") == TESTS


def test_a_client_at_work_beside_it_has_a_chain_of_its_own(shop):
    shop.prompt(GOAL)
    shop.edit("test_shop.py", BENT)
    shop.new_client()
    shop.prompt("ulw say more in the README")
    assert shop.baseline("test_shop.py") == BENT


@pytest.mark.slow
def test_the_verdict_names_what_it_continues(bent):
    first = bent.client
    bent.new_client()
    carry_on(bent)
    found = receipts.find_last_verdict(bent.database(), bent.client)["continues"]
    assert found["session"] == first
    assert found["verdict"] == "UNVERIFIED"
    assert found["paths"] == ["test_shop.py"]
    assert "test_discount" in found["open"][0]
    shown = json.loads(bent.run("verify", "--session", bent.client, "--fresh", "--json"))["data"]
    assert shown["continues"] == found


def test_a_verdict_where_no_check_exists_closes_it(tmp_path):
    scene = Scene(str(tmp_path), NO_CHECK)
    scene.prompt("ulw number the pages")
    scene.edit("report.py", "print('1')\n")
    scene.stop()
    assert "continuing" not in scene.prompt("ulw number the lines")["systemMessage"]


def test_without_git_it_holds_as_well(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    shutil.rmtree(f"{scene.place}/.git")
    scene.prompt("ulw change the words")
    scene.edit("app.txt", "wrong\n")
    scene.stop("Shall I go on?")
    scene.prompt("ulw off")
    said = scene.prompt("ulw carry on")["systemMessage"]
    assert "Continuing: app.txt changed and was not verified" in said
