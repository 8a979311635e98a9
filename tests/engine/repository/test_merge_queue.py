"""The merge queue: what is merged is green, whole, and there once."""

import os
import shutil
from pathlib import Path

import pytest

from ultrawork.core.errors import Conflict, Trouble
from ultrawork.engine.repository import merge_queue as queues
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.cleanup import remove_worktrees
from ultrawork.engine.repository.merge_queue import MergeQueue
from ultrawork.engine.repository.results import list_brought

PATH = "/usr/local/bin:/usr/bin:/bin"


def test_a_green_result_is_taken_in(shop, repository, queue, do):
    merged = queue.merge("t1", do(repository, "t1", {"a.py": "a = 2\n", "new.py": "new\n"}))
    assert (merged.status, merged.files) == (queues.MERGED, ["a.py", "new.py"])
    assert repository.head() == merged.commit == shop.git("rev-parse", "ultrawork/s1")
    assert shop.files("ultrawork/s1")["a.py"] == "a = 2"
    assert shop.git("status", "--porcelain") == ""


def test_the_check_sees_exactly_the_merged_files(shop, repository, do):
    seen = {}

    def check(path, subject):
        seen[subject] = {str(p.relative_to(path)) for p in Path(path).rglob("*.py")}
        Path(path, "left.py").write_text("left by a check\n")
        return True, f"{subject} is green"

    queue = MergeQueue(repository, check)
    one, two = do(repository, "t1", {"one.py": "1\n"}), do(repository, "t2", {"two.py": "2\n"})
    assert queue.merge("t1", one).detail == "t1 is green"
    queue.merge("t2", two)
    assert seen["t1"] == {"a.py", "src/b.py", "one.py"}
    assert seen["t2"] == {"a.py", "src/b.py", "one.py", "two.py"}


def test_a_red_result_is_not_taken_in(repository, do):
    queue = MergeQueue(repository, lambda *_: (False, "test is red"))
    before = repository.head()
    merged = queue.merge("t1", do(repository, "t1", {"a.py": "a = 2\n"}))
    assert (merged.status, merged.detail) == (queues.RED, "test is red")
    assert repository.head() == before


def test_results_that_touch_different_places_of_a_file_are_both_in(shop, repository, queue, do):
    shop.git("tag", "start")
    one = do(repository, "t1", {"src/b.py": "b = 10\nb = 2\nb = 3\n"})
    two = do(repository, "t2", {"src/b.py": "b = 1\nb = 2\nb = 3\nb = 4\n"})
    assert queue.merge("t1", one).status == queues.MERGED
    assert queue.merge("t2", two).status == queues.MERGED
    assert shop.files("ultrawork/s1")["src/b.py"] == "b = 10\nb = 2\nb = 3\nb = 4"


def test_a_check_can_ask_what_others_brought_into_what_it_was_merged_with(shop, repository, do):
    told = {}

    def check(path, subject):
        told[subject] = list_brought(path, shop.environ, subject, ["t1"])
        return True, ""

    queue = MergeQueue(repository, check)
    one, two, three = (do(repository, name, {f"{name}.py": "1\n"}) for name in ("t1", "t2", "t3"))
    before = repository.find_tree(queue.merge("t1", one).commit)
    queue.merge("t2", two)
    assert told["t2"] == (before, ["t1.py"])
    queue.merge("t3", three)
    assert told["t3"][1] == ["t1.py"], "t2 is none of those that were asked for"
    assert list_brought(str(shop.path), shop.environ, "t3", ["t1"]) == ("", [])


def test_a_conflict_shows_both_sides_and_who_was_first(repository, queue, do):
    one = do(repository, "t1", {"a.py": "a = 'one'\n"})
    two = do(repository, "t2", {"a.py": "a = 'two'\n"})
    queue.merge("t1", one)
    before = repository.head()
    merged = queue.merge("t2", two)
    assert (merged.status, merged.files) == (queues.CONFLICT, ["a.py"])
    assert merged.detail == (
        "a.py: t1 and this task both changed it\n"
        "  <<<<<<< t1\n  a = 'one'\n  ||||||| before\n  a = 1\n  =======\n  a = 'two'\n  >>>>>>> t2\n"
    )
    assert repository.head() == before


