import os

import pytest

from support.process import ClientError, processes_with, run
from support.rows import until
from support.terminal import Terminal


@pytest.fixture
def env(tmp_path):
    return {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}


def test_a_run_gives_status_output_and_input_through(env, tmp_path):
    command = ["sh", "-c", "cat; echo err >&2; exit 3"]
    done = run(command, env=env, cwd=str(tmp_path), timeout=60, given="words")
    assert (done.exit, done.out, done.err) == (3, "words", "err\n")


def test_checked_raises_with_the_output_of_a_failure(env, tmp_path):
    done = run(["sh", "-c", "echo what went wrong; exit 1"], env=env, cwd=str(tmp_path), timeout=60)
    with pytest.raises(ClientError, match="what went wrong"):
        done.checked()


@pytest.mark.slow
def test_the_output_so_far_is_told_when_time_is_up(env, tmp_path):
    with pytest.raises(ClientError, match=r"(?s)within 2 s.*so far"):
        run(["sh", "-c", "echo so far; sleep 60"], env=env, cwd=str(tmp_path), timeout=2)


def test_children_in_sessions_of_their_own_do_not_survive(env, tmp_path):
    command = "setsid sleep 60 >/dev/null 2>&1 & sleep 0.2; kill -0 $!"
    done = run(["sh", "-c", command], env=env, cwd=str(tmp_path), timeout=60)
    assert done.exit == 0
    assert processes_with("HOME", str(tmp_path)) == []


def test_a_run_ends_no_process_of_another_run(env, tmp_path):
    place = {"env": env, "cwd": str(tmp_path)}
    with Terminal(["sleep", "60"], **place):
        run(["true"], timeout=60, **place)
        until(lambda: len(processes_with("HOME", str(tmp_path))) == 1)
