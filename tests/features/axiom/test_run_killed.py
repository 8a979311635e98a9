"""kill -9 of the engine in every state of one requirement: the next one goes on, and nothing is done twice."""

import time

import pytest

from features.axiom.test_run import WRONG, cast, status
from support.headless import FIX, GOAL, PATIENCE, SHOW, Headless, worker
from ultrawork.features.axiom.store import ledger
from ultrawork.store import attempts
from ultrawork.store.paths import Home
from ultrawork.store.store import Store

pytestmark = pytest.mark.slow
SLOW = {"sleep": 2}
DONE = {"say": "COMPLETE: done"}
RED, GREEN = worker("T-101", SLOW, FIX, WRONG, DONE), worker("T-101", SLOW, FIX, SHOW, DONE)
# Who is at work when the engine is killed before the person is asked.
WRITERS = ("requirement", "review_tech")


class Killer:
    """Engines on one requirement, one after another."""

    def __init__(self, root):
        self.project = Headless(root)
        self.words = ("run", "--mode", "axiom", "--backend", "script", GOAL)

    def take_words(self):
        words, self.words = self.words, ("resume",)
        return words

    def kill_at(self, subject, state, *workers):
        """While this agent is at work: the next engine finds it there, or asks for it again."""
        cast(self.project, *workers or [GREEN], before={subject: SLOW})
        engine = self.project.start(*self.take_words())
        self.await_agent(subject, state)
        engine.kill()
        engine.communicate()
        assert self.state == state

    def await_agent(self, subject, state):
        end = time.monotonic() + 60
        while not (self.is_at_work(subject) and self.state == state):
            assert time.monotonic() < end, status(self.project)
            time.sleep(0.1)

    def is_at_work(self, subject):
        store = Store(Home(self.project.home), actor="person", clock=time.time)
        try:
            found = ledger.find_requirement(store.database, self.project.place)
            rows = attempts.list_of_subject(store.database, found.id, subject) if found else []
            return any(row.state == "running" for row in rows)
        finally:
            store.database.close()

    def drive(self, *workers):
        """To its end, or to where only the person can go on."""
        cast(self.project, *workers)
        return self.project.run(*self.take_words(), patience=PATIENCE)

    def say(self, *words):
        assert self.project.call("axiom", *words).status == 0

    @property
    def state(self):
        return status(self.project)["state"]


def test_an_engine_that_is_killed_in_any_state_goes_on(tmp_path):
    killer = Killer(str(tmp_path))
    for subject in WRITERS:
        killer.kill_at(subject, "PLANNING")
    killer.drive(GREEN)
    assert killer.state == "CONFIRMING"
    killer.say("confirm", "yes")
    killer.kill_at("manifest", "CONFIRMING")
    killer.kill_at("T-101", "EXECUTING", RED)
    killer.kill_at("T-101", "AUTO_FIX", RED)
    killer.drive(RED)
    assert killer.state == "BLOCKED"
    killer.say("unblock", "again")
    killer.kill_at("T-101", "EXECUTING", GREEN)
    killer.kill_at("reflection", "ARCHIVING", GREEN)
    answer = killer.drive(GREEN)
    assert (answer.status, killer.state) == (0, "IDLE"), answer
    found = status(killer.project)
    assert (found["metrics"]["proved"], found["metrics"]["requirements"]) == (1, 1)
    assert (found["metrics"]["blocked"], found["queue"]["waiting"]) == (1, 1), found
