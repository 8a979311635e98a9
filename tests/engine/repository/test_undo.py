"""One task taken out of the results again, if nobody built on it."""

import pytest

from ultrawork.engine.repository import merge_queue as queues
from ultrawork.engine.repository import undo as undoing
from ultrawork.engine.repository.merge_queue import MergeQueue
from ultrawork.engine.repository.undo import take_out


@pytest.fixture
def merge(repository, queue, do):
    def merge(subject, files, epoch=1):
        merged = queue.merge(subject, do(repository, subject, files, epoch))
        assert merged.status == queues.MERGED
        return merged

    return merge


def test_a_task_is_taken_out_and_the_others_stay(shop, repository, merge):
    merge("t1", {"one.py": "1\n", "a.py": "a = 2\n"})
    merge("t2", {"two.py": "2\n"})
    found = take_out(repository, "t1")
    assert (found.status, found.files) == (undoing.UNDONE, ["a.py", "one.py"])
    assert found.detail == "removed t1 from ultrawork/s1"
    files = shop.files("ultrawork/s1")
    assert "one.py" not in files
    assert (files["a.py"], files["two.py"]) == ("a = 1", "2")
    assert repository.head() == found.commit


def test_who_changed_the_same_file_later_is_named_and_nothing_is_done(repository, merge):
    merge("t1", {"a.py": "a = 2\n"})
    merge("t2", {"a.py": "a = 2\nb = 3\n"})
    before = repository.head()
    found = take_out(repository, "t1")
    assert (found.status, found.tasks) == (undoing.BUILT_ON, ["t2"])
    assert found.detail == "t2 built on t1 in a.py; undo t2 first"
    assert repository.head() == before


def test_who_depends_on_it_by_the_plan_is_named(repository, merge):
    merge("t1", {"one.py": "1\n"})
    merge("t2", {"two.py": "import one\n"})
    found = take_out(repository, "t1", dependents=["t2", "t9"])
    assert (found.status, found.detail) == (undoing.BUILT_ON, "t2 built on t1; undo t2 first")


def test_after_the_later_one_the_earlier_one_can_be_undone(shop, repository, merge):
    merge("t1", {"a.py": "a = 2\n"})
    merge("t2", {"a.py": "a = 2\nb = 3\n"})
    assert take_out(repository, "t2").status == take_out(repository, "t1").status == undoing.UNDONE
    assert shop.files("ultrawork/s1")["a.py"] == "a = 1"


def test_what_would_be_red_without_it_stays(repository, merge):
    merge("t1", {"one.py": "1\n"})
    before = repository.head()
    found = take_out(repository, "t1", lambda *_: (False, "test is red"))
    assert (found.status, found.detail) == (undoing.RED, "test is red")
    assert repository.head() == before


def test_the_check_sees_the_files_without_the_task(repository, merge):
    merge("t1", {"one.py": "1\n"})
    seen = []

    def check(path, subject):
        import os

        seen.extend(os.listdir(path))
        return True, ""

    take_out(repository, "t1", check)
    assert "one.py" not in seen
    assert "a.py" in seen


def test_all_merges_of_a_task_are_taken_out(shop, repository, merge):
    merge("t1", {"one.py": "1\n"})
    merge("t1", {"one.py": "2\n", "more.py": "m\n"}, epoch=2)
    assert take_out(repository, "t1").status == undoing.UNDONE
    assert {"one.py", "more.py"}.isdisjoint(shop.files("ultrawork/s1"))


def test_what_was_never_merged_is_said(repository):
    assert take_out(repository, "t1").status == undoing.NOT_MERGED


def test_undoing_twice_finds_nothing_the_second_time(repository, merge):
    merge("t1", {"one.py": "1\n"})
    take_out(repository, "t1")
    assert take_out(repository, "t1").status == undoing.NOT_MERGED


def test_a_result_that_was_undone_can_be_merged_again(shop, repository, do):
    queue = MergeQueue(repository, lambda *_: (True, ""))
    commit = do(repository, "t1", {"one.py": "1\n"})
    queue.merge("t1", commit)
    take_out(repository, "t1")
    assert queue.merge("t1", commit).status == queues.MERGED
    assert "one.py" in shop.files("ultrawork/s1")
