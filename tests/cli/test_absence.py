"""What a run stands on goes away for a while: it waits, hears words meanwhile, and goes on by itself."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from support.headless import FIX, GOAL, SHOW, Headless, read_until, task, worker
from ultrawork.store import ending
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytestmark = pytest.mark.slow
PROMPT = 2.0
PATIENCE = 60.0


class Away(Headless):
    """A run whose one agent waits for us; its checkout or its state can be taken away."""

    def __init__(self, root):
        super().__init__(root)
        log = {"run": ["sh", "-c", f"echo begun >> {root}/witness"]}
        hold = {"run": ["sh", "-c", f"until [ -e {root}/go ]; do sleep 0.05; done"]}
        plan = [task("fix", criteria=["true => exit 0"])]
        self.cast(plan, worker("fix", log, hold, FIX, SHOW))
        self.engine = self.start("run", "--auto", "--backend", "script", GOAL)
        self.until(lambda: self.count_begun() == 1)
        self.name = self.session

    def count_begun(self):
        try:
            with open(f"{self.root}/witness", encoding="utf-8") as file:
                return len(file.readlines())
        except FileNotFoundError:
            return 0

    def until(self, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.05)

    def let_agent_end(self):
        with open(f"{self.root}/go", "w", encoding="utf-8"):
            pass

    def take(self, place):
        os.rename(place, f"{place}-away")
        self.let_agent_end()
        read_until(self.engine, b"waiting (stop with Ctrl-C): ")

    def fill(self):
        """Leave no byte on the disk of the state."""
        disk = os.statvfs(self.home)
        with open(f"{self.home}/filler", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, disk.f_bavail * disk.f_frsize)

    def say(self, *words):
        """A person's word from another folder; the engine says that it has heard it, at once."""
        assert self.run(*words, "--session", self.name, cwd=self.root).status == 0
        began = time.monotonic()
        heard = [one for one in words if one not in ("session", "ask", "--id")]
        read_until(self.engine, f"heard: {' '.join(heard)}".encode())
        assert time.monotonic() - began < PROMPT

    def put_back(self, place):
        """In place of what was made there meanwhile, as a disk that is mounted again."""
        shutil.rmtree(place, ignore_errors=True)
        os.rename(f"{place}-away", place)

    def close(self):
        self.let_agent_end()
        self.engine.kill()
        self.engine.wait()
        self.engine.stdout.close()
        self.engine.stderr.close()


@pytest.fixture
def away(tmp_path):
    made = Away(str(tmp_path))
    yield made
    made.close()


@pytest.mark.parametrize("what", ["checkout", "state"])
def test_a_run_waits_for_what_went_away_and_goes_on_when_it_is_back(away, what):
    """A pause that is said meanwhile holds it also then."""
    place = away.place if what == "checkout" else away.home
    away.take(place)
    if what == "checkout":
        away.say("session", "ask", "pause")
    else:
        answer = away.run("session", "ask", "pause", "--session", away.name)
        assert (answer.status, answer.err.count("\n")) == (4, 1), "nobody could read it"
    away.put_back(place)
    if what == "checkout":
        time.sleep(1.0)
        assert "a - b" in away.read("calc.py")
        # It begins anew in the same process; for a moment nobody is there to hear, and that is said.
        words = ["session", "ask", "resume", "--session", away.name]
        away.until(lambda: away.run(*words).status == 0)
    assert away.engine.wait(PATIENCE) == 0, away.engine.stderr.read()
    assert "a + b" in away.read("calc.py")
    assert away.git("status", "--porcelain") == ""
    if what == "checkout":
        assert away.count_begun() == 1, "what was paid for is used"


def mount_small(folder, size):
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("not run: a small disk cannot be mounted here")


@pytest.fixture
def small(tmp_path):
    """The state lies on a disk of its own."""
    os.makedirs(home := f"{tmp_path}/state")
    mount_small(home, "100m")
    made = Away(str(tmp_path))
    yield made
    made.close()
    subprocess.run(["umount", "-l", home], check=True)


def test_a_run_whose_disk_is_full_reports_it_and_goes_on_when_there_is_room(small):
    """Its agent ends meanwhile and waits for room to store its result; the engine has nothing to write itself."""
    small.fill()
    small.let_agent_end()
    line = read_until(small.engine, b"waiting (stop with Ctrl-C): ")
    assert f"the disk of {small.home}/sessions/{small.name} is full; free space on it" in line
    assert re.search(r"\. The run continues by itself until \d\d:\d\d$", line.strip())
    os.unlink(f"{small.home}/filler")
    assert small.engine.wait(PATIENCE) == 0, small.engine.stderr.read()
    assert "a + b" in small.read("calc.py")


