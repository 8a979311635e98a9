"""What a person says to a run while it checks, merges and verifies; and what a pipe that closes does to it."""

import fcntl
import glob
import os
import pty
import shutil
import signal
import subprocess
import termios
import time

import pytest

from support.floor import PLUGIN
from support.headless import FIX, GOAL, PATIENCE, SHOW, Headless, read_until, task, worker
from support.terminal import Terminal
from ultrawork.core import errors
from ultrawork.core.session.session import COMPLETE, Session
from ultrawork.store import ending, sessions
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytestmark = pytest.mark.slow
PROMPT = 2.0
HELD = "import os, time\nwhile os.path.exists({!r}):\n    time.sleep(0.05)\n"


class Watched(Headless):
    """Whatever it starts is over, and closed, when a test has ended."""

    def __init__(self, root):
        super().__init__(root)
        self.started = []

    def start(self, *words, **how):
        self.started.append(super().start(*words, **how))
        return self.started[-1]

    def close(self):
        for one in self.started:
            one.kill()
            one.wait()
            one.stdout.close()
            one.stderr.close()


@pytest.fixture
def project(tmp_path):
    made = Watched(str(tmp_path))
    yield made
    made.close()


def until(holds, patience=PATIENCE):
    end = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def hold_gates(project):
    """The gate says that it runs, and lasts while a file is there."""
    hold = f"{project.root}/hold"
    script = HELD.format(hold)
    project.write("held.py", f"open({project.root + '/runs'!r}, 'a').write('x')\n{script}")
    project.write("Makefile", "test:\n\t@python3 held.py\n\t@python3 -m unittest -q\n")
    project.git("add", "-A")
    project.git("commit", "-qm", "A gate that can be held")
    return hold


def runs(project):
    try:
        return os.path.getsize(f"{project.root}/runs")
    except FileNotFoundError:
        return 0


def start(project, *words, **how):
    return project.start("run", "--auto", "--backend", "script", *words, GOAL, **how)


def twice(engine, number):
    engine.send_signal(number)
    time.sleep(0.5)  # two at once are one
    engine.send_signal(number)


def switch_off(project):
    """As a hook does: it writes that the session is over, and asks no engine for anything."""
    store = Store(Home(project.home), actor="hook", clock=time.time)
    ended = ending.release(store, project.session, how="ulw off")
    store.database.close()
    return ended


def touch(path):
    with open(path, "w", encoding="utf-8"):
        pass


def test_verify_of_a_red_tree_is_red_though_nobody_reads_it(project):
    project.write("calc.py", "def add(a, b):\n    return None\n")
    engine = project.start("verify", "--base", "HEAD")
    engine.stdout.close()
    assert (engine.wait(PATIENCE), engine.stderr.read()) == (1, b"")


def test_a_run_takes_away_what_is_over_before_it_begins(project):
    long_ago = time.time() - 40 * 86_400
    store = Store(Home(project.home), actor="person", clock=lambda: long_ago)
    old = Session(id="old", goal="g", working_dir="/p", started_at=long_ago)
    old.phase, old.ended_at = COMPLETE, long_ago
    with store.change("old") as change:
        sessions.create(change, old)
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    read_until(start(project), b"session")
    assert "old" not in [one.id for one in sessions.list_all(store.database)]
    store.database.close()


def test_a_run_whose_display_has_gone_goes_on_to_its_verdict(project):
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    engine = start(project)
    read_until(engine, b"session")
    engine.stdout.close()
    assert engine.wait(PATIENCE) == 0
    assert "a + b" in project.read("calc.py")


@pytest.mark.parametrize(
    ("say", "status"),
    [
        (lambda _, engine: twice(engine, signal.SIGINT), 130),
        (lambda _, engine: twice(engine, signal.SIGTERM), 130),
        (lambda project, _: project.run("cancel"), 3),
        (lambda project, _: switch_off(project), 3),
    ],
    ids=["Ctrl-C twice", "TERM twice", "cancel", "off"],
)
def test_a_verification_that_lasts_is_ended_by_a_word(project, say, status):
    hold = hold_gates(project)
    project.cast([task("fix", criteria=["true => exit 0"])], worker("fix", FIX, SHOW))
    engine = start(project)
    read_until(engine, b"merged")
    touch(hold)
    before = runs(project)
    until(lambda: runs(project) > before)
    began = time.monotonic()
    say(project, engine)
    engine.wait(20)
    assert engine.returncode == status
    assert time.monotonic() - began < 12


