"""What the git token opens: a journal that was bent, cut, mixed or put elsewhere never decides what the next coordinator
runs."""

import os
import subprocess
import time

import pytest

from support.cluster import git
from support.coordinator import PATH, Coordinator
from ultrawork.cluster.journal import SIGNATURE, remove_run
from ultrawork.cluster.keys import JOURNAL_KEY_FILE, read_key
from ultrawork.cluster.remote import GitRemote
from ultrawork.cluster.takeover import take_over
from ultrawork.core.errors import Conflict, UltraworkError
from ultrawork.core.plan.task import Task
from ultrawork.engine.contract import RunHalted
from ultrawork.store import tasks
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

SPRUNG = "sprung"
JOURNAL = "refs/ultrawork/s/journal"
CRITERIA = [["make test => exit 0"], ["make test => exit 0"]]


@pytest.fixture
def gone(tmp_path):
    """A run whose coordinator is gone: its journal on a remote, and a clone elsewhere with the same journal key."""
    remote = str(tmp_path / "remote.git")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    plan = [Task(id=name, subject=f"do {name}", criteria=["make test => exit 0"]) for name in "ab"]
    first = Coordinator(str(tmp_path), "first", plan)
    first.open(remote).close()
    first.close()
    subprocess.run(["git", "clone", "-q", f"{first.root}/p", f"{tmp_path}/other"], check=True)
    key = f"{first.home.root}/cluster/journal.key"
    return Gone(str(tmp_path), remote, key)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


class Gone:
    def __init__(self, root, remote, key):
        self.root, self.remote, self.key = root, remote, key
        self.store = Store(Home(f"{root}/second"), actor="person", clock=time.time)

    def take(self, **more):
        environ = {"PATH": PATH, "HOME": self.root, JOURNAL_KEY_FILE: more.pop("key", self.key)}
        name = more.pop("name", "s")
        take_over(self.store, environ, f"{self.root}/other", name, self.remote, **more)
        return [one.criteria for one in tasks.list_all(self.store.database, name) if not one.is_verify]

    def steal(self):
        """A clone of the remote by anybody who holds the git token, with the files of the journal in it."""
        place = f"{self.root}/thief"
        subprocess.run(["git", "clone", "-q", self.remote, place], check=True, capture_output=True)
        git(place, "fetch", "-q", "origin", f"{JOURNAL}:{JOURNAL}")
        git(place, "read-tree", "-u", "--reset", JOURNAL)
        return place

    def put(self, place):
        """Push what lies there as the newest entry."""
        git(place, "add", "-Af", ".")
        entry = git(place, "commit-tree", git(place, "write-tree"), "-p", JOURNAL, "-m", "x")
        git(place, "push", "-qf", "origin", f"{entry}:{JOURNAL}")

    def bend(self, name, old, new):
        place = self.steal()
        text = read(f"{place}/{name}")
        assert old in text
        write(f"{place}/{name}", text.replace(old, new))
        self.put(place)


def test_a_journal_as_its_coordinator_wrote_it_is_taken_over(gone):
    assert gone.take() == CRITERIA


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
    assert gone.take(key=other, trusted=True) == CRITERIA


def reverse(place):
    write(f"{place}/tasks.jsonl", "\n".join(reversed(read(f"{place}/tasks.jsonl").splitlines())) + "\n")


def cut_rows(place):
    write(f"{place}/tasks.jsonl", read(f"{place}/tasks.jsonl").splitlines()[0] + "\n")


def double(place):
    write(f"{place}/tasks.jsonl", 2 * read(f"{place}/tasks.jsonl"))


def swap(place):
    os.rename(f"{place}/tasks.jsonl", f"{place}/x")
    os.rename(f"{place}/sessions.jsonl", f"{place}/tasks.jsonl")
    os.rename(f"{place}/x", f"{place}/sessions.jsonl")


def sign_myself(place):
    """With a key of their own, as a signature of the right length."""
    text = read_key({}, JOURNAL_KEY_FILE, f"{place}/.git/home").sign(read(f"{place}/tasks.jsonl"))
    write(f"{place}/{SIGNATURE}", text)


CUTS = {
    "reordered": reverse,
    "truncated": cut_rows,
    "doubled": double,
    "swapped": swap,
    "no-tasks": lambda place: os.unlink(f"{place}/tasks.jsonl"),
    "no-meta": lambda place: os.unlink(f"{place}/meta.json"),
    "no-signature": lambda place: os.unlink(f"{place}/{SIGNATURE}"),
    "own-signature": sign_myself,
    "one-more": lambda place: write(f"{place}/controls.jsonl.jsonl", "{}\n"),
    "other-name": lambda place: os.rename(f"{place}/tasks.jsonl", f"{place}/tasks.json"),
}


@pytest.mark.parametrize("cut", CUTS)
def test_a_journal_that_was_cut_or_mixed_is_refused(gone, cut):
    place = gone.steal()
    CUTS[cut](place)
    gone.put(place)
    with pytest.raises(Conflict, match="is not signed with"):
        gone.take()
    assert gone.store.database.rows("SELECT id FROM sessions") == []


