"""Worktrees go away; nothing that was only there goes with them."""

import os
from pathlib import Path

from ultrawork.clients.claude.conversations import locate_conversations, restore_conversation
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.cleanup import forget_session, remove_worktree, remove_worktrees
from ultrawork.engine.repository.delivery import deliver


def branches(person):
    return person.git("for-each-ref", "--format=%(refname:short)", "refs/heads").splitlines()


def test_worktrees_and_their_branches_are_gone_and_the_results_stay(shop, repository, queue, do):
    queue.merge("t1", do(repository, "t1", {"a.py": "a = 2\n"}))
    do(repository, "t2", {})
    closed = remove_worktrees(repository)
    assert (closed.removed, closed.kept) == (["queue", "t1.1", "t2.1"], [])
    assert branches(shop) == ["main", "ultrawork/s1"]
    assert shop.git("worktree", "list").count("\n") == 0
    assert shop.files("ultrawork/s1")["a.py"] == "a = 2"


def test_work_that_was_never_collected_is_kept_by_a_ref(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    Path(worktree.path, "half.py").write_text("half\n")
    remove_worktrees(repository)
    assert not os.path.exists(worktree.path)
    assert shop.git("show", "refs/ultrawork/s1/work/t1.1:half.py") == "half"


def test_a_collected_result_that_was_not_merged_is_kept(shop, repository, do):
    commit = do(repository, "t1", {"a.py": "a = 2\n"})
    remove_worktrees(repository)
    assert shop.git("rev-parse", "refs/ultrawork/s1/results/t1.1") == commit


def test_commits_of_the_worker_are_kept_also_those_it_left_behind(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    Path(worktree.path, "lost.py").write_text("lost\n")
    shop.git("add", "-A", at=worktree.path)
    shop.git("commit", "-qm", "lost", at=worktree.path)
    lost = shop.git("rev-parse", "HEAD", at=worktree.path)
    shop.git("reset", "-q", "--hard", "HEAD^", at=worktree.path)
    remove_worktrees(repository)
    shop.git("merge-base", "--is-ancestor", lost, "refs/ultrawork/s1/work/t1.1")


def test_everything_survives_a_collection_of_garbage(shop, repository, queue, do):
    one = do(repository, "t1", {"a.py": "a = 2\n"})
    Path(worktrees.prepare(repository, "t2", 1).path, "half.py").write_text("half\n")
    queue.merge("t1", one)
    remove_worktrees(repository)
    shop.git("reflog", "expire", "--expire=now", "--all")
    shop.git("gc", "-q", "--prune=now")
    assert shop.git("show", "refs/ultrawork/s1/work/t2.1:half.py") == "half"
    assert shop.git("show", f"{one}:a.py") == "a = 2"
    assert shop.open().head() == repository.head()


def test_a_worktree_of_which_it_cannot_be_shown_stays_and_is_named(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    shop.git("switch", "-q", "--orphan", "elsewhere", at=worktree.path)
    Path(worktree.path, "only.py").write_text("only here\n")
    closed = remove_worktrees(repository)
    ((name, why),) = closed.kept
    assert name == "t1.1"
    assert "switched from its branch" in why
    assert Path(worktree.path, "only.py").exists()


def test_one_worktree_can_be_dismissed_while_others_are_worked_in(repository, do):
    do(repository, "t1", {"a.py": "a = 2\n"})
    one, two = worktrees.prepare(repository, "t1", 1), worktrees.prepare(repository, "t2", 1)
    assert remove_worktree(repository, one.name) == ""
    assert (os.path.exists(one.path), os.path.exists(two.path)) == (False, True)


def test_a_place_that_was_never_ready_is_cleared(repository, shop):
    os.makedirs(f"{repository.folder}/t1.1/shop")
    Path(f"{repository.folder}/t1.1/shop/x").write_text("half made\n")
    assert remove_worktrees(repository).removed == ["t1.1"]


def test_after_closing_one_can_go_on(repository, shop, queue, do):
    queue.merge("t1", do(repository, "t1", {"a.py": "a = 2\n"}))
    remove_worktrees(repository)
    again = shop.open()
    assert queue.merge("t2", do(again, "t2", {"b.py": "b\n"})).status == "MERGED"


def test_closing_twice_is_closing_once(repository, do):
    do(repository, "t1", {"a.py": "a = 2\n"})
    remove_worktrees(repository)
    assert remove_worktrees(repository).removed == []


def test_a_read_only_file_does_not_stop_the_cleaning(repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    folder = Path(worktree.path, "build")
    folder.mkdir()
    (folder / "x").write_text("x\n")
    folder.chmod(0o500)
    remove_worktrees(repository)
    assert not os.path.exists(worktree.path)


def test_what_we_knew_of_a_worktree_goes_with_it(shop, repository, queue, do):
    queue.merge("t1", do(repository, "t1", {"a.py": "a = 2\n"}))
    (known,) = Path(shop.home.cache).iterdir()
    assert len(list(known.glob("*/plain"))) == 3
    remove_worktrees(repository)
    assert len(list(known.glob("*/plain"))) == 1


def test_a_session_that_is_cleaned_leaves_no_ref_and_no_worktree(shop, repository, queue, do):
    queue.merge("t1", do(repository, "t1", {"one.py": "1\n"}))
    deliver(repository)
    assert forget_session(str(shop.path), shop.home, "s1", shop.environ) == ""
    assert "ultrawork" not in shop.git("for-each-ref")
    assert len(shop.git("worktree", "list").splitlines()) == 1
    assert not os.path.exists(repository.folder)


def test_results_that_only_a_session_has_stay_when_it_is_cleaned(shop, repository, queue, do):
    merged = queue.merge("t1", do(repository, "t1", {"one.py": "1\n"}))
    assert forget_session(str(shop.path), shop.home, "s1", shop.environ) == "ultrawork/s1"
    assert shop.git("rev-parse", "ultrawork/s1") == merged.commit


def test_what_a_client_remembers_of_a_worktree_goes_with_it_and_nothing_else(shop, repository, do):
    do(repository, "t1", {"a.py": "a = 2\n"})
    theirs = shop.folder / ".claude/projects"
    gone = theirs / str(worktrees.name_path(repository, "t1.1")).replace("/", "-").replace(".", "-").replace("_", "-")
    for folder in (gone, theirs / "-home-pat-shop"):
        folder.mkdir(parents=True)
        (folder / "talk.jsonl").write_text("{}\n")
    remove_worktrees(repository)
    assert os.listdir(theirs) == ["-home-pat-shop"]


def test_a_conversation_of_a_worktree_is_kept_with_its_session_and_can_be_put_back(shop, repository, do):
    do(repository, "t1", {"a.py": "a = 2\n"})
    environ, kept = shop.environ, Path(shop.home.conversations("s1"))
    folder = Path(locate_conversations(worktrees.name_path(repository, "t1.1"), environ))
    folder.mkdir(parents=True)
    (folder / "talk.jsonl").write_text("{}\n")
    os.makedirs(shop.home.session("s1"))
    remove_worktrees(repository)
    assert not folder.exists()
    assert os.listdir(kept) == ["talk.jsonl"]
    place = str(shop.path)
    assert restore_conversation("talk", str(kept), place, environ)
    assert Path(locate_conversations(place, environ), "talk.jsonl").read_text() == "{}\n"
    assert not restore_conversation("gone", str(kept), place, environ)
