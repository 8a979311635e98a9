"""
The coordinator of a whole run is killed at a random moment: resumed where it was, taken over from another clone with
its home removed, and by two at once. Each task's agent keeps a line of its own in a file beside everything.
"""

import os
import random
import shutil
import subprocess
import time

import pytest

from support.cluster import ENTRY, SOURCE, WorkerProcess, git, list_keys, require_packages
from support.floor import Answer
from support.headless import FIX, GOAL, SHOW, Headless, task, worker
from ultrawork.store import attempts
from ultrawork.store.database import find_broken_links
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytestmark = pytest.mark.release
ROUNDS = 20
PATIENCE = 240


class Stage:
    """A project with three tasks, a machine, and clones of it with homes of their own."""

    def __init__(self, root, server, remote):
        self.root, self.remote, self.label = root, remote, os.path.basename(root)
        self.witness = f"{root}/witness"
        self.shared = {
            **list_keys(),
            "ULTRAWORK_CLUSTER_TEMPORAL": server.address,
            "ULTRAWORK_CLUSTER_REMOTE": remote,
            "ULTRAWORK_CLUSTER_LEASE": "4s",
            "ULTRAWORK_CLUSTER_LABEL": self.label,
            # A run may come to its end before it is killed, and is taken over all the same.
            "ULTRAWORK_CLUSTER_KEEP_REFS": "true",
            "PYTHONPATH": f"{SOURCE}:{require_packages()}",
        }
        self.first = Headless(f"{root}/first")
        self.first.environ |= self.shared
        self._cast()
        self.machine = WorkerProcess(f"{root}/machines", "one", server, remote, labels=self.label)
        self.machine.environ["ULTRAWORK_SCRIPT"] = self.first.environ["ULTRAWORK_SCRIPT"]
        self.machine.start().wait_ready()

    def _cast(self):
        def steps(name, *more):
            note = {"run": ["sh", "-c", f"echo {name} >> {self.witness}"]}
            return worker(name, note, {"sleep": 2}, *more)

        pages = [task(name, *after, criteria=[f"test -s {name}.md => exit 0"]) for name, *after in (("a",), ("b", "a"))]
        self.first.cast(
            [task("fix"), *pages],
            steps("fix", FIX, SHOW),
            *(steps(name, {"write": f"{name}.md", "text": f"# {name}\n"}) for name in "ab"),
        )

    def clone(self, name):
        made = Headless(f"{self.root}/{name}")
        shutil.rmtree(made.place)
        self.first.git("clone", "-q", self.first.place, made.place)
        made.environ |= {
            **self.shared, "ULTRAWORK_HOST": name,
            "ULTRAWORK_SCRIPT": self.first.environ["ULTRAWORK_SCRIPT"],
        }  # fmt: skip
        return made

    def start(self, who, *words):
        return subprocess.Popen(
            [*ENTRY, *words], env=who.environ, cwd=who.place, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def kill_first(self, dice):
        """At some moment after its journal is there; the session's name."""
        how = ["run", "--auto", "--backend", "script", "--executor", "temporal", GOAL]
        engine = self.start(self.first, *how)
        end = time.monotonic() + PATIENCE
        while not (found := git(self.remote, "for-each-ref", "--format=%(refname)", "refs/ultrawork/*/journal")):
            assert time.monotonic() < end
            time.sleep(0.05)
        name = self.first.session
        assert f"/{name}/" in found
        time.sleep(dice.uniform(0.0, 12.0))
        engine.kill()
        engine.communicate()
        return name

    def check_results(self, who):
        """All is there, once, and no agent ran for nothing."""
        assert who.git("log", "--format=%B").count("Ultrawork-Task: ") == 3
        with open(self.witness, encoding="utf-8") as file:
            assert sorted(file.read().split()) == ["a", "b", "fix"]

    def check(self, who, name):
        self.check_results(who)
        store = Store(Home(who.home), actor="person", clock=time.time)
        assert find_broken_links(store.database, name) == []
        ended = [row.subject for row in attempts.list_all(store.database, name) if row.status == "resolved"]
        assert len(ended) == len(set(ended))

    def close(self):
        self.machine.end()


def lose(home):
    """Remove a home into which a check that the killed engine began may still write."""
    for _ in range(200):
        shutil.rmtree(home, ignore_errors=True)
        if not os.path.exists(home):
            return
        time.sleep(0.1)
    raise AssertionError(f"{home} is written to again and again: {os.listdir(home)}")


def end(process):
    out, err = process.communicate(timeout=PATIENCE)
    return Answer(process.returncode, out.decode(), err.decode())


@pytest.fixture
def stage(tmp_path, server):
    remote = str(tmp_path / "remote.git")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    stage = Stage(str(tmp_path), server, remote)
    yield stage
    stage.close()


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_run_is_resumed_where_it_was(stage, seed):
    name = stage.kill_first(random.Random(seed))
    answer = end(stage.start(stage.first, "resume", "--session", name, "--auto"))
    assert answer.status in (0, 5), answer  # 5: it had come to its end before it was killed
    stage.check(stage.first, name)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_run_is_taken_over_from_another_clone(stage, seed):
    name = stage.kill_first(random.Random(seed))
    lose(stage.first.home)
    other = stage.clone("other")
    answer = end(stage.start(other, "resume", name, "--from", stage.remote, "--auto"))
    if answer.status == 0:
        stage.check(other, name)
        return
    # It had come to its end before it was killed: nothing is run again, and the results are where it says.
    assert answer.status == 5, answer
    assert "nothing is left to resume" in answer.err, answer
    fetch = answer.err.partition("get its results: git ")[2].split()
    other.git(*fetch)
    other.git("merge", "-q", "--ff-only", "FETCH_HEAD")
    stage.check_results(other)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_of_two_that_take_over_at_once_one_does(stage, seed):
    name = stage.kill_first(random.Random(seed))
    lose(stage.first.home)
    both = [stage.clone("left"), stage.clone("right")]
    words = ["resume", name, "--from", stage.remote, "--auto"]
    answers = [end(one) for one in [stage.start(who, *words) for who in both]]
    won = [who for who, answer in zip(both, answers, strict=True) if answer.status == 0]
    if not won:  # it had come to its end before it was killed, and both are told so
        assert all("nothing is left to resume" in answer.err for answer in answers), answers
        return
    assert len(won) == 1, answers
    stage.check(won[0], name)
