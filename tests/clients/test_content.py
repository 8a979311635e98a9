"""Agents and skills as the real client takes them: valid, small, and with the tools they were given."""

import json
import os
import re
import shutil

import pytest

from support.effort import BOTH_CLAUDES, rows_of
from support.floor import PLUGIN, REPOSITORY
from support.prompts import library
from support.ulw import bodies, state_folder
from ultrawork.store import checkouts, reviews

pytestmark = pytest.mark.client

REAL = library.load(REPOSITORY)
# What the whole plugin may add to the first request of a session in which nothing is on.
WHOLE = 8_000
# Skills that the model may choose by itself, within that.
OPEN = 15
# What it may add to the first request of an agent that it brings.
AN_AGENT = 3_000


@pytest.fixture
def plugin(tmp_path):
    """The prompts alone; hooks and tools of the plugin have their own tests."""
    root = tmp_path / "plugin"
    (root / ".claude-plugin").mkdir(parents=True)
    shutil.copy(f"{PLUGIN}/.claude-plugin/plugin.json", root / ".claude-plugin")
    for name in ("agents", "skills"):
        shutil.copytree(f"{PLUGIN}/{name}", root / name)
    return root


def first_request(seat, **options):
    seat.run("go", **options)
    return next(one for one in seat.model.requests if one.get("agent") == "main")["body"]


def bytes_of(body):
    return len(json.dumps(body, ensure_ascii=False).encode())


@BOTH_CLAUDES
def test_the_plugin_is_valid_without_a_warning(claude, plugin):
    shutil.copytree(f"{PLUGIN}/hooks", plugin / "hooks")
    answer = claude([]).call("plugin", "validate", "--strict", str(plugin))
    assert (answer.exit, "Validation passed" in answer.out) == (0, True), answer.out


def test_a_broken_head_would_be_found(claude, plugin):
    (plugin / "agents" / "worker.md").write_text("---\nname: [\n---\n")
    assert claude([]).call("plugin", "validate", "--strict", str(plugin)).exit != 0


def test_the_model_is_told_what_it_may_use_by_itself_and_nothing_else(claude, plugin):
    body = json.dumps(first_request(claude([]), plugins=[str(plugin)]), ensure_ascii=False)
    told = {one.name: f"ultrawork:{one.name}: {one.trigger}" in body for one in REAL.members}
    assert told == {one.name: one.listed for one in REAL.members}
    assert sum(one.listed for one in REAL.skills.values()) == OPEN