def test_words_that_do_not_end_a_verification_are_heard_in_it_and_begin_nothing_new(project):
    """Pause, its end, finish and one Ctrl-C; what is merged cannot be skipped any more."""
    hold = hold_gates(project)
    project.cast([task("fix", criteria=["true => exit 0"])], worker("fix", FIX, SHOW))
    engine = start(project)
    read_until(engine, b"merged")
    touch(hold)
    before = runs(project)
    until(lambda: runs(project) > before)
    for word in ("pause", "resume", "finish"):
        assert project.run("session", "ask", word).status == 0
        began = time.monotonic()
        read_until(engine, f"heard: {word}".encode())
        assert time.monotonic() - began < PROMPT
    refused = project.run("session", "ask", "cancel", "--id", "fix")
    assert (refused.status, "task fix is already resolved" in refused.err) == (5, True)
    began = time.monotonic()
    engine.send_signal(signal.SIGINT)
    read_until(engine, b"waiting for running agents")
    assert time.monotonic() - began < PROMPT
    os.unlink(hold)
    assert engine.wait(PATIENCE) == 130
    assert "a - b" in project.read("calc.py")
    assert project.run("resume", patience=PATIENCE).status == 0
    assert "a + b" in project.read("calc.py")


SLOW_GIT = """#!/bin/sh
case "$*" in *"{words}"*)
  echo begun >> {root}/slow
  while [ -e {root}/hold ]; do sleep 0.05; done
  if [ -e {root}/broken ]; then exit 1; fi
esac
exec {git} "$@"
"""


class SlowGit:
    """A run whose git takes its time over one thing: bringing results (`--ff-only`), or merging one."""

    def __init__(self, project, words, *after):
        self.project, self.root = project, project.root
        os.mkdir(f"{self.root}/bin")
        with open(f"{self.root}/bin/git", "w", encoding="utf-8") as file:
            file.write(SLOW_GIT.format(words=words, root=self.root, git=shutil.which("git")))
        os.chmod(f"{self.root}/bin/git", 0o755)
        project.environ["PATH"] = f"{self.root}/bin:{project.environ['PATH']}"
        touch(f"{self.root}/hold")
        plan = [task("fix", criteria=["true => exit 0"]), *after]
        project.cast(plan, worker("fix", FIX, SHOW), worker("*", SHOW))
        self.engine = start(project, start_new_session=True)
        until(lambda: os.path.exists(f"{self.root}/slow"))

    def go_on(self):
        os.unlink(f"{self.root}/hold")


@pytest.fixture
def delivering(project):
    return SlowGit(project, "--ff-only")


@pytest.fixture
def merging(project):
    """`more` comes after what is being merged, and must not begin."""
    return SlowGit(project, "merge --squash", task("more", "fix", criteria=["true => exit 0"]))


def hear(engine, words):
    began = time.monotonic()
    read_until(engine, words)
    assert time.monotonic() - began < PROMPT


def is_merged(project, subject):
    return f"/{subject}\n" in project.git("log", "--format=%B", f"ultrawork/{project.session}") + "\n"


def test_words_that_let_a_merge_end_are_heard_in_it_and_begin_nothing_new(merging):
    project, engine = merging.project, merging.engine
    for word in ("pause", "resume", "finish"):
        assert project.run("session", "ask", word).status == 0
        hear(engine, f"heard: {word}".encode())
    os.killpg(engine.pid, signal.SIGINT)  # as from a terminal: it is not for the git that merges
    hear(engine, b"waiting for running agents")
    merging.go_on()
    assert engine.wait(PATIENCE) == 130
    with open(f"{merging.root}/slow", encoding="utf-8") as file:
        assert file.read() == "begun\n", "the merge that was under way is the one that ended"
    assert (is_merged(project, "fix"), is_merged(project, "more")) == (True, False)
    assert b"more: worker" not in engine.stdout.read()


@pytest.mark.parametrize(
    ("words", "heard", "status"),
    [
        (["cancel"], b"heard: cancel", 3),
        ([], b"heard: cancel", 3),
        (["session", "ask", "cancel", "--id", "fix"], b"heard: cancel fix", 1),
    ],
    ids=["cancel", "off", "skip"],
)
def test_a_result_that_is_not_wanted_any_more_while_it_is_merged_is_not_taken_in(merging, words, heard, status):
    project, engine = merging.project, merging.engine
    assert project.run(*words).status == 0 if words else switch_off(project)
    hear(engine, heard)
    merging.go_on()
    out = engine.communicate(timeout=PATIENCE)[0].decode()
    assert engine.returncode == status, out
    assert "its work: git show " in out
    assert not is_merged(project, "fix")


