"""
A week of sessions in the real client, of all the kinds a person has: each ends in exactly one line that says how.

`ULTRAWORK_DIARY=FILE make test-all` keeps every line that the person saw.
"""

import json
import os
import socket

import pytest

from support import codex, diary, ulw
from support.floor import PLUGIN
from support.follower import GOOD
from support.play import FILES
from support.play import GOAL as TEXTS
from support.sample import TESTS
from support.terminal import ESCAPE
from support.ulw import BENT, FIX, GOAL, NODE, PYTHON, SPOIL, WORDS, put, sh

pytestmark = [pytest.mark.client, pytest.mark.release]

ASKS = "Which order do you want, by name or by city?"
BENDS = put("test_book.py", BENT)
NOTHING_WRITTEN = {"text": "I see."}
ADDS = put("book.py", PYTHON["book.py"].replace("add(self, name, city)", "add(self, name, city=None)"))
SLOW = {
    "Makefile": "test:\n\t@python3 -m unittest -q\n",
    "app.py": "def add(a, b):\n    return a - b\n\n\ndef mul(a, b):\n    return a * b\n",
    "test_add.py": "import unittest\nfrom app import add\n\n\nclass Add(unittest.TestCase):\n"
    "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
    "test_mul.py": "import time\nimport unittest\nfrom app import mul\n\n\nclass Mul(unittest.TestCase):\n"
    "    def test_mul(self):\n        time.sleep(12)\n        self.assertEqual(mul(2, 3), 6)\n",
    "ultrawork.toml": '[stop]\nbudget = "4s"\n',
}
ADDED = put("app.py", SLOW["app.py"].replace("a - b", "a + b"))
BROKEN = put("app.py", SLOW["app.py"].replace("a - b", "a + b").replace("a * b", "a ** b"))


# The person allows what the plan would run, so a worker runs the criteria itself when it is asked to.
CHECKS = {
    "match": {"agent": "sub", "last": "run `ultrawork task check"},
    "reply": {"tool": {"name": "Bash", "input": {"command": "{{last:run `(ultrawork task check [^`]+)`}}"}}},
}


def codex_fix():
    return codex.sh(f"cat > book.py <<'END_OF_FILE'\n{ulw.FIXED}END_OF_FILE")


class Sitting:
    """A person at the client in a project; `screens` is what was seen there."""

    def __init__(self, newest, project, title):
        self.title = title
        self.project = project
        self.screens = []
        self._newest = newest
        self.seat = None
        self._lines = []

    def open(self, rules, files=None, plugin=PLUGIN, **options):
        if files is not None:
            ulw.make(str(self.project), files)
        if self.seat is None:
            self.seat = self._newest(rules)
        given = {"allowed": ["Bash", "Agent"], "columns": 120, "rows": 60, **options}
        return Seen(self, self.seat.terminal(plugins=[plugin], **given))

    def model(self, *replies, files=PYTHON, **options):
        rules = [{"match": {"agent": "main"}, "replies": list(replies), "after": "repeat"}]
        return self.open(rules, files, **options)

    def saw(self, screen):
        self.screens.append(screen)
        self._lines += diary.read(screen)

    def run(self, *words):
        """What the person types in a terminal of their own."""
        done = ulw.Told(self.seat, None).ask(*words)
        shown = done.stdout + done.stderr
        self._lines += [f"$ ultrawork {' '.join(words)}", *shown.rstrip().splitlines(), f"(exit {done.returncode})"]
        return shown

    def keep(self):
        diary.keep(self.title, self._lines)


class Seen:
    """The client's terminal; what it showed at its end is kept."""

    def __init__(self, sitting, terminal):
        self.sitting = sitting
        self.terminal = terminal

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.terminal.settle(0.3, 5)
        self.sitting.saw(self.terminal.screen.text())
        self.terminal.close()

    def say(self, text):
        ulw.say(self.terminal, text)

    def sees(self, words, seconds=90):
        wanted = diary.flat(words)
        self.terminal.wait_until(lambda screen: wanted in diary.flat(screen), words, seconds)


@pytest.fixture
def sitting(newest, project, request):
    made = Sitting(newest, project, request.node.name.removeprefix("test_").replace("_", " "))
    yield made
    made.keep()


def ends(sitting, *wanted):
    found = diary.find_ends(sitting.screens)
    assert len(found) == len(wanted), found
    for end, words in zip(found, wanted, strict=True):
        assert words in end, found


