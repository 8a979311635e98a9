"""The fifteen hook types, and how an input becomes the one that handlers read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ultrawork.core import hook_types
from ultrawork.core.check import is_too_deep
from ultrawork.hooks.event import KINDS, SPELLINGS

SENSITIVE = {"permission-request", "setup-init", "setup-maintenance", "session-end"}
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
names = st.sampled_from([*KINDS, *SPELLINGS, "something_new"]) | st.text(max_size=8)
inputs = st.dictionaries(names, values, max_size=12)


def entered(raw, hook_type="pre-tool-use"):
    return hook_types.check_input(raw, hook_type, kinds=KINDS, spellings=SPELLINGS)


def test_there_are_fifteen_types_and_four_are_sensitive():
    assert len(hook_types.TYPES) == 15
    assert {name for name in hook_types.TYPES if hook_types.is_sensitive_type(name)} == SENSITIVE


@pytest.mark.parametrize(
    ("hook_type", "keys"),
    [
        ("session-end", ("session_id", "cwd")),
        ("subagent-start", ("session_id", "cwd")),
        ("subagent-stop", ("session_id", "cwd")),
        ("pre-compact", ("session_id", "cwd")),
        ("setup-init", ("session_id", "cwd")),
        ("setup-maintenance", ("session_id", "cwd")),
        ("permission-request", ("session_id", "cwd", "tool_name")),
        ("pre-tool-use", ()),
        ("nothing-known", ()),
    ],
)
def test_what_a_type_must_bring(hook_type, keys):
    assert hook_types.list_required(hook_type) == keys
    assert entered({}, hook_type).missing == list(keys)
    assert entered(dict.fromkeys(keys, "x"), hook_type).missing == []


def test_our_own_spelling_comes_before_the_others():
    raw = {"sessionId": "theirs", "session_id": "ours", "toolName": "Read", "directory": "/d"}
    assert entered(raw).data == {"session_id": "ours", "tool_name": "Read", "cwd": "/d"}


def test_the_other_spelling_stands_in_where_ours_has_the_wrong_type():
    found = entered({"session_id": 5, "sessionId": "theirs"})
    assert found.data == {"session_id": "theirs"}
    assert found.warnings == ["session_id is a number, not text; it was ignored"]


@pytest.mark.parametrize("name", ["tool_response", "tool_output", "toolOutput", "toolResponse"])
@pytest.mark.parametrize("value", ["text", {"stdout": ""}, ["a"]])
def test_the_answer_of_a_tool_may_have_any_name_and_shape(name, value):
    assert entered({name: value}, "post-tool-use").data == {"tool_response": value}


def test_unknown_fields_pass_unless_the_type_is_sensitive():
    raw = {"session_id": "s", "cwd": "/", "brand_new": 1}
    assert entered(raw, "pre-tool-use").data["brand_new"] == 1
    for hook_type in SENSITIVE:
        found = entered(raw, hook_type)
        assert "brand_new" not in found.data
        assert found.warnings == []


@pytest.mark.parametrize("raw", [None, 42, "text", [1, 2], True])
def test_what_is_no_object_is_an_empty_one(raw):
    assert entered(raw).data == {}


@given(inputs, st.sampled_from([*hook_types.TYPES, ""]))
def test_nothing_with_a_wrong_type_or_a_foreign_name_comes_through(raw, hook_type):
    data = entered(raw, hook_type).data
    assert not set(data) & set(SPELLINGS)
    assert all(type(value) in KINDS[key] for key, value in data.items() if KINDS.get(key))
    assert not hook_types.is_sensitive_type(hook_type) or set(data) <= set(KINDS)


@given(inputs)
def test_what_has_entered_once_enters_unchanged(raw):
    once = entered(raw).data
    assert entered(once).data == once


def test_setup_has_two_types():
    assert hook_types.find_type("Setup", {"trigger": "init"}) == "setup-init"
    assert hook_types.find_type("Setup", {"trigger": "maintenance"}) == "setup-maintenance"
    assert hook_types.find_event("setup-maintenance") == "Setup"


def test_every_event_of_a_type_leads_back_to_a_type_of_that_event():
    for event, _, _ in hook_types.TYPES.values():
        assert hook_types.TYPES[hook_types.find_type(event, {})][0] == event
    assert hook_types.find_type("Notification", {}) == ""
    assert hook_types.find_event("Notification") == "Notification"


@pytest.mark.parametrize(("data", "known"), [({}, True), ({"success": True}, True), ({"success": False}, False)])
def test_an_agent_that_says_nothing_about_success_had_it(data, known):
    assert hook_types.has_succeeded(data) is known


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"prompt": "p", "message": {"content": "m"}}, "p"),
        ({"message": {"content": "m"}}, "m"),
        ({"message": "m"}, "m"),
        ({"parts": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]}, "a b"),
        ({"parts": [{"type": "text"}, 3]}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_the_prompt_is_found_where_a_client_puts_it(data, text):
    assert hook_types.find_prompt_text(data) == text


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [0, 1, 10, 5000])
def test_depth_is_measured_without_recursion(depth):
    assert is_too_deep(nested(depth), depth) is True
    assert is_too_deep(nested(depth), depth + 1) is False
