"""The local executor keeps the contract, and keeps it when its own processes are killed."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.executors import ExecutorConformance, Site, alive, ignore, shell
from support.floor import TESTS
from ultrawork.clients.headless.attempt import ENDED, LOST, RUNNING
from ultrawork.core.errors import UsageError
from ultrawork.engine.agents.executor import ORPHANED, open_executor
from ultrawork.engine.agents.local.attempt_folder import AttemptFolder
from ultrawork.engine.agents.local.executor import LocalExecutor
from ultrawork.store.paths import ENGINE_LOCK, Home
from ultrawork.store.settings import load_at


@pytest.fixture
def site(tmp_path):
    site = Site(str(tmp_path), LocalExecutor)
    hold(site)
    yield site
    site.close()


def hold(site):
    """An engine is there: without one, agents end after a while."""
    handle = os.open(f"{site.folder}/{ENGINE_LOCK}", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


class TestLocal(ExecutorConformance):
    pass


def test_an_unknown_executor_is_refused_with_those_that_are_known(tmp_path):
    with pytest.raises(UsageError, match="no executor cloud; known: local, temporal"):
        open_executor("cloud", str(tmp_path), {}, load_at({}, Home(str(tmp_path)), str(tmp_path)))


def test_an_executor_is_opened_by_its_name(tmp_path):
    executor = open_executor("local", str(tmp_path), {}, load_at({}, Home(str(tmp_path)), str(tmp_path)))
    executor.close()
    assert isinstance(executor, LocalExecutor)


def lonely(tmp_path):
    return Site(str(tmp_path), lambda folder: LocalExecutor(folder, alone=0.5))


def test_an_agent_without_an_engine_ends_after_a_while(tmp_path):
    site = lonely(tmp_path)
    attempt, executor = site.attempt(), site.executor()
    assert site.run(executor, attempt, "sleep 300").why == ORPHANED
    site.close()


@pytest.mark.slow
def test_an_agent_whose_engine_is_there_goes_on(tmp_path):
    site = lonely(tmp_path)
    handle, attempt, executor = hold(site), site.attempt(), site.executor()
    executor.start(attempt, shell("sleep 3; exit 5"), ignore)
    assert site.ended(executor, attempt).code == 5
    os.close(handle)
    site.close()


def keeper(site, attempt):
    folder = AttemptFolder(attempt.folder)
    site.wait(lambda: folder.read_pid()[0])
    return folder.read_pid()[0]


def test_an_attempt_whose_wrapper_was_killed_is_lost_and_its_agent_does_not_go_on(site):
    executor, attempt = site.executor(), site.attempt()
    executor.start(attempt, shell("echo $$ > agent; sleep 300"), ignore)
    site.wait(lambda: site.read("agent"))
    os.kill(keeper(site, attempt), signal.SIGKILL)
    site.wait(lambda: executor.describe(attempt).state == LOST)
    assert not alive(site.read("agent")), "it is ended before anybody hears of the loss"
    assert site.run(executor, site.attempt(epoch=2), "exit 0").code == 0


def test_a_result_whose_text_a_power_cut_took_is_none(site):
    executor, attempt = site.executor(), site.attempt()
    executor.start(attempt, shell("exit 0"), ignore)
    site.wait(lambda: executor.describe(attempt).state == ENDED)
    with open(f"{attempt.folder}/result.json", "wb") as file:
        file.write(bytes(64))
    assert executor.describe(attempt).state == LOST


def test_a_wrapper_that_cannot_tell_the_result_leaves_the_reason(tmp_path):
    site = lonely(tmp_path)
    attempt, executor = site.attempt(), site.executor()
    os.makedirs(f"{attempt.folder}/result.json")
    executor.start(attempt, shell("true"), ignore)
    log = Path(attempt.folder, "wrapper.log")
    site.wait(lambda: log.exists() and "IsADirectoryError" in log.read_text())
    site.close()


def test_a_wrapper_that_is_asked_to_end_ends_its_agent(site):
    """As when the machine shuts down: that is no failure of the agent."""
    executor, attempt = site.executor(), site.attempt()
    executor.start(attempt, shell("echo $$ > agent; sleep 300"), ignore)
    site.wait(lambda: site.read("agent"))
    os.kill(keeper(site, attempt), signal.SIGTERM)
    assert site.ended(executor, attempt).why == ORPHANED


def test_a_nursery_that_was_killed_is_started_again(site):
    executor = site.executor()
    site.run(executor, site.attempt("a"), "true")
    nursery = executor._nursery._process
    nursery.kill()
    nursery.wait()
    assert site.run(executor, site.attempt("b"), "exit 0").code == 0


def test_what_runs_goes_on_when_the_engine_lets_go(site):
    first, attempt = LocalExecutor(site.folder), site.attempt()
    first.start(attempt, shell("sleep 0.5; exit 6"), ignore)
    first.close()
    assert site.ended(site.executor(), attempt).code == 6


def test_nothing_of_the_environment_is_written_down(site):
    executor, attempt = site.executor(), site.attempt()
    executor.start(attempt, shell("true", KEY="sk-very-secret"), ignore)
    site.ended(executor, attempt)
    for folder, _, names in os.walk(site.folder):
        for name in names:
            if name != "bell":
                with open(f"{folder}/{name}", "rb") as file:
                    assert b"very-secret" not in file.read()


ENGINE = """
import os, sys
from ultrawork.engine.agents.local.executor import LocalExecutor
from support.executors import Site, ignore, shell
site = Site.__new__(Site)
site.folder, site.place = sys.argv[1:]
LocalExecutor(site.folder).start(site.attempt(), shell("echo ran >> log; sleep 1; exit 9"), ignore)
os.kill(os.getpid(), 9)
"""


def test_an_engine_that_dies_right_after_starting_leaves_an_attempt_at_work(site):
    argv = [sys.executable, "-c", ENGINE, site.folder, site.place]
    assert subprocess.run(argv, cwd=TESTS, check=False, timeout=60).returncode == -9
    executor, attempt = site.executor(), site.attempt()
    assert executor.attach(attempt, ignore), "it is at work, or has ended; never lost"
    assert site.ended(executor, attempt).code == 9
    assert site.read("log") == "ran\n"


def test_cancelling_before_the_agent_has_begun_keeps_it_from_beginning(site):
    executor, attempt = site.executor(), site.attempt()
    os.makedirs(attempt.folder)
    executor.cancel(attempt)
    assert site.run(executor, attempt, "echo ran >> log").why == "cancelled"
    assert site.read("log") == ""


def test_many_at_once_end_each_with_its_own_result(site):
    executor = site.executor()
    attempts = [site.attempt(f"t{number}") for number in range(30)]
    for number, attempt in enumerate(attempts):
        executor.start(attempt, shell(f"sleep 0.1; exit {number}"), ignore)
    assert [site.ended(executor, one).code for one in attempts] == list(range(30))


def test_a_running_attempt_holds_no_handle_of_its_lock_in_the_agent(site):
    """Else a process that the agent leaves behind would keep its task for ever."""
    executor, attempt = site.executor(), site.attempt()
    executor.start(attempt, shell("ls -l /proc/self/fd; until [ -e go ]; do sleep 0.02; done"), ignore)
    site.wait(lambda: executor.describe(attempt).output_bytes)
    assert executor.describe(attempt).state == RUNNING
    with open(f"{site.place}/go", "w", encoding="utf-8"):
        pass
    site.ended(executor, attempt)
    with open(f"{attempt.folder}/out.jsonl", encoding="utf-8") as file:
        assert ".lock" not in file.read()


@pytest.mark.slow
def test_the_result_of_an_agent_is_not_lost_to_a_disk_that_is_full_for_a_while(tmp_path):
    """For longer than it would go on without an engine: there is one, and it waits."""
    site = lonely(tmp_path)
    handle, attempt, executor = hold(site), site.attempt(), site.executor()
    os.makedirs(attempt.folder)
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", attempt.folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("not run: a small disk cannot be mounted here")
    try:
        fill = f"cat /dev/zero > {attempt.folder}/fill; touch {site.place}/full; exit 5"
        executor.start(attempt, shell(fill), ignore)
        site.wait(lambda: os.path.exists(f"{site.place}/full"))
        full_until = time.monotonic() + 3.0
        while time.monotonic() < full_until:
            assert executor.describe(attempt).state == RUNNING
            time.sleep(0.1)
        os.unlink(f"{attempt.folder}/fill")
        ended = site.ended(executor, attempt)
        assert (ended.code, ended.why) == (5, "no room")
    finally:
        subprocess.run(["umount", "-l", attempt.folder], check=False)
        os.close(handle)
        site.close()
