"""Repositories that are not the ordinary one: each works, or says in one sentence what to do."""

import hashlib
import os
from pathlib import Path

import pytest

from ultrawork.core.errors import Conflict
from ultrawork.engine.repository import merge_queue as queues
from ultrawork.engine.repository import worktrees
from ultrawork.engine.repository.cleanup import remove_worktrees
from ultrawork.engine.repository.delivery import deliver
from ultrawork.engine.repository.filters import FilterRefusal
from ultrawork.engine.repository.merge_queue import MergeQueue
from ultrawork.engine.repository.repository import Repository
from ultrawork.engine.repository.undo import take_out


def merge(repository, subject, commit):
    return MergeQueue(repository, lambda *_: (True, "")).merge(subject, commit)


def test_without_a_commit_the_files_as_they_are_become_the_base(person, do):
    person.init()
    person.write("a.py", "a = 1\n")
    repository = person.open()
    assert person.files(repository.base) == {"a.py": "a = 1"}
    assert person.git("status", "--porcelain") == "?? a.py"
    assert merge(repository, "t1", do(repository, "t1", {"a.py": "a = 2\n"})).status == queues.MERGED
    assert repository.notes == ["the repository has no commit, so the current files are the baseline"]


def test_an_empty_repository_can_be_begun_in(person, do):
    person.init()
    repository = person.open()
    assert merge(repository, "t1", do(repository, "t1", {"a.py": "a = 2\n"})).status == queues.MERGED


def test_a_bare_repository_is_refused_and_a_worktree_of_it_works(shop, tmp_path, do):
    bare, place = tmp_path / "bare.git", tmp_path / "place"
    shop.git("clone", "-q", "--bare", str(shop.path), str(bare))
    with pytest.raises(Conflict, match="is a bare repository"):
        shop.open(place=bare)
    shop.git("worktree", "add", "-q", str(place), at=bare)
    repository = shop.open(place=place)
    assert merge(repository, "t1", do(repository, "t1", {"a.py": "a = 2\n"})).status == queues.MERGED


def test_a_shallow_clone_works(shop, tmp_path, do):
    for number in range(3):
        shop.commit(a_py=f"a = {number}\n")
    place = tmp_path / "shallow"
    shop.git("clone", "-q", "--depth", "1", f"file://{shop.path}", str(place))
    (place / "a.py").write_text("a = 9\n")
    repository = shop.open(place=place)
    assert merge(repository, "t1", do(repository, "t1", {"b.py": "b\n"})).status == queues.MERGED
    assert shop.git("show", "ultrawork/s1:a.py", at=place) == "a = 9"


def test_a_worktree_inside_a_worktree_is_a_checkout_like_any_other(shop, do):
    inner = shop.path / ".trees/inner"
    shop.git("worktree", "add", "-q", "-b", "inner", str(inner))
    (inner / "a.py").write_text("a = 3\n")
    repository = shop.open(place=inner)
    assert repository.top == str(inner)
    assert merge(repository, "t1", do(repository, "t1", {"c.py": "c\n"})).status == queues.MERGED
    assert shop.git("show", "ultrawork/s1:a.py") == "a = 3"


def test_worktrees_of_the_person_are_not_part_of_the_base(shop):
    shop.git("worktree", "add", "-q", "-b", "inner", str(shop.path / "trees/inner"))
    repository = shop.open()
    assert repository.start.was_clean


def test_a_worktree_of_the_person_that_is_away_is_not_forgotten(shop, tmp_path):
    shop.git("worktree", "add", "-q", "-b", "usb", str(tmp_path / "usb"))
    os.rename(tmp_path / "usb", tmp_path / "unplugged")
    repository = shop.open()
    worktrees.prepare(repository, "t1", 1)
    os.rename(tmp_path / "unplugged", tmp_path / "usb")
    assert shop.git("status", "--porcelain", at=tmp_path / "usb") == ""


def test_an_unfinished_merge_is_refused_with_what_to_do(shop):
    shop.git("switch", "-qc", "other")
    shop.commit(a_py="a = 'other'\n")
    shop.git("switch", "-q", "main")
    shop.commit(a_py="a = 'main'\n")
    shop.git("merge", "other", check=False)
    with pytest.raises(Conflict, match=r"a merge is in progress in .*git merge --abort"):
        shop.open()


