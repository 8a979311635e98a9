"""
What a whole verdict costs: suites that take 1, 10 and 60 seconds, with a bug that one test shows and its fix.

Wall time of `verify --fresh` over that of the bare suite: base, cross runs, proofs and, where one is needed, the
copy included. The tests sleep, so that a busy machine changes little. `--short` leaves out the minute.
"""

import os
import subprocess
import sys
from time import monotonic

from common import Scratch

SUITES = (1, 10, 60)
# Where the runner can be told which tests to run, and where it cannot: times the suite, and seconds.
TOLD, WHOLE = (2.5, 2.0), (4.0, 2.0)
_PYTEST = """\
import time

import shop


def test_slow():
    time.sleep({seconds})


def test_total():
    assert shop.total([1, 2]) == 3
"""
_UNITTEST = """\
import time
import unittest

import shop


class ShopTest(unittest.TestCase):
    def test_slow(self):
        time.sleep({seconds})

    def test_total(self):
        self.assertEqual(shop.total([1, 2]), 3)
"""
_ADDED = "\n\ndef test_none():\n    assert shop.total([]) == 0\n"
_ADDED_METHOD = "\n    def test_none(self):\n        self.assertEqual(shop.total([]), 0)\n"
_WRONG = "def total(prices):\n    return len(prices)\n"
_RIGHT = "def total(prices):\n    return sum(prices)\n"


class Case:
    """A project, what is done to it, and what a verdict on it may cost."""

    def __init__(self, name, makefile, tests, added, budget):
        self.name = name
        self.makefile = makefile
        self.tests = tests
        self.added = added
        self.budget = budget


CASES = (
    Case("pytest, a fix", "python3 -m pytest -q", _PYTEST, "", TOLD),
    Case("pytest, a fix and a test", "python3 -m pytest -q", _PYTEST, _ADDED, TOLD),
    Case("unittest behind make, a fix", "python3 -m unittest -q", _UNITTEST, "", WHOLE),
    Case(
        "unittest behind make, a fix and a test",
        "python3 -m unittest -q",
        _UNITTEST,
        _ADDED_METHOD,
        WHOLE,
    ),
)


def git(scratch, *words):
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *author, *words], cwd=scratch.place, check=True)


def timed(words, scratch, expect):
    began = monotonic()
    done = subprocess.run(
        words, cwd=scratch.place, env=scratch.environ, capture_output=True, text=True, check=False
    )
    if done.returncode != expect:
        raise SystemExit(f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return monotonic() - began, done.stdout


def measure(case, seconds):
    with Scratch() as scratch:
        scratch.environ["PATH"] = f"{os.path.dirname(sys.executable)}:{scratch.environ['PATH']}"
        tests = case.tests.format(seconds=seconds)
        scratch.write(f"{scratch.place}/Makefile", f"test:\n\t@{case.makefile}\n")
        scratch.write(f"{scratch.place}/shop.py", _WRONG)
        scratch.write(f"{scratch.place}/test_shop.py", tests)
        scratch.write(f"{scratch.place}/.gitignore", "__pycache__/\n.pytest_cache/\n")
        git(scratch, "init", "-q")
        git(scratch, "add", "-A")
        git(scratch, "commit", "-qm", "base")
        scratch.write(f"{scratch.place}/shop.py", _RIGHT)
        scratch.write(f"{scratch.place}/test_shop.py", tests + case.added)
        bare, _ = timed(["make", "test"], scratch, 0)
        whole, told = timed(scratch.words("verify", "--fresh"), scratch, 0)
    return bare, whole, told.splitlines()[0]


def main():
    suites = SUITES[:-1] if "--short" in sys.argv else SUITES
    print(f"{'a verdict':<40} {'suite':>8} {'verdict':>9} {'ratio':>7}  budget")
    kept = True
    for case in CASES:
        for seconds in suites:
            bare, whole, said = measure(case, seconds)
            times, more = case.budget
            within = whole <= times * bare + more
            kept = kept and within
            late = "" if within else "  OVER"
            print(
                f"{case.name:<40} {bare:>6.1f} s {whole:>7.1f} s {whole / bare:>6.2f} x"
                f"  {times:g} x + {more:g} s{late}  {said}"
            )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
