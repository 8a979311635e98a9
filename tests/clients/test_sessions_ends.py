"""Endings of planned sessions through the real client: undone work, direct execution, taken up after a let-go."""

import subprocess

import pytest

from support import clients
from support.claude import Claude
from support.driving import ask, ended, go, statuses
from support.effort import rows_of
from support.follower import EXPLORER, GOOD, IDLE_WORKER, PLANNER, SPEC, VERIFIER, WORKERS, follower, writes
from support.play import FILES, GOAL, entry, fenced

pytestmark = pytest.mark.client
# The one gate sees c alone: what becomes of a and b only their own criteria tell.
BLIND = "test:\n\t@grep -q right c.txt && echo 1 passed\n"


@pytest.fixture
def texts(project):
    for name, text in FILES.items():
        (project / name).write_text(text)
    return project


@pytest.fixture
def newest(seat_at):
    program = clients.program(clients.CLAUDE, clients.NEWEST)
    return lambda script: seat_at(Claude, program, script)


def commit(folder):
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "texts"]):
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def test_a_worker_that_undoes_anothers_work_is_named_and_a_second_round_mends_it(newest, texts):
    (texts / "Makefile").write_text(BLIND)
    commit(texts)
    plan = [entry("a"), entry("b", "a"), entry("c", "b")]
    planner = {**PLANNER, "reply": {"text": fenced({"tasks": plan})}}
    undoing = writes("b", words="right > b.txt; echo wrong", file="a.txt")
    workers = [undoing, writes("a"), writes("c"), IDLE_WORKER]
    seat = newest(follower(EXPLORER, planner, VERIFIER, *workers))
    run = go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    assert ended(seat) == ("COMPLETE", "PASS"), run.said
    assert ask(seat, "session", "get")["iteration"] == 2
    assert [(texts / f"{name}.txt").read_text() for name in "abc"] == ["right\n"] * 3
    again = [one for one in seat.model.requests if "since task b ended" in str(one)]
    assert again, "the worker of the second round hears who undid it"


NOTED = "grep -q fixed NOTES.md"


