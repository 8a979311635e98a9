"""Plans as graphs: what waits for what, what is ready, which chain decides how long it takes."""

from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Needs = Mapping[str, Iterable[str]]


def check(needs: "Needs") -> None:
    """Refuses unknown and self dependencies, and a cycle with its path."""
    from ..check import quote

    for task, wanted in needs.items():
        for other in wanted:
            if other == task:
                raise UsageError(f"task {task} waits for itself; remove {task} from its blockedBy")
            if other not in needs:
                raise UsageError(f"task {task} waits for {quote(other)}, which is not in the plan")
    path = find_cycle(needs)
    if path:
        raise UsageError(f"the tasks wait for each other in a circle: {_drawn(path)}")


def _drawn(path: list[str]) -> str:
    return " -> ".join(path if len(path) <= 10 else [*path[:8], "…", path[-1]])


def find_cycle(needs: "Needs") -> list[str]:
    """Return the path of one cycle, its first task repeated at the end; empty if there is none."""
    depth = _depths(needs)
    task = next((name for name in needs if name not in depth), None)
    seen: dict[str, int] = {}
    while task is not None and task not in seen:
        seen[task] = len(seen)
        # A task without a depth always waits for another one without.
        task = next(other for other in needs[task] if other not in depth)
    return [*list(seen)[seen[task] :], task] if task is not None else []


def list_waves(needs: "Needs") -> list[list[str]]:
    """Return tasks by the earliest round in which they could run, in plan order."""
    depth = _depths(needs)
    rounds: list[list[str]] = [[] for _ in range(max(depth.values(), default=0))]
    for task in needs:
        rounds[depth[task] - 1].append(task)
    return rounds


def find_critical_path(needs: "Needs") -> list[str]:
    """Return the longest chain: with a worker for every task, nothing ends sooner than this."""
    depth = _depths(needs)
    if not depth:
        return []
    task = max(depth, key=lambda name: depth[name])
    path = [task]
    while depth[task] > 1:
        task = next(other for other in needs[task] if depth[other] == depth[task] - 1)
        path.append(task)
    return path[::-1]


def list_followers(needs: "Needs") -> dict[str, list[str]]:
    """Return the graph turned round: who waits for each task."""
    result: dict[str, list[str]] = {task: [] for task in needs}
    for task, wanted in needs.items():
        for other in wanted:
            result[other].append(task)
    return result


def _depths(needs: "Needs") -> dict[str, int]:
    """Return 1 for a task without dependencies, else one more than its deepest dependency."""
    open_needs = {task: set(wanted) for task, wanted in needs.items()}
    depth = {task: 1 for task, wanted in open_needs.items() if not wanted}
    after = list_followers(needs)
    queue = list(depth)
    for task in queue:
        for other in after[task]:
            open_needs[other].discard(task)
            if not open_needs[other] and other not in depth:
                depth[other] = 1 + max(depth[wanted] for wanted in needs[other])
                queue.append(other)
    return depth