def test_ctrl_c_twice_leaves_a_merge_at_once_and_resume_merges_it_once(merging):
    project, engine = merging.project, merging.engine
    began = time.monotonic()
    twice(engine, signal.SIGINT)
    assert engine.wait(PATIENCE) == 130
    assert time.monotonic() - began < 2 * PROMPT
    assert not is_merged(project, "fix")
    merging.go_on()
    assert project.run("resume", patience=PATIENCE).status == 0
    assert project.git("log", "--format=%B").count("/fix\n") == 1


def test_a_word_while_results_are_brought_is_answered_and_stops_nothing_half_way(delivering):
    """What would change the run is refused by name; Ctrl-C is heard, as often as it comes."""
    project, engine = delivering.project, delivering.engine
    for words in (["pause"], ["finish"], ["stop"], ["cancel"], ["cancel", "--id", "fix"]):
        began = time.monotonic()
        answer = project.run("session", "ask", *words)
        assert answer.status == 5
        assert f"has ended (COMPLETE), so {words[0]} has no effect" in answer.err
        assert time.monotonic() - began < 2 * PROMPT
    assert "is already off" in project.run("cancel").out
    assert switch_off(project).phase == COMPLETE, "what has its verdict keeps it"
    for number in (signal.SIGINT, signal.SIGINT, signal.SIGTERM):
        began = time.monotonic()
        engine.send_signal(number)
        read_until(engine, b"merging the results into your branch")
        assert time.monotonic() - began < PROMPT
    assert "a - b" in project.read("calc.py")
    delivering.go_on()
    assert engine.wait(PATIENCE) == 0
    assert "a + b" in project.read("calc.py")


def test_results_that_a_killed_engine_did_not_bring_are_brought_by_resume(delivering):
    project = delivering.project
    touch(f"{delivering.root}/broken")
    delivering.engine.kill()
    delivering.engine.wait()
    delivering.go_on()
    assert "a - b" in project.read("calc.py")
    os.unlink(f"{delivering.root}/broken")
    answer = project.run("resume", patience=PATIENCE)
    assert (answer.status, "main has all results" in answer.out) == (0, True)
    assert "a + b" in project.read("calc.py")
    assert "run" in project.run("resume").err


def test_a_task_that_is_skipped_while_it_is_checked_is_not_taken_in(project):
    hold = hold_gates(project)
    touch(hold)
    project.cast([task("fix"), task("more", criteria=["true => exit 0"])], worker("*", FIX, SHOW))
    engine = start(project, "--max-workers", "1")
    until(lambda: runs(project) > 0)
    subject = next(one["subject"] for one in project.run("logs", "--json").data["attempts"][::-1])
    program = f"{PLUGIN}/bin/ultrawork"
    words = ["task", "update", "--id", subject, "--status", "skipped", "--reason", "not wanted"]
    with Terminal([program, *words], env=project.environ, cwd=project.place) as person:
        person.wait_end(timeout=PATIENCE)
    os.unlink(hold)
    out = engine.communicate(timeout=PATIENCE)[0].decode()
    assert f"{subject}: another process marked it as skipped before its result was merged" in out
    merged = project.git("log", "--format=%B", "--all")
    assert f"/{subject}\n" not in merged


def test_a_cancel_while_a_result_is_checked_says_where_the_work_lies(project):
    touch(hold_gates(project))
    project.cast([task("fix")], worker("fix", FIX, SHOW))
    engine = start(project)
    until(lambda: runs(project) > 0)
    assert project.run("cancel").status == 0
    out = engine.communicate(timeout=30)[0].decode()
    kept = out.split("its work: git show ")[1].split()[0]
    assert project.git("show", f"{kept}:calc.py") == FIX["text"].strip()


def test_cancel_while_a_provider_is_waited_for_ends_the_run(project):
    project.cast([task("fix")], worker("fix", {"limit": 300}, attempt=1), worker("fix", FIX))
    engine = start(project)
    read_until(engine, b"continuing in")
    assert project.run("cancel").status == 0
    began = time.monotonic()
    out, _ = engine.communicate(timeout=PATIENCE)
    assert time.monotonic() - began < 20
    assert (engine.returncode, b"fix: merged" in out) == (3, False)


def test_ctrl_c_leaves_the_git_in_flight_alone_and_nothing_is_blocked(project):
    """The whole foreground group gets a Ctrl-C, as from a terminal."""
    project.cast([task("fix", criteria=["true => exit 0"])], worker("fix", FIX, SHOW))
    engine = start(project, start_new_session=True)
    read_until(engine, b"worker started")
    os.killpg(engine.pid, signal.SIGINT)
    out, _ = engine.communicate(timeout=PATIENCE)
    assert engine.returncode in (0, 130), out
    if engine.returncode == 130:
        resumed = project.run("resume", patience=PATIENCE)
        assert resumed.status == 0, resumed
    assert subprocess.run(["git", "fsck"], cwd=project.place, check=False).returncode == 0


