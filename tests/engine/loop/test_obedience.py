"""
A word of the person's is heard within two seconds in every phase: acknowledged, and nothing new is begun.

Each cell of phase and word is a run with plain commands as agents; `b` comes after `a` and must not begin.
"""

import os
import threading
import time
from functools import partial

import pytest

from support.commands import Commands, begin
from support.floor import Program
from ultrawork.clients.headless.attempt import EXPLORER, PLANNER, WORKER
from ultrawork.core.plan import task
from ultrawork.core.plan.schedule import Schedule
from ultrawork.core.session.session import CANCELLED
from ultrawork.engine import contract
from ultrawork.engine.agents.local.executor import LocalExecutor
from ultrawork.engine.contract import CalledOff, RunLimits, RunOrders
from ultrawork.engine.loop.scheduler import Scheduler
from ultrawork.engine.run import EngineLock
from ultrawork.store import attempts, controls, ending, sessions, tasks
from ultrawork.store.deferred_store import DeferredStore
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytestmark = pytest.mark.slow
PROMPT = 2.0
PATIENCE = 60.0
PLAN = {"a": [], "b": ["a"]}


class SlowCommands(Commands):
    """Preparing or settling lasts until it is let go, or called off."""

    def __init__(self, run, script, slow):
        super().__init__(run.place, script)
        self.run = run
        self.slow = slow

    def prepare(self, claim):
        if self.slow == "setting up":
            self._last()
        return super().prepare(claim)

    def settle(self, attempt, report):
        if self.slow == "checking":
            try:
                self._last()
            except CalledOff as error:
                return contract.Settlement(task.PENDING, str(error))
        return super().settle(attempt, report)

    def _last(self):
        self.run.note("slow")
        while not self.run.is_let_go():
            self.run.orders.check()
            time.sleep(0.02)


class Run:
    """One engine in one phase, on a thread of its own; the words come from outside, as a person's do."""

    def __init__(self, root, phase, role):
        self.root, self.place = root, f"{root}/place"
        os.makedirs(self.place)
        self.home = Home(f"{root}/state")
        self.orders = RunOrders()
        self.phase, self.role = phase, role
        store = self.open()
        begin(store, "s", PLAN if role == WORKER else {})
        if phase == "provider wait":
            with store.change("s") as change:
                attempts.block_provider(change.database, "script", time.time() + 300, time.time())
        self.store = store
        self.began = threading.Event()
        self.stop = None
        self.thread = threading.Thread(target=self._go)
        self.thread.start()
        self._wait(self._is_there)

    def open(self):
        return Store(self.home, actor="person", clock=time.time)

    def _go(self):
        def script(claim):
            wait = "until [ -e go ]; do sleep 0.02; done" if self.phase == "working" else "true"
            return f"echo {claim.subject} >> log; {wait}"

        store = DeferredStore(self.home, actor="engine", clock=time.time)
        executor = LocalExecutor(self.home.session("s"))
        self.conductor = SlowCommands(self, script, self.phase)
        self.scheduler = Scheduler(
            store, "s", executor, self.conductor, limits=RunLimits(), threads=2, orders=self.orders
        )
        self.began.set()
        plan = tasks.list_all(store.database, "s")
        schedule = Schedule.of(plan) if self.role == WORKER else Schedule(PLAN)
        with EngineLock(self.home.session("s")):
            self.stop = self.scheduler.run(schedule, self.role)
        self.scheduler.close()
        executor.close()
        store.database.close()

    def _is_there(self):
        """In the phase that is meant."""
        if not self.began.is_set():
            return False
        if self.phase == "working":
            return self.log() == ["a"]
        if self.phase == "provider wait":
            return not self.log() and self.thread.is_alive()
        return os.path.exists(f"{self.place}/slow")

    def note(self, name):
        with open(f"{self.place}/{name}", "w", encoding="utf-8"):
            pass

    def is_let_go(self):
        return os.path.exists(f"{self.place}/go")

    def let_go(self):
        with self.store.change("s") as change:
            attempts.clear_provider(change.database, "script")
        self.note("go")

    def log(self):
        try:
            with open(f"{self.place}/log", encoding="utf-8") as file:
                return file.read().split()
        except FileNotFoundError:
            return []

    def ask(self, kind, subject=""):
        with self.store.change("s") as change:
            controls.ask(change, kind, subject)

    def wait_end(self, seconds):
        self.thread.join(seconds)
        assert not self.thread.is_alive(), f"not heard within {seconds} s"
        return self.stop.why

    def wait_heard(self, *told):
        self._wait(lambda: told in self.conductor.told, PROMPT)

    def _wait(self, holds, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < end, "it does not come to that"
            time.sleep(0.01)

    def close(self):
        if self.thread.is_alive():
            self.let_go()
            self.orders.leaving = True
            self.thread.join(PATIENCE)
        self.store.database.close()


def cancel(run):
    run.ask(controls.CANCEL)
    assert run.wait_end(PROMPT) == contract.CANCELLED


def switch_off(run):
    """Somebody who does not know of an engine, such as a hook."""
    ending.release(run.store, "s", how="off")
    assert sessions.get(run.store.database, "s").phase == CANCELLED
    assert run.wait_end(PROMPT) == contract.CANCELLED


def pause(run):
    run.ask(controls.PAUSE)
    run.wait_heard("heard", "")
    run.let_go()
    time.sleep(0.5)
    assert "b" not in run.log()
    assert run.thread.is_alive()
    run.ask(controls.RESUME)
    assert run.wait_end(PATIENCE) == contract.DONE


def finish(run, say=None):
    if say is None:
        run.ask(controls.FINISH)
        run.wait_heard("heard", "")
    else:
        say()
    run.let_go()
    assert run.wait_end(PATIENCE) == contract.INTERRUPTED
    assert "b" not in run.log()


def interrupt_once(run):
    finish(run, run.scheduler.finish)


def interrupt_twice(run):
    run.scheduler.finish()
    run.scheduler.stop()
    assert run.wait_end(PROMPT) == contract.INTERRUPTED
    assert "b" not in run.log()


def skip(run):
    if run.role != WORKER:
        skip_what_is_no_task(run)
        return
    run.ask(controls.CANCEL, "a")
    run.wait_heard("heard", "a")
    run.let_go()
    run.wait_end(PATIENCE)
    assert "b" not in run.log()


def skip_what_is_no_task(run):
    """Refused where it is said: there is no plan yet. Whoever explores or plans goes on."""
    program = Program(run.root)
    answer = program.run("session", "ask", "cancel", "--id", "a", "--session", "s")
    assert (answer.status, answer.err.count("\n")) == (4, 1)
    assert 'session s has no task "a"' in answer.err
    run.let_go()
    assert run.wait_end(PATIENCE) == contract.DONE
    assert sorted(run.log()) == ["a", "b"]


WORDS = (cancel, switch_off, pause, finish, interrupt_once, interrupt_twice, skip)
PHASES = ("working", "provider wait", "setting up", "checking")


@pytest.mark.parametrize("word", WORDS, ids=[word.__name__ for word in WORDS])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("role", [WORKER, EXPLORER, PLANNER])
def test_a_word_is_heard(tmp_path, request, role, phase, word):
    run = Run(str(tmp_path), phase, role)
    request.addfinalizer(partial(run.close))
    word(run)
