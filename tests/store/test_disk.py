"""A full disk is a clear error, and nothing is half written."""

import os
import resource
import subprocess

import pytest

from support.floor import Program


@pytest.fixture
def small_disk(tmp_path):
    """A program whose state folder lies on a disk of 3 MB."""
    program = Program(str(tmp_path))
    os.makedirs(program.home)
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", program.home]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root may mount a small disk")
    yield program
    subprocess.run(["umount", "-l", program.home], check=True)


def fill(folder):
    with open(f"{folder}/filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            pass


def update(program, text, **options):
    return program.run("task", "update", "--id", "1", "--add-evidence", text, "--json", **options)


def evidence(program):
    return program.run("task", "get", "--id", "1", "--json").data["evidence"]


def begin(program):
    assert program.run("session", "new", "--goal", "g").status == 0
    assert program.run("task", "create", "--id", "1", "--subject", "x").status == 0
    assert update(program, "before").status == 0


def test_a_full_disk_refuses_with_a_sentence_and_keeps_what_was_kept(small_disk):
    begin(small_disk)
    fill(small_disk.home)
    refused = update(small_disk, "x" * 50_000)
    assert refused.status == 6, refused
    (error,) = refused.envelope["errors"]
    assert error["code"] == "trouble"
    assert "disk" in error["message"]
    assert len(error["message"]) <= 100 + len(small_disk.home)
    os.unlink(f"{small_disk.home}/filler")
    assert evidence(small_disk) == ["before"]
    assert update(small_disk, "after").status == 0
    assert evidence(small_disk) == ["before", "after"]
    assert small_disk.run("session", "check", "--all").status == 0


def test_a_disk_with_room_for_the_truth_alone_says_that_the_files_are_old(small_disk):
    begin(small_disk)
    for number in range(300):
        fill(small_disk.home)
        with open(f"{small_disk.home}/filler", "r+b") as file:
            file.truncate(max(0, os.fstat(file.fileno()).st_size - 4096 * number))
        answer = update(small_disk, f"{number}")
        if answer.status == 0:
            break
        assert answer.status == 6, answer
    acknowledged = ["before", f"{number}"]
    assert evidence(small_disk) == acknowledged
    assert answer.envelope["status"] in ("success", "partial")
    os.unlink(f"{small_disk.home}/filler")
    assert small_disk.run("session", "rebuild").status == 0
    assert small_disk.run("session", "check", "--all").status == 0


def test_a_database_that_may_not_grow_refuses_with_a_sentence(program):
    """The same through a limit on the size of files, which needs no root."""
    begin(program)
    size = os.stat(f"{program.home}/ultrawork.db-wal").st_size

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    refused = update(program, "x" * 50_000, preexec=limit)
    assert refused.status == 6, refused
    assert "cannot be written" in refused.envelope["errors"][0]["message"]
    assert evidence(program) == ["before"]
    assert update(program, "after").status == 0
    assert program.run("session", "check", "--all").status == 0
