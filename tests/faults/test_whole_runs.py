"""
Whole runs under faults: the real program, worktrees, merges, money, with agents that follow a script.

At instants of a seeded dice engines are killed or told to stop, wrappers are killed, a provider asks to wait, a second engine
is started, and the checkout or the disk goes away for a moment. What the agents did is read from a log that they keep
themselves, what was merged from git; the person's checkout is compared file by file.
"""

import glob
import os
import random
import signal
import subprocess
import time
from collections import Counter

import pytest

from support.floor import PLUGIN
from support.headless import Headless, task, worker
from ultrawork.core import errors
from ultrawork.store import attempts
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytestmark = pytest.mark.slow
WIDTH = 6
PRICE = 0.1
LAST = PRICE / 2
MOMENT = 0.4
DISK = 600_000_000
PATIENCE = 60.0


class Soak(Headless):
    """A plan of notes: each is one agent, which spends its price in two messages and keeps a log of its own."""

    def __init__(self, root, count, seed):
        super().__init__(root)
        self.dice = random.Random(seed)
        self.names = [f"n{number}" for number in range(count)]
        self.faults, self.refused, self.slowest, self.over = Counter(), 0, 0.0, 0.0
        self.budget = round(count * PRICE / 2, 2)
        self.engine = None
        self._lay_out()
        self.mounted = self._mount()
        self.before = self.look()

    def _lay_out(self):
        self.write("Makefile", "test:\n\t@test -f calc.py\n")
        self.write("mine.txt", "never in the index\n")
        self.git("add", "Makefile")
        self.git("commit", "-qm", "A cheap gate")
        with open(f"{self.place}/.git/info/exclude", "a", encoding="utf-8") as file:
            file.write("mine.txt\n")
        plan = [task(name, criteria=[f"test -f notes/{name} => exit 0"]) for name in self.names]
        self.cast(plan, *(worker(name, *self._steps(name)) for name in self.names))

    def _steps(self, name):
        def log(word):
            return {"run": ["sh", "-c", f"echo {word} {name} >> {self.root}/witness"]}

        half = {"spend": 10, "usd": LAST}
        note = {"write": f"notes/{name}", "text": f"{name}\n"}
        return log("start"), half, note, {"sleep": 0.05}, half, log("end")

    def _mount(self):
        """A small disk of its own for the state, where the machine allows that."""
        os.makedirs(self.home)
        words = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", self.home]
        return os.getuid() == 0 and not subprocess.run(words, check=False).returncode

    def look(self):
        """Every file of the checkout, the settings, hooks, refs and stage of the person's repository."""
        found = {}
        for folder, _, names in os.walk(self.place):
            inner = os.path.relpath(folder, self.place)
            if not inner.startswith(".git") or inner.startswith((".git/hooks", ".git/info")):
                found |= {f"{inner}/{name}": _read(f"{folder}/{name}") for name in names}
        refs = self.git("for-each-ref", "--format=%(refname)").splitlines()
        found["refs"] = [ref for ref in refs if "ultrawork" not in ref]
        found["settings"] = _read(f"{self.place}/.git/config")
        found["staged"] = self.git("diff", "--cached", "--name-only")
        return found

    def store(self):
        return Store(Home(self.home), actor="person", clock=time.time)

    def count_done(self):
        return _read(f"{self.root}/witness").count(b"end ")

    def launch(self):
        self.remember_python()
        money = ["--budget-usd", str(self.budget)]
        words = ["resume", *money]
        if not os.path.isdir(f"{self.home}/sessions"):
            words = ["run", "--auto", "--backend", "script", "--max-workers", str(WIDTH), *money]
            words.append("Write the notes")
        with open(f"{self.root}/log", "wb") as log:
            self.engine = subprocess.Popen(
                [f"{PLUGIN}/bin/ultrawork", *words],
                env=self.environ, cwd=self.root if self.is_away() else self.place, stdout=log, stderr=log,
            )  # fmt: skip

    def is_away(self):
        return not os.path.isdir(self.place)

    def keep_running(self):
        """Another engine where none is; with more money where that was used up. Whether all is over."""
        if self.engine is not None and self.engine.poll() is None:
            return False
        if self.engine is not None and self.engine.returncode == 0:
            return True
        if b"raise --budget-usd" in _read(f"{self.root}/log"):
            self.over = max(self.over, self.spent() - self.budget)
            self.budget = round(len(self.names) * PRICE * 2, 2)
        self.launch()
        return False

    def go(self, count):
        """Faults come as the work proceeds, so that all of them come before its end."""
        last = len(self.names) - 1
        points = sorted(self.dice.randint(1, max(1, last - WIDTH)) for _ in range(count))
        for point in points:
            while self.count_done() < point:
                assert not self.keep_running(), f"it ended before {point} tasks were done"
                time.sleep(0.02)
            self.strike()
        while not self.keep_running():
            time.sleep(0.1)

    def strike(self):
        self.keep_running()
        time.sleep(self.dice.uniform(0.0, 0.3))
        known = [*FAULTS, *(DISK_FAULTS if self.mounted else ())]
        fault = self.dice.choice(known)
        fault(self)
        self.faults[fault.__name__] += 1
        if self.engine.poll() is not None and self.dice.random() < 0.2:
            began = time.monotonic()
            assert self.run("status").status == 0
            self.slowest = max(self.slowest, time.monotonic() - began)

    def spent(self):
        store = self.store()
        (session,) = os.listdir(f"{self.home}/sessions")
        found = attempts.sum_spent(store.database, session, time.time(), reserved=False).usd
        store.database.close()
        return found

    def close(self):
        if self.engine is not None and self.engine.poll() is None:
            self.engine.kill()
            self.engine.wait()
        if self.mounted:
            subprocess.run(["umount", "-l", self.home], check=True)


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def kill_engine(soak):
    soak.engine.kill()
    soak.engine.wait()


