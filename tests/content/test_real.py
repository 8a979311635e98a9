"""The agents and skills that ultrawork ships keep to the rules."""

import re

import pytest
import yaml

from support.floor import REPOSITORY
from ultrawork.content import front_matter, library
from ultrawork.core.course import judges
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


JUDGES = [name for name, one in REAL.agents.items() if "shown_by" in REAL.body(one)]


@pytest.mark.parametrize("name", JUDGES)
def test_judges_are_shown_the_shape_of_a_verdict(name):
    (verdict,) = fenced(REAL.agents[name])
    assert set(verdict) == {"verdict", "findings"}
    assert set(verdict["findings"][0]) == {"what", "where", "severity", "holds", "shown_by"}
    assert judges.read_ruling(verdict) == (judges.REJECTED, verdict["findings"])


@pytest.mark.parametrize("name", [name for name in REAL.agents if name not in (*JUDGES, "planner")])
def test_all_others_are_told_how_their_last_message_ends(name):
    body = REAL.body(REAL.agents[name])
    assert all(f"`{word}" in body for word in ("DONE`", "CONCERNS: ", "BLOCKED: "))


def test_names_that_mean_one_role_have_one_text():
    pairs = {one.name: one.same for one in REAL.agents.values() if one.same}
    assert pairs == {"explore": "explorer", "executor": "worker", "code-reviewer": "reviewer"}
    texts = {name: REAL.body(REAL.agents[name]) for pair in pairs.items() for name in pair}
    assert all(texts[name] == texts[other] for name, other in pairs.items())


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


def test_agents_that_say_they_read_have_nothing_to_write_with():
    readers = [
        one for one in REAL.agents.values() if "You read and change nothing" in REAL.body(one)
    ]
    tools = {tool for one in readers for tool in REAL.profiles[one.profile].tools}
    assert tools == {"Read", "Grep", "Glob", "WebFetch", "WebSearch"}
    assert all(REAL.profiles[one.profile].tools for one in readers)


def test_no_agent_is_given_skills_or_agents_of_its_own():
    for profile in REAL.profiles.values():
        assert {"Agent", "Skill"} <= set(profile.without) or not {"Agent", "Skill"} & set(
            profile.tools
        )
