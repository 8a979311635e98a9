"""`ultrawork run --mode axiom`: a requirement without a client, which still waits for its person where only they decide."""

import json

import pytest

from support.headless import ADDS, FIX, GOAL, PATIENCE, SHOW, Headless, agent, worker
from ultrawork.features.axiom.values import review

pytestmark = pytest.mark.slow
WRONG = {
    "write": "test_calc.py",
    "text": "import unittest\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        self.fail()\n",
}
DRAFT = "# Draft\n\nThe sum of two numbers is their sum, also for zero and below it."
MANIFEST = [{"id": "T-101", "title": "Mend the sum", "hours": 1, "files": ["calc.py"], "criteria": [ADDS]}]
LESSON = {"title": "add was a difference", "files": ["calc.py"], "command": "make test"}


def fenced(value):
    return {"say": f"```json\n{json.dumps(value)}\n```"}


def cast(project, *workers, before=None, **instead):
    """Everybody who answers for a requirement; `before` says what someone does first, `instead` what someone says."""
    first = before or {}
    said = {
        "requirement": fenced({"verdict": "PASS", "clarity": 96}),
        "draft": {"say": DRAFT},
        **{f"review_{part}": fenced({"verdict": "PASS", "findings": []}) for part in review.EXPERTS},
        "rough": {"say": DRAFT.replace("Draft", "Rough")},
        "prd": {"say": DRAFT.replace("Draft", "PRD")},
        "manifest": fenced({"tasks": MANIFEST}),
        "reflection": fenced({"lessons": [LESSON]}),
        **instead,
    }
    papers = [
        agent("planner", *([first[name]] if name in first else []), step, subject=name) for name, step in said.items()
    ]
    project.cast([], *papers, *workers)


@pytest.fixture
def project(tmp_path):
    project = Headless(str(tmp_path))
    cast(
        project,
        worker("T-101", FIX, WRONG, {"say": "COMPLETE: done"}, attempt=1),
        worker("T-101", FIX, SHOW, {"say": "COMPLETE: done"}),
    )
    return project


def status(project):
    return project.call("axiom", "status", "--json").data


def test_a_requirement_waits_at_the_user_gate_and_goes_on_after_the_persons_yes(project):
    answer = project.run("run", "--mode", "axiom", "--backend", "script", GOAL, patience=PATIENCE)
    assert "no one is there to answer" in answer.out + answer.err, answer
    found = status(project)
    assert found["state"] == "CONFIRMING"
    assert "review_ux.md" in found["requirement"]["papers"]
    refused = project.call("axiom", "confirm", "yes", env={"CLAUDECODE": "1"})
    assert "only the user" in refused.err
    assert project.call("axiom", "confirm", "yes").status == 0
    answer = project.run("resume", patience=PATIENCE)
    assert answer.status == 0, answer
    assert "return a + b" in project.read("calc.py") or "a + b" in project.git("show", "--stat", "-p", "HEAD")
    found = status(project)
    assert (found["state"], found["metrics"]["proved"], found["metrics"]["mends"]) == ("IDLE", 1, 1)
    assert found["queue"]["waiting"] == 1
    history = project.call("session", "get", "--json").data["axiom"]["progress"]["history"]
    assert [state for state, _ in history] == [
        "IDLE", "PLANNING", "CONFIRMING", "EXECUTING", "AUTO_FIX", "EXECUTING", "ARCHIVING", "IDLE",
    ]  # fmt: skip


def test_it_cannot_be_asked_to_skip_its_person(project):
    answer = project.call("run", "--mode", "axiom", "--auto", GOAL)
    assert "remove --auto" in answer.err


def test_a_question_waits_for_the_persons_answer_and_a_lesson_holds_as_long_as_its_file(tmp_path):
    project = Headless(str(tmp_path))
    unclear = {"verdict": "CLARIFY", "clarity": 60, "question": "Below zero too?"}
    done = worker("T-101", FIX, SHOW, {"say": "COMPLETE: done"})
    cast(project, done, requirement=fenced(unclear))
    answer = project.run("run", "--mode", "axiom", "--backend", "script", GOAL, patience=PATIENCE)
    assert "Below zero too?" in answer.out + answer.err, answer
    assert status(project)["state"] == "PLANNING"
    cast(project, done)
    assert project.call("axiom", "answer", "yes, below zero too").status == 0
    project.run("resume", patience=PATIENCE)
    assert status(project)["state"] == "CONFIRMING"
    assert project.call("axiom", "confirm", "yes").status == 0
    assert project.run("resume", patience=PATIENCE).status == 0
    (lesson,) = project.call("axiom", "evolve", "--json").data["next"]
    assert project.call("axiom", "accept", str(lesson["id"])).status == 0
    known = project.call("axiom", "knowledge", "difference").out
    assert "add was a difference" in known
    assert "stale" not in known
    project.write("calc.py", "def add(a, b):\n    return sum((a, b))\n")
    assert "stale: moved" in project.call("axiom", "knowledge", "difference").out
