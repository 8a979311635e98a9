"""Which agents a pipeline can name here, and what is taken from their own files."""

import json

import pytest

from ultrawork.core.errors import UsageError
from ultrawork.features.pipeline.course import agents
from ultrawork.features.pipeline.values.expression import parse


@pytest.fixture
def person(tmp_path):
    """A project and a home, each with room for agents."""
    for folder in ("project/.claude/agents", "home/.claude/agents", "home/.claude/plugins"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def write(person, path, name, tools=""):
    head = f"name: {name}\ndescription: does\n" + (f"tools: {tools}\n" if tools else "")
    file = person / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\n{head}---\nYou are {name} of {path.split('/')[0]}.\n")
    return str(file)


def resolved(person, names):
    environ = {"HOME": str(person / "home")}
    return agents.resolve_agents(parse(f'{names} "x"'), str(person / "project"), environ)


def plugin(person, name, agent, tools="Read"):
    folder = person / f"installed/{name}"
    write(person, f"installed/{name}/agents/{agent}.md", agent, tools)
    listed = {"version": 2, "plugins": {f"{name}@shop": [{"installPath": str(folder)}]}}
    (person / "home/.claude/plugins/installed_plugins.json").write_text(json.dumps(listed))


def test_an_agent_that_names_no_tool_that_changes_anything_only_reads(person):
    write(person, "project/.claude/agents/looker.md", "looker", "Read, Grep, Glob")
    write(person, "project/.claude/agents/maker.md", "maker", "Read, Edit")
    write(person, "project/.claude/agents/any.md", "any")
    write(person, "project/.claude/agents/shell.md", "shell", "Read, Bash(git:*)")
    found = resolved(person, "looker -> maker -> any -> shell")
    assert {name: one.reads for name, one in found.items()} == {
        "looker": True,
        "maker": False,
        "any": False,
        "shell": False,
    }


def test_the_projects_agent_comes_before_the_persons_and_before_ours(person):
    write(person, "home/.claude/agents/critic.md", "critic", "Read")
    assert resolved(person, "critic")["critic"].page.startswith(str(person / "home"))
    write(person, "project/.claude/agents/critic.md", "critic", "Read")
    assert resolved(person, "critic")["critic"].page.startswith(str(person / "project"))
    with open(resolved(person, "critic")["critic"].page) as page:
        assert "You are critic of project." in page.read()


def test_an_agent_of_a_plugin_is_named_with_its_plugin(person):
    plugin(person, "shopping", "buyer")
    found = resolved(person, "shopping:buyer")["shopping:buyer"]
    assert (found.kind, found.reads) == ("shopping:buyer", True)
    with pytest.raises(UsageError, match="did you mean shopping:buyer"):
        resolved(person, "shopping:buier")


@pytest.mark.parametrize("text", ["", "[]", '{"plugins": []}', '{"plugins": {"a": 3}}', "{"])
def test_a_list_of_plugins_in_another_form_names_none(person, text):
    (person / "home/.claude/plugins/installed_plugins.json").write_text(text)
    assert resolved(person, "explore")["explore"].kind == "ultrawork:explorer"


def test_our_agents_run_on_the_tier_that_the_table_of_models_gives_them(person):
    found = resolved(person, "explore -> architect -> executor -> tdd-guide")
    assert [one.tier for one in found.values()] == ["low", "high", "medium", "medium"]


def test_a_second_model_is_refused_as_one_too_many(person):
    with pytest.raises(UsageError, match=r"explore has two models\. Write explore:opus"):
        resolved(person, "explore:opus:haiku")
    with pytest.raises(UsageError, match='explore has no model "opsu"; did you mean opus'):
        resolved(person, "explore:opsu")
