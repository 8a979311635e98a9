"""What is too large to be read is known by its size and time: the tree is there at once, and notices a change."""

import os
import re
import socket
import subprocess
import time

import pytest

from support.scene import GIT, NO_CHECK, Scene
from ultrawork.gates.trees import tree as trees
from ultrawork.system.files import LARGEST, find_large


def grow(path, size):
    """A file of holes: it takes no room on the disk."""
    with open(path, "wb") as file:
        file.truncate(size)


def spent():
    """What this process and its children have used of the processor, in seconds: a busy machine adds nothing."""
    return sum(os.times()[:4])


@pytest.fixture(params=["git", "no git"])
def folder(request, tmp_path):
    place = tmp_path / "project"
    place.mkdir()
    (place / "a.py").write_text("x = 1\n")
    if request.param == "git":
        for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "x")):
            subprocess.run([*GIT, *words], cwd=place, check=True, capture_output=True)
    return place


def bind(path):
    """Leave a socket there. Its address is short: a long one is refused."""
    folder, name = os.path.split(path)
    before = os.getcwd()
    os.chdir(folder)
    try:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(name)
    finally:
        os.chdir(before)


def take(folder, tmp_path):
    return trees.take_snapshot(str(folder), f"{tmp_path}/cache", os.environ)


def test_a_huge_file_is_not_read_and_its_change_is_noticed(folder, tmp_path):
    grow(folder / "data.bin", 4 << 30)
    began = time.process_time()
    first = take(folder, tmp_path)
    assert time.process_time() - began < 2
    assert trees.list_large(str(folder), f"{tmp_path}/cache", os.environ) == {"data.bin": 4 << 30}
    assert trees.read(first, "data.bin").startswith(b"ultrawork: not read, 4294967296 bytes")
    assert take(folder, tmp_path) == first
    grow(folder / "data.bin", 5 << 30)
    (folder / "a.py").write_text("x = 2\n")
    second = take(folder, tmp_path)
    assert [one.path for one in trees.diff(first, second)] == ["a.py", "data.bin"]
    (folder / "data.bin").unlink()
    assert [(one.path, one.status) for one in trees.diff(second, take(folder, tmp_path))] == [("data.bin", "D")]


def test_many_files_that_are_large_together_are_not_all_read(tmp_path):
    for number in range(30):
        grow(tmp_path / f"{number}.bin", 10 << 20)
    names = [f"{number}.bin" for number in range(30)]
    large = find_large(str(tmp_path), names, (), ())
    assert 20 < len(large) < 30
    assert find_large(str(tmp_path), names, large, set(names) - set(large)) == large, "it stays so"


def test_of_a_folder_of_300_mb_in_small_pieces_most_is_not_read(tmp_path):
    scene = Scene(str(tmp_path), NO_CHECK)
    os.mkdir(f"{scene.place}/data")
    for number in range(300):
        grow(f"{scene.place}/data/{number}.bin", 1 << 20)
    before = spent()
    told = scene.prompt("ulw number the pages")["systemMessage"]
    assert spent() - before < 4, "of which git reads 64 MB; whole they take three times as long"
    named, cure = told.splitlines()[1:]
    assert re.fullmatch(r"  I compare data/\d+\.bin \(1 MiB\) and 235 more by size and time only\.", named)
    assert cure == "  To leave them out, add them to .gitignore"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tracked", "untracked"])
def test_a_checkout_of_20_000_files_is_on_at_once(tmp_path, kind):
    files = {f"src/d{number % 200}/f{number}.py": f"x = {number}\n" for number in range(20_000)}
    scene = Scene(str(tmp_path), NO_CHECK | (files if kind == "tracked" else {}))
    if kind == "untracked":
        for name, text in files.items():
            scene.write(name, text)
    before = spent()
    assert scene.prompt("ulw number the pages")["systemMessage"].startswith("ultrawork: on")
    assert spent() - before < 2


def test_small_files_are_read_however_many_there_are(tmp_path):
    (tmp_path / "a").write_text("x")
    assert find_large(str(tmp_path), ["a"] * 100_000, (), ()) == {}
    grow(tmp_path / "a", LARGEST + 1)
    assert find_large(str(tmp_path), ["a"], (), {"a"}) == {"a": LARGEST + 1}, "it has grown"


def test_the_word_names_a_huge_file_and_the_cure(tmp_path):
    scene = Scene(str(tmp_path), NO_CHECK)
    grow(f"{scene.place}/dump.sql", 4 << 30)
    told = scene.prompt("ulw number the pages")["systemMessage"]
    assert told.splitlines()[1] == (
        "  I compare dump.sql (4.0 GiB) by size and time only. To leave it out, add it to .gitignore"
    )
    assert scene.is_on()


@pytest.mark.parametrize("make", [os.mkfifo, bind])
@pytest.mark.parametrize("name", ["ultrawork.toml", "Makefile", "package.json", "notes", "pyproject.toml"])
def test_a_fifo_or_a_socket_in_a_checkout_holds_nothing_up(tmp_path, name, make):
    scene = Scene(str(tmp_path), NO_CHECK)
    make(f"{scene.place}/{name}")
    began = time.monotonic()
    assert scene.prompt("ulw number the pages")["systemMessage"].startswith("ultrawork: on")
    assert time.monotonic() - began < 20
