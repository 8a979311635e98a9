"""Every agent and skill that document 004 names is there under its name, as strong and as harmless as it says."""

import pytest

from support import conformance
from support.floor import REPOSITORY
from support.prompts import library

REAL = library.load(REPOSITORY)
NAMES = conformance.rows(conformance.CATALOGUE)
# What the model may choose by itself; a person starts the others, or the words of a request do.
OPEN = {
    "skill", "brainstorming", "writing-plans", "executing-plans", "test-driven-development", "systematic-debugging",
    "receiving-code-review", "dispatching-parallel-agents", "finishing-a-development-branch", "code-review",
    "security-review", "build-fix",
}  # fmt: skip


def test_all_the_names_are_asked_for():
    assert {section: len(names) for section, names in NAMES.items()} == {"agents": 35, "skills": 57}


@pytest.mark.parametrize(("name", "wanted"), NAMES["agents"].items())
def test_an_agent_is_there_with_its_tier_and_its_rights(name, wanted):
    one = REAL.agents[name]
    profile = REAL.profiles[one.profile]
    assert one.tier == wanted["tier"]
    if wanted["reads"]:
        assert profile.tools
        assert not {"Edit", "NotebookEdit", "Write", "Bash"} & set(profile.tools)


@pytest.mark.parametrize("name", NAMES["skills"])
def test_a_skill_is_there_and_short(name):
    one = REAL.skills[name]
    assert one.listed == (name in OPEN)
    assert 1 <= REAL.body(one).count("\n") + 1 <= 90