def test_a_session_in_which_nothing_is_on_carries_little(claude, capsys, tmp_path):
    """With the servers of both other models, whose programs need not do anything to be there.

    The oldest client lists tools by name alone too, as the newest does, but not by itself at a loopback address."""
    seat = claude([])
    deferring = {"ENABLE_TOOL_SEARCH": "true"}
    for name in ("codex", "gemini"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{seat.env['PATH']}"
    bare = bytes_of(first_request(claude([]), env=deferring))
    added = bytes_of(first_request(seat, plugins=[PLUGIN], env={**deferring, "PATH": path})) - bare
    with capsys.disabled():
        print(f"\nthe plugin adds {added:,} to the {bare:,} bytes of the first request")
    assert 0 < added <= WHOLE


# The client refuses the twenty-first agent at a time.
AT_ONCE = 19


def start_all(claude, names, *, root=PLUGIN, prefix="ultrawork:", prompt="go", said="DONE", **options):
    """Every agent once; the first requests by name of those that began."""
    calls = [{"description": name, "prompt": f"begin as {name}.", "subagent_type": prefix + name} for name in names]
    groups = [calls[at : at + AT_ONCE] for at in range(0, len(calls), AT_ONCE)]
    starts = [{"tools": [{"name": "Agent", "input": one} for one in group]} for group in groups]
    script = [
        {"match": {"agent": "sub"}, "reply": {"text": said}},
        {"match": {"agent": "main"}, "replies": [*starts, {"text": "end"}]},
    ]
    seat = claude(script)
    seat.run(prompt, plugins=[str(root)], **options)
    begun = [one for one in seat.model.requests if one.get("agent") == "sub"]
    return {name: one for name in names for one in begun if _is_for(name, one)}


def _is_for(name, request):
    return f"begin as {name}." in json.dumps(request["body"]["messages"])


@pytest.fixture
def empty(tmp_path):
    """A plugin with one agent a profile, and nothing else that could be told to it."""
    root = tmp_path / "empty"
    (root / "agents").mkdir(parents=True)
    (root / ".claude-plugin").mkdir()
    shutil.copy(f"{PLUGIN}/.claude-plugin/plugin.json", root / ".claude-plugin")
    for profile in REAL.profiles.values():
        tools = {"tools": profile.tools, "disallowedTools": profile.without}
        lines = [f"{key}: {', '.join(given)}" for key, given in tools.items() if given]
        head = "\n".join(["---", f"name: {profile.name}", "description: x", *lines, "---"])
        (root / "agents" / f"{profile.name}.md").write_text(f"{head}\nx\n")
    return root


def test_every_agent_starts_with_its_tools_and_model_and_carries_little(newest, empty):
    bare = start_all(newest, list(REAL.profiles), root=empty)
    begun = start_all(newest, list(REAL.agents))
    for name, one in REAL.agents.items():
        profile, model = REAL.profiles[one.profile], REAL.tiers[one.tier]
        tools = set(begun[name]["tools"])
        offered = tools <= {*profile.tools, "DeferredToolPlaceholder"} if profile.tools else True
        assert offered, (name, tools)
        assert not tools & {"Agent", "Skill", *profile.without}, name
        assert "Write" in tools or profile.tools, name
        assert model in begun[name]["model"] or model == "inherit", name
        assert REAL.body(one)[:60] in begun[name]["system"]
    added = {
        name: bytes_of(begun[name]["body"]) - bytes_of(bare[one.profile]["body"]) for name, one in REAL.agents.items()
    }
    assert {name: size for name, size in added.items() if not 0 < size <= AN_AGENT} == {}


FOUND = {"verdict": "FAIL", "findings": [{"what": "it leaks", "where": "a.py:4", "severity": "P0", "shown_by": "pytest a.py"}]}  # fmt: skip


@pytest.mark.parametrize("skip", rows_of(["", "agent-answers"], in_ci=[""]))
def test_what_an_agent_found_is_read_and_kept(newest, project, skip):
    """Every agent but Axiom's, which answer the course of a requirement."""
    names = [name for name in REAL.agents if not name.startswith("axiom-")]
    chosen = names if not skip else names[:1]
    said = f"It leaks.\n```json\n{json.dumps(FOUND)}\n```"
    env = {"ULTRAWORK_SKIP_HOOKS": skip}
    assert set(start_all(newest, chosen, prompt="ulw go", said=said, env=env)) == set(chosen)
    kept = reviews.list_claims(state_folder(project))
    assert {one.reviewer for one in kept} == ({f"ultrawork:{one}" for one in names} if not skip else set())  # fmt: skip
    assert {(one.path, one.line, one.severity, one.command) for one in kept} <= {("a.py", 4, "critical", "pytest a.py")}  # fmt: skip


SPELLINGS = {
    "executor": ("executor", "sonnet"),
    "ultrapower:explore": ("explore", "haiku"),
    "oh-my-claudecode:critic": ("critic", "opus"),
    "tdd-guide": ("test-engineer", "sonnet"),
    "ultrawork:architect-low": ("architect", "haiku"),
    "ultrawork:writer": ("writer", "haiku"),
}


@pytest.mark.parametrize("prompt", rows_of(["go", "ulw go"], in_ci=["ulw go"]))
def test_any_spelling_reaches_the_agent_with_its_model(newest, project, prompt):
    checkouts.note_use(state_folder(project), os.path.realpath(project))
    begun = start_all(newest, SPELLINGS, prefix="", prompt=prompt)
    for spelled, (name, model) in SPELLINGS.items():
        assert REAL.body(REAL.agents[name])[:60] in begun[spelled]["system"]
        assert model in begun[spelled]["model"]


def test_without_agent_names_only_the_full_name_is_found(newest, project):
    checkouts.note_use(state_folder(project), os.path.realpath(project))
    off = {"ULTRAWORK_SKIP_HOOKS": "agent-names"}
    assert list(start_all(newest, SPELLINGS, prefix="", env=off)) == ["ultrawork:writer"]


def test_every_skill_is_typed_once_and_reads_as_it_was_written(newest, plugin):
    seat = newest([])
    with seat.live(plugins=[str(plugin)]) as live:
        for name in REAL.skills:
            live.say(f"/ultrawork:{name} hello")
    last = [json.dumps(one["body"]["messages"]) for one in seat.model.requests if one["agent"] == "main"]
    assert len(last) >= len(REAL.skills)
    pages = {name: json.dumps(REAL.body(one))[1:60] for name, one in REAL.skills.items()}
    assert [name for name, page in pages.items() if page.replace("$ARGUMENTS", "hello") not in last[-1]] == []


PAGE = "A plan is done when an engineer who was not here could carry it out"


@pytest.mark.parametrize(("skip", "there"), [("", True), ("skill-words", False)])
def test_words_that_order_a_way_of_working_bring_its_page(newest, skip, there):
    seat = newest([])
    seat.run("plan this change", plugins=[PLUGIN], env={"ULTRAWORK_SKIP_HOOKS": skip})
    body = next(one for one in seat.model.requests if one.get("agent") == "main")["body"]
    assert (PAGE in json.dumps(body)) == there


def test_codex_too_is_told_only_what_the_model_may_use_by_itself(installed):
    """It would list all of them, and cut what does not fit into its own budget."""
    seat = installed([], "hello")
    seat.run("say hello")
    listed = set(re.findall(r"- ultrawork:([a-z-]+): ", bodies(seat)[0]))
    assert listed == {name for name, one in REAL.skills.items() if one.listed}
