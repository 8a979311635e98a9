"""An engine to kill: a seeded plan whose agents keep their own log.

Each agent writes a line at its start and one at its end to `witness`, and holds a lock while it or any child lives.
What really ran is counted there, without trusting the engine."""

import os
import random
import sys
import time

from ultrawork.core.plan.schedule import Schedule
from ultrawork.engine.agents.local.executor import LocalExecutor
from ultrawork.engine.contract import DONE, RunLimits
from ultrawork.engine.loop.scheduler import Scheduler
from ultrawork.engine.run import EngineLock
from ultrawork.store import tasks
from ultrawork.store.codec import dumps, loads
from ultrawork.store.deferred_store import DeferredStore
from ultrawork.store.paths import Home

from .commands import Commands, begin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ultrawork.engine.agents.executor import Executor
    from ultrawork.engine.contract import Claim

    # Task → its needs, how long each try takes and how it ends.
    Plan = dict[str, dict[str, Any]]

SESSION = "drill"
TRIES = 3
AGENT = """
exec 9>lock.{name}
flock -n 9 || echo overlap {name} >> witness
echo start {name} >> witness
sleep {seconds}
echo end {name} {code} >> witness
exit {code}
"""


def make_plan(seed: int, count: int, *, least: float, most: float, failing: float = 0.15) -> "Plan":
    """A random graph; some first and second tries fail, no third one does."""
    dice = random.Random(seed)
    plan: Plan = {}
    for number in range(count):
        near = [f"t{other}" for other in range(max(0, number - 15), number)]
        needs = dice.sample(near, min(len(near), dice.choice((0, 1, 1, 2, 2, 3))))
        tries = [(round(dice.uniform(least, most), 3), int(dice.random() < failing)) for _ in range(TRIES - 1)]
        plan[f"t{number}"] = {"needs": needs, "tries": [*tries, (least, 0)]}
    return plan


def needed_runs(plan: "Plan") -> int:
    """How many agents it takes when nothing is run in vain."""
    return sum([code for _, code in task["tries"]].index(0) + 1 for task in plan.values())


def prepare(root: str, plan: "Plan") -> None:
    os.makedirs(f"{root}/place", exist_ok=True)
    with open(f"{root}/plan.json", "w", encoding="utf-8") as file:
        file.write(dumps(plan))
    store = open_store(root)
    begin(store, SESSION, {name: task["needs"] for name, task in plan.items()})
    store.flush()
    store.database.close()


def open_store(root: str) -> DeferredStore:
    return DeferredStore(Home(f"{root}/state"), actor="engine", clock=time.time)


class Engine:
    """One engine's life: resume the plan and run it to its end."""

    def __init__(
        self, root: str, *, width: int, agent: str = AGENT, open_executor: "Callable[[str], Executor]" = LocalExecutor
    ) -> None:
        with open(f"{root}/plan.json", encoding="utf-8") as file:
            self._plan: Plan = loads(file.read())
        self._store = open_store(root)
        folder = self._store.home.session(SESSION)
        self._lock = EngineLock(folder)
        self._executor = open_executor(folder)
        self.conductor = Commands(f"{root}/place", lambda claim: self._script(claim, agent))
        self.scheduler = Scheduler(self._store, SESSION, self._executor, self.conductor, limits=RunLimits(width))

    def __enter__(self) -> "Engine":
        self._lock.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.__exit__()
        self._executor.close()
        self._store.database.close()

    def run(self, *, barrier: bool = False) -> str:
        """Return why it stopped."""
        plan = tasks.list_all(self._store.database, SESSION)
        return self.scheduler.run(Schedule.of(plan, barrier=barrier)).why

    def _script(self, claim: "Claim", agent: str) -> str:
        assert claim.task is not None
        seconds, code = self._plan[claim.subject]["tries"][claim.task.attempts - 1]
        return agent.format(name=claim.subject, seconds=seconds, code=code)


class Witness:
    """What the agents themselves recorded about their runs."""

    __slots__ = ("overlaps", "reruns", "runs", "succeeded")

    def __init__(self, root: str) -> None:
        self.runs = 0
        self.overlaps: list[str] = []
        self.reruns: list[str] = []
        self.succeeded: set[str] = set()
        with open(f"{root}/place/witness", encoding="utf-8") as file:
            for line in file:
                self._read(*line.split())

    def _read(self, mark: str, name: str, code: str = "") -> None:
        if mark == "overlap":
            self.overlaps.append(name)
        elif mark == "start":
            self.runs += 1
            self.reruns += [name] if name in self.succeeded else []
        elif code == "0":
            self.succeeded.add(name)


def main() -> int:
    with Engine(sys.argv[1], width=int(sys.argv[2])) as engine:
        return 0 if engine.run() == DONE else 1


if __name__ == "__main__":
    sys.exit(main())
