"""Results reach the person's branch if nothing else happened there; else they are told what to type."""

import subprocess

import pytest

from ultrawork.engine.contract import CalledOff
from ultrawork.engine.repository import delivery
from ultrawork.engine.repository.delivery import deliver
from ultrawork.engine.repository.merge_queue import MergeQueue
from ultrawork.engine.repository.undo import take_out


@pytest.fixture
def finish(do):
    """A task that changes one file and adds one, merged."""

    def finish(repository):
        commit = do(repository, "t1", {"a.py": "a = 2\n", "deep/new.py": "new\n"})
        return MergeQueue(repository, lambda *_: (True, "")).merge("t1", commit)

    return finish


def test_a_clean_checkout_goes_forward(shop, repository, finish):
    finish(repository)
    found = deliver(repository)
    assert (found.status, found.detail) == (delivery.DELIVERED, "main has all results")
    assert shop.git("rev-parse", "main") == found.commit == repository.head()
    assert (shop.path / "a.py").read_text() == "a = 2\n"
    assert shop.git("status", "--porcelain") == ""


def test_delivering_again_says_the_same(repository, finish):
    finish(repository)
    assert deliver(repository).status == deliver(repository).status == delivery.DELIVERED


def test_nothing_merged_is_nothing_delivered(repository):
    assert deliver(repository).status == delivery.NOTHING


def left(person, repository, reason):
    before = person.git("rev-parse", "HEAD"), person.git("status", "--porcelain")
    found = deliver(repository)
    assert (found.status, found.detail) == (delivery.LEFT, f"the result stays on ultrawork/s1: {reason}")
    assert (person.git("rev-parse", "HEAD"), person.git("status", "--porcelain")) == before


def test_a_branch_that_moved_on_is_left(shop, repository, finish):
    finish(repository)
    shop.commit(mine_py="mine\n")
    left(shop, repository, "main has new commits. Merge it: git merge ultrawork/s1")
    shop.git("merge", "-q", "ultrawork/s1")
    assert (shop.path / "deep/new.py").exists()


@pytest.mark.parametrize("name", ["a.py", "untracked.py"])
def test_a_file_that_was_changed_since_is_left(shop, repository, finish, name):
    finish(repository)
    shop.write(name, "mine\n")
    left(shop, repository, "files changed here since. Commit them, then run git merge ultrawork/s1")
    assert (shop.path / name).read_text() == "mine\n"


def test_something_staged_is_left(shop, repository, finish):
    finish(repository)
    shop.write("a.py", "a = 'staged'\n")
    shop.git("add", "a.py")
    shop.write("a.py", "a = 1\n")
    left(shop, repository, "files changed here since. Commit them, then run git merge ultrawork/s1")


def test_another_branch_is_left(shop, repository, finish):
    finish(repository)
    shop.git("switch", "-qc", "other")
    left(shop, repository, "another branch than main is checked out. Merge it: git merge ultrawork/s1")


def test_without_a_branch_it_is_left(shop, finish):
    shop.git("switch", "-q", "--detach")
    repository = shop.open()
    finish(repository)
    left(shop, repository, "no branch is checked out. Merge it: git merge ultrawork/s1")


def test_a_checkout_that_was_dirty_is_left_and_the_command_works(shop, finish):
    shop.write("src/b.py", "mine\n")
    shop.write("mine.py", "mine\n")
    repository = shop.open()
    finish(repository)
    left(shop, repository, "it contains your uncommitted changes. Merge it: git stash -u && git merge ultrawork/s1")
    shop.git("stash", "-u")
    shop.git("merge", "-q", "ultrawork/s1")
    assert (shop.path / "src/b.py").read_text() == "mine\n"
    assert (shop.path / "mine.py").read_text() == "mine\n"
    assert (shop.path / "a.py").read_text() == "a = 2\n"


def test_changes_that_are_not_here_are_not_to_be_stashed(shop, finish):
    """As in a clone that took the run over."""
    shop.write("src/b.py", "mine\n")
    repository = shop.open()
    finish(repository)
    shop.git("stash")
    left(shop, repository, "it contains changes that were uncommitted at the start. Merge it: git merge ultrawork/s1")


