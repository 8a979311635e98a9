"""The program as a whole: verbs, exit statuses, and what it says when something goes wrong."""

import fcntl
import os
import signal
import sqlite3
import subprocess
import termios
import time

import pytest

from support.floor import PLUGIN


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["sesion", "get"], 'no verb "sesion"; did you mean session?'),
        (["qqqq"], 'no verb "qqqq"; see ultrawork --help'),
        (["session", "gte"], 'ultrawork session has no command "gte"; did you mean get?'),
        (["task", "qqqq"], 'ultrawork task has no command "qqqq"; see ultrawork task --help'),
        (["session", "get", "--feild", "phase"], 'has no flag "--feild"; did you mean --field?'),
        (["version", "please"], 'unexpected argument "please"; see ultrawork version'),
    ],
)
def test_a_slip_of_the_finger_is_answered_with_what_was_meant(program, words, why):
    answer = program.call(*words)
    assert answer.status == 2
    assert why in answer.err
    assert answer.out == ""


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["version"], 0),
        (["--version"], 0),
        (["task", "list", "--bogus"], 2),
        (["session", "get", "--session", "nobody"], 4),
        (["session", "get", "--field", "nothing"], 4),
        (["task", "get", "--id", "nobody"], 4),
        (["session", "set", "--phase", "COMPLETE"], 5),
        (["task", "update", "--id", "1", "--status", "resolved"], 5),
        (["task", "claim", "--owner", "w", "--id", "2"], 5),
    ],
)
def test_the_exit_status_tells_the_kind_of_answer(program, words, status):
    program.done("session", "new", "--goal", "g")
    program.done("task", "create", "--id", "1", "--subject", "x")
    program.done("task", "create", "--id", "2", "--subject", "y", "--blocked-by", "1")
    assert program.call(*words).status == status
    answer = program.call(*words, "--json")
    assert answer.status == status
    assert answer.envelope["status"] == ("success" if status == 0 else "error")
    assert answer.err == ""


def test_a_home_that_cannot_be_written_is_trouble(program):
    with open(f"{program.root}/file", "w", encoding="utf-8") as file:
        file.write("in the way")
    answer = program.call("session", "list", env={"ULTRAWORK_HOME": f"{program.root}/file"})
    assert answer.status == 6
    assert "set ULTRAWORK_HOME" in answer.err


def test_in_a_clients_sandbox_the_ways_that_work_are_named(program):
    with open(f"{program.root}/file", "w", encoding="utf-8") as file:
        file.write("in the way")
    env = {"HOME": program.root, "ULTRAWORK_HOME": f"{program.root}/file", "CODEX_SESSION_ID": "s"}
    answer = program.call("session", "list", env=env)
    assert answer.status == 6
    assert answer.err == (
        "ultrawork: ~/file is read-only in this sandbox; ask the user for ulw verify or codex --add-dir\n"
    )


def test_a_state_folder_of_a_newer_program_is_left_alone(program):
    program.done("session", "new", "--goal", "g")
    database = sqlite3.connect(f"{program.home}/ultrawork.db")
    database.execute("PRAGMA user_version=999")
    database.close()
    answer = program.call("session", "set", "--iteration", "2")
    assert answer.status == 6
    assert "was written by a newer ultrawork (schema 999, this one knows" in answer.err


def test_a_defect_is_one_sentence_and_its_details_are_in_the_log(program):
    """The defect here is a row that the program could never have written."""
    program.done("session", "new", "--goal", "g", "--session", "s")
    with sqlite3.connect(f"{program.home}/ultrawork.db") as database:
        database.execute("UPDATE sessions SET options='{'")
    database.close()
    answer = program.call("session", "get")
    assert answer.status == 6
    assert answer.err.startswith("ultrawork: internal error (")
    assert answer.err.count("\n") == 1
    assert "Traceback" not in answer.err
    path = f"{program.home}/logs/cli.log"
    assert path in answer.err
    with open(path, encoding="utf-8") as file:
        assert "Traceback" in file.read()
    envelope = program.call("session", "get", "--json").envelope
    assert envelope["errors"][0]["code"] == "bug"


