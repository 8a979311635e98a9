"""Running a program: its own result, bounded output, a deadline, and nothing left behind."""

import gc
import hashlib
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

import ultrawork
from ultrawork.core.errors import Trouble
from ultrawork.core.redact import RedactedStream
from ultrawork.system.process import run_program

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
SOURCE = os.path.dirname(os.path.dirname(ultrawork.__file__))
ON_LINUX = sys.platform == "linux"
linux = pytest.mark.skipif(not ON_LINUX, reason="finds processes by their environment in /proc")


@pytest.fixture
def sh(tmp_path):
    def start(script, **options):
        options.setdefault("deadline", 30)
        return run_program(["sh", "-c", script], cwd=str(tmp_path), env=ENV, **options)

    return start


def sleeping(word):
    """Processes whose command line begins with this."""
    listed = subprocess.run(["ps", "-axww", "-o", "args="], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if line.startswith(word)]


def gone(word, within=60.0, find=sleeping):
    end = time.monotonic() + within
    while find(word) and time.monotonic() < end:
        time.sleep(0.05)
    return not find(word)


def watchdogs(pid):
    return [line for line in sleeping("/bin/sh") if f"ultrawork-watchdog {pid}." in line]


def nap(tmp_path):
    """A program that sleeps long, under a name that only this test uses."""
    path = tmp_path / f"nap-{os.getpid()}-{time.monotonic_ns()}"
    path.symlink_to("/bin/sleep")
    return str(path)


def test_the_exit_status_is_that_of_the_program(sh):
    assert sh("exit 3").exit == 3


def test_a_program_that_a_signal_ended_has_no_exit_status_but_the_signal(sh):
    result = sh("kill -SEGV $$")
    assert (result.exit, result.signal) == (None, "SIGSEGV")


def test_both_kinds_of_output_come_in_the_order_they_were_written(sh):
    assert sh("echo one; echo two >&2; echo three").output == "one\ntwo\nthree\n"


def test_output_is_counted_and_hashed(sh):
    result = sh("printf 'one\\ntwo\\n'")
    assert result.output_bytes == 8
    assert result.sha256 == hashlib.sha256(b"one\ntwo\n").hexdigest()


def test_long_output_keeps_both_ends_and_says_how_much_is_missing(sh):
    result = sh("seq 1 100000", output_limit=2000)
    assert result.output.startswith("1\n2\n3\n")
    assert result.output.endswith("\n99999\n100000\n")
    assert len(result.output) < 2100
    shown = sum(len(part) for part in result.output.split("\n… ")[:1])
    marker = next(line for line in result.output.splitlines() if "omitted" in line)
    missing = int(marker.split()[1].replace(",", ""))
    tail = result.output.split("omitted …\n")[1]
    assert shown + missing + len(tail) == result.output_bytes


def test_output_within_the_limit_is_kept_whole(sh):
    result = sh("seq 1 400", output_limit=2000)
    assert result.output == "".join(f"{i}\n" for i in range(1, 401))


def test_bytes_that_are_no_text_do_not_stop_anything(sh):
    assert sh("printf 'a\\377b\\n'").output == "a�b\n"


def test_there_is_nothing_to_read(sh):
    assert sh("cat; echo ended").output == "ended\n"


def test_given_input_is_read(sh):
    assert sh("tr a-z A-Z", input=b"text" * 50_000).output_bytes == 200_000


def test_there_is_no_terminal(sh):
    assert sh("tty; (: </dev/tty) 2>/dev/null || echo none").output == "not a tty\nnone\n"


def test_the_program_leads_a_group_of_its_own(sh):
    group = sh("ps -o pgid= -p $$").output.strip()
    assert int(group) != os.getpgrp()


def test_the_environment_is_the_given_one_and_our_token(tmp_path):
    env = {**ENV, "odd.name": "x"}
    result = run_program(["env"], cwd=str(tmp_path), env=env, deadline=10)
    names = {line.split("=")[0] for line in result.output.splitlines()}
    assert names == {"PATH", "LC_ALL", "odd.name", "ULTRAWORK_RUN"}


