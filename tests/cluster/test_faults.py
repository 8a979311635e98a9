"""What becomes of an attempt when its machine, its server or its remote fails."""

import os
import signal
import threading
import time
from types import SimpleNamespace

import pytest

from support.cluster import TemporalServer, WorkerProcess, git, list_keys
from support.executors import PATIENCE, alive, ignore, shell
from support.lying_machine import LyingMachine
from ultrawork.clients.headless.attempt import ENDED, LOST, RUNNING
from ultrawork.cluster.job import LOG_ACTIVITY, LOGS
from ultrawork.cluster.keys import JOBS_KEY_FILE, read_key
from ultrawork.cluster.live_log import read_live
from ultrawork.cluster.place import name_queue
from ultrawork.engine.agents.executor import HANDED_BACK

pytestmark = pytest.mark.slow
AT_WORK = "echo begun > begun; echo half > half.txt; sleep 300"


@pytest.fixture
def own(tmp_path, server, remote, site):
    """A machine for one test, reached by a label of its own."""
    label = f"only-{tmp_path.name}"
    machine = WorkerProcess(str(tmp_path / "machines"), "own", server, remote, drain="1s", labels=label, account="ours")
    site.use(machine, label)
    yield machine.start().wait_ready()
    machine.end()


def begin(site, executor, attempt, script=AT_WORK):
    executor.start(attempt, shell(script), ignore)
    site.wait(lambda: site.read("begun", attempt))


def test_a_machine_that_is_killed_loses_its_attempt_within_the_lease(site, own):
    executor, attempt, told = site.executor(), site.attempt(), threading.Event()
    executor.start(attempt, shell("echo $$ > begun; sleep 300"), told.set)
    site.wait(lambda: site.read("begun", attempt))
    own.end(signal.SIGKILL)
    assert told.wait(PATIENCE)
    report = executor.describe(attempt)
    assert (report.state, report.detail) == (LOST, "its machine stopped responding")
    site.wait(lambda: not alive(site.read("begun", attempt)))


def test_what_a_killed_machine_had_done_is_pushed_when_it_comes_back(site, own):
    executor, attempt, told = site.executor(), site.attempt(), threading.Event()
    executor.start(attempt, shell(AT_WORK), told.set)
    site.wait(lambda: site.read("begun", attempt))
    own.end(signal.SIGKILL)
    own.start().wait_ready()
    refs = git(site.remote, "for-each-ref", f"refs/ultrawork/{attempt.session}/attempts")
    assert refs.endswith(f"attempts/{attempt.subject}.1"), own.said
    assert git(site.remote, "show", f"{refs.split()[0]}:half.txt") == "half"


def test_a_machine_that_shuts_down_hands_its_attempt_back_with_its_work(site, own):
    executor, attempt = site.executor(), site.attempt()
    begin(site, executor, attempt)
    assert own.end(signal.SIGTERM) == 0
    assert site.ended(executor, attempt).why == HANDED_BACK
    assert site.read("half.txt") == "half\n"


def test_a_machine_that_shuts_down_lets_an_agent_end_in_time(site, own):
    executor, attempt = site.executor(), site.attempt()
    attempt.account = "ours"
    begin(site, executor, attempt, "echo begun > begun; sleep 0.5; exit 5")
    assert own.end(signal.SIGTERM) == 0
    report = site.ended(executor, attempt)
    assert (report.code, report.account) == (5, "ours")


def test_what_waits_for_an_account_that_nobody_has_is_given_back(site, own):
    """There is a machine with another one, which may take it when it is tried again."""
    executor, attempt, told = site.executor(), site.attempt(), threading.Event()
    attempt.account = "theirs"
    executor.start(attempt, shell("true"), told.set)
    assert told.wait(PATIENCE)
    report = executor.describe(attempt)
    assert (report.state, report.detail) == (
        LOST, "no machine with the account theirs is available"
    )  # fmt: skip


def lose(site, executor, own, script):
    """An attempt whose machine stands still until its lease is over; its agent does not."""
    attempt, told = site.attempt(), threading.Event()
    executor.start(attempt, shell(f"echo begun > begun; {script}"), told.set)
    site.wait(lambda: site.read("begun", attempt))
    os.kill(own.pid, signal.SIGSTOP)
    assert told.wait(PATIENCE)
    assert executor.describe(attempt).state == LOST
    return attempt


def test_a_late_result_of_an_older_epoch_meets_nobody(site, own):
    """It failed, and its machine goes on with it when the second has been given away: that one stands for itself."""
    executor, told = site.executor(), threading.Event()
    attempt = lose(site, executor, own, "echo old > result; exit 3")
    second = site.attempt(epoch=2)
    executor.start(second, shell("sleep 6; echo new > result"), told.set)
    threading.Event().wait(2.0)
    os.kill(own.pid, signal.SIGCONT)
    assert told.wait(PATIENCE)
    assert executor.describe(second).code == 0
    assert site.read("result", second) == "new\n"
    assert executor.describe(attempt).state == LOST


