"""Calls of agents get a model; edits of whoever conducts them are left to agents."""

import json
import os

import pytest

from support.scene import QUICK, Scene

CALL = {"subagent_type": "executor", "prompt": "p", "description": "d"}


@pytest.fixture
def scene(tmp_path):
    return Scene(str(tmp_path), QUICK)


def switched_on(scene, *names):
    answer = scene.run("features", "on", *names)
    assert answer.startswith("FEATURE"), answer


def before(scene, tool="Agent", given=CALL, **data):
    return scene.event("PreToolUse", tool_name=tool, tool_input=given, tool_use_id="u", **data)


def given_back(answer):
    return answer.get("hookSpecificOutput", {}).get("updatedInput")


def test_an_agent_called_without_a_model_gets_one_and_keeps_its_whole_input(scene):
    switched_on(scene, "models")
    given = {**CALL, "run_in_background": True, "nested": {"a": [1]}}
    wanted = {**given, "subagent_type": "ultrawork:executor", "model": "sonnet"}
    assert given_back(before(scene, given=given)) == wanted


@pytest.mark.parametrize(
    ("agent", "model"),
    [
        ("explore", "haiku"),
        ("ultrapower:architect", "opus"),
        ("ultrawork:architect", "opus"),
        ("executor-low", "haiku"),
        ("ultrapower:executor-high", "opus"),
        ("researcher", "sonnet"),
        ("ultrawork:reviewer", "opus"),
    ],
)
def test_prefixes_suffixes_and_aliases_are_understood(scene, agent, model):
    switched_on(scene, "models")
    assert given_back(before(scene, given={**CALL, "subagent_type": agent}))["model"] == model


@pytest.mark.parametrize(
    "given",
    [
        {**CALL, "subagent_type": "ultrawork:executor", "model": "haiku"},
        {**CALL, "subagent_type": "nobody"},
        {**CALL, "subagent_type": "nobody-low"},
        {**CALL, "subagent_type": "other:explore"},
        {**CALL, "subagent_type": "ultrawork:worker"},
        {"subagent_type": "executor"},
    ],
)
def test_a_given_model_an_unknown_agent_and_half_a_call_are_left_alone(scene, given):
    switched_on(scene, "models")
    assert given_back(before(scene, given=given)) is None


def test_an_agent_of_the_projects_own_says_itself_what_it_runs_on(scene):
    switched_on(scene, "models")
    scene.write(".claude/agents/executor.md", "---\nmodel: haiku\n---\n")
    assert given_back(before(scene)) is None


def test_without_the_feature_nothing_is_changed_and_an_armed_session_has_it(scene):
    assert "model" not in given_back(before(scene))
    scene.prompt("ulw fix it")
    assert given_back(before(scene))["model"] == "sonnet"
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "delegation-enforcer"
    assert "model" not in given_back(before(scene))


@pytest.mark.parametrize(
    ("spelled", "agent", "model"),
    [
        ("executor", "executor", None),
        ("ultrapower:executor", "executor", None),
        ("oh-my-claudecode:architect", "architect", None),
        ("omc:critic", "critic", None),
        ("researcher", "document-specialist", None),
        ("ultrapower:tdd-guide", "test-engineer", None),
        ("executor-low", "executor", "haiku"),
        ("ultrawork:architect-medium", "architect", "sonnet"),
        ("tdd-guide-high", "test-engineer", "opus"),
    ],
)
def test_any_spelling_reaches_the_agent_while_nothing_is_on(scene, spelled, agent, model):
    found = given_back(before(scene, given={**CALL, "subagent_type": spelled}))
    assert (found["subagent_type"], found.get("model")) == (f"ultrawork:{agent}", model)
    assert given_back(before(scene, given={**CALL, "subagent_type": f"ultrawork:{agent}"})) is None


@pytest.mark.parametrize("spelled", ["Explore", "general-purpose", "nobody", "axiom-nobody", "x:y"])
def test_names_that_are_not_ours_are_left_alone(scene, spelled):
    assert given_back(before(scene, given={**CALL, "subagent_type": spelled})) is None