def test_a_full_disk_at_a_resume_is_a_sentence_and_not_a_defect(away):
    away.engine.send_signal(signal.SIGINT)
    read_until(away.engine, b"waiting for running agents")
    away.engine.send_signal(signal.SIGINT)
    assert away.engine.wait(PATIENCE) == 130
    folder = f"{away.home}/sessions/{away.name}"
    mount_small(folder, "4k")
    with open(f"{folder}/filler", "wb") as file:
        file.write(bytes(4096))
    answer = away.run("resume", patience=PATIENCE)
    subprocess.run(["umount", "-l", folder], check=True)
    assert answer.status == 6
    assert answer.err.startswith("ultrawork: the disk of ")
    assert answer.err.endswith(" is full. Free space on it and try again\n")


def test_ctrl_c_is_heard_while_a_run_waits_for_its_checkout_and_resume_goes_on(away):
    away.take(away.place)
    began = time.monotonic()
    away.engine.send_signal(signal.SIGINT)
    assert away.engine.wait(PATIENCE) == 130
    assert time.monotonic() - began < PROMPT
    away.put_back(away.place)
    assert away.run("resume", patience=PATIENCE).status == 0
    assert "a + b" in away.read("calc.py")


def test_what_is_skipped_while_a_run_waits_for_its_checkout_is_not_taken_in_and_finish_ends_it(away):
    away.take(away.place)
    away.say("session", "ask", "cancel", "--id", "fix")
    away.say("session", "ask", "finish")
    assert away.engine.wait(PROMPT) == 130
    away.put_back(away.place)
    assert away.run("resume", patience=PATIENCE).status == 3, "nothing was changed"
    assert "a - b" in away.read("calc.py")


def test_a_run_that_was_stopped_says_by_whom_and_how_to_resume_and_a_killed_one_is_lost(away):
    away.engine.send_signal(signal.SIGINT)
    read_until(away.engine, b"waiting for running agents")
    away.engine.send_signal(signal.SIGINT)
    assert away.engine.wait(PATIENCE) == 130
    shown = away.run("status").out
    assert shown.startswith("stopped    Fix the sum of two numbers")
    told = r"engine     stopped at \d\d:\d\d: you asked it to. Continue: ultrawork resume. End it: ultrawork cancel"
    assert re.search(told, shown), shown
    assert away.run("stats", "--json").data["endings"] == {"stopped": 1}
    assert "because    you asked it to" in away.run("why").out
    again = away.start("resume")
    away.until(lambda: away.run("status").out.startswith("on "))
    again.kill()
    again.wait()
    assert away.run("status").out.startswith("lost ")


@pytest.mark.parametrize("word", ["cancel", "off"])
def test_a_run_that_waits_for_its_checkout_is_called_off(away, word):
    away.take(away.place)
    if word == "cancel":
        away.say("cancel")
    else:
        store = Store(Home(away.home), actor="hook", clock=time.time)
        ending.release(store, away.name, how="ulw off")
        store.database.close()
        read_until(away.engine, b"heard: cancel")
    assert away.engine.wait(PROMPT) == 3
    away.put_back(away.place)
    assert "a - b" in away.read("calc.py")


@pytest.mark.parametrize("named", [False, True], ids=["bare", "by name"])
def test_a_run_goes_on_where_its_repository_was_moved_to(away, named):
    """Stopped with its agent at work."""
    away.engine.send_signal(signal.SIGINT)
    read_until(away.engine, b"waiting for running agents")
    away.engine.send_signal(signal.SIGINT)
    assert away.engine.wait(PATIENCE) == 130
    os.rename(away.place, f"{away.place}-new")
    away.place = f"{away.place}-new"
    away.let_agent_end()
    words = ["--session", away.session] if named else []
    answer = away.run("resume", *words, patience=PATIENCE)
    assert answer.status == 0, answer.out
    assert "the repository moved here from" in answer.out
    assert "a + b" in away.read("calc.py")
    assert away.count_begun() == 1, "what was paid for is used"
    assert len(away.git("worktree", "list").splitlines()) == 1
    assert away.run("status", "--json").status == 0
