"""The list of a swarm's tasks: who may have what, what a lease is worth, what survives whom."""

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from support.effort import amount
from support.floor import REPOSITORY
from ultrawork.core.errors import Conflict, NotFound, Trouble, UsageError
from ultrawork.features.swarm.store import worker as swarm_worker
from ultrawork.features.swarm.store.board import STOPPED, Board
from ultrawork.features.swarm.store.database import SCHEMA
from ultrawork.features.swarm.store.worker import SwarmWorker, make_worker
from ultrawork.features.swarm.values import tasks as rules
from ultrawork.features.swarm.values.tasks import CLAIMED, DONE, FAILED, OPEN, parse_swarm_task
from ultrawork.store.omc.folder import Omc

NOW = 1_000_000.0


@pytest.fixture
def omc(tmp_path):
    return Omc(str(tmp_path))


@pytest.fixture
def board(omc):
    board = Board(omc, create=True)
    yield board
    board.close()


def worker(name="w1", **more):
    return SwarmWorker(name, session=name, **more)


def fill(board, *tasks):
    return board.add(
        [parse_swarm_task(one if isinstance(one, dict) else {"id": one, "subject": one}) for one in tasks], NOW
    )


def claimed(board, name="w1", now=NOW):
    found = board.claim(worker(name), now)
    return found.id if found else None


def test_tasks_come_by_priority_then_in_their_order(board):
    fill(board, "a", {"id": "b", "subject": "b", "priority": 5}, "c")
    assert [claimed(board, f"w{n}") for n in range(4)] == ["b", "a", "c", None]


def test_tasks_without_an_id_get_the_next_free_number(board):
    fill(board, {"subject": "x"}, {"id": "3", "subject": "y"}, {"subject": "z"}, {"subject": "u"})
    assert [one.id for one in board.tasks()] == ["1", "3", "2", "4"]


def test_a_task_waits_for_those_it_needs(board):
    fill(board, "a", {"id": "b", "subject": "b", "needs": ["a"]})
    first = board.claim(worker(), NOW)
    assert claimed(board, "w2") is None
    board.done("a", first.token, NOW)
    assert claimed(board, "w2") == "b"


def test_needs_may_name_a_later_task_of_the_same_list(board):
    fill(board, {"id": "b", "subject": "b", "needs": ["a"]}, "a")
    assert claimed(board) == "a"


@pytest.mark.parametrize(
    ("tasks", "words"),
    [
        (["a", {"id": "b", "subject": "b", "needs": ["c"]}], "task b needs c, which does not exist"),
        ([{"id": "a", "subject": "a", "needs": ["a"]}], "in a circle: a; remove one of these needs"),
        (["a", "a"], "the same id"),
        ([{"id": "a", "subject": " "}], "needs a subject"),
        ([{"id": "a", "subject": "a", "files": ["../b"]}], "not a path in the worktree"),
        ([{"id": "a", "subject": "a", "files": ["/etc/x"]}], "not a path in the worktree"),
        ([{"id": "a", "subject": "a", "priority": True}], "whole number"),
        ([{"id": "a", "subject": "a", "owner": "me"}], 'unknown key "owner"'),
    ],
)
def test_a_list_that_cannot_stand_adds_nothing(board, tasks, words):
    with pytest.raises(UsageError, match=words):
        fill(board, *tasks)
    assert board.tasks() == []


def test_an_id_is_given_once(board):
    fill(board, "a")
    with pytest.raises(Conflict, match="task a already exists"):
        fill(board, "b", "a")
    assert [one.id for one in board.tasks()] == ["a"]


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("src/a.py", "src/a.py", False),
        ("src", "src/a.py", False),
        ("src/a.py", "./src//", False),
        ("src/a", "src/a.py", True),
        ("a.py", "b.py", True),
    ],
)
def test_two_running_tasks_never_own_the_same_file(board, first, second, together):
    fill(board, {"id": "a", "subject": "a", "files": [first]}, {"id": "b", "subject": "b", "files": [second]})
    held = board.claim(worker(), NOW)
    assert claimed(board, "w2") == ("b" if together else None)
    board.done("a", held.token, NOW)
    assert together or claimed(board, "w2") == "b"


