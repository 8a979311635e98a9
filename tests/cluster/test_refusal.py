"""A remote that does not take what is pushed: told apart from one that is away, and from somebody who was quicker."""

import asyncio
import os
import subprocess
import time
import zlib

import pytest

from support.cluster import ENTRY, SOURCE, git
from support.coordinator import Coordinator
from ultrawork.cluster.journal import read_coordinator
from ultrawork.cluster.refusal import RefusalBoard, RemotePatience, RemoteRefusal, is_stale, read_trouble
from ultrawork.cluster.remote import GitRemote, RefPush
from ultrawork.cluster.transfer import persist
from ultrawork.core.errors import Conflict, NotFound, Trouble
from ultrawork.engine.contract import RunHalted
from ultrawork.report import timeline
from ultrawork.store import sessions
from ultrawork.store.paths import Home

PATH = "/usr/local/bin:/usr/bin:/bin"
RULE, KEY = ("allow refs below refs/ultrawork/ there", "configure a token or a key that can push there")
# A hook that colours, rings and says what git says where somebody was quicker.
LOUD_HOOK = "printf '\\033[31mfetch first\\007, it already exists\\033[0m\\n' >&2; exit 1"


def reject(why, how="[remote rejected]"):
    return f"To x\n!\tHEAD:refs/a\t[remote rejected] (atomic push failure)\n!\tHEAD:refs/b\t{how} ({why})\nDone\n"


@pytest.mark.parametrize(
    ("report", "printed", "cure"),
    [
        (reject("pre-receive hook declined"), "remote: no\n", RULE),
        (reject("hook declined"), "", RULE),
        (reject("protected branch hook declined"), "remote: error: GH006: Protected\n", RULE),
        (reject("push declined due to repository rule violations"), "", RULE),
        (reject("deny updating a hidden ref"), "", RULE),
        (reject("unpacker error"), "remote: error: insufficient permission for adding\n", RULE),
        (reject("unpacker error"), "remote: fatal: write error: Disk quota exceeded\n", ""),
        (reject("cannot lock ref 'refs/b': is at 1 but expected 2"), "", ""),
        (reject("failed to update ref"), "", ""),
        ("", "fatal: Authentication failed for 'https://x/'\n", KEY),
        ("", "fatal: could not read Username for 'https://x': terminal prompts disabled\n", KEY),
        ("", "remote: Write access to repository not granted.\nfatal: … error: 403\n", KEY),
        ("", "git@x: Permission denied (publickey).\nfatal: Could not read\n", KEY),
        ("", "ERROR: The key you are authenticating with has been marked as read only.\n", KEY),
        ("", "fatal: '/srv/x.git' does not appear to be a git repository\n", None),
        ("", "fatal: unable to access 'https://x/': Could not resolve host: x\n", None),
        ("", "fatal: unable to access 'https://x/': The requested URL returned error: 503\n", None),
        ("", "ssh: connect to host x port 22: Connection refused\nfatal: Could not read\n", None),
        ("", "fatal: remote error: access denied or repository not exported: /x\n", None),
        (reject("remote failed to report status", "[remote failure]"), "fatal: hung up\n", None),
        ("", "", None),
    ],
)
def test_what_will_not_pass_by_itself_is_told_from_what_may(report, printed, cure):
    """None: nobody refused anything, the remote is away."""
    found = read_trouble("git push to x", report, printed)
    assert (found.cure if isinstance(found, RemoteRefusal) else None) == cure
    assert not is_stale(report)


@pytest.fixture
def remote(tmp_path):
    path = str(tmp_path / "r.git")
    subprocess.run(["git", "init", "-q", "--bare", path], check=True)
    return path


def hook(remote, script):
    path = f"{remote}/hooks/pre-receive"
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\n{script}\n")
    os.chmod(path, 0o755)
    return path


def test_what_a_hook_prints_is_shown_without_its_controls_and_is_not_gits_word(tmp_path, remote):
    place = str(tmp_path / "p")
    subprocess.run(["git", "init", "-q", place], check=True)
    git(place, "commit", "-q", "--allow-empty", "-m", "x")
    head, ref = git(place, "rev-parse", "HEAD"), "refs/ultrawork/s/journal"
    ours = GitRemote(place, remote, {"PATH": PATH, "HOME": str(tmp_path)})
    declining = hook(remote, LOUD_HOOK)
    with pytest.raises(RemoteRefusal) as caught:
        ours.push([RefPush(ref, head)])
    assert str(caught.value) == (
        f"git push to {remote} was rejected: pre-receive hook declined: fetch first, it already exists"
    )
    os.unlink(declining)
    ours.push([RefPush(ref, head)])
    hook(remote, LOUD_HOOK)
    git(place, "commit", "-q", "--allow-empty", "-m", "y")
    with pytest.raises(Conflict, match="another process moved"):
        ours.push([RefPush(ref, git(place, "rev-parse", "HEAD"))])


