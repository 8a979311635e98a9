"""
A cluster to be hurt: the drill's plan on several workers, whose agents keep the same log of their own.

    python -m support.cluster_drill ROOT WIDTH ADDRESS REMOTE     one coordinator's life
"""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading

from . import drill
from .cluster import SOURCE, TemporalServer, WorkerProcess, git, list_keys, require_packages
from .floor import TESTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultrawork.cluster.executor import TemporalExecutor

LEASE = 4.0
ROOM = "2g"
_PART = 1 << 16


def place_agent(root: str) -> str:
    """Return the agent; the witness is in one place for all machines, because they are all on this one."""
    return f"cd '{root}/place'\n{drill.AGENT}"


class Cut:
    """A loopback proxy to another port that can be cut and restored."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.whole = True
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def _accept(self) -> None:
        while True:
            try:
                one, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=[one], daemon=True).start()

    def _carry(self, one: socket.socket) -> None:
        if not self.whole:
            one.close()
            return
        try:
            other = socket.create_connection(("127.0.0.1", self._to))
        except OSError:
            one.close()
            return
        both = {one: other, other: one}
        for end in both:  # or each small piece waits for word that the one before has come
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open.update(both)
        try:
            while True:
                for ready in select.select(list(both), [], [], 0.2)[0]:
                    data = ready.recv(_PART)
                    if not data:
                        return
                    both[ready].sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            for end in both:
                end.close()
            self._open.difference_update(both)

    def cut(self) -> None:
        self.whole = False
        for end in list(self._open):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def mend(self) -> None:
        self.whole = True

    def close(self) -> None:
        self._listener.close()


# Only the wall clock is wrong. Debian's libfaketime also breaks the sleep of CPython 3.11 and newer.
_CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static long off(void) {
    char text[32] = {0};
    int file = open(getenv("WRONG_CLOCK"), O_RDONLY | O_CLOEXEC);
    if (file < 0) return 0;
    if (read(file, text, sizeof text - 1) < 0) text[0] = 0;
    close(file);
    return atol(text);
}
int clock_gettime(clockid_t id, struct timespec *now) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, now);
    if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += off();
    return failed;
}
time_t time(time_t *into) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (into) *into = now.tv_sec;
    return now.tv_sec;
}
int gettimeofday(struct timeval *restrict into, void *restrict zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    into->tv_sec = now.tv_sec;
    into->tv_usec = now.tv_nsec / 1000;
    return 0;
}
"""


class WrongClock:
    """The clock of one process and everything it starts, off by what was last `set`."""

    def __init__(self, folder: str, name: str) -> None:
        library = f"{folder}/clock.so"
        if not os.path.exists(library):
            argv = ["gcc", "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", library, "-ldl"]
            subprocess.run(argv, input=_CLOCK.encode(), check=True)
        self._path = f"{folder}/{name}"
        self.environ = {"LD_PRELOAD": library, "WRONG_CLOCK": self._path}
        self.set(0)

    def set(self, seconds: int) -> None:
        with open(f"{self._path}.new", "w", encoding="utf-8") as file:
            file.write(str(seconds))
        os.replace(f"{self._path}.new", self._path)


class HurtCluster:
    """A server, a remote, some workers, and coordinators one after the other."""

    def __init__(self, root: str, *, workers: int = 3, slots: int = 2) -> None:
        self.root = root
        self.remote = f"{root}/remote.git"
        subprocess.run(["git", "init", "-q", "--bare", self.remote], check=True)
        self.server = TemporalServer(root).start()
        self.cut = Cut(self.server.port)
        self.workers = [
            WorkerProcess(f"{root}/machines", f"w{n}", self.server, self.remote, slots=str(slots), drain="0s")
            for n in range(workers)
        ]
        self.workers[0].reach(self.cut.address)
        self.engine_environ: dict[str, str] = {}
        self._engine: subprocess.Popen[bytes] | None = None
        self._mounted: list[str] = []

    def prepare(self, plan: "drill.Plan") -> None:
        drill.prepare(self.root, plan)
        git(f"{self.root}/place", "init", "-q")
        git(f"{self.root}/place", "commit", "-q", "--allow-empty", "-m", "start")
        for worker in self.workers:
            worker.start()
        for worker in self.workers:
            worker.wait_ready()

    def give_disk(self, worker: WorkerProcess) -> bool:
        """Give a machine its own disk before it starts; False if none can be mounted."""
        os.makedirs(worker.home, exist_ok=True)
        argv = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", worker.home]
        if subprocess.run(argv, capture_output=True, check=False).returncode:
            return False
        self._mounted.append(worker.home)
        return True

    def fill(self, worker: WorkerProcess) -> None:
        """Shrink the disk to what is on it; retried if that has grown meanwhile."""
        for _ in range(20):
            if self._resize(worker, str(shutil.disk_usage(worker.home).used)):
                return

    def empty(self, worker: WorkerProcess) -> None:
        assert self._resize(worker, ROOM)

    def _resize(self, worker: WorkerProcess, size: str) -> bool:
        argv = ["mount", "-o", f"remount,size={size}", worker.home]
        return not subprocess.run(argv, capture_output=True, check=False).returncode

    def start_engine(self, width: int) -> "subprocess.Popen[bytes]":
        argv = [sys.executable, "-m", "support.cluster_drill", self.root, str(width)]
        environ = {**os.environ, "PYTHONPATH": f"{SOURCE}:{require_packages()}", **self.engine_environ}
        self._engine = subprocess.Popen([*argv, self.server.address, self.remote], cwd=TESTS, env=environ)
        return self._engine

    def close(self) -> None:
        if self._engine is not None:
            self._engine.kill()
            self._engine.wait()
        for worker in self.workers:
            worker.end(signal.SIGKILL)
        for home in self._mounted:
            subprocess.run(["umount", "-l", home], check=False)
        self.cut.close()
        self.server.kill()


def open_executor(folder: str, address: str, remote: str) -> "TemporalExecutor":
    from ultrawork.cluster.executor import TemporalExecutor
    from ultrawork.cluster.place import ClusterPlace

    place = ClusterPlace(address=address, remote=remote, lease=LEASE)
    return TemporalExecutor(folder, place, {"PATH": "/usr/local/bin:/usr/bin:/bin", **list_keys()})


def main() -> int:
    from ultrawork.engine.contract import DONE

    root, width, address, remote = sys.argv[1:]
    with drill.Engine(
        root,
        width=int(width),
        agent=place_agent(root),
        open_executor=lambda folder: open_executor(folder, address, remote),
    ) as engine:
        return 0 if engine.run() == DONE else 1


if __name__ == "__main__":
    status = main()
    os._exit(status)  # Temporal's library may abort while an interpreter is taken down
