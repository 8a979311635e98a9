"""What a stranger's machine may say of an attempt: none of it costs more than that attempt."""

import asyncio
import os
import time
from hashlib import sha256

import pytest

from support.cluster import git
from ultrawork.clients.headless.attempt import WORKER, Attempt
from ultrawork.cluster import intake
from ultrawork.cluster.job import OUTPUT, JobResult
from ultrawork.cluster.journal import ORDER
from ultrawork.cluster.keys import JOBS_KEY_FILE, ClusterKey, read_key
from ultrawork.cluster.packs import ObjectPack
from ultrawork.cluster.place import read_worker_name
from ultrawork.cluster.remote import AttemptRefs, GitRemote
from ultrawork.cluster.transfer import LostAttempts, Transfer
from ultrawork.core.errors import Conflict, NotFound, Trouble, UltraworkError, UsageError
from ultrawork.engine.agents.executor import NO_ROOM
from ultrawork.store.codec import dumps

PATH = "/usr/local/bin:/usr/bin:/bin"
HUGE = 10**400  # no float holds it


class Checkout:
    """A coordinator's checkout of one attempt, and a remote that anyone with its token writes to."""

    def __init__(self, root):
        self.remote, self.place = f"{root}/remote.git", f"{root}/place"
        git(root, "init", "-q", "--bare", self.remote)
        git(root, "init", "-q", self.place)
        git(self.place, "commit", "-q", "--allow-empty", "-m", "start")
        environ = {"PATH": PATH, "HOME": root}
        self._git = GitRemote(self.place, self.remote, environ)
        self.key = read_key({}, JOBS_KEY_FILE, root)
        self.transfer = Transfer(self.remote, environ, self.key)
        self._attempts = f"{root}/attempts"

    def sign(self, head, of="s/t1/1"):
        return dumps(self.key.seal_report(of, head)).encode() + b"\n"

    def attempt(self, epoch=1):
        folder = f"{self._attempts}/t1.{epoch}"
        os.makedirs(folder, exist_ok=True)
        return Attempt("s", "t1", WORKER, epoch, backend="script", place=self.place, folder=folder, prompt="x")

    def put(self, kind, files, epoch=1):
        """As a stranger with the git token: a commit where a worker would push its own; its id."""
        head = git(self.place, "rev-parse", "HEAD")
        pack = ObjectPack(head)
        tree = pack.add_tree({name: pack.add("blob", data) for name, data in files.items()})
        parents = [head] if kind == "work" else []
        commit = pack.add_commit(tree, parents, "x\n", self._git.identity)
        pack.write(self._git.git)
        ref = getattr(AttemptRefs.of(self.attempt(epoch)), kind)
        git(self.place, "push", "-q", self.remote, f"{commit}:{ref}")
        return commit


@pytest.fixture
def checkout(tmp_path):
    return Checkout(str(tmp_path))


ENDED = {"code": 0, "why": "ended"}
GOOD = {"result": ENDED, "sizes": [0, 0], "digest": sha256(b"").hexdigest()}


def test_work_that_git_will_not_check_out_ends_its_attempt_at_once(checkout):
    """Only a full disk or an absent remote is worth fifteen minutes of waiting."""
    work = checkout.put("work", {".git": b"gitdir: /etc\n"})
    output = checkout.put("output", {OUTPUT: checkout.sign(GOOD)})
    told = JobResult(0, "ended", work=work, output=output)
    with pytest.raises(Conflict, match=r"could not check out .*\.git"):
        checkout.transfer.take_in(checkout.attempt(), told)


def test_work_that_was_exchanged_on_the_remote_is_not_taken(checkout):
    """The result names the commit, and is signed."""
    work = checkout.put("work", {"calc.py": b"fixed"})
    output = checkout.put("output", {OUTPUT: checkout.sign(GOOD)})
    told = JobResult(0, "ended", work=work, output=output)
    git(checkout.remote, "update-ref", "-d", AttemptRefs.of(checkout.attempt()).work)
    checkout.put("work", {"conftest.py": b"import os"})
    with pytest.raises(Conflict, match="is not the expected commit"):
        checkout.transfer.take_in(checkout.attempt(), told)
    assert not os.path.exists(f"{checkout.place}/conftest.py")


def test_an_output_that_was_exchanged_on_the_remote_is_not_taken(checkout):
    told = JobResult(0, "ended", output=checkout.put("output", {OUTPUT: dumps(GOOD).encode() + b"\n"}))
    with pytest.raises(Conflict, match="is not signed"):
        checkout.transfer.take_in(checkout.attempt(), told)