def test_it_runs_in_the_given_folder(sh, tmp_path):
    assert os.path.samefile(sh("pwd").output.strip(), tmp_path)


def test_a_folder_that_is_not_there_is_our_trouble(tmp_path):
    with pytest.raises(Trouble, match="the folder"):
        run_program(["true"], cwd=str(tmp_path / "no"), env=ENV, deadline=1)


def test_a_program_that_is_not_there_ends_as_in_a_shell(tmp_path):
    result = run_program(["no-such-program"], cwd=str(tmp_path), env=ENV, deadline=1)
    assert (result.exit, result.output) == (127, "no-such-program: command not found\n")


def test_a_file_that_is_no_program_ends_as_in_a_shell(tmp_path):
    (tmp_path / "data").write_text("x")
    result = run_program(["./data"], cwd=str(tmp_path), env=ENV, deadline=1)
    assert (result.exit, result.output) == (126, "./data: Permission denied\n")


def test_a_program_is_found_on_the_given_path(tmp_path):
    (tmp_path / "tool").write_text("#!/bin/sh\necho here\n")
    (tmp_path / "tool").chmod(0o755)
    result = run_program(["tool"], cwd="/", env={"PATH": f"{tmp_path}:/bin"}, deadline=10)
    assert result.output == "here\n"


def test_a_hanging_program_is_ended_at_its_deadline(sh, tmp_path):
    word = nap(tmp_path)
    started = time.monotonic()
    result = sh(f"{word} 300", deadline=0.3)
    assert result.timed_out
    assert result.signal == "SIGTERM"
    assert time.monotonic() - started < 60
    assert not sleeping(word)


@pytest.mark.slow
def test_a_program_that_ignores_the_request_is_killed_two_seconds_later(sh, tmp_path):
    word = nap(tmp_path)
    result = sh(f"trap '' TERM; {word} 300; {word} 300", deadline=1.5)
    assert result.timed_out
    assert result.signal == "SIGKILL"
    assert result.seconds >= 3.5
    assert not sleeping(word)


def test_a_program_may_tidy_up_at_its_deadline(sh):
    result = sh("trap 'echo tidied; exit 9' TERM; while :; do sleep 0.05; done", deadline=1.5)
    assert (result.timed_out, result.exit) == (True, 9)
    assert result.output.endswith("tidied\n")


def test_a_run_in_time_is_not_timed_out(sh):
    assert not sh("sleep 0.1", deadline=20).timed_out


def test_the_caller_can_stop_a_run(sh, tmp_path):
    word = nap(tmp_path)
    asked = []
    result = sh(f"{word} 300", should_stop=lambda: asked.append(1) or len(asked) > 3)
    assert result.stopped
    assert not result.timed_out
    assert not sleeping(word)


def test_lines_are_handed_on_as_they_come(sh):
    seen = []
    sh("echo one; sleep 0.4; printf two", on_line=lambda line: seen.append((line, time.monotonic())))
    assert [line for line, _ in seen] == ["one", "two"]
    assert seen[1][1] - seen[0][1] > 0.2


def test_an_error_of_the_caller_ends_the_program_too(sh, tmp_path):
    word = nap(tmp_path)

    def refuse(line):
        raise ValueError(line)

    with pytest.raises(ValueError, match="started"):
        sh(f"echo started; {word} 300", on_line=refuse)
    assert gone(word, 1)


def test_children_left_in_the_group_are_ended(sh, tmp_path):
    word = nap(tmp_path)
    result = sh(f"{word} 300 & echo on")
    assert (result.exit, result.output, result.left > 0) == (0, "on\n", ON_LINUX)
    assert not sleeping(word)


@linux
def test_daemons_that_changed_their_session_are_ended(sh, tmp_path):
    word = nap(tmp_path)
    result = sh(f"(setsid {word} 300 >/dev/null 2>&1 &) & (setsid setsid {word} 301 &) ; sleep 0.1")
    assert result.exit == 0
    assert not sleeping(word)


@linux
def test_children_of_daemons_are_ended_though_they_cleared_their_environment(sh, tmp_path):
    word = nap(tmp_path)
    sh(f"setsid sh -c 'env -i setsid {word} 300; :' >/dev/null 2>&1 & sleep 0.2")
    assert not sleeping(word)


