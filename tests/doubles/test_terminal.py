import os
import signal
import sys

import pytest

from support.process import ClientError, processes_with
from support.rows import until
from support.terminal import CONTROL_C, Terminal

ECHO = """\
import os, sys
os.open("/dev/tty", os.O_RDWR)
print("size", *os.get_terminal_size(), "tty", sys.stdin.isatty())
while True:
    print("got", input("> "))
"""
ASKS = """\
import sys, termios, tty
tty.setraw(0)
sys.stdout.write("\\x1b[6n")
sys.stdout.flush()
answer = ""
while not answer.endswith("R"):
    answer += sys.stdin.read(1)
print("at", answer[2:-1])
"""
# It draws its menu in two parts, drops the first key, and clears the screen for a moment before it draws anew.
MENU = """\
import sys, time, tty
tty.setraw(0)
def draw(*parts):
    for part in parts:
        sys.stdout.write(part.replace("\\n", "\\r\\n"))
        sys.stdout.flush()
        time.sleep(0.2)
menu = "Go on?\\n\\n> 1. Yes\\n  2. No\\n".replace(">", chr(0x276F))
draw("\\x1b[2J\\x1b[H" + menu, "\\nEnter to select")
dropped = sys.stdin.read(1)
draw("\\x1b[2J\\x1b[H", menu + "\\nEnter to select")
chosen = sys.stdin.read(1)
draw(f"\\x1b[2J\\x1b[Hchosen {chosen}\\n")
later = sys.stdin.read(1)
draw(f"and {later}\\n")
"""


@pytest.fixture
def opened(tmp_path):
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "TERM": "xterm"}

    def start(program):
        argv = [sys.executable, "-c", program]
        return Terminal(argv, env=env, cwd=str(tmp_path), rows=12, columns=40)

    return start


def test_what_is_typed_reaches_the_program_and_its_answer_the_screen(opened):
    with opened(ECHO) as terminal:
        assert "size 40 12 tty True" in terminal.wait_for("\n>")
        terminal.submit("hello")
        assert "> hello" in terminal.wait_for("got hello")


def test_an_interrupt_typed_at_the_terminal_reaches_the_program(opened):
    # With Python's own handler a signal just before the read would go unnoticed.
    program = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)\n" + ECHO
    with opened(program) as terminal:
        terminal.wait_for("\n>")
        terminal.type(CONTROL_C)
        assert terminal.wait_end() == -signal.SIGINT


def test_a_menu_is_answered_once_however_it_is_drawn_and_whatever_it_drops(opened):
    with opened(MENU) as terminal:
        terminal.choose("1", patience=1)
        terminal.wait_for("chosen 1")
        terminal.type("x")
        assert "and x" in terminal.wait_for("and ")


def test_queries_of_the_program_are_answered(opened):
    with opened(ASKS) as terminal:
        terminal.wait_for("at 1;1")


def test_a_text_that_never_comes_is_told_with_the_screen(opened):
    with opened(ECHO) as terminal:
        terminal.wait_for("size 40 12")
        with pytest.raises(ClientError, match=r"(?s)never.*size 40 12"):
            terminal.wait_for("never", timeout=1)


def test_an_early_end_is_told(opened):
    with opened("print('bye')") as terminal, pytest.raises(ClientError, match=r"(?s)ended.*bye"):
        terminal.wait_for("never", timeout=60)


def test_nothing_runs_on_after_the_end(opened, tmp_path):
    program = "import subprocess; subprocess.Popen(['sleep', '60'], start_new_session=True)\n" + ECHO
    with opened(program) as terminal:
        terminal.wait_for("size")
        # Between the start of a program and its own environment a moment passes.
        until(lambda: len(processes_with("HOME", str(tmp_path))) == 2)
    assert processes_with("HOME", str(tmp_path)) == []
