"""Only what a worker's own tools wrote, and nobody touched since, is undone. Nothing of a person's ever is."""

import subprocess
from pathlib import Path

import pytest

from ultrawork.core.run.tool_calls import ToolInputs
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.outside_changes import examine
from ultrawork.engine.repository.worker_traces import CheckoutState, record_state


class Watch:
    """A worker under watch: what it does to the checkout, and what its tools are told."""

    def __init__(self, person, repository, subject="t1"):
        self.person = person
        self.repository = repository
        self.worktree = worktrees.prepare(repository, subject, 1)
        self.fence = CheckoutState.of(record_state(repository).document())
        self.told = ToolInputs()

    def type(self, command):
        """Into its shell."""
        self.told.take("Bash", {"command": command})

    def write(self, name, text):
        """With its own file tool."""
        self.person.write(name, text)
        self.told.take("Write", {"file_path": f"{self.person.path}/{name}", "content": text})

    def edit(self, name, old, new):
        path = self.person.path / name
        path.write_text(path.read_text().replace(old, new, 1))
        given = {"file_path": str(path), "old_string": old, "new_string": new}
        self.told.take("Edit", given)

    def end(self):
        return examine(self.repository, self.fence, self.worktree, self.told)


@pytest.fixture
def watch(shop, repository):
    return Watch(shop, repository)


def take_back(shop, found):
    """As the person would, who types what they were told."""
    for command in found.likely.values():
        subprocess.run(command, shell=True, cwd=shop.path, env=shop.environ, check=True)


def test_a_worker_that_stays_at_home_is_not_accused(watch):
    Path(watch.worktree.path, "a.py").write_text("a = 2\n")
    found = watch.end()
    assert (found.files, found.likely, found.others, found.sentence) == ([], {}, [], "")


def test_a_write_outside_is_undone_named_and_kept(shop, watch):
    watch.write("a.py", "a = 'stray'\n")
    watch.write("deep/er/new.py", "stray\n")
    found = watch.end()
    assert found.files == ["a.py", "deep/er/new.py"]
    assert found.sentence == (
        "wrote outside its worktree: a.py, deep/er/new.py. I undid that; a copy is in refs/ultrawork/s1/salvage/t1.1"
    )
    assert shop.git("status", "--porcelain") == ""
    assert shop.git("show", f"{found.kept}:a.py") == "a = 'stray'"
    assert shop.git("show", f"{found.kept}:deep/er/new.py") == "stray"


def test_edits_of_one_file_after_each_other_are_followed(shop, watch):
    watch.edit("src/b.py", "b = 2", "b = 'stray'")
    watch.edit("src/b.py", "b = 3", "b = 'stray too'")
    assert watch.end().files == ["src/b.py"]
    assert (shop.path / "src/b.py").read_text() == "b = 1\nb = 2\nb = 3\n"


def test_a_path_that_leads_out_of_the_worktree_is_found(shop, watch):
    shop.write("a.py", "stray\n")
    way = Path(watch.worktree.path, "..", "..").resolve()
    way.joinpath("door").symlink_to(shop.path)
    watch.told.take("write_file", {"file_path": f"{way}/door/a.py", "content": "stray\n"})
    assert watch.end().files == ["a.py"]
    assert (shop.path / "a.py").read_text() == "a = 1\n"


@pytest.mark.parametrize(
    "words", ["cat {}/a.py", "cd {} && git log --stat && cat a.py", "diff a.py {}/a.py", "git -C {} show HEAD:a.py"]
)
def test_an_edit_of_the_person_stays_whatever_the_worker_typed_of_it(shop, watch, words):
    """It may have changed the file, and it may only have looked: the person is told, and decides."""
    shop.write("a.py", "a = 'mine'\n")
    watch.type(words.format(shop.path))
    found = watch.end()
    assert (found.files, list(found.likely), found.sentence) == ([], ["a.py"], "")
    assert (shop.path / "a.py").read_text() == "a = 'mine'\n"


def test_what_the_worker_read_or_printed_accuses_nobody(shop, watch):
    shop.write("a.py", "a = 'mine'\n")
    watch.told.take("Read", {"file_path": f"{shop.path}/a.py"})
    watch.told.take("Grep", {"pattern": "a", "path": str(shop.path)})
    found = watch.end()
    assert (found.files, found.likely, found.others) == ([], {}, ["a.py"])


def test_a_new_file_of_the_person_is_not_deleted(shop, watch):
    shop.write("notes/plan.txt", "mine\n")
    watch.type(f"ls {shop.path}/notes/plan.txt")
    assert watch.end().files == []
    assert (shop.path / "notes/plan.txt").read_text() == "mine\n"


