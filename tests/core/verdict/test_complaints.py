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
    "tsc": (
        "src/a.ts(3,5): error TS2322: Type 'string'\n",
        [("src/a.ts", "src/a.ts: error TS2322: Type 'string'")],
    ),
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
