"""What a person sees in the real client's terminal: every word answered, every claim judged, every end said."""

import os
import subprocess

import pytest

from support import ulw
from support.effort import rows_of
from support.floor import PLUGIN
from support.scene import GIT
from support.ulw import FIX, GOAL, PYTHON, WORDS, put, sh

pytestmark = pytest.mark.client

QUESTION = "Which order do you want, by name or by city?"
REASON = (
    "the test contradicts the task: it expects Ada, Carl, bea, and the task says without regard to case,"
    " which gives Ada, bea, Carl; one of the two has to change, and that is yours to decide"
)
ANSWERED = "Operation stopped by hook: ultrawork:"


@pytest.fixture
def python(project):
    ulw.make(str(project), PYTHON)
    return project


@pytest.fixture
def person(newest, python):
    """A function from the replies of a model to the client as a person has it, and its seat."""

    def sit(replies, plugin=PLUGIN):
        seat = newest([{"match": {"agent": "main"}, "replies": replies, "after": "repeat"}])
        return seat.terminal(plugins=[plugin], allowed=["Bash"], columns=140)

    return sit


def flat(screen):
    """Without the client's line breaks."""
    return " ".join(screen.split())


def shows(terminal, words, seconds=90):
    wanted = flat(words)
    terminal.wait_until(lambda screen: wanted in flat(screen), words, seconds)


def test_the_word_first_is_answered_whatever_follows(person):
    with person([{"text": "I see."}]) as terminal:
        ulw.say(terminal, "ulw crashes on empty input")
        shows(terminal, "ultrawork: not on. I read this as a remark. To use it as a task: ulw: crashes on empty input")
        ulw.say(terminal, "ulw statsu")
        shows(terminal, f"{ANSWERED} no command `statsu`. Did you mean ulw status? To use it as a task: ulw: statsu")
        ulw.say(terminal, "ulw docs: say how names are sorted")
        shows(terminal, "says: ultrawork: on. Done means this passes: `make test`. Turn off: ulw off")


def test_a_claim_after_a_question_is_judged_and_a_server_postpones_nothing(person):
    server = sh("sleep 300", run_in_background=True)
    replies = [{"text": QUESTION}, {"text": WORDS}, FIX, server, {"text": WORDS}]
    with person(replies) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for(QUESTION)
        ulw.say(terminal, "by name")
        shows(terminal, 'sent back (1 of 8). You said "all tests pass", but no file has changed since the start.')
        shows(terminal, "ultrawork: PASS, proved by test_sorts")
        shows(terminal, "Still running: sleep 300")


def test_an_agent_that_is_blocked_says_why_in_full_and_the_person_decides(person):
    replies = [put("book.py", PYTHON["book.py"] + "# looked at\n"), {"text": f"I stop here.\nBLOCKED: test test_sorts_without_regard_to_case is wrong: {REASON}"}]  # fmt: skip
    with person(replies) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        shows(terminal, "UNVERIFIED. The agent reports that test test_sorts_without_regard_to_case is wrong:")
        shows(terminal, REASON)
        shows(terminal, "Let the agent change it: ulw accept test test_sorts_without_regard_to_case")
        ulw.say(terminal, "ulw accept test test_sorts_without_regard_to_case")
        shows(
            terminal,
            f"{ANSWERED} the agent is now allowed to change test_sorts_without_regard_to_case in this session.",
        )


def test_a_cleared_session_is_said_once(person):
    with person([{"text": QUESTION}]) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for(QUESTION)
        ulw.say(terminal, "/clear")
        shows(terminal, f'"{GOAL}" was cleared before it was verified.')


@pytest.mark.parametrize("part", rows_of(["bin/ultrawork-hook", "src"], in_ci=["src"]))
def test_a_program_that_is_taken_away_takes_no_verdict_along(person, tmp_path, part):
    plugin = ulw.release(f"{tmp_path}/plugin")
    with person([{"text": QUESTION}, put("book.py", "broken\n"), {"text": WORDS}], plugin) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for(QUESTION)
        os.rename(f"{plugin}/{part}", f"{tmp_path}/away")
        ulw.say(terminal, "by name")
        shows(terminal, "sent back (1 of 8)")
        shows(terminal, "ultrawork: UNVERIFIED.")


def test_after_a_whole_plugin_was_moved_the_next_start_says_it(person, tmp_path):
    """The client starts no hook of a folder that is gone, and says that itself."""
    plugin = ulw.release(f"{tmp_path}/plugin")
    with person([{"text": QUESTION}, {"text": WORDS}], plugin) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for(QUESTION)
        os.rename(plugin, f"{tmp_path}/moved")
        ulw.say(terminal, "by name")
        shows(terminal, "stop hooks")
    with person([{"text": QUESTION}], f"{tmp_path}/moved") as terminal:
        shows(terminal, f'"{GOAL}" ended without a verdict.')


def test_a_worktree_that_is_removed_meanwhile_is_said_at_the_next_stop(newest, python):
    """The client goes on in a folder that is gone, and so do its hooks."""
    tree = python.parent / "tree"
    sh_git(python, "worktree", "add", "-q", str(tree))
    seat = newest([{"match": {"agent": "main"}, "replies": [{"text": QUESTION}, {"text": WORDS}], "after": "repeat"}])
    seat.project = str(tree)
    with seat.terminal(plugins=[PLUGIN], columns=140) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for(QUESTION)
        sh_git(python, "worktree", "remove", "--force", str(tree))
        ulw.say(terminal, "by name")
        shows(terminal, f"ultrawork: UNVERIFIED. The folder {tree} is gone, so nothing was verified.")


def sh_git(folder, *words):
    subprocess.run([*GIT, *words], cwd=folder, check=True, capture_output=True)


def test_a_question_runs_nothing_of_the_repository(newest, python):
    (python / "Makefile").write_text("test:\n\ttouch ran; python3 -m unittest -v\n")
    seat = newest([{"match": {"agent": "main"}, "reply": {"text": "It keeps addresses."}}])
    with seat.terminal(plugins=[PLUGIN]) as terminal:
        ulw.say(terminal, "ulw what does this repository do?")
        terminal.wait_for("ultrawork: off. The goal asks a question", 90)
    assert not (python / "ran").exists()
