"""Choosing a backend, and reading what any program may print."""

import json
import os

import pytest

from support.seats import ScriptSeat
from ultrawork.clients.codex import headless as codex
from ultrawork.clients.headless import base, table
from ultrawork.clients.headless.attempt import ENDED, RUNNING, Attempt, AttemptReport, read_events
from ultrawork.core.errors import NotFound, UsageError


@pytest.fixture
def attempt(tmp_path):
    return Attempt(
        "s", "1", "worker", 1, backend="script", place=str(tmp_path), folder=str(tmp_path), prompt="go"
    )  # fmt: skip


def printed(attempt, *lines):
    with open(f"{attempt.folder}/out.jsonl", "w", encoding="utf-8") as file:
        file.writelines((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)


def ended(code=0, why="ended"):
    return AttemptReport(ENDED, code=code, why=why, ended_at=1000.0)


def read(attempt, report=None):
    return table.get("script").read(attempt, report)


RESULT = {"type": "result", "answer": None, "tokens": 3, "usd": 0.5}


def test_an_unknown_backend_is_named_with_what_was_probably_meant():
    with pytest.raises(UsageError, match='no backend "scrpit"; did you mean script'):
        table.get("scrpit")


def test_a_chosen_backend_that_is_not_there_says_how_to_get_it():
    with pytest.raises(NotFound, match="a scripted agent is not installed: set ULTRAWORK_SCRIPT to"):
        table.choose("script", {"PATH": ""})


def test_a_program_that_does_not_start_is_not_there(tmp_path):
    class Broken(base.Backend):
        name = program = "broken"

    path = tmp_path / "broken"
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    assert Broken().find_program({"PATH": str(tmp_path)}) is None


def test_a_program_is_found_with_the_version_it_says(tmp_path):
    class Small(base.Backend):
        name = program = "small"

    path = tmp_path / "small"
    path.write_text('#!/bin/sh\necho a warning\necho "1.2.3 (Small)"\n')
    path.chmod(0o755)
    found = Small().find_program({"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (found.name, found.path, found.version) == ("small", str(path), "1.2.3 (Small)")


def test_an_agent_gets_the_persons_environment_without_the_session_around_us():
    given = {"HOME": "/h", "ANTHROPIC_API_KEY": "k", "CLAUDECODE": "1", "GIT_DIR": "/x"}
    assert base.make_agent_environment(given, MORE="1") == {
        "HOME": "/h", "ANTHROPIC_API_KEY": "k", "ULTRAWORK_DISABLE": "1", "MORE": "1",
    }  # fmt: skip


def test_an_agent_at_work_shows_its_session_and_its_last_line(attempt):
    assert read(attempt).last == ""
    printed(attempt, {"type": "start", "session": "abc"}, {"type": "text", "text": "one\ntwo\n"})
    for report in (None, AttemptReport(RUNNING)):
        outcome = read(attempt, report)
        assert (outcome.session, outcome.last, outcome.trouble) == ("abc", "two", "")


@pytest.mark.parametrize("name", ["--dangerously", "-c", "../../x", "a/b", "", "a b", "x" * 201, 7])
def test_a_conversation_that_could_be_an_option_or_a_path_has_no_name(attempt, name):
    printed(attempt, {"type": "start", "session": name}, {"type": "text", "text": "here"})
    assert (read(attempt).session, read(attempt).last) == ("", "here")


def test_the_last_line_of_an_endless_output_is_found_without_reading_all_of_it(attempt):
    with open(f"{attempt.folder}/out.jsonl", "wb") as file:
        file.write(b'{"type": "start", "session": "abc"}\n')
        file.truncate(3_000_000_000)
        file.seek(0, 2)
        file.write(b'\n{"type": "text", "text": "here"}\n{"type": "te')
    outcome = read(attempt)
    assert (outcome.session, outcome.last) == ("abc", "here")


def test_the_result_of_a_huge_output_is_read_from_its_two_ends(attempt):
    noise = json.dumps({"type": "step", "what": "x" * 100_000})
    printed(attempt, {"type": "start", "session": "abc"}, *[noise] * 400, {"type": "text", "text": "end"}, RESULT)
    outcome = read(attempt, ended())
    assert (outcome.session, outcome.text, outcome.tokens) == ("abc", "end", 3)
    assert sum(1 for _ in read_events(f"{attempt.folder}/out.jsonl")) < 200


def test_lines_that_are_no_events_are_passed_over(attempt):
    printed(
        attempt, "a warning", "{not json", "[1]", {"type": "nobody knows"}, {"no": "type"},
        {"type": "text"}, {"type": "text", "text": "well"}, RESULT,
    )  # fmt: skip
    outcome = read(attempt, ended())
    assert (outcome.text, outcome.trouble) == ("well", "")


@pytest.mark.parametrize(
    ("report", "errors", "trouble", "detail"),
    [
        (ended(0), "", "malformed", "it exited with status 0 but printed no final event"),
        (ended(1), "boom\n", "crash", "it exited with status 1: boom"),
        (ended(-9), "", "crash", "killed by signal 9"),
        (ended(None), "", "crash", "it exited without a status"),
        (ended(127), "", "missing", "could not start the script program"),
        (ended(1), "Error: 429 Too Many Requests", "limit", "it exited with status 1: Error: 429 Too Many"),
        (ended(1), "Invalid API key\n", "auth", "it exited with status 1: Invalid API key"),
        (ended(-15, "deadline"), "", "crash", "stopped at its deadline of 3600 s"),
        (ended(143, "cancelled"), "", "crash", "cancelled"),
        (ended(None, "orphaned"), "", "crash", "no engine resumed it in time"),
    ],
)
def test_an_end_without_a_result_is_told_by_how_it_ended(attempt, report, errors, trouble, detail):
    with open(f"{attempt.folder}/err.log", "w", encoding="utf-8") as file:
        file.write(errors)
    outcome = read(attempt, report)
    assert outcome.trouble == trouble
    assert outcome.detail.startswith(detail)


def test_a_wanted_answer_that_did_not_come_is_malformed(attempt):
    attempt.schema = {"type": "object"}
    printed(attempt, {"type": "text", "text": "no"}, RESULT)
    assert read(attempt, ended()).trouble == "malformed"


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        'Here it is:\n```json\n{"a": 1}\n```\nThat is all.',
        'First ```json\n{"b": 2}\n``` and then ```json\n{"a": 1}\n```',
        'So: {"a": 1}.',
    ],
)
def test_an_answer_is_found_in_the_words_around_it(text):
    assert base.find_answer(text) == {"a": 1}


@pytest.mark.parametrize("text", ["", "[1]", "{", "```json\n[1]\n```", "a } b {"])
def test_what_is_no_object_is_no_answer(text):
    assert base.find_answer(text) is None


def test_what_a_cancelled_agent_had_said_stays(tmp_path):
    with ScriptSeat(str(tmp_path)) as seat:
        seat.play({"say": "so far"}, {"hang": True})
        running = seat.start(attempt := seat.attempt())
        while seat.backend.read(attempt).last != "hang True":
            assert not running.ended()
        outcome = seat.backend.read(attempt, running.cancel())
        assert (outcome.trouble, outcome.text) == ("crash", "so far")


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Rate limit reached. Please try again in 20s.", 20),
        ("Please try again in 6m0s", 360),
        ("try again in 120ms", 0.12),
        ("You've hit your usage limit. Try again in 2 days 3 hours and 5 minutes.", 183_900),
        ("Please retry in 33.5s.", 33.5),
        ('"retryDelay": "41s"', 41),
        ("try again later, 5s", 0),
        ("429 Too Many Requests", 0),
    ],
)
def test_how_long_to_wait_is_read_from_what_a_provider_says(message, seconds):
    assert base.parse_wait(message) == pytest.approx(seconds)


