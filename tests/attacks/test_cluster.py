"""
Strangers of a cluster: one who reaches Temporal, one who has the git token, and a machine that lies.

None of them gets a worker to run what its coordinators did not ask for, nor the next coordinator to run what was not in
the plan, nor a coordinator to end.
"""

import asyncio
import json
import os
import subprocess
import time
from datetime import timedelta

import pytest

from support.cluster import NotInstalled, TemporalServer, WorkerProcess, git
from support.coordinator import PATH, Coordinator
from ultrawork.clients.headless.attempt import WORKER, Attempt
from ultrawork.cluster.job import JobResult
from ultrawork.cluster.keys import JOBS_KEY_FILE, JOURNAL_KEY_FILE, read_key
from ultrawork.cluster.machine_site import MachineSite
from ultrawork.cluster.place import name_queue
from ultrawork.cluster.takeover import take_over
from ultrawork.core.errors import Conflict, NotFound, UltraworkError, UsageError
from ultrawork.core.plan.task import Task
from ultrawork.store import tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

SPRUNG = "sprung"


def make_remote(root):
    """With a commit that an earlier run has left there; its id."""
    remote, place = f"{root}/remote.git", f"{root}/place"
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    subprocess.run(["git", "init", "-q", place], check=True)
    git(place, "commit", "-q", "--allow-empty", "-m", "start")
    base = git(place, "rev-parse", "HEAD")
    git(place, "push", "-q", remote, f"{base}:refs/ultrawork/s/bases/{base}")
    return remote, base


def make_attempt(**more):
    attempt = Attempt("s", "t1", WORKER, 1, backend="script", place="", folder="", prompt="hello")
    here = ("place", "folder", "resume", "alone")
    told = {name: value for name, value in attempt.document().items() if name not in here}
    return {**told, **more}


def write_script(root, name, command):
    path = f"{root}/{name}.toml"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'[[agent]]\ndo = [ {{ run = ["sh", "-c", "{command}"] }} ]\n')
    return path


def lay_trap(root):
    return write_script(root, "trap", f"touch {root}/{SPRUNG}")


@pytest.mark.slow
def test_a_stranger_of_temporal_gets_no_worker_to_run_anything(tmp_path):
    """Their job names a variable that decides which program runs, as an API's address or a PATH would."""
    root = str(tmp_path)
    remote, base = make_remote(root)
    try:
        server = TemporalServer(root).start()
    except NotInstalled as error:
        pytest.skip(str(error))
    worker = WorkerProcess(f"{root}/machines", "one", server, remote)
    worker.environ |= {
        "ULTRAWORK_RUN_BACKEND": "script",
        "ULTRAWORK_SCRIPT": write_script(root, "own", "true"),
    }
    del worker.environ["ULTRAWORK_WORKER_ANY_COMMAND"]
    trap = {"ULTRAWORK_SCRIPT": lay_trap(root)}
    plain = {"attempt": make_attempt(place="", folder=""), "remote": remote, "base": base}
    plain |= {"lease": 30.0, "command": None}
    forged = read_key({}, JOBS_KEY_FILE, f"{root}/strangers")
    asked = [
        {**plain, "variables": trap},
        forged.seal({**plain, "attempt": make_attempt(), "depth": 1}),
        {"remote": remote, "session": "s", "subject": "t1", "epoch": 1, "lease": 30.0},
    ]
    try:
        worker.start().wait_ready()
        told = asyncio.run(ask_worker(server.address, asked))
    finally:
        worker.end()
        server.kill()
    assert not os.path.exists(f"{root}/{SPRUNG}")
    assert ["is not signed" in told[0], "signed with another key" in told[1]] == [True, True], told
    assert "is not signed" in told[2], told
    assert not [name for name in os.listdir(f"{worker.home}/state/cluster/one/attempts") if "t1" in name]


async def ask_worker(address, documents):
    """As anybody may who reaches Temporal: what the worker says to each."""
    from temporalio.client import Client

    client = await Client.connect(address)
    told = []
    for number, document in enumerate(documents):
        result = await client.execute_activity(
            "ultrawork.attempt",
            document,
            id=f"s/t1/{number}",
            task_queue=name_queue("script"),
            start_to_close_timeout=timedelta(seconds=30),
            heartbeat_timeout=timedelta(seconds=20),
        )
        told.append(str(result))
    return told


