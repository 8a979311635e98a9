"""The real Codex and Gemini in trouble behind our servers: each ends with a sentence, and leaves nothing at work."""

import os
import re
import signal

import pytest

from support import ulw
from support.helper_seat import FORKS, list_sleepers, script
from support.rows import until

pytestmark = [pytest.mark.client, pytest.mark.release]

BOTH = pytest.mark.parametrize("name", ["codex", "gemini"])
# The first is one that the client knows; left to choose, Gemini asks a router model before.
MODELS = {"codex": "gpt-5.3,gpt-5.2", "gemini": "gemini-2.5-flash,gemini-2.5-pro"}
SHELL = {"codex": ("exec_command", "cmd"), "gemini": ("run_shell_command", "command")}
NEVER = {"text": "never", "delay": 120}
LIMIT = {"error": {"status": 429, "message": "rate limit reached, try again in 20m0s"}}


class Trial:
    """A real program whose model does what it is told, and a server of ours in front of it."""

    def __init__(self, name, seat, serve):
        self.name, self.seat, self.serve = name, seat, serve
        self.server = serve(seat, name)

    def begin(self, **more):
        told = self.server.text(f"ask_{self.name}", prompt="go", background=True, **more)
        return re.search(r"job (\w+) started", told)[1]

    def wait(self, job):
        while "is still running" in (told := self.server.text("wait_for_job", job_id=job)):
            pass
        return told

    def ask(self, **more):
        return self.wait(self.begin(**more))

    @property
    def asked(self):
        return len(self.seat.model.requests)

    def kill_server(self):
        """Both processes of it at once, as a machine without memory does; the next one takes over."""
        for pid in (self.server.worker, self.server.process.pid):
            os.kill(pid, signal.SIGKILL)
        self.server.process.wait()
        self.server = self.serve(self.seat, self.name)


@pytest.fixture
def trial(request, served):
    def make(name, *replies, without=(), **env):
        seat = request.getfixturevalue(name)(script(*replies))
        seat.env |= {f"ULTRAWORK_HELPERS_{name.upper()}_MODELS": MODELS[name], **env}
        for key in without:
            seat.env.pop(key, None)
        return Trial(name, seat, served)

    return make


@BOTH
def test_after_a_kill_of_the_server_the_job_is_adopted_and_its_answer_told_once(trial, name):
    tried = trial(name, {"text": "survived", "delay": 5})
    job = tried.begin()
    until(lambda: tried.asked)
    tried.kill_server()
    assert job in tried.server.text("list_jobs")
    assert "survived" in tried.wait(job)
    assert tried.wait(job).startswith("This answer was already returned once.")
    assert tried.asked == 1


@BOTH
def test_without_any_login_that_is_said_with_the_way_to_one(trial, name):
    tried = trial(name, {"text": "never"}, without=("LOOP_KEY", "GEMINI_API_KEY"))
    assert f"log in: {name}" in tried.ask()
    assert tried.asked == 0


@BOTH
def test_a_program_that_hangs_ends_at_its_deadline(trial, name):
    tried = trial(name, NEVER, ULTRAWORK_HELPERS_DEADLINE="15s")
    assert "timeout: stopped at its deadline of 15 s" in tried.ask()
    assert tried.asked == 1


@BOTH
def test_what_a_program_has_forked_ends_with_its_job(trial, project, name):
    """Gemini has a shell only where it may write; Codex has one in its sandbox."""
    ulw.make(str(project), {"a.txt": "a\n"})
    tool, key = SHELL[name]
    forks = {"tool": {"name": tool, "input": {key: FORKS}}}
    tried = trial(name, forks, NEVER, ULTRAWORK_HELPERS_WRITE="gemini")
    job = tried.begin(write=name == "gemini")
    until(lambda: len(list_sleepers(tried.seat.home)) >= 3)
    assert "stopped on request" in tried.server.text("kill_job", job_id=job)
    until(lambda: not list_sleepers(tried.seat.home))


@BOTH
def test_fifty_megabytes_of_an_answer_are_cut_and_named(trial, name):
    """Each line is another: Gemini ends an answer that repeats itself."""
    parts = [" ".join(f"{number:x}" for number in range(at, at + 170_000)) for at in range(0, 9_000_000, 180_000)]  # fmt: skip
    tried = trial(name, {"content": [{"type": "text", "text": part + "\n"} for part in parts]})
    told = tried.ask()
    assert re.search(r"note: [\d,]+ characters; full answer: \S+/answer.md", told), told[-500:]
    assert len(told) < 62_000
    out = re.search(r"all of it: (\S+)/answer.md", told)[1] + "/ask.1/out.jsonl"
    assert os.path.getsize(out) > 45_000_000


def test_an_answer_without_a_word_is_none(trial):
    tried = trial("gemini", {"text": "again and again " * 1000})
    told = tried.ask()
    assert "it exited without an answer: Loop detected" in told
    assert "Ask the agent ultrawork:architect answer instead" in told


@BOTH
def test_eight_at_once_each_have_their_answer(trial, name):
    tried = trial(name, {"text": "here", "delay": 1})
    jobs = [tried.begin() for _ in range(8)]
    assert ["here" in tried.wait(job) for job in jobs] == [True] * 8
    assert tried.asked == 8


@BOTH
def test_over_its_limit_it_is_left_alone_until_then(trial, name):
    """Gemini counts a quota for each model, so the next one is asked first; neither is waited for in vain."""
    tried = trial(name, LIMIT)
    told = tried.ask()
    assert "rate limited until" in told
    assert ("asked gemini-2.5-pro instead" in told) is (name == "gemini")
    before = tried.asked
    again = tried.server.text(f"ask_{name}", prompt="go")
    assert "is rate limited until" in again
    assert "Nothing was started." in again
    assert tried.asked == before


@BOTH
def test_a_model_that_is_not_there_makes_room_for_the_next_unless_it_was_named(trial, name):
    gone = {"error": {"status": 404, "message": "The model does not exist"}}
    tried = trial(name, gone, gone, {"text": "from the next"})
    alone = MODELS[name].split(",")[0]
    assert "failed: " in tried.ask(model=alone)
    told = tried.ask()
    assert "from the next" in told
    assert f"asked {MODELS[name].split(',')[1]} instead" in told