def test_an_installed_plugin_answers_for_its_own_names(scene):
    known = {"plugins": {"ultrapower@market": [{"installPath": "/nowhere"}]}}
    scene.environ["HOME"] = str(scene.place)
    scene.write(".claude/plugins/installed_plugins.json", json.dumps(known))
    given = {**CALL, "subagent_type": "ultrapower:executor"}
    assert given_back(before(scene, given=given)) is None


def edit(scene, name, **data):
    return before(scene, "Edit", {"file_path": f"{scene.place}/{name}"}, **data)


def denied(answer):
    return answer.get("hookSpecificOutput", {}).get("permissionDecisionReason", "")


def told(answer):
    return answer.get("hookSpecificOutput", {}).get("additionalContext", "")


def test_strict_delegation_denies_the_conductors_edits_only(scene):
    switched_on(scene, "delegation=strict")
    assert "Let ultrawork:designer edit src/page.vue" in denied(edit(scene, "src/page.vue"))
    scene.write(".claude/agents/designer.md", "---\nname: designer\n---\n")
    assert "Let designer edit src/page.vue" in denied(edit(scene, "src/page.vue"))
    assert denied(edit(scene, "src/page.vue", agent_id="a1", agent_type="designer")) == ""
    assert denied(edit(scene, ".omc/plans/p.md")) == ""
    assert denied(edit(scene, "docs/AGENTS.md")) == ""
    scene.environ["ULTRAWORK_SKIP_HOOKS"] = "orchestrator"
    assert denied(edit(scene, "src/page.vue")) == ""


def test_a_warning_comes_once_and_only_when_many_files_change(scene):
    switched_on(scene, "delegation")
    assert [told(edit(scene, f"{name}.py")) for name in ("a", "b", "a")] == ["", "", ""]
    assert told(edit(scene, "c.py")).startswith("ultrawork: 3 files have been changed here. ")
    assert told(edit(scene, "d.py")) == ""


def test_delegation_that_is_off_says_nothing(scene):
    switched_on(scene, "delegation=off")
    assert [edit(scene, f"{name}.py") for name in "abcd"] == [{}] * 4


def audited(scene):
    with open(f"{scene.home}/logs/audit.jsonl", encoding="utf-8") as file:
        entries = [json.loads(line) for line in file]
    return [(one["kind"], one.get("path") or one.get("agent") or one.get("who")) for one in entries]


def test_a_refusal_is_written_down(scene):
    switched_on(scene, "delegation=strict")
    edit(scene, "src/a.py")
    edit(scene, "src/a.py")
    assert audited(scene) == [("delegation-required", "src/a.py")] * 2


def test_what_is_only_warned_of_is_written_down_once_a_file(scene):
    switched_on(scene, "delegation")
    for name in "abac":
        edit(scene, f"{name}.py")
    direct = [("edited-directly", f"{name}.py") for name in "abc"]
    assert audited(scene) == [*direct, ("delegation-advised", "c.py")]


def test_advice_and_chosen_models_are_written_down(scene):
    switched_on(scene, "delegation", "models")
    scene.prompt("Refactor the parser across multiple files")
    before(scene)
    assert audited(scene) == [("delegation-advised", "deep-executor"), ("model-chosen", "executor")]


def test_a_refusal_holds_where_it_cannot_be_written_down(scene):
    switched_on(scene, "delegation=strict")
    os.makedirs(f"{scene.home}/logs/audit.jsonl")
    assert "Let ultrawork:executor edit src/a.py" in denied(edit(scene, "src/a.py"))


@pytest.mark.parametrize(
    ("words", "who", "why"),
    [
        ("How should the architecture of the store look?", "architect", "a question of architecture"),
        ("Refactor the parser across multiple files", "deep-executor", "a large refactoring"),
        ("Rename it in all the files", "executor", "work in several files"),
        ("Fix the typo", "", ""),
        ("<task-notification> refactor all files", "", ""),
    ],
)
def test_work_for_an_agent_is_named_when_it_is_asked_for_and_once(scene, words, who, why):
    switched_on(scene, "delegation")
    said = [told(scene.prompt(words)) for _ in range(2)]
    assert said[0] == (
        f"ultrawork: this looks like {why}. Delegate it to ultrawork:{who}, which has its own context" if why else ""
    )
    assert said[1] == ""
