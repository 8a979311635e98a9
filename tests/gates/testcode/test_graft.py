"""Tests of one version of a file, put into another."""

from ultrawork.gates.testcode.graft import drop_names, rename_words, restore_tests

OLD = """\
from shop import count, total


def test_total():
    assert total([1]) == 1


def test_count():
    assert count([1]) == 1
"""
NEW = """\
from shop import total


def test_total():
    assert total([1]) == 2
"""


def test_a_changed_test_comes_back_in_its_own_place():
    text = restore_tests(OLD, NEW, "test_shop.py", [("test_total",)])
    assert text == NEW.replace("== 2", "== 1")


def test_a_removed_test_comes_back_beside_its_neighbor():
    text = restore_tests(OLD, NEW, "test_shop.py", [("test_count",)])
    assert text is not None
    assert "def test_count" in text
    assert "== 2" in text


def test_a_test_that_never_was_has_no_place():
    assert restore_tests(OLD, NEW, "test_shop.py", [("test_other",)]) is None


def test_a_file_is_kept_without_what_asks_for_a_missing_name():
    text = drop_names("test_shop.py", OLD, ["count"])
    assert text is not None
    assert "import total" in text
    assert "count" not in text
    assert "test_total" in text


def test_nothing_is_left_of_a_file_that_only_asks_for_it():
    assert drop_names("test_shop.py", OLD, ["count", "total"]) is None


def test_only_whole_words_are_renamed():
    assert rename_words("total(totals, total)", {"total": "sum_up"}) == "sum_up(totals, sum_up)"
