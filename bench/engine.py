"""The engine in numbers: how close to an ideal schedule it runs, and what each task costs it."""

import heapq
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import ideal
from common import TESTS

from support import drill
from support.commands import Commands, begin
from ultrawork.clients.headless.attempt import ENDED, AttemptReport
from ultrawork.core.plan.schedule import Schedule
from ultrawork.engine.agents.executor import Executor
from ultrawork.engine.contract import RunLimits
from ultrawork.engine.loop.scheduler import Scheduler
from ultrawork.store import tasks

WIDTH = 8
RUNS = 5
CHAIN = 20
TINY = 4000
LARGE = 10_000
CROWD = 1000
AGENT = "sleep {seconds}; exit {code}"


class Figures:
    """A table of what was measured beside what it has to keep to."""

    def __init__(self):
        self.over = False

    def add(self, name, value, unit, limit, *, at_least=False):
        kept = value >= limit if at_least else value <= limit
        self.over |= not kept
        sign = ">=" if at_least else "<="
        print(f"{name:<52} {value:9.2f} {unit:<8} {sign} {limit:g}{'' if kept else '  OVER'}")

    @staticmethod
    def note(name, value, unit):
        print(f"{name:<52} {value:9.2f} {unit}")


def timed_run(plan, **options):
    """Seconds from the start of the loop to the plan's end, agents and all."""
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        drill.prepare(root, plan)
        with drill.Engine(root, width=WIDTH, agent=AGENT) as engine:
            start = time.perf_counter()
            engine.run(**options)
            return time.perf_counter() - start


def measure_schedule(figures):
    """Interleaved, so that a busy minute of the machine hits both alike."""
    plan = drill.make_plan(9, 60, least=0.05, most=0.3)
    runs = [(timed_run(plan), timed_run(plan, barrier=True)) for _ in range(RUNS)]
    free, barred = (statistics.median(column) for column in zip(*runs, strict=True))
    best = ideal.greedy(plan, WIDTH)
    figures.note("60 tasks: ideal greedy schedule", best, "s")
    figures.note("60 tasks: longest chain", ideal.critical_path(plan)[0], "s")
    figures.note("60 tasks: ideal waves", ideal.waves(plan, WIDTH), "s")
    figures.note("60 tasks: ours", free, "s")
    figures.add("60 tasks: ours beside the ideal", free / best, "x", 1.08)
    figures.add("60 tasks: ours beside waves", barred / free, "x faster", 1.2, at_least=True)


def measure_overhead(figures):
    """A chain: nothing runs beside anything, so all that is not the agents' time is ours."""
    plan = {f"t{n}": {"needs": [f"t{n - 1}"] if n else [], "tries": [[0.05, 0]]} for n in range(CHAIN)}
    costs = [(timed_run(plan) - bare_chain(plan)) / CHAIN for _ in range(RUNS)]
    figures.add("overhead of a task on the longest chain", statistics.median(costs) * 1e3, "ms", 15)


def bare_chain(plan):
    """The same agents, one after the other, started by nobody but a fork."""
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        start = time.perf_counter()
        for task in plan.values():
            seconds, code = task["tries"][0]
            script = AGENT.format(seconds=seconds, code=code)
            subprocess.run(["/bin/sh", "-c", script], cwd=place, check=False)
        return time.perf_counter() - start


class Instant(Executor):
    """Agents that are done at once: what is left is the engine and its store."""

    def start(self, _attempt, _command, wake):
        wake()

    def describe(self, _attempt):
        return AttemptReport(ENDED, code=0, why="ended", started_at=1.0, ended_at=1.0)


class Quick(Commands):
    """Notes when the last result was recorded."""

    recorded_at = 0.0

    def tell(self, *_news):
        self.recorded_at = time.perf_counter()


def measure_tiny(figures):
    rates = [tiny_rate() for _ in range(3)]
    durable, shown = (statistics.median(column) for column in zip(*rates, strict=True))
    figures.add("tiny tasks, all durable", durable, "tasks/s", 2000, at_least=True)
    figures.note("the same, with a file for people to read of each", shown, "tasks/s")


def tiny_rate():
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        store = drill.open_store(root)
        begin(store, "tiny", {f"t{n}": [f"t{n - 100}"] if n >= 100 else [] for n in range(TINY)})
        store.flush()
        conductor = Quick(root, lambda _: "true")
        scheduler = Scheduler(store, "tiny", Instant(), conductor, limits=RunLimits(100))
        schedule = Schedule.of(tasks.list_all(store.database, "tiny"))
        start = time.perf_counter()
        scheduler.run(schedule)
        end = time.perf_counter()
        store.database.close()
        return TINY / (conductor.recorded_at - start), TINY / (end - start)


FIRST = """
import resource, sys, time
from support import drill
with drill.Engine(sys.argv[1], width=8) as engine:
    engine.conductor.tell = lambda event, *_: event == "started" and engine.scheduler.stop()
    engine.run()
    print(time.time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def measure_large(figures):
    dice = random.Random(1)
    plan = {
        f"t{n}": {"needs": [f"t{m}" for m in dice.sample(range(max(0, n - 50), n), min(n, 3))], "tries": [[0.01, 0]]}
        for n in range(LARGE)
    }
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        drill.prepare(root, plan)
        start = time.time()
        argv = [sys.executable, "-c", FIRST, root]
        found = subprocess.run(argv, cwd=TESTS, capture_output=True, text=True, check=True)
        dispatched, memory = map(float, found.stdout.split())
        time.sleep(0.5)  # what was started goes on for a moment
    figures.add("10,000 tasks: from start to the first agent", dispatched - start, "s", 2)
    figures.add("10,000 tasks: memory", memory, "MB", 300)


def simulate(count, workers):
    """Processor seconds for each task of a plan whose workers' time is only counted."""
    dice = random.Random(count)
    needs = {f"t{n}": [f"t{m}" for m in dice.sample(range(max(0, n - 500), n), min(n, 2))] for n in range(count)}
    seconds = [dice.uniform(1, 10) for _ in range(count)]
    start = time.process_time()
    schedule, running, now, ended = Schedule(needs), [], 0.0, 0
    while True:
        for name in schedule.ready(workers - len(running)):
            schedule.started(name)
            heapq.heappush(running, (now + seconds[int(name[1:])], name))
        if not running:
            break
        now, name = heapq.heappop(running)
        schedule.resolved(name)
        ended += 1
    assert ended == count, "every task came to its end"
    return (time.process_time() - start) / count


def measure_crowd(figures):
    small = min(simulate(1000, CROWD) for _ in range(20))
    large = min(simulate(100_000, CROWD) for _ in range(2))
    figures.note("1,000 tasks, 1,000 workers: the schedule's cost", small * 1e6, "us a task")
    figures.note("100,000 tasks, 1,000 workers: the schedule's cost", large * 1e6, "us a task")
    figures.add("the same, one beside the other", large / small, "x", 2)


def main():
    print(f"\nThe engine, {os.cpu_count()} cores, medians of {RUNS} runs\n")
    figures = Figures()
    for measure in (measure_schedule, measure_overhead, measure_tiny, measure_large, measure_crowd):
        measure(figures)
    figures.note("memory of this benchmark", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MB")
    return 1 if figures.over else 0


if __name__ == "__main__":
    sys.exit(main())
