from ultrawork.hooks.event import Answer, merge


def test_nothing_to_say_is_nothing():
    assert merge("Stop", []) is None
    assert merge("Stop", [Answer()]) is None


def test_answers_of_one_event_become_one():
    found = merge("Stop", [Answer(message="a", block="x"), Answer(message="b", block="y")])
    assert found == {"systemMessage": "a\nb", "decision": "block", "reason": "x\ny"}


def test_ending_the_turn_beats_refusing_it():
    found = merge("Stop", [Answer(block="x"), Answer(end="over")])
    assert found == {"continue": False, "stopReason": "over"}


def test_context_and_feedback_reach_the_model_with_the_events_name():
    found = merge("Stop", [Answer(context="a"), Answer(feedback="b")])
    assert found == {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "a\n\nb"}}


def test_plain_text_is_printed_as_it_is():
    assert merge("UserPromptSubmit", [Answer(plain="as it is"), Answer(message="m")]) == "as it is"


def test_only_a_prompt_can_name_the_window():
    assert "sessionTitle" in merge("UserPromptSubmit", [Answer(title="t")])["hookSpecificOutput"]
    assert merge("UserPromptExpansion", [Answer(title="t")]) is None


def test_a_denial_beats_a_changed_input_and_nothing_ever_allows():
    found = merge("PreToolUse", [Answer(input={"a": 1}), Answer(deny="no")])
    assert found["hookSpecificOutput"] == {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }
    changed = merge("PreToolUse", [Answer(input={"a": 1})])["hookSpecificOutput"]
    assert changed == {"hookEventName": "PreToolUse", "updatedInput": {"a": 1}}


def test_a_denial_is_no_answer_to_another_event():
    assert merge("PostToolUse", [Answer(deny="no")]) is None