def test_an_ignored_file_in_the_way_is_not_overwritten(shop, repository, do):
    shop.write("note.log", "mine, ignored\n")
    commit = do(repository, "t1", {".gitignore": "build/\n", "note.log": "a result\n"})
    MergeQueue(repository, lambda *_: (True, "")).merge("t1", commit)
    found = deliver(repository)
    assert found.status == delivery.LEFT
    assert "would be overwritten" in found.detail
    assert (shop.path / "note.log").read_text() == "mine, ignored\n"
    assert shop.git("status", "--porcelain") == ""


def test_a_repository_without_a_commit_gets_the_base_and_the_results(person, finish):
    person.init()
    person.write("a.py", "a = 1\n")
    person.write("b.py", "b = 1\n")
    person.git("add", "b.py")
    repository = person.open()
    finish(repository)
    person.git("rm", "-q", "--cached", "b.py")
    assert deliver(repository).status == delivery.DELIVERED
    assert person.git("log", "--format=%s").splitlines() == ["Do t1", "Files as they were when ultrawork began"]
    assert person.git("status", "--porcelain") == ""


def test_a_delivery_that_was_cut_short_is_finished(shop, repository, finish):
    finish(repository)
    shop.write("a.py", "a = 2\n")
    assert deliver(repository).status == delivery.DELIVERED
    assert (shop.path / "deep/new.py").read_text() == "new\n"
    assert shop.git("status", "--porcelain") == ""


def test_hooks_that_have_no_say_in_commits_are_not_run_and_named(shop, finish):
    witness = shop.folder / "witness"
    for hook in ("post-checkout", "pre-merge-commit", "reference-transaction", "pre-push"):
        shop.write(f".git/hooks/{hook}", f"#!/bin/sh\ntouch {witness}\n").chmod(0o755)
    repository = shop.open()
    named = "pre-merge-commit, post-checkout, pre-push, reference-transaction"
    assert repository.notes == [f"git hooks that a run skips: {named}"]
    finish(repository)
    assert deliver(repository).status == delivery.DELIVERED
    assert not witness.exists()


def test_what_is_merged_after_a_delivery_is_delivered_too(shop, repository, finish, do):
    finish(repository)
    deliver(repository)
    MergeQueue(repository, lambda *_: (True, "")).merge("t2", do(repository, "t2", {"two.py": "2\n"}))
    assert deliver(repository).status == delivery.DELIVERED
    assert (shop.path / "two.py").exists()


@pytest.mark.slow
def test_a_lock_that_a_killed_delivery_left_is_taken_away(shop, repository, finish):
    finish(repository)
    (shop.folder / "state/worktrees/s1/busy").touch()
    shop.write(".git/index.lock", "")
    assert deliver(repository).status == delivery.DELIVERED


def test_a_lock_of_somebody_elses_git_is_respected(shop, repository, finish):
    finish(repository)
    shop.write(".git/index.lock", "")
    assert deliver(repository).status == delivery.LEFT
    assert (shop.path / ".git/index.lock").exists()


def test_an_ignored_file_is_not_overwritten_by_the_rest_of_a_delivery_either(shop, repository, do):
    """One that was cut short, when some of the results are there already."""
    shop.write("note.log", "mine, ignored\n")
    files = {".gitignore": "build/\n", "note.log": "a result\n", "one.py": "1\n"}
    MergeQueue(repository, lambda *_: (True, "")).merge("t1", do(repository, "t1", files))
    shop.write("one.py", "1\n")
    assert "note.log is ignored by git and in the way" in deliver(repository).detail
    assert (shop.path / "note.log").read_text() == "mine, ignored\n"


