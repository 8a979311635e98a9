"""What the doctor says of agent programs."""

import json
import os

from ultrawork.engine.agents import context_cost


def put(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def checks(program, tmp_path, **more):
    path = f"{tmp_path}/bin:{program.environ['PATH']}"
    answer = program.run("doctor", "--json", env={"PATH": path, **more})
    return {name: check["value"] for name, check in answer.data["checks"].items()}


def test_an_agent_program_is_shown_with_its_version_or_how_to_get_it(program, tmp_path):
    os.mkdir(tmp_path / "bin")
    put(tmp_path / "bin", "claude", 'echo "2.1.325 (Claude Code)"')
    put(tmp_path / "bin", "codex", "exit 1")
    found = checks(program, tmp_path)
    assert found["claude"] == "2.1.325 (Claude Code)"
    assert found["codex"] == "not there: npm install -g @openai/codex, then codex login"
    assert found["gemini"].startswith("not there: npm install -g @google/gemini-cli")
    assert found["opencode"].startswith("not there: npm install -g opencode-ai")
    assert "script" not in found


def test_a_scripted_agent_is_shown_when_there_is_a_script(program, tmp_path):
    (tmp_path / "agents.toml").write_text("")
    found = checks(program, tmp_path, ULTRAWORK_SCRIPT=str(tmp_path / "agents.toml"))
    assert found["script"] == "steps of a file"


def test_what_is_kept_is_shown_with_its_limits(program, tmp_path):
    found = checks(program, tmp_path, ULTRAWORK_KEEP_SESSIONS="3d", ULTRAWORK_KEEP_LOGS="7")
    assert "sessions 0 MB (ended: 3 days)" in found["kept"]
    assert "logs 0 MB of 7," in found["kept"]
    assert "cache 0 MB of 5,000" in found["kept"]


def test_without_the_client_there_is_nothing_to_measure(program, tmp_path):
    os.mkdir(tmp_path / "bin")
    answer = program.call("doctor", "--context", env={"PATH": f"{tmp_path}/bin"})
    assert answer.status == 4
    assert "is not there to be measured: npm install" in answer.err


def test_one_kind_of_parts_of_a_plugin_is_taken_alone(tmp_path):
    plugin = tmp_path / "plugin"
    for name in (".claude-plugin", "agents", "skills", "bin"):
        (plugin / name).mkdir(parents=True)
    manifest = {"name": "loud", "mcpServers": {"x": {"command": "x"}}, "agents": "./agents"}
    (plugin / ".claude-plugin" / "plugin.json").write_text(json.dumps(manifest))
    assert context_cost.list_kinds(str(plugin)) == ["agents", "skills", "servers"]
    part = context_cost.make_part(str(tmp_path / "part"), str(plugin), "servers")
    assert sorted(os.listdir(part)) == [".claude-plugin", "bin"]
    with open(f"{part}/.claude-plugin/plugin.json", encoding="utf-8") as file:
        assert json.load(file) == {"name": "loud", "mcpServers": {"x": {"command": "x"}}}


def test_one_session_is_told_as_one(program, tmp_path):
    assert checks(program, tmp_path)["database"] == "0 sessions"
    program.run("session", "new", "--goal", "x")
    assert checks(program, tmp_path)["database"] == "1 session"