@pytest.fixture
def pushed(tmp_path, remote):
    """A commit with one file on the remote, where its object lies, and a clone that can fetch it."""
    place = str(tmp_path / "p")
    subprocess.run(["git", "init", "-q", place], check=True)
    with open(f"{place}/file", "wb") as file:
        file.write(os.urandom(500))
    git(place, "add", "file")
    git(place, "commit", "-q", "-m", "x")
    environ, ref = {"PATH": PATH, "HOME": str(tmp_path)}, "refs/ultrawork/s/base"
    GitRemote(place, remote, environ).push([RefPush(ref, git(place, "rev-parse", "HEAD"))])
    other = str(tmp_path / "other")
    subprocess.run(["git", "init", "-q", other], check=True)
    name = git(place, "rev-parse", "HEAD:file")
    return GitRemote(other, f"file://{remote}", environ), ref, f"{remote}/objects/{name[:2]}/{name[2:]}"


@pytest.mark.parametrize("content", [b"no object", zlib.compress(b"blob 3\0abc")], ids=["unreadable", "another"])
def test_damaged_data_ends_the_attempt_at_once_with_the_cause(pushed, content):
    ours, ref, path = pushed
    os.chmod(path, 0o644)
    with open(path, "wb") as file:
        file.write(content)
    tries = []

    def fetch():
        tries.append(ref)
        ours.fetch(ref)

    with pytest.raises(NotFound, match=r"git fetch of .* failed: the data is damaged: .*; run git fsck there"):
        asyncio.run(persist(RemotePatience(RefusalBoard(), "a", 600.0), fetch))
    assert len(tries) == 1


@pytest.mark.parametrize(
    ("printed", "is_damaged"),
    [
        ("error: inflate returned -3\nfatal: unpack-objects failed\n", True),
        ("fatal: pack has bad object at offset 12: inflate returned -3\nfatal: index-pack failed\n", True),
        ("fatal: pack is corrupted (SHA1 mismatch)\nfatal: index-pack failed\n", True),
        ("fetch-pack: unexpected disconnect while reading sideband packet\nfatal: early EOF\n", False),
        ("fatal: unable to access 'https://x/': Could not resolve host: x\n", False),
        ("fatal: write error: No space left on device\nfatal: index-pack failed\n", False),
    ],
)
def test_data_that_is_bad_is_told_from_data_that_did_not_arrive(printed, is_damaged):
    assert isinstance(read_trouble("git fetch of x", "", printed), Trouble) is not is_damaged


def test_a_refusal_is_told_at_once_and_once_and_one_that_is_away_only_after_a_while(tmp_path):
    told, board = [], RefusalBoard()
    board.show(Home(str(tmp_path)), "s", told.append)
    away = RemotePatience(board, "a", 600.0)
    assert not away.is_over(Trouble("it is away"))
    assert told == []
    full = RemoteRefusal("it was refused: no room")
    assert not RemotePatience(board, "b", 600.0).is_over(full)
    assert not RemotePatience(board, "c", 600.0).is_over(full)
    clock = time.strftime("%H:%M", time.localtime(time.time() + 600.0))
    later = time.strftime("%H:%M", time.localtime(time.time() + 599.0))
    assert told in ([f"it was refused: no room; retrying until {one}"] for one in (clock, later))
    assert RemotePatience(board, "d", 0.0).is_over(Trouble("it is away"))
    firm = RemotePatience(board, "e", 600.0, firm=0.05)
    declined = RemoteRefusal("it was refused: hook declined", "change it")
    assert not firm.is_over(declined), "it may have been mended meanwhile"
    time.sleep(0.06)
    assert not firm.is_over(Trouble("it is away")), "that is another matter"
    assert not firm.is_over(declined)
    time.sleep(0.06)
    assert firm.is_over(declined)


@pytest.fixture
def coordinator(tmp_path):
    made = Coordinator(str(tmp_path), "one")
    yield made
    made.close()


@pytest.mark.slow
def test_a_run_whose_remote_declines_says_so_stops_soon_and_goes_on_later(coordinator, remote):
    declining = hook(remote, LOUD_HOOK)
    said = f"git push to {remote} was rejected: pre-receive hook declined: fetch first, it already exists"
    with pytest.raises(RunHalted) as caught:
        coordinator.open(remote)
    assert str(caught.value) == f"{said}; {RULE}"
    line = f"{said}; retrying for 0.1 s, then the run stops"
    assert coordinator.told == [(timeline.REFUSED, {"line": line})]
    assert timeline.render_line(*coordinator.told[0]) == line, "it is shown whole"
    assert f"remote     {said}; {RULE}, then resume\n" in f"{coordinator.status}\n"
    os.unlink(declining)
    coordinator.run.orders.leaving = False
    journal = coordinator.open(remote)
    assert git(remote, "rev-parse", journal.ref) == journal.last
    assert "refused" not in coordinator.status
    journal.close()


