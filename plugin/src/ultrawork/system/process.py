"""
Run a program to its end or its deadline, and leave no process behind.

The program leads its own session: no terminal, nothing to read, its own process group. When it ends, everything it
started is ended too. If this process is killed, a watchdog does the same.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from subprocess import Popen

from ..core.errors import Trouble
from ..core.redact import RedactedStream
from ..core.value import Value
from .output import LOG_LIMIT, Output
from .process_tree import KILL, MARK, TERM, ProcessTree, Watchdog

OUTPUT_LIMIT = 64_000
GRACE = 2.0
LEFT_GRACE = 0.3
TICK = 0.1
_CHUNK = 1 << 18
_PIPE = 1 << 20
# As in a shell: not found, and found but not executable.
NOT_FOUND = 127
NOT_RUNNABLE = 126


class ProgramRun(Value):
    """
    One run. `exit` is the program's status, None if a `signal` ended it. `left` counts processes that it left
    behind. `note` says what happened to the log if it is incomplete.
    """

    argv: tuple[str, ...]
    log: str | None = None
    exit: int | None = None
    signal: str | None = None
    seconds: float = 0.0
    output: str = ""
    output_bytes: int = 0
    sha256: str = ""
    timed_out: bool = False
    stopped: bool = False
    left: int = 0
    note: str = ""


def run_program(
    argv: Sequence[str],
    *,
    cwd: str,
    env: Mapping[str, str],
    deadline: float | None,
    output_limit: int = OUTPUT_LIMIT,
    log: str | None = None,
    log_limit: int = LOG_LIMIT,
    clean: RedactedStream | None = None,
    input: bytes | None = None,  # noqa: A002 (what every runner of programs calls it)
    on_line: Callable[[str], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> ProgramRun:
    """
    Run a program. At `deadline` seconds it gets SIGTERM, two seconds later SIGKILL. `should_stop` is called about
    ten times a second and ends the run the same way. `clean` removes secrets from everything that is kept.
    """
    result = ProgramRun(tuple(argv), log)
    output = Output(output_limit, clean=clean, log=log, log_limit=log_limit, on_line=on_line)
    started = time.monotonic()
    try:
        with _Supervised(argv, cwd, env, input) as program:
            _follow(program, output, result, deadline, should_stop)
            result.seconds = time.monotonic() - started
            result.left = program.end()
            program.read(output)
            _record_end(result, program.status())
    except _NotStarted as error:
        result.exit = error.status
        output.feed(error.sentence.encode())
    finally:
        output.finish()
    result.output, result.output_bytes = output.text, output.bytes
    result.sha256, result.note = output.sha256, output.note
    return result


def _follow(
    program: "_Supervised",
    output: Output,
    result: ProgramRun,
    deadline: float | None,
    should_stop: Callable[[], bool] | None,
) -> None:
    """Read until the program itself has ended, even if another process holds its output open."""
    limit = time.monotonic() + deadline if deadline is not None else None
    kill_at: float | None = None
    while not program.has_ended():
        now = time.monotonic()
        if kill_at is None:
            result.timed_out = limit is not None and now >= limit
            result.stopped = not result.timed_out and bool(should_stop and should_stop())
            if result.timed_out or result.stopped:
                program.offspring.signal(TERM)
                kill_at = now + GRACE
        elif now >= kill_at:
            program.offspring.signal(KILL)
        program.wait(_pause(now, kill_at or limit))
        program.read(output)


def _pause(now: float, until: float | None) -> float:
    return TICK if until is None else max(0.005, min(TICK, until - now))


def _record_end(result: ProgramRun, status: int) -> None:
    if status >= 0:
        result.exit = status
    else:
        from signal import Signals

        names = {member.value: member.name for member in Signals}
        result.signal = names.get(-status, f"signal {-status}")


class _NotStarted(Exception):  # noqa: N818 (it is not an error of ours: the run's result says it)
    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence


class _Supervised:
    """A running program with its watchdog, its output and, on Linux, a handle that reports its end."""

    def __init__(self, argv: Sequence[str], cwd: str, env: Mapping[str, str], stdin: bytes | None) -> None:
        token = f"{os.getpid()}.{os.urandom(8).hex()}"
        marked = {**env, MARK: f"{env.get(MARK, '')} {token}".strip()}
        self._watchdog = Watchdog(token)
        try:
            self._program, self._out = _start(argv, cwd, marked, stdin)
        except BaseException:
            self._watchdog.dismiss()
            raise
        self.offspring = ProcessTree(self._program.pid, token)
        self._watchdog.watch(self._program.pid)
        self._handle = _handle(self._program.pid)
        self._poll = _poll(self._out, self._handle)

    def __enter__(self) -> "_Supervised":
        return self

    def __exit__(self, *_: object) -> None:
        """End everything, even after an interrupt."""
        if self._program.returncode is None:
            self.offspring.end(0.0)
            self._program.wait()
        self._watchdog.dismiss()
        for handle in (self._out, self._handle):
            if handle >= 0:
                os.close(handle)

    def has_ended(self) -> bool:
        """
        Return whether the program has ended. Its pid stays taken until `status`, so it cannot mean another
        process.
        """
        if not hasattr(os, "waitid"):  # pragma: no cover - macOS before Python 3.13
            return self._program.poll() is not None
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self._program.pid, flags) is not None

    def wait(self, seconds: float) -> None:
        """Wait until there is output, the program has ended, or the time is up."""
        most = seconds if self._handle >= 0 else min(seconds, 0.02)
        self._poll.poll(int(most * 1000) + 1)  # type: ignore[attr-defined]  # a poll object has no public type

    def read(self, output: Output) -> None:
        """Read everything available now."""
        for _ in range(64):
            try:
                data = os.read(self._out, _CHUNK)
            except BlockingIOError:
                return
            if not data:
                # Closed on all sides: a poll would return at once forever.
                self._poll = _poll(self._handle)
                return
            output.feed(data)

    def end(self) -> int:
        return self.offspring.end(LEFT_GRACE)

    def status(self) -> int:
        return self._program.wait()


def _start(argv: Sequence[str], cwd: str, env: Mapping[str, str], stdin: bytes | None) -> tuple[Popen[bytes], int]:
    import subprocess

    if not os.path.isdir(cwd):
        raise Trouble(f"could not run {argv[0]}: the folder {cwd} does not exist")
    out, end = os.pipe()
    source = _source(stdin)
    try:
        program = subprocess.Popen(
            list(argv),
            stdin=source,
            stdout=end,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env=dict(env),
            start_new_session=True,
        )
    except OSError as error:
        os.close(out)
        raise _refusal(argv[0], error) from error
    finally:
        os.close(end)
        os.close(source)
    os.set_blocking(out, False)
    _widen(out)
    return program, out


def _refusal(name: str, error: OSError) -> Exception:
    import errno

    status = {
        errno.ENOENT: NOT_FOUND,
        errno.ENOTDIR: NOT_FOUND,
        errno.EACCES: NOT_RUNNABLE,
        errno.ENOEXEC: NOT_RUNNABLE,
        errno.E2BIG: NOT_RUNNABLE,
        errno.ELOOP: NOT_RUNNABLE,
    }.get(error.errno or 0)
    if status is None:
        return Trouble(f"could not start {name}: {error.strerror}")
    reason = "command not found" if status == NOT_FOUND else error.strerror
    return _NotStarted(status, f"{name}: {reason}\n")


def _source(stdin: bytes | None) -> int:
    """Return what the program reads: nothing, or an unnamed file, which cannot block like a pipe."""
    if stdin is None:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    from tempfile import TemporaryFile

    with TemporaryFile() as file:
        file.write(stdin)
        file.seek(0)
        return os.dup(file.fileno())


def _widen(pipe: int) -> None:
    """Enlarge the pipe, which means fewer switches for a program that prints much."""
    import fcntl

    try:
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)
    except (AttributeError, OSError):  # not Linux, or over the user's share
        pass


def _handle(pid: int) -> int:
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _poll(*handles: int) -> object:
    from select import POLLIN, poll

    waiting = poll()
    for handle in handles:
        if handle >= 0:
            waiting.register(handle, POLLIN)
    return waiting
