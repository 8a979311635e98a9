"""What every test may ask for."""

import faulthandler
import gc
import os
import re
import signal
import sys
import tempfile
import time
from collections import Counter

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from support.bytecode import make_share
from support.effort import LONG, is_long_run
from support.floor import Program

# Machines that run tests are slow now and then; how long an example takes is no finding.
settings.register_profile(
    LONG, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
settings.load_profile(LONG)
# Bounded in number and in time; whoever needs more examples says so.
settings.register_profile("same", settings.get_profile(LONG), derandomize=True, max_examples=50)

# A version manager puts a script of its own before every interpreter, a tenth of a second each time.
os.environ["PATH"] = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
# Started in the background of a shell we ignore interrupts, and so would every program that we start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Seconds that one test may take, whatever it waits for; one without a mark twice as long at most.
DEADLINES = {"hour": 3600, "release": 1800, "slow": 300, "client": 300}
DEADLINE = 120
MEMORY = "/dev/shm"
ENOUGH = 4 << 30
ERRORS = pytest.StashKey[int]()


class Clock:
    """A test that hangs ends the run of its process, and every thread says where it was."""

    def __init__(self):
        self.ends = 0.0

    def set(self, item):
        """To set it costs a thread: it is set for longer than a quick test may take, and serves those that follow."""
        marks = [seconds for name, seconds in DEADLINES.items() if item.get_closest_marker(name)]
        if is_long_run():
            marks.append(DEADLINES["release"])
        allowed, now = max(marks, default=DEADLINE), time.monotonic()
        more = 0 if marks else DEADLINE
        if not allowed <= self.ends - now <= allowed + more:
            self.ends = now + allowed + more
            errors = item.config.stash[ERRORS]
            faulthandler.dump_traceback_later(allowed + more, exit=True, file=errors)

    def stop(self):
        self.ends = 0.0
        faulthandler.cancel_dump_traceback_later()


CLOCK = Clock()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    CLOCK.set(item)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem):
    try:
        return (yield)
    finally:
        if "support.headless" in sys.modules:
            sys.modules["support.headless"].end_started()
        # Nothing limits how long a process waits for the others of a run.
        if nextitem is None:
            CLOCK.stop()


def _write_to_memory():
    """Writes that wait for a disk double the time of a run. Nobody's own choice of a folder is changed."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK):
        return
    found = os.statvfs(MEMORY)
    if found.f_bavail * found.f_frsize >= ENOUGH and not found.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = MEMORY
        tempfile.tempdir = None


def pytest_configure(config):
    # Sandboxes of real clients have a /dev of their own, and slow tests may fill more than there is.
    if "not slow and not client" in config.option.markexpr:
        _write_to_memory()
    # While a test runs, what it writes to this stream is kept from everybody.
    config.stash[ERRORS] = os.dup(2)
    # What one run finds, every run finds; only the long runs before a release go on looking elsewhere.
    is_long = "not release" not in config.option.markexpr
    settings.load_profile(LONG if is_long else "same")
    if not is_long:
        # Else examples are also drawn from the sources of all modules that happen to be loaded: other ones in each
        # process of a run, after seconds of reading.
        providers._get_local_constants = lambda: providers._local_constants
    # The program ends without closing its database: that would write its whole log back on every call.
    # A test that runs it in its own process cannot end it; from Python 3.13 on that is warned of.
    config.addinivalue_line("filterwarnings", "ignore:unclosed database:ResourceWarning")
    make_share(config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    """A pass is one report and not three: sending those of thousands of tests takes longer than making them."""
    if item.config.option.durations is not None or item.config.option.verbose > 0:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_modifyitems(items):
    """`make test-slow` and `make test-clients` read only files that name their mark: none may get it from elsewhere."""
    for mark in ("slow", "client"):
        marked = {item.path for item in items if item.get_closest_marker(mark)}
        silent = [path for path in marked if not re.search(rf"\b{mark}\b", path.read_text(encoding="utf-8"))]
        if silent:
            raise pytest.UsageError(f"{silent[0]} has tests marked {mark} and does not say so: write the word there")


def pytest_collection_finish():
    """Thousands of tests stay until the end: the collector need not look at them, nor look so often."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_terminal_summary(terminalreporter):
    """A run that is silent about what is missing here would claim more than it has shown."""
    skipped = (report.longrepr for report in terminalreporter.getreports("skipped"))
    reasons = Counter(told[2].removeprefix("Skipped: ") for told in skipped if told)
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"not run: {reason} ({count})")


@pytest.fixture
def program(tmp_path):
    """The program with a state folder and a project of its own."""
    return Program(str(tmp_path))
