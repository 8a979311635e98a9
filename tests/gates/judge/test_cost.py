"""What a verdict costs, counted in runs: whole suites at most twice, then only the tests that matter."""

import os
import shutil
from time import sleep

import pytest

from ultrawork.engine.agents.integration import ResultCheck
from ultrawork.gates.session import pinning
from ultrawork.store.codec import loads
from ultrawork.system.git_folder import LARGE

SLOW = "    def test_slow(self):\n        self.assertTrue(total([]) == 0)\n\n"
FIXED = "def total(prices):\n    return sum(prices)\n"
BROKEN = "def total(prices):\n    return len(prices)\n"
TIDIED = "def total(prices):\n    found = sum(prices)\n    return found\n"
ADDED = "\n    def test_three(self):\n        self.assertEqual(total([1, 1, 5]), 7)\n"


def runs(stage):
    """Each run with the number of tests in it, in order."""
    query = "SELECT document FROM receipts ORDER BY started_at, number"
    told = [loads(text) for (text,) in stage.store().database.rows(query)]
    return [(one["run"]["on"], one["tests"]["ran"]) for one in told]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "added", "expected"),
    [
        ((BROKEN, FIXED), "", [("new", 2), ("base", 2), ("new", 1), ("again", 1)]),
        ((BROKEN, FIXED), ADDED, [("new", 3), ("base", 2), ("old-tests", 1), ("new-tests", 2), ("new", 2)]),
        ((FIXED, TIDIED), "", [("new", 2), ("base", 2), ("undone", 2)]),
    ],
)  # fmt: skip
def test_a_verdict_runs_the_suite_twice_and_else_single_tests(stage_of, shop, change, added, expected):
    """Of a suite behind make, whose recipe takes no names; and it was told so before."""
    tests = shop["test_shop.py"].replace("    def test_total_adds", SLOW + "    def test_total_adds")
    stage = stage_of({**shop, "shop.py": change[0], "test_shop.py": tests})
    stage.apply({"write": {"shop.py": change[1], "test_shop.py": tests + added}})
    told = []
    outcome = stage.verify(announce=told.append)
    assert outcome.value == "PASS", outcome.describe()
    assert runs(stage) == expected
    assert told == ["1 check, 2 runs and up to 3 of single tests; duration not known yet"]
    assert os.listdir(f"{stage.store().home.cache}/scratch") == ["lock"], "a copy is left"


@pytest.mark.slow
def test_what_is_known_of_base_is_not_run_again(stage_of, shop):
    stage = stage_of({**shop, "shop.py": BROKEN})
    stage.verify()
    stage.apply({"write": {"shop.py": FIXED}})
    told = []
    assert stage.verify(announce=told.append).value == "PASS"
    assert told[0].startswith("1 check, 1 run and up to 3 of single tests, about ")
    assert [on for on, _ in runs(stage)] == ["new", "new", "new", "new", "again"]


@pytest.mark.slow
def test_a_test_that_is_red_only_alone_is_asked_together_with_its_file(stage_of, shop):
    """It needs what another test leaves behind: that shows nothing of the change, and nobody is sent back."""
    tests = shop["test_shop.py"].replace(
        "class ShopTest", "SEEN = []\n\n\nclass ShopTest"
    ).replace("        self.assertEqual(total", "        SEEN.append(1)\n        self.assertEqual(total")  # fmt: skip
    stage = stage_of({**shop, "shop.py": FIXED, "test_shop.py": tests})
    leans = "\n    def test_zzz_leans(self):\n        self.assertTrue(SEEN and total([2]) == 2)\n"
    stage.apply({"write": {"shop.py": TIDIED, "test_shop.py": tests + leans}})
    outcome = stage.verify()
    assert outcome.value == "PASS", outcome.describe()
    assert "proved" not in outcome.describe()


@pytest.mark.slow
def test_a_red_that_only_a_fresh_copy_gives_is_no_proof(stage_of, shop):
    """Red without the change in a new folder, green there the second time: it is the folder, not the change."""
    tests = shop["test_shop.py"].replace(
        "        self.assertEqual(total([1, 2]), 3)",
        "        import os\n        known = os.path.exists('made')\n        open('made', 'w').close()\n"
        "        self.assertTrue(known and total([1, 2]) == 3)",
    )
    stage = stage_of({**shop, "test_shop.py": tests, ".gitignore": "made\n__pycache__/\n"})
    with open(f"{stage.place}/made", "w", encoding="utf-8"):
        pass
    stage.apply({"write": {"shop.py": TIDIED}})
    assert "proved" not in stage.verify().describe()


