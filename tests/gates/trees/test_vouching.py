"""Nothing but content says what a file is: no times in an index, no filter, no object under a false name."""

import os
import time
import zlib
from hashlib import sha1, sha256
from pathlib import Path

import pytest
from tests.gates.trees.test_tree import Repo

from ultrawork.core.errors import Trouble
from ultrawork.gates.trees import tree as trees
from ultrawork.system.git_folder import LARGE

ORIGINAL = "assert total([1, 2]) == 3\n"
BENT = "assert total([1, 2]) == 4\n"


@pytest.fixture
def repo(tmp_path):
    """A repository whose tree was taken once, as at the start of a session."""
    repo = Repo(tmp_path)
    repo.write("test_shop.py", ORIGINAL)
    repo.write("deep/inner/shop.py", "def total(prices): ...\n")
    repo.commit()
    repo.tree()
    return repo


def overwrite(folder, name, data):
    """A loose object with other content than its name says."""
    path = folder / name[:2] / name[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(b"blob %d\0%s" % (len(data), data)))


def test_a_clean_filter_does_not_vouch_for_a_bent_file(repo):
    """The filter turns the bent file into the original while `git add` notes the times of the bent one."""
    clean = repo.home / "original"
    clean.write_text(ORIGINAL)
    repo.git("config", "filter.hide.clean", f"cat {clean}")
    repo.write(".git/info/attributes", "test_shop.py filter=hide\n")
    repo.write("test_shop.py", BENT)
    repo.git("add", "test_shop.py")
    assert repo.git("status", "--porcelain") == ""
    assert trees.read(repo.tree(), "test_shop.py") == BENT.encode()


def test_times_written_into_an_index_do_not_vouch_for_a_bent_file(repo):
    """An index made by `git add` of the bent file, with the id of the original put back into it."""
    os.utime(repo.write("test_shop.py", BENT), (1, 1))
    repo.git("add", "test_shop.py")
    index = repo.path / ".git/index"
    bent = repo.git("rev-parse", ":test_shop.py")
    original = repo.git("rev-parse", "HEAD:test_shop.py")
    data = index.read_bytes().replace(bytes.fromhex(bent), bytes.fromhex(original))[:-20]
    index.write_bytes(data + sha1(data).digest())
    assert repo.git("diff", "--name-only", "HEAD") == ""
    assert trees.read(repo.tree(), "test_shop.py") == BENT.encode()


def test_a_file_under_a_filter_that_is_bent_is_seen(repo):
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.write(".gitattributes", "*.txt filter=upper\n")
    repo.write("x.txt", "words\n")
    repo.commit()
    os.utime(repo.path / "x.txt", (1, 1))
    repo.git("add", "x.txt")
    base = repo.tree()
    assert base.id == repo.head()
    repo.git("config", "filter.upper.clean", "echo WORDS")
    repo.write("x.txt", "lies\n")
    repo.git("add", "x.txt")
    assert repo.git("status", "--porcelain") == ""
    assert trees.read(repo.tree(), "x.txt") == b"lies\n"


def test_a_file_of_lfs_is_its_pointer_only_with_the_content_that_it_names(repo):
    content = b"large" * 100
    name = sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{name}\nsize 500\n"
    repo.write("pointer", pointer)
    blob = repo.git("hash-object", "-w", "pointer")
    (repo.path / "pointer").unlink()
    repo.write(".gitattributes", "*.bin filter=lfs\n")
    repo.commit()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},x.bin")
    repo.git("commit", "-qm", "x")
    repo.write("x.bin", content)
    assert repo.tree().id == repo.head()
    repo.write("x.bin", content + b"!")
    assert trees.read(repo.tree(), "x.bin") == content + b"!"


@pytest.mark.parametrize("where", ["repository", "ours"])
def test_an_overwritten_object_is_not_read_back(repo, where):
    """The base copy of a test, bent where git keeps it: the original can then no longer be had."""
    name = repo.git("rev-parse", "HEAD:test_shop.py")
    base = repo.tree()
    assert trees.read(base, "test_shop.py") == ORIGINAL.encode()
    ours = base.place.git_folder.objects
    folder = repo.path / ".git/objects" if where == "repository" else Path(ours)
    overwrite(folder, name, BENT.encode())
    with pytest.raises(Trouble, match="was overwritten"):
        trees.read(base, "test_shop.py")
    with pytest.raises(Trouble, match="was overwritten"):
        trees.materialise(base, str(repo.home / "copy"))


def test_a_replaced_object_is_not_followed(repo):
    base = repo.tree()
    original = repo.git("rev-parse", "HEAD:test_shop.py")
    repo.write("bent", BENT)
    repo.git("replace", original, repo.git("hash-object", "-w", "bent"))
    assert repo.git("show", "HEAD:test_shop.py") == BENT.strip()
    assert trees.read(base, "test_shop.py") == ORIGINAL.encode()


def write_dated(path, text):
    """In place, with a time of long ago."""
    with open(path, "r+", encoding="utf-8") as file:
        file.write(text)
    os.utime(path, (1, 1))


