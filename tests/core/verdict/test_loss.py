"""What a goal orders to be discarded, and long goals and outputs that are read at once."""

import time

import pytest

from ultrawork.core.goal.phrases import clip_goal
from ultrawork.core.verdict.missing import find_missing
from ultrawork.core.verdict.work import is_loss_requested


@pytest.mark.parametrize(
    ("goal", "path", "edits", "asked"),
    [
        ("discard my changes and start over", "shop.py", True, True),
        ("reset the working tree, then fix the sum", "shop.py", True, True),
        ("throw all of it away: git checkout .", "shop.py", True, True),
        ("revert my edits in shop.py", "shop.py", True, True),
        ("undo what I did in src/shop.py", "src/shop.py", True, True),
        ("drop the last stash", "stash@{0}", False, True),
        ("delete the old notebooks", "notebooks/draft.ipynb", False, True),
        ("remove scratch.txt", "scratch.txt", False, True),
        ("remove the deprecated flag", "shop.py", True, False),
        ("remove the shop banner", "shop.py", True, False),
        ("delete the unused import. Fix the sum", "notes.md", False, False),
        ("clean up the parser", "notes.md", False, False),
        ("fix the sum", "shop.py", True, False),
    ],
)
def test_only_an_order_costs_the_persons_work(goal, path, edits, asked):
    assert is_loss_requested(goal, path, edits=edits) is asked


def test_a_long_goal_is_read_at_once():
    began = time.perf_counter()
    assert not is_loss_requested("throw " * 20_000, "shop.py", edits=True)
    assert time.perf_counter() - began < 2


def test_of_a_long_goal_the_beginning_and_the_end_are_read():
    log = "Traceback: no such thing\n" * 4000
    assert clip_goal(f"fix the sum\n{log}and commit it").endswith("and commit it")
    assert clip_goal(f"fix the sum\n{log}").startswith("fix the sum\n")
    assert len(clip_goal(f"fix the sum {log}")) < 6000
    assert clip_goal("fix " + "x" * 100_000 + " now").split() == ["fix", "now"]


def test_a_word_of_any_length_in_an_output_costs_nothing():
    began = time.perf_counter()
    assert find_missing("a" * 200_000) is None
    assert find_missing("a." * 100_000 + "total is not a function") == "total"
    assert time.perf_counter() - began < 2