def link(place):
    os.unlink(f"{place}/meta.json")
    os.symlink("/etc/passwd", f"{place}/meta.json")


def nest(place):
    os.unlink(f"{place}/meta.json")
    os.mkdir(f"{place}/meta.json")
    write(f"{place}/meta.json/x", "x")


def crowd(place):
    """Each is small where it lies, and all of them would not fit into memory."""
    with open(f"{place}/zeros", "wb") as file:
        file.truncate(10 << 20)
    blob = git(place, "hash-object", "-w", "zeros")
    os.unlink(f"{place}/zeros")
    for number in range(60):
        git(place, "update-index", "--add", "--cacheinfo", f"100644,{blob},z{number}")
    git(place, "update-index", "--skip-worktree", *(f"z{number}" for number in range(60)))


ODD = {
    "link": (link, "is not a journal"),
    "folder": (nest, "is not a journal"),
    "program": (lambda place: os.chmod(f"{place}/tasks.jsonl", 0o755), "is not a journal"),
    "many": (lambda place: [write(f"{place}/{n}", "x") for n in range(200)], "is not a journal"),
    "large": (crowd, "is larger than"),
    "name": (lambda place: write(f"{place}/--output=x \n\x1b[2J", "x"), "is not signed with"),
}


@pytest.mark.parametrize("odd", ODD)
def test_a_journal_of_odd_files_is_refused_before_any_is_read(gone, odd):
    lay, word = ODD[odd]
    place = gone.steal()
    lay(place)
    gone.put(place)
    with pytest.raises(Conflict, match=word) as raised:
        gone.take()
    assert str(raised.value).isprintable()


UNREADABLE = {
    "no-json": ("meta.json", lambda _: "x"),
    "no-object": ("meta.json", lambda _: "[]"),
    "no-folder": ("meta.json", lambda text: text.replace('"folder"', '"other"')),
    "no-start": ("meta.json", lambda text: text.replace('"base"', '"other"')),
    "no-session": ("sessions.jsonl", lambda _: ""),
    "no-phase": ("sessions.jsonl", lambda _: "{}\n"),
    "other-session": ("sessions.jsonl", lambda text: text.replace('"id":"s"', '"id":"other"')),
    "no-task": ("tasks.jsonl", lambda _: '{"session":"s","id":"../../x"}\n'),
    "no-order": ("orders.json", lambda _: '{"a":{"attempt":{"x":1},"base":"--x"}}'),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_journal_that_a_person_trusts_and_that_is_none_is_refused_with_a_sentence(gone, case):
    name, bend = UNREADABLE[case]
    place = gone.steal()
    write(f"{place}/{name}", bend(read(f"{place}/{name}")))
    gone.put(place)
    with pytest.raises(Conflict, match="is not one that this version can read"):
        gone.take(trusted=True)
    assert gone.store.database.rows("SELECT id FROM sessions") == []


@pytest.mark.parametrize("kind", ["blob", "tree", "tag", "empty"])
def test_a_journal_that_is_no_commit_of_a_journal_is_refused(gone, kind):
    place = gone.steal()
    git(place, "tag", "-a", "-m", "x", "t", git(place, "hash-object", "-w", "meta.json"))
    made = {
        "blob": git(place, "hash-object", "-w", "meta.json"),
        "tree": git(place, "rev-parse", f"{JOURNAL}^{{tree}}"),
        "tag": git(place, "rev-parse", "t"),
        "empty": git(place, "commit-tree", "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "-m", "x"),
    }
    git(place, "push", "-qf", "origin", f"{made[kind]}:{JOURNAL}")
    with pytest.raises(UltraworkError):
        gone.take()
    assert gone.store.database.rows("SELECT id FROM sessions") == []


def test_a_ref_in_the_way_of_the_journal_stops_its_coordinator_with_a_sentence(tmp_path):
    remote = str(tmp_path / "remote.git")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    first = Coordinator(str(tmp_path), "first")
    journal = first.open(remote)
    git(remote, "update-ref", "-d", JOURNAL)
    git(remote, "update-ref", f"{JOURNAL}/x", journal.last)
    first.change()
    began = time.monotonic()
    with pytest.raises(RunHalted) as raised:
        journal.record()
    journal.close()
    first.close()
    assert time.monotonic() - began < 30
    assert str(raised.value).isprintable()


def test_a_branch_that_is_named_like_our_refs_is_never_removed(gone):
    """Git finds it too where it looks for refs of the run."""
    branch = "refs/heads/refs/ultrawork/s/mine"
    git(gone.remote, "update-ref", branch, git(gone.remote, "rev-parse", JOURNAL))
    remove_run(GitRemote(f"{gone.root}/other", gone.remote, {"PATH": PATH, "HOME": gone.root}), "s")
    assert git(gone.remote, "for-each-ref", "--format=%(refname)") == branch
