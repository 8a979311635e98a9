"""The word alone: it is about what was asked before, and where nothing was, it says what to type."""

import json

import pytest

ALONE = ["ulw", "ULW!", "ultrawork.", "ulw please", "**ulw**", "ulw ulw"]
NO_GOAL = "ultrawork: not on. Add a task, for example: ulw fix the login bug"


def typed(text, **more):
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def said(text):
    content = [{"type": "text", "text": text}]
    return {"type": "assistant", "message": {"role": "assistant", "content": content}}


def result(text):
    content = [{"type": "tool_result", "tool_use_id": "t", "content": text}]
    return {"type": "user", "message": {"role": "user", "content": content}}


@pytest.fixture
def told(quick):
    """Makes the client's record of the conversation; gives what an event names it by."""

    def make(*records):
        path = f"{quick.root}/transcript.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in records)
        return {"transcript_path": path}

    return make


@pytest.mark.parametrize("prompt", ALONE)
def test_where_nothing_was_asked_before_it_says_what_to_type_and_stays_off(quick, prompt):
    assert quick.prompt(prompt) == {"continue": False, "stopReason": NO_GOAL}
    assert not quick.is_on()


@pytest.mark.parametrize("prompt", ALONE)
def test_it_takes_up_what_the_person_asked_last(quick, told, prompt):
    record = told(
        typed("fix the parser"), said("Shall I?"), typed("sort the list"), said("I am looking."),
        result("ok"), typed("Caveat: of the client", isMeta=True), typed("a helper's", isSidechain=True),
        typed("<command-name>/model</command-name>"), typed("/compact"), typed("ulw off"), typed(prompt),
    )  # fmt: skip
    answer = quick.prompt(prompt, **record)
    assert answer["systemMessage"].startswith("ultrawork: on.")
    assert answer["hookSpecificOutput"]["sessionTitle"] == "sort the list"
    assert quick.session()["goal"] == "sort the list"


def test_a_request_in_blocks_is_read_as_well(quick, told):
    blocks = [{"type": "image", "source": {}}, {"type": "text", "text": "make it look like this"}]
    quick.prompt("ulw", **told(typed(blocks)))
    assert quick.session()["goal"] == "make it look like this"


def test_a_request_in_codex_is_read_as_well(quick, told):
    event = {"type": "user_message", "message": "sort the list"}
    quick.environ.pop("CLAUDE_CODE_SESSION_ID")
    quick.prompt("ulw", **told({"type": "event_msg", "payload": event}), turn_id="t")
    assert quick.session()["goal"] == "sort the list"


@pytest.mark.parametrize("name", ["ultrawork:ulw", "omo:ulw"])
def test_a_typed_skill_alone_does_the_same(quick, told, name):
    assert quick.typed(name)["stopReason"] == NO_GOAL
    record = told(typed("sort the list"))
    quick.event("UserPromptExpansion", command_name=name, command_args="", prompt=f"/{name}", **record)
    assert quick.session()["goal"] == "sort the list"


def test_while_it_is_on_the_goal_stays(quick, told):
    quick.prompt("ulw sort the list")
    record = told(typed("ulw sort the list"))
    told_again = quick.prompt("ulw", **record)
    assert told_again == {"systemMessage": "ultrawork: still on, with the same goal. Details: ulw status"}
    assert quick.prompt("ulw") == told_again
    assert quick.session()["goal"] == "sort the list"


def test_while_it_is_on_what_was_asked_since_joins_the_goal(quick, told):
    quick.prompt("ulw sort the list")
    quick.prompt("ulw", **told(typed("ulw sort the list"), typed("and number it")))
    assert quick.session()["goal"] == "sort the list\nand number it"
