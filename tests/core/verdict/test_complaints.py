"""Complaints of linters and type checkers, as the real ones print them."""

import pytest

from ultrawork.core.verdict import gate_findings

OUTPUTS = {
    "ruff": (
        "F401 [*] `os` imported but unused\n --> src/a.py:1:8\n  |\n1 | import os\n\nFound 1 error.\n",
        [("src/a.py", "src/a.py: F401 [*] `os` imported but unused")],
    ),
    "ruff concise": (
        "src/a.py:1:8: F401 [*] `os` imported but unused\n",
        [("src/a.py", "src/a.py: F401 [*] `os` imported but unused")],
    ),
    "mypy": (
        "src/a.py:3: error: Incompatible types  [assignment]\nFound 1 error in 1 file\n",
        [("src/a.py", "src/a.py: error: Incompatible types [assignment]")],
    ),
    "tsc": ("src/a.ts(3,5): error TS2322: Type 'string'\n", [("src/a.ts", "src/a.ts: error TS2322: Type 'string'")]),
    "tsc pretty": (
        "./src/a.ts:3:5 - error TS2322: Type 'string'\n",
        [("src/a.ts", "src/a.ts: error TS2322: Type 'string'")],
    ),
    "eslint": (
        "/x/src/a.js\n  3:5  error  'y' is not defined  no-undef\n\n✖ 1 problem\n",
        [("/x/src/a.js", "/x/src/a.js: error 'y' is not defined no-undef")],
    ),
    "clippy": (
        "warning: unused variable: `x`\n --> src/main.rs:2:9\n",
        [("src/main.rs", "src/main.rs: warning: unused variable: `x`")],
    ),
    "nothing": ("all good\n  3:5 loose\n", []),
}


@pytest.mark.parametrize("tool", list(OUTPUTS))
def test_complaints_are_read(tool):
    output, expected = OUTPUTS[tool]
    assert [(one.path, one.text) for one in gate_findings.read_complaints(output)] == expected


def test_a_complaint_that_only_moved_is_not_new():
    base, now = "a.py:3: error: bad\n", "a.py:30: error: bad\n"
    assert gate_findings.find_new_complaints(now, base, ["a.py"]) == []


def test_the_same_complaint_once_more_is_new():
    base, now = "a.py:3: error: bad\n", "a.py:3: error: bad\na.py:9: error: bad\n"
    assert gate_findings.find_new_complaints(now, base, ["a.py"]) == ["a.py: error: bad"]


def test_complaints_about_other_files_do_not_count():
    assert gate_findings.find_new_complaints("b.py:1: error: bad\n", "", ["a.py"]) == []


def test_absolute_paths_are_the_same_file():
    assert gate_findings.find_new_complaints("/x/src/a.py:1: error: bad\n", "", ["src/a.py"])


RULES = [
    ("a.py:1:8: F401 [*] `os` imported but unused", "F401"),
    ("a.py:3: error: Incompatible types  [assignment]", "assignment"),
    ("a.ts(3,5): error TS2322: Type 'string'", "TS2322"),
    ("a.js\n  3:5  error  Missing semicolon  semi", "semi"),
    ("a.go:3:5: Error return value is not checked (errcheck)", "errcheck"),
    ("a.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single", "Style/StringLiterals"),
    ("a.rs:2:9: unused variable: `x` in 3 places", "unused variable: _ in _ places"),
]


@pytest.mark.parametrize(("output", "rule"), RULES)
def test_the_rule_is_read(output, rule):
    assert [one.rule for one in gate_findings.read_complaints(output)] == [rule]


OLD = "a.py:9:4: PLR2004 Magic value used in comparison, consider replacing `63`\n"
NEW = "a.py:9:4: PLR2004 Magic value used in comparison, consider replacing `60`\n"


def test_a_complaint_whose_line_was_written_anew_is_the_old_one():
    assert gate_findings.find_new_complaints(NEW, OLD, ["a.py"]) == []


def test_one_more_of_a_rule_is_new_and_so_is_another_rule_or_file():
    assert len(gate_findings.find_new_complaints(OLD + NEW, OLD, ["a.py"])) == 1
    other = NEW.replace("PLR2004", "PLR0912")
    assert len(gate_findings.find_new_complaints(other, OLD, ["a.py"])) == 1
    elsewhere = NEW.replace("a.py", "b.py")
    assert len(gate_findings.find_new_complaints(elsewhere, OLD, ["a.py", "b.py"])) == 1


def test_one_complaint_of_before_is_the_old_one_of_one_alone():
    newer = NEW.replace("60", "61")
    assert len(gate_findings.find_new_complaints(NEW + newer, OLD, ["a.py"])) == 1
    assert gate_findings.find_new_complaints(NEW + newer, OLD + OLD, ["a.py"]) == []


def test_of_an_output_the_lines_with_new_complaints_are_told():
    base = "a.py:3:1: E302 bad\na.py:9:1: E117 odd\n"
    now = "./a.py:4:1: E302 bad\n./a.py:12:1: E117 odd\n./a.py:20:80: E501 long\nFound 3 errors.\n"
    assert gate_findings.list_new_lines(now, base) == ["./a.py:20:80: E501 long"]


def test_where_a_complaint_takes_two_lines_no_line_is_told_alone():
    assert gate_findings.list_new_lines("src/a.js\n  3:5  error  'y' is not defined  no-undef\n", "") == []
