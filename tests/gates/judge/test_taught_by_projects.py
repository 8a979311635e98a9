"""Verdicts that real projects showed to be wrong, each in a little project of its own."""

import os
import shutil

import pytest

from ultrawork.store.codec import loads

PACKAGE = {
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
    "src/shop/__init__.py": "from shop.prices import total\n",
    "src/shop/prices.py": "def total(prices):\n    return sum(prices)\n",
    "tests/__init__.py": "",
    "tests/test_shop.py": (
        "import unittest\n\nfrom shop import total\n\n\n"
        "class ShopTest(unittest.TestCase):\n"
        "    def test_total_adds(self):\n"
        "        self.assertEqual(total([1, 2]), 3)\n"
    ),
    "Makefile": "test:\n\t@PYTHONPATH=.venv/lib/python3.11/site-packages python3 -m unittest -v\n",
    ".gitignore": ".venv\n",
}
FLAT = {
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "tests/__init__.py": "",
    "tests/test_shop.py": (
        "import unittest\n\nfrom shop import total\n\n\n"
        "class ShopTest(unittest.TestCase):\n"
        "    def test_total_adds(self):\n"
        "        self.assertEqual(total([1, 2]), 3)\n"
    ),
    "tests/test_other.py": (
        "import unittest\n\n\n"
        "class OtherTest(unittest.TestCase):\n"
        "    def test_nothing(self):\n"
        "        pass\n\n"
        '    @unittest.skip("not here")\n'
        "    def test_skipped(self):\n"
        "        pass\n"
    ),
}


@pytest.fixture
def installed(stage_of):
    """A package whose tests load the copy that was installed, as `pip install .` leaves it."""
    stage = stage_of(PACKAGE)
    packages = f"{stage.place}/.venv/lib/python3.11/site-packages"
    os.makedirs(packages)
    shutil.copytree(f"{stage.place}/src/shop", f"{packages}/shop")
    return stage


@pytest.mark.slow
def test_tests_that_load_an_installed_copy_prove_nothing(installed):
    installed.apply({"write": {"src/shop/prices.py": "def total(prices):\n    return 0\n"}})
    outcome = installed.verify()
    assert outcome.line.startswith("PASS, not proved: no test covers total()")


@pytest.mark.slow
def test_a_remark_is_no_code_that_tests_could_run(stage_of, shop):
    stage = stage_of(shop)
    stage.apply({"write": {"shop.py": shop["shop.py"].replace("\n", "  # all\n", 1)}})
    outcome = stage.verify()
    assert (outcome.value, outcome.document["strength"]) == ("PASS", None)


@pytest.mark.slow
def test_a_break_with_its_test_put_away_is_seen_though_another_test_is_skipped(stage_of):
    """unittest names no test unless it is asked, and its count does not say which one was skipped."""
    stage = stage_of(FLAT)
    stage.apply({
        "write": {"shop.py": "def total(prices):\n    return 0\n"},
        "remove": ["tests/test_shop.py"],
    })  # fmt: skip
    outcome = stage.verify()
    assert outcome.value == "FAIL", outcome.describe()
    told = outcome.document["findings"][0]["what"]
    assert told == "test_total_adds was removed, and its old version fails on this code (AssertionError: 0 != 3)"


@pytest.mark.slow
def test_what_an_install_wrote_between_the_files_of_the_tree_is_there_in_copies(stage_of):
    """A version in a package, ignored, as build backends write it: without it no test could be loaded."""
    stage = stage_of({
        **FLAT,
        ".gitignore": "_version.py\n",
        "shop.py": "from _version import NUMBER\n\n\ndef total(prices):\n    return sum(prices) * NUMBER\n",
    })  # fmt: skip
    stage.apply({"write": {"_version.py": "NUMBER = 1\n"}})
    stage.apply({"edit": [["shop.py", "sum(prices)", "0"]], "remove": ["tests/test_shop.py"]})
    outcome = stage.verify()
    assert outcome.value == "FAIL", outcome.describe()


