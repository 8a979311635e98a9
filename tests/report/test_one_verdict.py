"""
Whoever asks what a session came to gets the same answer: `evidence`, `why`, `status`, `report`, the page and
every exit status. Sessions are played at random, and asked about after every step.
"""

import json
import random
import re

import pytest

from support.play import GOAL, Play, entry, fenced
from support.scene import QUICK, Scene
from ultrawork.core import errors
from ultrawork.core.session.outcome import Outcome, judge_ending
from ultrawork.core.session.session import CHECKOUT, FULL, LIGHT, Session, SessionState
from ultrawork.core.verdict_values import EXITS

ENDINGS = {"PASS": "PASS", "FAILED": "FAIL", "CANCELLED": "UNVERIFIED", "UNVERIFIED": "UNVERIFIED"}
VERBS = ("evidence", "why", "status", "report")


def ask(play, verb):
    out = play.run(verb, "--session", "last", "--json")
    return json.loads(out.splitlines()[0])["data"] or {}


def badge(play):
    path = f"{play.root}/report.html"
    play.run("report", "--session", "last", "--html", path)
    with open(path, encoding="utf-8") as file:
        return re.search(r"class='badge (\w+)'", file.read())[1]


def agree(play):
    """The one word of an ended session; empty while it goes on."""
    told = {verb: ask(play, verb) for verb in VERBS}
    listed = ask(play, "status")["session_id"]
    found = json.loads(play.run("session", "list", "--json"))["data"]["sessions"]
    summaries = [one["summary"] for one in told.values() if one]
    summaries += [one["summary"] for one in found if one["session_id"] == listed]
    assert all(one == summaries[0] for one in summaries), summaries
    assert json.loads(play.run("stats", "--json"))["data"]["refusals"] == sum(
        one["summary"]["sent_back"] for one in found
    )
    if ask(play, "status")["active"]:
        assert not {one.get("ending") for one in (told["why"], told["status"])} - {None}
        return ""
    words = {one["ending"] for one in told.values()} | {badge(play)}
    verdicts = {one["verdict"] for one in told.values()}
    assert len(words) == len(verdicts) == 1, told
    (word,), (verdict,) = words, verdicts
    assert ENDINGS[word] == verdict
    for verb in VERBS:
        text = play.run(verb, "--session", "last")
        assert re.search(rf"\b{word}\b", text), (verb, text)
        assert not re.search(rf"\b({'|'.join(set(ENDINGS) - {word, 'UNVERIFIED'})})\b", text), text
    assert play.status("evidence", "--session", "last") == EXITS[verdict]
    return word


class Random:
    """A session whose agents, judges and person do whatever comes; what may not be done now is not done."""

    def __init__(self, play, seed):
        self.play, self.dice = play, random.Random(seed)
        words = self.dice.choice(["", "--skip-verify ", "--max-iterations 1 "])
        play.begin(f"--auto {words}{GOAL}")
        play.planned([entry("a"), entry("b", max_retry=0)])

    def step(self):
        act = self.dice.choices([self._work, self._stop, self._judge, self._cancel], weights=[8, 5, 4, 1])
        act[0]()

    def _work(self):
        for due in self.play.due():
            if due["subagent_type"] == "ultrawork:worker":
                name = due["prompt"].partition("TASK_ID: ")[2].split()[0]
                agent = self.play.agent("worker", name)
                if self.dice.random() < 0.8:
                    self.play.write(f"{name}.txt", "right\n")
                    self.play.write("c.txt", self.dice.choice(["right\n", "wrong\n"]))
                for _ in range(3):
                    self.play.end(agent, "Done.")

    def _stop(self):
        self.play.stop("Done.")

    def _judge(self):
        if any(due["subagent_type"] == "ultrawork:verifier" for due in self.play.due()):
            value = self.dice.choice(["PASS", "FAIL"])
            found = [] if value == "PASS" else [{"what": "b is untested"}]
            self.play.end(self.play.agent("verifier"), fenced({"verdict": value, "findings": found}))

    def _cancel(self):
        self.play.prompt("ulw off")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_every_screen_tells_the_same_of_a_session_that_went_as_it_liked(tmp_path, seed):
    course = Random(Play(str(tmp_path), attended=False), seed)
    for _ in range(14):
        course.step()
        if agree(course.play):
            break
    course.play.prompt("ulw off")
    assert agree(course.play)