def test_a_question_an_answer_and_a_claim_beside_a_server(sitting):
    server = sh("sleep 300", run_in_background=True)
    with sitting.model({"text": ASKS}, {"text": WORDS}, FIX, server, {"text": WORDS}) as client:
        client.say(f"ulw {GOAL}")
        client.sees(ASKS)
        client.say("by name")
        client.sees("ultrawork: PASS")
    ends(sitting, "PASS, proved by")


def test_a_conversation_that_is_cleared(sitting):
    with sitting.model({"text": ASKS}) as client:
        client.say(f"ulw {GOAL}")
        client.sees(ASKS)
        client.say("/clear")
        client.sees("was cleared before it was verified")
    ends(sitting, "was cleared")


def test_a_client_that_is_killed_and_the_next_start(sitting):
    with sitting.model({"text": ASKS}) as client:
        client.say(f"ulw {GOAL}")
        client.sees(ASKS)
    with sitting.model({"text": ASKS}, files=None) as client:
        client.sees("ended without a verdict")
    ends(sitting, "ended without a verdict")


def test_a_remark_a_slip_and_a_goal_in_the_form_of_a_commit(sitting):
    words = put("book.py", PYTHON["book.py"].replace("An address book", "Names and cities"))
    with sitting.model(NOTHING_WRITTEN, words, {"text": "Done."}) as client:
        client.say("ulw crashes on empty input")
        client.sees("I see.")
        client.say("ulw statsu")
        client.sees("Did you mean")
        client.say("ulw docs: say what the module holds")
        client.sees("ultrawork: PASS")
    ends(sitting, "PASS")


def test_a_test_that_is_wrong_and_the_persons_word(sitting):
    wrong = {**PYTHON, "test_book.py": TESTS.replace('["Ada", "bea", "Carl"]', '["Ada", "Carl", "bea"]')}
    blocked = "I stop here.\nBLOCKED: test test_sorts_without_regard_to_case is wrong: it expects capital letters first"
    with sitting.model(FIX, {"text": blocked}, put("test_book.py", TESTS), {"text": WORDS}, files=wrong) as client:
        client.say(f"ulw {GOAL}")
        client.sees("ultrawork: UNVERIFIED")
        client.say("ulw accept test test_sorts_without_regard_to_case")
        client.sees("is now allowed")
        client.say("ulw carry on")
        client.sees("ultrawork: PASS")
    ends(sitting, "UNVERIFIED", "PASS")


def test_an_agent_that_cannot_go_on(sitting):
    with sitting.model(
        {"text": "I looked everywhere.\nBLOCKED: the file with the names is not in this repository"}
    ) as client:
        client.say("ulw import the names of last year")
        client.sees("ultrawork: UNVERIFIED")
    ends(sitting, "UNVERIFIED")


def test_uncommitted_work_that_the_agent_destroyed(sitting):
    ulw.make(str(sitting.project), {**PYTHON, "README.md": "# Names\n"})
    (sitting.project / "README.md").write_text("# Names\n\nA paragraph of mine.\n")
    (sitting.project / "notes.py").write_text("mine = 1\n")
    cleans = sh("git checkout -- . && git clean -fd")
    back = sh("ultrawork restore --all --yes")
    with sitting.model(
        cleans, FIX, {"text": WORDS}, back, {"text": "Restored, and all tests pass."}, files=None
    ) as client:
        client.say(f"ulw {GOAL}")
        client.sees("ultrawork: PASS")
    assert (sitting.project / "notes.py").read_text() == "mine = 1\n"
    ends(sitting, "PASS")


def test_files_that_change_after_a_pass_and_the_way_back(sitting):
    with sitting.model(FIX, {"text": WORDS}, SPOIL, {"text": "Simplified."}) as client:
        client.say(f"ulw {GOAL}")
        client.sees("ultrawork: PASS")
        client.say("make it shorter")
        client.sees("files changed since PASS")
    sitting.run("restore", "--last-green", "--yes")
    assert (sitting.project / "book.py").read_text() == ulw.FIXED
    sitting.run("verify")
    ends(sitting, "PASS")


def test_a_question_runs_nothing(sitting):
    with sitting.model({"text": "It keeps names and cities."}) as client:
        client.say("ulw what does this repository do?")
        client.sees("ultrawork: off")
    ends(sitting, "off. The goal asks a question")


def test_checks_that_the_person_does_not_want_run(sitting):
    with sitting.model(FIX, {"text": WORDS}) as client:
        client.say("ulw gates deny")
        client.sees("Operation stopped by hook")
        client.say(f"ulw {GOAL}")
        client.sees("ultrawork: UNVERIFIED")
    ends(sitting, "UNVERIFIED")