def lay_hook(person, name, text, folder=".git/hooks"):
    path = person.path / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_hooks_that_agree_are_asked_with_all_results_staged(shop, finish):
    lay_hook(shop, "pre-commit", f"git diff --cached --name-only > {shop.folder}/staged")
    lay_hook(shop, "commit-msg", f'cat "$1" > {shop.folder}/message')
    lay_hook(shop, "post-merge", f"git rev-parse HEAD > {shop.folder}/merged")
    repository = shop.open()
    finish(repository)
    assert deliver(repository).status == delivery.DELIVERED
    assert (shop.folder / "staged").read_text() == "a.py\ndeep/new.py\n"
    assert "Ultrawork-Task: s1/t1" in (shop.folder / "message").read_text()
    assert (shop.folder / "merged").read_text().strip() == shop.git("rev-parse", "main")
    assert shop.git("status", "--porcelain") == ""
    assert "/hooks-" not in shop.git("worktree", "list")


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("pre-commit", ".git/hooks"),
        ("prepare-commit-msg", ".git/hooks"),
        ("commit-msg", ".git/hooks"),
        ("pre-commit", "own"),
    ],
)
def test_a_hook_that_says_no_leaves_the_results_and_is_quoted(shop, finish, name, folder):
    lay_hook(shop, name, "echo no spaces here >&2; exit 1", folder)
    if folder == "own":
        shop.git("config", "core.hooksPath", str(shop.path / folder))
        (shop.path / ".git/info/exclude").write_text("own\n")
    repository = shop.open()
    finish(repository)
    before = shop.git("rev-parse", "main")
    found = deliver(repository)
    assert found.status == delivery.LEFT
    assert f"the {name} hook refused: no spaces here. Fix that, then run git merge" in found.detail
    assert shop.git("rev-parse", "main") == before
    assert deliver(repository, verify=False).status == delivery.DELIVERED


def test_a_message_is_delivered_as_the_hooks_make_it(shop, finish, do):
    """As a change id or a ticket's number is added; what a later commit takes back, it names by its new id."""
    lay_hook(shop, "prepare-commit-msg", 'sed -i "1s/^/[$2] /" "$1"')
    lay_hook(shop, "commit-msg", 'echo "Change-Id: I1" >> "$1"')
    repository = shop.open()
    finish(repository)
    MergeQueue(repository, lambda *_: (True, "")).merge("t2", do(repository, "t2", {"two": "2\n"}))
    assert take_out(repository, "t2").status == "UNDONE"
    assert deliver(repository).status == delivery.DELIVERED
    undo, second, first = shop.git("log", "-3", "--format=%B%x00").split("\0")[:3]
    for text, subject in ((undo, "Undo t2"), (second, "Do t2"), (first, "Do t1")):
        assert text.strip().startswith(f"[message] {subject}")
        assert text.rstrip().endswith("Change-Id: I1")
    assert f"Ultrawork-Undoes: {shop.git('rev-parse', 'main^')}" in undo
    assert repository.head() == shop.git("rev-parse", "main") == shop.git("rev-parse", "ultrawork/s1")
    assert deliver(repository).status == delivery.DELIVERED


def test_files_that_a_hook_rewrites_are_left_as_nobody_checked_them(shop, finish):
    lay_hook(shop, "pre-commit", "echo '# formatted' >> a.py; git add a.py")
    repository = shop.open()
    finish(repository)
    found = deliver(repository)
    assert found.status == delivery.LEFT
    assert "the pre-commit hook rewrites a.py, and that was not checked" in found.detail


@pytest.mark.parametrize("name", ["prepare-commit-msg", "commit-msg"])
@pytest.mark.parametrize("text", [': > "$1"', 'rm "$1"'])
def test_a_commit_whose_message_a_hook_took_away_is_left_as_git_would(shop, finish, name, text):
    lay_hook(shop, name, text)
    repository = shop.open()
    finish(repository)
    found = deliver(repository)
    assert (found.status, "a hook left an empty commit message" in found.detail) == ("LEFT", True), found


def test_a_hook_without_an_interpreter_line_runs_as_in_git(shop, finish):
    lay_hook(shop, "pre-commit", "")
    (shop.path / ".git/hooks/pre-commit").write_text(f"touch {shop.folder}/witness\n")
    repository = shop.open()
    finish(repository)
    assert deliver(repository).status == delivery.DELIVERED
    assert (shop.folder / "witness").exists()


def test_a_hook_sees_what_is_delivered_whatever_checkout_the_environment_names(shop, finish):
    """An alias or a hook of git that starts a run sets these variables for it."""
    lay_hook(shop, "pre-commit", f"git diff --cached --name-only > {shop.folder}/staged")
    shop.environ |= {"GIT_DIR": f"{shop.path}/.git", "GIT_INDEX_FILE": f"{shop.path}/.git/index"}
    repository = shop.open()
    finish(repository)
    assert deliver(repository).status == delivery.DELIVERED
    assert (shop.folder / "staged").read_text() == "a.py\ndeep/new.py\n"