@pytest.mark.parametrize("skill", rows_of(["ultrawork --auto", "team", "autopilot"], in_ci=["ultrawork --auto"]))
def test_a_criterion_that_the_plan_made_up_proves_nothing(newest, project, skill):
    """A project without checks: the note is written, the bug stays, and every judge agrees."""
    (project / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    commit(project)
    planner = {**PLANNER, "reply": {"text": fenced({"tasks": [entry("a", criteria=[NOTED])]})}}
    prd = {
        "match": {"agent": "sub", "first": "Write acceptance criteria"},
        "reply": {"text": fenced({"criteria": [f"{NOTED} => exit 0"]})},
    }
    notes = writes("a", words="fixed", file="NOTES.md")
    seat = newest(follower(EXPLORER, SPEC, prd, planner, VERIFIER, notes, IDLE_WORKER))
    run = go(seat, f"/ultrawork:{skill} fix add in calc.py, it subtracts")
    assert ended(seat)[1] == "UNVERIFIED", run.said
    shown = ask(seat, "report")["markdown"]
    assert "this project has no checks" in shown
    assert "proves nothing: it only checks NOTES.md, which this work wrote" in shown


@pytest.mark.release
@pytest.mark.parametrize(
    "words",
    [
        ["All criteria hold. Verdict: PASS"],
        [fenced({"verdict": "pass", "findings": []})],
        ["It all looks like a PASS to me.", fenced({"verdict": "PASS", "findings": []})],
    ],
    ids=["prose", "small letters", "asked once more"],
)
def test_the_form_of_a_verdict_costs_no_round(newest, texts, words):
    commit(texts)
    verifier = {**VERIFIER, "replies": [{"text": one} for one in words]}
    del verifier["reply"]
    seat = newest(follower(EXPLORER, PLANNER, verifier, *WORKERS))
    run = go(seat, f"/ultrawork:ultrawork --auto --max-iterations 1 {GOAL}")
    assert ended(seat) == ("COMPLETE", "PASS"), run.said
    assert "mend-2" not in statuses(seat)


@pytest.mark.release
def test_a_verifier_that_gives_no_verdict_when_asked_again_leaves_it_unverified(newest, texts):
    commit(texts)
    verifier = {**VERIFIER, "reply": {"text": "I have looked at everything."}}
    seat = newest(follower(EXPLORER, PLANNER, verifier, *WORKERS))
    go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    assert ended(seat)[1] == "UNVERIFIED"
    assert "mend-2" not in statuses(seat)
    assert "gave no readable verdict" in ask(seat, "report")["markdown"]


SAYS_IT = {
    "name": "says",
    "match": {"agent": "main", "last": "end with this as your last line: "},
    "reply": {"text": "All of it was tried.\n{{last:as your last line: ([^\\n]+)}}"},
}


@pytest.mark.parametrize(
    ("workers", "word"),
    [pytest.param(WORKERS, "PASS", marks=pytest.mark.release), ([writes("a"), writes("b"), IDLE_WORKER], "FAILED")],
)
def test_an_unattended_client_ends_with_the_verdict_as_its_last_line(newest, texts, workers, word):
    commit(texts)
    seat = newest([SAYS_IT, *follower(EXPLORER, PLANNER, VERIFIER, *workers)])
    run = go(seat, f"/ultrawork:ultrawork --auto --max-iterations 1 {GOAL}")
    last = run.result.splitlines()[-1]
    assert last.startswith(f"ultrawork: {word}")
    assert last.endswith("To get it as an exit status: ultrawork with claude -p …")


STRANGER = {
    "match": {"agent": "main", "last": "TASK_ID: a"},
    "times": 1,
    "reply": {
        "tool": {
            "name": "Agent",
            "input": {
                "description": "does it all",
                "subagent_type": "general-purpose",
                "prompt": "STRANGE: correct the texts",
            },
        }
    },
}


@pytest.mark.parametrize(
    ("command", "seen"),
    [
        ("echo right > a.txt", "the orchestrator does not"),
        pytest.param("python3 fix.py", "the orchestrator changed a.txt through the shell", marks=pytest.mark.release),
    ],
)
def test_an_agent_that_is_no_worker_does_not_do_the_work_in_silence(newest, texts, command, seen):
    """Held where the command says that it writes, else said."""
    (texts / "fix.py").write_text("open('a.txt', 'w').write('right\\n')\n")
    commit(texts)
    does = {
        "match": {"agent": "sub", "first": "STRANGE", "turn": 1},
        "reply": {"tool": {"name": "Bash", "input": {"command": command}}},
    }
    ends = {"match": {"agent": "sub", "first": "STRANGE"}, "reply": {"text": "Done."}}
    seat = newest([does, ends, STRANGER, *GOOD])
    run = go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    assert seen in f"{run.notices} {[str(one['body']) for one in seat.model.requests]}"


CHECK = r"When done, run `([^`]+ task check --session \S+ --id \w+)`"


def test_direct_execution_is_done_by_the_main_agent_and_checked_like_any(newest, texts):
    commit(texts)
    itself = {
        "name": "itself",
        "match": {"agent": "main", "last": CHECK},
        "reply": {
            "tool": {
                "name": "Bash",
                "input": {
                    "command": r"echo right > {{last:When done, run [^\n]* --id (\w+)`}}.txt; {{last:" + CHECK + "}}",
                    "description": "as told",
                },
            }
        },
    }
    seat = newest([itself, *follower(EXPLORER, PLANNER, VERIFIER)])
    run = go(seat, f"/ultrawork:ultrawork --auto {GOAL}, without agents")
    assert ended(seat) == ("COMPLETE", "PASS"), run.said
    tasks = {task["id"]: task for task in ask(seat, "task", "list")["tasks"]}
    assert "the main agent did it, as you asked" in tasks["c"]["evidence"]
    assert not [one for one in seat.model.requests if "TASK_ID: a\n" in str(one.get("first", ""))]


@pytest.mark.release
def test_what_was_let_go_is_taken_up_and_completed(newest, texts):
    commit(texts)
    lazy = {
        "name": "lazy",
        "match": {"agent": "main", "last": "TASK_ID: a"},
        "times": 3,
        "reply": {"text": "I stop here."},
    }
    seat = newest([lazy, *GOOD])
    first = go(seat, f"/ultrawork:ultrawork --auto {GOAL}")
    assert ended(seat)[1] == "UNVERIFIED"
    assert set(statuses(seat).values()) == {"pending"}
    go(seat, "/ultrawork:ultrawork-exec", resume=first.session)
    assert ended(seat) == ("COMPLETE", "PASS")


ONCE_MORE = {
    "match": {"agent": "main", "last": "once more"},
    "reply": {
        "tool": {
            "name": "Agent",
            "input": {"description": "as told before", "subagent_type": "ultrawork:worker", "prompt": "TASK_ID: a"},
        }
    },
}


@pytest.mark.parametrize("skipped", rows_of(["", "ended-sessions"], in_ci=[""]))
def test_after_a_cancel_no_worker_is_started_in_a_later_turn_unless_that_is_off(newest, texts, skipped):
    commit(texts)
    seat = newest([ONCE_MORE, *GOOD])
    first = go(seat, f"/ultrawork:ultrawork --auto --plan-only {GOAL}")
    ask(seat, "cancel", "--session", "last")
    seat.env["ULTRAWORK_SKIP_HOOKS"] = skipped
    go(seat, "once more", resume=first.session)
    told = "has ended, so ultrawork:worker cannot start for it"
    assert any(told in str(one["body"]) for one in seat.model.requests) is not bool(skipped)