def test_a_late_writer_is_refused_and_changes_nothing(board):
    fill(board, "a")
    late = board.claim(worker("late"), NOW, lease=10)
    assert claimed(board, "w2", NOW + 11) == "a"
    for step in (board.done, lambda *given: board.fail(*given[:2], "no", NOW)):
        with pytest.raises(Conflict, match=r"lease 1 of task a has expired: it was claimed again \(lease 2\)"):
            step("a", late.token, NOW + 12)
    assert (board.task("a").status, board.task("a").owner) == (CLAIMED, "w2")


def test_a_task_is_done_once(board):
    fill(board, "a")
    lease = board.claim(worker(), NOW).token
    board.done("a", lease, NOW)
    with pytest.raises(Conflict, match="lease 1 of task a has expired: it is done"):
        board.done("a", lease, NOW)
    assert [one["what"] for one in board.history()] == ["added", "claimed", "done"]


def test_a_beating_heart_keeps_the_lease(board):
    fill(board, "a")
    board.claim(worker(), NOW, lease=10)
    assert board.beat("w1", NOW + 9, lease=10) == 1
    assert claimed(board, "w2", NOW + 15) is None
    assert claimed(board, "w2", NOW + 20) == "a"
    assert board.beat("w1", NOW + 21) == 0


def test_a_task_that_fails_comes_last_and_is_given_up_after_five(board):
    fill(board, "a", "b")
    order = []
    for _ in range(rules.MOST_TRIES):
        found = board.claim(worker(), NOW)
        order.append(found.id)
        board.fail(found.id, found.token, "red", NOW)
    assert order == ["a", "b", "a", "b", "a"]
    while (found := board.claim(worker(), NOW)) is not None:
        board.fail(found.id, found.token, "still red", NOW)
    assert [(one.status, one.tries, one.reason) for one in board.tasks()] == [(FAILED, 5, "still red")] * 2


def test_what_waits_for_a_failed_task_is_counted_as_stuck(board):
    needs_a = {"id": "b", "subject": "b", "needs": ["a"]}
    needs_b = {"id": "c", "subject": "c", "needs": ["b"]}
    fill(board, {"id": "a", "subject": "a", "priority": 1}, needs_a, needs_b, "d")
    for _ in range(rules.MOST_TRIES):
        board.fail("a", board.claim(worker(), NOW).token, "no", NOW)
    counts = board.counts()
    assert (counts["failed"], counts["open"], counts["stuck"], counts["ready"]) == (1, 3, 2, 1)


def test_the_lease_of_a_dead_process_is_taken_back_at_once(board):
    fill(board, "a")
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    board.claim(make_worker("s1", pid=child.pid), NOW)
    assert claimed(board, "w2") is None
    child.kill()
    child.wait()
    child.stdin.close()
    assert claimed(board, "w2") == "a"
    assert [one["note"] for one in board.history() if one["what"] == "reclaimed"] == ["its worker ended"]


def test_another_process_with_the_same_number_is_not_the_worker(board):
    fill(board, "a")
    board.claim(SwarmWorker("w1", pid=os.getpid(), began="1"), NOW)
    assert claimed(board, "w2") == "a"


def test_of_another_machine_only_the_clock_tells(board):
    fill(board, "a")
    board.claim(SwarmWorker("w1", host="elsewhere/1@2", pid=2**22 + 1, began="1"), NOW, lease=10)
    assert claimed(board, "w2", NOW + 9) is None
    assert claimed(board, "w2", NOW + 11) == "a"


def test_after_a_restart_of_the_machine_nobody_of_before_lives():
    place = swarm_worker.describe_machine().rpartition("@")[0]
    assert SwarmWorker("w", host=f"{place}@before", pid=os.getpid()).is_gone
    assert not SwarmWorker("w", pid=os.getpid()).is_gone


