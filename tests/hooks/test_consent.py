import json
import os

import pytest

from support.scene import GOAL, SESSION, refused

LIE = "Done. All tests pass."
ASKS = "test has not run on these files, and I may not start it myself"


def ran(scene):
    return "make test" in scene.run("evidence", "list", "--session", SESSION)


@pytest.mark.parametrize("mode", ["default", "acceptEdits", "auto", "dontAsk"])
def test_without_the_persons_word_a_hook_runs_nothing_and_asks(scene, mode):
    scene.mode = mode
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    told = refused(scene.stop(LIE))
    assert ASKS in told
    assert "Next: run `ultrawork verify` and stop again." in told
    assert not ran(scene)
    last = scene.stop(LIE)
    assert last["systemMessage"].startswith(f"ultrawork: UNVERIFIED. T{ASKS[1:]}.")
    assert not ran(scene)


def test_what_the_person_allowed_a_hook_runs(scene):
    scene.mode = "default"
    assert scene.prompt("ulw gates allow")["stopReason"] == (
        "ultrawork: from now on I run these myself in this checkout: test (make test)"
    )
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    assert "PASS" in scene.stop(LIE)["systemMessage"]


def test_a_permitted_verify_is_consent_for_what_it_ran(scene):
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}
    assert scene.run("verify", env=agent).startswith("PASS")
    scene.tool("Bash", {"command": "ultrawork verify"})
    assert "PASS" in scene.stop(LIE)["systemMessage"]
    assert "hook" in scene.run("evidence", "--session", SESSION)


def test_a_permitted_run_of_the_same_command_is_consent_for_it(scene):
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    scene.tool("Bash", {"command": "make test"})
    assert "PASS" in scene.stop(LIE)["systemMessage"]


def test_a_run_of_another_command_is_not(scene):
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    scene.tool("Bash", {"command": "make test || true"})
    assert ASKS in refused(scene.stop(LIE))


def rules(scene, path, **settings):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(settings, file)


@pytest.mark.parametrize(
    "place", ["{root}/.claude/settings.json", "{place}/.claude/settings.local.json"]
)
def test_a_rule_of_the_client_counts_if_it_was_there_at_the_start(scene, place):
    path = place.format(root=scene.root, place=scene.place)
    rules(scene, path, permissions={"allow": ["Bash(make:*)"]})
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    assert "PASS" in scene.stop(LIE)["systemMessage"]


def test_a_rule_that_came_later_does_not_count(scene):
    scene.mode = "acceptEdits"
    scene.prompt(f"ulw {GOAL}")
    rules(scene, f"{scene.place}/.claude/settings.local.json", permissions={"allow": ["Bash"]})
    scene.fix()
    assert ASKS in refused(scene.stop(LIE))


@pytest.mark.parametrize("kind", ["ask", "deny"])
def test_a_rule_that_asks_or_denies_takes_it_back(scene, kind):
    permissions = {"allow": ["Bash(make:*)"], kind: ["Bash(make test)"]}
    rules(scene, f"{scene.root}/.claude/settings.json", permissions=permissions)
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    assert ASKS in refused(scene.stop(LIE))


@pytest.mark.parametrize("mode", ["default", "bypassPermissions"])
def test_in_a_sandboxed_session_only_verify_runs_gates(scene, mode):
    rules(scene, f"{scene.root}/.claude/settings.json", sandbox={"enabled": True})
    scene.mode = mode
    scene.prompt("ulw gates allow")
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    scene.tool("Bash", {"command": "make test"})
    assert ASKS in refused(scene.stop(LIE))
    assert not ran(scene)


@pytest.mark.parametrize("sandbox", ["read-only", "workspace-write"])
def test_a_codex_that_confines_its_shell_is_a_sandbox_whatever_it_calls_its_mode(alone, sandbox):
    told = alone.as_codex(sandbox)
    alone.prompt("ulw gates allow", **told)
    alone.prompt(f"ulw {GOAL}", **told)
    alone.fix()
    assert ASKS in refused(alone.stop(LIE, **told))
    assert not ran(alone)


def test_a_codex_that_confines_nothing_lets_the_hook_run_gates(alone):
    told = alone.as_codex()
    alone.prompt(f"ulw {GOAL}", **told)
    alone.fix()
    assert alone.stop(LIE, **told)["systemMessage"].startswith("ultrawork: PASS ")


def test_a_codex_that_keeps_no_record_is_taken_for_confined(alone):
    told = {**alone.as_codex(), "transcript_path": None}
    alone.prompt(f"ulw {GOAL}", **told)
    alone.fix()
    assert ASKS in refused(alone.stop(LIE, **told))


def test_alone_the_flag_that_would_help_is_named(alone):
    alone.mode = "default"
    alone.prompt(f"ulw {GOAL}")
    alone.fix()
    last = refused(alone.stop(LIE)).splitlines()[-1]
    assert last == (
        "ultrawork: UNVERIFIED. Test has not run on these files, and I may not start it myself."
        " If it was denied: --allowedTools 'Bash(ultrawork verify:*)'"
    )
    told = alone.stop(LIE)["stopReason"]
    assert "  to run   --allowedTools 'Bash(ultrawork verify:*)'" in told


@pytest.mark.parametrize("words", ["ulw gates allow", "ulw accept it is fine", "ulw off"])
def test_a_word_that_the_model_scheduled_is_not_the_persons(scene, tmp_path, words):
    record = tmp_path / "transcript.jsonl"
    call = {
        "type": "tool_use",
        "name": "CronCreate",
        "input": {"cron": "* * * * *", "prompt": words},
    }
    record.write_text(json.dumps({"type": "assistant", "message": {"content": [call]}}) + "\n")
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    assert scene.prompt(words, transcript_path=str(record)) == {}
    scene.fix()
    assert ASKS in refused(scene.stop(LIE))


def test_a_cron_that_a_stop_told_of_is_remembered(scene):
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.stop(LIE, session_crons=[{"id": "c", "prompt": "ulw gates allow"}])
    assert scene.prompt("ulw gates allow") == {}
