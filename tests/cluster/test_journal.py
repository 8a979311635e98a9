"""The journal as rows: what is written of a session can be read elsewhere, and nothing of it is bent."""

import os
import subprocess

import pytest

from support.cluster import git
from support.commands import begin
from support.coordinator import Coordinator
from support.floor import Program
from ultrawork.cli.environment import VerbEnvironment
from ultrawork.cli.headless.ending import summarize
from ultrawork.clients.headless.attempt import AgentCommand
from ultrawork.cluster.job import AttemptJob, JobResult, pack_command, unpack_command
from ultrawork.cluster.journal import read_coordinator
from ultrawork.cluster.journal_rows import dump_rows, load_rows
from ultrawork.cluster.keys import JOURNAL_KEY_FILE
from ultrawork.cluster.remote import GitRemote, RefPush
from ultrawork.cluster.takeover import _lay_results, _make_rewrite, take_over
from ultrawork.core.errors import Conflict, NotFound
from ultrawork.core.session.session import COMPLETE
from ultrawork.engine.contract import PAUSED, RunStop
from ultrawork.engine.repository.opening import open_repository
from ultrawork.store import attempts, sessions, tasks
from ultrawork.store.codec import dumps, loads
from ultrawork.store.database import Transaction, find_broken_links
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

PATH = "/usr/local/bin:/usr/bin:/bin"


@pytest.fixture
def store(tmp_path):
    store = Store(Home(str(tmp_path / "state")), actor="engine", clock=lambda: 100.0)
    begin(store, "s", {"a": [], "b": ["a"]})
    with store.change("s") as change:
        attempts.claim(change, "a", "worker", folder="/one/sessions/s/attempts", backend="script", is_task=True)
    return store


def test_what_is_written_of_a_session_is_the_same_elsewhere(store, tmp_path):
    other = Store(Home(str(tmp_path / "other")), actor="engine", clock=lambda: 200.0)
    with Transaction(other.database):
        load_rows(other.database, dump_rows(store.database, "s"), lambda text: text)
    assert dump_rows(other.database, "s") == dump_rows(store.database, "s")
    assert find_broken_links(other.database, "s") == []
    assert [task.blocked_by for task in tasks.list_all(other.database, "s")][:2] == [[], ["a"]]


def test_paths_of_another_machine_become_those_of_this_one(store, tmp_path):
    other = Store(Home(str(tmp_path / "other")), actor="engine", clock=lambda: 200.0)
    rewrite = _make_rewrite({"/one/sessions/s": "/two/s"})
    with Transaction(other.database):
        load_rows(other.database, dump_rows(store.database, "s"), rewrite)
    assert attempts.list_running(other.database, "s")[0].folder == "/two/s/attempts/a.1"
    assert find_broken_links(other.database, "s") == []


def test_only_whole_paths_are_rewritten_and_the_longest_first():
    rewrite = _make_rewrite({"/w": "/x", "/w/state/s": "/y/s"})
    assert rewrite('{"a":"/w/state/s/1","b":"/w","c":"/where/f"}') == '{"a":"/y/s/1","b":"/x","c":"/where/f"}'


@pytest.mark.parametrize("odd", ['my "shop"', "back\\slash", "jürgen's (1)", "[a-z]+"])
def test_paths_with_marks_of_json_are_rewritten_too(odd):
    """One that stayed would be a folder of the other machine, and the run could not end well."""
    told = dumps({"a": f"/{odd}/f"})
    assert loads(_make_rewrite({f"/{odd}": "/here"})(told)) == {"a": "/here/f"}
    assert loads(_make_rewrite({"/there": f"/{odd}"})(dumps({"a": "/there/f"}))) == {"a": f"/{odd}/f"}


def test_what_was_being_verified_elsewhere_is_laid_out_here(tmp_path):
    place, environ = str(tmp_path / "p"), {"PATH": PATH, "HOME": str(tmp_path)}
    subprocess.run(["git", "init", "-q", place], check=True)
    git(place, "commit", "-q", "--allow-empty", "-m", "merged")
    head = git(place, "rev-parse", "HEAD")
    home = Home(str(tmp_path / "state"))
    repository = open_repository(place, home, "s", environ, begun_at=0.0)
    made = _lay_results(repository, f"/gone/state/worktrees/s/checked-{head[:12]}/p")
    assert made.startswith(str(tmp_path))
    assert git(made, "rev-parse", "HEAD") == head
    with pytest.raises(Conflict, match="not on the remote"):
        _lay_results(repository, "/gone/state/worktrees/s/checked-0123456789ab/p")