def test_a_conflict_is_shown_up_to_its_limit_and_then_only_named(repository, queue, do):
    marks = "  <<<<<<< t1\n  \n  ||||||| before\n  a = 1\n  =======\n  two\n  >>>>>>> t2\n"
    rest = "b = 1\nb = 2\nb = 3\n"
    long = "x" * (12_000 - len(marks))
    one = do(repository, "t1", {"a.py": f"{long}\n", "src/b.py": f"one\n{rest}"})
    two = do(repository, "t2", {"a.py": "two\n", "src/b.py": f"two\n{rest}"})
    queue.merge("t1", one)
    first, second = queue.merge("t2", two).detail.split("src/b.py: ")
    assert len(first.partition("\n")[2]) == 12_000
    assert second == "t1 and this task both changed it\n(too long to show)\n"


def test_only_the_places_in_question_are_shown_with_three_lines_around_them(repository, queue, do):
    lines = [f"line {number}" for number in range(20)]
    before = {"long.py": "\n".join(lines) + "\n"}
    queue.merge("t0", do(repository, "t0", before))
    results = []
    for name in ("t1", "t2"):
        own = [*lines[:8], f"by {name}", *lines[9:], ">>>>>>> is no mark of a merge here"]
        results.append(do(repository, name, {"long.py": "\n".join(own) + "\n"}))
    queue.merge("t1", results[0])
    shown = queue.merge("t2", results[1]).detail.splitlines()[1:]
    assert shown == [
        "  line 5", "  line 6", "  line 7",
        "  <<<<<<< t1", "  by t1", "  ||||||| before", "  line 8", "  =======", "  by t2", "  >>>>>>> t2",
        "  line 9", "  line 10", "  line 11", "  …",
    ]  # fmt: skip


def test_a_file_deleted_by_one_and_changed_by_the_other_is_told(repository, queue, do):
    one = do(repository, "t1", {"a.py": None})
    two = do(repository, "t2", {"a.py": "a = 2\n"})
    queue.merge("t1", one)
    assert "a.py: t1 deleted it, this task changed it" in queue.merge("t2", two).detail


def test_a_file_that_both_moved_elsewhere_is_told_without_its_text(repository, queue, do):
    one = do(repository, "t1", {"a.py": None, "one.py": "a = 1\n"})
    two = do(repository, "t2", {"a.py": None, "two.py": "a = 1\n"})
    queue.merge("t1", one)
    told = queue.merge("t2", two).detail
    assert "a.py: t1 and this task both moved or deleted it\none.py: t1 moved" in told
    assert "two.py: this task moved a file to this name\n" in told


def test_after_a_conflict_the_next_result_is_merged(repository, queue, do):
    results = [do(repository, name, {"a.py": f"a = '{name}'\n"}) for name in ("t1", "t2")]
    third = do(repository, "t3", {"c.py": "c\n"})
    statuses = [queue.merge(f"t{n}", c).status for n, c in enumerate((*results, third), 1)]
    assert statuses == [queues.MERGED, queues.CONFLICT, queues.MERGED]


def test_a_worker_settles_its_conflict_in_a_new_attempt(shop, repository, queue, do):
    one = do(repository, "t1", {"a.py": "a = 'one'\n"})
    two = do(repository, "t2", {"a.py": "a = 'two'\n"})
    queue.merge("t1", one)
    assert queue.merge("t2", two).status == queues.CONFLICT
    again = do(repository, "t2", {"a.py": "a = 'one, two'\n"}, epoch=2)
    assert queue.merge("t2", again).status == queues.MERGED
    assert shop.files("ultrawork/s1")["a.py"] == "a = 'one, two'"


def test_nothing_changed_is_empty(repository, queue, do):
    assert queue.merge("t1", do(repository, "t1", {})).status == queues.EMPTY


