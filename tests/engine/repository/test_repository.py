"""Where a session begins: the person's files as they are, and nothing of theirs touched."""

import os
import subprocess
import sys
import threading
import time

import pytest

import ultrawork
from ultrawork.core.errors import Conflict, NotFound
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.opening import open_repository
from ultrawork.engine.repository.worker_traces import record_state
from ultrawork.store.atomic import Lock
from ultrawork.store.paths import Home
from ultrawork.system import history


def state_of(person):
    """All that a person would miss: branch, index, stash, files."""
    return [
        person.git("symbolic-ref", "HEAD"),
        person.git("rev-parse", "--verify", "--quiet", "HEAD", check=False),
        person.git("ls-files", "-s"),
        person.git("stash", "list"),
        person.git("status", "--porcelain"),
        person.git("config", "--local", "--list"),
    ]


def test_a_clean_checkout_begins_from_its_commit(shop):
    repository = shop.open()
    assert repository.base == repository.head() == shop.git("rev-parse", "HEAD")
    assert shop.git("rev-parse", "ultrawork/s1") == repository.base
    assert repository.notes == []


def test_a_dirty_checkout_begins_from_its_files_and_stays_as_it_is(shop):
    shop.write("a.py", "a = 5\n")
    shop.write("staged.py", "staged\n")
    shop.git("add", "staged.py")
    shop.write("new.py", "new\n")
    shop.write("out.log", "ignored\n")
    before = state_of(shop)
    repository = shop.open()
    assert shop.files(repository.base) == {
        ".gitignore": "build/\n*.log",
        "a.py": "a = 5",
        "new.py": "new",
        "src/b.py": "b = 1\nb = 2\nb = 3",
        "staged.py": "staged",
    }
    assert shop.git("rev-parse", f"{repository.base}^") == shop.git("rev-parse", "HEAD")
    assert state_of(shop) == before
    assert repository.notes == ["uncommitted changes are part of the baseline and stay as they are here"]


def test_a_base_commit_bears_the_persons_name(shop):
    shop.write("new.py", "new\n")
    assert shop.git("show", "-s", "--format=%an <%ae>", shop.open().base) == "Pat <pat@example.org>"


def test_who_has_told_git_no_name_gets_ours(shop):
    (shop.folder / ".gitconfig").write_text("")
    shop.write("new.py", "new\n")
    shown = shop.git("show", "-s", "--format=%an <%ae>", shop.open().base)
    assert shown == "ultrawork <ultrawork@localhost>"


def test_opening_again_finds_the_same_base_though_files_moved_on(shop):
    shop.write("a.py", "a = 5\n")
    first = shop.open()
    shop.write("a.py", "a = 6\n")
    shop.commit()
    assert shop.open().base == first.base


def test_opening_again_finds_what_was_merged(repository, shop, queue, do):
    queue.merge("t1", do(repository, "t1", {"a.py": "a = 2\n"}))
    assert shop.open().head() == repository.head() != repository.base


def test_two_sessions_have_each_their_own(shop, do):
    one, two = shop.open("s1"), shop.open("s2")
    assert do(one, "t1", {"x.py": "1\n"}) != do(two, "t1", {"x.py": "2\n"})
    assert worktrees.prepare(one, "t1", 1).path != worktrees.prepare(two, "t1", 1).path


def test_a_branch_that_somebody_moved_is_put_back_and_what_it_held_is_kept(shop, repository):
    shop.git("branch", "-f", "ultrawork/s1", shop.commit(mine_py="mine\n"))
    again = shop.open()
    (note,) = again.notes
    assert shop.git("rev-parse", "ultrawork/s1") == repository.base
    assert shop.git("rev-parse", note.split()[-1]) == shop.git("rev-parse", "HEAD")


def test_a_branch_that_somebody_deleted_is_there_again_with_all_results(shop, repository, queue, do):
    merged = queue.merge("t1", do(repository, "t1", {"a.py": "a = 2\n"}))
    shop.git("branch", "-D", "ultrawork/s1")
    shop.open()
    assert shop.git("rev-parse", "ultrawork/s1") == merged.commit


def test_one_may_stand_in_a_folder_of_the_checkout(shop):
    assert shop.open(place=shop.path / "src").top == str(shop.path)


def test_worktrees_lie_outside_a_checkout_that_holds_the_state_folder(shop):
    shop.home = Home(str(shop.path / "state"))
    assert shop.open().folder == f"{shop.folder}/.local/state/ultrawork/worktrees/s1"


def test_worktrees_do_not_lie_where_the_client_lets_no_agent_write(shop):
    shop.home = Home(f"{shop.folder}/.claude/ultrawork")
    assert "/.claude/" not in worktrees.prepare(shop.open(), "t1", 1).path


def test_where_home_itself_is_a_checkout_worktrees_lie_in_a_folder_for_temporary_files(person):
    person.path = person.folder
    person.home = Home(f"{person.folder}/.claude/ultrawork")
    person.environ["TMPDIR"] = str(person.folder.parent / "tmp")
    person.init(a_py="a = 1\n")
    assert person.open().folder.startswith(f"{person.folder.parent}/tmp/ultrawork-")


def test_without_a_home_worktrees_lie_in_a_folder_for_temporary_files(shop):
    del shop.environ["HOME"]
    shop.environ["TMPDIR"] = str(shop.folder / "tmp")
    shop.home = Home(str(shop.path / "state"))
    assert shop.open().folder.startswith(f"{shop.folder}/tmp/ultrawork-")


