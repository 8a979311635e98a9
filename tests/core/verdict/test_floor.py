"""What parses as what, marks of a merge, and marks that switch complaints off."""

import pytest

from ultrawork.core.verdict import floor


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("shop/cart.py", "", "python"),
        ("types.pyi", "", "python"),
        ("package.json", "", "json"),
        ("tsconfig.build.json", "", ""),
        (".vscode/settings.json", "", ""),
        (".eslintrc.json", "", ""),
        (".eslintrc", "", ""),
        ("a.jsonc", "", ""),
        ("a.json5", "", ""),
        ("run", "#!/bin/sh\n", "shell"),
        ("run", "#!/usr/bin/env python3\n", "python"),
        ("run", "#!/usr/bin/env bash\n", "shell"),
        ("Makefile", "all:\n", ""),
        ("a.pl", "", ""),
        ("a.tsx", "", ""),
    ],
)
def test_a_file_is_in_the_language_of_its_name_or_its_first_line(path, text, language):
    assert floor.find_language(path, text) == language


TORN = "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> theirs\n"


def test_a_merge_that_nobody_settled_is_found_with_its_line():
    assert floor.find_conflict(TORN) == 2
    assert floor.find_conflict(TORN.replace("\n", "\r\n")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=======\n\ntext\n",
        "<<<<<<< HEAD\nonly the beginning\n",
        "x = '<<<<<<< '\n=======\n",
        "    <<<<<<< HEAD\n    =======\n    >>>>>>> theirs\n",
    ],
)
def test_less_than_three_marks_at_the_beginning_of_lines_are_no_merge(text):
    assert floor.find_conflict(text) == 0


def test_a_page_may_show_a_merge_in_a_fence():
    assert floor.find_conflict(f"How to merge\n```\n{TORN}```\n", is_doc=True) == 0
    assert floor.find_conflict(f"text\n{TORN}", is_doc=True) == 3


MARKS = {
    "a.py": "import os  # noqa: F401\n",
    "b.py": "x = f()  # type: ignore[arg-type]\n",
    "c.py": "# pylint: disable=all\n",
    "d.py": "if x:  # pragma: no cover\n    pass\n",
    "e.py": "x = f()  # pyright: ignore\n",
    "a.js": "/* eslint-disable */\n",
    "b.ts": "// @ts-expect-error later\n",
    "d.ts": "const left = price() as any;\n",
    "e.mts": "use(price as unknown as string);\n",
    "c.tsx": "{/* eslint-disable-next-line no-alert */}\n",
    "d.js": "/* istanbul ignore next */\n",
    "a.go": "var x = 1 //nolint:unused\n",
    "a.rs": "#[allow(dead_code)]\nfn a() {}\n",
    "A.java": '@SuppressWarnings("unchecked")\n',
    "a.rb": "x = 1 # rubocop:disable Style/All\n",
    "a.sh": "# shellcheck disable=SC2086\n",
}


@pytest.mark.parametrize("path", MARKS)
def test_a_mark_that_switches_a_complaint_off_is_found_and_taken_out(path):
    text = MARKS[path]
    (found,) = floor.find_suppressions(path, text)
    assert found.line == 1
    bare = floor.remove_suppressions(text, [found])
    assert floor.find_suppressions(path, bare) == []
    assert bare.count("\n") == text.count("\n")


def test_two_marks_on_one_line_are_two():
    text = "x = f()  # type: ignore  # noqa: E501\n"
    found = floor.find_suppressions("a.py", text)
    assert [one.mark for one in found] == ["# type: ignore", "# noqa: E501"]
    assert floor.remove_suppressions(text, found) == "x = f()\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'say = "use # noqa here"\n'),
        ("a.py", "# the noqa of old\n"),
        ("a.js", "const eslintDisable = 1\n"),
        ("a.ts", 'say("as good as any other")\n'),
        ("a.ts", "const wide = price as unknown;\n"),
        ("README.md", "# noqa\n"),
    ],
)
def test_speaking_of_a_mark_is_none(path, text):
    assert floor.find_suppressions(path, text) == []


def test_only_marks_that_no_old_line_explains_are_new():
    old = {"a.py": "x = f()  # noqa\ny = 1  # type: ignore\n"}
    edited = {"a.py": "x = f(2)  # noqa\ny = 1  # type: ignore\n"}
    assert floor.find_new_suppressions(old, edited) == []
    assert floor.find_new_suppressions(old, {"b.py": old["a.py"]}) == []
    more = {"a.py": old["a.py"] + "z = 3  # noqa\n"}
    assert [one.line for one in floor.find_new_suppressions(old, more)] == [3]
    broader = {"a.py": "x = f()  # noqa\ny = 1  # type: ignore\nimport os  # noqa: F401\n"}
    assert [one.mark for one in floor.find_new_suppressions(old, broader)] == ["# noqa: F401"]


def test_the_suppression_whose_line_is_complained_about_is_found():
    found = floor.find_suppressions("a.py", "x = 1  # noqa\ny = 2\nz = 3  # noqa: E1\n")
    assert [floor.is_named(one, "a.py:3:1: E1 bad") for one in found] == [False, True]
