import os
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from ultrawork.codeintel.repl import PythonSession, PythonSessions
from ultrawork.core.errors import Conflict, Trouble

linux = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks into /proc")


@pytest.fixture
def python(tmp_path):
    made = []

    def make(**options):
        made.append(PythonSession(str(tmp_path), str(tmp_path), **options))
        return made[-1]

    yield make
    for each in made:
        each.reset()


def run(interpreter, code, seconds=30.0, **options):
    return interpreter.execute(textwrap.dedent(code).strip(), seconds=seconds, **options)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pid, seconds=60.0):
    end = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.01)
    return not alive(pid)


def waits_until_busy(interpreter):
    end = time.monotonic() + 60
    while not interpreter.busy and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.3)


def test_state_is_kept_from_call_to_call(python):
    session = python()
    run(session, "x = 20\ndef double(n): return 2 * n")
    assert run(session, "double(x) + 2").value == "42"


def test_the_last_expression_is_shown_and_the_rest_is_run(python):
    outcome = run(python(), "print('first')\n1 + 1\n'end'")
    assert (outcome.out, outcome.value) == ("first\n", "'end'")


def test_an_exception_shows_the_codes_own_lines_and_keeps_the_state(python):
    session = python()
    outcome = run(session, "x = 1\ndef f():\n    return 1 / 0\nf()")
    assert "return 1 / 0" in outcome.error
    assert outcome.error.rstrip().endswith("ZeroDivisionError: division by zero")
    assert "repl_child" not in outcome.error
    assert run(session, "x").value == "1"


def test_a_syntax_error_is_an_answer(python):
    assert "SyntaxError" in run(python(), "def (").error


def test_leaving_is_reported_and_does_not_end_the_session(python):
    session = python()
    assert run(session, "x = 5\nimport sys; sys.exit(3)").error == "SystemExit: 3"
    assert run(session, "x").value == "5"


def test_what_child_processes_print_is_seen(python):
    assert run(python(), "import os; _ = os.system('echo from a shell')").out == "from a shell\n"


def test_printing_protocol_lines_does_not_confuse_the_protocol(python):
    session = python()
    code = """
        import os
        print('{"id": 1, "value": "forged"}')
        os.write(1, b'{"id": 1, "value": "forged"}\\n')
        7
    """
    assert run(session, code).value == "7"


def test_a_deadline_interrupts_and_keeps_the_state(python):
    session = python()
    run(session, "x = 1")
    outcome = run(session, "while True: pass", seconds=0.5)
    assert outcome.timed_out
    assert outcome.interrupted
    assert not outcome.lost
    assert run(session, "x").value == "1"


def test_an_interrupt_from_another_thread_keeps_the_state(python):
    session = python()
    run(session, "x = 1")
    outcomes = []
    worker = threading.Thread(target=lambda: outcomes.append(run(session, "import time; time.sleep(60)")))
    worker.start()
    waits_until_busy(session)
    assert session.interrupt() == "interrupted; the state is kept"
    worker.join(60)
    assert outcomes[0].interrupted
    assert run(session, "x").value == "1"


def test_an_interrupt_while_nothing_runs_does_no_harm(python):
    session = python()
    run(session, "x = 1")
    assert session.interrupt() == "nothing is running"
    assert run(session, "x").value == "1"


@pytest.mark.slow
def test_code_that_ignores_interrupts_is_ended_and_said_so(python):
    session = python()
    code = """
        x = 1
        import signal, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(60)
    """
    outcome = run(session, code, seconds=0.3)
    assert outcome.lost
    assert "ignored an interrupt" in outcome.error
    assert "NameError" in run(session, "x").error


def test_an_interpreter_that_dies_is_said_and_replaced(python):
    session = python()
    outcome = run(session, "x = 1\nimport os; os._exit(9)")
    assert outcome.error == "the interpreter exited with exit 9; the state is lost"
    assert run(session, "1 + 1").value == "2"


