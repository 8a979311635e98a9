"""
A swarm's list: claims a second, beside a bare insert into SQLite in the same run.

A claim is one transaction: whoever is gone is looked for, the next task chosen, its lease written. The
bare insert is the least that a durable row can cost here: the same settings, one row, one transaction.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
from time import perf_counter, time

from common import PLUGIN

sys.path.insert(0, f"{PLUGIN}/src")

from ultrawork.features.swarm.store.board import Board
from ultrawork.features.swarm.store.worker import make_worker
from ultrawork.features.swarm.values.tasks import parse_swarm_task
from ultrawork.store.omc.folder import Omc

ROUNDS = 20
BATCH = 100
PROCESSES = 16
EACH = 500


class Bare:
    """The least that a row can cost here."""

    def __init__(self, folder):
        self.database = sqlite3.connect(f"{folder}/bare.db", isolation_level=None, timeout=60)
        self.database.execute("PRAGMA journal_mode=WAL")
        self.database.execute("PRAGMA synchronous=NORMAL")
        self.database.execute("CREATE TABLE rows (a INTEGER PRIMARY KEY, b TEXT)")

    def insert(self):
        self.database.execute("BEGIN IMMEDIATE")
        self.database.execute("INSERT INTO rows (b) VALUES ('a row')")
        self.database.execute("COMMIT")


def timed(act):
    began = perf_counter()
    found = act()
    return perf_counter() - began, found


def alone(folder):
    """Batches in turn, so that a busy moment of the machine hits all of them; seconds for each kind."""
    bare = Bare(folder)
    board = Board(Omc(folder), create=True)
    board.add([parse_swarm_task({"subject": "x"}) for _ in range(ROUNDS * BATCH)], time())
    me = make_worker("bench", pid=os.getpid())
    spent = {"bare insert": 0.0, "claim": 0.0, "done": 0.0}
    for _ in range(ROUNDS):
        for _ in range(BATCH):
            spent["bare insert"] += timed(bare.insert)[0]
        for _ in range(BATCH):
            took, found = timed(lambda: board.claim(me, time()))
            spent["claim"] += took
            spent["done"] += timed(lambda one=found: board.done(one.id, one.token, time()))[0]
    bare.database.close()
    board.close()
    return spent


def work(folder, name, count):
    """One of many processes: it claims, and says that it is done."""
    board = Board(Omc(folder))
    me = make_worker(name, pid=os.getpid())
    for _ in range(int(count)):
        found = board.claim(me, time())
        board.done(found.id, found.token, time())


def together(folder):
    board = Board(Omc(folder), create=True)
    board.add([parse_swarm_task({"subject": "x"}) for _ in range(PROCESSES * EACH)], time())
    began = perf_counter()
    running = [
        subprocess.Popen([sys.executable, __file__, folder, f"s{number}", str(EACH)]) for number in range(PROCESSES)
    ]
    failed = sum(one.wait() != 0 for one in running)
    took = perf_counter() - began
    owners = board.database.value("SELECT count(DISTINCT task) FROM history WHERE what = 'done'")
    board.close()
    if failed or owners != PROCESSES * EACH:
        sys.exit(f"{failed} processes failed, {owners} of {PROCESSES * EACH} tasks are done")
    return took


def main():
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        places = [f"{folder}/alone", f"{folder}/together"]
        for place in places:
            os.makedirs(place)
        spent = alone(places[0])
        rows = [(f"{name}, one process", ROUNDS * BATCH, took) for name, took in spent.items()]
        rows.append((f"claim and done, {PROCESSES} processes", PROCESSES * EACH, together(places[1])))
    floor = rows[0][1] / rows[0][2]
    print(f"\nA swarm's list; {PROCESSES} processes x {EACH} tasks, none done twice, none lost\n")
    print(f"{'what':<34} {'a second':>9} {'ms each':>8} {'x insert':>9}")
    for name, count, took in rows:
        rate = count / took
        print(f"{name:<34} {rate:9.0f} {took / count * 1e3:8.2f} {floor / rate:9.1f}")
    return 0


if __name__ == "__main__":
    if sys.argv[1:]:
        work(*sys.argv[1:])
        sys.exit(0)
    sys.exit(main())