def test_a_sparse_checkout_keeps_what_it_does_not_show(shop, do):
    shop.commit(web__c_py="c\n", docs__d_py="d\n")
    shop.git("sparse-checkout", "set", "web")
    repository = shop.open()
    assert repository.start.was_clean
    merged = merge(repository, "t1", do(repository, "t1", {"web/c.py": "c = 2\n"}))
    assert merged.files == ["web/c.py"]
    assert {"docs/d.py", "web/c.py"} <= shop.files("ultrawork/s1").keys()


@pytest.fixture
def nested(shop, tmp_path):
    """A shop with a submodule."""
    library = tmp_path / "library"
    library.mkdir()
    shop.git("init", "-q", "-b", "main", at=library)
    (library / "lib.py").write_text("lib = 1\n")
    shop.git("add", "-A", at=library)
    shop.git("commit", "-qm", "x", at=library)
    shop.git("submodule", "add", "-q", str(library), "lib")
    shop.commit()
    return shop


def test_a_submodule_is_there_in_a_worktree_without_the_network(nested, tmp_path):
    os.rename(tmp_path / "library", tmp_path / "away")
    worktree = worktrees.prepare(nested.open(), "t1", 1)
    assert Path(worktree.path, "lib/lib.py").read_text() == "lib = 1\n"
    assert nested.git("status", "--porcelain", at=worktree.path) == ""
    assert worktree.collect("x") == ""


def test_a_commit_made_in_a_submodule_is_collected_merged_and_checked(nested):
    repository = nested.open()
    worktree = worktrees.prepare(repository, "t1", 1)
    Path(worktree.path, "lib/lib.py").write_text("lib = 2\n")
    nested.git("commit", "-qam", "two", at=f"{worktree.path}/lib")
    made = nested.git("rev-parse", "HEAD", at=f"{worktree.path}/lib")
    seen = []

    def check(path, subject):
        seen.append(Path(path, "lib/lib.py").read_text())
        return True, ""

    merged = MergeQueue(repository, check).merge("t1", worktree.collect("x"))
    assert (merged.status, merged.files, seen) == (queues.MERGED, ["lib"], ["lib = 2\n"])
    assert nested.git("rev-parse", "ultrawork/s1:lib") == made
    assert nested.git("cat-file", "-t", made, at=nested.path / "lib") == "commit"


def test_files_of_a_submodule_that_are_not_committed_are_not_lost_silently(nested):
    worktree = worktrees.prepare(nested.open(), "t1", 1)
    Path(worktree.path, "lib/lib.py").write_text("lib = 2\n")
    with pytest.raises(Conflict, match="files in the submodule lib are not committed"):
        worktree.collect("x")


def test_changes_in_the_persons_own_submodule_are_noted(nested):
    nested.write("lib/lib.py", "lib = 'mine'\n")
    repository = nested.open()
    (note,) = repository.notes
    assert note.startswith("changes in the submodule lib are not committed there")
    assert repository.start.was_clean


def test_a_submodule_that_was_not_fetched_stays_empty(nested, tmp_path):
    nested.git("clone", "-q", str(nested.path), str(tmp_path / "plain"))
    worktree = worktrees.prepare(nested.open(place=tmp_path / "plain"), "t1", 1)
    assert os.listdir(f"{worktree.path}/lib") == []
    Path(worktree.path, "a.py").write_text("a = 2\n")
    assert worktree.collect("x")


def test_a_repository_that_is_no_submodule_is_left_out_and_named(shop):
    shop.git("init", "-q", "tools")
    shop.git("commit", "-q", "--allow-empty", "-m", "x", at=shop.path / "tools")
    repository = shop.open()
    assert repository.notes == ["tools is a separate repository and not a submodule, so workers do not see it"]
    assert repository.start.was_clean


CONTENT = b"\0picture\1" * 40
POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    f"oid sha256:{hashlib.sha256(CONTENT).hexdigest()}\nsize {len(CONTENT)}\n"
)
# What git-lfs does, without its server.
LFS = """#!/bin/sh
store=$(git rev-parse --git-common-dir)/lfs/objects
if [ "$1" = clean ]; then
  t=$(mktemp); cat >"$t"; oid=$(sha256sum "$t" | cut -d' ' -f1)
  mkdir -p "$store/$(echo $oid | cut -c1-2)/$(echo $oid | cut -c3-4)"
  cp "$t" "$store/$(echo $oid | cut -c1-2)/$(echo $oid | cut -c3-4)/$oid"
  printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' $oid $(stat -c %s "$t")
else
  oid=$(sed -n 's/^oid sha256://p')
  cat "$store/$(echo $oid | cut -c1-2)/$(echo $oid | cut -c3-4)/$oid"
fi
"""


