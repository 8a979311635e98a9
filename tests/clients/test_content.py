"""Agents and skills as the real client takes them: valid, small, and with the tools they were given."""

import json
import shutil

import pytest

from support.effort import BOTH_CLAUDES
from support.floor import REPOSITORY
from ultrawork.content import library

pytestmark = pytest.mark.client

REAL = library.load(REPOSITORY)
# What every session carries for agents and skills while nothing is on.
MOST_BYTES = 1_600


@pytest.fixture
def plugin(tmp_path):
    """The prompts alone; hooks and tools of the plugin have their own tests."""
    root = tmp_path / "plugin"
    (root / ".claude-plugin").mkdir(parents=True)
    shutil.copy(f"{REPOSITORY}/.claude-plugin/plugin.json", root / ".claude-plugin")
    for name in ("agents", "skills"):
        shutil.copytree(f"{REPOSITORY}/{name}", root / name)
    return root


def first_request(seat, **options):
    seat.run("go", **options)
    return next(one for one in seat.model.requests if one.get("agent") == "main")["body"]


def bytes_of(body):
    return len(json.dumps(body, ensure_ascii=False).encode())


@BOTH_CLAUDES
def test_the_plugin_is_valid_without_a_warning(claude, plugin):
    shutil.copytree(f"{REPOSITORY}/hooks", plugin / "hooks")
    answer = claude([]).call("plugin", "validate", "--strict", str(plugin))
    assert (answer.exit, "Validation passed" in answer.out) == (0, True), answer.out


def test_a_broken_head_would_be_found(claude, plugin):
    (plugin / "agents" / "worker.md").write_text("---\nname: [\n---\n")
    assert claude([]).call("plugin", "validate", "--strict", str(plugin)).exit != 0


def test_the_model_is_told_what_it_may_use_by_itself_and_nothing_else(claude, plugin):
    body = json.dumps(first_request(claude([]), plugins=[str(plugin)]))
    told = {one.name: f"ultrawork:{one.name}: {one.trigger}" in body for one in REAL.members}
    assert told == {one.name: one.listed for one in REAL.members}


def test_a_session_in_which_nothing_is_on_carries_little(claude, plugin, capsys):
    bare = first_request(claude([]))
    body = first_request(claude([]), plugins=[str(plugin)])
    added = bytes_of(body) - bytes_of(bare)
    with capsys.disabled():
        print(f"\nagents and skills are {added:,} of {bytes_of(body):,} bytes of the first request")
    assert 0 < added <= MOST_BYTES


def spawned(claude, plugin, name):
    """The first request of an agent that the model starts, and the first of the model itself."""
    call = {"description": name, "prompt": "begin", "subagent_type": f"ultrawork:{name}"}
    start = {"tool": {"name": "Agent", "input": call}}
    script = [
        {"match": {"agent": "sub"}, "reply": {"text": "done"}},
        {"match": {"agent": "main"}, "replies": [start, {"text": "end"}]},
    ]
    seat = claude(script)
    seat.run("go", plugins=[str(plugin)])
    requests = [one for one in seat.model.requests if one.get("rule")]
    return [next(one for one in requests if one["agent"] == kind) for kind in ("sub", "main")]


@pytest.mark.parametrize("name", [n for n, one in REAL.agents.items() if one.profile == "reader"])
def test_readers_have_tools_to_read_and_no_other(claude, plugin, name):
    sub, _ = spawned(claude, plugin, name)
    assert sub["tools"] == ["Read", "Grep", "Glob"]
    assert REAL.tiers[REAL.agents[name].tier] in sub["model"]
    assert REAL.body(REAL.agents[name])[:60] in sub["system"]


def test_the_worker_has_everything_but_helpers_on_the_model_of_its_caller(claude, plugin):
    sub, main = spawned(claude, plugin, "worker")
    assert {"Bash", "Edit", "Read", "Write"} <= set(sub["tools"])
    assert not set(sub["tools"]) & set(REAL.profiles["maker"].without)
    assert sub["model"] == main["model"]