def test_ctrl_c_while_worktrees_are_set_up_names_no_agent_that_does_not_start(project, tmp_path):
    """Of several that are set up one after the other, by a git that takes long."""
    slow = tmp_path / "slow"
    slow.mkdir()
    (slow / "git").write_text(
        '#!/bin/sh\ncase "$*" in *"worktree add"*|*read-tree*|*checkout-index*)'
        f" touch {tmp_path}/setting-up; sleep 2;; esac\n"
        f'exec {shutil.which("git")} "$@"\n'
    )
    (slow / "git").chmod(0o755)
    project.environ["PATH"] = f"{slow}:{project.environ['PATH']}"
    plan = [task(name, criteria=["true => exit 0"]) for name in "abc"]
    project.cast(plan, worker("*", {"run": ["touch", str(tmp_path / "began")]}, FIX))
    engine = start(project, restore_signals=True)
    read_until(engine, b"workers start")
    (tmp_path / "setting-up").unlink(missing_ok=True)
    until((tmp_path / "setting-up").exists)
    engine.send_signal(signal.SIGINT)
    out = engine.communicate(timeout=PATIENCE)[0]
    assert engine.returncode == 130, out
    assert b"worker started" not in out, out
    assert not (tmp_path / "began").exists()


def test_five_workers_together_keep_within_the_budget(project):
    """But for the last message of one, which costs a quarter of a dollar here."""
    steps = [step for _ in range(14) for step in ({"spend": 100, "usd": 0.25}, {"sleep": 0.1})]
    names = [f"t{number}" for number in range(5)]
    plan = [task(name, criteria=["true => exit 0"]) for name in names]
    project.cast(plan, worker("*", *steps, FIX))
    answer = project.go("--budget-usd", "4")
    spent = sum(one["cost_usd"] or 0 for one in project.run("logs", "--json").data["attempts"])
    assert 3.0 < spent <= 4 + 0.25, answer
    assert answer.status == 3
    assert "raise --budget-usd" in answer.out


def test_a_terminal_that_is_closed_is_one_ctrl_c_and_status_says_that_no_engine_is_left(project):
    plan = [task("a", criteria=["test -f a => exit 0"]), task("b", "a", criteria=["test -f b => exit 0"])]
    steps = [[{"write": name, "text": "x\n"}, {"sleep": 1.5}] for name in "ab"]
    project.cast(plan, worker("a", *steps[0]), worker("b", *steps[1]))
    project.remember_python()
    ours, theirs = pty.openpty()
    engine = subprocess.Popen(
        [f"{PLUGIN}/bin/ultrawork", "run", "--auto", "--backend", "script", GOAL],
        env=project.environ, cwd=project.place, stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 (no thread is at work here)
    )  # fmt: skip
    os.close(theirs)
    try:
        folder = f"{project.home}/sessions"
        until(lambda: glob.glob(f"{folder}/*/attempts/a.1/out.jsonl"))
    finally:
        os.close(ours)
    assert engine.wait(PATIENCE) == errors.EXIT_INTERRUPTED
    told = project.run("status").out
    assert "1 of 2 resolved" in told
    assert "Continue: ultrawork resume. End it: ultrawork cancel" in told
    assert project.run("resume", patience=PATIENCE).status == 0


def test_ctrl_c_ends_a_git_hook_that_hangs_at_delivery_and_leaves_the_results(tmp_path):
    project = Headless(str(tmp_path))
    hook, witness = f"{project.place}/.git/hooks/pre-commit", f"{project.root}/witness"
    with open(hook, "w", encoding="utf-8") as file:
        file.write(f"#!/bin/sh\ntouch {witness}\nsleep 200\n")
    os.chmod(hook, 0o755)
    project.cast([task("sum")], worker("sum", FIX, SHOW))
    engine = project.start("run", "--auto", "--backend", "script", GOAL)
    end = time.monotonic() + 100
    while not os.path.exists(witness):
        assert time.monotonic() < end
        time.sleep(0.1)
    engine.send_signal(signal.SIGINT)
    out, _ = engine.communicate(timeout=60)
    assert b"the pre-commit hook refused: it was interrupted" in out, out.decode()
    assert project.git("log", "--format=%s", "main") == "A sum"