def test_a_defect_is_told_even_where_no_log_can_be_written(program):
    program.done("session", "new", "--goal", "g", "--session", "s")
    with sqlite3.connect(f"{program.home}/ultrawork.db") as database:
        database.execute("UPDATE sessions SET options='{'")
    database.close()
    with open(f"{program.home}/logs", "w", encoding="utf-8") as file:
        file.write("in the way")
    answer = program.call("session", "get")
    assert answer.status == 6
    assert "; see " not in answer.err


def test_a_folder_that_is_gone_is_a_sentence(program):
    gone = f"{program.root}/gone"
    os.makedirs(gone)
    script = f'cd "{gone}" && rmdir "{gone}" && exec "{PLUGIN}/bin/ultrawork" session get'
    program.remember_python()
    found = subprocess.run(["sh", "-c", script], env=program.environ, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "the current folder no longer exists" in found.stderr


def shell(program, line):
    program.remember_python()
    found = subprocess.run(
        ["sh", "-c", line.replace("ultrawork", f'"{PLUGIN}/bin/ultrawork"', 1)],
        env=program.environ,
        cwd=program.place,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return found.returncode, found.stdout, found.stderr


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("ultrawork version >&-", 0),
        ("ultrawork version --json >&-", 0),
        ("ultrawork nothing 2>&-", 2),
        ("ultrawork nothing --json >&- 2>&-", 2),
        ("ultrawork version 0<&- >&- 2>&-", 0),
        ("ultrawork version >/dev/full", 6),
        ("ultrawork version --json >/dev/full", 6),
        ("ultrawork nothing 2>/dev/full", 2),
    ],
)
def test_closed_and_full_streams_are_survived(program, line, status):
    code, _, err = shell(program, line)
    assert code == status
    assert "Traceback" not in err


@pytest.mark.parametrize(("words", "status"), [(["--help"], 0), (["nothing", "--json"], 2)])
def test_a_reader_who_has_left_is_no_error(program, words, status):
    program.remember_python()
    reader, writer = os.pipe()
    os.close(reader)
    found = subprocess.run(
        [f"{PLUGIN}/bin/ultrawork", *words],
        env=program.environ,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert found.returncode == status
    assert "Traceback" not in found.stderr
    assert "defect" not in found.stderr


def test_standard_input_that_is_closed_is_a_sentence(program):
    program.done("session", "new", "--goal", "g")
    code, _, err = shell(program, "ultrawork context add --id exp-1 - <&-")
    assert code == 2
    assert "standard input is closed" in err


def waits_for_more(process):
    """It has read what was there and sleeps: a signal a moment earlier may go unnoticed."""
    unread = fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        return not any(unread) and file.read().rpartition(")")[2].split()[0] == "S"


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks into /proc")
def test_an_interrupt_is_told_and_keeps_what_was_committed(program):
    """The program waits for its input when the signal comes."""
    program.done("session", "new", "--goal", "g")
    program.remember_python()
    with subprocess.Popen(
        [f"{PLUGIN}/bin/ultrawork", "context", "add", "--id", "exp-1", "-"],
        env=program.environ,
        cwd=program.place,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdin.write(b"x")
        process.stdin.flush()
        while not waits_for_more(process):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        said = process.stderr.read().decode()
    assert said == "ultrawork: interrupted; completed steps are kept\n"


def test_the_words_of_a_call_may_hold_bytes_of_no_encoding(program):
    program.done("session", "new", "--goal", "g")
    program.remember_python()
    words = [b"task", b"create", b"--id", b"1", b"--subject", b"\xff\xfe", b"--description", b"\xff"]
    found = subprocess.run(
        [f"{PLUGIN}/bin/ultrawork", *words], env=program.environ, cwd=program.place, capture_output=True, check=False
    )
    assert found.returncode == 0, found.stderr
    task = program.call("task", "get", "--id", "1", "--json").data
    assert (task["subject"], task["description"]) == ("??", "?")


def test_a_checkout_whose_name_is_no_text_is_served(program):
    place = os.fsencode(program.root) + b"/\xff\xfe"
    os.makedirs(place)
    program.remember_python()
    for words in (["session", "new", "--goal", "g"], ["session", "get", "--field", "phase"]):
        found = subprocess.run(
            [f"{PLUGIN}/bin/ultrawork", *words], env=program.environ, cwd=place, capture_output=True, check=False
        )
        assert found.returncode == 0, found.stderr
    assert found.stdout == b"PLANNING\n"