HELD = """
import os, sys
from ultrawork.engine.repository.lock import RepositoryLock
from ultrawork.engine.repository.opening import open_repository
from ultrawork.store.paths import Home
from ultrawork.system import history
from ultrawork.system.program import ask_program

repository = open_repository(sys.argv[1], Home(sys.argv[2]), "s1", dict(os.environ))
with RepositoryLock(repository):
    waiting = "while [ ! -e " + sys.argv[3] + " ]; do sleep 0.05; done"
    ask_program(["/bin/sh", "-c", "exec 2>" + sys.argv[3] + ".held; " + waiting], env=os.environ)
"""


def test_whoever_comes_after_a_crash_waits_for_a_git_that_still_runs(shop):
    source = os.path.dirname(os.path.dirname(ultrawork.__file__))
    done = shop.folder / "done"
    argv = [sys.executable, "-c", HELD, str(shop.path), shop.home.root, str(done)]
    environ = {**shop.environ, "PYTHONPATH": source}
    with subprocess.Popen(argv, env=environ) as engine:
        while not os.path.exists(f"{done}.held"):
            assert engine.poll() is None
            time.sleep(0.02)
        engine.kill()
    path = f"{shop.home.root}/worktrees/s1/lock"
    with pytest.raises(Conflict, match="has been locked by another program"), Lock(path, patience=0.2):
        pass
    done.touch()
    assert shop.open().head()


def test_a_session_belongs_to_one_checkout(shop, tmp_path):
    shop.open()
    shop.git("clone", "-q", str(shop.path), str(tmp_path / "other"))
    with pytest.raises(Conflict, match=r"session s1 belongs to .*/shop; run it there"):
        shop.open(place=tmp_path / "other")


@pytest.mark.slow
def test_a_session_goes_along_with_a_checkout_that_was_moved(shop, tmp_path):
    """With the worktrees that it has; a clone is none, whose base nobody began from."""
    before = worktrees.prepare(shop.open(), "t1", 1)
    shop.git("clone", "-q", str(shop.path), str(tmp_path / "clone"))
    shop.path.rename(tmp_path / "moved")
    with pytest.raises(Conflict, match="run it there"):
        shop.open(place=tmp_path / "clone")
    repository = shop.open(place=tmp_path / "moved")
    assert repository.notes == [f"the repository moved here from {shop.path}"]
    after = worktrees.prepare(repository, "t1", 1)
    assert (after.path, after.is_known, after.collect("nothing")) == (before.path, True, "")
    assert shop.open(place=tmp_path / "moved").notes == []


def test_a_session_does_not_go_along_with_a_checkout_that_is_away_for_a_moment(shop, tmp_path):
    shop.open()
    shop.path.rename(tmp_path / "away")
    back = threading.Timer(0.3, (tmp_path / "away").rename, [shop.path])
    back.start()
    with pytest.raises(Conflict, match="run it there"):
        shop.open(place=tmp_path / "away")
    back.join()
    assert shop.open().notes == []


def test_a_folder_without_git_is_refused_with_what_to_do(person):
    with pytest.raises(NotFound, match=r"is not a git repository. Run git init there"):
        person.open()


def test_a_session_that_is_begun_anew_starts_from_the_files_of_now(shop):
    first = open_repository(str(shop.path), shop.home, "s1", shop.environ, begun_at=1.0)
    worktrees.prepare(first, "t1", 1)
    old = first.head()
    new = shop.commit(a_py="a = 'newer'\n")
    second = open_repository(str(shop.path), shop.home, "s1", shop.environ, begun_at=2.0)
    assert (second.base, second.head()) == (new, new)
    assert worktrees.find(second, "t1.1") is None
    kept = shop.git("for-each-ref", "--format=%(objectname) %(refname)", "refs/ultrawork")
    assert f"{old} refs/ultrawork/s1." in kept
    again = open_repository(str(shop.path), shop.home, "s1", shop.environ, begun_at=2.0)
    assert again.base == new


def test_a_branch_with_a_strange_name_is_listed_like_any_other(shop):
    shop.git("branch", "odd\u2028name")
    assert "refs/heads/odd\u2028name" in history.list_refs(shop.open().git, "refs/heads")
    record_state(shop.open())


def test_a_huge_file_that_git_does_not_know_is_named_before_it_is_copied(shop):
    with open(shop.path / "data.bin", "wb") as file:
        file.truncate(300_000_000)
    with pytest.raises(Conflict, match=r"data.bin \(300 MB\) is not tracked.* \.gitignore"):
        shop.open()
    (shop.path / ".gitignore").write_text("*.bin\n")
    assert shop.open().base


def test_refs_of_ours_that_somebody_deleted_are_written_again(shop, repository, queue, do):
    queue.merge("t1", do(repository, "t1", {"one.py": "1\n"}))
    merged = repository.head()
    below = ("refs/ultrawork", "refs/heads/ultrawork", "refs/heads/ultrawork-work")
    for found in (repository.head, lambda: shop.open().head()):
        for ref in shop.git("for-each-ref", "--format=%(refname)", *below).split():
            shop.git("update-ref", "-d", ref)
        assert found() == merged
        assert shop.git("rev-parse", "ultrawork/s1") == merged
        assert shop.git("rev-parse", "refs/ultrawork/s1/base") == repository.base