@pytest.mark.slow
def test_a_run_from_before_an_install_is_not_used_again(stage_of, shop):
    stage = stage_of({**shop, ".gitignore": ".venv\n"})
    stage.verify()
    packages = f"{stage.place}/.venv/lib/python3.11/site-packages"
    os.makedirs(packages)
    os.utime(packages, (stage.store().now() + 5, stage.store().now() + 5))
    stage.apply({"edit": [["shop.py", "sum(prices)", "sum(list(prices))"]]})
    stage.verify()
    query = "SELECT document FROM receipts ORDER BY started_at, number"
    told = [loads(text)["run"]["on"] for (text,) in stage.store().database.rows(query)]
    assert told.count("base") == 1, told


@pytest.mark.parametrize("changed", [False, True])
def test_a_gate_of_a_makefile_that_configure_made_is_not_new(stage_of, shop, changed):
    recipe = 'check:\n\t@python3 -c "import shop"\n'
    stage = stage_of({
        "shop.py": shop["shop.py"], ".gitignore": "Makefile\n", "configure": "#!/bin/sh\n", "Makefile.in": recipe,
    })  # fmt: skip
    stage.apply({"write": {"Makefile": recipe}})
    stage.apply({"edit": [["shop.py", "sum(prices)", "sum(list(prices))"]]} if changed else {})
    outcome = stage.verify()
    assert outcome.value == "PASS", outcome.describe()


CACHE = {
    "shop.py": "def fetch(key, cache):\n    if cache is None:\n        return key * 2\n    return cache.setdefault(key, key * 2)\n",
    "test_shop.py": (
        "import unittest\n\nfrom shop import fetch\n\n\n"
        "class ShopTest(unittest.TestCase):\n"
        "    def test_fetch(self):\n"
        "        self.assertEqual(fetch(2, {}), 4)\n\n"
        "    def test_no_cache(self):\n"
        "        self.assertEqual(fetch(2, None), 4)\n"
    ),
}  # fmt: skip
GONE = ["test_shop.py", "\n    def test_no_cache(self):\n        self.assertEqual(fetch(2, None), 4)\n", ""]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "value"),
    [
        (["shop.py", "    if cache is None:\n        return key * 2\n", ""], "PASS"),
        (["shop.py", "key * 2\n    return", "key\n    return"], "FAIL"),
    ],
)
def test_support_that_is_dropped_takes_its_tests_along_if_its_code_went(stage_of, code, value):
    stage = stage_of(CACHE, "Drop support for a missing cache in fetch()")
    stage.apply({"edit": [code, GONE]})
    outcome = stage.verify()
    assert outcome.value == value, outcome.describe()


@pytest.mark.slow
def test_a_module_that_became_a_package_needs_no_test_that_shows_the_fix(stage_of, shop):
    setup = "from setuptools import setup\n\nsetup(name='shop', {})\n"
    stage = stage_of({**shop, "setup.py": setup.format("py_modules=['shop']")}, "fix: ship py.typed with the package")  # fmt: skip
    stage.apply({
        "write": {
            "shop/__init__.py": shop["shop.py"],
            "shop/py.typed": "",
            "setup.py": setup.format("packages=['shop'], package_data={'shop': ['py.typed']}"),
        },
        "remove": ["shop.py"],
    })  # fmt: skip
    outcome = stage.verify()
    assert "fix-unshown" not in [one["rule"] for one in outcome.document["findings"]]


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_a_test_file_that_could_not_be_parsed_was_repaired_not_bent(stage_of):
    """A quote is missing: node says so, and runs nothing."""
    check = "const assert = require('assert);\nconst { total } = require('../shop.js');\n\nassert(total([1]) === 1);\n"
    files = {
        "shop.js": "exports.total = (prices) => prices.length;\n",
        "test/check.js": check,
        "ultrawork.toml": '[gates]\ntest = "node test/check.js"\n',
    }
    stage = stage_of(files, goal="fixed the replacement of the shop")
    stage.apply({"edit": [["test/check.js", "'assert)", "'assert')"]]})
    outcome = stage.verify()
    assert outcome.value == "PASS", outcome.describe()


@pytest.mark.slow
def test_a_new_test_that_fails_is_not_a_test_that_is_missing(stage_of):
    stage = stage_of(FLAT, goal="add failing test for bug 110")
    added = "    def test_bug_110(self):\n        self.assertEqual(total([]), None)\n\n"
    stage.apply({"edit": [["tests/test_shop.py", "    def test_total_adds", added + "    def test_total_adds"]]})
    rules = {one.rule for one in stage.verify().verdict.facts.findings}
    assert "check-fails" in rules
    assert "no-test-written" not in rules
