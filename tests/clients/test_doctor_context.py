"""`ultrawork doctor --context` with the real client: the bytes of each part of each plugin, nothing of the person's."""

import json
import os

import pytest

from support import clients

pytestmark = pytest.mark.client

TOLD = "remember the loud rule"
AGENT = "---\nname: shouter\ndescription: " + "Shouts at length. " * 30 + "\n---\nShout.\n"
HOOKS = {"SessionStart": [{"hooks": [{"type": "command", "command": f"echo {TOLD}"}]}]}


def lay(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text if isinstance(text, str) else json.dumps(text))


@pytest.fixture
def person(program, tmp_path):
    """Somebody with one plugin, which stands where ours would, and settings that must not be touched."""
    plugin, home = f"{tmp_path}/loud", program.environ["HOME"]
    marks = {"SessionStart": [{"hooks": [{"type": "command", "command": f"touch {tmp_path}/ran"}]}]}
    lay(
        plugin,
        {
            ".claude-plugin/plugin.json": {"name": "loud", "version": "1.0.0", "description": "x"},
            "agents/shouter.md": AGENT,
            "hooks/hooks.json": {"hooks": HOOKS},
        },
    )
    entry = [{"scope": "user", "installPath": plugin, "version": "1.0.0"}]
    listed = {"version": 2, "plugins": {"ultrawork@here": entry}}
    lay(home, {".claude/plugins/installed_plugins.json": listed, ".claude/settings.json": {"hooks": marks}})  # fmt: skip
    folder = os.path.dirname(clients.program(clients.CLAUDE, clients.NEWEST))
    program.environ["PATH"] = f"{folder}:{program.environ['PATH']}"
    return program


def test_each_part_of_a_plugin_is_measured_for_a_session_and_a_helper(person, tmp_path):
    found = person.done("doctor", "--context", "--json").data
    assert found["client"]["main"] > found["client"]["helper"] > 10_000
    (plugin,) = found["plugins"]
    assert set(plugin["parts"]) == {"agents", "hooks"}
    agents, hooks = plugin["parts"]["agents"], plugin["parts"]["hooks"]
    assert 500 < agents["main"] < 900
    assert agents["main_tokens"] == agents["main"] // 4
    assert (agents["helper"], hooks["helper"]) == (0, 0)
    assert len(TOLD) <= hooks["main"] < 400
    assert plugin["main"] == agents["main"] + hooks["main"]
    assert not (tmp_path / "ran").exists()
