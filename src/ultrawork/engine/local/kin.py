"""Who descends from whom, and what their work costs: exact on Linux, unknown elsewhere."""

import os

_REAPER = 36  # PR_SET_CHILD_SUBREAPER


def become_reaper() -> None:
    """Lets everyone whose parent ends come to us, also those that left the agent's session."""
    try:
        from ctypes import CDLL

        CDLL(None).prctl(_REAPER, 1, 0, 0, 0)
    except (ImportError, AttributeError, OSError):  # not Linux
        pass


def children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                found += [int(word) for word in file.read().split()]
    except OSError:
        pass  # it is gone, or this is not Linux
    return found


def descendants(pid: int) -> list[int]:
    found = children(pid)
    for one in found:
        found += children(one)
    return found


def cpu_seconds(pids: "list[int]") -> float:
    """What these processes and those they have waited for have used so far."""
    tick = os.sysconf("SC_CLK_TCK")
    return sum(_ticks(pid) for pid in pids) / tick


def _ticks(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The program's name comes second, in brackets, and may hold anything.
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return 0
    return sum(int(field) for field in fields[11:15])