@pytest.fixture
def gallery(shop):
    """With a picture that LFS keeps."""
    program = shop.write("../bin/git-lfs", LFS)
    program.chmod(0o755)
    shop.environ["PATH"] = f"{program.parent}:{shop.environ['PATH']}"
    shop.git("config", "filter.lfs.clean", "git-lfs clean")
    shop.git("config", "filter.lfs.smudge", "git-lfs smudge")
    shop.git("config", "filter.lfs.required", "true")
    shop.write(".gitattributes", "*.png filter=lfs -text\n")
    shop.write("pic.png", CONTENT)
    shop.commit()
    assert shop.git("show", "HEAD:pic.png") + "\n" == POINTER
    return shop


def test_a_file_of_lfs_is_there_in_a_worktree_and_stays_a_pointer(gallery):
    worktree = worktrees.prepare(gallery.open(), "t1", 1)
    assert Path(worktree.path, "pic.png").read_bytes() == CONTENT
    Path(worktree.path, "a.py").write_text("a = 2\n")
    commit = worktree.collect("x")
    assert gallery.git("show", f"{commit}:pic.png") + "\n" == POINTER


@pytest.mark.slow
def test_a_new_file_of_lfs_is_collected_as_a_pointer_with_its_text_in_the_store(gallery):
    repository = gallery.open()
    worktree = worktrees.prepare(repository, "t1", 1)
    Path(worktree.path, "new.png").write_bytes(CONTENT[::-1])
    merged = merge(repository, "t1", worktree.collect("x"))
    assert merged.status == queues.MERGED
    gallery.git("merge", "-q", "ultrawork/s1")
    assert (gallery.path / "new.png").read_bytes() == CONTENT[::-1]
    assert gallery.git("show", "HEAD:new.png").startswith("version https://git-lfs")


def test_an_empty_file_of_lfs_stays_empty_in_git(gallery):
    repository = gallery.open()
    worktree = worktrees.prepare(repository, "t1", 1)
    Path(worktree.path, "new.png").touch()
    assert gallery.git("show", f"{worktree.collect('x')}:new.png") == ""


def test_without_the_program_of_lfs_there_are_pointers_and_a_note(gallery):
    (gallery.folder / "bin/git-lfs").unlink()
    repository = gallery.open()
    worktree = worktrees.prepare(repository, "t1", 1)
    assert Path(worktree.path, "pic.png").read_text() == POINTER
    Path(worktree.path, "a.py").write_text("a = 2\n")
    assert merge(repository, "t1", worktree.collect("x")).files == ["a.py"]
    assert repository.notes == ["the program of filter lfs is not installed, so its files stay as git stores them"]


@pytest.fixture
def vault(shop):
    """With a file that a filter hides: letters turned on their way into git."""
    shop.git("config", "filter.rot.clean", "tr a-z n-za-m")
    shop.git("config", "filter.rot.smudge", "tr n-za-m a-z")
    shop.write(".gitattributes", "*.secret filter=rot\n")
    shop.write("key.secret", "open sesame\n")
    shop.commit()
    assert shop.git("show", "HEAD:key.secret") == "bcra frfnzr"
    return shop


def test_a_file_under_a_filter_is_readable_for_workers_and_not_changed_by_looking(vault):
    repository = vault.open()
    worktree = worktrees.prepare(repository, "t1", 1)
    assert Path(worktree.path, "key.secret").read_text() == "open sesame\n"
    Path(worktree.path, "a.py").write_text("a = 2\n")
    assert merge(repository, "t1", worktree.collect("x")).files == ["a.py"]


def test_a_dirty_file_under_a_filter_is_in_the_base_as_git_would_keep_it(vault):
    vault.write("key.secret", "new word\n")
    assert vault.git("show", f"{vault.open().base}:key.secret") == "arj jbeq"


def test_a_changed_file_under_a_filter_is_committed_as_git_would_keep_it(vault):
    repository = vault.open()
    worktree = worktrees.prepare(repository, "t1", 1)
    Path(worktree.path, "key.secret").write_text("new word\n")
    assert merge(repository, "t1", worktree.collect("x")).files == ["key.secret"]
    assert vault.git("show", f"{repository.head()}:key.secret") == "arj jbeq"
    again = worktrees.prepare(repository, "t2", 1)
    assert Path(again.path, "key.secret").read_text() == "new word\n"


