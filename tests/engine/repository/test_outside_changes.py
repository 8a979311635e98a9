"""What a worker writes into the person's checkout is undone; what anybody else writes is not."""

import os
from pathlib import Path

import pytest

from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.checkout_state import CheckoutState, record_state
from ultrawork.engine.repository.outside_changes import examine


class Watch:
    """A worker under watch: what it does to the checkout, and what it prints."""

    def __init__(self, person, repository, subject="t1"):
        self.person = person
        self.repository = repository
        self.worktree = worktrees.prepare(repository, subject, 1)
        self.fence = CheckoutState.of(record_state(repository).document())
        self.output = Path(f"{repository.folder}/{subject}.out")
        self.output.write_text("")

    def say(self, text):
        with self.output.open("a") as file:
            file.write(text + "\n")

    def write(self, name, text):
        """As an agent's own tool does it: the path is printed."""
        self.person.write(name, text)
        self.say(f'{{"tool":"Write","input":{{"file_path":"{self.person.path}/{name}"}}}}')

    def end(self, **more):
        return examine(self.repository, self.fence, self.worktree, [str(self.output)], **more)


@pytest.fixture
def watch(shop, repository):
    return Watch(shop, repository)


def test_a_worker_that_stays_at_home_is_not_accused(watch):
    Path(watch.worktree.path, "a.py").write_text("a = 2\n")
    found = watch.end()
    assert (found.files, found.others, found.sentence, found.kept) == ([], [], "", "")


def test_a_write_outside_is_undone_named_and_kept(shop, watch):
    watch.write("a.py", "a = 'stray'\n")
    watch.write("deep/er/new.py", "stray\n")
    found = watch.end()
    assert found.files == ["a.py", "deep/er/new.py"]
    assert found.sentence == (
        "wrote outside its worktree: a.py, deep/er/new.py; undone, "
        "kept as refs/ultrawork/s1/salvage/t1.1"
    )
    assert shop.git("status", "--porcelain") == ""
    assert not (shop.path / "deep").exists()
    assert shop.git("show", f"{found.kept}:a.py") == "a = 'stray'"
    assert shop.git("show", f"{found.kept}:deep/er/new.py") == "stray"


def test_a_deleted_file_is_there_again(shop, watch):
    (shop.path / "src/b.py").unlink()
    watch.say(f"$ rm {shop.path}/src/b.py")
    assert watch.end().files == ["src/b.py"]
    assert (shop.path / "src/b.py").read_text() == "b = 1\nb = 2\nb = 3\n"


def test_a_file_that_became_a_folder_is_a_file_again(shop, watch):
    (shop.path / "a.py").unlink()
    watch.write("a.py/inner.py", "x\n")
    watch.say(f"{shop.path}/a.py")
    assert watch.end().files == ["a.py", "a.py/inner.py"]
    assert (shop.path / "a.py").read_text() == "a = 1\n"


@pytest.mark.parametrize(
    "words", ["cd {} && sed -i s/1/2/ a.py", 'cd \\"{}\\"; rm a.py', "git -C {} checkout a.py"]
)
def test_a_worker_that_goes_into_the_checkout_first_is_found_too(shop, watch, words):
    shop.write("a.py", "a = 'stray'\n")
    watch.say(f'{{"command":"{words.format(shop.path)}"}}')
    assert watch.end().files == ["a.py"]


def test_to_be_told_where_the_checkout_is_proves_nothing(shop, watch):
    shop.write("a.py", "a = 'mine'\n")
    watch.say("$ git worktree list; cat .git; edit a.py")
    watch.say(shop.git("worktree", "list", at=watch.worktree.path))
    watch.say(f"gitdir: {shop.path}/.git/worktrees/shop")
    assert (watch.end().files, watch.end().others) == ([], ["a.py"])


def test_a_way_out_by_dots_is_found(shop, watch):
    shop.write("a.py", "a = 'stray'\n")
    watch.say(f"$ echo x > {os.path.relpath(shop.path, watch.worktree.path)}/a.py")
    assert watch.end().files == ["a.py"]


