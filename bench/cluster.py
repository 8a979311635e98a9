"""
Many machines in numbers: the session of the engine's own benchmark on three workers beside one machine, and what a
task costs. All machines are processes on this one, so agents that need the processor would hide what is measured:
they sleep.
"""

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import timedelta

import ideal
from common import TESTS

from engine import Figures
from support import drill
from support.cluster import SOURCE, NotInstalled, TemporalServer, git, require_packages
from support.cluster_drill import HurtCluster

MACHINES, SLOTS = 3, 4
LOCAL = 4
CHAIN = 20
WARM = 5
TINY = int(os.environ.get("TINY", "5000"))
RUNS = int(os.environ.get("RUNS", "3"))
LONG = (2.0, 8.0)  # seconds of an agent: real ones take minutes


def time_cluster(plan, width, machines=MACHINES, slots=SLOTS):
    """Seconds from the start of a coordinator to its end; memory of it and of a worker in MB, processor time of all."""
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        hurt = HurtCluster(root, workers=machines, slots=slots)
        hurt.workers[0].reach(hurt.server.address)  # nobody cuts its network here
        try:
            hurt.prepare(plan)
            before = read_processor()
            start = time.perf_counter()
            engine = hurt.start_engine(width)
            _, status, used = os.wait4(engine.pid, 0)
            seconds = time.perf_counter() - start
            assert status == 0, "the plan did not come to its end"
            memory = read_memory(hurt.workers[0].pid)
        finally:
            hurt.close()
    return seconds, used.ru_maxrss / 1024, memory, read_processor() - before


def read_processor():
    """Of all that has ended: a busy machine makes everything longer but this."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_memory(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        lines = dict(line.split(":", 1) for line in file if ":" in line)
    return int(lines["VmHWM"].split()[0]) / 1024


def time_local(plan, width):
    """The same plan and agents on this machine alone, in a process of its own as well."""
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        drill.prepare(root, plan)
        environ = {**os.environ, "PYTHONPATH": f"{SOURCE}:{require_packages()}"}
        argv = [sys.executable, "-m", "support.drill", root, str(width)]
        start = time.perf_counter()
        subprocess.run(argv, cwd=TESTS, env=environ, check=True)
        return time.perf_counter() - start


def measure_floor(figures):
    """What no run over Temporal and git goes below: one bare activity there and back, one bare push of one commit."""
    with tempfile.TemporaryDirectory(prefix="bench-") as root:
        server = TemporalServer(root).start()
        try:
            busy = asyncio.run(run_bare_activities(server.address, server.pid))
        finally:
            server.kill()
        figures.note("floor: processor time of a bare activity, all processes", busy * 1e3, "ms")
        figures.note("floor: processor time of a bare push", time_bare_push(root) * 1e3, "ms")


async def run_bare_activities(address, server):
    from temporalio import activity
    from temporalio.client import Client
    from temporalio.worker import Worker

    @activity.defn(name="bare")
    async def bare(given: str) -> str:
        return given

    client = await Client.connect(address)
    async with Worker(client, task_queue="bare", activities=[bare]):
        limit = timedelta(seconds=60)
        before = 0.0
        for number in range(-WARM, CHAIN):
            if number == 0:
                before = read_own_processor(server)
            handle = await client.start_activity(
                "bare", "x", id=str(number), task_queue="bare", start_to_close_timeout=limit
            )
            await handle.result()
        return (read_own_processor(server) - before) / CHAIN


def read_own_processor(server):
    """Of this process, and of the server while it runs."""
    with open(f"/proc/{server}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    used = resource.getrusage(resource.RUSAGE_SELF)
    ticks = int(fields[11]) + int(fields[12])
    return used.ru_utime + used.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def time_bare_push(root):
    place, remote = f"{root}/place", f"{root}/remote.git"
    os.makedirs(place)
    git(root, "init", "-q", "--bare", remote)
    git(place, "init", "-q")
    spent = 0.0
    for number in range(CHAIN):
        git(place, "commit", "-q", "--allow-empty", "-m", str(number))
        before = read_processor()
        git(place, "-c", "gc.auto=0", "push", "-q", remote, f"HEAD:refs/bare/{number}")
        spent += read_processor() - before
    return spent / CHAIN


def measure_session(figures):
    """Side by side, in turns: a busy minute hits both alike."""
    plan = drill.make_plan(9, 60, least=LONG[0], most=LONG[1])
    width = MACHINES * SLOTS
    runs = [(time_cluster(plan, width), time_local(plan, LOCAL)) for _ in range(RUNS)]
    many = statistics.median(one[0][0] for one in runs)
    alone = statistics.median(one[1] for one in runs)
    best = ideal.greedy(plan, width)
    figures.note(f"60 tasks, {MACHINES} x {SLOTS}: ideal greedy schedule", best, "s")
    figures.note(f"60 tasks, {MACHINES} x {SLOTS}: ours, with its start", many, "s")
    figures.add("60 tasks: ours beside the ideal", many / best, "x", 1.15)
    figures.add(f"60 tasks: one machine with {LOCAL} beside ours", alone / many, "x", 1.0, at_least=True)
    figures.note("coordinator: memory", runs[-1][0][1], "MB")
    figures.note("a worker: memory", runs[-1][0][2], "MB")


def measure_overhead(figures):
    """A chain: nothing runs beside anything, so all that is not the agents' time is ours."""
    short, long = (
        {f"t{n}": {"needs": [f"t{n - 1}"] if n else [], "tries": [[0.05, 0]]} for n in range(count)}
        for count in (2, CHAIN + 2)
    )
    pairs = [(time_cluster(long, 1, 1), time_cluster(short, 1, 1)) for _ in range(RUNS)]
    costs = [(many[0] - few[0]) / CHAIN - 0.05 for many, few in pairs]
    figures.add("overhead of a task on the longest chain", statistics.median(costs) * 1e3, "ms", 60)
    figures.note("the best of these runs", min(costs) * 1e3, "ms")
    busy = statistics.median((many[3] - few[3]) / CHAIN for many, few in pairs)
    figures.note("processor time of a task, all processes", busy * 1e3, "ms")


def measure_tiny(figures):
    plan = {f"t{n}": {"needs": [], "tries": [[0.0, 0]]} for n in range(TINY)}
    seconds, memory, _, _ = time_cluster(plan, 64)
    figures.note(f"{TINY} tiny tasks", TINY / seconds, "tasks/s")
    figures.note(f"{TINY} tiny tasks: memory of the coordinator", memory, "MB")


def main():
    try:
        require_packages()
    except NotInstalled as error:
        print(error)
        return
    load = os.getloadavg()[0]
    print(f"\nMany machines, {os.cpu_count()} cores at a load of {load:.1f}, medians of {RUNS} runs\n")
    figures = Figures()
    for measure in (measure_floor, measure_overhead, measure_session, measure_tiny):
        measure(figures)
    figures.note("processor time of all processes", read_processor(), "s")
    sys.exit(figures.over)


if __name__ == "__main__":
    main()