def test_a_change_that_is_there_already_is_empty(repository, queue, do):
    results = [do(repository, name, {"a.py": "a = 2\n"}) for name in ("t1", "t2")]
    assert queue.merge("t1", results[0]).status == queues.MERGED
    assert queue.merge("t2", results[1]).status == queues.EMPTY


def test_a_result_is_merged_once_however_often_it_is_asked(repository, do):
    checked = []
    queue = MergeQueue(repository, lambda _, subject: (checked.append(subject) is None, ""))
    result = do(repository, "t1", {"a.py": "a = 2\n"})
    first = queue.merge("t1", result)
    second = MergeQueue(repository, queue._check).merge("t1", result)
    assert (second.status, second.commit) == (queues.MERGED, first.commit)
    assert checked == ["t1"]


def test_a_message_cannot_claim_that_another_task_was_merged_or_undone(repository, queue, do):
    first = do(repository, "t1", {"a.py": "a = 2\n"})
    merged = queue.merge("t1", first)
    other = do(repository, "t2", {"c.py": "c\n"})
    worktree = worktrees.prepare(repository, "t3", 1)
    Path(worktree.path, "d.py").write_text("d\n")
    claims = f"Ultrawork-Result: {other}\nultrawork-Undoes: x\nUltrawork-Undoes: {merged.commit}\n"
    queue.merge("t3", worktree.collect(f"x\n\n{claims}"))
    assert queue.merge("t1", first).commit == merged.commit
    assert queue.merge("t2", other).status == queues.MERGED


def test_when_somebody_moves_the_results_meanwhile_it_is_merged_anew(shop, repository, do):
    second = do(repository, "t2", {"c.py": "c\n"})
    first = do(repository, "t1", {"a.py": "a = 2\n"})
    seen = []

    def check(path, subject):
        seen.append((subject, os.path.exists(f"{path}/c.py")))
        if len(seen) == 1:
            MergeQueue(repository, lambda *_: (True, "")).merge("t2", second)
        return True, ""

    assert MergeQueue(repository, check).merge("t1", first).status == queues.MERGED
    assert seen == [("t1", False), ("t1", True)]
    assert {"c.py", "a.py"} <= shop.files("ultrawork/s1").keys()


def test_what_is_ignored_and_installed_stays_between_two_checks(shop, do):
    shop.write(".gitignore", ".venv/\n")
    shop.commit()
    shop.write(".venv/pyvenv.cfg", "home = /usr\n")
    repository = shop.open()
    seen = []
    queue = MergeQueue(repository, lambda path, _: (seen.append(os.listdir(path)) is None, ""))
    queue.merge("t1", do(repository, "t1", {"c.py": "c\n"}))
    queue.merge("t2", do(repository, "t2", {"d.py": "d\n"}))
    assert all(".venv" in names for names in seen)
    assert ".venv" not in " ".join(shop.files("ultrawork/s1"))


@pytest.mark.parametrize("name", ["odd name", "ü.txt", "-dash", ":colon", "tab\tname", 'quo"te'])
def test_files_with_odd_names_are_merged(shop, repository, queue, do, name):
    assert queue.merge("t1", do(repository, "t1", {name: "x\n"})).files == [name]


def test_locks_that_a_killed_git_left_in_the_scratch_tree_are_taken_away(shop, repository, queue, do):
    queue.merge("t1", do(repository, "t1", {"one.py": "1\n"}))
    (scratch,) = Path(repository.folder, "queue").glob("*/.git")
    folder = Path(scratch.read_text().split(": ")[1].strip())
    for name in ("index.lock", "HEAD.lock", "ORIG_HEAD.lock"):
        (folder / name).write_text("")
    assert queue.merge("t2", do(repository, "t2", {"two.py": "2\n"})).status == queues.MERGED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["refs/ultrawork/s1/integration", "packed-refs"])
