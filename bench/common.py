"""
What all benchmarks share: processes timed one after the other, beside a bare interpreter in the same run.

Samples are interleaved: each round runs every call once, so that a busy minute of the machine hits all of
them alike. A budget is a multiple of the bare interpreter's median, or a number of seconds.
"""

import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from time import perf_counter

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLUGIN = f"{REPOSITORY}/plugin"
TESTS = f"{REPOSITORY}/tests"
sys.path.insert(0, TESTS)
PYTHON = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
BARE = "python -I -S -c pass"
_SILENT = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]


def describe_run(earlier=None):
    """When a set was played, with which versions and by which command: without these a result is no figure. `earlier`
    are results that are kept: then the commits go from the first of theirs to this one."""
    from ultrawork.store.paths import read_version

    asked = ["git", "-C", REPOSITORY, "rev-parse", "--short=8", "HEAD"]
    commit = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    first = ((earlier or {}).get("versions") or {}).get("commit", "").partition(" to ")[0]
    if first not in ("", commit):
        commit = f"{first} to {commit}"
    versions = {"ultrawork": read_version(), "commit": commit, "python": sys.version.split()[0]}
    words = [os.path.relpath(os.path.abspath(sys.argv[0]), REPOSITORY), *sys.argv[1:]]
    return {"date": time.strftime("%Y-%m-%d"), "versions": versions, "command": f"python {shlex.join(words)}"}


class Call:
    """
    One thing to time: an argument list, and the budget its median has to keep to. It may have an input
    (a file), an environment and a place of its own, and something to be done before each run.
    """

    def __init__(
        self, name, argv, *, times=None, seconds=None, expect=0, given=os.devnull, environ=None, place=None, before=None
    ):
        self.name = name
        self.argv = argv
        self.times = times
        self.seconds = seconds
        self.expect = expect
        self.given = given
        self.environ = environ
        self.place = place
        self.before = before
        self.samples = []
        self.cpu_samples = []

    @property
    def median(self):
        return statistics.median(self.samples)

    @property
    def cpu(self):
        """User and system time of the process and its children, median."""
        return statistics.median(self.cpu_samples)

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
        return [f"{PLUGIN}/bin/ultrawork", *words]

    def run(self, *words):
        return timed(Call(words[0], self.words(*words)), self.environ, self.place)


def bare():
    return Call(BARE, [PYTHON, "-I", "-S", "-c", "pass"])


def timed(call, environ, place):
    """Seconds from start to end of one process; whatever it answers must be what was expected."""
    return spent(call, environ, place)[0]


def spent(call, environ, place):
    """The same, and the processor time beside it."""
    if call.before is not None:
        call.before()
    actions = [(os.POSIX_SPAWN_OPEN, 0, call.given, os.O_RDONLY, 0), *_SILENT]
    before = os.getcwd()
    os.chdir(call.place or place)
    start = perf_counter()
    child = os.posix_spawn(call.argv[0], call.argv, call.environ or environ, file_actions=actions)
    _, ended, used = os.wait4(child, 0)
    took = perf_counter() - start
    os.chdir(before)
    status = os.waitstatus_to_exitcode(ended)
    if status != call.expect:
        sys.exit(f"{call.name}: exit {status}, expected {call.expect}: {' '.join(call.argv)}")
    return took, used.ru_utime + used.ru_stime


def measure(calls, environ, place, *, rounds, warm=3):
    for number in range(rounds + warm):
        for call in calls:
            took, cpu = spent(call, environ, place)
            if number >= warm:
                call.samples.append(took)
                call.cpu_samples.append(cpu)


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