@pytest.fixture
def light(tmp_path):
    scene = Scene(str(tmp_path), {**QUICK, "app.txt": "wrong\n"}, attended=False)
    scene.prompt("ulw fix the word in app.txt")
    return scene


@pytest.mark.slow
def test_a_light_session_that_was_let_go_while_red(light):
    light.edit("app.txt", "wronger\n")
    for _ in range(4):
        light.stop("Done.")
    assert agree(light) == "UNVERIFIED"


@pytest.mark.slow
def test_a_light_session_that_passed_and_what_a_later_check_makes_of_it(tmp_path):
    """The check passed at the start, so a later failure is FAIL."""
    light = Scene(str(tmp_path), QUICK, attended=False)
    light.prompt("ulw add a second word to app.txt")
    light.edit("app.txt", "right here\n")
    light.stop("Done.")
    assert agree(light) == "PASS"
    light.write("app.txt", "wrong\n")
    light.run("verify", "--session", "last")
    assert ask(light, "status")["verdict"] == ask(light, "evidence")["verdict"] == "FAIL"
    assert badge(light) == "FAIL"
    assert light.status("evidence", "--session", "last") == errors.EXIT_FAIL


def test_a_light_session_that_was_switched_off(light):
    light.prompt("ulw off")
    assert agree(light) == "CANCELLED"


CHECKED = {"schema": "ultrawork.verdict/1", "verdict": "PASS", "gates": {}, "findings": [],
           "not_checked": [], "accepted": []}  # fmt: skip


def made(kind=FULL, phase="EXECUTION", verdict=None, *, ended=9.0, **state):
    return Session("s", "goal", "/p", 1.0, kind=kind, phase=phase, verdict=verdict,
                   ended_at=ended, state=SessionState(state))  # fmt: skip


@pytest.mark.parametrize(
    ("session", "checked", "after", "expected"),
    [
        (made(ended=None), None, False, Outcome("", "")),
        (made(ended=None), "FAIL", False, Outcome("FAIL", "FAIL")),
        (made(phase="COMPLETE", verdict="PASS"), "FAIL", True, Outcome("FAIL", "FAIL", True)),
        (made(phase="COMPLETE"), None, False, Outcome("UNVERIFIED", "UNVERIFIED")),
        # A PASS that no check has said was written there another process.
        (made(phase="COMPLETE", verdict="PASS"), None, False, Outcome("UNVERIFIED", "UNVERIFIED")),
        (made(LIGHT, phase="COMPLETE", verdict="PASS"), "FAIL", False, Outcome("FAIL", "FAIL")),
        (made(phase="FAILED", verdict="FAIL"), "UNVERIFIED", True, Outcome("FAILED", "FAIL")),
        (made(verdict="UNVERIFIED"), "FAIL", False, Outcome("UNVERIFIED", "UNVERIFIED")),
        (made(LIGHT, verdict="UNVERIFIED"), "FAIL", True, Outcome("FAIL", "FAIL", True)),
        (made(LIGHT), None, False, Outcome("", "")),
        (made(CHECKOUT), "FAIL", False, Outcome("FAIL", "FAIL")),
        (made(answered=True), None, False, Outcome("ANSWERED", "")),
    ],
)
def test_what_a_session_came_to(session, checked, after, expected):
    document = {**CHECKED, "verdict": checked} if checked else None
    found = judge_ending(session, document, after_end=after)
    assert (found.word, found.verdict, found.again) == (expected.word, expected.verdict, expected.again)


def test_no_later_check_makes_a_planned_session_pass():
    """Its tasks and its verifier have a word in it: green gates alone raise nothing."""
    green = {**CHECKED, "gates": {"test": {"result": "green", "required": True, "receipt": 1}}}
    for session in (made(phase="FAILED", verdict="FAIL"), made(verdict="UNVERIFIED")):
        assert judge_ending(session, green, after_end=True).verdict != "PASS"


def test_an_answer_is_done_and_nothing_at_all_is_nothing():
    assert Outcome("ANSWERED", "").exit == errors.EXIT_DONE
    assert Outcome().exit == errors.EXIT_NOTHING
