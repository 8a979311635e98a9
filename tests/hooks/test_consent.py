import json
import os
import shutil
import subprocess

import pytest

from support.sample import FILES
from support.scene import GIT, GOAL, NO_CHECK, QUICK, SESSION, Scene, refused
from ultrawork.store import checkouts

LIE = "Done. All tests pass."
ASKS = "has not run: I have no permission to start it"


def ran(scene):
    return "make test" in scene.run("evidence", "list", "--session", SESSION)


MODES = ["default", "acceptEdits", "auto", "dontAsk"]
FIRST = "  I run make test myself. To opt out: ulw gates deny"


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_who_types_the_word_asks_for_the_committed_checks(scene, mode):
    scene.mode = mode
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    assert scene.stop(LIE)["systemMessage"].startswith("ultrawork: PASS")
    assert ran(scene)


def test_the_first_time_in_a_checkout_it_is_told_what_will_run_and_how_to_refuse(scene):
    scene.mode = "default"
    on = scene.prompt(f"ulw {GOAL}")["systemMessage"].splitlines()
    assert on == ["ultrawork: on. Done means this passes: `make test`. Turn off: ulw off", FIRST]
    scene.prompt("ulw off")
    assert len(scene.prompt(f"ulw {GOAL}")["systemMessage"].splitlines()) == 1


@pytest.mark.parametrize("mode", MODES)
def test_with_nobody_there_a_hook_runs_nothing_and_asks(alone, mode):
    alone.mode = mode
    assert "To opt out" not in alone.prompt(f"ulw {GOAL}")["systemMessage"]
    alone.fix()
    told = refused(alone.stop(LIE))
    assert ASKS in " ".join(told.split())
    assert "Next: run `ultrawork verify`, then stop again." in told
    assert not ran(alone)
    last = alone.stop(LIE)
    assert last["systemMessage"].startswith(f"ultrawork: UNVERIFIED. make test {ASKS}.")
    assert not ran(alone)


def asks(scene):
    """The hook has run nothing, asks for it, and names the cure."""
    told = refused(scene.stop(LIE))
    assert ASKS in " ".join(told.split())
    assert "  The user can allow it: ulw gates allow" in told.splitlines()
    assert not ran(scene)


def test_in_plan_mode_nothing_runs(scene):
    scene.mode = "plan"
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    assert scene.stop(LIE) == {}
    assert not ran(scene)


WEAK = "test:\n\t@true\n"


def test_a_definition_that_was_not_committed_does_not_run(scene):
    scene.mode = "default"
    scene.write("Makefile", WEAK)
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    asks(scene)


OWN = "test:\n\t@touch made; echo fine\n"


@pytest.mark.parametrize("committed", [False, True])
def test_a_definition_that_the_session_changed_does_not_run(scene, committed):
    """The check runs as it was when the user typed the word, and the line says so."""
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    scene.edit("Makefile", OWN)
    if committed:
        scene.commit()
    told = scene.stop(LIE)["systemMessage"]
    assert told.startswith("ultrawork: PASS")
    assert "new command not run: ulw gates allow (" in " ".join(told.split())
    assert not os.path.exists(f"{scene.place}/made")


def test_a_failure_behind_a_definition_that_the_session_changed_is_sent_back(scene):
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.spoil()
    scene.edit("Makefile", OWN)
    assert "make test fails" in refused(scene.stop(LIE))
    assert not os.path.exists(f"{scene.place}/made")


def test_a_changed_definition_whose_old_form_cannot_run_needs_permission(scene):
    scene.mode = "default"
    scene.write("Makefile", "test:\n\t@no-such-program\n")
    scene.commit()
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    scene.edit("Makefile", OWN)
    assert ASKS in refused(scene.stop(LIE))
    assert not os.path.exists(f"{scene.place}/made")


def test_a_check_that_the_session_made_does_not_run(tmp_path):
    scene = Scene(str(tmp_path), NO_CHECK)
    scene.mode = "default"
    scene.prompt("ulw number the pages")
    scene.edit("Makefile", "test:\n\t@touch made\n")
    scene.stop(LIE)
    assert not ran(scene)
    assert not os.path.exists(f"{scene.place}/made")


@pytest.mark.slow
def test_a_definition_is_a_value_and_its_file_may_change(scene):
    scene.mode = "default"
    scene.write("Makefile", scene.read("Makefile") + "\nclean:\n\trm -f x\n")
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    assert "PASS" in scene.stop(LIE)["systemMessage"]


def test_what_the_project_says_about_its_gates_counts_as_committed(scene):
    scene.mode = "default"
    scene.write("ultrawork.toml", '[gates]\ntest = "touch made; make test"\n')
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    asks(scene)
    assert not os.path.exists(f"{scene.place}/made")


@pytest.mark.slow
@pytest.mark.parametrize("begun", [False, True])
def test_without_commits_it_is_the_start_that_counts(scene, begun):
    shutil.rmtree(f"{scene.place}/.git")
    if begun:
        subprocess.run([*GIT, "init", "-q"], cwd=scene.place, check=True, capture_output=True)
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.edit("Makefile", OWN)
    assert "make test fails" in refused(scene.stop(LIE))
    assert not os.path.exists(f"{scene.place}/made")
    scene.edit("Makefile", FILES["Makefile"])
    scene.fix()
    assert "PASS" in scene.stop(LIE)["systemMessage"]


