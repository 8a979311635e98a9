"""A worker's own place: whole, apart from the person's, and collected whole."""

import os
import re
import shutil
import threading
from pathlib import Path

import pytest

from ultrawork.core.errors import Conflict
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.cleanup import remove_worktrees
from ultrawork.engine.repository.lock import RepositoryLock, name_unfinished


def write(worktree, name, text):
    path = Path(worktree.path) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_worktree_has_the_files_of_the_base_on_a_branch_of_its_own(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    assert shop.git("symbolic-ref", "--short", "HEAD", at=worktree.path) == worktree.branch
    assert worktree.branch == "ultrawork-work/s1/t1.1"
    assert shop.git("rev-parse", "HEAD", at=worktree.path) == worktree.base == repository.base
    assert shop.git("status", "--porcelain", at=worktree.path) == ""
    assert not worktree.path.startswith(repository.top + "/")
    assert os.path.basename(worktree.path) == "shop"


def test_a_worktree_begins_from_what_is_merged(repository, queue, do):
    queue.merge("t1", do(repository, "t1", {"a.py": "a = 2\n"}))
    worktree = worktrees.prepare(repository, "t2", 1)
    assert Path(worktree.path, "a.py").read_text() == "a = 2\n"
    assert worktree.base == repository.head()


def test_asked_again_it_is_the_same_with_all_that_is_in_it(shop, repository):
    write(worktrees.prepare(repository, "t1", 1), "new.py", "new\n")
    again = worktrees.prepare(shop.open(), "t1", 1)
    assert Path(again.path, "new.py").read_text() == "new\n"


def test_another_attempt_has_another_place(repository):
    one, two = worktrees.prepare(repository, "t1", 1), worktrees.prepare(repository, "t1", 2)
    assert one.path != two.path
    assert one.branch != two.branch


def test_one_that_is_written_without_worktree_add_has_the_same_files(shop, repository):
    made = [worktrees.prepare(repository, name, 1, repository.base, lasting=name == "t1") for name in ("t1", "t2")]
    files, states = [], []
    for one in made:
        names = shop.git("ls-files", "-s", at=one.path)
        files.append(names)
        states.append(shop.git("status", "--porcelain", "--ignored", at=one.path))
    assert files[0] == files[1]
    assert states == ["", ""]
    assert [one.base for one in made] == [repository.base] * 2
    write(made[1], "a.py", "a = 2\n")
    assert shop.git("rev-parse", f"{made[1].collect('Two')}^") == repository.base


def test_what_a_worker_added_before_the_index_was_read_is_collected(shop, repository):
    """Also what is ignored; of another worktree of the same files it is known what its index named."""
    worktrees.prepare(repository, "t1", 1, repository.base, lasting=False).plan_settling()()
    second = worktrees.prepare(repository, "t2", 1, repository.base, lasting=False)
    settle = second.plan_settling()
    write(second, "out.log", "ignored\n")
    shop.git("add", "-f", "out.log", at=second.path)
    settle()
    assert "out.log" in shop.files(second.collect("x"))


def test_a_worktree_of_files_that_are_known_is_compared_with_them(shop, repository):
    worktrees.prepare(repository, "t1", 1, repository.base, lasting=False).plan_settling()()
    second = worktrees.prepare(repository, "t2", 1, repository.base, lasting=False)
    second.plan_settling()()
    assert second.collect("x") == ""
    write(second, "a.py", "a = 2\n")
    Path(second.path, "src/b.py").unlink()
    changed = shop.git("diff", "--name-status", second.base, second.collect("x")).split()
    assert changed == ["M", "a.py", "D", "src/b.py"]


def test_a_record_that_was_not_finished_is_taken_away_after_a_kill(repository):
    left = Path(repository.checkout.common, f"{name_unfinished(repository)}0")
    left.mkdir()
    Path(repository.folder, "busy").touch()
    worktrees.prepare(repository, "t1", 1, repository.base, lasting=False)
    assert not left.exists()


def test_what_was_not_changed_is_collected_also_while_others_have_their_turn(repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    collected = []
    with RepositoryLock(repository):
        looking = threading.Thread(target=lambda: collected.append(worktree.collect("Nothing")))
        looking.start()
        looking.join(30)
        assert collected == [""]


def test_all_work_is_collected_as_one_commit_on_the_base(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "a.py", "a = 2\n")
    write(worktree, "deep/new.py", "new\n")
    write(worktree, "out.log", "ignored\n")
    Path(worktree.path, "src/b.py").unlink()
    commit = worktree.collect("Make it two\n")
    assert shop.files(commit) == {".gitignore": "build/\n*.log", "a.py": "a = 2", "deep/new.py": "new"}
    assert shop.git("rev-parse", f"{commit}^") == worktree.base
    assert shop.git("show", "-s", "--format=%an %s", commit) == "Pat Make it two"


def test_what_the_worker_committed_itself_is_collected_too(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "one.py", "1\n")
    shop.git("add", "-A", at=worktree.path)
    shop.git("commit", "-qm", "mine", at=worktree.path)
    write(worktree, "two.py", "2\n")
    assert {"one.py", "two.py"} <= shop.files(worktree.collect("x")).keys()


def test_a_worker_may_make_a_branch_of_its_own(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    shop.git("switch", "-qc", "fix/login", at=worktree.path)
    write(worktree, "one.py", "1\n")
    assert "one.py" in shop.files(worktree.collect("x"))


def test_a_worker_that_left_for_other_files_is_caught(shop, repository):
    shop.commit(a_py="a = 7\n")
    repository = shop.open("s2")
    worktree = worktrees.prepare(repository, "t1", 1)
    shop.git("switch", "-q", "--detach", "HEAD^", at=worktree.path)
    with pytest.raises(Conflict, match=r"switched from its branch ultrawork-work/s2/t1\.1"):
        worktree.collect("x")


def test_a_worker_that_cut_its_worktree_off_is_tied_to_it_again(repository, shop):
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "one.py", "1\n")
    Path(worktree.path, ".git").unlink()
    assert "one.py" in shop.files(worktrees.prepare(repository, "t1", 1).collect("x"))


@pytest.mark.parametrize("foreign", ["own", "persons", "broken"])
def test_a_worker_that_put_its_files_under_another_repository_is_tied_to_its_own_again(shop, repository, foreign):
    """As a generator of projects does that runs `git init`."""
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "one.py", "1\n")
    link, before = Path(worktree.path, ".git"), shop.git("rev-parse", "HEAD")
    link.unlink()
    if foreign == "own":
        shop.git("init", "-q", at=worktree.path)
        shop.git("commit", "-q", "--allow-empty", "-m", "x", at=worktree.path)
    else:
        link.write_text(f"gitdir: {shop.path}/.git\n" if foreign == "persons" else "x")
    assert "one.py" in shop.files(worktrees.prepare(repository, "t1", 1).collect("x"))
    assert remove_worktrees(repository).kept == []
    assert (shop.git("rev-parse", "HEAD"), shop.git("status", "--porcelain")) == (before, "")


def test_a_worktree_whose_record_is_gone_stays_with_its_files(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "one.py", "1\n")
    shutil.rmtree(shop.path / ".git/worktrees")
    with pytest.raises(Conflict, match="is no longer a worktree of"):
        worktrees.prepare(repository, "t1", 1).collect("x")
    ((name, why),) = remove_worktrees(repository).kept
    assert (name, "is no longer a worktree of" in why) == ("t1.1", True)
    assert Path(worktree.path, "one.py").exists()


def test_a_worktree_that_somebody_removed_is_made_again(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    shop.git("commit", "-q", "--allow-empty", "-m", "mine", at=worktree.path)
    mine = shop.git("rev-parse", "HEAD", at=worktree.path)
    shop.git("worktree", "remove", "--force", worktree.path)
    assert os.path.exists(f"{worktrees.prepare(repository, 't1', 1).path}/a.py")
    assert shop.git("for-each-ref", "--contains", mine, "refs/ultrawork") != ""


def test_no_change_is_no_commit(repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "out.log", "ignored\n")
    assert worktree.collect("x") == ""


def test_collecting_again_is_the_same_commit_until_something_changes(repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "one.py", "1\n")
    first = worktree.collect("x")
    assert worktree.collect("said otherwise") == first
    write(worktree, "one.py", "2\n")
    assert worktree.collect("x") != first


def test_hooks_and_filters_of_the_repository_are_not_run(shop):
    witness = shop.folder / "witness"
    for hook in ("pre-commit", "post-checkout", "post-commit", "reference-transaction", "post-merge"):
        path = shop.write(f".git/hooks/{hook}", f"#!/bin/sh\ntouch {witness}\n")
        path.chmod(0o755)
    repository = shop.open()
    worktree = worktrees.prepare(repository, "t1", 1)
    shop.git("config", "filter.x.clean", f"touch {witness}; cat")
    write(worktree, ".gitattributes", "* filter=x\n")
    write(worktree, "one.py", "1\n")
    worktree.collect("x")
    assert not witness.exists()


def test_partial_work_is_told_to_the_next_attempt(repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "a.py", "a = 2\n")
    write(worktree, "long.py", "x\n" * 500)
    told = worktree.salvage()
    assert "-a = 1\n+a = 2\n" in told
    assert told.endswith("Not shown:\nA long.py +500 -0\n")


def test_partial_work_that_is_much_is_cut_to_whole_files(repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    for number in range(20):
        write(worktree, f"n{number:02}.py", f"{number}\n" * 100)
    told = worktree.salvage(limit=2000)
    assert len(told) < 3000
    assert "A n19.py +100 -0" in told


def test_a_large_file_of_an_agents_is_held_back_and_named(repository):
    repository.largest_file = 1
    worktree = worktrees.prepare(repository, "t1", 1)
    write(worktree, "a.py", "a = 2\n")
    write(worktree, "core.dump", "x" * 1_100_000)
    with pytest.raises(Conflict, match=r"core.dump \(1 MB\) would be committed. Delete it"):
        worktree.collect("t1\n")
    os.unlink(f"{worktree.path}/core.dump")
    assert worktree.collect("t1\n")


@pytest.mark.parametrize("name", ["dumps/{}.bin", "core.{}", "part{}/x.bin"])
def test_many_smaller_files_are_held_back_together_wherever_they_are(repository, name):
    repository.largest_file = 1
    worktree = worktrees.prepare(repository, "t1", 1)
    for number in range(12):
        path = name.format(number)
        os.makedirs(os.path.dirname(f"{worktree.path}/{path}"), exist_ok=True)
        write(worktree, path, "x" * 900_000)
    first = re.escape(name.format(0))
    with pytest.raises(Conflict, match=rf"12 new files \(11 MB\), such as {first} \(1 MB\), would be committed"):
        worktree.collect("t1\n")
    write(worktree, ".gitignore", "dumps/\ncore.*\npart*/\n")
    assert worktree.collect("t1\n")


def test_a_large_file_may_be_renamed(shop, repository, do, queue):
    queue.merge("t1", do(repository, "t1", {"data.csv": "x" * 1_100_000}))
    repository.largest_file = 1
    worktree = worktrees.prepare(repository, "t2", 1)
    os.rename(f"{worktree.path}/data.csv", f"{worktree.path}/old.csv")
    assert worktree.collect("t2\n")


def test_a_file_that_was_large_before_may_be_changed(shop, repository, do, queue):
    queue.merge("t1", do(repository, "t1", {"data.csv": "x" * 1_100_000}))
    repository.largest_file = 1
    worktree = worktrees.prepare(repository, "t2", 1)
    write(worktree, "data.csv", "y" * 1_100_000)
    assert worktree.collect("t2\n")
