"""
Verification: what it adds to the bare command, what an answer costs where nothing changed, and what a whole verdict
costs beside the suite: base, cross runs, proofs and, where one is needed, the copy included.

Suites of 1, 10 and 60 seconds, whose tests sleep so that a busy machine changes little; three changes: a fix, a fix
with a test of its own, and code that was only tidied. A checkout of 100,000 files is measured in processor time beside
that of `git status`: verdicts, and stops at which nothing has to run.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from statistics import median
from time import monotonic

from common import PLUGIN, PYTHON, Call, Scratch, bare, measure, report, spent

from support import toolchains

ROUNDS = 25
FILES = 200
MANY = 100_000
# Over the bare command, beside the id of the tree.
OVERHEAD = 0.150
SUITES = (1, 10, 60)
# Times the suite, and seconds.
BUDGET = (2.5, 2.0)
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
_NODE = """\
const assert = require("node:assert");
{words}const {{ total }} = require("./shop");

test("takes its time", async () => {{
  await new Promise((done) => setTimeout(done, {milliseconds}));
}}{patience});

test("total of two", () => {{
  assert.strictEqual(total([1, 2]), 3);
}});
"""
_NODE_ADDED = """
test("total of three", () => {
  assert.strictEqual(total([1, 1, 5]), 7);
});
"""
_GO = """\
package shop

import (
	"testing"
	"time"
)

func TestSlow(t *testing.T) {{ time.Sleep({milliseconds} * time.Millisecond) }}

func TestTotal(t *testing.T) {{
	if Total([]int{{1, 2}}) != 3 {{
		t.Fatal("total")
	}}
}}
"""
_RUST = """\
use shop::total;

#[test]
fn takes_its_time() {{
    std::thread::sleep(std::time::Duration::from_millis({milliseconds}));
}}

