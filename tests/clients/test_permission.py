"""Permission through the real client: what the table holds runs without a question, the rest is left alone."""

import json
import os

import pytest

from support import clients, process, ulw
from support.claude import Claude
from support.effort import BOTH_CLAUDES
from support.floor import PLUGIN
from support.rows import until
from support.scene import QUICK
from support.terminal import Terminal
from support.ulw import script, sh

pytestmark = pytest.mark.client

ALLOWED = "make test"
HIDDEN = "make test; touch made-by-agent"
QUESTION = "Do you want to proceed?"


@pytest.fixture
def newest(seat_at, project):
    """Headless: 2.1.197 does not ask hooks there."""

    def made(*commands):
        ulw.make(str(project), QUICK)
        program = clients.program(clients.CLAUDE)
        return seat_at(Claude, program, script(list(map(sh, commands)), "all done"))

    return made


def allow(seat):
    """The person's own word, in a terminal."""
    words = [f"{PLUGIN}/bin/ultrawork", "gates", "allow"]
    env = {"HOME": seat.home, "PATH": seat.env["PATH"], "TERM": "xterm"}
    with Terminal(words, env=env, cwd=seat.project) as person:
        person.wait_for(ALLOWED, timeout=60)


def status(seat):
    """As another terminal of the same person shows it."""
    words = [f"{PLUGIN}/bin/ultrawork", "status"]
    env = {"HOME": seat.home, "PATH": seat.env["PATH"]}
    return process.run(words, env=env, cwd=seat.project, timeout=60).out


def audited(seat):
    path = f"{seat.home}/.claude/ultrawork/logs/audit.jsonl"
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line)["command"] for line in file]


def headless(seat):
    return seat.run("work", plugins=[PLUGIN], mode="default")


def decisions(run):
    answers = [call.answer for call in run.hooks_of("PermissionRequest")]
    return [one.get("hookSpecificOutput", {}).get("decision", {}).get("behavior", "") for one in answers]  # fmt: skip


def test_an_allowed_check_runs_and_the_same_with_more_behind_it_does_not(newest):
    seat = newest(ALLOWED, HIDDEN)
    allow(seat)
    run = headless(seat)
    assert decisions(run) == ["allow", ""]
    ran, refused = run.tool_results
    assert "1 passed" in str(ran["content"])
    assert refused["is_error"] is True
    assert audited(seat) == [ALLOWED]
    assert not os.path.exists(f"{seat.project}/made-by-agent")


def test_without_the_persons_word_a_check_is_left_to_the_client(newest):
    seat = newest(ALLOWED)
    run = headless(seat)
    assert decisions(run) == [""]
    assert run.tool_results[0]["is_error"] is True
    assert audited(seat) == []


def test_a_rule_of_the_person_that_asks_comes_before_the_table(newest):
    seat = newest(ALLOWED)
    allow(seat)
    os.makedirs(f"{seat.project}/.claude")
    with open(f"{seat.project}/.claude/settings.json", "w", encoding="utf-8") as file:
        json.dump({"permissions": {"ask": ["Bash(make:*)"]}}, file)
    run = headless(seat)
    assert "allow" not in decisions(run)
    assert audited(seat) == []


@BOTH_CLAUDES
def test_in_a_terminal_an_allowed_check_is_answered_without_the_person(claude, project):
    """The client shows its question while the hook thinks, and takes it away again."""
    ulw.make(str(project), QUICK)
    seat = claude(script([sh(ALLOWED)], "all done"))
    allow(seat)
    with seat.terminal(plugins=[PLUGIN]) as terminal:
        terminal.submit("work")
        screen = terminal.wait_for("all done")
    assert QUESTION not in screen
    assert audited(seat) == [ALLOWED]


def test_in_a_terminal_the_person_is_asked_about_everything_else(claude, project):
    ulw.make(str(project), QUICK)
    seat = claude(script([sh(HIDDEN)], "all done"))
    allow(seat)
    with seat.terminal(plugins=[PLUGIN]) as terminal:
        terminal.submit("ulw work")
        terminal.wait_for(QUESTION)
        assert QUESTION in terminal.settle()
        # Another terminal is told that somebody is waited for: the client says so after some seconds.
        until(lambda: "waits      for you since" in status(seat))
    assert audited(seat) == []
    assert not os.path.exists(f"{project}/made-by-agent")
