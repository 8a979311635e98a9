"""What the doctor says of agent programs."""

import json
import os

import pytest

from ultrawork.clients.claude import context_cost
from ultrawork.clients.codex import trust
from ultrawork.content.models import learn_prices
from ultrawork.store.paths import Home


def put(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def checks(program, tmp_path, **more):
    path = f"{tmp_path}/bin:{program.environ['PATH']}"
    answer = program.run("doctor", "--json", env={"PATH": path, **more})
    return {name: check["value"] for name, check in answer.data["checks"].items()}


@pytest.mark.slow
def test_an_agent_program_is_shown_with_its_version_or_how_to_get_it(program, tmp_path):
    os.mkdir(tmp_path / "bin")
    put(tmp_path / "bin", "claude", 'echo "2.1.325 (Claude Code)"')
    put(tmp_path / "bin", "codex", "exit 1")
    found = checks(program, tmp_path)
    assert found["claude"] == "2.1.325 (Claude Code)"
    assert found["codex"] == "not installed: npm install -g @openai/codex, then codex login"
    assert found["gemini"].startswith("not installed: npm install -g @google/gemini-cli")
    assert found["opencode"].startswith("not installed: npm install -g opencode-ai")
    assert "script" not in found


def test_prices_that_a_client_bills_otherwise_are_told(program):
    assert "prices" not in program.run("doctor", "--json").data["checks"]
    counts = (1_000_000, 0, 0, 0)
    learn_prices(Home(program.home), {"claude-opus-4-6": (counts, 0.5), "claude-sonnet-4-6": (counts, 3.0)}, 1e9)
    told = program.run("doctor", "--json").data["checks"]["prices"]["value"]
    assert told.startswith("its client reports 0.1 times our price for claude-opus-4-6 (2001-09-")
    assert told.endswith("the client's figures are used")
    assert "sonnet" not in told


def codex_says(tmp_path, *hooks):
    """A Codex with our plugin, whose server answers with these hooks; what the doctor makes of it."""
    (tmp_path / "home/plugins/cache/market/ultrawork").mkdir(parents=True)
    answer = json.dumps({"id": 2, "result": {"data": [{"hooks": hooks}]}}, separators=(",", ":"))
    put(tmp_path, "codex", f"cat <<'END'\n{{\"id\":1}}\n{answer}\nEND\ncat > /dev/null")
    environ = {"PATH": os.environ["PATH"], "CODEX_HOME": f"{tmp_path}/home"}
    return trust.examine_trust(f"{tmp_path}/codex", environ, str(tmp_path))


@pytest.mark.parametrize(
    ("states", "told", "mends"),
    [
        (["trusted", "managed"], "trusted, 2 hooks", False),
        (["trusted", "modified"], "1 of 2 hooks changed since you trusted them", True),
        (["untrusted"], "1 of 1 hooks never trusted", True),
        ([], "its hooks are missing", True),
    ],
)
def test_hooks_that_codex_skips_are_told_with_what_to_do(tmp_path, states, told, mends):
    ours = [{"pluginId": "ultrawork@market", "trustStatus": one} for one in states]
    found, mend = codex_says(tmp_path, *ours, {"pluginId": "x@y", "trustStatus": "untrusted"})
    assert (told in found, bool(mend)) == (True, mends)


def test_a_codex_without_our_plugin_is_not_asked(tmp_path):
    assert trust.examine_trust("/no/such", {"HOME": str(tmp_path)}, str(tmp_path)) is None


@pytest.mark.slow
def test_a_scripted_agent_is_shown_when_there_is_a_script(program, tmp_path):
    (tmp_path / "agents.toml").write_text("")
    found = checks(program, tmp_path, ULTRAWORK_SCRIPT=str(tmp_path / "agents.toml"))
    assert found["script"] == "steps of a file"


@pytest.mark.slow
def test_what_is_kept_is_shown_with_its_limits(program, tmp_path):
    found = checks(program, tmp_path, ULTRAWORK_KEEP_SESSIONS="3d", ULTRAWORK_KEEP_LOGS="7")
    assert "sessions 0 MB (ended: 3 days)" in found["kept"]
    assert "logs 0 MB of 7," in found["kept"]
    assert "cache 0 MB of 5,000" in found["kept"]


def test_without_the_client_there_is_nothing_to_measure(program, tmp_path):
    os.mkdir(tmp_path / "bin")
    answer = program.call("doctor", "--context", env={"PATH": f"{tmp_path}/bin"})
    assert answer.status == 4
    assert "is not installed, so it cannot be measured: npm install" in answer.err


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


@pytest.mark.slow
def test_one_session_is_told_as_one(program, tmp_path):
    assert checks(program, tmp_path)["database"] == "0 sessions"
    program.run("session", "new", "--goal", "x")
    assert checks(program, tmp_path)["database"] == "1 session"