def test_a_hook_that_takes_long_is_interrupted_by_the_person(shop, finish):
    lay_hook(shop, "pre-commit", f"touch {shop.folder}/witness; sleep 100")
    repository = shop.open()
    finish(repository)

    def tick():
        if (shop.folder / "witness").exists():
            raise CalledOff("the run was stopped")

    repository.tick = tick
    found = deliver(repository)
    assert found.status == delivery.LEFT
    assert "the pre-commit hook refused: it was interrupted. Fix that, then run git merge" in found.detail


@pytest.mark.parametrize("change", ["changed", "added", "removed"])
def test_rules_that_were_changed_during_the_run_are_not_run(shop, finish, change):
    """An agent shares the repository: it could take a hook away, or leave one for the person's git to run."""
    if change != "added":
        lay_hook(shop, "pre-commit", "exit 1")
    repository = shop.open()
    if change == "removed":
        (shop.path / ".git/hooks/pre-commit").unlink()
    else:
        lay_hook(shop, "pre-commit", f"touch {shop.folder}/witness")
    finish(repository)
    found = deliver(repository)
    assert (found.status, f"the pre-commit hook was {change}" in found.detail) == ("LEFT", True)
    assert not (shop.folder / "witness").exists()


@pytest.fixture
def signer(shop):
    """A key of ssh that commits are signed with."""
    key = shop.folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    (shop.folder / "signers").write_text(f"pat@example.org {key.with_suffix('.pub').read_text()}")
    for name, value in {
        "gpg.format": "ssh",
        "user.signingkey": str(key),
        "gpg.ssh.allowedSignersFile": str(shop.folder / "signers"),
        "commit.gpgsign": "true",
    }.items():
        shop.git("config", name, value)
    return shop


def test_commits_are_signed_when_results_are_brought(signer, finish, do):
    repository = signer.open()
    finish(repository)
    MergeQueue(repository, lambda *_: (True, "")).merge("t2", do(repository, "t2", {"two": "2\n"}))
    unsigned = repository.head()
    assert deliver(repository).status == delivery.DELIVERED
    told = signer.git("log", "-2", "--format=%G? %s %an %ad", "main").splitlines()
    assert [line[:7] for line in told] == ["G Do t2", "G Do t1"]
    before = signer.git("log", "-2", "--format=%G? %s %an %ad", unsigned).splitlines()
    assert [line[1:] for line in told] == [line[1:] for line in before]
    assert signer.git("rev-parse", "main^{tree}") == signer.git("rev-parse", unsigned + "^{tree}")
    assert signer.git("status", "--porcelain") == ""
    signed = signer.git("rev-parse", "main")
    assert deliver(repository).commit == signed, "nothing is signed twice"


def test_a_program_for_signing_that_was_set_during_the_run_is_not_run(signer, finish):
    lay_hook(signer, "evil", f"touch {signer.folder}/witness; exit 1")
    repository = signer.open()
    signer.git("config", "gpg.ssh.program", str(signer.path / ".git/hooks/evil"))
    finish(repository)
    assert "commit.gpgsign was changed during the run" in deliver(repository).detail
    assert not (signer.folder / "witness").exists()


def test_what_cannot_be_signed_is_left_and_says_why(signer, finish):
    signer.git("config", "user.signingkey", "/nowhere/key")
    repository = signer.open()
    finish(repository)
    found = deliver(repository)
    assert (found.status, "git cannot sign: " in found.detail) == (delivery.LEFT, True)
    assert deliver(repository, verify=False).status == delivery.DELIVERED


def test_rules_of_the_person_are_named_at_the_start(shop):
    lay_hook(shop, "pre-commit", "exit 0")
    shop.git("config", "commit.gpgsign", "true")
    hooks, signing = shop.open().notes
    assert hooks == "git hooks run when results are delivered: pre-commit; --no-verify skips them"
    assert signing.startswith("commit.gpgsign is set: results are signed when they are delivered")


def test_files_under_a_filter_hinder_no_delivery(shop, finish):
    """On disk they are not what they are in a commit."""
    shop.git("config", "filter.rot.clean", "tr a-z n-za-m")
    shop.git("config", "filter.rot.smudge", "tr n-za-m a-z")
    shop.write(".gitattributes", "*.secret filter=rot\n")
    shop.write("key.secret", "open sesame\n")
    shop.commit()
    repository = shop.open()
    finish(repository)
    assert deliver(repository).status == delivery.DELIVERED
    assert shop.git("status", "--porcelain") == ""
