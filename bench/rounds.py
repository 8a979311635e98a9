"""
Rounds over a set: the runs that were played longest ago come first, until the time is up.

Every driver of a set plays this way. Each row of its results keeps when and with which ultrawork it was played, and is
written as its run ends. So a call may be cut at any point, and repeated calls go round the whole set. A run that began
is finished, or not counted.
"""

import argparse
import fnmatch
import json
import math
import multiprocessing
import os
import random
import shlex
import subprocess
import sys
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass

from common import REPOSITORY

from support import clients

NEVER = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a set. `key` names it in the results, `words` is what --only may ask for, its driver plays `job`."""

    key: tuple[str, ...]
    job: object
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a row that name its run, and those that say how it ended."""

    key: tuple[str, ...]
    outcome: tuple[str, ...]

    def name(self, row):
        return tuple(row[field] for field in self.key)

    def describe_outcome(self, row):
        found = [row[field] if isinstance(row[field], str) else f"{'' if row[field] else 'not '}{field}" for field in self.outcome]  # fmt: skip
        return " ".join(filter(None, [*found, "sent back" if row["sent_back"] else ""]))


def parse(about, name, *flags):
    """The options that all drivers share. The time runs from here, so that it includes what a driver prepares."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=0, help="stop beginning runs after so many; 0 plays them all")
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="how many runs at a time")
    parser.add_argument("--sample", type=int, default=0, help="how many runs, drawn with --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="runs of that name; * stands for anything")  # fmt: skip
    parser.add_argument("--mirrors", default=f"{clients.tools_folder()}/mirrors", help="a folder of clones; missing ones are made")  # fmt: skip
    parser.add_argument("--json", default=f"{REPOSITORY}/bench/{name}.json", help="where the results are kept")
    parser.add_argument("--show", action="store_true", help="only print what the results hold")
    for flag in flags:
        parser.add_argument(flag, action="store_true")
    given = parser.parse_args()
    given.until = time.monotonic() + given.minutes * 60 if given.minutes else math.inf
    return given


def choose(runs, given):
    """The runs that --only and --sample leave, the same ones for the same seed."""
    if given.only:
        runs = [run for run in runs if any(fnmatch.filter((*run.key, *run.words), word) for word in given.only)]
    return random.Random(given.seed).sample(runs, min(given.sample, len(runs))) if given.sample else runs


def read_results(path):
    """A document with its rows; rows that do not say when they were played get the date and commit of the document."""
    if not os.path.exists(path):
        return {"played": []}
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    known = {"date": document.get("date"), "ultrawork": (document.get("versions") or {}).get("commit")}
    return {**document, "played": [{**known, **row} for row in document.get("played") or ()]}


class Results:
    """What a driver has played so far, in the order of its set; a run that left the set leaves the results."""

    def __init__(self, path, runs, fields, facts=None):
        self.path, self.fields, self.facts = path, fields, facts or {}
        self.rows = {run.key: [] for run in runs}
        for row in read_results(path)["played"]:
            self.rows.get(fields.name(row), []).append(row)
        self.code = read_code()
        self.repeated, self.first, self.changes = 0, 0, []

    @property
    def played(self):
        return [row for rows in self.rows.values() for row in rows]

    def find_date(self, key):
        return min((row["date"] for row in self.rows[key]), default=NEVER)

    def sort(self, runs):
        """Those that were never played, then the oldest ones."""
        return sorted(runs, key=lambda run: self.find_date(run.key))

    def keep(self, key, rows):
        """Replace the rows of a run, and write all of them."""
        before = {row.get("variant", ""): self.fields.describe_outcome(row) for row in self.rows[key]}
        for row in rows:
            variant, now = row.get("variant", ""), self.fields.describe_outcome(row)
            if before.get(variant, now) != now:
                self.changes.append((" ".join(filter(None, [*key, variant])), before[variant], now))
        stamp = {"date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "ultrawork": self.code}
        self.repeated, self.first = self.repeated + 1, self.first + (not before)
        self.rows[key] = [{**row, **stamp} for row in rows]
        self.write()

    def write(self):
        os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
        with open(f"{self.path}.part", "w", encoding="utf-8") as file:
            json.dump({**describe_run(), **self.facts, "played": self.played}, file, indent=1, ensure_ascii=False)
            file.write("\n")
        os.replace(f"{self.path}.part", self.path)

    def report(self):
        """How far this round came, what changed, and how old the oldest row is."""
        name = os.path.basename(self.path).partition(".")[0]
        told = f"{self.repeated} of {len(self.rows)} runs played now"
        told += f" ({self.first} for the first time)" if self.first else ""
        lines = [f"{name}: {told}, {len(self.changes)} changed their outcome"]
        lines += [f"  {run}: {before} -> {now}" for run, before, now in self.changes]
        left = sum(not rows for rows in self.rows.values())
        lines += [f"  never played: {left}"] if left else []
        if self.played:
            oldest = min(self.played, key=lambda row: row["date"])
            lines.append(f"  the oldest row is of {oldest['date'][:10]}, with {oldest['ultrawork']}")
        return "\n".join(lines)


def read_code():
    """The last commit that changed the plugin: benchmarks and pages may change without another verdict."""
    asked = ["git", "-C", REPOSITORY, "log", "-1", "--abbrev=8", "--format=%h", "--", "plugin"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()


def describe_run():
    """When a set was last played, with which versions and by which command: without these a result is no figure."""
    from ultrawork.store.paths import read_version

    versions = {"ultrawork": read_version(), "python": sys.version.split()[0]}
    script = os.path.relpath(os.path.abspath(sys.argv[0]), REPOSITORY)
    return {"date": time.strftime("%Y-%m-%d", time.gmtime()), "versions": versions, "command": f"python {shlex.quote(script)}"}  # fmt: skip


def play_round(runs, play, results, given):
    """Play what is chosen of these runs, on every core; answers all rows."""
    facts = {"sample": given.sample, "seed": given.seed} if given.sample else {}
    results.facts |= facts
    # Processes of their own: hooks count their time with a signal, which only a main thread gets.
    with ProcessPoolExecutor(given.workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        try:
            repeat_oldest(choose(runs, given), play, results, pool, workers=given.workers, until=given.until)
        except KeyboardInterrupt:
            print("cut: runs that did not end are not counted", file=sys.stderr)
    return results.played


def repeat_oldest(runs, play, results, pool, *, workers, until, clock=time.monotonic):
    """Begin runs until the time is up, keep each one as it ends; `play` answers its rows, none if it cannot be played."""
    queue, running, ended = deque(results.sort(runs)), {}, 0
    while True:
        while queue and len(running) < workers and clock() < until:
            run = queue.popleft()
            running[pool.submit(play, run.job)] = run
        if not running:
            return
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            ended += 1
            keep_ended(running.pop(future), future, results, f"{ended}/{len(runs)}")


def keep_ended(run, future, results, number):
    """Keep a run, and say so in one line; one that broke off is no result, and the others go on."""
    problem = future.exception()
    if isinstance(problem, KeyboardInterrupt):
        raise problem
    rows = future.result() if problem is None else []
    if rows:
        results.keep(run.key, rows)
    ends = "; ".join(" ".join(filter(None, [row.get("variant", ""), results.fields.describe_outcome(row)])) for row in rows)  # fmt: skip
    print(f"{number:9} {' '.join(run.key)}: {ends or f'not played: {problem}'}", file=sys.stderr, flush=True)
