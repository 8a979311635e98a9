"""The person at the terminal of a headless run."""

import os
import signal
import subprocess
import sys
import time

import pytest

from support.floor import PLUGIN

TELLING = """
import sys
sys.path.insert(0, sys.argv[1])
from ultrawork.cli.headless.new_session import Interrupts

class Run:
    def tell(self, kind, **facts):
        sys.stdout.write(facts["text"] + "\\n")
        sys.stdout.flush()

class Scheduler:
    def finish(self):
        print("finishing", file=sys.stderr, flush=True)

with Interrupts(Run(), Scheduler()):
    print("begun", file=sys.stderr, flush=True)
    Run().tell("note", text="x" * 500_000)
"""


def sleeps(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0] == "S"


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks into /proc")
def test_an_interrupt_in_the_middle_of_a_line_harms_neither_the_line_nor_the_run():
    pipe = subprocess.PIPE
    words = [sys.executable, "-I", "-c", TELLING, f"{PLUGIN}/src"]
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) as run:
        assert run.stderr.readline() == "begun\n"
        while not sleeps(run.pid):  # nobody reads yet, so it waits in the middle of its line
            time.sleep(0.02)
        run.send_signal(signal.SIGINT)
        assert run.stderr.readline() == "finishing\n"
        out, err = run.communicate(timeout=60)
    assert (run.returncode, err) == (0, "")
    assert out == "x" * 500_000 + "\nwaiting for running agents; press Ctrl-C again to stop now\n"
