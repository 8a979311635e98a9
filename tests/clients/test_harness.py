import json

import pytest

from support.process import ClientError, processes_with

pytestmark = pytest.mark.client

HOOK = """\
import json, sys
event = json.load(sys.stdin)
name = event["hook_event_name"]
with open(sys.argv[1], "a") as seen:
    seen.write(name + "\\n")
if name == "UserPromptSubmit":
    added = {"hookEventName": name, "additionalContext": "the hook was here"}
    print(json.dumps({"systemMessage": "sample: on", "hookSpecificOutput": added}))
elif event["stop_hook_active"]:
    print(json.dumps({"systemMessage": "sample: done"}))
else:
    print(json.dumps({"decision": "block", "reason": "once more"}))
"""
TWO_ENDS = [{"match": {"agent": "main"}, "replies": [{"text": "first end"}, {"text": "second end"}], "after": "repeat"}]


@pytest.fixture
def seen(tmp_path):
    return tmp_path / "seen"


@pytest.fixture
def plugin(tmp_path, seen):
    """A plugin, and at once a marketplace that holds it."""
    root = tmp_path / "sample"
    hook = {"type": "command", "command": f'python3 "${{CLAUDE_PLUGIN_ROOT}}/hook.py" "{seen}"'}
    hooks = {event: [{"hooks": [hook]}] for event in ("UserPromptSubmit", "Stop")}
    files = {
        ".claude-plugin/plugin.json": json.dumps({"name": "sample", "version": "0.0.1"}),
        ".claude-plugin/marketplace.json": json.dumps(
            {"name": "market", "owner": {"name": "tests"}, "plugins": [{"name": "sample", "source": "./"}]}
        ),
        "hooks/hooks.json": json.dumps({"hooks": hooks}),
        "hook.py": HOOK,
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_claude_uses_what_it_may_and_inherits_nothing_but_the_path(claude, project, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_MACHINE", "1")
    tools = [
        {"name": "Bash", "input": {"command": "echo made > made.txt; env"}},
        {"name": "Write", "input": {"file_path": str(project / "b.txt"), "content": "x"}},
    ]
    replies = [*({"tool": tool} for tool in tools), {"text": "scripted words"}]
    run = claude([{"replies": replies}]).run("go", allowed=["Bash"])
    assert (run.exit, run.result, run.said) == (0, "scripted words", ["scripted words"])
    assert [bool(result.get("is_error")) for result in run.tool_results] == [False, True]
    assert (project / "made.txt").read_text() == "made\n"
    assert not (project / "b.txt").exists()
    assert "ANTHROPIC_BASE_URL=http://127.0.0.1" in str(run.tool_results)
    assert "SECRET_OF_THE_MACHINE" not in str(run.tool_results)


def test_claude_runs_a_plugins_hooks(claude, plugin):
    seat = claude(TWO_ENDS)
    run = seat.run("go", plugins=[str(plugin)])
    assert [call.event for call in run.hooks] == ["UserPromptSubmit", "Stop", "Stop"]
    assert run.hooks_of("Stop")[0].answer == {"decision": "block", "reason": "once more"}
    assert (run.result, run.feedback) == ("second end", ["Stop hook feedback:\nonce more"])
    assert "the hook was here" in str(seat.model.requests[-1]["body"])


def test_claude_goes_on_with_an_earlier_session(claude):
    seat = claude([{"match": {"any": "(?s)one.*two"}, "reply": {"text": "both"}}])
    first = seat.run("one")
    second = seat.run("two", resume=first.session)
    assert (first.result, second.result) == ("ok", "both")


def test_a_live_claude_takes_one_prompt_after_the_other(claude, plugin):
    script = [{"match": {"last": word}, "reply": {"text": f"got {word}"}} for word in ("red", "blue")]
    with claude(script).live(plugins=[str(plugin)]) as live:
        assert live.say("red")["result"] == "ok"
        assert live.say("blue")["result"] == "ok"
        assert [text for text in live.said if text != "ok"] == ["got red", "got blue"]
        assert len(live.hooks_of("Stop")) == 4


def test_the_terminal_of_claude_shows_what_hooks_say(claude, plugin):
    with claude(TWO_ENDS).terminal(plugins=[str(plugin)]) as terminal:
        terminal.submit("hello there")
        terminal.wait_for("UserPromptSubmit says: sample: on")
        terminal.wait_for("Stop hook error: once more")
        terminal.wait_for("Stop says: sample: done")


def test_claude_installs_a_plugin_from_a_marketplace(claude, plugin, seen):
    seat = claude(TWO_ENDS)
    seat.call("plugin", "marketplace", "add", str(plugin)).checked()
    seat.call("plugin", "install", "sample@market").checked()
    assert seat.run("go").result == "second end"
    assert seen.read_text().split() == ["UserPromptSubmit", "Stop", "Stop"]


def test_a_claude_that_hangs_is_ended_with_its_children(claude, home):
    tool = {"name": "Bash", "input": {"command": "setsid sleep 300 & sleep 300"}}
    seat = claude([{"reply": {"tool": tool}}])
    with pytest.raises(ClientError, match="did not end within 8 s"):
        seat.run("go", allowed=["Bash"], timeout=8)
    assert [request for request in seat.model.requests if request.get("rule")]
    assert processes_with("HOME", str(home)) == []


def test_codex_answers_one_scripted_turn(codex):
    tool = {"name": "exec_command", "input": {"cmd": "echo from codex"}}
    run = codex([{"replies": [{"tool": tool}, {"text": "scripted words"}]}]).run("go")
    assert (run.exit, run.result) == (0, "scripted words")
    assert "from codex" in run.commands[0]["aggregated_output"]


def test_codex_runs_a_plugins_hooks(codex, plugin, seen):
    seat = codex(TWO_ENDS)
    seat.install(str(plugin), "sample@market")
    assert seat.run("go").result == "second end"
    assert seen.read_text().split() == ["UserPromptSubmit", "Stop", "Stop"]
    assert "the hook was here" in str(seat.model.requests[-1]["body"])


def test_codex_goes_on_with_an_earlier_thread(codex):
    seat = codex([{"match": {"any": "(?s)one.*two"}, "reply": {"text": "both"}}])
    first = seat.run("one")
    assert seat.run("two", resume=first.thread).result == "both"


def test_a_sandboxed_codex_cannot_write(codex, project):
    tool = {"name": "exec_command", "input": {"cmd": "echo x > made; echo tried"}}
    run = codex([{"replies": [{"tool": tool}, {"text": "end"}]}]).run("go", sandbox="read-only")
    assert "tried" in run.commands[0]["aggregated_output"]
    assert not (project / "made").exists()


def test_gemini_answers_one_scripted_turn(gemini):
    run = gemini([{"reply": {"text": "scripted words"}}]).run("go")
    assert (run.exit, run.result) == (0, "scripted words")