#[test]
fn total_of_two() {{
    assert_eq!(total(&[1, 2]), 3);
}}
"""


@dataclass(frozen=True)
class Project:
    """A suite of one runner. `code` has a hole for what it returns: wrong, right, or right in other words."""

    name: str
    program: str
    command: tuple
    code: tuple
    returns: tuple
    tests: tuple
    added: str
    files: tuple
    installed: bool = False


_PYTHON = ("shop.py", "def total(prices):\n    {}\n")
_PYTHON_RETURNS = ("return len(prices)", "return sum(prices)", "found = sum(prices)\n    return found")
_SCRIPT = ("shop.js", "exports.total = (prices) => {{\n  {}\n}};\n")
_SCRIPT_RETURNS = (
    "return prices.length;",
    "return prices.reduce((a, b) => a + b, 0);",
    "const found = prices.reduce((a, b) => a + b, 0);\n  return found;",
)
_PYTEST_ADDED = "\n\ndef test_three():\n    assert shop.total([1, 1, 5]) == 7\n"
_METHOD_ADDED = "\n    def test_three(self):\n        self.assertEqual(shop.total([1, 1, 5]), 7)\n"


def _make(recipe):
    return (("Makefile", f"test:\n\t@{recipe}\n"), (".gitignore", "__pycache__/\n.pytest_cache/\n"))


def _package(script):
    text = f'{{"name": "shop", "private": true, "scripts": {{"test": "{script}"}}}}\n'
    return (("package.json", text), (".gitignore", "node_modules\n"))


def _script(name, script, words, patience):
    tests = _NODE.replace("{words}", words).replace("{patience}", patience)
    return Project(
        name, "npm", ("npm", "test"), _SCRIPT, _SCRIPT_RETURNS, ("shop.test.js", tests), _NODE_ADDED,
        _package(script), installed=name != "node --test",
    )  # fmt: skip


PROJECTS = (
    Project(
        "pytest", "make", ("make", "test"), _PYTHON, _PYTHON_RETURNS, ("test_shop.py", _PYTEST),
        _PYTEST_ADDED, _make("python3 -m pytest -q"),
    ),
    Project(
        "unittest", "make", ("make", "test"), _PYTHON, _PYTHON_RETURNS, ("test_shop.py", _UNITTEST),
        _METHOD_ADDED, _make("python3 -m unittest -q"),
    ),
    _script("node --test", "node --test", 'const {{ test }} = require("node:test");\n', ""),
    _script("jest", "jest", "", ", 90000"),
    _script("vitest", "vitest run --globals", "", ", 90000"),
    Project(
        "go", "go", ("go", "test", "-count=1", "./..."),
        ("shop.go", "package shop\n\nfunc Total(prices []int) int {{\n\t{}\n}}\n"),
        ("return len(prices)", "found := 0\n\tfor _, one := range prices {\n\t\tfound += one\n\t}\n\treturn found", "sum := 0\n\tfor _, one := range prices {\n\t\tsum += one\n\t}\n\treturn sum"),
        ("shop_test.go", _GO), '\nfunc TestThree(t *testing.T) {\n\tif Total([]int{1, 1, 5}) != 7 {\n\t\tt.Fatal("three")\n\t}\n}\n',
        (("go.mod", "module shop\n\ngo 1.19\n"),),
    ),
    Project(
        "cargo", "cargo", ("cargo", "test", "-q"),
        ("src/lib.rs", "pub fn total(prices: &[i64]) -> i64 {{\n    {}\n}}\n"),
        ("prices.len() as i64", "prices.iter().sum()", "let found = prices.iter().sum();\n    found"),
        ("tests/shop.rs", _RUST), "\n#[test]\nfn total_of_three() {\n    assert_eq!(total(&[1, 1, 5]), 7);\n}\n",
        (("Cargo.toml", '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'), (".gitignore", "/target\n")),
    ),
)  # fmt: skip
# What the code returns before and after, and whether a test comes with it.
CHANGES = {"a fix": (0, 1, False), "a fix and a test": (0, 1, True), "tidied": (1, 2, False)}


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
    tree = [PYTHON, "-I", "-S", "-c", _TREE, f"{PLUGIN}/src", f"{scratch.home}/cache"]
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


def lay(scratch, project, seconds, change):
    """A repository with the code as it was committed, and the change in its files; what the bare suite takes."""
    before, after, with_test = CHANGES[change]
    path, code = project.code
    tests = project.tests[1].format(seconds=seconds, milliseconds=seconds * 1000)
    for name, text in (*project.files, (path, code.format(project.returns[before])), (project.tests[0], tests)):  # fmt: skip
        os.makedirs(os.path.dirname(f"{scratch.place}/{name}"), exist_ok=True)
        scratch.write(f"{scratch.place}/{name}", text)
    if project.installed:
        os.symlink(toolchains.node_modules("runners"), f"{scratch.place}/node_modules")
    git(scratch, "init", "-q")
    git(scratch, "add", "-A")
    git(scratch, "commit", "-qm", "base")
    scratch.write(f"{scratch.place}/{path}", code.format(project.returns[after]))
    added = project.added if with_test else ""
    scratch.write(f"{scratch.place}/{project.tests[0]}", tests + added)
    took(project.command, scratch)  # what is built once is not the suite's time


@dataclass(frozen=True)
class Taken:
    """What a program took, its children included, and what it said."""

    seconds: float
    cpu: float
    said: str


def took(words, scratch):
    began, spent = monotonic(), spent_by_children()
    done = subprocess.run(words, cwd=scratch.place, env=scratch.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return Taken(monotonic() - began, spent_by_children() - spent, done.stdout)


def spent_by_children():
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def warm_up(scratch, project, change):
    """The first verdict of a machine compiles us and the runner's libraries; every later one finds that done."""
    lay(scratch, project, 0, change)
    took(scratch.words("verify", "--fresh"), scratch)
    shutil.rmtree(scratch.place)
    os.mkdir(scratch.place)


