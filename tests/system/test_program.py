"""Short questions to trusted programs."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import ultrawork
from ultrawork.core.errors import Conflict, Trouble
from ultrawork.store.atomic import LentLock, Lock
from ultrawork.system.program import ask_program, find_program

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
SH = "/bin/sh"


def test_both_outputs_and_the_status_are_told_apart():
    answer = ask_program([SH, "-c", "echo out; echo err >&2; exit 3"], env=ENV)
    assert (answer.exit, answer.out, answer.err) == (3, b"out\n", b"err\n")


def test_much_can_be_asked_and_answered_at_once():
    given = os.urandom(3_000_000)
    assert ask_program(["/bin/cat"], env=ENV, given=given).out == given


def test_a_program_that_does_not_read_the_question_does_not_block_us():
    assert ask_program([SH, "-c", "echo done"], env=ENV, given=b"x" * 1_000_000).out == b"done\n"


def test_a_signal_is_a_negative_status():
    assert ask_program([SH, "-c", "kill -9 $$"], env=ENV).exit == -9


def test_the_environment_is_the_given_one():
    assert b"HOME" not in ask_program(["/usr/bin/env"], env={"A": "b"}).out


def test_patience_ends():
    started = time.monotonic()
    with pytest.raises(Trouble, match=r"sh did not answer within 0.2 s"):
        ask_program([SH, "-c", "exec sleep 60"], env=ENV, patience=0.2)
    assert time.monotonic() - started < 50


def test_a_program_that_is_not_there_is_our_trouble():
    with pytest.raises(Trouble, match="could not start /no/such/program: No such file"):
        ask_program(["/no/such/program"], env=ENV)


def test_no_file_stays_open():
    before = len(os.listdir("/dev/fd"))
    ask_program([SH, "-c", "true"], env=ENV, given=b"x")
    with pytest.raises(Trouble):
        ask_program(["/no/such/program"], env=ENV)
    with pytest.raises(Trouble):
        ask_program(["/bin/sleep", "60"], env=ENV, patience=0.05)
    assert len(os.listdir("/dev/fd")) == before


def test_a_program_is_found_on_the_given_path_only(tmp_path):
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    assert find_program("tool", {"PATH": str(tmp_path)}) is None
    (tmp_path / "tool").chmod(0o755)
    (tmp_path / "folder").mkdir()
    assert find_program("tool", {"PATH": f"/nowhere:{tmp_path}"}) == f"{tmp_path}/tool"
    assert find_program("folder", {"PATH": str(tmp_path)}) is None


def test_asking_git_loads_nothing_slow(tmp_path):
    """Hooks ask git; what they may not load is what makes Python slow to start."""
    script = (
        "import sys; from ultrawork.gates.trees import tree; tree.take_snapshot('.', sys.argv[1]).id\n"
        "print(sorted({'subprocess', 'json', 'pathlib', 'typing', 'tempfile', 'shutil'} & set(sys.modules)))"
    )
    source = os.path.dirname(os.path.dirname(ultrawork.__file__))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "a.py").write_text("a = 1\n")
    begin = f"import sys; sys.path.insert(0, {source!r})\n"
    command = [sys.executable, "-I", "-S", "-c", begin + script, str(tmp_path / "store")]
    told = subprocess.run(command, cwd=tmp_path, env=ENV, capture_output=True, text=True, check=False)
    assert told.stdout == "[]\n", told.stderr


ANEW = """
import os, sys
from ultrawork.store.atomic import Lock
from ultrawork.store.atomic import LentLock
from ultrawork.system.program import lend_no_files

if len(sys.argv) == 3:
    with Lock(sys.argv[1], patience=0.2):
        print("taken")
else:
    LentLock(sys.argv[1]).__enter__()
    lend_no_files()
    os.execv(sys.executable, [sys.executable, "-c", open(sys.argv[1] + ".py").read(), sys.argv[1], "anew"])
"""


def test_who_begins_anew_in_the_same_process_does_not_wait_for_its_own_lock(tmp_path):
    path = tmp_path / "lock"
    (tmp_path / "lock.py").write_text(ANEW)
    source = os.path.dirname(os.path.dirname(ultrawork.__file__))
    answer = ask_program([sys.executable, "-c", ANEW, str(path)], env={"PYTHONPATH": source})
    assert (answer.exit, answer.out) == (0, b"taken\n"), answer.err


@pytest.mark.slow
def test_a_signal_that_does_not_wake_the_wait_is_heard_before_it_ends():
    """As where it comes between the last step of ours and the wait: another thread takes it, and nothing is interrupted."""
    heard = []
    began = time.monotonic()
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(time.monotonic() - began))

    def interrupt():
        time.sleep(0.3)
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    sender = threading.Thread(target=interrupt)
    try:
        sender.start()
        ask_program([SH, "-c", "sleep 3"], env=ENV)
        sender.join()
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard[0] < 2.5


def test_a_lock_is_lent_to_programs_of_its_own_thread_alone(tmp_path):
    """One that another thread asks meanwhile, as a push that takes long, does not keep it for itself."""
    path, go = f"{tmp_path}/lock", f"{tmp_path}/go"
    os.mkfifo(go)
    with LentLock(path):
        other = threading.Thread(target=ask_program, args=[["/bin/cat", go]], kwargs={"env": ENV})
        other.start()
        mouth = os.open(go, os.O_WRONLY)  # the other one has begun
    with Lock(path, patience=0.0):
        pass
    os.close(mouth)
    other.join()


def test_a_program_holds_the_lock_that_its_thread_has_lent(tmp_path):
    """So whoever comes after a kill waits until that program has ended."""
    path, go = f"{tmp_path}/lock", f"{tmp_path}/go"
    os.mkfifo(go)
    with LentLock(path):
        ask_program([SH, "-c", f"exec cat {go} >/dev/null 2>&1 &"], env=ENV)
        mouth = os.open(go, os.O_WRONLY)
    with pytest.raises(Conflict), Lock(path, patience=0.05):
        pass
    os.close(mouth)
    with Lock(path, patience=5.0):
        pass
