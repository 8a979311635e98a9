"""Rules files: their heads, and whether one speaks of a file."""

import pytest

from ultrawork.core.project import file_rules


@pytest.mark.parametrize(
    ("text", "head", "body"),
    [
        ('---\ndescription: x\nglobs: "*.ts, *.tsx"\nalwaysApply: true\n---\nbody',
         {"description": "x", "globs": ["*.ts", "*.tsx"], "alwaysApply": True}, "body"),
        ('---\npaths: ["src/**"]\n---\nC', {"globs": ["src/**"]}, "C"),
        ("---\r\napplyTo: '**/*.py'\r\n---\r\nP", {"globs": ["**/*.py"]}, "P"),
        ("---\nglobs:\n  - a/*.js\n  - b/*.js\n---\nL", {"globs": ["a/*.js", "b/*.js"]}, "L"),
        ("no head\n---\n", {}, "no head\n---\n"),
    ],
)  # fmt: skip
def test_heads_of_several_editors_are_read(text, head, body):
    assert file_rules.parse(text) == (head, body)


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.md", "README.md", True),
        ("*.md", "docs/README.md", False),
        ("**/*.md", "README.md", True),
        ("**/*.md", "a/b/README.md", True),
        ("src/**", "src/a/b.py", True),
        ("src/**/*.{ts,tsx}", "src/x/y.tsx", True),
        ("src/**/*.{ts,tsx}", "src/y.ts", True),
        ("src/*.ts", "src/x/y.ts", False),
        ("a?.py", "ab.py", True),
        ("a?.py", "a/.py", False),
        ("a.b", "aXb", False),
        ("[x].py", "[x].py", True),
    ],
)
def test_stars_stay_in_their_folder_and_double_stars_do_not(pattern, path, fits):
    assert file_rules.is_match(pattern, path) is fits


def test_a_rule_says_why_it_applies():
    assert file_rules.explain_match({"alwaysApply": True}, "x") == "alwaysApply"
    assert file_rules.explain_match({"globs": ["*.ts", "*.md"]}, "a.md") == "glob: *.md"
    assert file_rules.explain_match({}, "a.md") == ""
