"""The loop, with plain commands as agents and the real executor and store."""

import errno
import fcntl
import itertools
import os
import random
import threading
import time

import pytest

from support.commands import Commands, begin
from ultrawork.clients.headless.attempt import EXPLORER
from ultrawork.core.errors import Conflict, Trouble
from ultrawork.core.plan.schedule import Schedule
from ultrawork.core.plan.task import IN_PROGRESS, PENDING, RESOLVED, SKIPPED
from ultrawork.core.run.prices import Amount
from ultrawork.core.run.rate_limits import Rate
from ultrawork.engine import contract
from ultrawork.engine.agents.executor import NO_ROOM
from ultrawork.engine.agents.local.executor import LocalExecutor
from ultrawork.engine.contract import RunHalted, RunLimits
from ultrawork.engine.loop.controls import cancel_agents
from ultrawork.engine.loop.scheduler import Scheduler
from ultrawork.engine.run import EngineLock
from ultrawork.store import attempts, controls, tasks
from ultrawork.store.attempts import AttemptEnd
from ultrawork.store.deferred_store import DeferredStore
from ultrawork.store.paths import ENGINE_LOCK, Home
from ultrawork.store.store import Store

PATIENCE = 60.0


class Engine:
    """One engine over one session."""

    def __init__(self, root, script=lambda _: "true", threads=0, limits=None, clock=time.time, **options):
        self.root, self.place = root, f"{root}/place"
        os.makedirs(self.place, exist_ok=True)
        self.home = Home(f"{root}/state")
        self.store = DeferredStore(self.home, actor="engine", clock=clock)
        self.conductor = Commands(self.place, script, **options)
        self.executor = LocalExecutor(self.home.session("s"))
        self.scheduler = Scheduler(self.store, "s", self.executor, self.conductor, limits=limits, threads=threads)

    def rows_folder(self):
        return f"{self.home.session('s')}/attempts"

    def restart(self):
        """Another engine, with the conductor that is there."""
        self.scheduler = Scheduler(self.store, "s", self.executor, self.conductor)

    def plan(self, needs):
        begin(self.store, "s", needs)
        return self

    def schedule(self, **more):
        return Schedule.of(tasks.list_all(self.store.database, "s"), **more)

    def run(self, **more):
        with EngineLock(self.home.session("s")):
            return self.scheduler.run(self.schedule(**more))

    def close(self):
        if self.executor is None:
            return
        self.scheduler.close()
        self.executor.close()
        self.store.database.close()
        self.executor = None

    def status(self):
        return {task.id: task.status for task in tasks.list_all(self.store.database, "s")}

    def task(self, name):
        return tasks.get(self.store.database, "s", name)

    def rows(self, name):
        return attempts.list_of_subject(self.store.database, "s", name)

    def log(self):
        try:
            with open(f"{self.place}/log", encoding="utf-8") as file:
                return file.read().split()
        except FileNotFoundError:
            return []


@pytest.fixture
def engine(tmp_path):
    made = []

    def engine(*words, **more):
        made.append(Engine(str(tmp_path), *words, **more))
        return made[-1]

    yield engine
    for one in made:
        one.close()


def ask(engine, kind, subject="", value=""):
    """As another process does: with a connection of its own."""
    store = Store(engine.home, actor="person", clock=time.time)
    with store.change("s") as change:
        controls.ask(change, kind, subject, value)
    store.database.close()


def later(what, when):
    """Does it from another thread as soon as it is time."""

    def wait():
        end = time.monotonic() + PATIENCE
        while not when() and time.monotonic() < end:
            time.sleep(0.01)
        what()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def logged(claim):
    return f"echo {claim.subject} >> log"


def held(claim):
    """At work until somebody lets it go."""
    return f"{logged(claim)}; until [ -e go ]; do sleep 0.02; done"


def let_go(engine):
    with open(f"{engine.place}/go", "w", encoding="utf-8"):
        pass


