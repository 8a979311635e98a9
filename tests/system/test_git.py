"""Asking git: plain answers, none where there is none, and one sentence where git fails."""

import hashlib
import os
import subprocess
import sys

import pytest

from support.floor import PLUGIN
from ultrawork.core.errors import NotFound, Trouble
from ultrawork.system.files import may_hold_submodules
from ultrawork.system.git import Git

ENVIRON = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nowhere",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


class Repo:
    def __init__(self, path):
        path.mkdir()
        self.path = path
        self.git("init", "-q", "-b", "main")
        self.ask = Git(str(path), ENVIRON)

    def git(self, *arguments):
        command = ["git", *arguments]
        ended = subprocess.run(command, cwd=self.path, env=ENVIRON, capture_output=True, check=True)
        return ended.stdout.decode().strip()

    def commit(self, name, text):
        (self.path / name).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-qm", "x")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path):
    found = Repo(tmp_path / "repo")
    found.commit("a.py", "a = 1\n")
    return found


def test_places_are_told_from_any_folder_inside(repo):
    inside = repo.path / "src/deep"
    inside.mkdir(parents=True)
    git = Git(str(inside), ENVIRON)
    assert git.git_dir() == os.path.realpath(repo.path / ".git")


def test_outside_of_a_repository_there_is_no_answer(tmp_path):
    git = Git(str(tmp_path), ENVIRON)
    assert (git.git_dir(), git.head(), git.upstream()) == (None, None, None)


def test_the_head_is_a_commit_and_none_before_the_first(repo, tmp_path):
    assert repo.ask.head() == repo.git("rev-parse", "HEAD")
    assert Repo(tmp_path / "empty").ask.head() is None


def test_a_name_stands_for_a_commit_and_its_tree(repo):
    assert repo.ask.commit("main") == repo.ask.head()
    assert repo.ask.tree_id("main") == repo.git("rev-parse", "main^{tree}")
    assert repo.ask.commit("no-such-branch") is None


def test_a_name_that_looks_like_an_option_is_only_a_name(repo):
    assert repo.ask.commit("--git-dir") is None


def test_many_names_are_resolved_by_one_question(repo):
    git = repo.ask
    asked = ("HEAD^{commit}", "refs/heads/none^{commit}", "main^{tree}")
    assert git.resolve(*asked) == [git.head(), None, git.tree_id("main")]


def test_before_the_first_commit_nothing_is_resolved(tmp_path):
    assert Repo(tmp_path / "empty").ask.resolve("HEAD^{commit}", "HEAD^{tree}") == [None, None]


def test_the_merge_base_of_two_branches_is_where_they_parted(repo):
    base = repo.ask.head()
    repo.git("checkout", "-q", "-b", "other")
    repo.commit("b.py", "b\n")
    repo.git("checkout", "-q", "main")
    repo.commit("c.py", "c\n")
    assert repo.ask.merge_base("main", "other") == base


def test_unrelated_branches_have_no_merge_base(repo):
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit("b.py", "b\n")
    assert repo.ask.merge_base("main", "other") is None


def test_the_upstream_is_told_where_there_is_one(repo):
    assert repo.ask.upstream() is None
    repo.git("remote", "add", "origin", "/nowhere")
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.git("branch", "-q", "--set-upstream-to=origin/main")
    assert repo.ask.upstream() == "origin/main"


def test_entries_of_a_tree_are_files_with_mode_and_id(repo):
    (repo.path / "src").mkdir()
    (repo.path / "src/run.sh").write_text("#!/bin/sh\n")
    (repo.path / "src/run.sh").chmod(0o755)
    repo.commit("a.py", "a = 2\n")
    found = [(entry.mode, entry.path) for entry in repo.ask.entries("HEAD")]
    assert found == [("100644", "a.py"), ("100755", "src/run.sh")]
    assert [entry.path for entry in repo.ask.entries("HEAD", ["src/run.sh", "no"])] == ["src/run.sh"]


def test_a_file_of_a_tree_is_read(repo):
    repo.commit("line\nbreak", "text\n")
    assert repo.ask.read("HEAD", "a.py") == b"a = 1\n"
    assert repo.ask.read("HEAD", "line\nbreak") == b"text\n"
    assert repo.ask.read("HEAD", "b.py") is None


def test_many_files_of_a_tree_are_read_by_one_question(repo):
    (repo.path / "two words").write_bytes(b"\0\n\n missing\n")
    (repo.path / "line\nend").write_text("odd\n")
    (repo.path / "empty").touch()
    (repo.path / "folder").mkdir()
    repo.commit("folder/inner", "x")
    names = ["a.py", "two words", "folder", "line\nend", "none", "empty", "none missing"]
    assert repo.ask.read_all("HEAD", names) == {name: repo.ask.read("HEAD", name) for name in names}
    assert repo.ask.read_all("HEAD", names)["two words"] == b"\0\n\n missing\n"


def test_a_submodule_is_no_file_among_many(repo, tmp_path):
    inner = Repo(tmp_path / "inner").commit("x", "x")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{inner},inner")
    tree = repo.git("write-tree")
    assert repo.ask.read_all(tree, ["inner", "a.py"]) == {"inner": None, "a.py": b"a = 1\n"}
    assert may_hold_submodules(f"{repo.path}/.git/index")


