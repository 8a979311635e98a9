"""Tests that another task of a run brought meanwhile hold as it left them."""

import subprocess

import pytest

from support.situations import SESSION
from ultrawork.flow import agent_ends
from ultrawork.gates.context import ENGINE

TWICE = "def total(prices):\n    return sum(prices)\n\n\ndef twice(price):\n    return price * 2\n"
TESTED = "import unittest\n\nfrom shop import twice\n\n\nclass MoreTest(unittest.TestCase):\n    def test_twice(self):\n        self.assertEqual(twice(3), 6)\n"
MORE = "test_more.py"
LEFT = "another task left it failing: test_twice"
CHANGES = {
    "dropped": ({"write": {"shop.py": "def total(prices):\n    return sum(list(prices))\n"}, "remove": [MORE]}, LEFT),
    "bent": ({"edit": [("shop.py", "price * 2", "price + 2"), (MORE, "6", "5")]}, LEFT),
    "renamed": ({"write": {"shop.py": TWICE.replace("twice", "double"), MORE: TESTED.replace("import twice", "import double").replace("twice(3", "double(3")}}, ""),
    "added": ({"write": {MORE: TESTED + "\n    def test_none(self):\n        self.assertEqual(twice(0), 0)\n"}}, ""),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_what_another_task_brought_is_not_undone(stage_of, shop, name):
    stage = stage_of(shop, "double prices")
    stage.apply({"write": {"shop.py": TWICE, MORE: TESTED}, "sh": "git add -A"})
    told = subprocess.run(["git", "write-tree"], cwd=stage.place, capture_output=True, text=True, check=True)
    steps, left = CHANGES[name]
    stage.apply(steps)
    green, words = agent_ends.run_gates(
        stage.store(), stage.environ, SESSION, by=ENGINE, place=stage.place,
        before=told.stdout.strip(), beside=["shop.py", MORE],
    )  # fmt: skip
    assert (green, words) == (False, left) if left else green, words
