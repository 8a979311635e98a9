"""The scripted agent: what its file may say, and that its process really does it."""

import subprocess
import sys
import time

import pytest

from support.backends import BackendSuite
from support.seats import ScriptSeat
from ultrawork.core.errors import NotFound, UsageError


@pytest.fixture
def seat(tmp_path):
    with ScriptSeat(str(tmp_path)) as seat:
        yield seat


@pytest.fixture
def place(tmp_path):
    return tmp_path / "place"


class TestScript(BackendSuite):
    """What every backend must do."""

    reported = 120


def test_steps_change_files_in_the_agents_place(seat, place):
    (place / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (place / "old.py").write_text("")
    seat.play(
        {"replace": "calc.py", "old": "a - b", "new": "a + b"},
        {"write": "deep/er/new.txt", "text": "one\n"},
        {"append": "deep/er/new.txt", "text": "two\n"},
        {"delete": "old.py"},
        {"say": "done"},
    )
    assert seat.run(seat.attempt()).text == "done"
    assert (place / "calc.py").read_text() == "def add(a, b):\n    return a + b\n"
    assert (place / "deep/er/new.txt").read_text() == "one\ntwo\n"
    assert not (place / "old.py").exists()


def test_a_replacement_that_is_not_there_exactly_once_ends_the_agent_with_the_reason(seat, place):
    (place / "a").write_text("x x")
    seat.play({"replace": "a", "old": "x", "new": "y"}, {"say": "done"})
    outcome = seat.run(seat.attempt())
    assert (outcome.trouble, outcome.detail) == ("crash", "it exited with status 1: a holds 'x' 2 times")
    assert (place / "a").read_text() == "x x"


def test_a_program_is_run_in_the_agents_place_and_its_exit_told(seat, place):
    code = "open('made', 'w').write('x'); raise SystemExit(3)"
    seat.play({"run": [sys.executable, "-c", code]})
    assert seat.run(seat.attempt()).last == "exit 3"
    assert (place / "made").exists()


def test_outside_writes_into_the_main_checkout_of_a_worktree(seat, place, tmp_path):
    main = tmp_path / "main"
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run([*git, "init", "-q", str(main)], check=True)
    subprocess.run([*git, "-C", str(main), "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    place.rmdir()
    subprocess.run([*git, "-C", str(main), "worktree", "add", "-q", str(place)], check=True)
    seat.play({"outside": "made.txt", "text": "here"})
    assert seat.run(seat.attempt()).trouble == ""
    assert (main / "made.txt").read_text() == "here"


def test_a_reader_is_refused_every_change_and_goes_on(seat, place):
    seat.play(
        {"write": "a", "text": "x"}, {"run": ["touch", "b"]}, {"outside": "c", "text": "x"},
        {"say": "read all"},
    )  # fmt: skip
    assert seat.run(seat.attempt(read_only=True)).text == "read all"
    assert list(place.iterdir()) == []


def test_the_first_agent_that_fits_is_played(seat):
    seat.write("""
        [[agent]]
        role = "explorer"
        do = [{ say = "explored" }]
        [[agent]]
        subject = "exp-*"
        do = [{ say = "by pattern" }]
        [[agent]]
        told = "is red"
        do = [{ say = "mended" }]
        [[agent]]
        attempt = 4
        do = [{ say = "fourth" }]
        [[agent]]
        [[agent.do]]
        say = "anything"
    """)
    said = [
        seat.run(seat.attempt(role="explorer")).text,
        seat.run(seat.attempt(subject="exp-2")).text,
        seat.run(seat.attempt("test_add is red")).text,
        seat.run(seat.attempt()).text,
        seat.run(seat.attempt()).text,
    ]
    assert said == ["explored", "by pattern", "mended", "fourth", "anything"]


def test_an_agent_for_which_the_file_has_nothing_fails_and_says_so(seat):
    seat.write('[[agent]]\nsubject = "2"\n')
    outcome = seat.run(seat.attempt())
    assert outcome.trouble == "crash"
    assert outcome.detail == "the script has no entry for the worker at 1, attempt 1"


def test_what_is_spent_adds_up(seat):
    seat.play({"spend": 1000, "usd": 0.25}, {"spend": 500}, {"say": "done"})
    outcome = seat.run(seat.attempt())
    assert (outcome.tokens, outcome.cost_usd) == (1500, 0.25)


def test_a_limit_says_when_to_come_back(seat):
    seat.play({"limit": 90})
    outcome = seat.run(seat.attempt())
    assert outcome.trouble == "limit"
    assert 60 < outcome.retry_at - time.time() <= 90


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[agent]]\ndo = [{ wrote = 'a' }]", "agent 1, step 1: .* is not a step; known: say, write"),
        ("[[agent]]\ndo = [{ write = 'a' }]", 'write takes write, text; check "text"'),
        ("[[agent]]\ndo = [{ sleep = 'a' }]", 'sleep takes sleep; check "sleep"'),
        ("[[agent]]\ndo = [{ say = 'a', loud = 1 }]", 'say takes say; check "loud"'),
        ("[[agent]]\ntask = '1'", 'agent 1: no key "task"; known: role, subject'),
        ("[[agent]]\ndo = 'x'", "do is not a list of steps"),
        ("[agent]\nrole = 'x'", r"agent is not a list; write \[\[agent\]\]"),
        ("[[agent]", "agents.toml: "),
    ],
)
def test_a_mistake_in_the_file_is_told_with_its_place(seat, text, sentence):
    seat.write(text)
    with pytest.raises(UsageError, match=sentence):
        seat.backend.command(seat.attempt(), seat.environ)


def test_without_a_file_there_is_no_scripted_agent(seat):
    assert seat.backend.find_program(seat.environ) is None
    with pytest.raises(NotFound, match="set ULTRAWORK_SCRIPT"):
        seat.backend.command(seat.attempt(), seat.environ)


def test_the_example_of_the_format_is_a_script(seat):
    from ultrawork.clients.headless import script

    lines = script.__doc__.split("order, in its folder:\n\n")[1].split("\n\nThe same")[0]
    seat.write("\n".join(line.removeprefix("    ") for line in lines.splitlines()))
    (agent,) = script.load_agents(seat.environ[script.VARIABLE])
    assert [next(iter(step)) for step in agent["do"]] == ["say", "replace", "write", "run"]
    assert agent["do"][2]["text"].startswith("from calc import add\n\ndef test_add():\n    assert")
