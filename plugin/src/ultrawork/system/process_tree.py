"""What a program leaves behind: its group, its session, and processes that moved to their own sessions.

Every program we run carries a token in `ULTRAWORK_RUN`, which its children inherit. On Linux the token finds those
that changed their session; elsewhere only the process group can be ended. A process that changes its session, clears
its environment *and* loses its parent is not found.

A watchdog ends a program when we are gone, however that happened: a shell in its own session waits on a pipe whose
other end only we hold; the kernel closes it even on SIGKILL. It knows the token before the program starts, so no
moment is unwatched."""

import os
import time
from subprocess import Popen

from ..core.errors import Trouble

MARK = "ULTRAWORK_RUN"
TERM = 15
KILL = 9
_ROUNDS = 20
_PAUSE = 0.01
_PART = 1 << 16


class _Process:
    def __init__(self, pid: int, stat: bytes) -> None:
        # The program's name comes second, in brackets, and may hold anything.
        fields = stat[stat.rindex(b")") + 2 :].split(b" ", 20)
        self.pid = pid
        self.state = fields[0]
        self.parent = int(fields[1])
        self.group = int(fields[2])
        self.session = int(fields[3])
        self.started = int(fields[19])

    @property
    def alive(self) -> bool:
        return self.state not in (b"Z", b"X")


class ProcessTree:
    """Everything that one program, the leader of a session, has started."""

    def __init__(self, leader: int, token: str) -> None:
        self._leader = leader
        self._token = token.encode()
        own = _read(leader)
        self._since = own.started if own else 0

    def find(self) -> list[_Process]:
        """Return the live ones, including the leader."""
        young = [process for process in _all() if process.started >= self._since]
        pids = {process.pid for process in young if self._belongs(process)}
        grown = True
        while grown:
            children = {process.pid for process in young if process.parent in pids} - pids
            grown = bool(children)
            pids |= children
        return [process for process in young if process.pid in pids and process.alive]

    def _belongs(self, process: _Process) -> bool:
        # The system shows -1 for the group of a process that is just ending.
        if self._leader > 0 and self._leader in (process.group, process.session):
            return True
        return self._token in read_proc_file(f"/proc/{process.pid}/environ")

    def signal(self, number: int) -> int:
        """Signal the group at once, then each process outside it; return how many there were."""
        _send(os.killpg, self._leader, number)
        processes = self.find()
        for process in processes:
            if process.group != self._leader:
                _send(os.kill, process.pid, number)
        return len(processes)

    def end(self, grace: float) -> int:
        """Terminate, wait, kill; return how many there were."""
        first = len(self.find())
        if not first:
            # If processes cannot be listed, the group may still exist.
            _send(os.killpg, self._leader, KILL)
            return 0
        if grace:
            self.signal(TERM)
            self._wait(grace)
        for _ in range(_ROUNDS):
            if not self.signal(KILL):
                break
            time.sleep(_PAUSE)
        return first

    def measure_memory(self) -> int:
        """Return the bytes that all use together, shared memory counted once; 0 if unknown."""
        pids = [process.pid for process in self.find()]
        counted = sum(_read_kilobytes(f"/proc/{pid}/status", b"VmRSS:") for pid in pids)
        if len(pids) > 1 and counted:  # the exact figure costs more, and is never the greater one
            counted = sum(_read_kilobytes(f"/proc/{pid}/smaps_rollup", b"Pss:") for pid in pids)
        return counted * 1024

    def end_others(self) -> None:
        """All but the leader, at once."""
        for _ in range(_ROUNDS):
            others = [process for process in self.find() if process.pid != self._leader]
            if not others:
                return
            for process in others:
                _send(os.kill, process.pid, KILL)
            time.sleep(_PAUSE)

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self.find() and time.monotonic() < end:
            time.sleep(_PAUSE)


def _send(how: object, target: int, number: int) -> None:
    try:
        how(target, number)  # type: ignore[operator]  # os.kill or os.killpg
    except (ProcessLookupError, PermissionError):  # macOS says the latter of a group of zombies
        pass


def _all() -> list[_Process]:
    try:
        names = os.listdir("/proc")
    except FileNotFoundError:
        return []
    processes = [_read(int(name)) for name in names if name.isdigit()]
    own = os.getpid()
    return [process for process in processes if process is not None and process.pid != own]


def _read(pid: int) -> _Process | None:
    stat = read_proc_file(f"/proc/{pid}/stat")
    return _Process(pid, stat) if stat else None


def _read_kilobytes(path: str, key: bytes) -> int:
    for line in read_proc_file(path).split(b"\n"):
        if line.startswith(key):
            return int(line.split()[1])
    return 0


def read_proc_file(path: str) -> bytes:
    """Return the content of a file of `/proc`; empty if the process is gone or another user's."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return _read_all(handle)
    except OSError:
        return b""
    finally:
        os.close(handle)


def _read_all(handle: int) -> bytes:
    parts = [os.read(handle, _PART)]
    while len(parts[-1]) == _PART:
        parts.append(os.read(handle, _PART))
    return b"".join(parts)


_SCRIPT = """
read -r group
read -r _
for signal in TERM KILL; do
  if [ -n "$group" ]; then kill -s $signal -- "-$group"; fi
  for file in $(grep -ls -- "$1" /proc/[0-9]*/environ); do
    pid=${file#/proc/}
    kill -s $signal "${pid%/environ}"
  done
  if [ $signal = TERM ]; then sleep 1; fi
done
"""


class Watchdog:
    def __init__(self, token: str) -> None:
        import subprocess

        end, self._hold = os.pipe()
        try:
            self._shell: Popen[bytes] = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "ultrawork-watchdog", token],
                stdin=end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={"PATH": "/usr/bin:/bin"},
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._hold)
            raise Trouble(f"could not start /bin/sh: {error.strerror}") from error
        finally:
            os.close(end)

    def watch(self, group: int) -> None:
        try:
            os.write(self._hold, b"%d\n" % group)
        except BrokenPipeError:  # it was ended; the run itself is not affected
            pass

    def dismiss(self) -> None:
        self._shell.kill()
        self._shell.wait()
        os.close(self._hold)
