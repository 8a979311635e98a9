"""A little shop with one gate, for tests that look at more than a verdict."""

import pytest

from support.situations import Stage, plain

SHOP = {
    "Makefile": "test:\n\t@python3 -m unittest -q\n",
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "test_shop.py": (
        "import unittest\n\nfrom shop import total\n\n\n"
        "class ShopTest(unittest.TestCase):\n"
        "    def test_total_adds(self):\n"
        "        self.assertEqual(total([1, 2]), 3)\n"
    ),
}


@pytest.fixture
def shop():
    return dict(SHOP)


@pytest.fixture
def stage_of(tmp_path):
    """A checkout of these files, committed; with a goal also a session that starts there."""

    def make(files, goal=None):
        stage = Stage(str(tmp_path), plain(files, goal))
        stage.prepare()
        return stage

    return make


@pytest.fixture
def stage(stage_of):
    return stage_of(SHOP)
