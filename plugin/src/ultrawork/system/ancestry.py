"""Which process is which: when it began, and those above it. From /proc, elsewhere from `ps`."""

import os

from ..core.caller import Caller, ProcessFact

_DEEPEST = 64
_STATE, _PARENT, _SESSION, _START = 0, 1, 3, 19  # fields of /proc/PID/stat behind the name
_ENDED = ("Z", "X")


def _stat(pid: int) -> "list[str]":
    """Return the fields; empty for a process that is gone, and without /proc."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read(1024).rpartition(b")")[2].decode("ascii", "replace").split()
    except OSError:
        return []


def read_start(pid: int) -> str:
    """Return what distinguishes a process from a later one with the same pid; empty if unknown."""
    stat = _stat(pid)
    return stat[_START] if len(stat) > _START else ""


def read_age(pid: int) -> float | None:
    """Return seconds since a process began; None if unknown."""
    stat = _stat(pid)
    try:
        with open("/proc/uptime", encoding="ascii") as file:
            up = float(file.read().split()[0])
        return up - int(stat[_START]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None


def is_there(pid: int, started: str) -> bool:
    """Return whether it is alive; an ended one is gone even if not reaped, as often in containers."""
    stat = _stat(pid)
    if stat and stat[_STATE] in _ENDED:
        return False
    if started:
        return stat[_START:][:1] == [started]
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def is_gone(process: Caller | None) -> bool:
    """Return whether a known process has ended, so that nothing can be running there."""
    return process is not None and not is_there(process.pid, process.started)


def find_terminal() -> str:
    """The name of the terminal that this process belongs to; empty if to none."""
    try:
        handle = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError:
        return ""
    os.close(handle)
    for stream in (0, 1, 2):
        try:
            return os.ttyname(stream)
        except OSError:
            continue
    return "/dev/tty"


def list_upwards(pid: int) -> "list[ProcessFact]":
    """Return the process itself, its parent, and so on up to the first one."""
    known = None if os.path.isdir("/proc/self") else _ask_ps()
    process_facts: list[ProcessFact] = []
    while pid > 0 and len(process_facts) < _DEEPEST:
        process_fact = _read(pid) if known is None else known.get(pid)
        if process_fact is None:
            break
        process_facts.append(process_fact)
        pid = process_fact.parent
    return process_facts


def _read(pid: int) -> ProcessFact | None:
    stat = _stat(pid)
    if len(stat) <= _PARENT:
        return None
    session = int(stat[_SESSION]) if len(stat) > _SESSION else 0
    return ProcessFact(pid, int(stat[_PARENT]), _argv(pid), _program(pid), session)


def _argv(pid: int) -> list[str]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read(65536).decode("utf-8", "replace").rstrip("\0").split("\0")
    except OSError:
        return []


def _program(pid: int) -> str:
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


def _ask_ps() -> "dict[int, ProcessFact]":
    from .program import ask_program, find_program

    ps = find_program("ps", {"PATH": os.defpath})
    if ps is None:
        return {}
    answer = ask_program([ps, "-axo", "pid=,ppid=,command="], env={"LC_ALL": "C"}, patience=10.0)
    answers = {}
    for line in answer.out.decode("utf-8", "replace").splitlines():
        pid, _, rest = line.strip().partition(" ")
        parent, _, command = rest.strip().partition(" ")
        if pid.isdigit() and parent.isdigit():
            answers[int(pid)] = ProcessFact(int(pid), int(parent), command.split())
    return answers