DIAMOND = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}


@pytest.mark.parametrize("threads", [0, 2])
def test_a_plan_runs_in_the_order_of_its_needs(engine, threads):
    made = engine(logged, threads=threads).plan(DIAMOND)
    assert made.run().why == contract.DONE
    assert set(made.status().values()) == {RESOLVED}
    log = made.log()
    assert (log[0], sorted(log[1:3]), log[3]) == ("a", ["b", "c"], "d")


def test_workers_stay_within_their_number(engine):
    two = "until [ $(grep -c + log) -ge 2 ]; do sleep 0.02; done"
    script = f"echo + >> log; {two}; sleep 0.1; echo - >> log"
    made = engine(lambda _: script, limits=RunLimits(2)).plan({f"t{n}": [] for n in range(6)})
    made.run()
    high = running = 0
    for mark in made.log():
        running += 1 if mark == "+" else -1
        high = max(high, running)
    assert high == 2


def test_what_fails_is_tried_again_with_its_reason_until_tries_are_used_up(engine):
    made = engine(lambda _: "exit 3").plan({"a": [], "b": ["a"], "c": []})
    made.conductor.script = lambda claim: "exit 3" if claim.subject == "a" else "true"
    assert made.run().why == contract.DONE
    assert made.status() == {"a": "failed", "b": "pending", "c": "resolved"}
    assert (made.task("a").attempts, made.task("a").reason) == (3, "exit 3, ended")
    assert [row.code for row in made.rows("a")] == [3, 3, 3]


def test_a_second_try_can_succeed(engine):
    made = engine(lambda claim: "exit 1" if claim.epoch == 1 else "true").plan({"a": [], "b": ["a"]})
    made.run()
    assert set(made.status().values()) == {RESOLVED}
    assert len(made.rows("a")) == 2


def test_what_is_no_task_runs_the_same_way(engine):
    made = engine(logged).plan({})
    stop = made.scheduler.run(Schedule({"exp-1": [], "exp-2": []}), EXPLORER)
    assert stop.why == contract.DONE
    assert sorted(made.log()) == ["exp-1", "exp-2"]
    assert [row.status for row in attempts.list_all(made.store.database, "s")] == ["resolved"] * 2


def kill_while(engine, made):
    """The engine is gone while an agent works; gives the next one."""
    made.conductor.script = held
    stopper = later(made.scheduler.stop, made.log)
    made.run()
    stopper.join()
    made.close()
    return engine(lambda claim: f"{logged(claim)}; echo second >> log")


def test_another_engine_adopts_what_runs_and_does_not_run_it_again(engine):
    second = kill_while(engine, engine().plan({"a": [], "b": ["a"]}))
    assert second.status()["a"] == IN_PROGRESS
    later(lambda: let_go(second), lambda: second.conductor.told)
    assert second.run().why == contract.DONE
    assert second.log() == ["a", "b", "second"]
    assert ("adopted", "a") in second.conductor.told


def test_what_ended_while_nobody_was_there_is_settled_by_the_next(engine):
    second = kill_while(engine, engine().plan({"a": []}))
    let_go(second)
    result = f"{second.home.session('s')}/attempts/a.1/result.json"
    later(lambda: None, lambda: os.path.exists(result)).join()
    second.run()
    assert (second.log(), second.status()) == (["a"], {"a": "resolved"})


