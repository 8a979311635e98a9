"""What the user does from our screens with a real client: answers its question, and resumes its conversation."""

import json
import os
import sys

import pytest

from support import ulw
from support.claude import INPUT
from support.floor import PLUGIN, TERMINAL, Console
from support.headless import Headless, task
from support.receiver import Receiver
from support.rows import until
from support.terminal import Terminal
from support.troupe import Troupe
from support.ulw import FIX, GOAL, PYTHON, WORDS, put
from ultrawork.cli.main import main

pytestmark = pytest.mark.client
TEST = "test_sorts_without_regard_to_case"
BLOCKED = f"I stop here.\nBLOCKED: test {TEST} is wrong: Ada comes before bea"


@pytest.fixture
def receiver():
    with Receiver() as server:
        yield server


class Desk:
    """The user's own terminal beside the client, with the same state folder."""

    def __init__(self, project):
        self.place = str(project)
        self.home = ulw.state_folder(project).root
        self.environ = {
            "PATH": os.environ["PATH"],
            "HOME": os.path.dirname(os.path.dirname(self.home)),
            "ULTRAWORK_HOME": self.home,
        }

    def run(self, *words):
        with Console(self.place, b"") as console:
            status = main(list(words), self.environ, lambda: TERMINAL)
        return status, console.out.text() + console.err.text()

    def list_blocking(self):
        _, printed = self.run("inbox", "--json")
        items = json.loads(printed.splitlines()[0])["data"]["items"]
        return [item for item in items if item["rank"] == "blocks you"]

    def sum_models(self):
        _, printed = self.run("stats", "--by", "model", "--json")
        return json.loads(printed.splitlines()[0])["data"]["rows"]


def flat(screen):
    return " ".join(screen.split())


def test_a_question_is_sent_and_answered_from_the_inbox_and_the_session_continues(newest, project, receiver):
    ulw.make(str(project), PYTHON)
    desk = Desk(project)
    os.makedirs(desk.home, exist_ok=True)
    with open(f"{desk.home}/config.toml", "w", encoding="utf-8") as file:
        file.write(f'[notify]\nurl = "{receiver.url}"\n')
    assert desk.run("notify", "send") == (0, "webhook: 0 sent\n")
    looked = put("book.py", PYTHON["book.py"] + "# looked at\n")
    replies = [looked, {"text": BLOCKED}, FIX, {"text": WORDS}]
    seat = newest([{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}])
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash"], columns=140) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_until(lambda screen: f"test {TEST} is wrong" in flat(screen), "the end", 90)
        until(lambda: receiver.bodies)
        assert "needs you: ultrawork inbox" in receiver.bodies[0]["text"]
        (item,) = desk.list_blocking()
        assert item["test"] == TEST
        status, printed = desk.run("answer", item["id"], "deny", "the task says so")
        assert (status, f"ulw make {TEST} pass" in printed) == (0, True)
        assert desk.list_blocking() == []
        status, printed = desk.run("answer", item["id"], "accept")
        assert (status, "deny the task says so" in printed) == (5, True)
        ulw.say(terminal, f"ulw make {TEST} pass")
        terminal.wait_until(lambda screen: "ultrawork: PASS, proved by" in flat(screen), "the verdict", 90)
    (told,) = desk.sum_models()
    # Four answers of the main agent, each of 120 tokens; its last words were a claim, and it was so.
    assert told["tokens"] >= 4 * 120
    assert (told["agents"], told["claims"], told["refuted"]) == (1, 1, 0)
    assert (told["estimated"], told["complete"]) == (True, True)


@pytest.fixture
def troupe(tmp_path, seat_at):
    return Troupe("claude", Headless(str(tmp_path / "run")), seat_at)


def watch(seat, environ, place):
    """The full screen of all sessions, as an install with the extra starts it."""
    pytest.importorskip("textual")
    seat.trust(place)
    start = f"import sys; sys.path.insert(0, '{PLUGIN}/src'); from ultrawork.cli.main import entry; sys.exit(entry())"
    environ = {**environ, "TERM": "xterm-256color"}
    return Terminal([sys.executable, "-c", start, "watch", "--all"], env=environ, cwd=place, columns=140)


def leave_client(terminal):
    ulw.say(terminal, "/exit")
    return flat(terminal.wait_for("ended with status", 60))


def test_an_agent_of_an_ended_run_is_resumed_in_its_client_from_the_screen(troupe):
    wrote = [troupe.does("echo a > a.txt"), {"text": "The file a.txt is there.\nDONE"}]
    troupe.cast(
        [task("a", criteria=["test -f a.txt => exit 0"])], [("TASK_ID: a\\b", [*wrote, {"text": "It was me."}])]
    )
    assert troupe.run().status == 0
    project = troupe.project
    with watch(troupe.seat, project.environ, project.place) as terminal:
        terminal.wait_for("1 session", 30)
        terminal.type("\r")
        terminal.wait_for("PROOF", 30)
        terminal.type("\x1b[B" * 3)
        terminal.type("t")
        terminal.wait_for("The file a.txt is there.", 60)
        terminal.wait_for(INPUT, 60)
        ulw.say(terminal, "who wrote it?")
        terminal.wait_for("It was me.", 60)
        assert "claude ended with status 0" in leave_client(terminal)


def test_a_session_that_has_ended_is_resumed_in_its_client_from_the_screen(newest, project):
    ulw.make(str(project), {**PYTHON, "docs/notes.md": "notes\n"})
    seat = newest(
        [{"match": {"agent": "main"}, "replies": [FIX, {"text": WORDS}, {"text": "It was me."}], "after": "repeat"}]
    )
    seat.project = f"{project}/docs"
    told = ulw.go(seat, f"ulw {GOAL}")
    assert "PASS" in told.verdict or "UNVERIFIED" in told.verdict
    with watch(
        seat, {**seat.env, "PATH": f"{os.path.dirname(seat.program)}:{seat.env['PATH']}"}, seat.project
    ) as terminal:
        terminal.wait_for("1 session", 30)
        terminal.type("t")
        terminal.wait_for(WORDS.split(".")[1].strip(), 60)
        terminal.wait_for(INPUT, 60)
        ulw.say(terminal, "who fixed it?")
        terminal.wait_for("It was me.", 60)
        assert "claude ended with status 0" in leave_client(terminal)


def test_what_a_client_says_that_cannot_resume_stays_on_the_screen(newest, project):
    ulw.make(str(project), PYTHON)
    seat = newest(ulw.script([FIX]))
    ulw.go(seat, f"ulw {GOAL}")
    failing = f"{project}/../bin"
    os.makedirs(failing)
    with open(f"{failing}/claude", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\necho cannot log in\nexit 3\n")
    os.chmod(f"{failing}/claude", 0o700)
    with watch(seat, {**seat.env, "PATH": f"{failing}:{seat.env['PATH']}"}, seat.project) as terminal:
        terminal.wait_for("1 session", 30)
        terminal.type("t")
        shown = terminal.wait_for("Press Enter to return", 30)
        assert "cannot log in" in shown
        terminal.type("\r")
        terminal.wait_for("claude ended with status 3", 30)
        terminal.wait_for("1 session", 30)