def test_a_slow_suite_that_passes(sitting):
    with sitting.model(ADDED, {"text": WORDS}, {"text": "You are welcome."}, files=SLOW) as client:
        client.say("ulw fix add")
        client.sees("not verified yet", 120)
        client.say("ulw status")
        client.sees("background")
        news = f"{sitting.seat.home}/.claude/ultrawork/news"
        client.terminal.wait_until(lambda _: os.path.isdir(news) and os.listdir(news), "news", 150)
        client.say("thanks")
        client.sees("ultrawork: PASS")
    ends(sitting, "PASS, proved by test_add")


def test_a_slow_suite_that_fails_and_wakes_the_agent(sitting):
    replies = [BROKEN, {"text": WORDS}, ADDED, {"text": "Mended, all tests pass."}, {"text": "Gladly."}]
    with sitting.model(*replies, files=SLOW) as client:
        client.say("ulw fix add")
        client.sees("not verified yet", 120)
        client.sees("Mended, all tests pass.", 150)
        news = f"{sitting.seat.home}/.claude/ultrawork/news"
        client.terminal.wait_until(lambda _: os.path.isdir(news) and os.listdir(news), "news", 150)
        client.say("thanks")
        client.sees("ultrawork: PASS")
    ends(sitting, "PASS, proved by test_add")


def test_a_plugin_that_is_removed_meanwhile(sitting, tmp_path):
    plugin = ulw.release(f"{tmp_path}/plugin")
    with sitting.model({"text": ASKS}, SPOIL, {"text": WORDS}, plugin=plugin) as client:
        client.say(f"ulw {GOAL}")
        client.sees(ASKS)
        os.rename(f"{plugin}/src", f"{tmp_path}/away")
        client.say("by name")
        client.sees("ultrawork: UNVERIFIED")
    ends(sitting, "UNVERIFIED")


