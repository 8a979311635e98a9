"""Verification: what it adds to the bare command, and what an answer costs where nothing changed."""

import os
import subprocess
import sys

from common import Call, Scratch, bare, measure, report

ROUNDS = 25
FILES = 200
# Over the bare command, beside the id of the tree.
OVERHEAD = 0.150
_TEST = """\
import unittest

from shop import total


class ShopTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
_TREE = """\
import sys
sys.path.insert(0, sys.argv[1])
from ultrawork.gates.trees.tree import take_snapshot
take_snapshot(".", sys.argv[2])
"""


def git(scratch, *words):
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *author, *words], cwd=scratch.place, check=True)


def prepare(scratch):
    """A project of a few hundred files with one quick gate, and a change that is not committed."""
    place = scratch.place
    scratch.write(f"{place}/Makefile", "test:\n\t@python3 -m unittest -q\n")
    scratch.write(f"{place}/shop.py", "def total(prices):\n    return sum(prices)\n")
    scratch.write(f"{place}/test_shop.py", _TEST)
    os.makedirs(f"{place}/pages")
    for number in range(FILES):
        scratch.write(f"{place}/pages/{number}.txt", f"page {number}\n")
    git(scratch, "init", "-q")
    git(scratch, "add", "-A")
    git(scratch, "commit", "-qm", "base")
    scratch.run("verify")


def calls(scratch):
    from common import PYTHON, REPOSITORY

    tree = [PYTHON, "-I", "-S", "-c", _TREE, f"{REPOSITORY}/src", f"{scratch.home}/cache"]
    return [
        bare(),
        Call("make test", ["/usr/bin/make", "test"]),
        Call("the id of the tree", tree),
        Call("verify --fresh", scratch.words("verify", "--fresh")),
        Call("verify, nothing changed", scratch.words("verify"), times=4),
        Call("evidence", scratch.words("evidence"), times=4),
    ]


def overhead(measured):
    """What `verify --fresh` takes beside the command itself and the id of the tree."""
    by_name = {call.name: call.median for call in measured}
    floor = by_name[measured[0].name]
    tree = by_name["the id of the tree"] - floor
    return by_name["verify --fresh"] - by_name["make test"] - tree


def main():
    with Scratch() as scratch:
        prepare(scratch)
        measured = calls(scratch)
        measure(measured, scratch.environ, scratch.place, rounds=ROUNDS)
    kept = report(f"Verification, {FILES} files", measured, measured[0])
    over = overhead(measured)
    late = "" if over <= OVERHEAD else "  OVER"
    print(f"\nverify adds {over * 1e3:.0f} ms to the command, budget {OVERHEAD * 1e3:.0f} ms{late}")
    return 0 if kept and over <= OVERHEAD else 1


if __name__ == "__main__":
    sys.exit(main())
