"""Trees of working files: the id git itself would give, and nobody's repository touched."""

import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import ultrawork
from support.effort import amount
from ultrawork.core.errors import Trouble
from ultrawork.gates.trees import tree as trees

PATH = "/usr/local/bin:/usr/bin:/bin"
SOURCE = os.path.dirname(os.path.dirname(ultrawork.__file__))
LITTER = [
    "__pycache__/a.cpython-311.pyc",
    "src/__pycache__/a.cpython-311.pyc",
    "old.pyc",
    ".pytest_cache/v/x",
    ".nyc_output/x.json",
    ".coverage",
    ".coverage.host.12",
    "node_modules/left-pad/index.js",
    "web/node_modules/x/y.js",
    ".DS_Store",
    "a.py.swp",
    ".a.py.swp",
    "a.py~",
    ".#a.py",
    "#a.py#",
    ".mypy_cache/x",
    ".ruff_cache/x",
    ".hypothesis/x",
]


class Repo:
    """A repository of a test, asked with an empty configuration."""

    def __init__(self, home: Path, name: str = "repo", **init):
        self.home = home
        self.path = home / name
        self.store = str(home / "store")
        self.environ = {
            "PATH": PATH,
            "HOME": str(home),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }
        self.path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main", *[f"--{key}={value}" for key, value in init.items()])

    def git(self, *arguments, at=None, check=True):
        command = ["git", "-c", "protocol.file.allow=always", *arguments]
        where = at or self.path
        ended = subprocess.run(command, cwd=where, env=self.environ, capture_output=True, check=False)
        assert not check or ended.returncode == 0, ended.stderr.decode()
        return ended.stdout.decode("utf-8", "surrogateescape").rstrip("\n")

    def write(self, name, text="text\n"):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return path

    def commit(self, **files):
        for name, text in files.items():
            self.write(name.replace("__", "/").replace("_py", ".py"), text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x")

    def tree(self, root=None):
        return trees.take_snapshot(str(root or self.path), self.store, self.environ)

    def head(self):
        return self.git("rev-parse", "HEAD^{tree}")


@pytest.fixture
def repo(tmp_path):
    found = Repo(tmp_path)
    found.write("a.py", "a = 1\n")
    found.write("src/b.py", "b = 1\n")
    found.write(".gitignore", "build/\n*.log\n")
    found.commit()
    return found


FOLDERS = {
    "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".nyc_output", "node_modules",
}  # fmt: skip
FILES = ["*.pyc", ".coverage", ".coverage.*", ".DS_Store", "*.swp", "*.swo", "*~", ".#*", "#*#"]


def sweep(repo, copy):
    """Litter that nobody tracks is part of no tree, whatever `.gitignore` says of it."""
    for path in filter(None, repo.git("ls-files", "-o", "-z", at=copy).split("\0")):
        *folders, name = path.split("/")
        litter = FOLDERS & {name, *folders} or any(fnmatchcase(name, rule) for rule in FILES)
        if litter and ((copy / path).is_symlink() or not (copy / path).is_dir()):
            (copy / path).unlink()


def oracle(repo):
    """What `git add -A` and `git write-tree` say in a fresh copy of the same files, without litter."""
    copy = repo.home / f"copy-{time.monotonic_ns()}"
    shutil.copytree(repo.path, copy, symlinks=True)
    try:
        sweep(repo, copy)
        repo.git("add", "-A", at=copy)
        return repo.git("write-tree", at=copy)
    finally:
        shutil.rmtree(copy)


def fingerprint(folder):
    """Every file below a folder with content, times and mode."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        info = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        found[str(path)] = (info.st_mode, info.st_mtime_ns, info.st_ino, content)
    return found


def test_a_clean_checkout_has_the_tree_of_its_commit(repo):
    assert repo.tree().id == repo.head()
    assert repo.tree().kind == "git"


def test_an_untracked_file_is_part_of_the_tree(repo):
    repo.write("new.py")
    assert repo.tree().id == oracle(repo) != repo.head()


def test_a_modified_a_deleted_and_a_staged_file_are_seen(repo):
    repo.write("a.py", "a = 2\n")
    (repo.path / "src/b.py").unlink()
    repo.write("staged.py", "one\n")
    repo.git("add", "staged.py")
    repo.write("staged.py", "two\n")
    assert repo.tree().id == oracle(repo)


def test_going_back_gives_the_first_id_again(repo):
    first = repo.tree().id
    repo.write("a.py", "a = 2\n")
    repo.write("new.py")
    second = repo.tree().id
    repo.write("a.py", "a = 1\n")
    (repo.path / "new.py").unlink()
    assert repo.tree().id == first != second


def test_ignored_files_are_not_part_of_the_tree(repo):
    repo.write("build/out.o")
    repo.write("x.log")
    assert repo.tree().id == repo.head()


def test_a_file_that_was_ignored_later_leaves_the_tree(repo):
    repo.write("out.txt")
    with_file = repo.tree().id
    repo.write(".gitignore", "build/\n*.log\nout.txt\n")
    without = repo.tree()
    assert without.id == oracle(repo) != with_file
    assert "out.txt" not in trees.list_paths(without)


def test_a_file_that_hides_itself_leaves_the_tree(repo):
    repo.write("gen/out.txt")
    assert "gen/out.txt" in trees.list_paths(repo.tree())
    repo.write("gen/.gitignore", "*\n")
    assert repo.tree().id == repo.head()


def test_a_file_that_was_tracked_by_force_is_part_of_the_tree(repo):
    repo.write("x.log", "one\n")
    repo.git("add", "-f", "x.log")
    first = repo.tree().id
    repo.write("x.log", "two\n")
    assert repo.tree().id == oracle(repo) not in (first, repo.head())
    repo.git("rm", "-q", "-f", "--cached", "x.log")
    assert repo.tree().id == repo.head()


def test_litter_is_not_part_of_the_tree(repo):
    for name in LITTER:
        repo.write(name)
    tree = repo.tree()
    assert set(LITTER).isdisjoint(trees.list_paths(tree))
    assert tree.id == repo.head()


def test_litter_that_is_tracked_is_part_of_the_tree(repo):
    for name in LITTER:
        repo.write(name, "one\n")
    repo.git("add", "-f", *LITTER)
    repo.git("commit", "-qm", "x")
    before = repo.tree()
    assert before.id == repo.head()
    for name in LITTER:
        repo.write(name, "two\n")
    assert {change.path for change in trees.diff(before, repo.tree())} == set(LITTER)


def test_litter_stays_out_even_if_ignore_rules_let_it_in(repo):
    repo.write(".gitignore", "*\n!*/\n!*.js\n!.gitignore\n!*.swp\n")
    repo.git("commit", "-qam", "x")
    repo.write("node_modules/x/y.js")
    repo.write("a.swp")
    assert repo.tree().id == repo.head()


def test_configuration_of_coverage_is_no_litter(repo):
    repo.write(".coveragerc")
    assert repo.tree().id == oracle(repo) != repo.head()


def test_many_new_files_are_recorded_together(repo):
    """A file for each would take several times as long."""
    names = [f"data/{number % 7}/{number}.bin" for number in range(600)]
    for name in names:
        repo.write(name, f"{name} ".encode() + b"\xe9\r\n")
    tree = repo.tree()
    assert tree.id == oracle(repo)
    assert trees.read(tree, names[-1]) == f"{names[-1]} ".encode() + b"\xe9\r\n"
    own = [name for _, _, files in os.walk(repo.store) for name in files]
    assert len([name for name in own if name.endswith(".pack")]) == 1
    assert len(own) < 100


@pytest.mark.parametrize("attributes", ["", "*.txt text\n", "*.txt text=auto eol=crlf\n"])
def test_many_new_files_of_every_kind_are_what_git_makes_of_them(repo, attributes):
    if attributes:
        repo.write(".gitattributes", attributes)
    for number in range(520):
        repo.write(f"n/{number}.txt", f"{number // 2}\r\n")
    repo.write("empty", "")
    repo.write("large", b"x" * 300_000)
    repo.write("program", "#!/bin/sh\n").chmod(0o755)
    (repo.path / "link").symlink_to("n/1.txt")
    (repo.path / "dangling").symlink_to("nowhere")
    tree = repo.tree()
    assert tree.id == oracle(repo)
    assert trees.read(tree, "large") == b"x" * 300_000
    assert trees.read(tree, "link") == b"n/1.txt"
    repo.write("n/7.txt", "other\r\n")
    again = repo.tree()
    assert again.id == oracle(repo)
    assert [change.path for change in trees.diff(tree, again)] == ["n/7.txt"]


def test_an_edit_of_the_same_size_in_the_same_second_changes_the_id(repo):
    path = repo.write("a.py", "a = 1\n")
    seen = set()
    for value in (1, 2, 3, 4, 5):
        path.write_text(f"a = {value}\n")
        seen.add(repo.tree().id)
    assert len(seen) == 5


def test_an_edit_of_the_same_size_of_an_untracked_file_changes_the_id(repo):
    seen = set()
    for value in (1, 2, 3, 4, 5):
        repo.write("new.py", f"n = {value}\n")
        seen.add(repo.tree().id)
    assert len(seen) == 5


@pytest.mark.slow
def test_an_edit_right_after_the_person_staged_the_file_is_seen_later(repo):
    """By its times the file is the staged one; only how young the index is tells that they lie."""
    path = repo.path / "a.py"
    time.sleep(1 - time.time() % 1)
    path.write_text("a = 8\n")
    repo.git("add", "a.py")
    path.write_text("a = 9\n")
    time.sleep(1.1)
    assert trees.read(repo.tree(), "a.py") == b"a = 9\n"


def test_an_edit_is_seen_after_the_tree_of_an_earlier_one_was_kept(repo):
    """Changed files are not hashed again while they have their times; a change time cannot be set back."""
    path = repo.write("new.py", "n = 1\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    time.sleep(0.1)
    kept = repo.tree()
    assert repo.tree() == kept
    path.write_text("n = 2\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert trees.read(repo.tree(), "new.py") == b"n = 2\n"


def test_an_edit_that_sets_the_old_times_back_changes_the_id(repo):
    path = repo.path / "a.py"
    os.utime(path, (1_000_000_000, 1_000_000_000))
    repo.tree()
    time.sleep(1.1)
    path.write_text("a = 7\n")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert repo.tree().id != repo.head()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_cannot_be_hidden_by_a_flag_in_the_index(repo, flag):
    repo.git("update-index", flag, "a.py")
    repo.write("a.py", "a = 2\n")
    assert repo.git("status", "--porcelain") == ""
    changed = repo.tree()
    assert trees.read(changed, "a.py") == b"a = 2\n"
    (repo.path / "a.py").unlink()
    assert "a.py" not in trees.list_paths(repo.tree())


def test_the_mode_and_links_are_part_of_the_tree(repo):
    (repo.path / "a.py").chmod(0o755)
    (repo.path / "link").symlink_to("a.py")
    (repo.path / "nowhere").symlink_to("/no/such/place")
    assert repo.tree().id == oracle(repo)


def test_a_file_may_become_a_folder_and_a_folder_a_link(repo):
    (repo.path / "a.py").unlink()
    repo.write("a.py/inner.py")
    shutil.rmtree(repo.path / "src")
    (repo.path / "src").symlink_to("a.py")
    assert repo.tree().id == oracle(repo)
    shutil.rmtree(repo.path / "a.py")
    repo.write("a.py", "a = 1\n")
    assert repo.tree().id == oracle(repo)


@pytest.mark.parametrize("name", ["ümlaut ✓.py", "a b\tc", "line\nbreak", "-dash", ":(top)x", "back\\slash", "*"])
def test_any_name_is_taken(repo, name):
    repo.write(name)
    tree = repo.tree()
    assert name in trees.list_paths(tree)
    assert trees.read(tree, name) == b"text\n"
    (repo.path / name).write_text("changed\n")
    assert trees.read(repo.tree(), name) == b"changed\n"


def test_a_name_that_is_no_text_is_taken(repo):
    name = os.fsdecode(b"caf\xe9.py")
    try:
        repo.write(name)
    except OSError:
        pytest.skip("this file system takes only text as names")
    assert name in trees.list_paths(repo.tree())
    (repo.path / name).unlink()
    assert repo.tree().id == repo.head()
    (repo.path / "a.py").unlink()
    assert trees.list_paths(repo.tree()) == [".gitignore", "src/b.py"]


def test_names_that_differ_only_in_case_are_two_files(repo):
    repo.write("Read.me", "one\n")
    repo.write("read.me", "two\n")
    if len(set(os.listdir(repo.path)) & {"Read.me", "read.me"}) == 1:
        pytest.skip("this file system does not tell case apart")
    assert repo.tree().id == oracle(repo)


def test_a_repository_without_a_commit_has_a_tree(tmp_path):
    repo = Repo(tmp_path)
    repo.write("a.py")
    assert repo.tree().id == oracle(repo)


def test_an_empty_repository_has_the_empty_tree(tmp_path):
    assert Repo(tmp_path).tree().id == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_a_conflict_in_the_middle_of_a_merge_is_taken_as_it_is_on_disk(repo):
    repo.git("checkout", "-q", "-b", "other")
    repo.write("a.py", "a = 'other'\n")
    repo.git("commit", "-qam", "x")
    repo.git("checkout", "-q", "main")
    repo.write("a.py", "a = 'main'\n")
    repo.git("commit", "-qam", "x")
    repo.git("merge", "other", check=False)
    assert "<<<<" in (repo.path / "a.py").read_text()
    assert repo.tree().id == oracle(repo)
    (repo.path / "a.py").unlink()
    assert repo.tree().id == oracle(repo)


def test_a_folder_inside_a_repository_stands_for_the_whole(repo):
    repo.write("new.py")
    assert repo.tree(repo.path / "src").id == repo.tree().id
    assert repo.tree(repo.path / "src").root == os.path.realpath(repo.path)


def test_a_folder_that_the_repository_around_it_ignores_is_walked(repo):
    repo.write("build/sub/x.py")
    tree = repo.tree(repo.path / "build/sub")
    assert (tree.kind, trees.list_paths(tree)) == ("walk", ["x.py"])


def test_worktrees_have_trees_of_their_own_and_share_objects(repo):
    other = repo.home / "other"
    repo.git("worktree", "add", "-q", str(other))
    (other / "only.py").write_text("there\n")
    there = repo.tree(other)
    here = repo.tree()
    assert here.id == repo.head()
    assert [(c.path, c.status) for c in trees.diff(here, there)] == [("only.py", "A")]


def test_a_worktree_inside_the_checkout_is_not_part_of_its_tree(repo):
    repo.git("worktree", "add", "-q", ".claude/worktrees/one")
    (repo.path / ".claude/worktrees/one/x.py").write_text("x\n")
    assert repo.tree().id == repo.head()


def test_a_sparse_checkout_keeps_what_is_not_checked_out(repo):
    for folder in ("one", "two"):
        repo.write(f"{folder}/x.py", folder)
    repo.commit()
    repo.git("sparse-checkout", "set", "one")
    assert not (repo.path / "two").exists()
    assert repo.tree().id == repo.head()
    repo.write("one/x.py", "changed\n")
    repo.write("two/x.py", "changed\n")
    assert trees.read(repo.tree(), "two/x.py") == b"changed\n"


def test_a_sparse_index_is_understood(repo):
    for folder in ("one", "two"):
        repo.write(f"{folder}/deep/x.py", folder)
    repo.commit()
    repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "one")
    assert repo.tree().id == repo.head()
    repo.write("one/new.py")
    assert "two/deep/x.py" in trees.list_paths(repo.tree())


def test_a_split_index_is_understood(repo):
    repo.git("update-index", "--split-index")
    repo.write("a.py", "a = 3\n")
    repo.git("add", "a.py")
    assert repo.tree().id == oracle(repo)


def test_a_repository_with_long_ids_is_understood(tmp_path):
    repo = Repo(tmp_path, **{"object-format": "sha256"})
    repo.write("a.py")
    repo.commit()
    assert repo.tree().id == repo.head()
    (repo.path / "a.py").unlink()
    repo.write("b.py")
    assert repo.tree().id == oracle(repo)


@pytest.mark.parametrize("rule", ["* text=auto\n", "*.py text eol=crlf\n", "*.py text\n"])
@pytest.mark.parametrize("autocrlf", ["false", "input"])
def test_line_ends_are_normalised_as_git_would(repo, rule, autocrlf):
    repo.write("dos.py", b"one\r\ntwo\r\n")
    repo.git("add", "-A")
    repo.git("commit", "-qm", "x")
    repo.git("config", "core.autocrlf", autocrlf)
    repo.write(".gitattributes", rule)
    repo.commit()
    repo.write("dos.py", b"one\r\nthree\r\n")
    repo.write("new.py", b"one\r\ntwo\r\n")
    assert repo.tree().id == oracle(repo)


@pytest.fixture
def nested(repo):
    """A repository with a submodule at `lib`."""
    library = Repo(repo.home, "library")
    library.commit(lib_py="one\n")
    repo.git("submodule", "--quiet", "add", str(library.path), "lib")
    repo.git("commit", "-qm", "x")
    return repo


def test_a_clean_submodule_is_its_commit(nested):
    assert nested.tree().id == nested.head()


def test_a_commit_in_a_submodule_is_seen_as_git_sees_it(nested):
    (nested.path / "lib/lib.py").write_text("two\n")
    nested.git("commit", "-qam", "x", at=nested.path / "lib")
    assert nested.tree().id == oracle(nested) != nested.head()


def test_an_edit_in_a_submodule_changes_the_id(nested):
    seen = {nested.tree().id}
    for text in ("two\n", "six\n"):
        (nested.path / "lib/lib.py").write_text(text)
        seen.add(nested.tree().id)
    (nested.path / "lib/new.py").write_text("new\n")
    seen.add(nested.tree().id)
    assert len(seen) == 4
    change = trees.diff(trees.get_recorded(nested.head(), nested.path, nested.store, nested.environ), nested.tree())
    assert [(c.path, c.status, c.submodule) for c in change] == [
        ("lib", "M", True),
        ("lib/lib.py", "M", False),
        ("lib/new.py", "A", False),
    ]
    (nested.path / "lib/new.py").unlink()
    (nested.path / "lib/lib.py").write_text("one\n")
    assert nested.tree().id == nested.head()


def test_files_of_a_submodule_are_read_and_laid_over_like_any_other(nested):
    base = nested.tree()
    (nested.path / "lib/lib.py").write_text("bent\n")
    (nested.path / "lib/new.py").write_text("new\n")
    now = nested.tree()
    assert trees.read(base, "lib/lib.py") == b"one\n"
    assert trees.read(now, "lib/lib.py") == b"bent\n"
    assert {"lib/lib.py", "lib/new.py"} <= set(trees.list_paths(now))
    copy = nested.home / "copy"
    trees.materialise(now, str(copy), overlay=base, paths=["lib/lib.py"])
    assert (copy / "lib/lib.py").read_text() == "one\n"
    assert (copy / "lib/new.py").read_text() == "new\n"


def test_a_submodule_that_was_not_fetched_stays_as_recorded(nested):
    copy = nested.home / "clone"
    nested.git("clone", "-q", str(nested.path), str(copy))
    assert list((copy / "lib").iterdir()) == []
    assert nested.tree(copy).id == nested.head()


def test_a_submodule_that_was_removed_leaves_the_tree(nested):
    shutil.rmtree(nested.path / "lib")
    assert nested.tree().id == oracle(nested)
    nested.write("lib", "a file now\n")
    assert trees.read(nested.tree(), "lib") == b"a file now\n"


def test_files_of_a_submodule_that_lost_its_repository_are_seen(nested):
    (nested.path / "lib/.git").rename(nested.home / "kept")
    (nested.path / "lib/lib.py").write_text("edited\n")
    assert trees.read(nested.tree(), "lib/lib.py") == b"edited\n"
    (nested.home / "kept").rename(nested.path / "lib/.git")
    nested.write("new.py")
    assert "lib" in trees.list_paths(nested.tree())


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_an_edit_in_a_submodule_cannot_be_hidden_by_a_flag(nested, flag):
    nested.git("update-index", flag, "lib")
    (nested.path / "lib/lib.py").write_text("edited\n")
    assert nested.tree().id != nested.head()


def test_another_repository_inside_is_part_of_the_tree(repo):
    inner = Repo(repo.path, "inner")
    inner.write("x.py", "one\n")
    without_commit = repo.tree().id
    inner.commit()
    with_commit = repo.tree().id
    assert with_commit == oracle(repo)
    inner.write("x.py", "two\n")
    assert len({without_commit, with_commit, repo.tree().id, repo.head()}) == 4


def test_a_file_that_may_not_be_read_does_not_stop_the_rest(repo):
    if os.getuid() == 0:
        pytest.skip("nothing is unreadable for root")
    repo.write("secret").chmod(0)
    repo.write("new.py")
    assert "new.py" in trees.list_paths(repo.tree())


def test_pipes_and_sockets_are_passed_over(repo):
    assert repo.tree().id == repo.head()


def test_nothing_of_the_repository_is_written(repo):
    repo.write(".gitattributes", "* text=auto\n")
    repo.commit()
    repo.write("a.py", "a = 2\n")
    repo.git("stash", "-q")
    repo.git("gc", "-q")
    repo.write("a.py", "a = 2\n")
    repo.write("new.py", "a = 1\n")
    repo.git("add", "new.py")
    before = fingerprint(repo.path)
    time.sleep(0.02)
    tree = repo.tree()
    repo.write("a.py", "a = 1\n")
    repo.write("a.py", "a = 2\n")
    before[str(repo.path / "a.py")] = fingerprint(repo.path)[str(repo.path / "a.py")]
    other = repo.tree()
    trees.diff(trees.get_recorded(repo.head(), repo.path, repo.store, repo.environ), other)
    trees.materialise(tree, str(repo.home / "copy"))
    assert fingerprint(repo.path) == before


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")
@pytest.mark.slow
def test_a_checkout_that_may_not_be_written_has_a_tree(repo):
    place = repo.home / "mounted"
    place.mkdir()
    repo.write("new.py")
    expected = repo.tree().id
    mount = ["mount", "--bind", "-o", "ro", str(repo.path), str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let us mount")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(place)], check=True)
        with pytest.raises(OSError, match="Read-only"):
            (place / "x").write_text("x")
        assert repo.tree(place).id == expected
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_a_checkout_of_somebody_else_has_a_tree(repo):
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    for path in (repo.path, *repo.path.rglob("*")):
        os.lchown(path, 12345, 12345)
    repo.write("new.py")
    os.lchown(repo.path / "new.py", 12345, 12345)
    assert "new.py" in trees.list_paths(repo.tree())


HOSTILE = {
    "core.fsmonitor": "touch {flag}",
    "core.sshCommand": "touch {flag}",
    "core.pager": "touch {flag}",
    "core.hooksPath": "{hooks}",
    "core.askPass": "touch {flag}",
    "core.alternateRefsCommand": "touch {flag}",
    "diff.external": "touch {flag}",
    "diff.evil.textconv": "touch {flag}",
    "diff.evil.command": "touch {flag}",
    "filter.evil.clean": "touch {flag}; cat",
    "filter.evil.smudge": "touch {flag}; cat",
    "filter.evil.process": "touch {flag}",
    "filter.evil.required": "true",
    "gpg.program": "touch {flag}",
    "log.showSignature": "true",
    "submodule.recurse": "true",
    "status.submoduleSummary": "true",
}


def make_hostile(repo, where):
    flag, hooks = repo.home / "executed", repo.home / "hooks"
    default = Path(repo.git("rev-parse", "--absolute-git-dir", at=where)) / "hooks"
    for name in ("post-index-change", "post-checkout", "reference-transaction"):
        for folder in (hooks, default):
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(f"#!/bin/sh\ntouch {flag}\n")
            (folder / name).chmod(0o755)
    for key, value in HOSTILE.items():
        repo.git("config", key, value.format(flag=flag, hooks=hooks), at=where)
    flag.unlink(missing_ok=True)
    return flag


def test_a_hostile_configuration_executes_nothing(nested):
    repo = nested
    repo.write(".gitattributes", "* filter=evil diff=evil\n")
    repo.commit()
    flags = {make_hostile(repo, place) for place in (repo.path, repo.path / "lib")}
    (repo.path / "lib/.gitattributes").write_text("* filter=evil diff=evil\n")
    (repo.path / "lib/lib.py").write_text("two\n")
    repo.write("a.py", "a = 5\n")
    repo.write("new.py")
    base = trees.get_recorded(repo.head(), str(repo.path), repo.store, repo.environ)
    tree = repo.tree()
    inner = {"lib/lib.py", "lib/.gitattributes"}
    assert {c.path for c in trees.diff(base, tree)} == {"a.py", "new.py", "lib", *inner}
    trees.materialise(tree, str(repo.home / "copy"))
    assert trees.read(tree, "a.py") == b"a = 5\n"
    assert not any(flag.exists() for flag in flags)
    repo.git("status", check=False)
    assert any(flag.exists() for flag in flags), "the trap works: git itself springs it"


def test_a_filter_of_the_person_is_not_executed_either(repo):
    flag = repo.home / "executed"
    repo.git("config", "--global", "filter.evil.clean", f"touch {flag}; cat")
    repo.write(".gitattributes", "* filter=evil\n")
    repo.write("a.py", "a = 5\n")
    tree = repo.tree()
    assert trees.read(tree, "a.py") == b"a = 5\n"
    assert not flag.exists()


def test_a_file_that_a_filter_stored_differently_keeps_its_id_while_it_is_unchanged(repo):
    repo.git("config", "filter.upper.clean", "tr a-z A-Z")
    repo.git("config", "filter.upper.smudge", "tr A-Z a-z")
    repo.write(".gitattributes", "*.txt filter=upper\n")
    repo.write("x.txt", "words\n")
    repo.commit()
    assert repo.git("show", "HEAD:x.txt") == "WORDS"
    time.sleep(1.1)
    repo.git("status")
    assert repo.tree().id == repo.head()
    repo.write("x.txt", "other words\n")
    assert trees.read(repo.tree(), "x.txt") == b"other words\n"


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"])
def test_variables_of_another_repository_do_not_mislead(repo, variable):
    repo.environ = {**repo.environ, variable: str(repo.home / "elsewhere")}
    tree = repo.tree()
    del repo.environ[variable]
    assert tree.id == repo.head()


@pytest.mark.parametrize("inner", ["my [state]", "state/cache"])
def test_files_of_our_own_are_not_part_of_the_tree(repo, inner):
    repo.store = str(repo.path / inner)
    if inner.endswith("cache"):
        repo.write("state/ultrawork.db", "")
    assert repo.tree().id == repo.head()
    repo.write("new.py")
    assert "new.py" in trees.list_paths(repo.tree())
    shutil.rmtree(repo.path / ".git")
    shutil.rmtree(repo.store)
    assert trees.list_paths(repo.tree()) == [".gitignore", "a.py", "new.py", "src/b.py"]


def test_two_at_once_both_get_the_right_tree(repo):
    for i in range(200):
        repo.write(f"new/{i}.py", f"{i}\n")
    expected = oracle(repo)
    found = []
    both = [threading.Thread(target=lambda: found.append(repo.tree().id)) for _ in range(4)]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert found == [expected] * 4


TAKE = (
    "import os, sys; from ultrawork.gates.trees import tree\n"
    "print('up', flush=True)\n"
    "print(tree.take_snapshot(sys.argv[1], sys.argv[2], os.environ).id)\n"
)


@pytest.mark.slow
def test_killed_in_the_middle_the_next_tree_is_right(repo):
    for i in range(300):
        repo.write(f"new/{i}.py", f"{i}\n")
    expected = oracle(repo)
    for step in range(12):
        environ = {**repo.environ, "PYTHONPATH": SOURCE}
        taker = subprocess.Popen(
            [sys.executable, "-c", TAKE, str(repo.path), repo.store], env=environ, stdout=subprocess.PIPE
        )
        with taker:
            assert taker.stdout is not None
            taker.stdout.readline()
            time.sleep(step * 0.006)
            taker.kill()
    assert repo.tree().id == expected
    shutil.rmtree(repo.path / "new")
    assert repo.tree().id == repo.head()


def test_a_damaged_memory_of_ours_is_made_anew(repo):
    repo.write("new.py")
    expected = repo.tree().id
    for state in Path(repo.store).rglob("state"):
        state.write_text("{half")
    assert repo.tree().id == expected


def test_a_store_that_cannot_be_made_is_our_trouble(repo):
    repo.write("file")
    repo.store = str(repo.path / "file" / "store")
    with pytest.raises(Trouble, match=r"could not create .*: Not a directory"):
        repo.tree()


def test_a_full_disk_is_our_trouble_and_heals(repo):
    """The limit on a file's size stands for the disk: writing fails the same way."""
    repo.write("large.bin", os.urandom(400_000))
    script = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n" + TAKE
    environ = {**repo.environ, "PYTHONPATH": SOURCE}
    ended = subprocess.run(
        [sys.executable, "-c", script, str(repo.path), repo.store],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ultrawork.core.errors.Trouble" in ended.stderr
    assert repo.tree().id == oracle(repo)


def test_the_difference_of_two_trees_tells_paths_status_and_lines(repo):
    before = repo.tree()
    repo.write("a.py", "a = 1\nb = 2\nc = 3\n")
    (repo.path / "src/b.py").unlink()
    repo.write("new.py", "one\ntwo\n")
    repo.write("image.bin", b"\0\1\2")
    (repo.path / "link").symlink_to("a.py")
    found = {c.path: (c.status, c.added, c.removed, c.binary) for c in trees.diff(before, repo.tree())}
    assert found == {
        "a.py": ("M", 2, 0, False),
        "src/b.py": ("D", 0, 1, False),
        "new.py": ("A", 2, 0, False),
        "image.bin": ("A", 0, 0, True),
        "link": ("A", 1, 0, False),
    }
    assert trees.diff(before, before) == []


def test_a_file_is_read_from_a_tree_and_not_from_the_disk(repo):
    tree = repo.tree()
    repo.write("a.py", "changed\n")
    assert trees.read(tree, "a.py") == b"a = 1\n"
    assert trees.read(tree, "src") is None
    assert trees.read(tree, "no.py") is None


def test_a_tree_can_be_asked_by_its_id_later(repo):
    repo.write("new.py", "new\n")
    name = repo.tree().id
    (repo.path / "new.py").unlink()
    again = trees.get_recorded(name, str(repo.path), repo.store, repo.environ)
    assert trees.read(again, "new.py") == b"new\n"
    assert again.ask(["ls-tree", "--name-only", again.id]).split()[-2:] == [b"new.py", b"src"]


def test_the_tree_of_a_commit_can_be_read_before_any_snapshot(repo):
    tree = trees.get_recorded(repo.head(), str(repo.path), repo.store, repo.environ)
    assert trees.list_paths(tree) == [".gitignore", "a.py", "src/b.py"]


def test_a_tree_is_written_out_as_it_was(repo):
    (repo.path / "a.py").chmod(0o755)
    (repo.path / "link").symlink_to("src/b.py")
    repo.write("new file.py", "new\n")
    repo.write("x.log", "ignored\n")
    tree = repo.tree()
    repo.write("new file.py", "changed\n")
    target = repo.home / "copy"
    trees.materialise(tree, str(target))
    names = sorted(str(p.relative_to(target)) for p in target.rglob("*") if ".git/" not in str(p))
    assert names == [".git", ".gitignore", "a.py", "link", "new file.py", "src", "src/b.py"]
    assert (target / "new file.py").read_text() == "new\n"
    assert os.access(target / "a.py", os.X_OK)
    assert os.readlink(target / "link") == "src/b.py"
    assert trees.take_snapshot(str(target), repo.store, repo.environ).id == tree.id


def test_a_copy_is_a_repository_that_knows_the_history(repo):
    repo.git("tag", "v1.2")
    tree = repo.tree()
    target = repo.home / "copy"
    trees.materialise(tree, str(target))
    assert repo.git("describe", "--tags", at=target) == "v1.2"
    assert repo.git("status", "--porcelain", at=target) == ""
    assert repo.git("symbolic-ref", "HEAD", at=target) == "refs/heads/main"
    repo.git("commit", "-q", "--allow-empty", "-m", "there", at=target)
    assert repo.git("rev-list", "--count", "HEAD") == "1"


def test_a_copy_of_a_shallow_clone_knows_where_history_ends(repo):
    repo.commit(b_py="2\n")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.path}", str(repo.home / "shallow"))
    target = repo.home / "copy"
    trees.materialise(repo.tree(repo.home / "shallow"), str(target))
    assert repo.git("log", "--format=%s", at=target) == "x"


def test_files_of_another_tree_can_be_laid_over(repo):
    old = repo.tree()
    repo.write("a.py", "new a\n")
    repo.write("src/b.py", "new b\n")
    repo.write("added.py", "added\n")
    new = repo.tree()
    target = repo.home / "copy"
    trees.materialise(new, str(target), overlay=old, paths=["src/b.py", "added.py"])
    assert (target / "a.py").read_text() == "new a\n"
    assert (target / "src/b.py").read_text() == "b = 1\n"
    assert not (target / "added.py").exists()


def test_a_submodule_is_written_out_with_its_edits(nested):
    (nested.path / "lib/lib.py").write_text("edited\n")
    (nested.path / "lib/new.py").write_text("new\n")
    target = nested.home / "copy"
    trees.materialise(nested.tree(), str(target))
    assert (target / "lib/lib.py").read_text() == "edited\n"
    assert (target / "lib/new.py").read_text() == "new\n"


@pytest.mark.parametrize("store", ["", "elsewhere"])
def test_a_file_that_lfs_keeps_is_written_out_with_its_content(repo, store):
    content = b"large content" * 100
    digest = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"
    repo.write("model.bin", pointer)
    repo.commit()
    if store:
        repo.git("config", "lfs.storage", store)
    kept = repo.path / ".git" / (store or "lfs") / "objects" / digest[:2] / digest[2:4] / digest
    kept.parent.mkdir(parents=True)
    kept.write_bytes(content)
    target = repo.home / "copy"
    trees.materialise(repo.tree(), str(target))
    assert (target / "model.bin").read_bytes() == content


@pytest.fixture
def plain(tmp_path):
    """A folder without git."""
    folder = tmp_path / "plain"
    (folder / "src").mkdir(parents=True)
    (folder / "a.py").write_text("a = 1\n")
    (folder / "src/b.py").write_text("b = 1\n")
    return folder


def walked(folder, environ=None):
    return trees.take_snapshot(str(folder), str(folder.parent / "store"), environ or {"PATH": PATH})


def test_a_folder_without_git_has_a_tree(plain):
    tree = walked(plain)
    assert tree.kind == "walk"
    assert trees.list_paths(tree) == ["a.py", "src/b.py"]
    assert walked(plain).id == tree.id


def test_the_same_files_elsewhere_have_the_same_id(plain, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(plain, other)
    assert walked(other).id == walked(plain).id


def test_litter_and_installed_files_are_not_walked(plain):
    for name in (*LITTER, ".venv/lib/x.py", ".hg/store"):
        (plain / name).parent.mkdir(parents=True, exist_ok=True)
        (plain / name).write_text("x")
    assert trees.list_paths(walked(plain)) == ["a.py", "src/b.py"]


def test_every_kind_of_change_in_a_plain_folder_changes_the_id(plain):
    seen = [walked(plain).id]
    for value in (2, 3, 4):
        (plain / "a.py").write_text(f"a = {value}\n")
        seen.append(walked(plain).id)
    (plain / "a.py").chmod(0o755)
    seen.append(walked(plain).id)
    (plain / "link").symlink_to("src")
    seen.append(walked(plain).id)
    (plain / "a.py").rename(plain / "c.py")
    seen.append(walked(plain).id)
    assert len(set(seen)) == len(seen)


def test_a_plain_tree_is_compared_read_and_written_out(plain, tmp_path):
    before = walked(plain)
    (plain / "a.py").write_text("a = 2\nb = 3\n")
    (plain / "src/b.py").unlink()
    (plain / "run.sh").write_text("#!/bin/sh\n")
    (plain / "run.sh").chmod(0o755)
    (plain / "link").symlink_to("a.py")
    after = walked(plain)
    found = {c.path: (c.status, c.added, c.removed) for c in trees.diff(before, after)}
    assert found == {"a.py": ("M", 2, 1), "link": ("A", 1, 0), "run.sh": ("A", 1, 0), "src/b.py": ("D", 0, 1)}
    assert trees.read(before, "a.py") == b"a = 1\n"
    assert trees.read(before, "run.sh") is None
    trees.materialise(after, str(tmp_path / "copy"), overlay=before, paths=["src/b.py", "link"])
    assert (tmp_path / "copy/src/b.py").read_text() == "b = 1\n"
    assert not os.path.lexists(tmp_path / "copy/link")
    assert os.access(tmp_path / "copy/run.sh", os.X_OK)


def test_without_git_on_the_path_a_repository_is_walked(repo):
    repo.environ["PATH"] = "/nowhere"
    tree = repo.tree()
    assert (tree.kind, trees.list_paths(tree)) == ("walk", [".gitignore", "a.py", "src/b.py"])


def test_trees_of_two_kinds_are_not_compared(repo):
    one = repo.tree()
    repo.environ["PATH"] = "/nowhere"
    other = repo.tree()
    with pytest.raises(Trouble, match="cannot be compared"):
        trees.diff(one, other)
    with pytest.raises(Trouble, match="was recorded by git, which is gone now"):
        trees.get_recorded(one.id, str(repo.path), repo.store, repo.environ)


def test_a_walk_is_bounded(plain, monkeypatch):
    monkeypatch.setattr("ultrawork.system.walk.FILES", 1)
    with pytest.raises(Trouble, match="run git init"):
        walked(plain)


NAMES = ["a.py", "src/b.py", "src/c.py", "src/deep/d.py", "x.log", "build/o", "b c.txt", "ü.md", "a.py/e.py"]
NAMES += ["src", "node_modules/m.js", "src/__pycache__/b.pyc", "n.swp"]
RULES = ["", "build/\n*.log\n", "src/\n", "*.py\n!a.py\n", "*\n!*/\n!*.js\n!*.py\n", "deep\n", "/b c.txt\n"]
name = st.sampled_from(NAMES)
step = st.one_of(
    st.tuples(st.just("write"), name, st.sampled_from(["1\n", "2\n", "3\n", "long\n" * 50])),
    st.tuples(st.just("delete"), name, st.none()),
    st.tuples(st.just("touch"), name, st.none()),
    st.tuples(st.just("chmod"), name, st.sampled_from([0o644, 0o755])),
    st.tuples(st.just("link"), name, st.sampled_from(["a.py", "src", "/nowhere"])),
    st.tuples(st.just("move"), name, name),
    st.tuples(st.just("ignore"), st.just(".gitignore"), st.sampled_from(RULES)),
    st.tuples(st.just("ignore"), st.just("src/.gitignore"), st.sampled_from(RULES)),
    st.tuples(st.just("add"), name, st.sampled_from([("add",), ("add", "-f"), ("rm", "-rq", "--cached")])),
    st.tuples(st.just("git"), st.none(), st.sampled_from(["commit", "back", "status", "stash"])),
    st.tuples(st.just("flag"), name, st.sampled_from(["--assume-unchanged", "--skip-worktree"])),
)
GIT = {
    "commit": [("add", "-A"), ("commit", "-qm", "x", "--allow-empty")],
    "back": [("checkout", "-q", "-f", "HEAD~1")],
    "status": [("status",)],
    "stash": [("stash", "-u", "-q")],
}


def clear(path):
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.is_dir():
        shutil.rmtree(path)


def make_room(repo, path):
    """Whatever stands where a folder is needed goes."""
    for above in reversed(path.relative_to(repo.path).parents):
        place = repo.path / above
        if place.is_symlink() or place.is_file():
            place.unlink()
    path.parent.mkdir(parents=True, exist_ok=True)
    clear(path)


def apply(repo, kind, where, what):
    if kind == "git":
        for command in GIT[what]:
            repo.git(*command, check=False)
        return
    path = repo.path / where
    if kind in ("write", "ignore", "link"):
        make_room(repo, path)
        path.symlink_to(what) if kind == "link" else path.write_text(what)
    elif kind == "add":
        repo.git(*what, "--", where, check=False)
    elif kind == "flag":
        repo.git("update-index", what, "--", where, check=False)
    elif not os.path.lexists(path):
        return
    elif kind == "delete":
        clear(path)
    elif kind == "touch":
        os.utime(path, follow_symlinks=False)
    elif kind == "chmod" and path.is_file():
        path.chmod(what)
    elif kind == "move" and not str(what).startswith(str(where)) and not str(where).startswith(str(what)):
        target = repo.path / what
        make_room(repo, target)
        if os.path.lexists(path):
            path.rename(target)


def uncovered(repo, copy):
    """Entries that git was told to overlook are looked at by us, so the oracle must look too."""
    for flag in ("--no-assume-unchanged", "--no-skip-worktree"):
        listed = repo.git("ls-files", "-z", at=copy).split("\0")
        for path in filter(None, listed):
            repo.git("update-index", flag, "--", path, at=copy, check=False)


def check_random_edits(steps, home):
    repo = Repo(home)
    repo.commit(a_py="1\n", src__b_py="1\n")
    repo.commit(src__c_py="2\n")
    flagged = False
    for kind, where, what in steps:
        apply(repo, kind, where, what)
        flagged = flagged or kind == "flag"
        if flagged:
            uncovered(repo, repo.path)
        assert repo.tree().id == oracle(repo), (kind, where, what)


@pytest.mark.slow
@settings(max_examples=12)
@example([("ignore", ".gitignore", "*\n!*/\n!*.js\n"), ("write", "node_modules/m.js", "1\n")])
@given(st.lists(step, min_size=1, max_size=6))
def test_after_any_edits_the_id_is_what_git_gives(tmp_path_factory, steps):
    check_random_edits(steps, tmp_path_factory.mktemp("edits"))


@pytest.mark.slow
@settings(max_examples=amount(20, 80))
@given(st.lists(step, min_size=3, max_size=14))
def test_after_many_edits_the_id_is_what_git_gives(tmp_path_factory, steps):
    check_random_edits(steps, tmp_path_factory.mktemp("edits"))


@pytest.mark.slow
def test_twenty_thousand_files_take_no_time_worth_mentioning(tmp_path):
    repo = Repo(tmp_path)
    for i in range(20_000):
        path = repo.path / f"d{i % 400}" / f"f{i}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"x = {i}\n")
    repo.commit()
    repo.tree()
    time.sleep(1.1)
    repo.tree()
    clean, dirty, bare = [], [], []
    for i in range(7):
        bare.append(timed(lambda: repo.git("status")))
        clean.append(timed(repo.tree))
        repo.write("d7/f7.py", f"x = -{i}\n")
        dirty.append(timed(repo.tree))
    # On a machine that is busy with other things git itself is slow; then it is the measure.
    assert min(clean) < max(0.15, 2 * min(bare))
    assert min(dirty) < max(0.15, 4 * min(bare))


def timed(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
