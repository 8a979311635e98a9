"""What a verdict costs, counted in runs: whole suites at most twice, then only tests that matter, in copies kept."""

import os

import pytest

from ultrawork.store.codec import loads

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
        ((BROKEN, FIXED), ADDED, [("new", 3), ("base", 2), ("new-tests", 2), ("new", 2), ("again", 2)]),
        ((FIXED, TIDIED), "", [("new", 2), ("base", 2), ("traced", 2), ("canary", 3)]),
    ],
)  # fmt: skip
def test_a_verdict_runs_the_suite_twice_and_else_single_tests(
    stage_of, shop, change, added, expected
):
    """Of a suite behind make, whose recipe takes no names; and it was told so before."""
    tests = shop["test_shop.py"].replace(
        "    def test_total_adds", SLOW + "    def test_total_adds"
    )
    stage = stage_of({**shop, "shop.py": change[0], "test_shop.py": tests})
    stage.apply({"write": {"shop.py": change[1], "test_shop.py": tests + added}})
    told = []
    outcome = stage.verify(announce=told.append)
    assert outcome.value == "PASS", outcome.describe()
    assert runs(stage) == expected
    assert told == ["1 check, 2 runs and up to 3 of single tests; how long is not known yet"]
    assert os.listdir(f"{stage.store().home.cache}/scratch") == ["lock"], "a copy is left"


@pytest.mark.slow
def test_what_is_known_of_base_is_not_run_again(stage_of, shop):
    stage = stage_of({**shop, "shop.py": BROKEN})
    stage.verify()
    stage.apply({"write": {"shop.py": FIXED}})
    told = []
    assert stage.verify(announce=told.append).value == "PASS"
    assert told[0].startswith("1 check, 1 run and up to 3 of single tests, about ")
    assert [on for on, _ in runs(stage)] == ["new", "new", "new", "new", "again", "again"]


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
