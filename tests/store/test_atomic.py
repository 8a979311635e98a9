"""A reader sees the old text or the new one, never half of it."""

import errno
import os
import resource
import threading

import pytest

from ultrawork.store import atomic


def test_a_file_is_written_for_its_owner_alone(tmp_path):
    atomic.write(f"{tmp_path}/a", "text")
    assert (tmp_path / "a").read_text() == "text"
    assert os.stat(tmp_path / "a").st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["a"]


def test_another_mode_can_be_asked_for(tmp_path):
    atomic.write(f"{tmp_path}/a", "text", mode=0o640)
    assert os.stat(tmp_path / "a").st_mode & 0o777 == 0o640


def test_a_lone_surrogate_becomes_a_question_mark(tmp_path):
    atomic.write(f"{tmp_path}/a", "é\udc80")
    assert (tmp_path / "a").read_text() == "é?"


def test_whoever_reads_the_old_file_keeps_it(tmp_path):
    atomic.write(f"{tmp_path}/a", "old")
    with open(f"{tmp_path}/a", encoding="utf-8") as reader:
        atomic.write(f"{tmp_path}/a", "new")
        assert reader.read() == "old"
    assert (tmp_path / "a").read_text() == "new"


def test_a_link_is_replaced_not_followed(tmp_path):
    (tmp_path / "precious").write_text("mine")
    os.symlink(tmp_path / "precious", tmp_path / "a")
    atomic.write(f"{tmp_path}/a", "text")
    assert (tmp_path / "precious").read_text() == "mine"
    assert not os.path.islink(tmp_path / "a")


def test_threads_that_write_the_same_file_do_not_disturb_each_other(tmp_path):
    troubles = []

    def write(text):
        try:
            for _ in range(50):
                atomic.write(f"{tmp_path}/a", text, sync=False)
        except OSError as error:
            troubles.append(error)

    threads = [threading.Thread(target=write, args=[letter * 10_000]) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (troubles, os.listdir(tmp_path)) == ([], ["a"])
    assert len(set((tmp_path / "a").read_text())) == 1


def test_what_cannot_be_put_in_place_leaves_nothing_behind(tmp_path):
    (tmp_path / "a").mkdir()
    with pytest.raises(OSError):
        atomic.write(f"{tmp_path}/a", "text")
    assert os.listdir(tmp_path) == ["a"]


def test_a_disk_that_is_full_leaves_nothing_behind(tmp_path):
    """A limit on the size of files stands for the disk."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            atomic.write(f"{tmp_path}/a", "x" * 5000)
        except OSError as error:
            os._exit(error.errno)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == errno.EFBIG
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("count", [1, 15, 16, 40])
def test_many_files_are_written_alike(tmp_path, count):
    atomic.write_many({f"{tmp_path}/{number}": f"text {number}" for number in range(count)})
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        str(number): f"text {number}" for number in range(count)
    }
