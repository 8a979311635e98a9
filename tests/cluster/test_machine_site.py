"""What a worker lets a job do on its machine, and that work leaves it by git alone."""

import os
import shutil
import subprocess
import threading
import time

import pytest

from support.cluster import git
from ultrawork.clients.headless.attempt import WORKER, AgentCommand, Attempt
from ultrawork.cluster.aftermath import Aftermath
from ultrawork.cluster.job import OUTPUT, AttemptJob, pack_command, read_commit, unpack_output
from ultrawork.cluster.keys import JOBS_KEY_FILE, read_key
from ultrawork.cluster.machine_site import MachineSite
from ultrawork.cluster.remote import AttemptRefs, GitRemote, RefPush, name_base
from ultrawork.core.errors import Conflict, NotFound, UsageError
from ultrawork.engine.agents.executor import ORPHANED
from ultrawork.store.codec import digest
from ultrawork.store.paths import Home

PATH = "/usr/local/bin:/usr/bin:/bin"


class Machine:
    """A site, a remote with a commit to work on, and jobs for it."""

    def __init__(self, root):
        self.root = root
        self.environ = {"PATH": PATH, "HOME": root, "ULTRAWORK_GIT_TOKEN": "secret"}
        self.remote, self.place = f"{root}/remote.git", f"{root}/place"
        subprocess.run(["git", "init", "-q", "--bare", self.remote], check=True)
        subprocess.run(["git", "init", "-q", self.place], check=True)
        git(self.place, "commit", "-q", "--allow-empty", "-m", "start")
        self.base = git(self.place, "rev-parse", "HEAD")
        self.far = GitRemote(self.place, self.remote, self.environ)
        self.far.push([RefPush(name_base("s", self.base), self.base)])
        self.site = None

    def open(self, **how):
        self.site = MachineSite(Home(f"{self.root}/state"), self.environ, [self.remote], host="box", **how)
        return self.site

    def job(self, script, subject="t1", **other):
        attempt = Attempt("s", subject, WORKER, 1, backend="script", place="/far", folder="/far", prompt="")
        command = AgentCommand(["sh", "-c", script], {"PATH": PATH})
        return AttemptJob(
            attempt.document(), other.get("remote", self.remote), self.base, lease=4.0,
            command=pack_command(command),
        )  # fmt: skip


@pytest.fixture
def machine(tmp_path):
    machine = Machine(str(tmp_path))
    yield machine
    if machine.site is not None:
        machine.site.close()


def run(machine, job):
    ended = threading.Event()
    attempt = machine.site.begin(job, ended.set)
    assert ended.wait(30)
    result = machine.site.hand_over(job, attempt, machine.site.describe(attempt), "")
    machine.site.forget(job, attempt)
    return result


def test_what_was_changed_and_printed_is_on_the_remote_and_nothing_is_left(machine):
    machine.open(any_command=True)
    result = run(machine, machine.job("echo new > file; echo said; echo trouble >&2; exit 3"))
    refs = AttemptRefs("s", "t1", 1)
    assert machine.far.list_refs(refs.work, refs.output) == {refs.work: result.work, refs.output: result.output}
    machine.far.fetch(refs.work, refs.output)
    assert read_commit(machine.far.git, result.work, "file") == b"new\n"
    key = read_key({}, JOBS_KEY_FILE, f"{machine.root}/state")
    told, printed = unpack_output(read_commit(machine.far.git, result.output, OUTPUT), key, "s/t1/1")
    assert list(printed.values()) == [b"said\n", b"trouble\n"]
    assert (told.code, told.work) == (3, result.work)
    assert (result.code, result.why) == (3, "ended")
    left = os.listdir(f"{machine.root}/state/worktrees/machine.box/s")
    assert not [name for name in left if name.startswith("t1")]


def test_handing_over_again_after_a_lost_answer_changes_nothing(machine):
    machine.open(any_command=True)
    job, ended = machine.job("echo new > file"), threading.Event()
    attempt = machine.site.begin(job, ended.set)
    assert ended.wait(30)
    report = machine.site.describe(attempt)
    first = machine.site.hand_over(job, attempt, report, "")
    before = machine.far.list_refs()
    machine.site.hand_over(job, attempt, report, "")
    assert machine.far.list_refs() == before
    assert first.work in before.values()


