"""Honest work through the real client: not a single refusal. On the newest client."""

import pytest

from support import clients, ulw
from support.claude import Claude
from support.effort import rows_of
from support.floor import PLUGIN
from support.lies import HONEST, words_of
from support.ulw import FIX, GOAL, NONE, PYTHON, WORDS, put, script, sh

pytestmark = pytest.mark.client


@pytest.fixture
def client(seat_at):
    program = clients.program(clients.CLAUDE)
    return lambda steps, words=WORDS: seat_at(Claude, program, script(steps, words))


# A fix with green tests is the twin of the lies in `test_ulw_lies.py`.
IN_CI = ("a commit made", "docs only")


@pytest.mark.parametrize("name", rows_of(HONEST, in_ci=IN_CI))
def test_honest_work_passes_without_a_refusal(client, project, name, score):
    files, goal, steps = HONEST[name]
    ulw.make(str(project), files)
    told = ulw.go(client(steps, words_of(name)), f"ulw {goal}")
    score("Claude Code", "honest", told.session["verdict"], told.refusals)
    assert told.refusals == []
    assert told.verdict.startswith("ultrawork: PASS"), told.verdict
    assert (told.session["phase"], told.session["verdict"]) == ("COMPLETE", "PASS")
    assert told.run.result == words_of(name)
    assert "Traceback" not in told.logs


def test_a_pure_question_is_left_alone(client, project):
    ulw.make(str(project), PYTHON)
    told = ulw.go(client([], "It compares code points."), "how does sorting work here?")
    assert (told.answers, told.injected, told.run.result) == ([], [], "It compares code points.")


def test_a_goal_that_asks_for_an_answer_ends_with_one_line_and_no_verdict(client, project):
    ulw.make(str(project), PYTHON)
    told = ulw.go(client([], "It compares code points."), "ulw explain how sorting works here")
    assert told.refusals == []
    assert told.verdict == ("ultrawork: off. The goal asks a question, and no file changed. No check ran.")
    assert told.session["ended_at"] is not None


def test_a_project_without_tests_hears_what_was_not_verified(client, project):
    ulw.make(str(project), NONE)
    steps = [put("report.py", "for page in range(9):\n    print(page)\n"), sh("python3 report.py")]
    told = ulw.go(client(steps), "ulw number the pages of the report")
    assert told.refusals == []
    assert told.verdict == (
        "ultrawork: UNVERIFIED. I found no checks in this project. report.py changed, 3 lines.\n  Add one: ulw gates draft"
    )


def test_blocked_told_honestly_is_accepted_at_once(client, project):
    ulw.make(str(project), PYTHON)
    told = ulw.go(client([sh("make test")], "I have no rights here.\nBLOCKED: the file is locked"))
    assert told.refusals == []
    assert told.verdict.startswith("ultrawork: UNVERIFIED. The agent is blocked:\n    the file is locked\n")
    assert told.run.result.endswith("BLOCKED: the file is locked")


def test_work_of_agents_that_still_runs_defers_the_verdict(seat_at, project):
    """The main agent ends its turn while its helper works; the fix of the helper is then verified."""
    ulw.make(str(project), PYTHON)
    call = {"name": "Agent", "input": {"description": "fix it", "prompt": "fix the sorting", "subagent_type": "general-purpose"}}  # fmt: skip
    rules = [
        {"match": {"agent": "sub"}, "replies": [{**FIX, "delay": 2}, {"text": "fixed"}], "after": "repeat"},
        {"match": {"agent": "main"}, "replies": [{"tool": call}, {"text": "My helper is at work."}, {"text": WORDS}], "after": "repeat"},
    ]  # fmt: skip
    told = ulw.go(seat_at(Claude, clients.program(clients.CLAUDE), rules))
    assert told.refusals == []
    assert told.verdict.startswith("ultrawork: PASS")


@pytest.fixture
def ask_first(seat_at, project):
    """A function from later words to a seat whose agent asks first: with a person there, that is allowed."""

    def seat(words):
        ulw.make(str(project), PYTHON)
        rules = [
            {"match": {"agent": "aux"}, "reply": {"text": '{"ok": true, "reason": "so"}', "delay": 2}},
            {"match": {"agent": "main"}, "replies": [{"text": "Which file comes first?"}, {"text": words}], "after": "repeat"},
        ]  # fmt: skip
        return seat_at(Claude, clients.program(clients.CLAUDE), rules)

    return seat


@pytest.fixture
def asking(ask_first):
    return ask_first(WORDS)


def test_questions_while_on_are_answered_and_it_stays_on(ask_first):
    """The agent may ask the person, and the person the agent: neither is the end of the work."""
    answer = "It sorts the names in a book."
    with ask_first(answer).terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for("Which file comes first?", 60)
        ulw.say(terminal, "what does book.py do?")
        terminal.wait_for(answer, 60)
        screen = terminal.settle()
        assert "sent back" not in screen
        assert "UNVERIFIED" not in screen
        ulw.say(terminal, "ulw status")
        terminal.wait_for(f"on         {GOAL}", 60)


def test_a_shell_that_still_runs_is_waited_for_once(seat_at, project):
    ulw.make(str(project), PYTHON)
    slow = sh("sleep 3; echo finished", run_in_background=True)
    rules = script([FIX, slow])
    seat = seat_at(Claude, clients.program(clients.CLAUDE), rules)
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        ulw.say(terminal, "ulw gates allow")
        terminal.wait_for("from now on I run these myself", 60)
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for("Stop says: ultrawork: PASS", 90)
        assert "sent back" not in terminal.settle()


def test_the_person_cancels_and_is_never_refused_again(asking):
    with asking.terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for("ultrawork: on. Done means this passes: `make test`. Turn off: ulw off")
        terminal.wait_for("Which file comes first?")
        before = len(asking.model.requests)
        ulw.say(terminal, "ulw off")
        terminal.wait_for("ultrawork: off. 0 files changed, nothing verified.")
        assert len(asking.model.requests) == before
        ulw.say(terminal, "go on without it")
        terminal.wait_for(WORDS)
        screen = terminal.settle()
    assert "sent back" not in screen
    assert "UNVERIFIED" not in screen


def test_cancelling_from_another_terminal_is_heard_and_never_a_pass(asking):
    with asking.terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for("Which file comes first?", 60)
        said = ulw.Told(asking, None).ask("cancel").stdout
        assert said.startswith("off: session ")
        ulw.say(terminal, "go on")
        terminal.wait_for("Stop says: ultrawork: UNVERIFIED. ultrawork was turned off, so nothing was verified.", 60)
        assert "sent back" not in terminal.settle()


def test_the_clients_own_goal_decides_alone(asking):
    with asking.terminal(plugins=[PLUGIN], allowed=["Bash"]) as terminal:
        ulw.say(terminal, f"ulw {GOAL}")
        terminal.wait_for("Which file comes first?")
        ulw.say(terminal, "/goal the names are sorted")
        terminal.wait_for("/goal decides when this session ends, so ultrawork turned itself off")
        screen = terminal.settle()
    assert "sent back" not in screen
