import os
import subprocess
import sys
import time

import pytest

from support.floor import PLUGIN
from ultrawork.hooks.process import HookDeadline, Orphaned, OutOfTime
from ultrawork.system.ancestry import is_there, read_start


@pytest.mark.slow
def test_what_takes_too_long_is_ended_from_within():
    started = time.monotonic()
    with pytest.raises(OutOfTime), HookDeadline(1.2):
        time.sleep(30)
    assert 1 <= time.monotonic() - started < 25


def test_what_is_quick_enough_is_left_alone():
    with HookDeadline(60) as leash:
        assert 0 < leash.left <= 60
    time.sleep(1.2)


@pytest.mark.parametrize("is_reaped", [True, False])
def test_a_client_that_is_gone_ends_it(is_reaped):
    """In a container nobody may reap a killed client: it has a number and a start for as long as that runs."""
    with subprocess.Popen(["true"]) as client:
        started = read_start(client.pid)
        os.waitid(os.P_PID, client.pid, os.WEXITED | (0 if is_reaped else os.WNOWAIT))
        assert not is_there(client.pid, started)
        with pytest.raises(Orphaned), HookDeadline(30, client=client.pid):
            time.sleep(30)


SCRIPT = """
import sys, time, os
sys.path.insert(0, sys.argv[1])
from ultrawork.hooks.process import HookDeadline
with HookDeadline(60):
    open(sys.argv[2], "w").close()
    time.sleep(60)
"""


def test_a_hook_whose_parent_is_gone_ends_by_itself(tmp_path):
    ready = tmp_path / "ready"
    words = [sys.executable, "-c", SCRIPT, f"{PLUGIN}/src", str(ready)]
    parent = subprocess.Popen(
        [sys.executable, "-c", "import subprocess, sys; subprocess.Popen(sys.argv[1:]); print('started', flush=True); import time; time.sleep(60)", *words],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    parent.stdout.readline()
    deadline = time.monotonic() + 50
    while not ready.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    while _alive(str(ready)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not _alive(str(ready))


def _alive(mark):
    return any(mark.encode() in _words(name) for name in os.listdir("/proc") if name.isdigit())


def _words(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""