@pytest.fixture
def large(repo):
    """So many bytes of paths that git notes what lies in each folder."""
    folder = "/".join("n" * 200 for _ in range(4))
    for number in range(LARGE // len(folder) + 1):
        repo.write(f"{folder}/{number % 7}/{number}.txt", "")
    repo.commit()
    repo.tree()
    time.sleep(1.1)
    repo.tree()
    [plain] = Path(repo.store).glob("*/*/plain")
    assert plain.stat().st_size >= LARGE
    assert b"UNTR" in plain.read_bytes()
    return repo


def test_paths_of_a_large_tree_are_those_that_git_lists_also_when_they_were_kept(large):
    (large.path / "deep/link").symlink_to("inner/shop.py")
    (large.path / "deep.txt").write_text("")
    taken = large.tree()
    large.git("add", "-A")
    listed = large.git("ls-tree", "-r", "-z", "--name-only", large.git("write-tree")).split("\0")
    for _ in range(2):
        assert trees.list_paths(taken) == listed[:-1]
        assert trees.list_links(taken) == {"deep/link": "deep/inner/shop.py"}
    kept = {one.name for one in Path(large.store).glob("*/paths/*")}
    assert kept == {f"{taken.id}-all", f"{taken.id}-links"}
    assert taken.place.has_file_named(taken.id, ["none", "shop"])
    assert taken.place.has_file_named(taken.id, ["link"])
    assert not taken.place.has_file_named(taken.id, ["inner", "sho", "hop", "py"])


def list_twice(repo, told, kind="some"):
    """What is remembered of the files as they are, by nobody who knows anything, and how often it was made."""
    made, tree = [], repo.tree()
    for _ in range(2):
        fresh = trees.get_recorded(tree.id, repo.path, repo.store, repo.environ)
        assert fresh.place.remember(tree.id, kind, lambda: made.append(1) or told) == told
    return len(made)


def test_what_follows_from_a_large_tree_is_made_once_for_each_tree_and_rule(large):
    assert list_twice(large, ["a", "b\udcff"]) == 1
    assert list_twice(large, [], "other") == 1
    large.write("deep/inner/new.py", "new\n")
    for number in range(5):
        assert list_twice(large, ["c"], f"rule-{number}") == 1
        large.write("deep/inner/new.py", f"{number}\n")
        assert list_twice(large, ["c"]) == 1
    assert len(list(Path(large.store).glob("*/paths/*-some"))) == 4
    large.git("init", "-q", "lib")
    large.write("lib/lib.py", "")
    assert list_twice(large, ["d"]) == 2
    assert "lib/lib.py" in trees.list_paths(large.tree())


def test_nothing_is_kept_of_a_small_tree(repo):
    assert list_twice(repo, ["a"]) == 2
    assert repo.tree().place.has_file_named(repo.tree().id, ["test_shop"])
    assert not list(Path(repo.store).glob("*/paths"))


def test_paths_that_cannot_be_kept_are_listed_all_the_same(large):
    taken = large.tree()
    kept = Path(taken.place.git_folder.objects).with_name("paths")
    kept.write_text("no folder")
    assert trees.list_paths(taken) == large.git("ls-tree", "-rz", "--name-only", taken.id).split("\0")[:-1]


def test_a_file_that_comes_into_a_folder_noted_before_is_seen_whatever_time_that_gets(large):
    """Under a name that is part of no tree first, so that the folder keeps its size too."""
    folder = large.path / "deep/inner"
    hidden = large.write("deep/inner/late.swp", "late = 1\n")
    time.sleep(1.1)
    for _ in range(2):
        assert "deep/inner/late.txt" not in trees.list_paths(large.tree())
    times = folder.stat()
    hidden.rename(folder / "late.txt")
    os.utime(folder, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert "deep/inner/late.txt" in trees.list_paths(large.tree())


def test_patterns_that_are_taken_away_in_a_noted_folder_show_what_they_hid(large):
    large.write("deep/inner/.gitignore", "late.txt\n")
    large.write("deep/inner/late.txt", "late = 1\n")
    time.sleep(1.1)
    for _ in range(2):
        assert "deep/inner/late.txt" not in trees.list_paths(large.tree())
    write_dated(large.path / "deep/inner/.gitignore", "lost.txt\n")
    assert "deep/inner/late.txt" in trees.list_paths(large.tree())


def test_folders_noted_in_an_index_of_theirs_vouch_for_nothing(large):
    """Theirs says that a folder holds nothing new; only ours is asked."""
    large.git("update-index", "--untracked-cache")
    large.git("status", "--porcelain")
    large.git("config", "core.untrackedCache", "true")
    large.git("config", "core.checkStat", "minimal")
    large.git("config", "core.trustctime", "false")
    folder = large.path / "deep/inner"
    times = folder.stat()
    large.write("deep/inner/late.txt", "late = 1\n")
    os.utime(folder, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert "deep/inner/late.txt" in trees.list_paths(large.tree())


def test_a_few_changed_paths_give_the_tree_that_an_index_gives(repo):
    """Folders between files whose names sort around theirs, one that becomes a file, a file that becomes one."""
    for name in ("a/x.py", "a-b/y.py", "a.py", "a0", "b/c/d.py", "e", "f/g.py", "f/h.py"):
        repo.write(name, name)
    repo.commit()
    (repo.path / "b/c/d.py").unlink()
    (repo.path / "b/c").rmdir()
    repo.write("b/c", "a file now")
    (repo.path / "e").unlink()
    repo.write("e/inner.py", "a folder now")
    (repo.path / "f/g.py").unlink()
    repo.write("a/x.py", "changed").chmod(0o755)
    (repo.path / "a/link").symlink_to("x.py")
    repo.write("a+/new/ümlaut.py", "new")
    taken = repo.tree()
    repo.git("add", "-A")
    assert taken.id == repo.git("write-tree")
    assert [one.path for one in trees.diff(taken, repo.tree())] == []
