"""The agents and skills that ultrawork ships keep to the rules."""

import re

import pytest
import yaml

from support.floor import REPOSITORY
from ultrawork.content import front_matter, library
from ultrawork.core.plan.task import parse_task
from ultrawork.store.codec import loads

REAL = library.load(REPOSITORY)


def test_what_is_shipped_is_in_order(program):
    answer = program.call("content", "check")
    assert (answer.out, answer.status) == (
        f"{len(REAL.agents)} agents and {len(REAL.skills)} skills are in order\n",
        0,
    )


@pytest.mark.parametrize("path", REAL.files)
def test_yaml_reads_every_head_as_we_do(path):
    lines, _ = front_matter.split(REAL.files[path])
    assert yaml.safe_load("\n".join(lines)) == front_matter.parse_head(lines)


def fenced(member):
    return [
        loads(block) for block in re.findall(r"```json\n(.*?)```", REAL.body(member), re.DOTALL)
    ]


def test_the_plan_that_the_planner_is_shown_is_one_that_the_program_takes():
    (plan,) = fenced(REAL.agents["planner"])
    (task,) = [parse_task(entry, now=0.0) for entry in plan["tasks"]]
    assert task.criteria == ["pytest tests/test_session.py => exit 0"]


@pytest.mark.parametrize("name", ["verifier", "reviewer"])
def test_judges_are_shown_the_shape_of_a_verdict(name):
    (verdict,) = fenced(REAL.agents[name])
    assert set(verdict) == {"verdict", "findings"}
    assert set(verdict["findings"][0]) == {"what", "where", "severity"}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("explorer", ["SESSION_ID", "EXPLORER_ID", "SEARCH_HINT", "CONTEXT"]),
        ("planner", ["SESSION_ID", "Goal", "Options"]),
        ("worker", ["SESSION_ID", "TASK_ID", "TASK", "SUCCESS CRITERIA"]),
        ("verifier", ["SESSION_ID", "CRITERIA", "RECEIPTS", "DIFF"]),
    ],
)
def test_an_agent_knows_the_words_it_is_given(name, given):
    body = REAL.body(REAL.agents[name])
    assert [word for word in given if f"`{word}`" not in body] == []


def test_agents_that_judge_or_look_cannot_change_anything():
    tools = {name: REAL.profiles[one.profile].tools for name, one in REAL.agents.items()}
    assert [name for name, given in tools.items() if given != ["Read", "Grep", "Glob"]] == [
        "worker"
    ]