def test_a_daemon_that_keeps_the_output_open_does_not_delay_us(sh, tmp_path):
    word = nap(tmp_path)
    started = time.monotonic()
    result = sh(f"{word} 30 & echo ended")
    assert result.output == "ended\n"
    assert result.seconds < 1
    assert time.monotonic() - started < 2


@linux
def test_a_daemon_that_ignores_requests_is_killed(sh, tmp_path):
    word = nap(tmp_path)
    sh(f"setsid sh -c 'trap \"\" TERM; {word} 300; {word} 300' & sleep 0.2")
    assert not sleeping(word)


def test_processes_of_other_runs_are_left_alone(sh, tmp_path):
    word = nap(tmp_path)
    other = subprocess.Popen([word, "300"])
    try:
        sh("true")
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_the_log_holds_the_whole_output(sh, tmp_path):
    log = tmp_path / "log"
    result = sh("seq 1 20000", output_limit=100, log=str(log))
    assert log.read_text() == "".join(f"{i}\n" for i in range(1, 20001))
    assert hashlib.sha256(log.read_bytes()).hexdigest() == result.sha256
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_log_over_its_limit_keeps_both_ends_and_says_so(sh, tmp_path):
    log = tmp_path / "log"
    result = sh("seq 1 3000000", output_limit=2000, log=str(log), log_limit=300_000)
    text = log.read_text()
    assert text.startswith("1\n2\n")
    assert text.endswith("\n3000000\n")
    assert "bytes omitted …" in text
    assert len(text) < 2_000_000
    assert result.output_bytes > 20_000_000


def test_a_log_is_not_written_through_a_link(sh, tmp_path):
    target = tmp_path / "precious"
    target.write_text("precious")
    (tmp_path / "log").symlink_to(target)
    result = sh("echo text", log=str(tmp_path / "log"))
    assert target.read_text() == "precious"
    assert result.note.startswith("no log")
    assert result.output == "text\n"


def test_secrets_reach_neither_output_nor_log_nor_lines(sh, tmp_path):
    log, seen = tmp_path / "log", []
    result = sh(
        "echo correct-horse-1; printf 'correct-'; sleep 0.2; echo horse-1",
        log=str(log),
        clean=RedactedStream({"A_TOKEN": "correct-horse-1"}),
        on_line=seen.append,
    )
    assert result.output == "[redacted A_TOKEN]\n[redacted A_TOKEN]\n"
    assert log.read_text() == result.output
    assert seen == ["[redacted A_TOKEN]"] * 2
    assert result.sha256 == hashlib.sha256(log.read_bytes()).hexdigest()


@pytest.mark.parametrize("limit", [1000, 20_000, 500_000])
def test_secrets_beyond_the_end_of_the_log_are_hidden_as_well(sh, tmp_path, limit):
    log = tmp_path / "log"
    script = 'i=0; while [ $i -lt 20000 ]; do echo "$i correct-horse-1 x"; i=$((i+1)); done'
    result = sh(
        script, log=str(log), log_limit=limit, output_limit=4000, clean=RedactedStream({"A_TOKEN": "correct-horse-1"})
    )
    assert "19999 [redacted A_TOKEN] x" in result.output
    assert "horse" not in result.output
    assert "horse" not in log.read_text()


def test_a_full_disk_spoils_the_log_and_not_the_run(tmp_path):
    """The limit on a file's size stands for the disk: writing fails the same way."""
    script = (
        "import resource, sys; from ultrawork.system.process import run_program\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))\n"
        "r = run_program(['seq', '1', '20000'], cwd='/', env={'PATH': '/bin:/usr/bin'}, deadline=20, log=sys.argv[1])\n"
        "print(r.exit, r.note, r.output_bytes)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "log")],
        capture_output=True,
        text=True,
        check=True,
        env={**ENV, "PYTHONPATH": SOURCE},
    )
    assert ended.stdout == "0 the log is incomplete: File too large 108894\n"


