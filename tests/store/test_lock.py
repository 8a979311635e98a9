"""A lock that the system frees when its holder dies."""

import os
import signal
import subprocess
import sys
import time

import pytest

from support.floor import PLUGIN
from ultrawork.core.errors import Conflict
from ultrawork.store.atomic import Lock

HOLDER = """
import sys, time
sys.path.insert(0, sys.argv[1])
from ultrawork.store.atomic import Lock
with Lock(sys.argv[2]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def path(tmp_path):
    return f"{tmp_path}/a.lock"


@pytest.fixture
def holder(path):
    words = [sys.executable, "-I", "-S", "-c", HOLDER, f"{PLUGIN}/src", path]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_a_lock_that_another_holds_is_waited_for_and_then_given_up(path, holder):
    entered = []
    started = time.monotonic()
    with pytest.raises(Conflict, match=r"locked by another program for 0.2 s"), Lock(path, patience=0.2):
        entered.append(True)
    assert time.monotonic() - started >= 0.2
    assert entered == []


def test_a_lock_is_free_the_moment_its_holder_dies(path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with Lock(path, patience=0.0):
        pass


def test_a_lock_is_free_after_an_error_inside(path):
    with pytest.raises(ZeroDivisionError), Lock(path):
        1 / 0  # noqa: B018 (the error is what is wanted)
    with Lock(path, patience=0.0):
        pass


def test_counting_under_a_lock_loses_nothing(path, tmp_path):
    counter = tmp_path / "counter"
    counter.write_text("0")

    def count():
        for _ in range(20):
            with Lock(path):
                number = int(counter.read_text())
                time.sleep(0.001)
                counter.write_text(str(number + 1))
        os._exit(0)

    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            count()
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 3
    assert counter.read_text() == "60"


def test_a_link_is_not_followed(tmp_path):
    os.symlink(tmp_path / "elsewhere", tmp_path / "a.lock")
    with pytest.raises(OSError), Lock(f"{tmp_path}/a.lock"):
        pass
    assert not os.path.exists(tmp_path / "elsewhere")