def test_a_session_that_ends_gives_back_what_it_and_its_agents_held(board):
    fill(board, "a", "b", "c")
    board.claim(make_worker("s1"), NOW)
    board.claim(make_worker("s1", agent="x"), NOW)
    board.claim(make_worker("s2"), NOW)
    assert board.give_back("s1", NOW) == ["a", "b"]
    assert [(one.status, one.tries) for one in board.tasks()] == [(OPEN, 0), (OPEN, 0), (CLAIMED, 0)]


def test_an_agent_that_ends_gives_back_its_own_alone(board):
    fill(board, "a", "b")
    board.claim(make_worker("s1"), NOW)
    board.claim(make_worker("s1", agent="x"), NOW)
    assert board.give_back("s1", NOW, agent="x") == ["b"]


def test_a_stopped_swarm_hands_out_nothing_and_takes_what_was_begun(board):
    fill(board, "a", "b")
    lease = board.claim(worker(), NOW).token
    board.put(state=STOPPED)
    assert claimed(board, "w2") is None
    assert board.done("a", lease, NOW).status == DONE


def test_clearing_forgets_every_task(board):
    fill(board, "a", {"id": "b", "subject": "b", "needs": ["a"], "files": ["x"]})
    assert board.clear() == 2
    assert (board.tasks(), board.history(), board.workers()) == ([], [], [])


def test_without_a_database_one_sentence_says_how_to_begin(omc):
    with pytest.raises(NotFound, match="there is no swarm here; start one: ultrawork swarm start"):
        Board(omc)
    assert not os.path.exists(omc.root)


def state_file(omc):
    os.makedirs(f"{omc.root}/state")
    return f"{omc.root}/state/swarm-state.db"


def test_what_is_no_database_is_told_and_left_alone(omc):
    path = state_file(omc)
    with open(path, "wb") as file:
        file.write(b"this is not a database\n" * 100)
    with pytest.raises(Trouble, match=r"is not a database\. Move it away, then run: ultrawork swarm start"):
        Board(omc, create=True)
    with open(path, "rb") as file:
        assert file.read().startswith(b"this is not")


def test_a_damaged_database_is_told_in_one_sentence(omc):
    board = Board(omc, create=True)
    fill(board, *[{"id": f"t{n}", "subject": "x" * 150, "description": "y" * 900} for n in range(200)])
    board.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    board.close()
    path = f"{omc.root}/state/swarm-state.db"
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(random.Random(7).randbytes(size - 8192))
    with pytest.raises(Trouble, match=r"swarm-state\.db (is damaged|lacks a part)"):
        Board(omc).tasks()


@pytest.mark.parametrize("left", [0, 1, 60, 100, 1000, 4096, 20_000])
def test_a_database_that_was_cut_off_is_refused_and_left_as_it_is(omc, left):
    board = Board(omc, create=True)
    fill(board, *[{"id": f"t{n}", "subject": "x", "description": "y" * 900} for n in range(50)])
    board.close()
    path = f"{omc.root}/state/swarm-state.db"
    os.truncate(path, left)
    with open(path, "rb") as file:
        before = file.read()
    for create in (False, True):
        with pytest.raises(Trouble, match=r"swarm-state\.db is damaged\. Move it away, then"):
            Board(omc, create=create).counts()
    with open(path, "rb") as file:
        assert file.read() == before


def test_a_database_without_any_table_has_lost_its_log_and_is_refused(omc):
    path = state_file(omc)
    emptied = sqlite3.connect(path)
    emptied.execute("PRAGMA journal_mode=WAL")
    emptied.close()
    assert os.path.getsize(path)
    for create in (False, True):
        with pytest.raises(Trouble, match=r"swarm-state\.db is damaged\. Move it away, then"):
            Board(omc, create=create)


def test_a_database_whose_log_was_removed_is_refused_while_tasks_were_only_there(omc, board):
    fill(board, "a")
    os.unlink(f"{omc.root}/state/swarm-state.db-wal")
    for create in (False, True):
        with pytest.raises(Trouble, match=r"swarm-state\.db is damaged\. Move it away, then"):
            Board(omc, create=create)