def test_a_checkout_with_large_and_odd_files(sitting):
    ulw.make(str(sitting.project), PYTHON)
    with open(sitting.project / "dump.bin", "wb") as file:
        file.truncate(4 << 30)
    os.mkfifo(sitting.project / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        place = os.getcwd()
        os.chdir(sitting.project)
        bound.bind("socket")
        os.chdir(place)
        with sitting.model(FIX, {"text": WORDS}, files=None) as client:
            client.say(f"ulw {GOAL}")
            client.sees("I compare dump.bin (4.0 GiB) by size and time only. To leave it out, add it to .gitignore")
            client.sees("ultrawork: PASS")
    ends(sitting, "PASS")


def test_a_linter_that_is_not_installed(sitting):
    files = {
        **PYTHON,
        "requirements-dev.txt": "flake8==7.1.1\n",
        "ultrawork.toml": '[gates]\ntest = "make test"\nlint = "flake8 book.py"\n',
    }
    with sitting.model(FIX, {"text": WORDS}, files=files) as client:
        client.say(f"ulw {GOAL}")
        client.sees("ultrawork: PASS")
    sitting.run("verify")
    ends(sitting, "PASS")


def test_dependencies_that_are_not_installed(sitting):
    files = {
        **NODE,
        "package.json": '{"name": "pages", "scripts": {"test": "jest"}, "devDependencies": {"jest": "29.7.0"}}\n',
        "package-lock.json": json.dumps({"name": "pages", "lockfileVersion": 3, "packages": {}}),
    }
    with sitting.model(ulw.NODE_FIX, {"text": WORDS}, files=files) as client:
        client.say("ulw count the last page too")
        client.sees("ultrawork: UNVERIFIED")
    sitting.run("verify")
    ends(sitting, "UNVERIFIED")


def test_a_command_that_is_interrupted(sitting):
    halfway = {"tool": {"name": "Bash", "input": {"command": SPOIL["tool"]["input"]["command"] + "\nsleep 60"}}}
    with sitting.model(halfway, {"text": WORDS}, FIX, {"text": WORDS}) as client:
        client.say(f"ulw {GOAL}")
        wrote = sitting.project / "book.py"
        client.terminal.wait_until(lambda _: wrote.read_text() != PYTHON["book.py"], "the change", 60)
        client.terminal.settle(0.3, 3)
        client.terminal.type(ESCAPE)
        client.sees("Interrupted")
        client.say("carry on")
        client.sees("ultrawork: PASS")
    assert "someone else" not in diary.flat(sitting.screens[0])
    ends(sitting, "PASS")


def test_a_claim_that_is_false_until_the_end(sitting):
    with sitting.model(SPOIL, {"text": WORDS}) as client:
        client.say(f"ulw {GOAL}")
        client.sees("ultrawork: UNVERIFIED")
        client.say("ulw why")
        client.sees("Operation stopped by hook")
        client.say("ulw accept I look at it tomorrow")
        client.sees("ccepted")
    assert "sent back 2 times" in sitting.run("evidence")
    assert "accepted by you: I look at it tomorrow" in sitting.run("why")
    ends(sitting, "UNVERIFIED. Sent back twice")


def test_off_in_the_middle_and_on_again(sitting):
    with sitting.model(BENDS, {"text": ASKS}, FIX, put("test_book.py", TESTS), {"text": WORDS}) as client:
        client.say(f"ulw {GOAL}")
        client.sees(ASKS)
        client.say("ulw off")
        client.sees("ultrawork: off")
        client.say("ulw carry on, by name")
        client.sees("ultrawork: PASS")
    ends(sitting, "off", "PASS")


def test_a_project_without_checks(sitting):
    with sitting.model(put("app.txt", "right\n"), {"text": "Done."}, files=ulw.NONE) as client:
        client.say("ulw correct the words")
        client.sees("ultrawork: UNVERIFIED")
        client.say("ulw gates")
        client.sees("Operation stopped by hook")
    ends(sitting, "UNVERIFIED")


def test_an_expectation_that_changes_with_the_code(sitting):
    lower = PYTHON["book.py"].replace(
        "sorted(self.people)", "sorted(self.people, key=lambda one: one[0].casefold(), reverse=True)"
    )
    test = TESTS.replace('["Ada", "bea", "Carl"]', '["Carl", "bea", "Ada"]')
    files = {**PYTHON, "book.py": ulw.FIXED}
    with sitting.model(
        put("book.py", lower), put("test_book.py", test), {"text": "Done, newest first."}, files=files
    ) as client:
        client.say("ulw list names from z to a")
        client.sees("ultrawork: PASS")
    ends(sitting, "PASS, 1 expectation changed")


def test_a_refactoring_that_no_test_notices(sitting):
    files = {**PYTHON, "book.py": ulw.FIXED}
    renamed = ulw.FIXED.replace("lambda one: one[0]", "lambda person: person[0]")
    with sitting.model(put("book.py", renamed), {"text": "Done."}, files=files) as client:
        client.say("ulw give the key a better name")
        client.sees("ultrawork: PASS")
    ends(sitting, "PASS")


def test_a_planned_session(sitting):
    with sitting.open([CHECKS, *GOOD], FILES) as client:
        client.say(f"/ultrawork:ultrawork --auto {TEXTS}")
        client.sees("ultrawork: PASS", 170)
    sitting.run("report")
    ends(sitting, "PASS")


def test_signs_without_width_in_a_prompt(sitting):
    """They hide words from a reader; none reaches a screen of ours, and the goal is the one that is read."""
    with sitting.model(FIX, {"text": WORDS}) as client:
        client.terminal.submit("ulw sort\u200b names with\u2060out regard\ufeff to case")
        client.sees("ultrawork: PASS")
    shown = sitting.run("status") + sitting.run("evidence") + sitting.run("report")
    assert "sort names without regard to case" in shown
    assert not set("\u200b\u2060\ufeff") & set(shown)
    ends(sitting, "PASS")


def test_a_session_in_codex(sitting, installed):
    """Its screen shows none of our lines without a terminal: the person reads the agent's, and asks the program."""
    sitting.seat = installed([codex_fix()])
    run = sitting.seat.run(f"ulw {GOAL}")
    sitting.saw("\n".join(one["item"].get("text", "") for one in run.events if "item" in one))
    for words in (["status"], ["why"], ["evidence"]):
        assert "PASS" in sitting.run(*words), words


def test_nobody_is_there(sitting):
    ulw.make(str(sitting.project), PYTHON)
    sitting.seat = sitting._newest(ulw.script([SPOIL]))
    done = ulw.run_with(sitting.seat, "-p", f"ulw {GOAL}", "--plugin-dir", PLUGIN, "--permission-mode", ulw.OPEN)
    sitting.saw(done.out + done.err)
    assert done.exit == 3
    assert diary.find_ends(sitting.screens)


def test_what_every_screen_says_of_the_newest_session(sitting):
    with sitting.model(SPOIL, {"text": WORDS}, {"text": WORDS}, FIX, {"text": WORDS}) as client:
        client.say(f"ulw {GOAL}")
        client.sees("ultrawork: PASS")
        for word in ("status", "why", "evidence", "gates", "verify", "help"):
            client.say(f"ulw {word}")
            client.sees("Operation stopped by hook")
            client.terminal.settle(0.5, 10)
    for words in (
        ["status"],
        ["why"],
        ["evidence"],
        ["report"],
        ["stats"],
        ["session", "list"],
        ["doctor"],
        ["verify"],
    ):
        assert "PASS" in sitting.run(*words), words
