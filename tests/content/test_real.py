"""The agents and skills that ultrawork ships keep to the rules."""

import re

import pytest
import yaml

from support.floor import PLUGIN, REPOSITORY
from support.prompts import front_matter, library, list_complaints
from ultrawork.content import library as shipped
from ultrawork.content.library import AGENT
from ultrawork.content.models import load as load_models
from ultrawork.core.course import judges
from ultrawork.core.plan.task import parse_task
from ultrawork.core.prompt import arming
from ultrawork.core.verdict.gate import Gate
from ultrawork.features.axiom.values import answers, manifest, review
from ultrawork.features.axiom.values import step as axiom_step
from ultrawork.store.codec import loads

REAL = library.load(REPOSITORY)


def test_what_is_shipped_is_in_order():
    assert list_complaints(REAL) == []


def test_the_program_reads_of_each_file_what_the_roster_says():
    found = {(one.kind, one.name): one for one in shipped.load(PLUGIN)}
    assert set(found) == {(one.kind, one.name) for one in REAL.members}
    for member in REAL.members:
        one = found[member.kind, member.name]
        model = REAL.tiers[member.tier] if one.kind == AGENT else ""
        assert (one.trigger, one.listed, one.model) == (member.trigger, member.listed, model)
        assert one.prompt == REAL.body(member)


@pytest.mark.parametrize(("agent", "tier"), [("explore", "low"), ("planner", "high"), ("worker", "given")])
def test_an_agent_has_the_tier_of_the_model_in_its_file(agent, tier):
    assert load_models().agents[agent] == tier == REAL.agents[agent].tier


@pytest.mark.parametrize("path", REAL.files)
def test_yaml_reads_every_head_as_we_do(path):
    lines, _ = front_matter.split(REAL.files[path])
    assert yaml.safe_load("\n".join(lines)) == front_matter.parse_head(lines)


def fenced(member):
    return [loads(block) for block in re.findall(r"```json\n(.*?)```", REAL.body(member), re.DOTALL)]


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


# Axiom's agents that answer a program in a form of their own, and who reads it.
READERS = {
    "axiom-requirement-analyst": answers.read_screening,
    "axiom-system-architect": manifest.parse_manifest,
    "axiom-sub-prd-writer": manifest.parse_manifest,
    "axiom-worker": lambda said: answers.read_worker_answer(said, ""),
    "axiom-evolution-engine": answers.read_reflection,
    **{one.agent: lambda said: review.read_review("ux", said, by="c", draft="d") for one in review.EXPERTS.values()},
}
# Their last message is a paper.
WRITERS = ("axiom-product-designer", "axiom-review-aggregator", "axiom-prd-crafter")
FORMED = ("planner", *READERS, *WRITERS)


@pytest.mark.parametrize("name", READERS)
def test_the_answer_that_an_agent_of_axiom_is_shown_is_one_that_the_program_takes(name):
    (said,) = fenced(REAL.agents[name])
    assert not isinstance(READERS[name](said), str)


def test_every_agent_of_axiom_is_started_by_a_step_or_a_skill():
    """Fourteen of document 004; the names that steps start are those that are shipped."""
    started = {one.agent for one in review.EXPERTS.values()} | {axiom_step.SUB_WRITER}
    started |= {name for name, _ in axiom_step.WRITERS.values()}
    started |= {axiom_step.WORKER.partition(":")[2], "axiom-context-manager"}
    assert started == {name for name in REAL.agents if name.startswith("axiom-")}
    assert len(started) == 14
    assert "axiom-context-manager" in REAL.body(REAL.skills["ax-context"])
    assert len([name for name in REAL.skills if name.startswith("ax-")]) == 14


@pytest.mark.parametrize("name", [name for name in REAL.agents if name not in (*JUDGES, *FORMED)])
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
    readers = [one for one in REAL.agents.values() if "You are read-only" in REAL.body(one)]
    tools = {tool for one in readers for tool in REAL.profiles[one.profile].tools}
    assert tools == {"Read", "Grep", "Glob", "WebFetch", "WebSearch"}
    assert all(REAL.profiles[one.profile].tools for one in readers)


