"""What may start next, updated task by task.

Each start and end costs the logarithm of what waits, never a scan of the plan: the same schedule serves a hook that
reads it once and an engine with a hundred thousand tasks."""

from _heapq import heappop, heappush
from collections.abc import Collection, Iterable, Mapping, Sequence

from . import task
from .task import Task

Needs = Mapping[str, Iterable[str]]
Key = tuple[int, int, float, int]

# Relative duration of tasks until they are measured.
WEIGHTS = {task.SIMPLE: 1.0, task.STANDARD: 2.0, task.COMPLEX: 4.0}


class Schedule:
    """A schedule. The longest dependent chain comes first, then plan order. A task starts when all its needs are
    resolved; with a `barrier` also all earlier waves must be over. Tasks in `held` are never offered."""

    def __init__(
        self,
        needs: Needs,
        *,
        weights: Mapping[str, float] | None = None,
        status: Mapping[str, str] | None = None,
        held: Collection[str] = (),
        barrier: bool = False,
    ) -> None:
        graph = {name: dict.fromkeys(wanted) for name, wanted in needs.items()}
        self._followers = _followers(graph)
        self._status = dict.fromkeys(graph, task.PENDING)
        self._status.update(status or {})
        resolved = {name for name, now in self._status.items() if now == task.RESOLVED}
        self._waits = {name: len(wanted.keys() - resolved) if wanted else 0 for name, wanted in graph.items()}
        self._names = list(graph)
        self._held = frozenset(held)
        self.barrier = barrier
        self._keys = self._ranked(graph, weights or {})
        self.running = {name for name, now in self._status.items() if now == task.IN_PROGRESS} - self._held
        free = [name for name, count in self._waits.items() if not count]
        self._heap: list[Key] = sorted(self._keys[name] for name in free if self._startable(name))

    @classmethod
    def of(cls, tasks: Sequence[Task], *, barrier: bool = False) -> "Schedule":
        """Return the schedule of a plan's current state; workers do not get the verifying task."""
        return cls(
            {task.id: task.blocked_by for task in tasks},
            weights={task.id: WEIGHTS[task.complexity] for task in tasks},
            status={task.id: task.status for task in tasks},
            held=[task.id for task in tasks if task.is_verify],
            barrier=barrier,
        )

    def _ranked(self, graph: Mapping[str, Iterable[str]], weights: Mapping[str, float]) -> dict[str, Key]:
        order = _in_order(graph, self._followers)
        chain = _chains(order, self._followers, weights)
        waves = _waves(order, graph) if self.barrier else {}
        return {name: (waves.get(name, 0), 0, -chain.get(name, 0.0), place) for place, name in enumerate(self._names)}

    def _startable(self, name: str) -> bool:
        pending = self._status[name] == task.PENDING
        return pending and not self._waits[name] and name not in self._held

    def ready(self, slots: int | None = None) -> list[str]:
        """The tasks to start now, best first, at most `slots` of them."""
        most = len(self._heap) if slots is None else slots
        wave = self._wave()
        keys: list[Key] = []
        while self._heap and len(keys) < most:
            key = heappop(self._heap)
            if self._stale(key) or key in keys[-1:]:
                continue
            if key[0] > wave:
                heappush(self._heap, key)
                break
            wave = key[0]
            keys.append(key)
        for key in keys:
            heappush(self._heap, key)
        return [self._names[key[3]] for key in keys]

    def _stale(self, key: Key) -> bool:
        """Return whether it started or changed rank after it entered the heap."""
        name = self._names[key[3]]
        return self._keys[name] != key or not self._startable(name)

    def _wave(self) -> float:
        """The last wave that may start beside what runs; without a barrier all are one wave."""
        if not self.barrier:
            return 0
        return min((self._keys[name][0] for name in self.running), default=float("inf"))

    def started(self, name: str) -> None:
        self._status[name] = task.IN_PROGRESS
        self.running.add(name)

    def resolved(self, name: str) -> None:
        if self._status[name] == task.RESOLVED:
            return
        self._left(name, task.RESOLVED)
        for other in self._followers[name]:
            self._waits[other] -= 1
            self._offer(other)

    def failed(self, name: str, status: str = task.FAILED) -> None:
        """Take a task out (failed, blocked or skipped), and what waits for it, until it returns."""
        self._left(name, status)

    def returned(self, name: str) -> None:
        """Let a task start again: another try, or the last one was lost."""
        self._left(name, task.PENDING)
        self._offer(name)

    def prefer(self, name: str, priority: int) -> None:
        """Set a priority; higher goes before longer chains. Every task starts with 0."""
        wave, _, chain, place = self._keys[name]
        self._keys[name] = (wave, -priority, chain, place)
        self._offer(name)

    def _left(self, name: str, status: str) -> None:
        self._status[name] = status
        self.running.discard(name)

    def _offer(self, name: str) -> None:
        if self._startable(name):
            heappush(self._heap, self._keys[name])

    def status(self, name: str) -> str:
        """Return a task's status; empty if it is not in the plan."""
        return self._status.get(name, "")

    @property
    def stuck(self) -> bool:
        """Return whether nothing runs and nothing can start: all is settled, or waits for what failed."""
        return not self.running and not self.ready(1)


def _followers(graph: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Return the dependents of each task; a need outside the plan is never met."""
    result: dict[str, list[str]] = {name: [] for name in graph}
    for name, wanted in graph.items():
        for other in wanted:
            if other in result:
                result[other].append(name)
    return result


def _in_order(graph: Mapping[str, Iterable[str]], followers: Mapping[str, Sequence[str]]) -> list[str]:
    """Return every task after those it needs."""
    waits = {name: sum(map(graph.__contains__, wanted)) if wanted else 0 for name, wanted in graph.items()}
    order = [name for name, count in waits.items() if not count]
    for name in order:
        for other in followers[name]:
            waits[other] -= 1
            if not waits[other]:
                order.append(other)
    return order


def _chains(
    order: Sequence[str], followers: Mapping[str, Sequence[str]], weights: Mapping[str, float]
) -> dict[str, float]:
    """How long it takes from the start of each task to the end of what waits for it longest."""
    chain: dict[str, float] = {}
    for name in reversed(order):
        waiting = followers[name]
        after = max([chain[other] for other in waiting]) if waiting else 0.0
        chain[name] = weights.get(name, 1.0) + after
    return chain


def _waves(order: Sequence[str], graph: Mapping[str, Iterable[str]]) -> dict[str, int]:
    wave: dict[str, int] = {}
    for name in order:
        wave[name] = 1 + max((wave[other] for other in graph[name] if other in wave), default=0)
    return wave
