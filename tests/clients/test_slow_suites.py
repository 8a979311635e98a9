"""
Suites that no stop can wait for, in the real client: what the person sees minute by minute, and that each check runs
once on the same files. A suite that sleeps costs nothing.

`ULTRAWORK_DIARY=FILE` keeps what was seen.
"""

import os
import re
import time

import pytest

from support import ulw
from support.floor import PLUGIN
from support.ulw import WORDS, write

pytestmark = pytest.mark.client

TEST = "import time\nimport unittest\nfrom app import {name}\n\n\nclass {name}_test(unittest.TestCase):\n"
APP = "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n"
RIGHT = APP.replace("a - b", "a + b")


def make(project, seconds, budget):
    files = {
        "Makefile": "test:\n\t@python3 -m unittest -q\n",
        "app.py": APP,
        "test_add.py": TEST.format(name="add") + "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
        "test_mul.py": TEST.format(name="mul")
        + f"    def test_mul(self):\n        time.sleep({seconds})\n        self.assertEqual(mul(2, 3), 6)\n",
        "ultrawork.toml": f'[stop]\nbudget = "{budget}"\n',
    }
    ulw.make(str(project), files)


class Diary:
    """Every line of the screen and of `ultrawork status` that was not there before, with the time. Each is kept at
    once: a test of an hour may be ended from outside."""

    def __init__(self, told, seconds):
        self.told = told
        self._keep(f"## a suite of {seconds} s")
        self.began = time.monotonic()
        self.lines = []
        self._seen = set()

    def look(self, terminal):
        screen = terminal.settle(0.2, 5)
        shown = [f"client | {one}" for one in re.split(r"[\r\n]+", screen) if "ultrawork:" in one]
        shown += [
            f"status | {one}"
            for one in self.told.ask("status").stdout.splitlines()
            if one.startswith(("running", "last run", "PASS", "strength"))
        ]
        for line in shown:
            self._note(line.rstrip())

    def _note(self, line):
        key = re.sub(r"\d+(\.\d+)? (s|min)\b", "", line)
        if key not in self._seen:
            self._seen.add(key)
            self.lines.append(f"{time.monotonic() - self.began:6.0f} s  {line}")
            self._keep(self.lines[-1])

    def _keep(self, line):
        path = os.environ.get("ULTRAWORK_DIARY")
        if path:
            with open(path, "a", encoding="utf-8") as file:
                file.write(f"{line}\n")


@pytest.mark.parametrize(
    ("seconds", "budget"),
    [
        (15, "5s"),
        pytest.param(300, "120s", marks=pytest.mark.release),
        # Twice, one after the other: on the files as they were, and as they are.
        pytest.param(1200, "120s", marks=[pytest.mark.release, pytest.mark.hour]),
    ],
)
def test_a_slow_suite_is_checked_beside_the_session_and_its_end_is_reported(newest, project, seconds, budget):
    make(project, seconds, budget)
    replies = [*write(project, "app.py", RIGHT), {"text": WORDS}, {"text": "You are welcome."}]
    seat = newest([{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}])
    told = ulw.Told(seat, None)
    news = f"{seat.home}/.claude/ultrawork/news"
    with seat.terminal(plugins=[PLUGIN], mode="acceptEdits") as terminal:
        ulw.say(terminal, "ulw fix add")
        diary = Diary(told, seconds)
        terminal.wait_for("1 test that covers this change passes.", 180)
        end = diary.began + 4 * seconds + 240
        while not (os.path.isdir(news) and os.listdir(news)) and time.monotonic() < end:
            diary.look(terminal)
            time.sleep(2)
        ulw.say(terminal, "thanks")
        terminal.wait_for("UserPromptSubmit says: ultrawork: PASS, proved by test_add", 60)
        diary.look(terminal)
    rows = told.ask("evidence", "list").stdout.splitlines()[1:]
    whole = [row.split()[3] for row in rows if float(row.split()[4]) >= min(seconds, 10) or "min" in row]
    assert sorted(whole) == ["base", "new"], rows
    assert any("running" in line for line in diary.lines), diary.lines
