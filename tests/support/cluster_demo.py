"""
`make demo-cluster`: a run over three machines, of which one is killed, taken over from a coordinator that is killed too.

    python -m support.cluster_demo FOLDER     everything of it lies there, the page at its end too
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from glob import glob

from .cluster import ENTRY, SOURCE, NotInstalled, TemporalServer, WorkerProcess, list_keys, require_packages
from .headless import FIX, GOAL, SHOW, Headless, task, worker

LABEL = "demo"
LEASE = "6s"
NOTES = ("install", "usage", "limits")
PATIENCE = 180.0
_MARK = "at-work"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def cast(project: Headless) -> None:
    """A fix and three pages, each slow enough to be killed in the middle."""
    wait = ({"write": _MARK, "text": "x"}, {"sleep": 4}, {"delete": _MARK})
    pages = [worker(name, *wait, {"write": f"{name}.md", "text": f"# {name}\n\nOf the sum.\n"}) for name in NOTES]
    written = [task(name, criteria=[f"test -s {name}.md => exit 0"]) for name in NOTES]
    project.cast([task("fix"), *written], worker("fix", *wait, FIX, SHOW), *pages)


class Demo:
    """Machines with their own homes, a remote, and two coordinators with a clone each."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.remote = f"{root}/remote.git"
        subprocess.run(["git", "init", "-q", "--bare", self.remote], check=True)
        self.server = TemporalServer(root).start()
        self.first = self._coordinator("first")
        cast(self.first)
        self.second = self._coordinator("second")
        shutil.rmtree(self.second.place)
        self.first.git("clone", "-q", self.first.place, self.second.place)
        self.second.environ["ULTRAWORK_SCRIPT"] = self.first.environ["ULTRAWORK_SCRIPT"]
        self.machines = [self._machine(name) for name in ("ada", "bea", "cleo")]

    def _coordinator(self, name: str) -> Headless:
        made = Headless(f"{self.root}/{name}")
        made.environ |= {
            **list_keys(),
            "ULTRAWORK_CLUSTER_TEMPORAL": self.server.address,
            "ULTRAWORK_CLUSTER_REMOTE": self.remote,
            "ULTRAWORK_CLUSTER_LABEL": LABEL,
            "ULTRAWORK_CLUSTER_LEASE": LEASE,
            "ULTRAWORK_HOST": name,
            "GIT_AUTHOR_NAME": "demo",
            "GIT_AUTHOR_EMAIL": "demo@example.org",
            "PYTHONPATH": f"{SOURCE}:{require_packages()}",
        }
        return made

    def _machine(self, name: str) -> WorkerProcess:
        made = WorkerProcess(
            f"{self.root}/machines", name, self.server, self.remote, labels=LABEL, slots="2", drain="1s"
        )
        made.environ["ULTRAWORK_CLUSTER_LEASE"] = LEASE
        made.environ["ULTRAWORK_SCRIPT"] = self.first.environ["ULTRAWORK_SCRIPT"]
        made.environ["ULTRAWORK_RUN_BACKEND"] = "script"
        del made.environ["ULTRAWORK_WORKER_ANY_COMMAND"]
        return made

    def open_machines(self) -> None:
        for machine in self.machines:
            machine.start()
        for machine in self.machines:
            machine.wait_ready()

    def find_busy(self) -> "list[WorkerProcess]":
        place = "{}/state/worktrees/machine.{}/*/*/*/" + _MARK
        return [one for one in self.machines if glob(place.format(one.home, one.name))]

    def run(self) -> int:
        self.open_machines()
        say(f"{len(self.machines)} machines take attempts; the first coordinator begins.\n")
        engine = self._start(self.first, "run", "--auto", "--backend", "script", "--executor", "temporal", GOAL)
        busy = self._wait_busy(2)
        say(f"\n{busy[0].name} is killed (-9) in the middle of its work.")
        busy[0].end(signal.SIGKILL)
        time.sleep(1.0)
        engine.kill()
        engine.wait()
        name = self.first.session
        shutil.rmtree(self.first.home)
        say("The first coordinator is killed too, and its state folder is gone. Another machine goes on:\n")
        words = ["resume", name, "--from", self.remote, "--auto"]
        status = self._start(self.second, *words).wait(PATIENCE)
        say("\nWhich attempt ran where:")
        self._start(self.second, "logs", "--session", name).wait(PATIENCE)
        return status

    def _start(self, who: Headless, *words: str) -> "subprocess.Popen[bytes]":
        return subprocess.Popen([*ENTRY, *words], env=who.environ, cwd=who.place, stdin=subprocess.DEVNULL)

    def _wait_busy(self, count: int) -> "list[WorkerProcess]":
        end = time.monotonic() + PATIENCE
        while len(found := self.find_busy()) < count:
            assert time.monotonic() < end, "the machines have nothing to do"
            time.sleep(0.05)
        return found

    def close(self) -> None:
        for machine in self.machines:
            machine.end(signal.SIGKILL)
        self.server.kill()


def main() -> int:
    root = os.path.abspath(sys.argv[1])
    shutil.rmtree(root, ignore_errors=True)
    os.makedirs(root)
    try:
        demo = Demo(root)
    except NotInstalled as error:
        say(str(error))
        return 1
    try:
        return demo.run()
    finally:
        demo.close()


if __name__ == "__main__":
    sys.exit(main())
