"""
Planning with a person, through the real client in a real terminal.

The scripted model does what the program tells it: explores, stores the plan, asks for the approval.
The answer is typed by the person; the model never learns it in any other way.
"""

import json
import re
import subprocess
import time
from contextlib import ExitStack

import pytest

from support import clients
from support.claude import Claude
from support.driving import ask
from support.floor import PLUGIN
from support.follower import EXPLORER, IDLE_WORKER, VERIFIER, asks, starts, writes
from support.play import FILES, GOAL, PLAN

pytestmark = pytest.mark.client

SESSION = "{{any:session ([0-9a-f]{8}-[0-9a-f-]{27})}}"


def make_storing(plan):
    """The model stores its plan when it is told to plan with the user."""
    given = json.dumps({"tasks": plan})
    command = f"echo '{given}' | ultrawork task create --session {SESSION} --from -"
    return {
        "name": "stores",
        "match": {"agent": "main", "last": "plan with the user"},
        "reply": {"tool": {"name": "Bash", "input": {"command": command}}},
    }


STORES = make_storing(PLAN)
ASKS = asks("Plan", options=3)
WORKERS = {"name": "works", "match": {"agent": "sub", "first": "TASK_ID"}, "reply": {"text": "I leave it."}}
SCRIPT = [EXPLORER, WORKERS, STORES, ASKS, *starts(), {"match": {"agent": "main"}, "reply": {"text": "Waiting."}}]  # fmt: skip


@pytest.fixture
def seated(seat_at, project):
    """A function from a script to a seat in the project."""
    for name, text in FILES.items():
        (project / name).write_text(text)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "texts"]):
        subprocess.run([*git, *words], cwd=project, check=True, capture_output=True)
    program = clients.program(clients.CLAUDE, clients.NEWEST)
    return lambda script, **options: seat_at(Claude, program, script, **options)


@pytest.fixture
def seat(seated):
    return seated(SCRIPT)


@pytest.fixture
def without(seat):
    """A function from what is switched off to the terminal at which the question stands."""
    with ExitStack() as opened:

        def asked(skipped):
            seat.env["ULTRAWORK_SKIP_HOOKS"] = skipped
            options = {"plugins": [PLUGIN], "allowed": ["Bash", "Agent"]}
            terminal = opened.enter_context(seat.terminal(**options))
            terminal.submit(f"/ultrawork:ultrawork {GOAL}")
            terminal.wait_for("Go on with this plan?", timeout=120)
            terminal.settle(timeout=3)
            return terminal

        yield asked


def session(seat):
    return ask(seat, "session", "get")


def until(true, terminal, seconds=60):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, terminal.screen.text()
        terminal.settle(timeout=1)


@pytest.fixture
def asked(seat):
    """The terminal at the moment at which the question stands on the screen."""
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash", "Agent"]) as terminal:
        terminal.submit(f"/ultrawork:ultrawork {GOAL}")
        terminal.wait_for("Go on with this plan?", timeout=120)
        terminal.settle(timeout=3)
        assert session(seat)["plan"]["approved_at"] is None
        assert session(seat)["phase"] == "PLANNING"
        yield terminal


def test_approving_begins_the_execution(asked, seat):
    """The plan stands above the question whatever the model shows, and each task is told as it begins."""
    shown = asked.screen.text()
    assert "Done means" in shown, shown
    assert "grep -q right b.txt" in shown
    assert "Wave 2: [b, c] after wave 1" in shown
    assert "Stop hook error" not in shown
    asked.choose("1")
    until(lambda: session(seat)["phase"] == "EXECUTION", asked)
    assert session(seat)["plan"]["approved_at"]
    asked.wait_for("ultrawork: 3 tasks, round 1 of 5", timeout=30)
    asked.wait_for("ultrawork: a begins (sonnet): Correct a (0 of 3)", timeout=30)
    until(lambda: any(one.get("rule") == "works" for one in seat.model.requests), asked)
    asked.wait_for("ultrawork: a failed, ", timeout=60)


@pytest.mark.release
def test_without_answers_the_persons_yes_is_never_known(without, seat):
    """The model hears it and goes on as it likes; the program asks again."""
    terminal = without("answers")
    before = len(seat.model.requests)
    terminal.choose("1")
    until(lambda: any(one["agent"] == "main" for one in seat.model.requests[before:]), terminal)
    found = session(seat)
    assert (found["phase"], found["plan"]["approved_at"]) == ("PLANNING", None)


DENIED, ASKED = "ask the question without answers. The user answers it", "Enter to select"