def test_an_agent_that_ended_before_its_machine_did_has_a_result(machine):
    """The machine was asked to end while it said its last word: it is done, and is not run again."""
    machine.open(any_command=True)
    job, ended = machine.job("exit 3"), threading.Event()
    attempt = machine.site.begin(job, ended.set)
    assert ended.wait(30)
    machine.site.cancel(attempt)
    result = machine.site.hand_over(job, attempt, machine.site.describe(attempt), ORPHANED)
    assert (result.code, result.why) == (3, "ended")


def test_an_agent_that_its_machine_ended_is_handed_back_with_that_reason(machine):
    machine.open(any_command=True)
    job, ended = machine.job("sleep 300"), threading.Event()
    attempt = machine.site.begin(job, ended.set)
    machine.site.cancel(attempt)
    assert ended.wait(30)
    result = machine.site.hand_over(job, attempt, machine.site.describe(attempt), ORPHANED)
    assert result.why == ORPHANED


def end_one(machine, subject, script="echo done"):
    ended, job = threading.Event(), machine.job(script, subject)
    attempt = machine.site.begin(job, ended.set)
    assert ended.wait(30)
    report = machine.site.describe(attempt)
    return machine.site.collect(job, attempt, report, "")


def test_short_outputs_that_end_together_go_by_one_push_and_leave_nothing(machine):
    site = machine.open(any_command=True)
    log = f"{machine.root}/pushes"
    hook = f"{machine.remote}/hooks/post-receive"
    with open(hook, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\necho push >> {log}\n")
    os.chmod(hook, 0o755)
    told = [end_one(machine, name) for name in ("t1", "t2", "t3")]
    aftermath = Aftermath(site)
    for one in told:
        aftermath.take(one)
    aftermath.close()
    with open(log, encoding="utf-8") as file:
        assert 1 <= len(file.readlines()) < 3, "fewer than there are outputs"
    there = machine.far.list_refs("refs/ultrawork/s/outputs/*").values()
    assert sorted(there) == sorted(one.result.output for one in told)
    assert not any(os.path.exists(one.attempt.folder) for one in told)


@pytest.mark.parametrize("script", ["echo done", "echo x > made"], ids=["said", "made"])
def test_a_remote_that_was_gone_is_tried_again_by_the_same_worker(machine, script):
    """Also for work that was given up, as the remote was gone or refused it for too long."""
    asked = watch_git(machine)
    site = machine.open(any_command=True)
    told = end_one(machine, "t1", script)
    os.rename(machine.remote, f"{machine.remote}.away")
    aftermath = Aftermath(site, again=0.05)
    aftermath.take(told)
    wait_for(lambda: "push" in read_lines(asked))
    os.rename(f"{machine.remote}.away", machine.remote)
    wait_for(lambda: not os.path.exists(told.attempt.folder))
    assert list(machine.far.list_refs("refs/ultrawork/s/outputs/*").values()) == [told.result.output]
    works = list(machine.far.list_refs("refs/ultrawork/s/attempts/*").values())
    assert works == ([told.result.work] if told.result.work else [])
    aftermath.close()


def wait_for(is_so):
    end = time.monotonic() + 30
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().split()


def test_an_output_that_is_there_already_keeps_no_other_from_being_pushed(machine):
    site = machine.open(any_command=True)
    told = [end_one(machine, name) for name in ("t1", "t2")]
    site.push(told[0])
    site.push_outputs(machine.remote, told)
    there = machine.far.list_refs("refs/ultrawork/s/outputs/*").values()
    assert sorted(there) == sorted(one.result.output for one in told)


def watch_git(machine):
    """The file that tells, a line each, what git is asked from now on."""
    folder, log = f"{machine.root}/bin", f"{machine.root}/asked"
    os.makedirs(folder)
    script = f"""#!/bin/sh
for word in "$@"; do case $word in [a-z]*-*|status|fetch|push|worktree) echo $word >> {log}; break ;; esac; done
exec {shutil.which("git")} "$@"
"""
    with open(f"{folder}/git", "w", encoding="utf-8") as file:
        file.write(script)
    os.chmod(f"{folder}/git", 0o755)
    machine.environ["PATH"] = f"{folder}:{PATH}"
    return log


def take_asked(log):
    with open(log, encoding="utf-8") as file:
        asked = file.read().split()
    os.unlink(log)
    return asked


def test_an_agent_waits_for_few_programs_of_git(machine):
    """Before it begins and after it has ended; what can be done while it works or later is done then."""
    log = watch_git(machine)
    machine.open(any_command=True)
    end_one(machine, "t1")  # the clone is made, and the base fetched
    wait = f"until [ -e {machine.root}/go ]; do sleep 0.01; done"
    job, ended = machine.job(wait, "t2"), threading.Event()
    take_asked(log)
    attempt = machine.site.begin(job, ended.set)
    assert take_asked(log) == ["read-tree"], "the files"
    with open(f"{machine.root}/go", "w", encoding="utf-8"):
        pass
    assert ended.wait(30)
    collected = machine.site.collect(job, attempt, machine.site.describe(attempt), "")
    assert take_asked(log) == ["status"]
    assert collected.result.is_whole
    machine.site.forget(job, attempt)
    assert take_asked(log) == ["status"], "that nothing exists only there"


def test_a_branch_that_an_agent_packed_and_moved_is_gone_with_its_worktree(machine):
    """Its file alone would leave the older one that was packed."""
    machine.open(any_command=True)
    who = "-c user.name=a -c user.email=b"
    script = f"git pack-refs --all; git {who} commit -q --allow-empty -m mine"
    collected = end_one(machine, "t1", script)
    machine.site.forget(collected.job, collected.attempt)
    clone = os.path.dirname(git_dir_of(machine))
    assert git(clone, "for-each-ref", "refs/heads") == ""
    kept = git(clone, "log", "--all", "--format=%s")
    assert "mine" in kept, "its commit is held by a ref of ours"


def test_the_worktree_of_an_attempt_is_one_that_git_knows(machine):
    machine.open(any_command=True)
    job, ended = (machine.job("git status --porcelain --branch; git log -g --format=%H"), threading.Event())
    attempt = machine.site.begin(job, ended.set)
    assert ended.wait(30)
    with open(f"{attempt.folder}/out.jsonl", encoding="utf-8") as file:
        assert file.read().splitlines() == ["## ultrawork-work/s/t1.1", machine.base]
    listed = git(attempt.place, "worktree", "list", "--porcelain").split("\n\n")
    assert f"worktree {os.path.realpath(attempt.place)}\nHEAD {machine.base}" in listed[1]
    git(attempt.place, "fsck", "--strict")


def test_a_branch_that_a_start_cut_short_has_left_is_kept_and_in_nobodys_way(machine):
    machine.open(any_command=True)
    end_one(machine, "t1")
    clone = os.path.dirname(git_dir_of(machine))
    git(clone, "branch", "ultrawork-work/s/t2.1", machine.base)
    collected = end_one(machine, "t2")
    assert collected.result.code == 0
    kept = git(clone, "for-each-ref", "--format=%(objectname)", "refs/ultrawork/s/work")
    assert kept == machine.base


def git_dir_of(machine):
    (clone,) = os.listdir(f"{machine.root}/state/cluster/box/clones")
    return f"{machine.root}/state/cluster/box/clones/{clone}/remote/.git"


def test_a_command_from_elsewhere_is_refused(machine):
    machine.open()
    with pytest.raises(Conflict, match="only agent programs"):
        machine.site.begin(machine.job("touch /tmp/never"), threading.Event().set)


def test_a_remote_that_was_not_agreed_on_is_refused(machine):
    machine.open(any_command=True)
    with pytest.raises(NotFound, match="does not serve the remote"):
        machine.site.begin(machine.job("true", remote="https://elsewhere/x.git"), threading.Event().set)


def test_a_clone_that_a_full_disk_left_half_made_is_not_in_the_way(machine):
    site = machine.open(any_command=True)
    half = f"{site.folder}/clones/{digest(machine.remote)[:16]}/remote.new/.git"
    os.makedirs(half)
    assert run(machine, machine.job("true")).code == 0
    assert not os.path.exists(half)


@pytest.mark.parametrize("name", ["../../etc", "a/b", ""])
def test_a_job_names_no_other_place(machine, name):
    machine.open(any_command=True)
    job = machine.job("true")
    job.attempt["subject"] = name
    with pytest.raises(UsageError):
        machine.site.begin(job, threading.Event().set)
    key = read_key({}, JOBS_KEY_FILE, f"{machine.root}/state")
    with pytest.raises(UsageError):
        machine.site.read_log(key.seal({"session": "s", "subject": name, "epoch": 1}))


def test_an_agent_gets_no_key_of_the_cluster(machine):
    machine.open(any_command=True)
    run(machine, machine.job("env"))
    output = AttemptRefs("s", "t1", 1).output
    machine.far.fetch(output)
    assert b"secret" not in read_commit(machine.far.git, output, OUTPUT)


def test_a_second_worker_of_one_name_is_refused(machine):
    machine.open()
    with pytest.raises(Conflict, match="a worker named box is already running here"):
        MachineSite(Home(f"{machine.root}/state"), machine.environ, [], host="box")