def restart(own):
    """The machine dies, and comes back with what it had."""
    own.end(signal.SIGKILL)
    own.start().wait_ready()
    assert "pushed the remaining work of" in own.said


def test_what_was_finished_on_a_machine_that_was_thought_lost_is_not_done_again(site, own):
    """It came back before the second attempt was given to anybody."""
    executor = site.executor()
    attempt = lose(site, executor, own, "echo old > result; echo said; exit 3")
    restart(own)
    second = site.attempt(epoch=2)
    report = site.run(executor, second, "echo new > result")
    assert (report.code, report.machine) == (3, "own")
    assert git(site.place, "status", "--porcelain").split()[1::2] == ["begun", "result"]
    with open(f"{site.place}/result", encoding="utf-8") as file:
        assert file.read() == "old\n"
    with open(f"{second.folder}/out.jsonl", encoding="utf-8") as file:
        assert file.read() == "said\n"
    assert executor.describe(attempt).state == LOST


def test_what_was_finished_ends_an_attempt_that_had_begun_anew(site, own):
    executor, told = site.executor(), threading.Event()
    lose(site, executor, own, "echo old > result")
    second = site.attempt(epoch=2)
    executor.start(second, shell("sleep 300; echo new > result"), told.set)
    restart(own)
    assert told.wait(PATIENCE)
    assert executor.describe(second).code == 0
    with open(f"{site.place}/result", encoding="utf-8") as file:
        assert file.read() == "old\n"


def test_finished_work_goes_on_top_of_what_was_merged_meanwhile(site, own):
    executor = site.executor()
    lose(site, executor, own, "echo old > result")
    restart(own)
    commit(site.place, "other", "theirs\n")
    assert site.run(executor, site.attempt(epoch=2), "exit 7").code == 0
    assert sorted(os.listdir(site.place)) == [".git", "begun", "other", "result"]


def test_finished_work_on_files_that_others_changed_is_done_again(site, own):
    executor = site.executor()
    lose(site, executor, own, "echo old > result")
    restart(own)
    commit(site.place, "result", "theirs\n")
    assert site.run(executor, site.attempt(epoch=2), "echo new > result; exit 7").code == 7


def test_what_was_not_finished_is_done_again(site, own):
    """Its machine came back and ended it."""
    executor = site.executor()
    lose(site, executor, own, "echo half > result; sleep 300")
    restart(own)
    assert site.run(executor, site.attempt(epoch=2), "exit 7").code == 7


def commit(place, name, text):
    with open(f"{place}/{name}", "w", encoding="utf-8") as file:
        file.write(text)
    git(place, "add", name)
    git(place, "commit", "-q", "-m", "merged")


def test_an_attempt_outlives_a_restart_of_the_server(site, own, server):
    executor, attempt = site.executor(), site.attempt()
    begin(site, executor, attempt, "echo begun > begun; sleep 3; exit 6")
    server.kill()
    server.start()
    assert site.ended(executor, attempt).code == 6


def test_a_remote_that_is_gone_for_a_while_is_waited_for(site, own):
    executor, attempt = site.executor(), site.attempt()
    begin(site, executor, attempt, "echo begun > begun; sleep 0.5; echo done > result")
    os.rename(site.remote, f"{site.remote}.away")
    try:
        site.wait(lambda: executor.describe(attempt).output_bytes == 0)
        threading.Event().wait(3.0)
        assert executor.describe(attempt).state == RUNNING
    finally:
        os.rename(f"{site.remote}.away", site.remote)
    assert site.ended(executor, attempt).state == ENDED
    assert site.read("result") == "done\n"


def test_a_result_that_temporal_has_forgotten_is_found_by_its_ref(site, own, tmp_path):
    """As if its worker had pushed and died before it could say so, or the server had been emptied."""
    attempt, told = site.attempt(), threading.Event()
    assert site.run(site.executor(), attempt, "echo done > result; exit 4").code == 4
    for name in ("result.json", "out.jsonl"):
        os.remove(f"{attempt.folder}/{name}")
    other = TemporalServer(str(tmp_path)).start()
    site.move(other)
    try:
        executor = site.executor()
        assert executor.attach(attempt, told.set)
        assert told.wait(PATIENCE)
        assert executor.describe(attempt).code == 4
        assert os.path.isfile(f"{attempt.folder}/out.jsonl")
    finally:
        site.close()
        other.kill()


MISSING = "0123456789" * 4
COUNT = 3.0  # seconds between two looks at who is there