@pytest.mark.parametrize(
    ("skipped", "seen"), [("", DENIED), pytest.param("questions", ASKED, marks=pytest.mark.release)]
)
def test_a_question_with_the_models_own_answer_is_denied_unless_that_is_off(seated, skipped, seen):
    asks = json.loads(json.dumps(ASKS))
    asks["reply"]["tool"]["input"]["answers"] = {"Go on with this plan?": "Approve"}
    seat = seated([asks, *SCRIPT], env={"ULTRAWORK_SKIP_HOOKS": skipped})
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash", "Agent"]) as terminal:
        terminal.submit(f"/ultrawork:ultrawork {GOAL}")
        terminal.wait_until(lambda screen: DENIED in screen or ASKED in screen, "an end", 120)
        assert seen in terminal.screen.text()


@pytest.mark.release
def test_wanted_changes_lead_back_to_planning_and_to_the_question(asked, seat):
    """Typed at the question, in the person's own words."""
    typed_answer(asked, "smaller steps")
    until(lambda: session(seat)["plan"]["version"] == 2, asked)
    assert any("smaller steps" in json.dumps(one["body"]) for one in seat.model.requests)
    assert session(seat)["plan"]["approved_at"] is None
    until(lambda: "1. Approve" in asked.screen.text(), asked)
    asked.settle(timeout=3)
    asked.choose("1")
    until(lambda: session(seat)["phase"] == "EXECUTION", asked)


# Its own criterion does not see that c is wrong; the gate does.
LOOSE = [*PLAN[:2], {**PLAN[2], "criteria": ["test -f c.txt"]}]


def make_running(agent, sign):
    """Who is told to run one of our commands runs it: where not everything is allowed, hooks start nothing."""
    command = "{{last:" + sign + "`([^`]+)`}}"
    return {
        "match": {"agent": agent, "last": f"{sign}`ultrawork [^`]+`"},
        "reply": {"tool": {"name": "Bash", "input": {"command": command}}},
    }


WHOLE = [
    EXPLORER,
    VERIFIER,
    make_running("sub", "Next: run "),
    make_running("main", "Run "),
    writes("a"),
    writes("b"),
    writes("mend-2", file="c.txt"),
    IDLE_WORKER,
    *(one for one in SCRIPT if one not in (EXPLORER, WORKERS, STORES)),
]


def test_a_plan_is_changed_verification_is_red_and_a_second_round_ends_in_pass(seated):
    """One session from its goal to its verdict, with all that can go otherwise on the way."""
    seat = seated([make_storing(LOOSE), *WHOLE])
    with seat.terminal(plugins=[PLUGIN], allowed=["Bash", "Agent"]) as terminal:
        terminal.submit(f"/ultrawork:ultrawork {GOAL}")
        terminal.wait_for("Go on with this plan?", timeout=120)
        terminal.settle(timeout=3)
        typed_answer(terminal, "smaller steps")
        until(lambda: session(seat)["plan"]["version"] == 2, terminal)
        until(lambda: "1. Approve" in terminal.screen.text(), terminal)
        terminal.settle(timeout=3)
        terminal.choose("1")
        terminal.wait_for("ultrawork: a resolved (", timeout=120)
        terminal.wait_for("verification failed, round 2 of 5", timeout=120)
        terminal.wait_for("ultrawork: PASS", timeout=120)
    found = session(seat)
    assert (found["phase"], found["verdict"], found["iteration"]) == ("COMPLETE", "PASS", 2)
    assert {one: task["status"] for one, task in tasks(seat).items()} == dict.fromkeys(
        ("a", "b", "c", "mend-2", "verify"), "resolved"
    )


@pytest.mark.release
def test_cancelling_ends_it_and_nothing_was_executed(asked, seat):
    asked.choose("3")
    until(lambda: session(seat)["phase"] == "CANCELLED", asked)
    assert not any(one.get("rule") == "works" for one in seat.model.requests)


@pytest.mark.release
def test_retries_used_up_are_put_to_the_person_who_skips_with_words_of_their_own(asked, seat):
    """The worker leaves its task undone three times; the reason is typed, not chosen."""
    asked.choose("1")
    asked.wait_for("What about the failed tasks?", timeout=150)
    asked.settle(timeout=3)
    assert session(seat)["iteration"] == 1
    asked.choose("2")
    asked.wait_for("Why are they skipped?", timeout=60)
    asked.settle(timeout=3)
    typed_answer(asked, "the texts are kept by others")
    until(lambda: tasks(seat)["a"]["status"] == "skipped", asked)
    assert tasks(seat)["a"]["reason"] == "skipped by you: the texts are kept by others"


def typed_answer(terminal, words):
    """One entry of the client's list takes words."""
    screen = terminal.wait_for("Type something", timeout=60)
    (number,) = re.findall(r"(\d)\. Type something", screen)
    terminal.type(number)
    terminal.settle(timeout=2)
    terminal.type(words)
    terminal.wait_for(words.rsplit(maxsplit=1)[-1])
    terminal.settle(timeout=2)
    terminal.type("\r")


def tasks(seat):
    return {one["id"]: one for one in ask(seat, "task", "list")["tasks"]}