def judge(project, seconds, change, *, tell):
    """One row; whether it keeps to its budget."""
    with Scratch() as scratch:
        programs = [os.path.dirname(sys.executable), os.path.dirname(shutil.which(project.program))]
        scratch.environ["PATH"] = ":".join([*programs, scratch.environ["PATH"]])
        for name in ("CARGO_HOME", "RUSTUP_HOME"):
            if name in os.environ or os.path.isdir(os.path.expanduser(f"~/.{name[:-5].lower()}")):
                scratch.environ[name] = os.environ.get(name) or os.path.expanduser(f"~/.{name[:-5].lower()}")  # fmt: skip
        warm_up(scratch, project, change)
        lay(scratch, project, seconds, change)
        before, known = took(project.command, scratch), len(list_runs(scratch))
        whole = took(scratch.words("verify", "--fresh"), scratch)
        runs, after = list_runs(scratch)[known:], took(project.command, scratch)
    # Before and after: a machine that grows busy meanwhile is busy for both.
    suite, cpu = (before.seconds + after.seconds) / 2, (before.cpu + after.cpu) / 2
    times, more = BUDGET
    within = whole.seconds <= times * suite + more
    row = f"{project.name:<12} {change:<17} {suite:>6.1f} s {whole.seconds:>7.1f} s {whole.seconds / suite:>6.2f} x"
    limit = f"{times:g} x" + (f" + {more:g} s" if more else "")
    late = "" if within else "  OVER"
    print(f"{row}  {limit:<11} {whole.cpu / cpu:>6.2f} x {len(runs):>4}{late}  {whole.said.splitlines()[0]}", flush=True)  # fmt: skip
    if tell:
        print("".join(f"{'':>14}{one}\n" for one in runs), end="")
    return within


def list_runs(scratch):
    """What ran, where, how long, and which tests it was asked for."""
    told = json.loads(took(scratch.words("evidence", "list", "--json"), scratch).said)
    return [
        f"{one['run']['seconds']:>6.2f} s  {one['run']['on']:<10} {' '.join(one['run']['argv'])}"
        for one in sorted(told["data"]["receipts"], key=lambda one: one["id"])
    ]


def verdicts(chosen, suites, *, runs):
    print(f"\n{'a verdict':<30} {'suite':>8} {'verdict':>9} {'ratio':>8}  {'budget':<11} {'cpu':>8} runs")
    kept = True
    for project in PROJECTS:
        if chosen and project.name not in chosen:
            continue
        if shutil.which(project.program) is None:
            print(f"{project.name:<12} not run: {project.program} is not installed")
            continue
        for change in CHANGES:
            # A minute is measured once for each runner, with the change that takes the most runs.
            for seconds in suites if change == "a fix and a test" else suites[:2]:
                kept = judge(project, seconds, change, tell=runs) and kept
    return kept


def answers():
    with Scratch() as scratch:
        prepare(scratch)
        measured = calls(scratch)
        measure(measured, scratch.environ, scratch.place, rounds=ROUNDS)
    kept = report(f"Verification, {FILES} files", measured, measured[0])
    over = overhead(measured)
    late = "" if over <= OVERHEAD else "  OVER"
    print(f"\nverify adds {over * 1e3:.0f} ms to the command, budget {OVERHEAD * 1e3:.0f} ms{late}")
    return kept and over <= OVERHEAD


def make_many_files(scratch):
    for number in range(MANY):
        folder = f"{scratch.place}/part{number // 1000}/m{number // 50 % 20}"
        os.makedirs(folder, exist_ok=True)
        text = f"# {number}\n"
        scratch.write(f"{folder}/f{number}.{'py' if number % 2 else 'txt'}", text)