def test_a_new_list_takes_nothing_over_from_the_log_of_one_that_is_gone(omc):
    board = Board(omc, create=True)
    fill(board, "a")
    os.unlink(f"{omc.root}/state/swarm-state.db")
    new = Board(omc, create=True)
    assert new.tasks() == []
    fill(new, "b")
    assert [one.id for one in new.tasks()] == ["b"]
    new.close()
    board.close()


def test_what_was_left_by_one_that_died_while_it_made_the_list_is_in_nobodys_way(omc):
    with open(state_file(omc) + ".new", "wb") as file:
        file.write(b"half of it")
    board = Board(omc, create=True)
    assert board.tasks() == []
    board.close()
    assert sorted(os.listdir(f"{omc.root}/state")) == ["swarm-state.db"]


@pytest.mark.parametrize(
    ("version", "table", "words"),
    [
        (99, "tasks", r"written by a newer ultrawork \(schema 99, this one knows 1\)"),
        (0, "agents", r"not a known task list \(schema 0\). Move it away"),
    ],
)
def test_a_database_of_another_version_is_refused_and_left_alone(omc, version, table, words):
    path = state_file(omc)
    other = sqlite3.connect(path)
    other.execute(f"CREATE TABLE {table} (id TEXT)")
    other.execute(f"PRAGMA user_version={version}")
    other.commit()
    other.close()
    with pytest.raises(Trouble, match=words):
        Board(omc, create=True)
    other = sqlite3.connect(path)
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [(table,)]
    other.close()


def test_a_database_that_lacks_a_table_is_told_in_one_sentence(omc, board):
    board.database.rows("DROP TABLE needs")
    with pytest.raises(Trouble, match=r"is incomplete \(no such table: needs\)"):
        board.counts()


def test_a_link_that_leads_out_of_the_worktree_is_refused(omc, tmp_path_factory):
    os.makedirs(omc.root)
    os.symlink(tmp_path_factory.mktemp("outside"), f"{omc.root}/state")
    with pytest.raises(Trouble, match="points outside the worktree"):
        Board(omc, create=True)


@pytest.mark.slow
def test_random_steps_never_hand_out_what_they_must_not(tmp_path):
    """The rules once more, in plain Python, beside the statement that claims."""
    for seed in range(25):
        rng = random.Random(seed)
        board = Board(Omc(str(tmp_path / f"{seed}")), create=True)
        names = [f"t{n}" for n in range(rng.randint(1, 12))]
        fill(board, *[_random_task(rng, names, place) for place in range(len(names))])
        _walk(board, rng)
        board.close()


def _random_task(rng, names, place):
    needs = rng.sample(names[:place], rng.randint(0, min(2, place)))
    files = rng.sample(["a", "a/b", "a/b/c", "d", "d/e"], rng.randint(0, 2))
    return {"id": names[place], "subject": "x", "needs": needs, "files": files, "priority": rng.randint(0, 2)}


def _walk(board, rng):
    """Every event that can meet a list of tasks, in any order, until nothing moves: within its bound."""
    leases, now, claims = [], NOW, 0
    most = rules.MOST_TRIES * len(board.tasks())
    for _ in range(5000):
        now += rng.choice((1.0, 1.0, 400.0))
        before = {one.id: one for one in board.tasks()}
        found = board.claim(worker(rng.choice("xyz")), now)
        running = [one for one in board.tasks() if one.status == CLAIMED]
        _hold(running)
        if found is not None:
            claims += 1
            leases.append((found.id, found.token))
            assert all(board.task(need).status == DONE for need in found.needs)
            assert before[found.id].status in (OPEN, CLAIMED)
        elif not running:
            break
        for lease in rng.sample(leases, rng.randint(0, min(2, len(leases)))):
            _settle(board, lease, rng, now)
    counts = board.counts()
    assert (counts["claimed"], counts["ready"]) == (0, 0)
    assert counts["open"] == counts["stuck"]
    assert claims <= most
    done = [one["task"] for one in board.history() if one["what"] == "done"]
    assert len(done) == len(set(done)) == counts["done"]


