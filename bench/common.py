"""
What all benchmarks share: processes timed one after the other, beside a bare interpreter in the same run.

Samples are interleaved: each round runs every call once, so that a busy minute of the machine hits all of
them alike. A budget is a multiple of the bare interpreter's median, or a number of seconds.
"""

import os
import statistics
import sys
import tempfile
from time import perf_counter

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
BARE = "python -I -S -c pass"
_NULL = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]


class Call:
    """One thing to time: an argument list, and the budget its median has to keep to."""

    def __init__(self, name, argv, *, times=None, seconds=None, expect=0):
        self.name = name
        self.argv = argv
        self.times = times
        self.seconds = seconds
        self.expect = expect
        self.samples = []

    @property
    def median(self):
        return statistics.median(self.samples)

    @property
    def p95(self):
        return sorted(self.samples)[int(len(self.samples) * 0.95)]

    def within(self, bare):
        limits = [self.times * bare if self.times else None, self.seconds]
        return all(limit is None or self.median <= limit for limit in limits)

    def budget(self):
        return f"{self.times:g} x" if self.times else f"{self.seconds:g} s" if self.seconds else ""


class Scratch:
    """A state folder and a project that are gone afterwards, and the program in them."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        self.root = self._folder.name
        self.home, self.place = f"{self.root}/state", f"{self.root}/project"
        os.makedirs(f"{self.home}/cache")
        os.makedirs(self.place)
        self.write(f"{self.home}/cache/python", PYTHON + "\n")
        self.environ = {"PATH": "/usr/bin:/bin", "HOME": self.root, "ULTRAWORK_HOME": self.home}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._folder.cleanup()

    def write(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def words(self, *words):
        return [f"{REPOSITORY}/bin/ultrawork", *words]

    def run(self, *words):
        return timed(Call(words[0], self.words(*words)), self.environ, self.place)


def bare():
    return Call(BARE, [PYTHON, "-I", "-S", "-c", "pass"])


def timed(call, environ, place):
    """Seconds from start to end of one process; whatever it answers must be what was expected."""
    before = os.getcwd()
    os.chdir(place)
    start = perf_counter()
    child = os.posix_spawn(call.argv[0], call.argv, environ, file_actions=_NULL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    took = perf_counter() - start
    os.chdir(before)
    if status != call.expect:
        sys.exit(f"{call.name}: exit {status}, expected {call.expect}: {' '.join(call.argv)}")
    return took


def measure(calls, environ, place, *, rounds, warm=3):
    for number in range(rounds + warm):
        for call in calls:
            took = timed(call, environ, place)
            if number >= warm:
                call.samples.append(took)


def report(title, calls, floor):
    """Prints the table; tells whether every budget was kept."""
    print(f"\n{title}, {len(floor.samples)} rounds\n")
    print(f"{'call':<34} {'calls/s':>8} {'p50 ms':>8} {'p95 ms':>8} {'x bare':>7} {'budget':>7}")
    for call in calls:
        late = "" if call.within(floor.median) else "  OVER"
        print(
            f"{call.name:<34} {1 / call.median:8.1f} {call.median * 1e3:8.1f} {call.p95 * 1e3:8.1f}"
            f" {call.median / floor.median:7.2f} {call.budget():>7}{late}"
        )
    return all(call.within(floor.median) for call in calls)
