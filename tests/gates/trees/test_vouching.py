"""Nothing but content says what a file is: no times in an index, no filter, no object under a false name."""

import os
import zlib
from hashlib import sha1, sha256
from pathlib import Path

import pytest
from tests.gates.trees.test_tree import Repo

from ultrawork.core.errors import Trouble
from ultrawork.gates.trees import tree as trees

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


def overwrite(folder, name, data, kind=b"blob"):
    """A loose object with other content than its name says."""
    path = folder / name[:2] / name[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(b"%s %d\0%s" % (kind, len(data), data)))


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


def test_an_overwritten_folder_of_the_base_is_not_compared_with(repo):
    """A tree object that names the bent file would hide that it changed."""
    base = repo.tree()
    repo.write("deep/inner/shop.py", "def total(prices): return 4\n")
    now = repo.tree()
    inner = repo.git("rev-parse", "HEAD:deep/inner")
    bent = repo.git("hash-object", "deep/inner/shop.py")
    data = b"100644 shop.py\0" + bytes.fromhex(bent)
    overwrite(Path(base.place.git_folder.objects), inner, data, b"tree")
    with pytest.raises(Trouble, match="was overwritten"):
        trees.diff(base, now)


def test_a_folder_with_the_content_of_another_is_not_compared_with(repo):
    repo.write("left/one.py", "1\n")
    repo.write("right/two.py", "2\n")
    repo.commit()
    base = repo.tree()
    repo.write("left/three.py", "3\n")
    now = repo.tree()
    left, right = (repo.git("rev-parse", f"HEAD:{name}") for name in ("left", "right"))
    data = b"100644 two.py\0" + bytes.fromhex(repo.git("rev-parse", "HEAD:right/two.py"))
    overwrite(Path(base.place.git_folder.objects), left, data, b"tree")
    with pytest.raises(Trouble, match=f"{left[:12]} was overwritten"):
        trees.diff(base, now)
    assert left != right


def test_a_replaced_object_is_not_followed(repo):
    base = repo.tree()
    original = repo.git("rev-parse", "HEAD:test_shop.py")
    repo.write("bent", BENT)
    repo.git("replace", original, repo.git("hash-object", "-w", "bent"))
    assert repo.git("show", "HEAD:test_shop.py") == BENT.strip()
    assert trees.read(base, "test_shop.py") == ORIGINAL.encode()