class Machine:
    """A worker's site that serves the scripted agent, and whoever holds the jobs key."""

    def __init__(self, root):
        self.remote, self.base = make_remote(root)
        home = Home(f"{root}/state")
        environ = {
            "PATH": PATH,
            "HOME": root,
            "ULTRAWORK_SCRIPT": write_script(root, "own", "true"),
        }
        self.site = MachineSite(home, environ, [self.remote], host="box", accounts={"script": "box"})
        self.key = read_key({}, JOBS_KEY_FILE, home.root)

    def ask(self, job=None, **attempt):
        told = {"attempt": make_attempt(**attempt), "remote": self.remote, "base": self.base}
        return self.key.seal({**told, "lease": 4.0, **(job or {})})


@pytest.fixture
def machine(tmp_path):
    machine = Machine(str(tmp_path))
    yield machine
    machine.site.close()


def begin(machine, sealed):
    job = machine.site.read_job(sealed)
    machine.site.prepare(job)
    return machine.site.begin(job, lambda: None)


@pytest.mark.parametrize(
    ("job", "attempt", "word"),
    [
        ({"variables": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}}, {}, "variables"),
        ({"environ": {"PATH": "/evil"}}, {}, "environ"),
        ({"depth": "1; rm"}, {}, "depth"),
        ({"lease": 0}, {}, "lease"),
        ({"base": "--upload-pack=touch"}, {}, "base"),
        ({"base": "HEAD"}, {}, "base"),
        ({"remote": "ext::sh -c touch%20x"}, {}, "does not serve the remote"),
        ({"command": {"argv": ["sh"], "environ": {}, "stdin": ""}}, {}, "runs only agent programs"),
        ({}, {"place": "/etc"}, "place"),
        ({}, {"folder": "/etc"}, "folder"),
        ({}, {"resume": "other"}, "resume"),
        ({}, {"backend": "claude"}, "does not serve the agent program"),
        ({}, {"backend": "../script"}, "backend"),
        ({}, {"model": "--dangerously-skip-permissions"}, "model"),
        ({}, {"effort": 'high" -c x="y'}, "effort"),
        ({}, {"role": "root"}, "role"),
        ({}, {"epoch": True}, "epoch"),
        ({}, {"session": "../../etc"}, "session"),
        ({}, {"seconds": 1e300}, "seconds"),
    ],
)
def test_a_job_with_the_right_key_says_what_to_do_and_nothing_of_the_machine(machine, job, attempt, word):
    with pytest.raises((UsageError, Conflict, NotFound), match=word):
        begin(machine, machine.ask(job, **attempt))


def test_an_ordinary_job_is_taken(machine):
    attempt = begin(machine, machine.ask(model="sonnet", effort="high"))
    assert attempt.folder.startswith(machine.site.folder), "where it lies is the machine's own affair"


def test_a_signed_job_that_was_bent_on_its_way_is_refused(machine):
    sealed = machine.ask()
    for bent in (
        {**sealed, "body": sealed["body"].replace("hello", "evil!")},
        {**sealed, "signature": sealed["signature"][::-1]},
        {"body": sealed["body"]},
        json.loads(sealed["body"]),
        {"body": "\ud800", "signature": "\ud800"},
        [],
    ):
        with pytest.raises(Conflict, match=r"not signed|another key"):
            machine.site.read_job(bent)


@pytest.fixture
def gone(tmp_path):
    """A run whose coordinator is gone: its journal on a remote, and a clone elsewhere with the same journal key."""
    remote = str(tmp_path / "remote.git")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    plan = [Task(id="a", subject="do a", criteria=["make test => exit 0"])]
    first = Coordinator(str(tmp_path), "first", plan)
    first.open(remote).close()
    first.close()
    subprocess.run(["git", "clone", "-q", f"{first.root}/p", f"{tmp_path}/other"], check=True)
    key = f"{first.home.root}/cluster/journal.key"
    return Gone(str(tmp_path), remote, key)