def test_a_folder_below_has_checks_of_its_own(tmp_path):
    below = {f"web/{name}": text for name, text in QUICK.items()}
    scene = Scene(str(tmp_path), {**QUICK, **below})
    scene.mode = "default"
    scene.prompt("ulw change the words")
    scene.edit("web/app.txt", "right indeed\n")
    assert "make test in web" in scene.stop("Done.")["systemMessage"]


def test_denied_in_a_checkout_nothing_runs_whatever_the_mode(scene):
    answer = scene.prompt("ulw gates deny")
    assert answer["stopReason"] == ("ultrawork: I no longer run checks myself in this checkout. Undo: ulw gates allow")
    for mode in ("default", "bypassPermissions"):
        scene.mode = mode
        assert "To opt out" not in scene.prompt(f"ulw {GOAL}")["systemMessage"]
        scene.idle()
        asks(scene)
        scene.prompt("ulw off")


def test_what_was_allowed_before_a_denial_is_not_any_more(scene):
    scene.mode = "default"
    scene.prompt("ulw gates allow")
    scene.prompt(f"ulw {GOAL}")
    scene.tool("Bash", {"command": "make test"})
    scene.prompt("ulw gates deny")
    scene.fix()
    asks(scene)
    assert "you denied it" in scene.run("gates")


def test_a_denial_is_undone_by_allowing(scene):
    scene.mode = "default"
    scene.run("gates", "deny")
    scene.run("gates", "allow")
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    assert "PASS" in scene.stop(LIE)["systemMessage"]


@pytest.mark.slow
def test_a_run_that_the_client_permits_after_a_denial_counts(scene):
    scene.mode = "default"
    scene.prompt("ulw gates deny")
    scene.prompt(f"ulw {GOAL}")
    scene.fix()
    asks(scene)
    scene.tool("Bash", {"command": "make test"})
    assert "PASS" in scene.stop(LIE)["systemMessage"]


def test_what_the_person_allowed_a_hook_runs(alone):
    alone.mode = "default"
    assert alone.prompt("ulw gates allow")["stopReason"] == (
        "ultrawork: from now on I run these myself in this checkout: test (make test)"
    )
    alone.prompt(f"ulw {GOAL}")
    alone.fix()
    assert "PASS" in alone.stop(LIE)["systemMessage"]


@pytest.mark.slow
def test_a_permitted_verify_is_consent_for_what_it_ran(alone):
    alone.mode = "default"
    alone.prompt(f"ulw {GOAL}")
    alone.fix()
    agent = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION}
    assert alone.run("verify", env=agent).startswith("PASS")
    alone.tool("Bash", {"command": "ultrawork verify"})
    assert "PASS" in alone.stop(LIE)["systemMessage"]
    assert "hook" in alone.run("evidence", "--session", SESSION)


def test_a_permitted_run_of_the_same_command_is_consent_for_it(alone):
    alone.mode = "default"
    alone.prompt(f"ulw {GOAL}")
    alone.fix()
    alone.tool("Bash", {"command": "make test"})
    assert "PASS" in alone.stop(LIE)["systemMessage"]


def test_a_run_of_another_command_is_not(alone):
    alone.mode = "default"
    alone.prompt(f"ulw {GOAL}")
    alone.fix()
    alone.tool("Bash", {"command": "make test || true"})
    assert ASKS in refused(alone.stop(LIE))


def rules(scene, path, **settings):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(settings, file)


@pytest.mark.slow
@pytest.mark.parametrize("place", ["{root}/.claude/settings.json", "{place}/.claude/settings.local.json"])
def test_a_rule_of_the_client_counts_if_it_was_there_at_the_start(alone, place):
    path = place.format(root=alone.root, place=alone.place)
    rules(alone, path, permissions={"allow": ["Bash(make:*)"]})
    alone.mode = "default"
    alone.prompt(f"ulw {GOAL}")
    alone.fix()
    assert "PASS" in alone.stop(LIE)["systemMessage"]


def test_a_rule_that_came_later_does_not_count(alone):
    alone.mode = "acceptEdits"
    alone.prompt(f"ulw {GOAL}")
    rules(alone, f"{alone.place}/.claude/settings.local.json", permissions={"allow": ["Bash"]})
    alone.fix()
    assert ASKS in refused(alone.stop(LIE))