KINDS = {
    "result": (JobResult.unseal, ENDED),
    "beat": (lambda sealed, key, of: key.unseal_report(sealed, of, "the heartbeat"), {"machine": "m"}),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("forge", "word"),
    [
        (lambda _, report: report, "not signed"),
        (lambda key, report: [key.seal_report("s/t1/1", report)], "not signed"),
        (lambda key, report: {**key.seal_report("s/t1/1", report), "body": None}, "not signed"),
        (lambda key, report: {**key.seal_report("s/t1/1", report), "signature": None}, "another key"),
        (lambda key, report: {**key.seal_report("s/t1/1", report), "signature": "0" * 1_000_000}, "another key"),
        (lambda key, report: {**key.seal_report("s/t1/1", report), "body": "[" * 100_000}, "another key"),
        (lambda _, report: ClusterKey("", "", "x" * 64).seal_report("s/t1/1", report), "another key"),
        (lambda key, report: key.seal_report("s/t1/2", report), "another attempt"),
        (lambda key, report: key.seal_report("other/t1/1", report), "another attempt"),
        (lambda key, report: key.seal(report), "another attempt"),
        (lambda key, _: key.seal({"session": "s", "subject": "t1", "epoch": 1}), "another attempt"),
    ],
    ids=["plain", "list", "none", "unsigned", "long", "deep", "own-key", "replayed", "other-run", "unbound", "a-log"],
)
def test_what_no_worker_signed_of_this_attempt_is_refused(checkout, kind, forge, word):
    """Anyone who reaches Temporal may answer, and has seen what workers signed before."""
    read, report = KINDS[kind]
    with pytest.raises(Conflict, match=word):
        read(forge(checkout.key, report), checkout.key, "s/t1/1")
    assert read(checkout.key.seal_report("s/t1/1", report), checkout.key, "s/t1/1")


@pytest.mark.parametrize("files", [{}, {"other": b"x"}])
def test_an_output_without_its_file_is_not_waited_for(checkout, files):
    told = JobResult(0, "ended", output=checkout.put("output", files))
    with pytest.raises(NotFound, match="has no file attempt") as raised:
        checkout.transfer.take_in(checkout.attempt(), told)
    assert not isinstance(raised.value, Trouble)


@pytest.mark.parametrize(
    "said",
    [
        lambda _: b"no json\n",
        lambda _: b"[" * 50_000,
        lambda checkout: checkout.sign({**GOOD, "sizes": [HUGE, 0]}),
        lambda _: dumps(GOOD).encode() + b"\n",
        lambda checkout: dumps(checkout.key.seal_report("s/t1/1", GOOD)).replace("0,0", "1,0").encode() + b"\n",
        lambda checkout: checkout.sign(GOOD) + b"of another agent",
        lambda checkout: checkout.sign(GOOD, "s/t1/3"),
        lambda checkout: checkout.sign(GOOD, "other/t1/1"),
    ],
    ids=["no-json", "deep", "sizes", "unsigned", "bent", "more", "other-attempt", "other-run"],
)
def test_what_was_pushed_for_a_lost_attempt_does_not_spoil_the_next(checkout, said):
    """Only a result that a worker signed for it is taken: its work is checked by running it, and its plan names the
    checks."""
    checkout.put("output", {OUTPUT: said(checkout)})
    open(f"{checkout.attempt(1).folder}/{ORDER}", "w").close()
    lost = LostAttempts(checkout.attempt(2), checkout.transfer)
    assert lost.pause
    assert asyncio.run(lost.take()) is None
    assert lost.pause is None, "it is not asked for again"


@pytest.mark.parametrize(
    "beat",
    [{"age": HUGE}, {"cpu": -HUGE}, {"quiet": float("nan")}, {"usd": HUGE}, {"bytes": HUGE},
     {"tokens": HUGE}, {"used": True}, {"calls": ["x"] * 100}, {"calls": "x"}, {"machine": HUGE},
     {"estimated": 1}, {"last": ["x"]}, {"environ": {}}],
)  # fmt: skip
def test_a_beat_that_no_worker_sends_is_refused_by_its_field(beat):
    with pytest.raises(UsageError, match=f"{next(iter(beat))}|unknown field"):
        intake.read_fields({"machine": "liar", **beat}, intake.BEAT, "the heartbeat", ("machine",))


def test_half_a_character_of_a_beat_can_be_stored():
    told = intake.read_fields({"machine": "m", "last": "cut \ud83d"}, intake.BEAT, "the heartbeat")
    assert told["last"].encode() == b"cut ?"


@pytest.mark.parametrize("result", [{"seconds": HUGE}, {"cpu_seconds": HUGE}, {"code": HUGE}])
def test_a_result_with_a_number_that_nothing_holds_is_refused(result):
    with pytest.raises(UltraworkError):
        JobResult.read({"code": 0, "why": "ended", **result})


@pytest.mark.parametrize(
    "name",
    ["", "x", "x|²|||", "x|0|||", f"x|{'9' * 5_000}|||", f"x|{'9' * 400}|||", "a b|3|l|1|c",
     "a|3|l\nl|1|c", "|3|||", f"{'x' * 5_000}|3|||", f"x|3|||{'a' * 5_000}", "x|3||1|c|more"],
)  # fmt: skip
def test_a_stranger_among_the_workers_is_not_listed(name):
    """Its name goes into the database and on every screen of a run."""
    assert read_worker_name(name, time.time()) is None


def test_a_machine_may_say_that_its_disk_was_full():
    """Its agent died of that, and not of its task."""
    assert JobResult.read({"code": 1, "why": NO_ROOM}).why == NO_ROOM
