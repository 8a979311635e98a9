"""`ultrawork content show`, `try` and `lint`, as a person types them."""

import os
import re

import pytest

from support.floor import REPOSITORY
from support.prompts import library
from ultrawork.mcp.table import GROUPS

REAL = library.load(REPOSITORY)


def put(root, name, text):
    os.makedirs(os.path.dirname(f"{root}/{name}"), exist_ok=True)
    with open(f"{root}/{name}", "w", encoding="utf-8") as file:
        file.write(text)


def test_a_page_is_printed_as_its_reader_has_it(program):
    assert program.call("content", "show", "ultrawork:critic").out == (REAL.body(REAL.agents["critic"]) + "\n")


@pytest.mark.parametrize(("flag", "kind"), [("--agent", "agent"), ("--skill", "skill")])
def test_where_a_name_means_both_a_flag_chooses(program, flag, kind):
    assert program.call("content", "show", "git-master", flag, "--json").data["kind"] == kind


def test_an_own_page_is_shown_too_and_a_slip_is_told(program):
    put(program.place, ".omc/skills/tokens.md", "---\nname: tokens\ndescription: x\n---\nLook.\n")
    assert program.call("content", "show", "tokens").out == "Look.\n"
    answer = program.call("content", "show", "critik")
    assert (answer.status, "did you mean critic?" in answer.err) == (4, True)


def test_a_task_is_tried_with_its_reasons(program):
    answer = program.call("content", "try", "ralph tdd fix the build", "--json")
    assert answer.data["modes"] == ["ralph"]
    assert answer.data["skills"] == ["test-driven-development"]
    assert answer.data["agent"] == "build-fixer"
    assert 'the words "tdd"' in program.call("content", "try", "tdd fix it").out


def test_what_needs_nobody_is_said_so(program):
    answer = program.call("content", "try", "fix the typo")
    assert answer.status == 0
    assert answer.out == "none of the agents or skills; the model works on it directly\n"


def test_own_files_are_held_to_rules_as_ours_are(program):
    put(program.place, ".claude/agents/critic.md", "---\nname: critic\n---\n")
    put(program.place, ".omc/skills/a.md", "---\nname: a\ndescription: same\n---\n")
    put(program.place, ".omc/skills/b.md", "---\nname: b\ndescription: same\n---\n" + "x\n" * 501)
    answer = program.call("content", "lint", "--json")
    told = " ".join(answer.data["complaints"])
    assert answer.status == 1
    for words in (
        "has no description",
        "ours is ultrawork:critic",
        "b.md: it has the same trigger as",
        "b.md: it has 502 lines",
    ):
        assert words in told


def test_everything_in_order_is_one_line_and_the_budget(program):
    answer = program.call("content", "lint")
    assert answer.status == 0
    assert answer.out.startswith("0 of your own are valid\nevery session loads ")


def test_the_list_tells_what_makes_the_model_use_each(program):
    data = program.done("content", "list", "--json").data
    by_name = {one["name"]: one for one in data["members"] if one["kind"] == "agent"}
    assert len(data["members"]) == len(REAL.members)
    assert by_name["explorer"]["model"] == "haiku"
    assert by_name["planner"]["trigger"] == "Split a goal into tasks"
    skills = program.done("content", "list", "--skills", "--json").data["members"]
    assert {one["name"]: one["listed"] for one in skills} == {one.name: one.listed for one in REAL.skills.values()}
    out = program.done("content", "list").out
    assert "Search the code" in out
    assert out.splitlines()[-1] == f"every session loads {data['listed_characters']:,} characters"


_TOOL = re.compile(r"`((?:lsp|ast_grep|notepad|state|project_memory|trace|python|list_omc|load_omc)_\w+)`")


@pytest.mark.parametrize("one", REAL.members, ids=lambda one: f"{one.kind}-{one.name}")
def test_every_tool_that_a_page_names_is_there(one):
    assert set(_TOOL.findall(REAL.body(one))) <= {name for names in GROUPS.values() for name in names}
