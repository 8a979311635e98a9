"""`ultrawork context …` as people and scripts type it."""

import json

import pytest


@pytest.fixture
def begun(program):
    program.done("session", "new", "--goal", "g", "--session", "s1")
    return program


def get(program, field):
    return program.done("context", "get", "--field", field).out.strip()


def test_exploration_goes_from_expected_to_complete(begun):
    assert begun.done("context", "init", "--expected", " overview , exp-1 ").out == ("expected: overview, exp-1\n")
    words = ["--summary", "small", "--key-files", "a.ts,b.ts", "--patterns", "React"]
    answer = begun.done("context", "add", "--id", "overview", "--hint", "what is it", *words)
    assert answer.out == "explorer overview added\n"
    assert get(begun, "exploration_complete") == "false"
    answer = begun.done("context", "add", "--explorer-id", "exp-1", "--key-files", "b.ts,c.ts")
    assert answer.out == "explorer exp-1 added; all expected explorers complete\n"
    assert get(begun, "key_files") == '["a.ts","b.ts","c.ts"]'
    assert get(begun, "explorers[0].hint") == "what is it"


def test_a_report_comes_on_standard_input_and_lies_in_the_folder(begun):
    report = "\n# Auth lives in auth/\n\nMore.\n"
    begun.done("context", "add", "--id", "exp-1", "-", stdin=report.encode())
    with open(f"{begun.home}/sessions/s1/exploration/exp-1.md", encoding="utf-8") as file:
        assert file.read() == report
    assert get(begun, "explorers[0].summary") == "Auth lives in auth/"


def test_the_first_report_stays(begun):
    begun.done("context", "add", "--id", "exp-1", "--summary", "first")
    answer = begun.done("context", "add", "--id", "exp-1", "--summary", "second")
    assert answer.out == "explorer exp-1 already reported; the first report is kept\n"
    assert get(begun, "explorers[0].summary") == "first"


def test_what_is_known_is_printed_whole_and_lies_in_the_folder(begun):
    begun.done("context", "init", "--expected", "overview")
    printed = begun.done("context", "get").out
    path = begun.done("context", "get", "--file").out.strip()
    assert path == f"{begun.home}/sessions/s1/context.json"
    with open(path, encoding="utf-8") as file:
        assert file.read() == printed
    assert json.loads(printed)["expected_explorers"] == ["overview"]


def test_a_summary_is_markdown(begun):
    begun.done("context", "add", "--id", "overview", "--summary", "small", "--key-files", "a.ts")
    assert begun.done("context", "get", "--summary").out.splitlines() == [
        "# Context (in progress)",
        "",
        "## Explorers (1/?)",
        "- overview: small",
        "",
        "## Key files (1)",
        "- a.ts",
        "",
        "## Patterns (0)",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["init"],
        ["init", "--expected", " , "],
        ["init", "--expected", "../x"],
        ["add"],
        ["add", "--id", "../x"],
        ["add", "--id", "x", "report.md"],
        ["add", "--id", "x", "-", "-"],
    ],
)
def test_a_call_that_makes_no_sense_is_refused(begun, words):
    before = begun.done("context", "get").out
    assert begun.call("context", *words).status == 2
    assert begun.done("context", "get").out == before


def test_a_field_that_is_not_there_is_not_found(begun):
    assert begun.call("context", "get", "--field", "explorers[0]").status == 4