def _hold(running):
    pairs = [(one, other) for one in running for other in running if one.number < other.number]
    assert not any(_has_overlap(a, b) for one, other in pairs for a in one.files for b in other.files)


def _has_overlap(one, other):
    """The same file, or a folder and something in it."""
    return one == other or one.startswith(other + "/") or other.startswith(one + "/")


def _settle(board, lease, rng, now):
    holds = (board.task(lease[0]).status, board.task(lease[0]).token) == (CLAIMED, lease[1])
    try:
        board.done(*lease, now) if rng.random() < 0.5 else board.fail(*lease, "red", now)
    except Conflict:
        assert not holds
    else:
        assert holds


CLAIMER = """
import os, sys, time
from ultrawork.store.omc.folder import Omc
from ultrawork.features.swarm.store.board import Board
from ultrawork.features.swarm.store.worker import make_worker

place, name, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
board = Board(Omc(place), create=True, patience=300.0)
me = make_worker(name, pid=os.getpid())
for _ in range(most):
    task = board.claim(me, time.time())
    if task is None:
        break
    print(task.id, task.token, flush=True)
    board.done(task.id, task.token, time.time())
    print("done", task.id, flush=True)
"""


def start(place, name, most):
    command = [sys.executable, "-c", CLAIMER, str(place), name, str(most)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.slow
def test_sixteen_processes_claim_hundreds_each_and_none_twice_and_none_is_lost(board, tmp_path):
    processes, each = 16, amount(200, 500)
    board.add([parse_swarm_task({"subject": "x"}) for _ in range(processes * each)], NOW)
    running = [start(tmp_path, f"s{n}", each) for n in range(processes)]
    claimed_ids = [line.split()[0] for one in running for line in one.communicate(timeout=300)[0].splitlines()[::2]]
    assert [one.returncode for one in running] == [0] * processes
    assert len(claimed_ids) == len(set(claimed_ids)) == processes * each
    assert board.counts()["done"] == processes * each


def test_a_few_processes_that_begin_with_a_new_database_share_it(tmp_path):
    running = [start(tmp_path, f"s{n}", 1) for n in range(4)]
    for one in running:
        one.communicate(timeout=300)
    assert [one.returncode for one in running] == [0] * 4


def test_workers_killed_at_any_moment_lose_no_task_and_do_none_twice(board, tmp_path):
    """What was told as done is done; what was held by the dead is claimed by the next one."""
    rng = random.Random(11)
    board.add([parse_swarm_task({"subject": "x"}) for _ in range(120)], NOW)
    told = []
    for round_ in range(6):
        victim = start(tmp_path, f"v{round_}", 15)
        for _ in range(rng.randint(1, 12)):
            victim.stdout.readline()
        time.sleep(rng.random() / 50)
        os.kill(victim.pid, signal.SIGKILL)
        told += [line.split()[1] for line in victim.communicate()[0].splitlines() if line.startswith("done ")]
    last = start(tmp_path, "last", 120)
    last.communicate(timeout=300)
    assert last.returncode == 0
    assert board.counts()["done"] == 120
    assert all(board.task(name).status == DONE for name in told)
    tokens = [one["token"] for one in board.history() if one["what"] == "claimed"]
    back = [one for one in board.history() if one["what"] == "reclaimed"]
    assert len(tokens) == 120 + len(back)


def test_the_schema_in_the_documentation_is_the_one_in_use(board):
    with open(f"{REPOSITORY}/docs/reference/swarm.md", encoding="utf-8") as file:
        shown = file.read().partition("## The database")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in shown.splitlines() if line.startswith("| `")]
    documented = {
        table.strip("`"): set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)|:.*", "", columns))) for table, columns in rows
    }
    asked = "SELECT name FROM sqlite_master WHERE type = 'table'"
    in_use = {
        table: {name for (name,) in board.database.rows(f"SELECT name FROM pragma_table_info('{table}')")}
        for (table,) in board.database.rows(asked)
    }
    assert documented == in_use
    assert f"is the schema, now {SCHEMA}." in shown
    assert board.database.value("PRAGMA user_version") == SCHEMA