def test_a_state_folder_has_one_name_for_ever(tmp_path):
    assert read_coordinator(str(tmp_path / "s")) == read_coordinator(str(tmp_path / "s"))
    assert read_coordinator(str(tmp_path / "s")) != read_coordinator(str(tmp_path / "t"))


def test_a_run_that_is_nowhere_cannot_be_taken_over(tmp_path):
    remote, place = str(tmp_path / "r.git"), str(tmp_path / "p")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    subprocess.run(["git", "init", "-q", place], check=True)
    store = Store(Home(str(tmp_path / "state")), actor="person", clock=lambda: 1.0)
    with pytest.raises(NotFound, match="there is no run gone on"):
        take_over(store, {"PATH": PATH, "HOME": str(tmp_path)}, place, "gone", remote)


def test_a_run_that_is_here_is_resumed_not_taken_over(store, tmp_path):
    with pytest.raises(Conflict, match="already exists here"):
        take_over(store, {"PATH": PATH}, str(tmp_path), "s", str(tmp_path / "r.git"))
    assert sessions.get(store.database, "s").id == "s"


def test_a_run_that_was_completed_is_not_taken_over_and_its_results_are_named(tmp_path):
    remote = str(tmp_path / "r.git")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    first = Coordinator(str(tmp_path), "first")
    journal = first.open(remote)
    complete(first.store)
    os.makedirs(f"{first.run.folder}/attempts")
    journal.close()
    first.close()
    subprocess.run(["git", "clone", "-q", f"{first.root}/p", f"{tmp_path}/other"], check=True)
    entry = git(remote, "rev-parse", journal.ref)
    store = Store(Home(str(tmp_path / "second")), actor="person", clock=lambda: 1.0)
    key = {JOURNAL_KEY_FILE: f"{first.home.root}/cluster/journal.key"}
    with pytest.raises(Conflict, match="completed by first; nothing is left to resume") as told:
        take_over(store, {"PATH": PATH, "HOME": str(tmp_path), **key}, f"{tmp_path}/other", "s", remote)
    assert git(remote, "rev-parse", journal.ref) == entry, "nothing is claimed"
    git(f"{tmp_path}/other", *str(told.value).partition("results: git ")[2].split())
    assert git(f"{tmp_path}/other", "rev-parse", "FETCH_HEAD") == first.run.repository.head()


def test_a_run_that_another_machine_took_at_its_end_is_not_delivered_here(tmp_path):
    first = Coordinator(str(tmp_path), "first")
    complete(first.store)
    stop = RunStop(PAUSED, "session s is now run by other and continues there")
    told = summarize(first.run, VerbEnvironment(first.environ), first.run.read_session(), stop)
    assert (told.exit, sessions.find_delivery(first.store.database, "s")) == (3, "")
    assert "is now run by other" in told.text
    first.close()


def test_a_takeover_that_breaks_off_halfway_leaves_no_run_that_would_end_unverified(tmp_path):
    """Its folder and its programs would be those of the other machine, as if someone had tampered with them."""
    remote = str(tmp_path / "r.git")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    first = Coordinator(str(tmp_path), "first")
    place(first.store, "/gone/checked-0123456789ab/p")
    journal = first.open(remote)
    key = {JOURNAL_KEY_FILE: f"{first.home.root}/cluster/journal.key"}
    subprocess.run(["git", "clone", "-q", f"{first.root}/p", f"{tmp_path}/other"], check=True)
    store = Store(Home(str(tmp_path / "second")), actor="person", clock=lambda: 1.0)
    environ = {"PATH": PATH, "HOME": str(tmp_path), **key}
    with pytest.raises(Conflict, match="cannot continue here"):
        take_over(store, environ, f"{tmp_path}/other", "s", remote)
    assert sessions.list_all(store.database) == []
    place(first.store, "")
    journal.close()
    first.close()


