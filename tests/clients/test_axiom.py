"""
A requirement through the real client, in a real terminal: every gate, a red run, a mend, a block, and what was learned.

The scripted model conducts and its agents answer; the person types. What a model says about itself never counts.
"""

import json
import subprocess
import time

import pytest

from support import clients
from support.axiom_play import DRAFT, FILES, GOAL, MANIFEST, PRD, ROUGH
from support.claude import Claude
from support.driving import ask
from support.floor import REPOSITORY
from support.follower import PASSES, starts
from support.play import fenced

pytestmark = pytest.mark.client
LESSON = {"title": "Every text says right or wrong", "files": ["check.sh"], "command": "make test"}


def agent(first, *texts):
    """A paper, or several ones after another."""
    replies = [{"text": text} for text in texts]
    return {"match": {"agent": "sub", "first": first}, "scope": "global", "replies": replies}


def worker(task, *commands):
    replies = [{"tool": {"name": "Bash", "input": {"command": one}}} for one in commands]
    match = {"agent": "sub", "first": rf"TASK_ID: {task}\b", "turn": 1}
    return {"match": match, "scope": "global", "replies": replies}


ASKS = {
    "name": "asks",
    "match": {"agent": "main", "last": "Ask with AskUserQuestion: "},
    "reply": {
        "tool": {
            "name": "AskUserQuestion",
            "input": {
                "questions": [
                    {
                        "question": "{{last:Ask with AskUserQuestion: ([^\\n]+)}}",
                        "header": "Axiom",
                        "multiSelect": False,
                        "options": [
                            {"label": "{{last:Options: ([^/\\n]+) / }}", "description": "one"},
                            {
                                "label": "{{last:Options: [^/\\n]+ / ([^/\\n]+)}}",
                                "description": "two",
                            },
                        ],
                    }
                ]
            },
        }
    },
}
VERIFIES = {
    "name": "verifies",
    "match": {"agent": "main", "last": "Run `ultrawork verify --session"},
    "reply": {"tool": {"name": "Bash", "input": {"command": "ultrawork verify --session {{last:verify --session ([0-9a-f-]+)}}"}}},
}  # fmt: skip
CHECKS = {
    "match": {"agent": "sub", "last": "run `ultrawork task check"},
    "reply": {"tool": {"name": "Bash", "input": {"command": "{{last:run `(ultrawork task check [^`]+)`}}"}}},
}  # fmt: skip
CLARIFY = fenced(
    {
        "verdict": "CLARIFY",
        "clarity": 60,
        "question": "Which texts?",
        "options": ["all three", "only a"],
    }
)
CLEAR = fenced({"verdict": "PASS", "clarity": 95})
SCRIPT = [
    agent("PART: requirement", CLARIFY, CLEAR),
    agent("PART: draft", DRAFT),
    agent("PART: review_", *[fenced({"verdict": "PASS", "findings": []})] * 5),
    agent("PART: rough", ROUGH),
    agent("PART: prd", PRD),
    agent("PART: manifest", fenced({"tasks": list(MANIFEST)})),
    agent("PART: reflection", fenced({"lessons": [LESSON]})),
    worker("T-101", "echo right > a.txt; echo gone > b.txt", "echo wrong > b.txt"),
    worker("T-102", *["echo gone > c.txt; echo right > b.txt"] * 3, "echo right > c.txt"),
    CHECKS,
    {"match": {"agent": "sub", "first": "TASK_ID"}, "reply": {"text": "COMPLETE: done"}},
    {"match": {"agent": "sub", "first": "RECEIPTS"}, "reply": {"text": PASSES}},
    ASKS,
    VERIFIES,
    *starts(),
    {"name": "idle", "match": {"agent": "main"}, "reply": {"text": "Waiting."}},
]


@pytest.fixture
def seat(seat_at, project):
    for name, text in FILES.items():
        (project / name).write_text(text)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "texts"]):
        subprocess.run([*git, *words], cwd=project, check=True, capture_output=True)
    return seat_at(Claude, clients.program(clients.CLAUDE, clients.NEWEST), SCRIPT)


def state(seat):
    return ask(seat, "session", "get")["axiom"]["progress"]


def answer(terminal, question, key):
    terminal.wait_for(question, timeout=150)
    terminal.settle(timeout=3)
    terminal.type(key)


def until(true, terminal, seconds=150):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, terminal.screen.text()
        terminal.settle(timeout=1)


def test_from_a_typed_requirement_to_its_archive(seat):
    with seat.terminal(plugins=[REPOSITORY], allowed=["Bash", "Agent"]) as terminal:
        terminal.submit(f"/ultrawork:ax-draft {GOAL}")
        answer(terminal, "Which texts?", "1")
        answer(terminal, "The PRD is written. Build it as it stands?", "1")
        answer(terminal, "The work is blocked. How does it go on?", "1")
        until(lambda: ask(seat, "session", "get")["phase"] == "COMPLETE", terminal)
    found = ask(seat, "session", "get")
    assert found["verdict"] == "PASS"
    walked = [one for one, _ in state(seat)["history"]]
    assert walked == [
        "IDLE", "PLANNING", "CONFIRMING", "EXECUTING", "AUTO_FIX", "EXECUTING", "AUTO_FIX", "BLOCKED",
        "EXECUTING", "ARCHIVING", "IDLE",
    ]  # fmt: skip
    told = lesson_told(seat)
    assert "Every text says right or wrong" in told
    with open(f"{seat.project}/check.sh", "a", encoding="utf-8") as file:
        file.write("# moved\n")
    assert "Every text says right or wrong" not in lesson_told(seat)


def lesson_told(seat):
    """What the model of a new session hears when the person speaks of the texts."""
    subprocess.run(
        [f"{REPOSITORY}/bin/ultrawork", "axiom", "evolve", "--yes"],
        env=seat.env, cwd=seat.project, check=True, capture_output=True,
    )  # fmt: skip
    before = len(seat.model.requests)
    seat.run("which texts say right or wrong", plugins=[REPOSITORY])
    return json.dumps([one["body"] for one in seat.model.requests[before:]])