class Stops:
    """Sessions of a client in a checkout: each of their events is the real hook."""

    def __init__(self, scratch):
        self._scratch = scratch
        self._number = 0

    def begin(self):
        """A session that is on; its base was compared before, as at any later stop of it."""
        self._number += 1
        self.environ = {**self._scratch.environ, "CLAUDE_CODE_SESSION_ID": f"stops-{self._number}"}
        self.send("UserPromptSubmit", prompt="ulw make the total right")

    def send(self, event, **data):
        """The processor time of one event."""
        given = {
            "session_id": self.environ["CLAUDE_CODE_SESSION_ID"], "cwd": self._scratch.place, "prompt_id": "p1",
            "permission_mode": "bypassPermissions", "hook_event_name": event, "transcript_path": "", **data,
        }  # fmt: skip
        path = self._scratch.write(f"{self._scratch.root}/event.json", json.dumps(given))
        words = ["/bin/sh", f"{PLUGIN}/bin/ultrawork-hook", event]
        call = Call(event, words, given=path, environ=self.environ)
        return spent(call, self._scratch.environ, self._scratch.place)[1]

    def stop(self):
        return self.send("Stop", stop_hook_active=False)

    def verify(self):
        call = Call("verify", self._scratch.words("verify"), environ=self.environ)
        return spent(call, self._scratch.environ, self._scratch.place)[1]


def many():
    """A verdict in a large checkout: the first one with its copies, later ones, and stops at which nothing runs."""
    with Scratch() as scratch:
        make_many_files(scratch)
        lay(scratch, PROJECTS[1], 0, "a fix")
        status = Call("git status", [shutil.which("git"), "status", "-s"])
        verify = Call("verify", scratch.words("verify"))
        stops = Stops(scratch)
        rows = [
            ("git status", 0, lambda: median(_use(scratch, status) for _ in range(5))),
            ("the suite", 0, lambda: took(PROJECTS[1].command, scratch).cpu),
            ("the first verdict", 0, lambda: _use(scratch, verify)),
            ("nothing changed", 2, lambda: _use(scratch, verify)),
            *[("a later verdict", 3, lambda: _tidy(scratch) or _use(scratch, verify))] * 3,
            ("a session's start", 0, stops.begin),
            ("its first verdict", 0, lambda: _tidy(scratch) or stops.verify()),
            ("its stop, by receipts", 2, stops.stop),
            ("a stop, nothing is on", 2, stops.stop),
            ("another session", 0, stops.begin),
            ("its stop, with a run", 0, stops.stop),
            ("again, without one", 2, stops.stop),
        ]
        floor = 0.0
        for name, times, run in rows:
            cpu = run() or 0.0
            floor = floor or cpu
            limit = f"{times} x asked, beside the suite" if times else ""
            told = f"{cpu:>6.2f} s of processor {cpu / floor:>6.1f} x  {limit}" if cpu else ""
            print(f"{name:<22} {told}", flush=True)


def _use(scratch, call):
    return spent(call, scratch.environ, scratch.place)[1]


def _tidy(scratch):
    """The same code in other words, different each time."""
    _, code = PROJECTS[1].code
    text = code.format(PROJECTS[1].returns[2]) + f"# {monotonic()}\n"
    scratch.write(f"{scratch.place}/shop.py", text)


def read_words():
    told = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [project.name for project in PROJECTS]
    told.add_argument("runners", nargs="*", metavar="runner", help=f"any of: {', '.join(names)}")
    told.add_argument("--short", action="store_true", help="leave out the suite of a minute")
    told.add_argument("--runs", action="store_true", help="tell each run of a verdict")
    told.add_argument("--many", action="store_true", help=f"a checkout of {MANY:,} files instead")
    words = told.parse_args()
    if unknown := [name for name in words.runners if name not in names]:
        told.error(f"no such runner: {', '.join(unknown)}")
    return words


def main():
    words = read_words()
    if words.many:
        many()
        return 0
    kept = bool(words.runners) or answers()
    suites = SUITES[:-1] if words.short else SUITES
    return 0 if verdicts(words.runners, suites, runs=words.runs) and kept else 1


if __name__ == "__main__":
    sys.exit(main())