@pytest.mark.slow
def test_one_result_of_a_run_is_checked_by_one_run_of_the_suite(stage_of, shop):
    """How strong the proof is, is asked of the whole; what is red stops each result."""
    stage = stage_of({**shop, "shop.py": FIXED}, goal="Tidy up")
    (session,) = [name for (name,) in stage.store().database.rows("SELECT id FROM sessions")]
    check = ResultCheck(stage.store(), stage.environ, session)
    stage.apply({"write": {"shop.py": TIDIED}})
    assert check.run_gates(stage.place, "tidy")[0]
    stage.apply({"write": {"shop.py": TIDIED + "\n"}})
    assert check.run_gates(stage.place, "more")[0]
    assert runs(stage) == [("new", 1), ("base", 1), ("new", 1)], "base is known by then"
    stage.apply({"write": {"shop.py": BROKEN}})
    assert not check.run_gates(stage.place, "break")[0]


@pytest.mark.slow
def test_many_changed_files_are_looked_at_together(stage_of, shop, tmp_path):
    """A program for each of them would make the hundredth result of a run cost a hundred times the first."""
    stage = stage_of({**shop, "data/known.json": "[1]\n", "test_shop.py": shop["test_shop.py"] + "# known.json\n"})  # fmt: skip
    count = count_programs(stage, tmp_path)
    notes = {f"data/n{number}.json": f"{number}\n" for number in range(150)}
    asked = []
    for files in (dict(list(notes.items())[:3]), notes):
        stage.apply({"write": {**files, "data/known.json": "[2]\n"}})
        before = count()
        stage.verify()
        asked.append(count() - before)
    assert asked[1] <= asked[0] + 20, asked


def test_files_are_looked_at_once_where_nothing_runs(stage_of, shop, tmp_path):
    """And once more after what ran, here and on base: it may have written some."""
    stage = stage_of({**shop, "shop.py": FIXED})
    count = count_programs(stage, tmp_path, "* status *")
    stage.apply({"write": {"notes.txt": "the shop adds prices\n"}})
    stage.verify()
    assert (count(), len(runs(stage))) == (3, 2)
    stage.verify()
    assert (count(), len(runs(stage))) == (4, 2)


def count_programs(stage, folder, like="*"):
    """Puts a git that counts before the real one, or counts what is asked like this."""
    real = shutil.which("git", path=stage.environ["PATH"])
    os.mkdir(f"{folder}/counting")
    with open(f"{folder}/counting/git", "w", encoding="utf-8") as file:
        file.write(
            f'#!/bin/sh\ncase " $* " in {like.replace(" ", chr(92) + " ")}) echo x >> {folder}/asked ;; esac\n'
            f'exec {real} "$@"\n'
        )
    os.chmod(f"{folder}/counting/git", 0o755)
    stage.environ["PATH"] = f"{folder}/counting:{stage.environ['PATH']}"

    def count():
        with open(f"{folder}/asked", encoding="utf-8") as file:
            return len(file.readlines())

    with open(f"{folder}/asked", "w", encoding="utf-8"):
        return count


@pytest.fixture
def large_stage(stage_of, shop, tmp_path):
    """A fix to be confirmed, among so many bytes of paths that git notes folders; each run of the suite runs `beside`."""
    folder = "/".join("n" * 200 for _ in range(4))
    pages = {f"{folder}/{n % 7}/{n}.txt": "" for n in range(LARGE // len(folder) + 1)}
    makefile = shop["Makefile"].replace("test:\n", f"test:\n\t@sh {tmp_path}/beside\n")
    (tmp_path / "beside").write_text("")
    stage = stage_of({**shop, **pages, "Makefile": makefile, "shop.py": BROKEN, "notes.py": "1\n"})
    stage.verify()
    stage.apply({"write": {"shop.py": FIXED}})
    for _ in range(2):
        # What was written within the second of a look is read again by the next one.
        sleep(1.1)
        pinning.take_tree(stage.place, stage.store(), stage.environ)
    return stage


_COMES = "if test -e made.py; then rm made.py; else echo 1 > made.py; fi"
_TURNS = "if grep -q 1 notes.py; then echo 2 > notes.py; else echo 1 > notes.py; fi"
_RETURNS = "cp shop.py .git/as-it-was; echo > shop.py; cat .git/as-it-was > shop.py"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("beside", "value", "looks"),
    [("", "PASS", 3), (_RETURNS, "PASS", 4), (_COMES, "UNVERIFIED", 3), (_TURNS, "UNVERIFIED", 3)],
    ids=["nothing", "a file put back", "a file that comes and goes", "a file that turns"],
)
def test_two_runs_share_a_look_only_if_nothing_was_written_meanwhile(large_stage, tmp_path, beside, value, looks):
    """
    At the start, after the runs here and after those in a copy; what one run writes and the next one takes back is not
    missed between them.
    """
    stage = large_stage
    (tmp_path / "beside").write_text(beside)
    count = count_programs(stage, tmp_path, "* status *")
    outcome = stage.verify()
    assert (outcome.value, count()) == (value, looks), outcome.describe()