def test_a_filter_that_an_agent_configured_is_not_run(vault):
    worktree = worktrees.prepare(vault.open(), "t1", 1)
    vault.git("config", "filter.rot.clean", f"touch {vault.folder}/witness; cat")
    Path(worktree.path, "key.secret").write_text("new word\n")
    with pytest.raises(FilterRefusal, match="which changed since"):
        worktree.collect("x")
    assert not (vault.folder / "witness").exists()


@pytest.mark.parametrize(("command", "why"), [("false", "which fails"), ("no-such-program", "is not installed")])
def test_a_file_whose_filter_cannot_run_is_not_committed_in_the_clear(vault, command, why):
    vault.git("config", "filter.rot.clean", command)
    vault.write("key.secret", "new word\n")
    with pytest.raises(FilterRefusal, match=rf"key\.secret needs the filter rot.*{why}"):
        vault.open()
    assert vault.git("for-each-ref", "refs/ultrawork") == ""


def test_settings_and_installed_things_are_there_and_are_nobodys_work(shop):
    shop.write(".gitignore", ".env\n.venv/\nnode_modules/\n")
    shop.commit()
    shop.write(".env", "KEY=1\n")
    shop.write(".venv/pyvenv.cfg", "home = /usr\n")
    shop.write("node_modules/left-pad/index.js", "x\n")
    worktree = worktrees.prepare(shop.open(), "t1", 1)
    assert Path(worktree.path, ".env").read_text() == "KEY=1\n"
    assert Path(worktree.path, ".venv/pyvenv.cfg").exists()
    assert Path(worktree.path, "node_modules/left-pad/index.js").exists()
    shop.git("add", "-A", at=worktree.path)
    shop.git("commit", "-qm", "everything", "--allow-empty", at=worktree.path)
    assert worktree.collect("x") == ""


def test_variables_of_a_borrowed_environment_lead_to_the_worktree(shop):
    shop.write(".gitignore", ".venv\n")
    shop.commit()
    shop.write(".venv/pyvenv.cfg", "home = /usr\n")
    packages = shop.path / ".venv/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    (packages / "shop.pth").write_text(f"{shop.path}/src\n")
    repository = shop.open()
    worktree = worktrees.prepare(repository, "t1", 1)
    assert worktree.environ["PYTHONPATH"] == f"{worktree.path}/src"
    assert worktrees.prepare(repository, "t1", 1).environ == worktree.environ


def test_a_setup_command_runs_in_each_fresh_worktree_instead_of_linking(shop):
    shop.write("ultrawork.toml", '[run]\nsetup = "mkdir -p .venv && echo made >.venv/here"\n')
    shop.write(".gitignore", ".env\n.venv\n")
    shop.commit()
    shop.write(".venv/pyvenv.cfg", "home = /usr\n")
    shop.write(".env", "KEY=1\n")
    worktree = worktrees.prepare(shop.open(), "t1", 1)
    assert sorted(os.listdir(f"{worktree.path}/.venv")) == ["here"]
    assert Path(worktree.path, ".env").exists()
    assert os.listdir(shop.path / ".venv") == ["pyvenv.cfg"]


def test_a_setup_command_gets_no_key_of_the_agent(shop):
    shop.write("ultrawork.toml", '[run]\nsetup = "env >.venv"\n')
    shop.write(".gitignore", ".venv\n")
    shop.commit()
    repository = shop.open()
    repository.environ = {**repository.environ, "OPENAI_API_KEY": "secret", "KEPT": "1"}
    worktree = worktrees.prepare(repository, "t1", 1)
    told = Path(worktree.path, ".venv").read_text()
    assert "KEPT=1" in told
    assert "secret" not in told


def test_what_a_setup_command_leaves_is_nobodys_work(shop):
    shop.write("ultrawork.toml", '[run]\nsetup = "echo x >made.txt"\n')
    shop.commit()
    worktree = worktrees.prepare(shop.open(), "t1", 1)
    assert Path(worktree.path, "made.txt").exists()
    assert worktree.collect("x") == ""


def test_a_setup_command_that_fails_is_told_and_tried_again_in_a_fresh_place(shop):
    shop.write("ultrawork.toml", f'[run]\nsetup = "test -e {shop.folder}/ready || exit 3"\n')
    shop.commit()
    repository = shop.open()
    with pytest.raises(Conflict, match="the setup command ended with 3"):
        worktrees.prepare(repository, "t1", 1)
    shop.write("../ready")
    assert os.path.exists(worktrees.prepare(repository, "t1", 1).path)