def test_too_much_memory_is_an_error_of_the_code(python):
    session = python(memory=300)
    outcome = run(session, "x = 1\nbig = bytearray(10**9)")
    assert "MemoryError" in outcome.error
    assert run(session, "x").value == "1"


FORKS = """
    import os, time
    def hold():
        held = bytearray(os.urandom(1)) * 100_000_000
        time.sleep(60)
    children = [os.fork() or hold() for _ in range(4)]
    [os.WTERMSIG(os.waitpid(child, 0)[1]) for child in children]
"""


@pytest.mark.slow
@linux
def test_what_the_code_starts_counts_together_with_it(python):
    """Each for itself is within the limit; all of them are not."""
    session = python(memory=300)
    run(session, "x = 1")
    outcome = run(session, FORKS)
    assert (outcome.value, outcome.crowded) == ("[9, 9, 9, 9]", True)
    kept = run(session, "x")
    assert (kept.value, kept.crowded) == ("1", False)


@linux
def test_what_forks_share_counts_once(python):
    session = python(memory=300)
    code = """
        import os, time
        big = bytearray(os.urandom(1)) * 100_000_000
        children = [os.fork() or (time.sleep(1.5), os._exit(0)) for _ in range(4)]
        [os.waitpid(child, 0)[1] for child in children]
    """
    outcome = run(session, code)
    assert (outcome.value, outcome.crowded) == ("[0, 0, 0, 0]", False)


@pytest.mark.slow
def test_endless_output_is_cut_and_does_not_grow_us(python):
    outcome = run(python(), "for i in range(10**5): print('line', i)")
    assert len(outcome.out) < 70_000
    assert outcome.out.startswith("line 0\n")
    assert "bytes omitted" in outcome.out
    assert outcome.out.endswith("line 99999\n")


def test_output_without_end_is_interrupted_at_the_deadline(python):
    session = python()
    outcome = run(session, "x = 2\nwhile True: print('y' * 1000)", seconds=0.5)
    assert outcome.interrupted
    assert run(session, "x").value == "2"


@pytest.mark.slow
def test_a_reset_forgets_everything_even_while_code_runs(python):
    session = python()
    run(session, "x = 1")
    outcomes = []
    worker = threading.Thread(target=lambda: outcomes.append(run(session, "while True: pass")))
    worker.start()
    waits_until_busy(session)
    session.reset()
    worker.join(60)
    assert outcomes[0].lost
    assert "NameError" in run(session, "x").error


def test_the_state_lists_variables_with_their_kinds(python):
    session = python()
    run(session, "x = 1\nnames = ['a', 'b']\nimport os")
    state = session.state()
    assert state["variables"]["x"] == "int = 1"
    assert state["variables"]["names"] == "list (2)"
    assert state["memory"] > 0
    assert state["interpreter"] == session.python


def test_the_state_of_a_busy_session_is_told_at_once(python):
    session = python()
    worker = threading.Thread(target=lambda: run(session, "import time; time.sleep(60)", label="a nap"))
    worker.start()
    waits_until_busy(session)
    assert session.state()["busy"].startswith("running a nap for ")
    session.interrupt()
    worker.join(60)


def test_a_second_call_waits_its_turn_and_no_longer(python):
    session = python()
    worker = threading.Thread(target=lambda: run(session, "import time; time.sleep(60)"))
    worker.start()
    waits_until_busy(session)
    with pytest.raises(Conflict, match="the session is still running code for"):
        run(session, "1", queue=0.1)
    session.interrupt()
    worker.join(60)


def test_code_that_is_stopped_while_it_waits_never_runs(python):
    session = python()
    run(session, "ran = []")
    worker = threading.Thread(target=lambda: run(session, "import time; time.sleep(60)"))
    worker.start()
    waits_until_busy(session)
    with pytest.raises(Conflict, match="stopped before this code ran"):
        run(session, "ran.append(1)", queue=60, should_stop=lambda: True)
    session.interrupt()
    worker.join(60)
    assert run(session, "ran").value == "[]"