@pytest.mark.slow
def test_a_refusal_while_a_run_goes_on_halts_it_for_all_who_write(coordinator, remote):
    journal = coordinator.open(remote)
    before = journal.last
    hook(remote, "exit 1")
    coordinator.change()
    with pytest.raises(RunHalted, match="pre-receive hook declined; allow refs below"):
        journal.record()
    assert coordinator.run.orders.leaving
    assert "hook declined" in journal.get_loss()
    begun = time.monotonic()
    with pytest.raises(RunHalted, match="hook declined"):
        journal.announce(coordinator.run.repository.head())
    assert time.monotonic() - begun < 1, "nobody waits for it once more"
    journal.close()
    assert git(remote, "rev-parse", journal.ref) == before


def take(remote, journal, root, ref=""):
    """The run by another coordinator, as `resume --from` does; with `ref`, its entry lies there only."""
    place = f"{root}/other"
    subprocess.run(["git", "clone", "-q", remote, place], check=True, capture_output=True)
    git(place, "fetch", "-q", "origin", f"{journal.ref}:{journal.ref}")
    meta = git(place, "show", f"{journal.ref}:meta.json")
    ours = meta.replace(read_coordinator(journal._run.folder), "0" * 32).replace("one", "elsewhere")
    with open(f"{place}/meta.json", "w", encoding="utf-8") as file:
        file.write(ours)
    git(place, "read-tree", journal.ref)
    git(place, "add", "meta.json")
    entry = git(place, "commit-tree", git(place, "write-tree"), "-p", journal.ref, "-m", "taken")
    git(place, "push", "-q", "origin", f"{entry}:{ref or journal.ref}")


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["exit 0", "exit 1"])
def test_another_coordinator_who_is_quicker_by_a_moment_is_no_refusal(coordinator, remote, tmp_path, ends):
    """Its entry comes between what we saw there and our own push: the remote refuses that, and it is no rule of it."""
    journal = coordinator.open(remote)
    take(remote, journal, tmp_path, "refs/heads/quicker")
    hook(remote, f"unset GIT_QUARANTINE_PATH; git update-ref {journal.ref} refs/heads/quicker; {ends}")
    coordinator.change()
    with pytest.raises(RunHalted, match="is now run by elsewhere"):
        journal.record()
    journal.close()
    assert coordinator.told == []


def test_a_home_that_has_lost_a_run_does_not_take_it_back(coordinator, remote, tmp_path):
    """Also not after it has looked at who drives it."""
    journal = coordinator.open(remote)
    take(remote, journal, tmp_path)
    coordinator.change()
    with pytest.raises(RunHalted, match="is now run by elsewhere"):
        journal.record()
    journal.close()
    coordinator.run.orders.leaving = False
    with pytest.raises(Conflict, match="is now run by elsewhere"):
        coordinator.open(remote)


def test_refs_that_somebody_deleted_stop_the_run_with_a_sentence_and_are_written_again(coordinator, remote):
    journal = coordinator.open(remote)
    for ref in git(remote, "for-each-ref", "--format=%(refname)", "refs/ultrawork/").split():
        git(remote, "update-ref", "-d", ref)
    coordinator.change()
    with pytest.raises(RunHalted, match=r"were deleted on .*; ultrawork resume writes them again"):
        journal.record()
    journal.close()
    coordinator.run.orders.leaving = False
    again = coordinator.open(remote)
    assert git(remote, "rev-parse", journal.ref) == again.last
    again.close()
    assert again.get_loss() == ""


def test_a_run_that_is_over_leaves_nothing_on_the_remote(coordinator, remote):
    journal = coordinator.open(remote)
    journal.close()
    journal.remove()
    assert git(remote, "for-each-ref", "refs/ultrawork/") == ""


def test_cleaning_takes_away_what_an_old_run_left_on_its_remote(remote, tmp_path):
    """As of one whose remote could not be reached at its end, or that was told to keep its refs."""
    coordinator = Coordinator(str(tmp_path), "old")
    coordinator.open(remote).close()
    git(remote, "update-ref", "refs/ultrawork/other/journal", git(remote, "rev-parse", "refs/ultrawork/s/journal"))
    with coordinator.store.change("s") as change:
        session = sessions.get(change.database, "s")
        session.phase, session.ended_at = "COMPLETE", time.time()
        sessions.save(change, session, "session.ended", {})
    coordinator.close()
    environ = {**coordinator.environ, "ULTRAWORK_HOME": coordinator.home.root, "ULTRAWORK_CLUSTER_REMOTE": remote}
    cleaned = subprocess.run(
        [*ENTRY, "session", "clean", "--session", "s"], env={**environ, "PYTHONPATH": SOURCE},
        cwd=f"{coordinator.root}/p", capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert (cleaned.returncode, cleaned.stdout.strip()) == (0, "removed 1 session"), cleaned
    assert git(remote, "for-each-ref", "--format=%(refname)") == "refs/ultrawork/other/journal"
