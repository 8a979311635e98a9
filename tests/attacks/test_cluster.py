"""
Strangers of a cluster: one who reaches Temporal, one who has the git token, and a machine that lies.

None of them gets a worker to run what its coordinators did not ask for, nor the next coordinator to run what was not in
the plan, nor a coordinator to end.
"""

import asyncio
import json
import os
import subprocess
from datetime import timedelta

import pytest

from support.cluster import NotInstalled, TemporalServer, WorkerProcess, git
from support.coordinator import PATH
from ultrawork.clients.headless.attempt import WORKER, Attempt
from ultrawork.cluster.job import JobResult
from ultrawork.cluster.keys import JOBS_KEY_FILE, read_key
from ultrawork.cluster.machine_site import MachineSite
from ultrawork.cluster.place import name_queue
from ultrawork.core.errors import Conflict, NotFound, UltraworkError, UsageError
from ultrawork.store.paths import Home

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
    worker.environ |= {"ULTRAWORK_RUN_BACKEND": "script", "ULTRAWORK_SCRIPT": write_script(root, "own", "true")}
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
        environ = {"PATH": PATH, "HOME": root, "ULTRAWORK_SCRIPT": write_script(root, "own", "true")}
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
