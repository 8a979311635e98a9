"""Answers of catalogue agents: findings with path, line, severity and command are kept, states are traced."""

import json
import re

import pytest

from support.floor import REPOSITORY
from support.prompts import library
from support.scene import QUICK, SESSION, Scene
from ultrawork.hooks.agent_answers import UNREAD, find_last_state
from ultrawork.store import reviews, trace

REAL = library.load(REPOSITORY)
FINDING = {"what": "logout keeps the token", "where": "auth/session.py:41", "severity": "P0", "shown_by": "pytest tests/x.py"}  # fmt: skip


@pytest.fixture
def scene(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    scene.prompt("ulw change the words")
    return scene


def ends(scene, agent, message):
    scene.event("SubagentStop", agent_id="a1", agent_type=agent, last_assistant_message=message)


def kept(scene):
    return reviews.list_claims(scene.state_folder, scene.place)


def traced(scene):
    entries = trace.read_all(scene.state_folder, SESSION)
    return [one["what"] for one in entries if one.get("kind") == "agents"]


def test_findings_are_kept_with_path_line_severity_and_command(scene):
    given = {"verdict": "FAIL", "findings": [FINDING, {"what": "a long name", "severity": "P2"}]}
    ends(scene, "ultrawork:security-reviewer", f"It leaks.\n```json\n{json.dumps(given)}\n```")
    first, second = kept(scene)
    assert (first.reviewer, first.title) == ("ultrawork:security-reviewer", FINDING["what"])
    assert (first.path, first.line, first.severity) == ("auth/session.py", 41, "critical")
    assert (first.command, first.status) == ("pytest tests/x.py", "pending")
    assert (second.severity, second.status) == ("low", "opinion")
    assert traced(scene) == ["security-reviewer: FAIL, 2 findings, 1 with a command"]
    shown = scene.run("review")
    assert "auth/session.py:41" in shown


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("It is in three parts.\nDONE", "architect: DONE"),
        ("Half of it.\n\nBLOCKED: no database here", "architect: BLOCKED: no database here"),
        ('```json\n{"tasks": [{}, {}]}\n```', "architect: a plan of 2 tasks"),
        ("I looked at it.", f"architect: {UNREAD}"),
        ("", f"architect: {UNREAD}"),
    ],
)
def test_a_state_stands_in_the_trace(scene, message, told):
    ends(scene, "ultrawork:architect", message)
    assert traced(scene) == [told]
    assert kept(scene) == []


def test_agents_of_others_and_sessions_that_are_off_are_left_alone(scene, tmp_path):
    ends(scene, "Explore", "x\nDONE")
    assert traced(scene) == []
    off = Scene(str(tmp_path / "off"), QUICK)
    ends(off, "ultrawork:architect", "x\nDONE")
    assert traced(off) == []


def test_every_agent_asks_for_an_answer_that_is_read():
    """By its page: a verdict as JSON, a report with a state, or a plan, which planned sessions take."""
    unread = [
        name
        for name, one in REAL.agents.items()
        if not name.startswith("axiom-") and not (re.search(r'"findings": \[', REAL.body(one)) or "`BLOCKED: " in REAL.body(one) or '"tasks"' in REAL.body(one))
    ]  # fmt: skip
    assert unread == []
    assert find_last_state("x\n`DONE`") == "DONE"
