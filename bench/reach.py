"""A traced run beside the plain one: suites of many small tests, for each runner that is there."""

import json
import os
import shutil
import sys

from common import REPOSITORY, Call, Scratch, measure

sys.path.insert(0, f"{REPOSITORY}/src")

from ultrawork.core.verdict.gate import TEST, Gate
from ultrawork.gates.reach.trace import make_traced_environment

ROUNDS = 5
FILES = 10
TESTS = 40
# Times the plain run; of suites that take no time at all, what starting a tracer may add.
BUDGET = 1.6
START = 0.1
PRODUCT = "\n\n".join(f"def step_{n}(x):\n    return x + {n}" for n in range(50)) + "\n"
SCRIPT = "".join(f"exports.step_{n} = (x) => {{\n  return x + {n};\n}};\n" for n in range(50))
CALLS = "; ".join(f"shop.step_{n}({n})" for n in range(20))
GATE = Gate(name="test", kind=TEST, argv=["x"], command="x", source="", reason="")


def write_suites(scratch):
    place = scratch.place
    scratch.write(f"{place}/shop.py", PRODUCT)
    scratch.write(f"{place}/shop.js", SCRIPT)
    for file in range(FILES):
        plain = "".join(f"def test_{n}():\n    {CALLS}\n\n\n" for n in range(TESTS))
        methods = "".join(f"    def test_{n}(self):\n        {CALLS}\n\n" for n in range(TESTS))
        cases = "".join(f'test("{file} {n}", () => {{ {CALLS}; }});\n' for n in range(TESTS))
        scratch.write(f"{place}/pyt/test_{file}.py", f"import shop\n\n\n{plain}")
        scratch.write(
            f"{place}/unit/test_u{file}.py",
            f"import unittest\n\nimport shop\n\n\nclass T(unittest.TestCase):\n{methods}",
        )
        scratch.write(
            f"{place}/node/n{file}.test.js",
            f'const test = require("node:test");\nconst shop = require("../shop.js");\n{cases}',
        )


def list_suites():
    python = sys.executable
    suites = {
        "pytest": [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "pyt"],
        "unittest": [python, "-m", "unittest", "discover", "-q", "-s", "unit"],
    }
    node = shutil.which("node")
    return {**suites, "node --test": [node, "--test"]} if node else suites


def calls(scratch):
    place = scratch.place
    plain = {**scratch.environ, "PYTHONPATH": place, "PATH": os.environ["PATH"]}
    os.makedirs(f"{place}/told")
    settings = {"folder": f"{place}/told", "roots": [os.path.realpath(place)]}
    traced = make_traced_environment(GATE, plain, settings, place)
    for name, argv in list_suites().items():
        yield Call(name, argv, environ=plain)
        yield Call(f"{name}, traced", argv, environ=traced)


def count_records(place):
    told = [f"{place}/told/{name}" for name in os.listdir(f"{place}/told")]
    return sum(json.loads(line)["kind"] == "test" for path in told for line in open(path))


def main():
    with Scratch() as scratch:
        for folder in ("pyt", "unit", "node"):
            os.makedirs(f"{scratch.place}/{folder}")
        write_suites(scratch)
        measured = list(calls(scratch))
        measure(measured, scratch.environ, scratch.place, rounds=ROUNDS)
        records = count_records(scratch.place)
    print(f"\nTraced runs, {FILES} files of {TESTS} small tests; {records} records")
    print(f"{'':28}{'plain':>10}{'traced':>10}{'times':>8}")
    late = False
    for plain, traced in zip(measured[::2], measured[1::2], strict=True):
        times = traced.cpu / plain.cpu
        slow = times > BUDGET and traced.cpu - plain.cpu > START
        late = late or slow
        over = "  OVER" if slow else ""
        print(f"{plain.name:28}{plain.cpu:9.2f}s{traced.cpu:9.2f}s{times:8.2f}{over}")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