def test_an_agent_without_an_engine_is_ended_when_its_run_is_called_off(engine):
    """Also while its wrapper looks whether an engine is there."""
    made = engine().plan({"a": []})
    kill_while(engine, made).close()
    looking = os.open(f"{made.home.session('s')}/{ENGINE_LOCK}", os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    threading.Timer(0.1, os.close, [looking]).start()
    store = Store(made.home, actor="person", clock=time.time)
    cancel_agents(store, "s", {"PATH": os.defpath})
    store.database.close()
    result = f"{made.home.session('s')}/attempts/a.1/result.json"
    later(lambda: None, lambda: os.path.exists(result)).join()
    with open(result, encoding="utf-8") as file:
        assert '"cancelled"' in file.read()


def test_what_was_claimed_and_never_started_is_no_attempt(engine):
    made = engine(logged).plan({"a": []})
    folder = f"{made.home.session('s')}/attempts"
    with made.store.change("s") as change:
        attempts.claim(change, "a", "worker", folder=folder, backend="script", is_task=True)
    assert made.run().why == contract.DONE
    assert made.log() == ["a"]
    assert (made.task("a").attempts, made.task("a").token) == (1, 2)
    assert [row.state for row in made.rows("a")] == ["lost", "ended"]


@pytest.mark.parametrize(
    ("whys", "wanted"),
    [
        (["crashed"] * 4, "blocked"),
        (["handed back"] * 9, "resolved"),
        (["crashed", "handed back", "crashed", "handed back", "crashed", "crashed"], "blocked"),
        (["handed back"] * 19, "blocked"),
    ],
)
def test_what_is_lost_again_and_again_is_given_up(engine, whys, wanted):
    """But for what machines gave back that were ended one after the other: that says nothing of the task."""
    made = engine(logged).plan({"a": []})
    folder = f"{made.home.session('s')}/attempts"
    for why in whys:
        with made.store.change("s") as change:
            opened = attempts.claim(change, "a", "worker", folder=folder, backend="script", is_task=True)
        with made.store.change("s") as change:
            lost = AttemptEnd(PENDING, "gone", state=attempts.LOST, why=why)
            attempts.finish(change, "a", opened.epoch, lost, is_task=True)
    with made.store.change("s") as change:
        attempts.claim(change, "a", "worker", folder=folder, backend="script", is_task=True)
    made.run()
    assert made.status() == {"a": wanted}
    if wanted == "blocked":
        assert made.log() == []
        assert f"lost {len(whys) + 1} times in a row" in made.task("a").reason


def jumping(seed):
    """A clock that somebody sets by hours and days, forth and back, whenever it is read."""
    jumps = random.Random(seed)
    return lambda: time.time() + jumps.uniform(-90_000, 90_000)


def falling():
    """A clock that is set back by an hour whenever it is read."""
    read = itertools.count()
    return lambda: time.time() - 3600 * next(read)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_becomes_of_the_clock_each_task_is_done_once(engine, seed):
    made = engine(logged, clock=jumping(seed)).plan(DIAMOND)
    assert made.run().why == contract.DONE
    assert sorted(made.log()) == ["a", "b", "c", "d"]


@pytest.mark.slow
def test_what_was_lost_is_tried_again_though_the_clock_falls_back(engine):
    made = engine(logged, clock=falling()).plan({"a": []})
    folder = f"{made.home.session('s')}/attempts"
    claim = {"folder": folder, "backend": "script", "is_task": True}
    with made.store.change("s") as change:
        opened = attempts.claim(change, "a", "worker", **claim)
    with made.store.change("s") as change:
        lost = AttemptEnd(PENDING, "gone", state=attempts.LOST)
        attempts.finish(change, "a", opened.epoch, lost, is_task=True)
    with made.store.change("s") as change:
        attempts.claim(change, "a", "worker", **claim)
    assert made.run().why == contract.DONE
    assert made.log() == ["a"]


def test_one_engine_a_session(engine):
    made = engine()
    with (
        EngineLock(made.home.session("s")),
        pytest.raises(Conflict, match="another process runs session s"),
        EngineLock(made.home.session("s"), patience=0.1),
    ):
        pass


def test_a_run_that_is_cancelled_ends_its_agents_and_leaves_its_tasks(engine):
    made = engine(lambda _: "echo begun >> log; sleep 300").plan({"a": [], "b": ["a"]})
    later(lambda: ask(made, controls.CANCEL), made.log)
    assert made.run().why == contract.CANCELLED
    assert made.status() == {"a": "pending", "b": "pending"}
    assert made.task("a").attempts == 0


def test_a_task_that_is_cancelled_is_skipped_and_the_rest_goes_on(engine):
    made = engine().plan({"a": [], "b": []})
    made.conductor.script = lambda claim: "echo begun >> log; sleep 300" if claim.subject == "a" else "true"
    later(lambda: ask(made, controls.CANCEL, "a"), made.log)
    assert made.run().why == contract.DONE
    assert made.status() == {"a": "skipped", "b": "resolved"}
    assert made.task("a").reason == "cancelled by person"


def test_a_pause_lets_run_what_runs_and_starts_nothing(engine):
    made = engine(logged).plan({"a": [], "b": ["a"]})
    ask(made, controls.PAUSE)
    began = time.monotonic()
    later(lambda: ask(made, controls.RESUME), lambda: time.sleep(0.4) or True)
    assert made.run().why == contract.DONE
    assert time.monotonic() - began >= 0.4
    assert controls.list_waiting(made.store.database, "s") == []


def test_a_task_that_is_preferred_goes_first(engine):
    made = engine(logged, limits=RunLimits(1)).plan({"a": [], "b": [], "c": []})
    ask(made, controls.PRIORITY, "c", "1")
    made.run()
    assert made.log() == ["c", "a", "b"]


def test_finishing_waits_for_what_runs_and_starts_nothing_more(engine):
    made = engine(held).plan({"a": [], "b": ["a"]})
    later(lambda: (made.scheduler.finish(), let_go(made)), made.log)
    assert made.run().why == contract.INTERRUPTED
    assert made.status() == {"a": "resolved", "b": "pending"}


@pytest.mark.parametrize("threads", [0, 4])
def test_finishing_while_something_is_set_up_starts_none_of_it(engine, threads):
    """One Ctrl-C while worktrees are being made; setting up goes on, and no agent begins."""
    made = engine(logged, threads=threads).plan({"a": [], "b": [], "c": []})

    def set_up_slowly(claim):
        made.scheduler.finish()
        time.sleep(0.2)
        return logged(claim)

    made.conductor.script = set_up_slowly
    stop = made.run()
    assert (stop.why, made.log()) == (contract.INTERRUPTED, [])
    assert set(made.status().values()) == {"pending"}
    made.conductor.script = logged
    made.restart()
    assert made.run().why == contract.DONE
    assert sorted(made.log()) == ["a", "b", "c"], "what was given back waits for nothing"


def test_a_budget_is_reserved_before_anything_starts(engine):
    limits = RunLimits(budget=Amount(usd=1.0))
    made = engine(logged, limits=limits, usd=0.6).plan({"a": [], "b": [], "c": []})
    stop = made.run()
    assert (stop.why, made.log()) == (contract.BUDGET, ["a", "b"]), "settled, b fits as well"
    assert "the budget of 1.00 USD would be exceeded" in stop.detail


def test_a_provider_that_asks_to_wait_is_left_alone_by_everyone(engine):
    made = engine(logged, limits=RunLimits(1)).plan({"a": [], "b": []})
    made.conductor.script = lambda claim: "exit 75" if claim.epoch == 1 else logged(claim)
    made.conductor.retry_after = time.time() + 1.5
    assert made.run().why == contract.DONE
    assert time.time() >= made.conductor.retry_after
    assert sorted(made.log()) == ["a", "b"]
    assert made.task("a").attempts == 1, "being asked to wait is no attempt"


def test_starts_keep_to_the_rate(engine):
    rates = {"script": Rate(120, burst=1)}
    made = engine(logged, limits=RunLimits(rates=rates)).plan({f"t{n}": [] for n in range(4)})
    began = time.monotonic()
    made.run()
    assert time.monotonic() - began >= 1.5


def test_agents_of_a_provider_stay_within_its_number(engine):
    script = "echo + >> log; sleep 0.1; echo - >> log"
    limits = RunLimits(rates={"script": Rate(concurrent=1)})
    made = engine(lambda _: script, limits=limits).plan({"a": [], "b": [], "c": []})
    made.run()
    assert made.log() == ["+", "-"] * 3


def test_each_account_has_its_own_number(engine):
    limits = RunLimits(rates={"script": Rate(concurrent=1)})
    other = {"a": "b", "b": "a"}
    made = engine(
        lambda claim: f"touch {claim.subject}; until [ -e {other[claim.subject]} ]; do sleep 0.02; done", limits=limits
    ).plan({"a": [], "b": []})
    made.conductor.places = {"one": 4, "two": 4}
    made.run()
    assert sorted(made.conductor.paid) == ["one", "two"], "both at once: each waits for the other"


def test_an_account_that_has_to_wait_keeps_no_other_from_being_asked(engine):
    """The first agent is told to wait for long; all that follows is asked of the other account."""
    made = engine(
        lambda claim: "exit 75" if claim.quote.account == "one" else logged(claim),
        limits=RunLimits(1, rates={"script": Rate(600, burst=9)}),
        retry_after=time.time() + 3600,
    ).plan({"a": [], "b": [], "c": []})
    made.conductor.places = {"one": 8, "two": 1}
    assert made.run().why == contract.DONE
    assert sorted(made.log()) == ["a", "b", "c"]
    assert made.conductor.paid.count("one") == 1
    waiting = dict(attempts.list_providers(made.store.database))
    assert waiting["script@one"] > time.time() + 3000
    assert not waiting["script@two"]


def test_an_account_that_comes_later_is_asked_while_the_other_waits(engine):
    made = engine(logged).plan({"a": []})
    made.conductor.places = {"one": 4}
    with made.store.change("s") as change:
        attempts.block_provider(change.database, "script@one", change.now + 3600, change.now)
    threading.Timer(0.3, lambda: made.conductor.places.update(two=4)).start()
    assert made.run().why == contract.DONE
    assert made.conductor.paid == ["two"]


def test_while_nobody_waits_and_nothing_is_counted_any_machine_takes_the_work(engine):
    made = engine(logged).plan({"a": []})
    made.conductor.places = {"one": 4, "two": 4}
    made.run()
    assert made.conductor.paid == [""]


def test_past_the_deadline_nothing_starts(engine):
    made = engine(logged, limits=RunLimits(deadline=time.time() - 1)).plan({"a": []})
    assert (made.run().why, made.log()) == (contract.DEADLINE, [])


@pytest.mark.slow
def test_an_agent_without_a_sign_of_life_is_ended_and_that_is_a_failure(engine):
    limits = RunLimits(patience=4)
    made = engine(lambda c: "sleep 300" if c.epoch == 1 else "true", limits=limits).plan({"a": []})
    made.run()
    assert made.conductor.settled == [("a", "hung"), ("a", "ended")]
    assert made.status() == {"a": "resolved"}


def test_an_agent_that_goes_in_circles_is_ended(engine):
    made = engine(lambda c: "sleep 300" if c.epoch == 1 else "true", limits=RunLimits(patience=4))
    made.plan({"a": []})
    made.conductor.calls = {"a": ["ls"] * 10}
    made.run()
    assert made.conductor.settled[0] == ("a", "looping")


def test_an_agent_that_begins_to_repeat_itself_is_told_of_and_left_at_work(engine):
    made = engine(held, limits=RunLimits(patience=4)).plan({"a": []})
    made.conductor.calls = {"a": ["ls"] * 5}
    later(lambda: let_go(made), lambda: ("repeating", "a") in made.conductor.told)
    made.run()
    assert made.conductor.settled == [("a", "ended")]
    assert made.conductor.told.count(("repeating", "a")) == 1


@pytest.mark.slow
def test_one_that_takes_long_is_told_of_and_one_that_takes_too_long_is_ended(engine):
    limits = RunLimits(patience=4, late=0.2)
    script = lambda c: "while :; do :; done" if c.epoch == 1 else "true"  # noqa: E731 (as all here)
    made = engine(script, limits=limits, seconds=3.5).plan({"a": []})
    made.run()
    assert ("late", "a") in made.conductor.told
    assert made.conductor.settled[0] == ("a", "deadline")


def test_a_task_that_others_settle_is_not_run(engine):
    made = engine(held).plan({"a": [], "b": ["a"]})

    def skip():
        store = Store(made.home, actor="person", clock=time.time)
        with store.change("s") as change:
            tasks.update(change, "b", status=SKIPPED, reason="not needed")
        store.database.close()
        let_go(made)

    later(skip, made.log)
    made.run()
    assert (made.log(), made.status()["b"]) == (["a"], "skipped")


def test_a_task_that_others_add_is_run(engine):
    made = engine(held).plan({"a": []})

    def add():
        from ultrawork.core.plan.task import Task

        store = Store(made.home, actor="person", clock=time.time)
        with store.change("s") as change:
            task = Task(id="new", subject="new", updated_at=time.time())
            tasks.create(change, [task])
        store.database.close()
        let_go(made)

    later(add, made.log)
    made.run()
    assert made.log() == ["a", "new"]


def test_what_cannot_be_prepared_is_blocked_with_the_sentence(engine):
    made = engine().plan({"a": []})

    def refuse(claim):
        raise Conflict("claude is not installed; npm install it")

    made.conductor.script = refuse
    made.run()
    assert made.status() == {"a": "blocked"}
    assert made.task("a").reason == "claude is not installed; npm install it"


def test_a_disk_that_takes_nothing_more_stops_the_run_with_a_sentence(engine):
    made = engine().plan({"a": []})
    os.symlink("/dev/full/nothing", f"{made.home.session('s')}/attempts/notes")
    with pytest.raises(Trouble, match=r"attempts/a.1 cannot be written"):
        made.run()


@pytest.mark.parametrize("threads", [0, 1])
def test_a_bug_in_the_conductor_comes_to_light(engine, threads):
    made = engine(lambda _: 1 / 0, threads=threads).plan({"a": []})
    with pytest.raises(ZeroDivisionError):
        made.run()


def test_a_barrier_lets_a_wave_end_first(engine):
    slow = "until grep -qs quick log; do sleep 0.02; done; sleep 0.5; echo slow >> log"
    made = engine(lambda claim: slow if claim.subject == "slow" else logged(claim))
    made.plan({"quick": [], "slow": [], "after": ["quick"]})
    made.run(barrier=True)
    assert made.log() == ["quick", "slow", "after"]


def test_views_are_true_at_the_end(engine):
    made = engine().plan({"a": []})
    made.run()
    with open(f"{made.home.session('s')}/tasks/a.json", encoding="utf-8") as file:
        assert '"status": "resolved"' in file.read()


def test_the_depth_of_runs_is_told_to_agents(engine):
    made = engine(lambda _: "echo $ULTRAWORK_DEPTH >> log", limits=RunLimits(depth=1)).plan({"a": []})
    made.run()
    assert made.log() == ["2"]


def test_a_row_whose_engine_and_agent_are_dead_keeps_nobody_waiting(engine):
    """Its lock is free: that an agent is at work is only what the row says."""
    limits = RunLimits(rates={"script": Rate(concurrent=1)})
    made = engine(logged, limits=limits).plan({"a": []})
    begin(made.store, "dead", {"x": []})
    with made.store.change("dead") as change:
        folder = f"{made.home.session('dead')}/attempts"
        os.makedirs(folder, exist_ok=True)
        attempts.claim(change, "x", "worker", folder=folder, backend="script", is_task=True)
    assert made.run().why == contract.DONE
    assert made.log() == ["a"]


def test_a_cancelled_session_without_an_engine_leaves_no_row_that_says_it_runs(engine):
    made = engine().plan({"a": []})
    with made.store.change("s") as change:
        folder = f"{made.home.session('s')}/attempts"
        attempts.claim(change, "a", "worker", folder=folder, backend="script", is_task=True)
    cancel_agents(made.store, "s", {"PATH": os.defpath})
    assert attempts.list_running(made.store.database, "s") == []


def test_agents_that_start_together_share_what_is_left(engine):
    made = engine(logged, limits=RunLimits(budget=Amount(usd=4.0)))
    made.plan({name: [] for name in "abcde"}).run()
    first, *others = made.conductor.handed
    assert first == pytest.approx(0.8), "one may pass its share by its last message"
    assert others == pytest.approx([0.55] * 4), "that of the others is kept back"


def test_a_message_that_was_dear_is_kept_back_for_those_who_come_later(engine):
    made = engine(held, limits=RunLimits(2, budget=Amount(usd=8.0), patience=2), spent=0.75)
    made.plan({"a": [], "b": ["a"], "c": ["a"]})
    later(lambda: let_go(made), lambda: seen_by(made, 0.75))
    made.run()
    assert made.conductor.handed == pytest.approx([8.0, 4.0, 4.0 - 0.75]), "what ended cost nothing"


def test_with_little_left_fewer_start_at_once_and_none_with_nothing(engine):
    made = engine(held, limits=RunLimits(budget=Amount(usd=1.2)))
    made.plan({name: [] for name in "abcde"})
    later(lambda: let_go(made), lambda: len(made.log()) == 2)
    made.run()
    assert made.conductor.handed[:2] == pytest.approx([0.5, 0.25])


def test_an_agent_that_has_used_up_its_share_is_ended_and_what_it_spent_is_kept(engine):
    limits = RunLimits(budget=Amount(usd=4.0), patience=2)
    made = engine(held, limits=limits, spent=4.5).plan({"a": []})
    later(lambda: let_go(made), lambda: made.conductor.settled)
    made.run()
    assert made.conductor.settled[0] == ("a", "budget")


def test_no_agent_is_ended_for_what_only_our_price_table_says(engine):
    """Its program has been told the same limit, and knows its own prices."""
    limits = RunLimits(budget=Amount(usd=4.0), patience=2)
    made = engine(held, limits=limits, spent=44.0, estimated=True).plan({"a": []})
    later(lambda: let_go(made), lambda: seen_by(made, 44.0))
    assert made.run().why == contract.DONE
    assert made.conductor.settled == [("a", "ended")]


@pytest.mark.parametrize("subject", ["", "a"], ids=["the run", "the task"])
def test_what_a_cancelled_agent_has_spent_is_counted(engine, subject):
    made = engine(held, spent=1.25).plan({"a": []})
    later(lambda: ask(made, controls.CANCEL, subject), made.log)
    made.run()
    (row,) = made.rows("a")
    assert (row.tokens, row.cost_usd) == (7, 1.25)
    assert attempts.sum_spent(made.store.database, "s", 0.0).usd == 1.25


def test_what_an_agent_spends_is_known_while_it_is_at_work(engine):
    made = engine(held, spent=1.25, limits=RunLimits(patience=4)).plan({"a": []})
    seen = []
    later(lambda: (seen.append(True), let_go(made)), lambda: seen_by(made, 1.25))
    made.run()
    assert seen


def seen_by(made, usd):
    store = Store(made.home, actor="person", clock=time.time)
    found = attempts.sum_spent(store.database, "s", 0.0, reserved=False).usd
    store.database.close()
    return found == usd


class Troubled(Commands):
    """Our own side fails a few times, then no more."""

    def fail(self, *errors, where):
        self.errors, self.where = list(errors), where

    def prepare(self, claim):
        self._raise("prepare")
        return super().prepare(claim)

    def settle(self, attempt, report):
        self._raise("settle")
        return super().settle(attempt, report)

    def _raise(self, where):
        if where == self.where and self.errors:
            raise self.errors.pop(0)


@pytest.fixture
def troubled(engine):
    def troubled(*errors, where):
        made = engine(logged).plan({"a": []})
        made.conductor = Troubled(made.place, logged)
        made.conductor.fail(*errors, where=where)
        made.restart()
        return made

    return troubled


@pytest.mark.parametrize("where", ["prepare", "settle"])
@pytest.mark.parametrize("error", [Trouble("git was killed"), FileNotFoundError(2, "gone", "/x")], ids=["git", "file"])
def test_trouble_that_passes_costs_no_try(troubled, where, error):
    made = troubled(error, where=where)
    assert made.run().why == contract.DONE
    assert (made.status(), made.log()) == ({"a": "resolved"}, ["a"])
    assert [row.status for row in made.rows("a")] == ["resolved"]


@pytest.mark.parametrize("where", ["prepare", "settle"])
def test_a_full_disk_halts_the_run_and_the_next_engine_goes_on(troubled, where):
    made = troubled(OSError(errno.ENOSPC, "No space left on device", "/x"), where=where)
    with pytest.raises(RunHalted, match="No space left"):
        made.run()
    assert made.task("a").status == "in_progress"
    made.restart()
    assert made.run().why == contract.DONE
    assert (made.status(), made.log()) == ({"a": "resolved"}, ["a"]), "what was paid for is used"


class NoRoom(LocalExecutor):
    """The disk was full when an agent failed."""

    def describe(self, attempt):
        report = super().describe(attempt)
        if report.code:
            report.why = NO_ROOM
        return report


def test_an_agent_that_died_of_a_full_disk_has_not_failed(engine):
    made = engine(lambda claim: f"exit {int(claim.epoch == 1)}").plan({"a": []})
    made.scheduler.close()
    made.executor.close()
    made.executor = NoRoom(made.home.session("s"))
    made.restart()
    assert made.run().why == contract.DONE
    assert [row.status for row in made.rows("a")] == ["pending", "resolved"]
    assert (made.task("a").retry_count, made.conductor.settled) == (0, [("a", "ended")])


@pytest.mark.slow
def test_an_agent_that_was_done_before_its_keeper_was_killed_is_not_paid_again(engine):
    made = engine(held).plan({"a": []})
    made.conductor.has_finished = lambda _: True

    def kill():
        with open(f"{made.rows_folder()}/a.1/pid", encoding="utf-8") as file:
            os.kill(int(file.read().split()[0]), 9)

    later(kill, made.log)
    assert made.run().why == contract.DONE
    assert (made.log(), made.status()) == (["a"], {"a": "resolved"})


def test_checks_that_last_do_not_keep_others_from_beginning(engine):
    """As many as there are threads are being settled; another task begins all the same."""
    made = engine(logged).plan({name: [] for name in "abc"} | {"d": ["c"]})
    opened = threading.Event()
    settle = made.conductor.settle

    def slow(attempt, report):
        if attempt.subject in "ab":
            assert opened.wait(PATIENCE)
        return settle(attempt, report)

    made.conductor.settle = slow
    made.scheduler = Scheduler(made.store, "s", made.executor, made.conductor, limits=RunLimits(workers=0), threads=3)
    later(opened.set, lambda: "d" in made.log())
    assert made.run().why == contract.DONE


def test_a_task_that_was_settled_by_hand_is_seen_though_the_clock_was_set_back(engine):
    made = engine(held).plan({"a": [], "b": ["a"]})
    store = Store(made.home, actor="person", clock=lambda: time.time() - 10_000)

    def skip():
        with store.change("s") as change:
            tasks.update(change, "b", status=SKIPPED, reason="not wanted")
        store.database.close()
        let_go(made)

    later(skip, made.log)
    made.run()
    assert (made.log(), made.status()["b"]) == (["a"], "skipped")