@pytest.mark.parametrize(
    ("lie", "word"),
    [
        ({"beat": {"machine": "liar", "age": "x"}}, "invalid heartbeat: age of"),
        ({"beat": ["liar"]}, "heartbeat: it is not signed"),
        ({"result": ["done"]}, "result: it is not signed"),
        ({"beat": {"machine": "liar"}, "key": None}, "heartbeat: it is not signed"),
        ({"result": {"code": 0, "why": "ended"}, "key": None}, "result: it is not signed"),
        ({"result": {"code": 0, "why": "ended", "output": MISSING}}, "it has no refs/ultrawork/"),
        ({"beat": {"machine": "liar", "age": 10**400}}, "invalid heartbeat: age of"),
        ({"error": "\x1b[2J\nplain"}, "plain"),
    ],
)
def test_a_machine_that_lies_costs_its_attempt_seconds_and_nobody_else_anything(server, site, worker, lie, word):
    label = f"liar-{site.attempt().session}"
    site.use(worker, label)
    executor, attempt, told = site.executor(), site.attempt(), threading.Event()
    with LyingMachine(server, label, **{"key": read_key(list_keys(), JOBS_KEY_FILE), **lie}):
        executor.start(attempt, shell("true"), told.set)
        assert told.wait(20)
        report = executor.describe(attempt)
    assert report.state == LOST
    assert word in report.detail
    assert report.detail.isprintable()


@pytest.mark.parametrize(("key", "word"), [(True, "looking around"), (False, "the log: it is not signed")])
def test_a_log_is_shown_only_as_its_machine_signed_it(server, site, key, word):
    """Anyone who reaches Temporal may answer for a machine."""
    row = SimpleNamespace(subject="t1", epoch=1, backend="script", machine="box")
    place = {"temporal": server.address, "remote": site.remote, "namespace": "default", "label": "", "lease": 4.0}
    settings = {f"cluster.{name}": value for name, value in place.items()}
    said = {"of": "s/t1/1", "text": '{"type": "text", "text": "looking around"}\n'}
    told = read_key(list_keys(), JOBS_KEY_FILE).seal(said) if key else said
    queue = name_queue(LOGS, host="box")
    with LyingMachine(server, "", result=told, queue=queue, activity=LOG_ACTIVITY):
        lines = read_live(row, "s", settings, list_keys())
    assert word in "\n".join(lines)


@pytest.mark.parametrize("name", ["x|²|||", f"x|{'9' * 400}|||"])
def test_a_machine_that_calls_itself_anything_keeps_no_other_from_being_heard(server, site, worker, name):
    """Agents that are not heard from for long are ended as hung."""
    label = f"liar-{site.attempt().session}"
    site.use(worker, label)
    executor, attempt = site.executor(), site.attempt()
    key = read_key(list_keys(), JOBS_KEY_FILE)
    with LyingMachine(server, label, beat={"machine": "liar", "quiet": 0.0}, name=name, key=key):
        executor.start(attempt, shell("true"), ignore)
        site.wait(lambda: executor.describe(attempt).machine)
        time.sleep(2 * COUNT)
        assert executor.describe(attempt).quiet_seconds < COUNT
        executor.cancel(attempt)


def test_a_worker_waits_for_a_remote_that_is_gone_when_it_fetches(site, own):
    """Its base was pushed, and then nobody reaches the remote for a while; no try is lost."""
    executor, first = site.executor(), site.attempt()
    assert site.run(executor, first, "true").code == 0
    git(site.place, "commit", "-q", "--allow-empty", "-m", "next")
    base = git(site.place, "rev-parse", "HEAD")
    git(site.place, "push", "-q", site.remote, f"{base}:refs/ultrawork/{first.session}/bases/{base}")
    executor._transfer._sent.add(base)  # as if it had been sent before the remote went away
    os.rename(site.remote, f"{site.remote}.gone")
    attempt, told = site.attempt("t2"), threading.Event()
    try:
        executor.start(attempt, shell("echo said"), told.set)
        assert not told.wait(6), executor.describe(attempt)
        assert executor.describe(attempt).machine == "own", "its machine has it, and waits"
    finally:
        os.rename(f"{site.remote}.gone", site.remote)
    assert site.ended(executor, attempt).code == 0


def test_a_base_that_was_deleted_on_the_remote_is_sent_again(site, own):
    executor, first = site.executor(), site.attempt()
    executor._transfer._sent.add(executor._transfer.find_base(site.place))
    told = threading.Event()
    executor.start(first, shell("true"), told.set)
    assert told.wait(20)
    assert "it has no refs/ultrawork/" in executor.describe(first).detail
    assert site.run(executor, site.attempt(epoch=2), "true").code == 0