def place(store, integration):
    with store.change("s") as change:
        session = sessions.get(change.database, "s")
        session.state.integration = integration
        sessions.save(change, session, "session.placed", {})


def complete(store):
    with store.change("s") as change:
        session = sessions.get(change.database, "s")
        session.phase, session.ended_at = "COMPLETE", 2.0
        sessions.save(change, session, "session.ended", {})


def test_of_two_swaps_from_the_same_entry_one_fails(tmp_path):
    remote, place = str(tmp_path / "r.git"), str(tmp_path / "p")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    subprocess.run(["git", "init", "-q", place], check=True)
    both = [GitRemote(place, remote, {"PATH": PATH, "HOME": str(tmp_path)}) for _ in range(2)]
    tree = both[0].git.ask(["mktree"], b"").decode().strip()
    first, second, third = (both[0].git.ask(["commit-tree", tree, "-m", word]).decode().strip() for word in "abc")
    both[0].push([RefPush("refs/ultrawork/s/journal", first)])
    moves = [RefPush("refs/ultrawork/s/integration", second), RefPush("refs/ultrawork/s/journal", second, first)]
    both[0].push(moves)
    lost = [RefPush("refs/ultrawork/s/integration", third, second), RefPush("refs/ultrawork/s/journal", third, first)]
    with pytest.raises(Conflict):
        both[1].push(lost)
    assert set(both[1].list_refs("refs/ultrawork/s/*").values()) == {second}, "all of a push, or nothing"


def test_a_job_and_its_result_come_back_as_they_were():
    command = AgentCommand(["sh", "-c", "x"], {"A": "b"}, b"\xff raw")
    assert unpack_command(pack_command(command)) == command
    job = AttemptJob({"session": "s"}, "/r", "c0", lease=4.0)
    assert AttemptJob.of(job.document()) == job
    long = JobResult(1, "ended", detail="x" * 10_000)
    assert len(JobResult.read(long.document()).detail) <= 2_000
    assert os.path.isabs(job.remote)


@pytest.mark.parametrize("keep", [False, True])
def test_a_run_that_is_cancelled_without_an_engine_leaves_nothing_on_the_remote(tmp_path, keep):
    """Its coordinator was killed, or had stopped; with `keep_refs` everything stays."""
    remote, coordinator = f"{tmp_path}/remote.git", Coordinator(str(tmp_path), "first")
    subprocess.run(["git", "init", "-q", "--bare", remote], check=True)
    coordinator.open(remote).close()
    coordinator.close()
    person = Program(str(tmp_path))
    person.place = f"{coordinator.root}/p"
    person.environ = {**coordinator.environ, "ULTRAWORK_HOME": coordinator.home.root}
    person.environ |= {"ULTRAWORK_CLUSTER_REMOTE": remote, "ULTRAWORK_CLUSTER_KEEP_REFS": str(keep).lower()}
    assert git(remote, "for-each-ref", "refs/ultrawork/s")
    assert "off: session s" in person.done("cancel").out
    assert bool(git(remote, "for-each-ref", "refs/ultrawork/s")) == keep


def test_clean_removes_what_a_run_left_on_its_own_remote_whatever_is_set_now(tmp_path):
    remote, other = f"{tmp_path}/remote.git", f"{tmp_path}/other.git"
    coordinator = Coordinator(str(tmp_path), "first")
    for place in (remote, other):
        subprocess.run(["git", "init", "-q", "--bare", place], check=True)
        coordinator.open(place).close()
    with coordinator.store.change("s") as change:
        session = sessions.get(change.database, "s")
        session.state.run["remotes"] = [remote]
        session.phase, session.ended_at = COMPLETE, change.now
        sessions.save(change, session, "session.ended", {})
    coordinator.close()
    person = Program(str(tmp_path))
    person.place = f"{coordinator.root}/p"
    person.environ = {**coordinator.environ, "ULTRAWORK_HOME": coordinator.home.root}
    person.environ["ULTRAWORK_CLUSTER_REMOTE"] = other
    assert git(remote, "for-each-ref", "refs/ultrawork/s")
    assert "removed" in person.done("clean", "--yes").out
    assert git(remote, "for-each-ref", "refs/ultrawork/s") == ""
    assert git(other, "for-each-ref", "refs/ultrawork/s")
