"""A session asks in the real client, a notification goes out, the inbox answers it, and the session continues."""

import json
import os

import pytest

from support import ulw
from support.floor import PLUGIN, TERMINAL, Console
from support.receiver import Receiver
from support.rows import until
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
