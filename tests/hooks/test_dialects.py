import pytest

from support.scene import GOAL, QUICK, Scene

# What Codex 0.166 takes; for one key more it throws the answer away.
WHOLE = {"continue", "decision", "reason", "stopReason", "suppressOutput", "systemMessage"}
SPECIFIC = {
    "SessionStart": {"hookEventName", "additionalContext"},
    "UserPromptSubmit": {"hookEventName", "additionalContext"},
    "PreToolUse": {
        "hookEventName",
        "additionalContext",
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
    },
    "PostToolUse": {"hookEventName", "additionalContext"},
    "Stop": set(),
}


def assert_known(event, answer):
    specific = answer.get("hookSpecificOutput", {})
    assert set(answer) <= WHOLE | ({"hookSpecificOutput"} if SPECIFIC[event] else set())
    assert set(specific) <= SPECIFIC[event]


@pytest.fixture
def codex(tmp_path):
    scene = Scene(str(tmp_path), QUICK, attended=False)
    scene.told = scene.as_codex(approval_policy="untrusted")
    scene.mode = "default"
    return scene


def test_codex_gets_no_key_that_it_does_not_know(codex):
    on = codex.prompt(f"ulw {GOAL}", **codex.told)
    assert on["hookSpecificOutput"]["additionalContext"].startswith("ultrawork is on.")
    assert_known("UserPromptSubmit", on)
    ours = {"file_path": f"{codex.home}/off/x"}
    denied = codex.event("PreToolUse", tool_name="Write", tool_input=ours, **codex.told)
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert_known("PreToolUse", denied)
    begun = {"source": "resume", "transcript_path": codex.told["transcript_path"]}
    brief = codex.event("SessionStart", **begun)
    assert '/bin/ultrawork" verify` passes' in brief["hookSpecificOutput"]["additionalContext"]
    assert_known("SessionStart", brief)


def test_what_is_only_feedback_elsewhere_refuses_the_stop_in_codex(codex):
    codex.prompt(f"ulw {GOAL}", **codex.told)
    codex.edit("app.txt", "right again\n")
    told = codex.stop("Done.", **codex.told)
    assert told["decision"] == "block"
    assert "make test has not run: I have no permission to start it." in told["reason"]
    assert_known("Stop", told)


def test_a_codex_that_is_let_go_is_not_refused_as_well(codex):
    codex.prompt(f"ulw {GOAL}", **codex.told)
    codex.edit("app.txt", "right again\n")
    codex.stop("Done.", **codex.told)
    told = codex.stop("Done.", **codex.told)
    assert told["continue"] is False
    assert "decision" not in told
    assert_known("Stop", told)


def patch(*files):
    lines = "".join(f"*** Update File: {path}\n@@\n-right\n+wrong\n" for path in files)
    return {"command": f"*** Begin Patch\n{lines}*** End Patch\n"}


def in_shell(given):
    return {"command": f"apply_patch <<'EOF'\n{given['command']}EOF\n"}


@pytest.mark.parametrize(("tool", "form"), [("apply_patch", dict), ("Bash", in_shell)])
def test_a_patch_leads_into_our_state_no_more_than_an_edit(codex, tool, form):
    codex.prompt(f"ulw {GOAL}", **codex.told)
    ours = form(patch("app.txt", f"{codex.home}/off/x"))
    denied = codex.event("PreToolUse", tool_name=tool, tool_input=ours, **codex.told)
    assert denied["hookSpecificOutput"]["permissionDecision"] == "deny"
    plain = form(patch("app.txt"))
    assert codex.event("PreToolUse", tool_name=tool, tool_input=plain, **codex.told) == {}


@pytest.mark.parametrize(
    ("event", "tool", "form"), [("PostToolUse", "apply_patch", dict), ("PreToolUse", "Bash", in_shell)]
)
def test_what_a_patch_breaks_is_nobody_elses(tmp_path, event, tool, form):
    """Of one in its shell Codex tells before it is applied, and never again."""
    scene = Scene(str(tmp_path), QUICK, attended=False)
    told = scene.as_codex()
    scene.prompt(f"ulw {GOAL}", **told)
    scene.event(event, tool_name=tool, tool_input=form(patch("app.txt")), **told)
    scene.write("app.txt", "wrong\n")
    for _ in range(2):
        answer = scene.stop("All tests pass.", **told)
        assert "test fails" in answer["reason"]
        assert "Someone else changed" not in answer["reason"]


def test_gemini_reads_its_own_event_names(tmp_path):
    scene = Scene(str(tmp_path), QUICK)
    told = scene.prompt(f"ulw {GOAL}", hook_event_name="BeforeAgent")
    assert told["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
