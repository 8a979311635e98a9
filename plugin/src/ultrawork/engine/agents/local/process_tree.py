"""Process trees and their CPU use: exact on Linux, unknown elsewhere."""

import os
from collections.abc import Callable

from ....system.process_tree import read_proc_file

_REAPER = 36  # PR_SET_CHILD_SUBREAPER


def _kernel() -> Callable[..., int] | None:
    try:
        from ctypes import CDLL

        return CDLL(None).prctl
    except (ImportError, AttributeError, OSError):  # not Linux
        return None


class Reaper:
    """Makes us the parent of orphaned descendants, even those that left the agent's session."""

    def __init__(self) -> None:
        self._call = _kernel()

    def become(self) -> None:
        if self._call is not None:
            self._call(_REAPER, 1, 0, 0, 0)


def list_children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            children += map(int, read_proc_file(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        pass  # it has ended or is ending (with different errors), or this is not Linux
    return children


def list_descendants(pid: int) -> list[int]:
    children = list_children(pid)
    for child in children:
        children += list_children(child)
    return children


def measure_cpu(pids: list[int]) -> float:
    """Return CPU seconds of these processes and the children they waited for."""
    tick = os.sysconf("SC_CLK_TCK")
    return sum(_ticks(pid) for pid in pids) / tick


def _ticks(pid: int) -> int:
    # The program's name comes second, in brackets, and may hold anything.
    fields = read_proc_file(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return sum(int(field) for field in fields[11:15])