def test_a_file_that_the_person_went_on_with_is_theirs(shop, watch):
    watch.write("a.py", "a = 'stray'\n")
    shop.write("a.py", "a = 'stray'\nb = 'mine'\n")
    found = watch.end()
    assert (found.files, list(found.likely)) == ([], ["a.py"])
    assert (shop.path / "a.py").read_text() == "a = 'stray'\nb = 'mine'\n"


def test_an_edit_of_the_worker_in_a_file_that_the_person_changed_too_is_left(shop, watch):
    shop.write("src/b.py", "b = 1\nb = 2\nb = 'mine'\n")
    watch.edit("src/b.py", "b = 1", "b = 'stray'")
    assert watch.end().files == []
    assert (shop.path / "src/b.py").read_text() == "b = 'stray'\nb = 2\nb = 'mine'\n"


def test_the_same_new_text_in_both_places_is_told_with_the_way_back(shop, watch):
    shop.write("a.py", "a = 'both'\n")
    Path(watch.worktree.path, "a.py").write_text("a = 'both'\n")
    found = watch.end()
    assert (found.files, list(found.likely)) == ([], ["a.py"])
    take_back(shop, found)
    assert (shop.path / "a.py").read_text() == "a = 1\n"


def test_what_the_shell_did_can_be_taken_back_by_what_is_told(shop, watch):
    (shop.path / "src/b.py").unlink()
    shop.write("a.py", "a = 'stray'\n")
    shop.write("it's new.py", "x\n")
    watch.type(f'cd {shop.path} && rm src/b.py && sed -i s/1/2/ a.py && touch "it\'s new.py"')
    found = watch.end()
    assert sorted(found.likely) == ["a.py", "it's new.py", "src/b.py"]
    take_back(shop, found)
    assert shop.git("status", "--porcelain") == ""


def test_what_the_person_edits_meanwhile_is_left_alone_and_named(shop, watch):
    shop.write("a.py", "a = 'mine'\n")
    shop.write("notes.txt", "mine\n")
    watch.type(f"cat {watch.worktree.path}/a.py {shop.path}-old/a.py")
    found = watch.end()
    assert (found.files, found.likely, found.others) == ([], {}, ["a.py", "notes.txt"])
    assert (shop.path / "a.py").read_text() == "a = 'mine'\n"


def test_a_persons_edit_beside_a_stray_write_stays(shop, watch):
    shop.write("src/b.py", "mine\n")
    watch.write("a.py", "a = 'stray'\n")
    found = watch.end()
    assert (found.files, found.others) == (["a.py"], ["src/b.py"])
    assert (shop.path / "src/b.py").read_text() == "mine\n"
    assert (shop.path / "a.py").read_text() == "a = 1\n"


def test_what_the_person_had_not_committed_comes_back_under_a_stray_write(shop):
    shop.write("a.py", "a = 'mine, not committed'\n")
    watch = Watch(shop, shop.open())
    watch.write("a.py", "a = 'stray'\n")
    watch.end()
    assert (shop.path / "a.py").read_text() == "a = 'mine, not committed'\n"


