"""Ask a trusted program a short question, and read the whole answer.

For git, which hooks call: importing `subprocess` costs more than git takes to answer. `process` runs programs of a
project."""

import os
import select
import time
from _thread import get_ident

from ..core.errors import Trouble
from ..store.atomic import LENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

PATIENCE = 120.0
# Ctrl-C between two of our steps is handled when the next wait ends: none is longer.
_LOOK = 1.0
# Turns after which an answer counts as long, and seconds.
_FEW, _PAUSE = 32, 0.0005
_groups = {"apart": False}
_CHUNK = 1 << 17
_KILL = 9
_APART: "dict[str, Any]" = {"setpgroup": 0}
_PIPE_BROKEN = 13


class ProgramAnswer:
    __slots__ = ("err", "exit", "out")

    def __init__(self, exit: int, out: bytes, err: bytes) -> None:  # noqa: A002 (the word of shells)
        self.exit = exit
        self.out = out
        self.err = err


def find_program(name: str, env: "Mapping[str, str]") -> str | None:
    """Return where a program is, as a shell with this environment would find it."""
    if "/" in name:
        return name if os.access(name, os.X_OK) and not os.path.isdir(name) else None
    for folder in env.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or ".", name)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return None


def list_own_start() -> list[str]:
    """Return how this process was started, up to its own arguments."""
    import sys

    return [sys.executable, *sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]]


def run_in_front(argv: "Sequence[str]", env: "Mapping[str, str]") -> int:
    """Run a program with our terminal, input and output; return its status like a shell. Ctrl-C goes to it."""
    import signal

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pid = os.posix_spawn(argv[0], [*argv], env, setsigdef=[signal.SIGINT])
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except OSError as error:
        raise Trouble(f"could not start {argv[0]}: {error.strerror}") from error
    finally:
        signal.signal(signal.SIGINT, before)
    return status if status >= 0 else 128 - status


def stand_apart() -> None:
    """Keep Ctrl-C at our terminal to ourselves from now on: programs that we call finish."""
    _groups["apart"] = True


def lend_no_files() -> None:
    """Make all files except the standard ones non-inheritable for what follows in this process."""
    for handle in map(int, os.listdir("/dev/fd")):
        if handle > 2 and os.path.lexists(f"/dev/fd/{handle}"):
            os.set_inheritable(handle, False)


def ask_program(
    argv: "Sequence[str]", *, env: "Mapping[str, str]", given: bytes = b"", patience: float = PATIENCE
) -> ProgramAnswer:
    """Run `argv`, whose first word is a path. Locks that this thread lends are the program's too."""
    question, answer, trouble = os.pipe(), os.pipe(), os.pipe()
    # By separate numbers: systems differ in what duplicating a number onto itself does.
    ours_lent = [handle for handle, thread in list(LENT.items()) if thread == get_ident()]
    locks = [(handle, os.dup(handle)) for handle in ours_lent]
    theirs = (question[0], answer[1], trouble[1], *(copy for _, copy in locks))
    ours = _Ends(question[1], answer[0], trouble[0], given)
    try:
        pid = os.posix_spawn(
            argv[0],
            list(argv),
            dict(env),
            file_actions=[
                *((os.POSIX_SPAWN_DUP2, end, i) for i, end in enumerate(theirs[:3])),
                *((os.POSIX_SPAWN_DUP2, handle, copy) for handle, copy in locks),
            ],
            setsigdef=[_PIPE_BROKEN],
            **_APART if _groups["apart"] else {},
        )
    except OSError as error:
        ours.close()
        raise Trouble(f"could not start {argv[0]}: {error.strerror}") from error
    finally:
        for end in theirs:
            os.close(end)
    return _finish(pid, ours, argv, patience)


def _finish(pid: int, ours: "_Ends", argv: "Sequence[str]", patience: float) -> ProgramAnswer:
    complete = False
    try:
        complete = ours.exchange(time.monotonic() + patience)
    finally:
        ours.close()
        if not complete:
            _end(pid)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if not complete:
        raise Trouble(f"{os.path.basename(argv[0])} did not answer within {patience:g} s")
    return ProgramAnswer(status, bytes(ours.out), bytes(ours.err))


def _end(pid: int) -> None:
    """End it, with everything it started if it leads a group."""
    if _groups["apart"]:
        os.killpg(pid, _KILL)
    else:
        os.kill(pid, _KILL)


class _Ends:
    """Our ends of the three pipes: writing and reading alternate, so that neither blocks the other."""

    __slots__ = ("_into", "_open", "_rest", "err", "out")

    def __init__(self, into: int, out: int, err: int, given: bytes) -> None:
        self.out = bytearray()
        self.err = bytearray()
        self._into = into
        self._rest = memoryview(given)
        self._open = {into: self.out, out: self.out, err: self.err}
        os.set_blocking(into, False)

    def exchange(self, until: float) -> bool:
        """Exchange data until the program has closed its output; False if the time is up before."""
        waiting = select.poll()
        for end in self._open:
            waiting.register(end, select.POLLOUT if end == self._into else select.POLLIN)
        turns = 0
        while self._open:
            left = until - time.monotonic()
            if left <= 0:
                return False
            turns += 1
            if turns > _FEW:
                # A long answer comes in pieces of 4 KiB: let them accumulate, or each costs both of us a turn.
                time.sleep(_PAUSE)
            for end, _ in waiting.poll(int(min(left, _LOOK) * 1000) + 1):
                if not self._turn(end):
                    waiting.unregister(end)
                    del self._open[end]
                    os.close(end)
        return True

    def _turn(self, end: int) -> bool:
        """Return whether this end is still of use."""
        if end == self._into:
            return self._write()
        data = os.read(end, _CHUNK)
        self._open[end].extend(data)
        return bool(data)

    def _write(self) -> bool:
        try:
            self._rest = self._rest[os.write(self._into, self._rest[:_CHUNK]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:  # it has read enough
            return False
        return bool(self._rest)

    def close(self) -> None:
        for end in self._open:
            os.close(end)
        self._open = {}