def interrupt_twice(soak):
    soak.engine.send_signal(signal.SIGINT)
    time.sleep(0.1)
    if soak.engine.poll() is None:
        soak.engine.send_signal(signal.SIGINT)
    soak.engine.wait(PATIENCE)


def kill_wrapper(soak):
    """The one that was started last: its agent is then nobody's."""
    pids = glob.glob(f"{soak.home}/sessions/*/attempts/*/pid")
    for path in sorted(pids, key=os.path.getmtime)[-1:]:
        if not os.path.exists(path.replace("/pid", "/result.json")):
            try:
                os.kill(int(_read(path).split()[0]), signal.SIGKILL)
            except (ProcessLookupError, IndexError):
                pass


def close_provider(soak):
    store = soak.store()
    (session,) = os.listdir(f"{soak.home}/sessions")
    with store.change(session) as change:
        attempts.block_provider(change.database, "script", time.time() + 300, time.time())
    time.sleep(MOMENT)
    with store.change(session) as change:
        attempts.clear_provider(change.database, "script")
    store.database.close()


def move_checkout(soak):
    os.rename(soak.place, f"{soak.place}-away")
    time.sleep(MOMENT)
    # A git command of an agent that was at work makes the folder of its worktree's record again, empty.
    for folder, _, _ in os.walk(soak.place, topdown=False):
        os.rmdir(folder)
    os.rename(f"{soak.place}-away", soak.place)


def start_second_engine(soak):
    """Refused; if the first one has just left, it goes on in its place until it is killed."""
    if soak.engine.poll() is None:
        try:
            answer = soak.run("resume", patience=PATIENCE / 6)
        except subprocess.TimeoutExpired:
            return
        refused = answer.status == errors.EXIT_CONFLICT
        soak.refused += refused
        assert refused or soak.engine.poll() is not None, answer


def fill_disk(soak):
    free = os.statvfs(soak.home)
    with open(f"{soak.home}/filler", "wb") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize - 8192)
        except OSError:
            pass
    time.sleep(MOMENT)
    os.unlink(f"{soak.home}/filler")


def make_read_only(soak):
    """An engine that finds the state so says it and leaves. Agents that still write keep the disk from it."""
    kill_engine(soak)
    remounts = [["mount", "-o", f"remount,{how}", soak.home] for how in ("ro", "rw")]
    if not subprocess.run(remounts[0], capture_output=True, check=False).returncode:
        answer = soak.run("resume")
        soak.refused += 1
        assert answer.status in (errors.EXIT_UNVERIFIED, errors.EXIT_TROUBLE), answer
        subprocess.run(remounts[1], capture_output=True, check=True)


FAULTS = (kill_engine, interrupt_twice, kill_wrapper, close_provider, move_checkout, start_second_engine)
DISK_FAULTS = (fill_disk, make_read_only)


def list_leftovers(root):
    """Processes that stand in a folder of this run, or were told of it."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = _read(f"/proc/{pid}/cmdline")
            if root.encode() in words or os.readlink(f"/proc/{pid}/cwd").startswith(root):
                found.append((pid, words))
        except OSError:
            continue
    return found


def check(soak):
    merged = Counter(
        line.rpartition("/")[2]
        for line in soak.git("log", "--format=%B").splitlines()
        if line.rpartition("/")[2] in soak.names
    )
    notes = {f"notes/{name}": f"{name}\n".encode() for name in soak.names}
    now = soak.look()
    delivered = {path: now.pop(path, None) for path in notes}
    assert delivered == notes, "every note is there, as its agent wrote it"
    assert now == soak.before, "and nothing else has changed"
    assert {name: count for name, count in merged.items() if count != 1} == {}
    assert soak.git("status", "--porcelain") == ""
    assert len(soak.git("worktree", "list").splitlines()) == 1
    assert list_leftovers(soak.root) == []
    assert soak.over <= LAST
    assert len(soak.names) * PRICE - 1e-6 <= soak.spent() <= soak.budget + LAST
    return merged


@pytest.mark.parametrize(
    ("count", "faults"), [(8, 4), pytest.param(300, 100, marks=pytest.mark.release)], ids=["little", "soak"]
)
def test_a_run_under_faults_loses_doubles_and_leaves_nothing(tmp_path, request, count, faults):
    soak = Soak(str(tmp_path), count, seed=faults)
    request.addfinalizer(soak.close)
    began = time.monotonic()
    soak.go(faults)
    merged = check(soak)
    started = _read(f"{soak.root}/witness").count(b"start ")
    print(
        f"{faults} faults {dict(soak.faults)} over {count} tasks in {time.monotonic() - began:.0f} s:"
        f" merged {len(merged)}, lost 0, doubled 0, left behind 0, agents {started},"
        f" engines refused {soak.refused}, spent {soak.spent():.2f} of {soak.budget:.2f}, over at its end {max(0.0, soak.over):.2f},"
        f" slowest next answer {soak.slowest:.2f} s"
    )