def test_the_same_new_text_in_both_places_is_the_workers(shop, watch):
    shop.write("a.py", "a = 'both'\n")
    Path(watch.worktree.path, "a.py").write_text("a = 'both'\n")
    assert watch.end().files == ["a.py"]


def test_what_the_person_edits_meanwhile_is_left_alone_and_named(shop, watch):
    shop.write("a.py", "a = 'mine'\n")
    shop.write("notes.txt", "mine\n")
    watch.say(f"Reading {watch.worktree.path}/a.py and {shop.path}-old/a.py")
    found = watch.end()
    assert (found.files, found.others) == ([], ["a.py", "notes.txt"])
    assert (shop.path / "a.py").read_text() == "a = 'mine'\n"


def test_a_person_who_takes_an_edit_back_is_not_taken_for_the_worker(shop, repository):
    shop.write("a.py", "a = 'mine'\n")
    watch = Watch(shop, repository)
    shop.write("a.py", "a = 1\n")
    assert (watch.end().files, watch.end().others) == ([], ["a.py"])


def test_a_thousand_stray_files_are_undone(shop, watch):
    for number in range(1000):
        shop.write(f"stray/{number}.py", "x\n")
    watch.say(f"cd {shop.path} && python make.py " + " ".join(f"{n}.py" for n in range(1000)))
    assert len(watch.end().files) == 1000
    assert not (shop.path / "stray").exists()


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


def test_where_nobody_else_is_every_change_is_the_workers(shop, watch):
    shop.write("a.py", "a = 'who?'\n")
    assert watch.end(alone=True).files == ["a.py"]


def test_a_link_and_a_program_come_back_as_such(shop):
    os.symlink("a.py", shop.path / "link")
    shop.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    watch = Watch(shop, shop.open())
    for name in ("link", "run.sh"):
        (shop.path / name).unlink()
        watch.say(f"rm {shop.path}/{name}")
    assert watch.end().files == ["link", "run.sh"]
    assert os.readlink(shop.path / "link") == "a.py"
    assert os.access(shop.path / "run.sh", os.X_OK)


def test_asked_again_it_says_the_same(shop, watch):
    watch.write("a.py", "a = 'stray'\n")
    first = watch.end()
    shop.write("a.py", "a = 'mine, later'\n")
    second = watch.end()
    assert second.sentence == first.sentence
    assert (shop.path / "a.py").read_text() == "a = 'mine, later'\n"


def test_an_undoing_that_was_cut_short_is_finished_and_what_came_between_is_kept(shop, watch):
    watch.write("a.py", "a = 'stray'\n")
    watch.write("new.py", "stray\n")
    watch.end()
    record = Path(watch.repository.folder, "trespass/t1.1.json")
    record.write_text(record.read_text().replace('"done":true', '"done":false'))
    (shop.path / "a.py").write_text("a =")
    assert watch.end().files == ["a.py", "new.py"]
    assert (shop.path / "a.py").read_text() == "a = 1\n"
    assert shop.git("show", "refs/ultrawork/s1/salvage/t1.1-again:a.py") == "a ="
    assert '"done":true' in record.read_text()


def test_one_workers_stray_write_is_not_laid_to_another(shop, repository):
    one = Watch(shop, repository, "t1")
    one.write("a.py", "a = 'stray'\n")
    two = Watch(shop, repository, "t2")
    assert one.end().files == ["a.py"]
    found = two.end()
    assert (found.files, found.others) == ([], [])
    assert (shop.path / "a.py").read_text() == "a = 1\n"


def test_a_second_stray_write_leads_back_to_the_persons_text_not_to_the_first(shop, repository):
    one = Watch(shop, repository, "t1")
    one.write("a.py", "a = 'stray one'\n")
    two = Watch(shop, repository, "t2")
    one.end()
    two.write("a.py", "a = 'stray two'\n")
    assert two.end().files == ["a.py"]
    assert (shop.path / "a.py").read_text() == "a = 1\n"


