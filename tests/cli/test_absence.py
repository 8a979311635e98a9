"""What a run stands on goes away for a while: it waits, hears words meanwhile, and goes on by itself."""

import os
import shutil
import signal
import time

import pytest

from support.headless import FIX, GOAL, SHOW, Headless, task, worker

pytestmark = pytest.mark.slow
PROMPT = 2.0
PATIENCE = 60.0


class Away(Headless):
    """A run whose one agent waits for us; its checkout or its state can be taken away."""

    def __init__(self, root):
        super().__init__(root)
        log = {"run": ["sh", "-c", f"echo begun >> {root}/witness"]}
        hold = {"run": ["sh", "-c", f"until [ -e {root}/go ]; do sleep 0.05; done"]}
        plan = [task("fix", criteria=["true => exit 0"])]
        self.cast(plan, worker("fix", log, hold, FIX, SHOW))
        self.engine = self.start("run", "--auto", "--backend", "script", GOAL)
        self.until(lambda: self.count_begun() == 1)

    def count_begun(self):
        try:
            with open(f"{self.root}/witness", encoding="utf-8") as file:
                return len(file.readlines())
        except FileNotFoundError:
            return 0

    def until(self, holds):
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end
            time.sleep(0.05)

    def let_agent_end(self):
        with open(f"{self.root}/go", "w", encoding="utf-8"):
            pass

    def put_back(self, place):
        """In place of what was made there meanwhile, as a disk that is mounted again."""
        shutil.rmtree(place, ignore_errors=True)
        os.rename(f"{place}-away", place)

    def hear(self, words):
        for line in self.engine.stdout:
            if words in line:
                return
        raise AssertionError(f"never said: {words!r}; {self.engine.stderr.read()!r}")

    def close(self):
        self.let_agent_end()
        self.engine.kill()
        self.engine.wait()
        self.engine.stdout.close()
        self.engine.stderr.close()


@pytest.fixture
def away(tmp_path):
    made = Away(str(tmp_path))
    yield made
    made.close()


@pytest.mark.parametrize("what", ["checkout", "state"])
def test_a_run_waits_for_what_went_away_and_goes_on_when_it_is_back(away, what):
    place = away.place if what == "checkout" else away.home
    os.rename(place, f"{place}-away")
    away.let_agent_end()
    away.hear(b"waiting, Ctrl-C stops: ")
    away.put_back(place)
    assert away.engine.wait(PATIENCE) == 0, away.engine.stderr.read()
    assert "a + b" in away.read("calc.py")
    assert away.git("status", "--porcelain") == ""
    if what == "checkout":
        assert away.count_begun() == 1, "what was paid for is used"


def test_ctrl_c_is_heard_while_a_run_waits_for_its_checkout_and_resume_goes_on(away):
    os.rename(away.place, f"{away.place}-away")
    away.let_agent_end()
    away.hear(b"waiting, Ctrl-C stops: ")
    began = time.monotonic()
    away.engine.send_signal(signal.SIGINT)
    assert away.engine.wait(PATIENCE) == 130
    assert time.monotonic() - began < PROMPT
    away.put_back(away.place)
    assert away.run("resume", patience=PATIENCE).status == 0
    assert "a + b" in away.read("calc.py")


@pytest.mark.parametrize("named", [False, True], ids=["bare", "by name"])
def test_a_run_goes_on_where_its_repository_was_moved_to(away, named):
    """Stopped with its agent at work."""
    away.engine.send_signal(signal.SIGINT)
    away.hear(b"finishing what runs")
    away.engine.send_signal(signal.SIGINT)
    assert away.engine.wait(PATIENCE) == 130
    os.rename(away.place, f"{away.place}-new")
    away.place = f"{away.place}-new"
    away.let_agent_end()
    words = ["--session", away.session] if named else []
    answer = away.run("resume", *words, patience=PATIENCE)
    assert answer.status == 0, answer.out
    assert "the repository was moved here from" in answer.out
    assert "a + b" in away.read("calc.py")
    assert away.count_begun() == 1, "what was paid for is used"
    assert len(away.git("worktree", "list").splitlines()) == 1
    assert away.run("status", "--json").status == 0
