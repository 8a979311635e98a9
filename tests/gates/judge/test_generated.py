"""Tests that only the runner names, such as cases from a data file: a new one may show a change, a bent one may not."""

import pytest

SHORT = "def total(prices):\n    return sum(prices[:2])\n"
MADE = """\
import json
import unittest

from shop import total


class ShopTest(unittest.TestCase):
    pass


with open("tests/cases.json") as file:
    for name, given, wanted in json.load(file):
        setattr(ShopTest, f"test_{name}", lambda test, given=given, wanted=wanted: test.assertEqual(total(given), wanted))
"""
FILES = {
    "Makefile": "test:\n\t@python3 -m unittest -v\n",
    "shop.py": SHORT,
    "tests/__init__.py": "",
    "tests/test_shop.py": MADE,
    "tests/cases.json": '[["two", [1, 2], 3]]',
}


@pytest.fixture
def stage(stage_of):
    return stage_of(FILES, goal="fix total, which stops after two prices")


@pytest.mark.slow
def test_a_new_case_of_a_data_file_proves_the_fix(stage):
    cases = '[["two", [1, 2], 3], ["three", [1, 2, 4], 7]]'
    stage.apply({"write": {"shop.py": SHORT.replace("[:2]", ""), "tests/cases.json": cases}})
    outcome = stage.verify()
    assert outcome.document["strength"] == "proved"
    assert "test_three" in outcome.line


@pytest.mark.slow
def test_a_case_that_was_renamed_and_bent_proves_nothing(stage):
    cases = '[["pair", [1, 2], 4]]'
    code = SHORT.replace("sum(", "1 + sum(")
    stage.apply({"write": {"shop.py": code, "tests/cases.json": cases}})
    outcome = stage.verify()
    assert outcome.document["strength"] != "proved"
    assert outcome.value == "FAIL"