ORPHANS = (
    "import sys; from ultrawork.system.process import run_program\n"
    "print('up', flush=True)\n"
    "run_program(['sh', '-c', sys.argv[1]], cwd='/', env={'PATH': '/bin:/usr/bin'}, deadline=300)\n"
)


@pytest.mark.parametrize(
    ("script", "naps"),
    [
        ("{nap} 300", 1),
        ("{nap} 300 & {nap} 301 & {nap} 302", 3),
        ("trap '' TERM; {nap} 300; {nap} 300", 1),
        ("env -i {nap} 300", 1),
        pytest.param("setsid {nap} 300 & (setsid {nap} 301 &); {nap} 302", 3, marks=linux),
    ],
)
@pytest.mark.parametrize("ending", [signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_nothing_stays_when_we_are_killed_in_the_middle(tmp_path, script, naps, ending):
    word = nap(tmp_path)
    runner = subprocess.Popen(
        [sys.executable, "-c", ORPHANS, script.format(nap=word)],
        stdout=subprocess.PIPE,
        env={**ENV, "PYTHONPATH": SOURCE},
    )
    with runner:
        assert runner.stdout is not None
        runner.stdout.readline()
        end = time.monotonic() + 60
        while len(sleeping(word)) < naps and time.monotonic() < end:
            time.sleep(0.02)
        assert len(sleeping(word)) == naps
        runner.send_signal(ending)
    assert gone(word)
    assert gone(runner.pid, find=watchdogs)


@linux
@pytest.mark.slow
def test_nothing_stays_at_whatever_moment_we_are_killed(tmp_path):
    word = nap(tmp_path)
    for step in range(40):
        runner = subprocess.Popen(
            [sys.executable, "-c", ORPHANS, f"setsid {word} 300 & {word} 301"],
            stdout=subprocess.PIPE,
            env={**ENV, "PYTHONPATH": SOURCE},
        )
        with runner:
            assert runner.stdout is not None
            runner.stdout.readline()
            time.sleep(step * 0.001)
            runner.kill()
    assert gone(word)


def test_an_interrupt_leaves_nothing(tmp_path):
    word = nap(tmp_path)
    runner = subprocess.Popen(
        [sys.executable, "-c", ORPHANS, f"{word} 300 & {word} 301"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**ENV, "PYTHONPATH": SOURCE},
    )
    with runner:
        while not sleeping(f"{word} 301"):
            time.sleep(0.02)
        time.sleep(0.1)
        runner.send_signal(signal.SIGINT)
    assert gone(word)


def test_no_watchdog_stays_after_a_run(sh):
    sh("true")
    assert watchdogs(os.getpid()) == []


def test_no_file_stays_open_after_a_run(sh, tmp_path):
    def list_open():
        """Without the listing's own, which is closed by now."""
        names = os.listdir("/proc/self/fd" if ON_LINUX else "/dev/fd")
        return {number for number in map(int, names) if _is_open(number)}

    gc.collect()  # what earlier tests left may go meanwhile; nothing may come
    before = list_open()
    sh("true", log=str(tmp_path / "log"), input=b"x")
    sh("sleep 9 &", deadline=5)
    run_program(["no-such-program"], cwd="/", env=ENV, deadline=1)
    assert list_open() - before == set()


def _is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


@pytest.mark.slow
def test_a_gigabyte_of_output_costs_little_memory_and_little_time(sh, tmp_path):
    log = tmp_path / "log"
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = sh(
        "yes 'tests/test_x.py::test_one PASSED' | head -c 1000000000",
        log=str(log),
        clean=RedactedStream({"A_TOKEN": "correct-horse"}),
        deadline=120,
    )
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert (result.exit, result.output_bytes) == (0, 1_000_000_000)
    assert grown < 60_000 * (1 if ON_LINUX else 1024)
    assert log.stat().st_size < 40_000_000
    assert result.seconds < 40


@pytest.mark.slow
def test_a_gigabyte_on_one_line_costs_little_as_well(sh):
    result = sh("head -c 1000000000 /dev/zero", clean=RedactedStream({}), deadline=120)
    assert (result.exit, result.output_bytes) == (0, 1_000_000_000)
    assert len(result.output) < 70_000
    assert result.seconds < 40