def test_a_repository_of_another_hash_works(person, do):
    person.git("init", "-q", "-b", "main", "--object-format=sha256")
    person.commit(a_py="a = 1\n")
    person.write("a.py", "a = 2\n")
    repository = person.open()
    assert merge(repository, "t1", do(repository, "t1", {"b.py": "b\n"})).status == queues.MERGED


@pytest.mark.parametrize("session", ["a..b", "x.lock", "dot."])
def test_ids_that_git_does_not_take_for_refs_are_written_otherwise(shop, session):
    repository = shop.open(session)
    assert worktrees.prepare(repository, "t..1", 1).branch.count("..") == 0
    assert isinstance(shop.open(session), Repository)


HOSTILE = {
    "ff only": "[merge]\n\tff = only\n",
    "no ff": "[merge]\n\tff = false\n",
    "signatures": "[log]\n\tshowSignature = true\n[merge]\n\tverifySignatures = true\n[commit]\n\tgpgSign = true\n",
    "colours": "[color]\n\tui = always\n[core]\n\tpager = false\n\tquotePath = false\n",
    "diffs": "[diff]\n\tnoprefix = true\n\texternal = false\n\trenames = false\n[merge]\n\tconflictStyle = merge\n",
    "recursion": "[submodule]\n\trecurse = true\n[branch]\n\tautoSetupMerge = always\n[rerere]\n\tenabled = true\n",
    "line ends": "[core]\n\tautocrlf = input\n\tsafecrlf = true\n",
    "tools": "[merge]\n\ttool = false\n\trenames = false\n[clean]\n\trequireForce = true\n[index]\n\tthreads = 1\n",
    "hooks": "[core]\n\thooksPath = /nowhere\n\tfsmonitor = false\n\tuntrackedCache = true\n\tsplitIndex = true\n",
}


# Of these two a person has one; together with all others each is one test, alone it waits for the slow ones.
FAST_FORWARD = ("ff only", "no ff")
OTHERS = [kind for kind in HOSTILE if kind not in FAST_FORWARD]
TOGETHER = [pytest.param([*OTHERS, one], id=f"all, {one}") for one in FAST_FORWARD]
ALONE = [pytest.param([kind], id=kind, marks=pytest.mark.slow) for kind in HOSTILE]


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [*TOGETHER, *ALONE])
def test_a_persons_own_settings_of_git_change_nothing(shop, do, kinds):
    """Except a wish for signatures: unsigned results are delivered only without the person's own rules."""
    with (shop.folder / ".gitconfig").open("a") as file:
        file.write("".join(HOSTILE[kind] for kind in kinds))
    repository = shop.open()
    one = do(repository, "t1", {"a.py": "a = 'one'\n", "moved/b.py": "b = 1\nb = 2\nb = 3\n"})
    two = do(repository, "t2", {"a.py": "a = 'two'\n"})
    three = do(repository, "t3", {"c.py": "c\n"})
    assert merge(repository, "t1", one).status == queues.MERGED
    conflict = merge(repository, "t2", two)
    assert "  <<<<<<< t1\n  a = 'one'\n  ||||||| before\n  a = 1\n  =======\n" in conflict.detail
    assert merge(repository, "t3", three).status == queues.MERGED
    assert take_out(repository, "t3").status == "UNDONE"
    signed = "signatures" in kinds
    assert deliver(repository).status == ("LEFT" if signed else "DELIVERED")
    assert deliver(repository, verify=False).status == "DELIVERED"
    assert (shop.path / "a.py").read_text() == "a = 'one'\n"


def test_a_folder_with_an_odd_name_is_worked_in(tmp_path, person, do):
    odd = type(person)(tmp_path, "my 'shöp' \"1\"")
    odd.init(a_py="a = 1\n")
    odd.write("new.py", "new\n")
    repository = odd.open()
    assert merge(repository, "t1", do(repository, "t1", {"a.py": "a = 2\n"})).status == queues.MERGED
    assert remove_worktrees(repository).kept == []


@pytest.mark.parametrize("name", ["ultrawork", "ultrawork-work"])
def test_a_branch_in_the_way_of_ours_is_named(shop, name):
    shop.git("branch", name)
    with pytest.raises(Conflict, match=f"the branch {name} blocks the branches of ultrawork"):
        shop.open()