# Bytes that Claude Code writes around a name and a trigger; docs/how-to/write-content.md has the measurements.
AROUND_READER, AROUND_MAKER, AROUND_SKILL = 42, 55, 16
CONTEXT = 8_000


def listed_bytes(member):
    if member.name in REAL.skills and member is REAL.skills[member.name]:
        around = AROUND_SKILL
    else:
        around = AROUND_READER if REAL.profiles[member.profile].tools else AROUND_MAKER
    return around + len(f"{member.name}{member.trigger}".encode())


def test_all_descriptions_and_the_injected_block_stay_within_the_context_budget():
    """The real client measures the same, with the toolbox, in tests/clients/test_content.py."""
    gates = [Gate(f"gate{n}", "TEST", ["c"], "c" * 100, "Makefile:1", "r") for n in range(20)]
    block = arming.write_instruction("g" * 5000, gates)
    total = sum(map(listed_bytes, (one for one in REAL.members if one.listed)))
    assert total + len(block.encode()) <= CONTEXT


def test_no_agent_is_given_skills_or_agents_of_its_own():
    for profile in REAL.profiles.values():
        assert {"Agent", "Skill"} <= set(profile.without) or not {"Agent", "Skill"} & set(profile.tools)


def test_every_agent_has_a_worked_example_and_signs_that_it_goes_wrong():
    bodies = {name: REAL.body(one) for name, one in REAL.agents.items()}
    assert [name for name, body in bodies.items() if "Stop and rethink if " not in body] == []
    shown = ("Example: ", "```json")
    assert [name for name, body in bodies.items() if not any(one in body for one in shown)] == []


# Skills that only pass on what the program prints or does, or that repeat another page, show nothing of their own.
NO_METHOD = {"ralplan", "review", "psm", "hud", "mcp-setup", "trace", "omc-help", "omc-setup", "omc-doctor", "learn-about-omc", "configure-discord", "configure-telegram", "ultrawork-clean", "ultrawork-plan"}  # fmt: skip


def test_every_way_of_working_says_how_one_sees_that_it_goes_wrong():
    """Axiom's skills lead to steps that say it themselves."""
    methods = [one for one in REAL.skills.values() if not one.hook and one.by_hand and one.name not in NO_METHOD]  # fmt: skip
    missing = [one.name for one in methods if "Signs of trouble" not in REAL.body(one)]
    assert [name for name in missing if not name.startswith("ax-")] == []


def test_the_ten_longest_skills_have_a_helper_file_that_is_read_only_when_needed():
    lengths = {name: len(REAL.body(one)) for name, one in REAL.skills.items()}
    longest = sorted(lengths, key=lengths.__getitem__)[-10:]
    helped = {path.split("/")[2] for path in REAL.helpers}
    assert len(helped) >= 10
    assert len(helped.intersection(longest)) >= 8


@pytest.mark.parametrize("name", [name for name, one in REAL.skills.items() if "-reviewer`" in REAL.body(one)])  # fmt: skip
def test_every_skill_that_starts_a_reviewer_gives_it_the_diff_and_the_range(name):
    body = REAL.body(REAL.skills[name])
    assert "ultrawork route --review" in body
    assert "range" in body
    assert "diff" in body


def test_a_model_that_sees_the_descriptions_chooses_the_right_page_for_nine_of_ten_requests():
    """What it chose is kept beside what it saw: another description has to be measured again."""
    path = f"{REPOSITORY}/tests/core/routing/data/pages_chosen.txt"
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    seen = {line[2:] for line in lines if line.startswith("# ") and ": " in line}
    assert {f"{one.name}: {one.trigger}" for one in REAL.skills.values() if one.listed} <= seen
    chosen = [line.split(" | ") for line in lines if not line.startswith("#")]
    right = [page for page, choice, _ in chosen if choice in page.split("/")]
    assert (len(chosen), len(right) / len(chosen) >= 0.9) == (60, True)
