"""Objects that are made here are what git would have made, and a short output comes whole with its result."""

import random
import subprocess
import zlib
from base64 import b64encode

import pytest

from support.cluster import git
from ultrawork.cluster.job import restore_output, shorten_output
from ultrawork.cluster.packs import ObjectPack, read_commit, write_commit
from ultrawork.cluster.remote import GitRemote
from ultrawork.core.errors import Conflict, NotFound

ENVIRON = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_AUTHOR_NAME": "Pat <of> Here\n"}


@pytest.fixture(params=["sha1", "sha256"])
def remote(request, tmp_path):
    place = str(tmp_path / "place")
    subprocess.run(["git", "init", "-q", f"--object-format={request.param}", place], check=True)
    git(place, "commit", "-q", "--allow-empty", "-m", "start")
    return GitRemote(place, "nowhere", ENVIRON)


def test_git_finds_nothing_wrong_with_a_commit_of_many_files(remote):
    start = git(remote.git.root, "rev-parse", "HEAD")
    files = {"b": b"", "a.jsonl": b"line\n" * 90_000, "ab": bytes(range(256))}
    pack = ObjectPack(start)
    tree = pack.add_tree({name: pack.add("blob", data) for name, data in files.items()})
    commit = pack.add_commit(tree, [start], "taken over\n", remote.identity)
    pack.write(remote.git)
    git(remote.git.root, "fsck", "--strict", commit)
    assert {name: read_commit(remote.git, commit, name) for name in files} == files
    told = git(remote.git.root, "log", "--format=%an|%s|%P", "-1", commit)
    assert told == f"Pat of Here|taken over|{start}"


def test_many_packs_are_written_as_one(remote):
    start = git(remote.git.root, "rev-parse", "HEAD")
    packs = [ObjectPack(start) for _ in range(3)]
    made = [
        pack.add_files({"said": b"%d" % number}, "What it printed", remote.identity)
        for number, pack in enumerate(packs)
    ]
    for other in packs[1:]:
        packs[0].take(other)
    packs[0].write(remote.git)
    assert [read_commit(remote.git, one, "said") for one in made] == [b"0", b"1", b"2"]


def test_a_file_that_a_commit_does_not_hold_is_said(remote):
    start = git(remote.git.root, "rev-parse", "HEAD")
    commit = write_commit(remote, start, {"attempt": b"x"}, "What it printed")
    with pytest.raises(NotFound, match="has no file other"):
        read_commit(remote.git, commit, "other")


def test_a_file_larger_than_any_of_ours_is_not_read(remote):
    start = git(remote.git.root, "rev-parse", "HEAD")
    commit = write_commit(remote, start, {"attempt": b"more"}, "A flood")
    with pytest.raises(Conflict, match="is larger than 3 bytes"):
        read_commit(remote.git, commit, "attempt", most=3)


@pytest.mark.parametrize("data", [b"", b"said\n", b"long line\n" * 20_000])
def test_a_short_output_travels_with_its_result(data):
    assert restore_output(shorten_output(data)) == data


def test_a_long_output_does_not():
    assert shorten_output(random.Random(1).randbytes(100_000)) == ""
    assert shorten_output(bytes(1_000_000)) == ""


def test_no_machine_can_send_more_than_that():
    assert len(restore_output(b64encode(zlib.compress(bytes(5_000_000))).decode())) < 1_000_000