def test_a_program_comes_back_as_such_and_the_index_is_as_it_was(shop):
    shop.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    watch = Watch(shop, shop.open())
    index = (shop.path / ".git/index").read_bytes()
    watch.write("run.sh", "stray\n")
    assert watch.end().files == ["run.sh"]
    assert (shop.path / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (shop.path / ".git/index").read_bytes() == index


def test_asked_again_it_says_the_same(shop, watch):
    watch.write("a.py", "a = 'stray'\n")
    first = watch.end()
    shop.write("a.py", "a = 'mine, later'\n")
    assert watch.end().sentence == first.sentence
    assert (shop.path / "a.py").read_text() == "a = 'mine, later'\n"


def test_an_undoing_that_was_cut_short_is_finished_and_what_came_between_stays(shop, watch):
    watch.write("a.py", "a = 'stray'\n")
    watch.write("new.py", "stray\n")
    watch.end()
    record = Path(watch.repository.folder, "trespass/t1.1.json")
    record.write_text(record.read_text().replace('"done":true', '"done":false'))
    shop.write("new.py", "stray\n")
    shop.write("a.py", "a = 'mine'\n")
    assert watch.end().files == ["a.py", "new.py"]
    assert not (shop.path / "new.py").exists()
    assert (shop.path / "a.py").read_text() == "a = 'mine'\n"
    assert '"done":true' in record.read_text()


def test_one_workers_stray_write_is_not_laid_to_another(shop, repository):
    one = Watch(shop, repository, "t1")
    one.write("a.py", "a = 'stray'\n")
    two = Watch(shop, repository, "t2")
    assert one.end().files == ["a.py"]
    found = two.end()
    assert (found.files, found.likely, found.others) == ([], {}, [])
    assert (shop.path / "a.py").read_text() == "a = 1\n"


def test_a_second_stray_write_leads_back_to_the_persons_text_not_to_the_first(shop, repository):
    one = Watch(shop, repository, "t1")
    one.write("a.py", "a = 'stray one'\n")
    two = Watch(shop, repository, "t2")
    one.end()
    two.write("a.py", "a = 'stray two'\n")
    assert two.end().files == ["a.py"]
    assert (shop.path / "a.py").read_text() == "a = 1\n"


def test_a_remote_that_the_person_added_stays_though_the_worker_asked_for_remotes(shop, watch):
    shop.git("remote", "add", "mine", "https://example.org/mine.git")
    watch.type("git remote -v")
    found = watch.end()
    assert (found.files, list(found.likely)) == ([], [".git/config"])
    assert shop.git("remote") == "mine"


def test_configuration_that_a_worker_changed_can_be_taken_back(shop, watch):
    before = (shop.path / ".git/config").read_text()
    shop.git("config", "user.name", "Agent", at=watch.worktree.path)
    watch.type("git config user.name Agent")
    take_back(shop, watch.end())
    assert (shop.path / ".git/config").read_text() == before


def test_a_hook_of_the_person_stays_and_one_that_the_worker_wrote_goes(shop, watch):
    shop.write(".git/hooks/pre-push", "#!/bin/sh\nexit 0\n")
    watch.type("cat .git/hooks/pre-push")
    watch.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n")
    found = watch.end()
    assert (found.files, list(found.likely)) == ([".git/hooks/pre-commit"], [".git/hooks/pre-push"])
    assert not (shop.path / ".git/hooks/pre-commit").exists()
    assert (shop.path / ".git/hooks/pre-push").exists()


def test_configuration_that_somebody_else_changed_stays(shop, watch):
    shop.git("config", "user.name", "Pat the second")
    found = watch.end()
    assert (found.files, found.likely, found.others) == ([], {}, [".git/config"])
    assert shop.git("config", "user.name") == "Pat the second"


def test_a_branch_on_a_commit_of_the_worker_is_left_and_told(shop, watch):
    """The person may have taken it over themselves."""
    before = shop.git("rev-parse", "main")
    shop.git("commit", "-q", "--allow-empty", "-m", "mine", at=watch.worktree.path)
    made = shop.git("rev-parse", "HEAD", at=watch.worktree.path)
    shop.git("update-ref", "refs/heads/main", made)
    found = watch.end()
    assert (found.files, list(found.likely)) == ([], ["refs/heads/main"])
    assert shop.git("rev-parse", "main") == made
    take_back(shop, found)
    assert shop.git("rev-parse", "main") == before


def test_a_branch_that_was_deleted_can_be_had_again(shop):
    shop.git("branch", "feature")
    watch = Watch(shop, shop.open())
    shop.git("branch", "-D", "feature", at=watch.worktree.path)
    watch.type("git branch -D feature")
    take_back(shop, watch.end())
    assert shop.git("rev-parse", "feature") == shop.git("rev-parse", "main")


def test_a_commit_of_the_person_is_their_own_business(shop, watch):
    made = shop.commit(a_py="a = 'mine'\n")
    found = watch.end()
    assert (found.files, found.likely, found.others) == ([], {}, ["a.py", "refs/heads/main"])
    assert shop.git("rev-parse", "main") == made


def test_a_branch_that_a_worker_makes_for_itself_is_no_trespass(shop, watch):
    shop.git("switch", "-qc", "fix/login", at=watch.worktree.path)
    assert watch.end().likely == {}


def stashed(shop, *texts):
    for text in texts:
        shop.write("a.py", f"a = {text!r}\n")
        shop.git("stash", "push", "-q", "-m", text)


@pytest.mark.parametrize("command", [["stash", "drop", "-q"], ["stash", "clear"], ["stash", "pop", "-q"]])
def test_stashes_that_a_worker_took_can_be_had_again(shop, command):
    stashed(shop, "first", "second")
    before = shop.git("stash", "list")
    watch = Watch(shop, shop.open())
    shop.git(*command, at=watch.worktree.path)
    watch.type(f"git {' '.join(command)}")
    take_back(shop, watch.end())
    assert shop.git("stash", "list") == before
    assert shop.git("show", "stash@{0}:a.py") == "a = 'second'"


def test_a_stash_that_the_person_dropped_stays_dropped(shop):
    stashed(shop, "first")
    watch = Watch(shop, shop.open())
    shop.git("stash", "drop", "-q")
    watch.type("git stash list")
    assert watch.end().files == []
    assert shop.git("stash", "list") == ""


def test_a_stash_that_the_person_made_meanwhile_stays(shop):
    stashed(shop, "first")
    watch = Watch(shop, shop.open())
    stashed(shop, "mine")
    assert watch.end().likely == {}
    assert shop.git("stash", "list").count("\n") == 1
