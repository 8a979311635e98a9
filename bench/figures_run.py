"""
The drivers of all sets, one after the other, within minutes that they share.

An hour is enough by construction: each set gets its part of the time that is left, and no run begins after it. A
driver whose last runs go on for too long is interrupted. Its results are kept as they end, so nothing else is lost.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time

from common import REPOSITORY

SAMPLES = f"{REPOSITORY}/build/figures"
# Seconds that a driver may take beyond its share, for runs that began in time; then, to leave after Ctrl-C.
GRACE, LEAVE = 150, 30


def play(sets, sample, minutes):
    """
    Run the driver of every set, those with the most time first; answers whether one of them found something wrong.
    What one leaves of its time goes to the next ones. Their tables and reports come together, in the end.
    """
    statuses, until = [], time.monotonic() + minutes * 60
    with tempfile.TemporaryFile("w+", encoding="utf-8") as told:
        for one, share in share_out(sets):
            words = ["--sample", str(one.sample), "--json", f"{SAMPLES}/{one.name}.json"] if sample else []
            limit = share * (until - time.monotonic()) if minutes and not sample else None
            if limit is None or limit > 1:
                statuses.append(run_driver(one, words, limit, told))
            else:
                print(f"{one.name}: not played, no time was left", file=told, flush=True)
        told.seek(0)
        print(told.read())
    return any(statuses)


def share_out(sets):
    """Each set with its part of the time that is left when its turn comes."""
    ordered = sorted(sets, key=lambda one: -one.share)
    return [(one, one.share / sum(later.share for later in ordered[number:])) for number, one in enumerate(ordered)]


def run_driver(one, words, limit, told, grace=GRACE):
    """Run a driver for so many seconds. One that goes on is interrupted like by Ctrl-C; its results are kept."""
    if limit is not None:
        words = [*words, "--minutes", f"{limit / 60:.2f}"]
    print(f"{one.driver} {' '.join(words)}", file=sys.stderr, flush=True)
    argv = [sys.executable, one.driver, *words]
    # A group of its own, so that its workers are interrupted with it.
    process = subprocess.Popen(argv, cwd=REPOSITORY, stdin=subprocess.DEVNULL, stdout=told, process_group=0)
    try:
        return process.wait(None if limit is None else limit + grace)
    except subprocess.TimeoutExpired:
        return 1
    finally:
        end_group(process)


def end_group(process):
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
                os.killpg(process.pid, number)
                process.wait(LEAVE)