@pytest.mark.parametrize("kind", ["ask", "deny"])
def test_a_rule_that_asks_or_denies_takes_it_back(scene, kind):
    """Whatever allows it otherwise; and the agent cannot take the rule away."""
    permissions = {"allow": ["Bash(make:*)"], kind: ["Bash(make test)"]}
    rules(scene, f"{scene.root}/.claude/settings.json", permissions=permissions)
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    os.unlink(f"{scene.root}/.claude/settings.json")
    scene.fix()
    asks(scene)


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
def test_a_codex_whose_sandbox_cannot_hold_checks_ends_unverified_and_names_it(alone, sandbox):
    """Whatever it calls its mode; nobody can run them there, so nobody is asked to."""
    told = alone.as_codex(sandbox)
    alone.prompt("ulw gates allow", **told)
    alone.prompt(f"ulw {GOAL}", **told)
    alone.fix()
    last = alone.stop(LIE, **told)
    assert "decision" not in last
    assert last["systemMessage"].startswith("ultrawork: UNVERIFIED.")
    assert f"test cannot run in Codex's {sandbox} sandbox" in " ".join(
        last["systemMessage"].lower().replace("codex", "Codex").split()
    )
    assert "  to run    ulw verify" in last["systemMessage"]
    assert not ran(alone)


def test_a_codex_that_asks_nothing_outside_a_sandbox_lets_the_hook_run_gates(alone):
    """`--sandbox danger-full-access` with its own way to ask: its mode is called default then."""
    told = alone.as_codex()
    alone.mode = "default"
    alone.prompt(f"ulw {GOAL}", **told)
    alone.fix()
    assert alone.stop(LIE, **told)["systemMessage"].startswith("ultrawork: PASS")


@pytest.mark.parametrize("turn", [{"approval_policy": "untrusted"}, {"collaboration_mode": {"mode": "plan"}}])
def test_a_codex_that_asks_before_commands_or_only_plans_is_asked(alone, turn):
    told = alone.as_codex(**turn)
    alone.mode = "default"
    alone.prompt(f"ulw {GOAL}", **told)
    alone.fix()
    assert ASKS in refused(alone.stop(LIE, **told))
    assert not ran(alone)


@pytest.mark.slow
def test_a_codex_that_confines_nothing_lets_the_hook_run_gates(alone):
    told = alone.as_codex()
    alone.prompt(f"ulw {GOAL}", **told)
    alone.fix()
    assert alone.stop(LIE, **told)["systemMessage"].startswith("ultrawork: PASS")


def test_a_codex_that_keeps_no_record_is_taken_for_confined(alone):
    told = {**alone.as_codex(), "transcript_path": None}
    alone.prompt(f"ulw {GOAL}", **told)
    alone.fix()
    assert alone.stop(LIE, **told)["systemMessage"].startswith("ultrawork: UNVERIFIED.")
    assert not ran(alone)


def test_alone_the_flag_that_would_help_is_named(alone):
    alone.mode = "default"
    alone.prompt(f"ulw {GOAL}")
    alone.fix()
    last = refused(alone.stop(LIE)).splitlines()[-1]
    assert last == (
        "ultrawork: UNVERIFIED. make test has not run: I have no permission to start it."
        " To allow the checks: --allowedTools 'Bash(ultrawork verify:*)'"
    )
    told = alone.stop(LIE)["stopReason"]
    assert "  to run    --allowedTools 'Bash(ultrawork verify:*)'" in told


@pytest.mark.parametrize("words", ["ulw gates allow", "ulw accept it is fine", "ulw off"])
def test_a_word_that_the_model_scheduled_is_not_the_persons(scene, tmp_path, words):
    record = tmp_path / "transcript.jsonl"
    call = {"type": "tool_use", "name": "CronCreate", "input": {"cron": "* * * * *", "prompt": words}}
    record.write_text(json.dumps({"type": "assistant", "message": {"content": [call]}}) + "\n")
    scene.mode = "default"
    scene.prompt("ulw gates deny")
    scene.prompt(f"ulw {GOAL}")
    assert scene.prompt(words, transcript_path=str(record)) == {}
    scene.fix()
    asks(scene)


def test_a_session_that_the_model_began_for_itself_is_not_the_persons(scene, tmp_path):
    record = tmp_path / "transcript.jsonl"
    call = {"type": "tool_use", "name": "CronCreate", "input": {"prompt": "/ultrawork:ulw " + GOAL}}
    record.write_text(json.dumps({"type": "assistant", "message": {"content": [call]}}) + "\n")
    scene.mode = "default"
    scene.event(
        "UserPromptExpansion",
        command_name="ultrawork:ulw",
        command_args=GOAL,
        prompt="/ultrawork:ulw " + GOAL,
        transcript_path=str(record),
    )
    scene.fix()
    asks(scene)


def test_a_cron_that_a_stop_told_of_is_remembered(scene):
    scene.mode = "default"
    scene.prompt(f"ulw {GOAL}")
    scene.stop(LIE, session_crons=[{"id": "c", "prompt": "ulw gates allow"}])
    assert scene.prompt("ulw gates allow") == {}


def test_in_a_linked_worktree_the_denial_of_its_checkout_holds_until_it_is_undone(scene, tmp_path):
    scene.run("gates", "deny")
    linked = f"{os.path.realpath(tmp_path)}/linked"
    subprocess.run([*GIT, "worktree", "add", "-q", linked], cwd=scene.place, check=True)
    home = scene.state_folder
    assert checkouts.find_denial(home, linked) is not None
    checkouts.lift_denial(home, linked)
    assert checkouts.find_denial(home, linked) is None