def test_an_index_without_submodules_is_known_without_git(repo):
    assert not may_hold_submodules(f"{repo.path}/.git/index")
    repo.git("update-index", "--split-index")
    assert may_hold_submodules(f"{repo.path}/.git/index")
    assert may_hold_submodules(f"{repo.path}/no/index")


def test_objects_are_asked_for_once_and_names_that_move_each_time(repo):
    first = repo.ask.entries("HEAD")
    tree = repo.ask.tree_id("HEAD")
    assert [one.path for one in repo.ask.entries(tree)] == ["a.py"]
    repo.commit("b.py", "b = 1\n")
    assert len(repo.ask.entries("HEAD")) == len(first) + 1
    assert [one.path for one in repo.ask.entries(tree)] == ["a.py"]
    elsewhere = Git("/", {**ENVIRON, "PATH": "/usr/local/bin:/usr/bin:/bin"})
    assert elsewhere.ask_once(["ls-tree", "-r", "-z", "--full-tree", tree, "--"])


def test_changes_name_paths_with_odd_names(repo):
    before = repo.ask.head()
    repo.commit(":odd\tname\n1", "one\ntwo\n")
    (change,) = repo.ask.changes(before, "HEAD")
    assert (change.path, change.status, change.added) == (":odd\tname\n1", "A", 2)
    assert repr(change).startswith("A :odd")


def test_a_worktree_is_added_and_removed_without_hooks(repo, tmp_path):
    hook = repo.path / ".git/hooks/post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/executed\n")
    hook.chmod(0o755)
    place = str(tmp_path / "tree")
    repo.ask.worktree_add(place, "HEAD", branch="work")
    assert Git(place, ENVIRON).line("symbolic-ref", "--short", "HEAD") == "work"
    (tmp_path / "tree/new.py").write_text("x\n")
    repo.ask.worktree_remove(place)
    assert not os.path.exists(place)
    assert "work" in repo.git("branch")
    assert not (tmp_path / "executed").exists()


def test_a_folder_that_is_no_worktree_is_not_removed(repo, tmp_path):
    with pytest.raises(NotFound, match="is not a worktree"):
        repo.ask.worktree_remove(str(tmp_path))
    assert tmp_path.exists()


def test_a_worktree_whose_folder_is_gone_is_forgotten(repo, tmp_path):
    place = tmp_path / "tree"
    repo.ask.worktree_add(str(place), "HEAD")
    subprocess.run(["rm", "-r", str(place)], check=True)
    repo.ask.worktree_remove(str(place))
    assert f"{place} " not in repo.git("worktree", "list")


def test_what_a_repository_ignores_is_told(repo):
    (repo.path / ".gitignore").write_text("build/\n")
    (repo.path / "build").mkdir()
    assert repo.ask.ignores(str(repo.path / "build"))
    assert not repo.ask.ignores(str(repo.path / "a.py"))


def test_a_failure_is_one_sentence_with_what_git_said(repo):
    with pytest.raises(Trouble, match=r"^git ls-tree failed: Not a valid object name nothing$"):
        repo.ask.entries("nothing")


def test_without_git_the_sentence_says_so(repo):
    with pytest.raises(Trouble, match="git is not on PATH; install git"):
        Git(str(repo.path), {"PATH": "/nowhere"})


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_CONFIG_COUNT", "GIT_EXTERNAL_DIFF", "GIT_TRACE"])
def test_variables_that_redirect_git_are_taken_away(repo, tmp_path, name):
    git = Git(str(repo.path), {**ENVIRON, name: str(tmp_path / "elsewhere")})
    assert git.head() == repo.ask.head()
    assert not (tmp_path / "elsewhere").exists()


def test_one_who_is_patient_with_git_waits_longer_than_others(repo):
    hurried = Git(repo.ask.root, ENVIRON, patience=0.0)
    with pytest.raises(Trouble, match="did not answer within 0 s"):
        hurried.ask(["rev-parse", "HEAD"])
    assert hurried.answer(["rev-parse", "HEAD"], patience=60.0).exit == 0


def test_an_object_has_one_id_whichever_way_it_is_hashed():
    """Little without OpenSSL, which takes longer to load than that takes to hash; much with it."""
    text = (
        "import sys; from ultrawork.system.objects import hash_object as hash\n"
        "little = hash('blob', b'right', 'a' * 40); print('hashlib' in sys.modules)\n"
        "much = hash('blob', b'x' * 400_000, 'a' * 40); print('hashlib' in sys.modules)\n"
        "print(little == hash('blob', b'right', 'a' * 40)); print(little); print(much)\n"
    )
    done = subprocess.run([sys.executable, "-S", "-c", text], capture_output=True, text=True, env={"PYTHONPATH": f"{PLUGIN}/src"}, check=True)  # fmt: skip
    expected = [hashlib.sha1(b"blob %d\0%s" % (len(data), data)).hexdigest() for data in (b"right", b"x" * 400_000)]
    assert done.stdout.split() == ["False", "True", "True", *expected]