def test_a_key_that_an_answer_leaves_empty_is_not_given():
    assert base.find_answer('{"a": null, "b": [{"c": null, "d": 0}]}') == {"b": [{"d": 0}]}


def test_a_choice_of_words_in_a_strict_schema_has_a_type():
    schema = {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]}
    assert codex.make_strict(schema)["properties"] == {"a": {"enum": ["x", "y"], "type": "string"}}


def test_a_strict_schema_requires_every_key_and_lets_the_optional_ones_be_null():
    inner = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
    schema = {"type": "object", "properties": {"a": inner, "b": {"type": "array", "items": inner}}}
    assert codex.make_strict({**schema, "required": ["a"]}) == {
        "type": "object",
        "properties": {
            "a": {**inner, "additionalProperties": False},
            "b": {"anyOf": [{"type": "array", "items": {**inner, "additionalProperties": False}}, {"type": "null"}]},
        },
        "required": ["a", "b"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("message", "trouble"),
    [
        ("TypeError: x is not a function\n    at run (cli.js:1429:12)", base.CRASH),
        ("process 4290 was killed", base.CRASH),
        ("write failed: Disk quota exceeded", base.CRASH),
        ("listening on port 5290; error: EPIPE", base.CRASH),
        ("assertion failed: 429 != 430", base.CRASH),
        ("cannot find /usr/lib/node/401.js", base.CRASH),
        ('API Error: 429 {"type":"error"}', base.LIMIT),
        ("HTTP 529", base.LIMIT),
        ("status code: 429", base.LIMIT),
        ("429 Too Many Requests", base.LIMIT),
        ("rate_limit_error: slow down", base.LIMIT),
        ("You exceeded your current quota", base.LIMIT),
        ("RESOURCE_EXHAUSTED", base.LIMIT),
        ("status 401 Unauthorized", base.AUTH),
        ("API Error: 403 Forbidden", base.AUTH),
        ("Error: 403 tests failed", base.CRASH),
        ("Please run /login", base.AUTH),
        ("Missing environment variable: `LOOP_KEY`.", base.AUTH),
        ("you must specify the GEMINI_API_KEY environment variable", base.AUTH),
        ("Missing environment variable: `PATH`", base.CRASH),
    ],
)
def test_a_limit_is_known_by_its_form_and_a_number_alone_is_none(message, trouble):
    assert base.classify_error(message) == trouble


def test_what_was_said_long_before_the_end_did_not_end_it():
    assert base.classify_error("HTTP 429, trying again\n" + "working\n" * 1000) == base.CRASH