def test_configuration_that_a_worker_changed_for_everybody_is_put_back(shop, watch):
    before = (shop.path / ".git/config").read_text()
    shop.git("config", "user.name", "Agent", at=watch.worktree.path)
    watch.say("$ git config user.name Agent")
    assert watch.end().files == [".git/config"]
    assert (shop.path / ".git/config").read_text() == before


def test_a_hook_that_a_worker_left_is_taken_away(shop, watch):
    shop.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n")
    watch.say("wrote .git/hooks/pre-commit")
    assert watch.end().files == [".git/hooks/pre-commit"]
    assert not (shop.path / ".git/hooks/pre-commit").exists()


def test_configuration_that_somebody_else_changed_stays(shop, watch):
    shop.git("config", "user.name", "Pat the second")
    found = watch.end()
    assert (found.files, found.others) == ([], [".git/config"])
    assert shop.git("config", "user.name") == "Pat the second"


def test_a_branch_that_a_worker_moved_to_its_own_commit_is_put_back(shop, watch):
    before = shop.git("rev-parse", "main")
    shop.git("commit", "-q", "--allow-empty", "-m", "mine", at=watch.worktree.path)
    made = shop.git("rev-parse", "HEAD", at=watch.worktree.path)
    shop.git("update-ref", "refs/heads/main", made)
    found = watch.end()
    assert found.files == ["refs/heads/main"]
    assert shop.git("rev-parse", "main") == before
    shop.git("merge-base", "--is-ancestor", made, found.kept)


def test_a_branch_that_a_worker_deleted_is_there_again(shop):
    shop.git("branch", "feature")
    watch = Watch(shop, shop.open())
    shop.git("branch", "-D", "feature", at=watch.worktree.path)
    watch.say("$ git branch -D feature")
    assert watch.end().files == ["refs/heads/feature"]
    assert shop.git("rev-parse", "feature") == shop.git("rev-parse", "main")


def test_a_commit_of_the_person_is_their_own_business(shop, watch):
    made = shop.commit(a_py="a = 'mine'\n")
    found = watch.end()
    assert (found.files, found.others) == ([], ["a.py", "refs/heads/main"])
    assert shop.git("rev-parse", "main") == made


def test_a_branch_that_a_worker_makes_for_itself_is_no_trespass(shop, watch):
    shop.git("switch", "-qc", "fix/login", at=watch.worktree.path)
    assert watch.end().sentence == ""


def stashed(shop, *texts):
    for text in texts:
        shop.write("a.py", f"a = {text!r}\n")
        shop.git("stash", "push", "-q", "-m", text)


@pytest.mark.parametrize(
    "command", [["stash", "drop", "-q"], ["stash", "clear"], ["stash", "pop", "-q"]]
)
def test_stashes_that_a_worker_took_are_there_again(shop, command):
    stashed(shop, "first", "second")
    before = shop.git("stash", "list")
    watch = Watch(shop, shop.open())
    shop.git(*command, at=watch.worktree.path)
    watch.say(f"git {' '.join(command)}")
    assert "logs/refs/stash" in watch.end().sentence
    assert shop.git("stash", "list") == before
    assert shop.git("show", "stash@{0}:a.py") == "a = 'second'"


def test_a_worker_that_stashes_and_takes_it_back_is_not_accused(shop):
    stashed(shop, "first")
    watch = Watch(shop, shop.open())
    Path(watch.worktree.path, "a.py").write_text("a = 2\n")
    shop.git("stash", at=watch.worktree.path)
    shop.git("stash", "pop", at=watch.worktree.path)
    watch.say("git stash && git stash pop")
    assert watch.end().sentence == ""


def test_a_stash_that_the_person_made_meanwhile_stays(shop):
    stashed(shop, "first")
    watch = Watch(shop, shop.open())
    stashed(shop, "mine")
    assert watch.end().sentence == ""
    assert shop.git("stash", "list").count("\n") == 1