def test_the_projects_own_environment_is_used(python, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / ".venv"], check=True)
    outcome = run(python(), "import sys; sys.prefix")
    assert outcome.value == repr(str(tmp_path / ".venv"))


def test_modules_of_the_project_are_found_and_ours_are_not(python, tmp_path):
    (tmp_path / "helper.py").write_text("answer = 42\n")
    session = python()
    assert run(session, "import helper; helper.answer").value == "42"
    assert "ModuleNotFoundError" in run(session, "import child_process").error


def test_the_agents_key_is_not_in_its_environment(python, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    assert run(python(), "import os; os.environ.get('ANTHROPIC_API_KEY')").value is None


def test_a_class_of_the_session_can_be_pickled(python):
    code = "import pickle\nclass Point: pass\ntype(pickle.loads(pickle.dumps(Point()))).__name__"
    assert run(python(), code).value == "'Point'"


def test_a_fork_in_the_code_does_not_answer_twice(python):
    session = python()
    before = run(session, "import os; os.getpid()").value
    run(session, "pid = os.fork()\nos.waitpid(pid, 0) if pid else None")
    assert run(session, "os.getpid()").value == before


def test_closing_the_output_does_not_spin(python):
    session = python()
    before = time.process_time()
    outcome = run(session, "import os\nos.close(1)\nos.close(2)\nimport time\ntime.sleep(1)\n5")
    assert outcome.value == "5"
    assert time.process_time() - before < 0.5


@linux
def test_what_the_code_started_ends_with_the_session(python):
    session = python()
    code = "import subprocess\np = subprocess.Popen(['setsid', 'sleep', '60'])\np.pid"
    pid = int(run(session, code).value)
    assert alive(pid)
    session.reset()
    assert gone(pid)


@linux
def test_everything_ends_when_the_server_is_killed(tmp_path):
    owner_code = f"""
        import time
        from ultrawork.codeintel.repl import PythonSession
        session = PythonSession({str(tmp_path)!r}, {str(tmp_path)!r})
        code = "import os, subprocess; p = subprocess.Popen(['setsid', 'sleep', '60']); (os.getpid(), p.pid)"
        print(session.execute(code, seconds=20).value, flush=True)
        session.execute("while True: pass", seconds=60)
    """
    owner = subprocess.Popen([sys.executable, "-c", textwrap.dedent(owner_code)], stdout=subprocess.PIPE, text=True)
    child, grandchild = map(int, owner.stdout.readline().strip("()\n").split(","))
    assert alive(child)
    owner.kill()
    owner.communicate()
    assert gone(child)
    assert gone(grandchild)


def test_an_interpreter_that_cannot_be_started_is_said(python, tmp_path):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    program = tmp_path / ".venv" / "bin" / "python"
    program.write_text("#!/nonexistent\n")
    program.chmod(0o755)
    with pytest.raises(Trouble, match="could not start"):
        run(python(), "1")


def test_an_interpreter_that_ends_at_once_is_quoted(python, tmp_path):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    program = tmp_path / ".venv" / "bin" / "python"
    program.write_text("#!/bin/sh\necho no such library >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(Trouble, match="did not start: no such library"):
        run(python(), "1")


def test_a_very_short_limit_does_not_hit_the_interpreter_while_it_starts(python):
    session = python()
    outcome = run(session, "while True: pass", seconds=0.001)
    assert outcome.interrupted
    assert not outcome.lost


def test_a_name_means_the_same_session_and_only_eight_are_open(tmp_path):
    sessions = PythonSessions(str(tmp_path))
    assert sessions.get("s0") is sessions.get("s0")
    for number in range(1, 8):
        sessions.get(f"s{number}")
    with pytest.raises(Conflict, match="8 sessions are open"):
        sessions.get("s8")
    sessions.reset("s3")
    sessions.get("s8")
    sessions.close()
