"""
Workers, the server, the remote, the network and the coordinator fail at random moments, each many times in one plan.

What really ran is read from the log that agents keep themselves: nothing lost, nothing recorded twice, nothing that
succeeded run again, nothing beside itself.
"""

import os
import random
import shutil
import signal
import time

import pytest

from support import drill
from support.cluster import NotInstalled, require_packages
from support.cluster_drill import HurtCluster, WrongClock
from ultrawork.core.plan import task
from ultrawork.store import attempts, tasks
from ultrawork.store.database import find_broken_links

pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(not shutil.which("flock"), reason="agents show with flock that they are alone"),
]
FAULTS = 20
WIDTH = 6
TASKS = 160  # so that there is time for all faults
DEADLINE = 900.0


@pytest.fixture
def hurt(tmp_path):
    try:
        require_packages()
    except NotInstalled as error:
        pytest.skip(str(error))
    hurt = HurtCluster(str(tmp_path))
    yield hurt
    hurt.close()


def kill_worker(hurt, dice):
    worker = dice.choice(hurt.workers)
    worker.end(signal.SIGKILL)
    time.sleep(dice.uniform(0.0, 2.0))
    worker.start().wait_ready()


def end_worker(hurt, dice):
    worker = dice.choice(hurt.workers)
    worker.end(signal.SIGTERM)
    worker.start().wait_ready()


def restart_server(hurt, dice):
    hurt.server.kill()
    time.sleep(dice.uniform(0.0, 0.5))
    hurt.server.start()


def hide_remote(hurt, dice):
    os.rename(hurt.remote, f"{hurt.remote}.away")
    time.sleep(dice.uniform(0.2, 3.0))
    os.rename(f"{hurt.remote}.away", hurt.remote)


def cut_network(hurt, dice):
    hurt.cut.cut()
    time.sleep(dice.uniform(0.5, 8.0))
    hurt.cut.mend()


def fill_disk(hurt, dice):
    """Of one machine, to the last byte, for a while."""
    hurt.fill(hurt.workers[1])
    time.sleep(dice.uniform(0.5, 4.0))
    hurt.empty(hurt.workers[1])


def kill_coordinator(hurt, dice):
    hurt.engine.send_signal(signal.SIGKILL)
    hurt.engine.wait()
    time.sleep(dice.uniform(0.0, 1.0))
    hurt.engine = hurt.start_engine(WIDTH)


def set_clock(hurt, dice):
    """Of a machine or of the coordinator, five minutes forward or back, or right again."""
    dice.choice(hurt.clocks).set(dice.choice((-300, 0, 300)))


def give_clocks(hurt):
    """To one machine and the coordinator; False where time cannot be faked."""
    if not shutil.which("gcc"):
        return False
    hurt.clocks = [WrongClock(hurt.root, f"clock{n}") for n in range(2)]
    hurt.workers[1].environ |= hurt.clocks[0].environ
    hurt.engine_environ |= hurt.clocks[1].environ
    return True


HURTS = {
    "worker -9": kill_worker,
    "worker SIGTERM": end_worker,
    "server restarted": restart_server,
    "remote gone": hide_remote,
    "network cut": cut_network,
    "disk full": fill_disk,
    "coordinator -9": kill_coordinator,
    "clock off": set_clock,
}


def strike(hurt, dice, do):
    """How many faults there was time for."""
    for count in range(FAULTS):
        end = time.monotonic() + dice.uniform(0.5, 3.0)
        while time.monotonic() < end:
            if hurt.engine.poll() is not None:
                return count
            time.sleep(0.05)
        do(hurt, dice)
    return FAULTS


@pytest.mark.parametrize("kind", HURTS)
def test_a_plan_comes_to_its_end_whatever_fails(hurt, kind):
    dice = random.Random(kind)
    plan = drill.make_plan(9, TASKS, least=0.5, most=6.0)
    if kind == "disk full" and not hurt.give_disk(hurt.workers[1]):
        pytest.skip("not run: a small disk cannot be mounted here")
    if kind == "clock off" and not give_clocks(hurt):
        pytest.skip("not run: no gcc here to make a wrong clock")
    hurt.prepare(plan)
    hurt.engine = hurt.start_engine(WIDTH)
    faults = strike(hurt, dice, HURTS[kind])
    assert hurt.engine.wait(DEADLINE) == 0
    store, witness = drill.open_store(hurt.root), drill.Witness(hurt.root)
    done = {one.status for one in tasks.list_all(store.database, drill.SESSION)}
    rows = attempts.list_all(store.database, drill.SESSION)
    lost = sum(row.state == attempts.LOST for row in rows)
    print(f"{kind}: {faults} faults, {witness.runs} agents, {lost} attempts lost, {len(witness.reruns)} run again")
    assert faults == FAULTS, "the plan was over before all of them"
    assert done == {task.RESOLVED}
    assert witness.succeeded == set(plan)
    assert witness.overlaps == []
    ended = [row.subject for row in rows if row.status == task.RESOLVED]
    assert sorted(ended) == sorted(plan), "each is recorded once"
    assert find_broken_links(store.database, drill.SESSION) == []
    if kind not in ("worker -9", "network cut"):
        assert witness.reruns == [], "nobody lost a machine"


def test_a_machine_whose_clock_is_wrong_is_refused(hurt):
    if not shutil.which("gcc"):
        pytest.skip("not run: no gcc here to make a wrong clock")
    clock = WrongClock(hurt.root, "clock")
    clock.set(300)
    worker = hurt.workers[1]
    worker.environ |= clock.environ
    worker.start()
    assert worker.wait() != 0
    assert "this machine's clock differs from Temporal's by 300 s; correct it" in worker.said