class Gone:
    def __init__(self, root, remote, key):
        self.root, self.remote, self.key = root, remote, key
        self.store = Store(Home(f"{root}/second"), actor="person", clock=time.time)

    def take(self, **more):
        environ = {"PATH": PATH, "HOME": self.root, JOURNAL_KEY_FILE: more.pop("key", self.key)}
        name = more.pop("name", "s")
        take_over(self.store, environ, f"{self.root}/other", name, self.remote, **more)
        return [one.criteria for one in tasks.list_all(self.store.database, name)]

    def bend(self, name, old, new):
        """As anybody can who holds the git token."""
        ref, place = "refs/ultrawork/s/journal", f"{self.root}/thief"
        subprocess.run(["git", "clone", "-q", self.remote, place], check=True, capture_output=True)
        git(place, "fetch", "-q", "origin", f"{ref}:{ref}")
        text = git(place, "show", f"{ref}:{name}") + "\n"
        assert old in text
        with open(f"{place}/{name}", "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))
        git(place, "read-tree", ref)
        git(place, "add", "-f", name)
        entry = git(place, "commit-tree", git(place, "write-tree"), "-p", ref, "-m", "x")
        git(place, "push", "-qf", "origin", f"{entry}:{ref}")


def test_a_journal_as_its_coordinator_wrote_it_is_taken_over(gone):
    assert gone.take() == [["make test => exit 0"]]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tasks.jsonl", "make test => exit 0", f"touch {SPRUNG} => exit 0"),
        ("sessions.jsonl", '"goal":"g"', '"goal":"h"'),
        ("meta.json", '"results":"', '"results":"0'),
    ],
)
def test_a_journal_that_was_bent_with_the_git_token_is_refused(gone, name, old, new):
    gone.bend(name, old, new)
    entry = git(gone.remote, "rev-parse", "refs/ultrawork/s/journal")
    with pytest.raises(Conflict, match="is not signed with"):
        gone.take()
    assert tasks.list_all(gone.store.database, "s") == []
    assert git(gone.remote, "rev-parse", "refs/ultrawork/s/journal") == entry, "nothing is claimed"


def test_a_journal_of_another_run_is_refused(gone):
    """It is signed, as that run."""
    for ref in git(gone.remote, "for-each-ref", "--format=%(refname)", "refs/ultrawork/s").split():
        git(gone.remote, "update-ref", ref.replace("/s/", "/other/"), ref)
    with pytest.raises(Conflict, match="is not signed with"):
        gone.take(name="other")
    assert tasks.list_all(gone.store.database, "other") == []


def test_results_that_were_moved_with_the_git_token_are_refused(gone):
    place = f"{gone.root}/other"
    git(place, "commit", "-q", "--allow-empty", "-m", "evil")
    git(place, "push", "-qf", gone.remote, "HEAD:refs/ultrawork/s/integration")
    with pytest.raises(Conflict, match="differs from the journal; another process moved it"):
        gone.take()


def test_a_machine_without_the_journal_key_takes_over_only_what_its_person_trusts(gone):
    other = read_key({}, JOURNAL_KEY_FILE, f"{gone.root}/other-home").path
    with pytest.raises(Conflict, match="--trust-journal"):
        gone.take(key=other)
    assert gone.take(key=other, trusted=True) == [["make test => exit 0"]]


GOOD = {"code": 0, "why": "ended", "seconds": 1.0, "work": "", "output": "a" * 40}


@pytest.mark.parametrize(
    "told",
    [
        None, [], "ended", {}, {**GOOD, "code": "0"}, {**GOOD, "why": "great"},
        {**GOOD, "seconds": float("inf")}, {**GOOD, "work": "--output=/etc/x"},
        {**GOOD, "output": "HEAD"}, {**GOOD, "said": "\0"}, {**GOOD, "machine": "../x"},
        {**GOOD, "more": 1}, {**GOOD, "cpu_seconds": -1},
    ],
)  # fmt: skip
def test_a_result_that_is_none_is_refused(told):
    with pytest.raises(UltraworkError):
        JobResult.read(told)


def test_a_result_that_tells_too_much_is_shown_on_one_line():
    told = JobResult.read({**GOOD, "detail": "x\x1b[2J\n" * 2_000})
    assert len(told.detail) <= 2_000
    assert not set("\x1b\n") & set(told.detail)