def test_a_lock_that_a_killed_git_left_on_refs_is_taken_away(shop, repository, do, name):
    Path(repository.folder, "busy").touch()
    shop.write(f".git/{name}.lock", "")
    again = shop.open()
    merged = MergeQueue(again, lambda *_: (True, "")).merge("t1", do(again, "t1", {"one.py": "1\n"}))
    assert merged.status == queues.MERGED
    assert remove_worktrees(again).kept == []
    assert shop.git("for-each-ref", "refs/heads/ultrawork-work") == ""


def test_a_lock_that_is_older_than_what_was_killed_is_somebody_elses(shop, repository):
    lock = shop.write(".git/packed-refs.lock", "")
    os.utime(lock, (1, 1))
    Path(repository.folder, "busy").touch()
    shop.open()
    assert lock.exists()


def test_a_worktree_that_was_being_made_when_git_was_killed_is_in_nobodys_way(shop, repository):
    worktree = worktrees.prepare(repository, "t1", 1)
    record = Path(shop.git("rev-parse", "--absolute-git-dir", at=worktree.path))
    (record / "commondir").write_text("")
    Path(repository.folder, "t1.1/ready.json").unlink()
    Path(repository.folder, "busy").touch()
    assert os.path.exists(worktrees.prepare(repository, "t2", 1).path)
    assert os.path.exists(worktrees.prepare(repository, "t1", 1).path)
    shop.git("worktree", "add", "-q", "--detach", str(shop.folder / "mine"))


def test_a_result_without_a_message_is_named_by_its_task(shop, repository, queue, do):
    made = do(repository, "t1", {"a.py": "a = 2\n"})
    tree = shop.git("rev-parse", f"{made}^{{tree}}")
    bare = shop.git("commit-tree", tree, "-p", repository.head(), "-m", "")
    assert shop.git("show", "-s", "--format=%B", bare) == ""
    merged = queue.merge("t1", bare)
    assert shop.git("show", "-s", "--format=%s", merged.commit) == "t1"


FAILING = """\
#!/bin/sh
for word; do case $word in --squash) {says}; exit 3;; esac; done
exec {git} "$@"
"""


def test_a_git_that_fails_is_told_by_its_word_and_without_one_all_the_same(shop, repository, queue, do):
    commit = do(repository, "t1", {"a.py": "a = 2\n"})
    program = shop.folder / "programs/git"
    program.parent.mkdir()
    program.write_text(FAILING.format(says=":", git=shutil.which("git", path=PATH)))
    program.chmod(0o755)
    shop.environ["PATH"] = f"{program.parent}:{PATH}"
    failing = MergeQueue(shop.open(), lambda *_: (True, ""))
    for says, told in {
        "echo fatal: it is full >&2": "fatal: it is full",
        "echo it is full": "it is full",
        "echo it is full >&2; echo so it ends": "it is full",
        ":": "no reason given",
    }.items():
        program.write_text(FAILING.format(says=says, git=shutil.which("git", path=PATH)))
        with pytest.raises(Trouble, match=f"^git merge failed: {told}$"):
            failing.merge("t1", commit)


def test_a_name_that_git_will_not_check_out_is_the_agents_to_change(shop, repository, queue, do):
    """Tried again by itself, it would fail each time; the next result is merged as ever."""
    with pytest.raises(Conflict, match=r"git merge failed: error: invalid path '\.GIT '"):
        queue.merge("t1", do(repository, "t1", {".GIT ": "x\n"}))
    assert queue.merge("t2", do(repository, "t2", {"two": "2\n"})).status == "MERGED"


def test_a_queue_whose_worktree_git_forgot_is_made_anew(shop, repository, queue, do):
    assert queue.merge("t1", do(repository, "t1", {"one.py": "1\n"})).status == "MERGED"
    commit = do(repository, "t2", {"two.py": "2\n"})
    shutil.rmtree(shop.path / ".git/worktrees")
    assert queue.merge("t2", commit).status == "MERGED"
    assert set(shop.files("ultrawork/s1")) >= {"one.py", "two.py"}
