"""Heads of prompt files: one reading, and YAML's own reader agrees with it."""

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.effort import amount
from support.prompts import front_matter
from ultrawork.content import library

KEYS = st.from_regex(r"[a-z][a-z0-9_-]{0,12}", fullmatch=True).filter(
    lambda key: key not in ("true", "false", "yes", "no", "on", "off", "null", "y", "n")
)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60)
NUMBERS = st.integers(-(10**15), 10**15) | st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
VALUES = TEXTS | st.booleans() | st.lists(TEXTS, max_size=4) | NUMBERS
HEADS = st.dictionaries(KEYS, VALUES, max_size=5)
PIECES = st.sampled_from(
    ["a", "key", "b c", ":", ": ", " #", "#", "- ", "  - ", "  ", " ", "\n", "[", "]", ", ", ",", "{", "}",
     '"', "'", "''", '\\"', "\\n", "\\u0041", "\\ud83d", ">", ">-", "|", "&x", "*x", "!!int", "%", "@", "`",
     "?", "1", "0", "007", "1.5", "1e3", "0x1f", "1:30", "1_000", "2026-11-15", "true", "yes", "Off", "null",
     "~", "<<", "=", ".inf", "é", "\u00a0", "\u2028", "\ufeff", "\t", "\r", "\x85", "😀", "---", "..."]
)  # fmt: skip
WORDS = st.sampled_from(["word", "two words", "Bash(git log:*)", "a/b.c", "12", "1.5", "true", "é"])
QUOTED = WORDS.map(lambda text: f'"{text}"') | WORDS.map(lambda text: f"'{text}'")
ENTRY = st.one_of(
    st.builds("{}: {}".format, KEYS, WORDS | QUOTED),
    st.builds("{}: [{}, {}]".format, KEYS, WORDS | QUOTED, WORDS | QUOTED),
    st.builds("{}:\n  - {}\n  - {}".format, KEYS, WORDS | QUOTED, WORDS | QUOTED),
    st.builds("{}: >-\n  {}\n  {}".format, KEYS, WORDS | QUOTED, WORDS | QUOTED),
    st.builds("{}: >\n  {}\n\n  {}".format, KEYS, WORDS, WORDS),
)
ALMOST = st.builds(
    lambda text, at, piece: text[: at % len(text)] + piece + text[at % len(text) :], ENTRY, st.integers(0, 40), PIECES
)
NOISE = st.lists(ENTRY | ALMOST, max_size=3).map("\n".join)


@given(HEADS)
@example({"a": "", "b": "word ", "c": "a\x1f"})
@example({"a": "yes", "b": "1", "c": "a: b", "d": " x ", "e": "x #y", "f": "x:"})
@example({"a": "\ufeff\u2028\x85\x00\ufffe", "b": ["", "[", ","]})
def test_what_is_written_is_read_again_by_us_and_by_yaml(head):
    text = front_matter.render_head(head)
    assert front_matter.parse_text(text) == (head, "")
    assert yaml.safe_load(text.removeprefix("---\n").removesuffix("---\n")) == (head or None)


@pytest.mark.slow
@settings(max_examples=amount(120, 400))
@given(NOISE)
@example("a: >\n  one\n\n\n  two\n\n")
@example("a: >-\n  # no comment\n  - no item")
@example("a:\n  - b\n  - 'c: d'\nb: 1")
@example("a: [b, 'c, d', \"]\"]")
def test_what_we_take_yaml_takes_the_same_way(text):
    try:
        head = front_matter.parse_head(text.split("\n"))
    except front_matter.HeadError:
        return
    assert (yaml.safe_load(text + "\n") or {}) == head


@given(st.dictionaries(KEYS, TEXTS | st.booleans(), max_size=5))
def test_what_is_written_into_our_own_files_is_read_again(head):
    found = library.parse(front_matter.render_head(head) + "body")
    assert (found.head, found.body, found.doubts) == (head, "body", [])


@pytest.mark.slow
@settings(max_examples=amount(120, 400))
@given(NOISE | st.text(max_size=80))
def test_the_lenient_reader_takes_anything(text):
    assert library.parse(f"---\n{text}\n---\nbody").body.endswith("body")


@pytest.mark.parametrize(
    ("head", "line", "why"),
    [
        ("a: x: y", 2, "is ambiguous"),
        ("a: yes", 2, "is ambiguous"),
        ("a: 007", 2, "is ambiguous"),
        ("a: 2026-11-15", 2, "is ambiguous"),
        ("a: x # y", 2, "is ambiguous"),
        ("a: b\na: c", 3, "a appears twice"),
        ("on: b", 2, "another meaning in YAML"),
        ("a:", 2, "no value"),
        ("a:\n- b", 2, "no value"),
        ("a:\n  - 1", 3, "is not a string"),
        ("a: [1]", 2, "must be in quotes"),
        ("a: [b", 2, "is not a list of strings"),
        ("a: [b] c", 2, "is not a list of strings"),
        ('a: "b', 2, "has no closing quote"),
        ('a: "\\x41"', 2, "has no closing quote"),
        ('a: "\\ud83d\\ude00"', 2, "has no closing quote"),
        ("a: 'b' c", 2, "has no closing quote"),
        ("a: >\n    b", 3, "no more"),
        ("a: >\nb: c", 2, "starts on the next line"),
        ("a: b ", 2, "a space at the end"),
        ("a:\tb", 2, "a tab"),
        ("# a comment", 2, "not of the form"),
        ("a: {b: c}", 2, "is ambiguous"),
    ],
)
def test_what_is_unclear_is_refused_with_its_line(head, line, why):
    with pytest.raises(front_matter.HeadError, match=why) as caught:
        front_matter.parse_text(f"---\n{head}\n---\n")
    assert caught.value.line == line


@pytest.mark.parametrize(("text", "why"), [("a: b\n", "does not start"), ("---\na: b\n", "is not closed")])
def test_a_head_has_two_fences(text, why):
    with pytest.raises(front_matter.HeadError, match=why):
        front_matter.parse_text(text)


@pytest.mark.parametrize(
    ("head", "meant"),
    [
        ("description: Use it: always", {"description": "Use it: always"}),
        ("a: b # c", {"a": "b"}),
        ("# c\na:\tb", {"a": "b"}),
        ("a: Yes\nb: 3\nc: 1.5", {"a": True, "b": 3, "c": 1.5}),
        ("tools:\n- Read\n- 'Bash(ls:*)'", {"tools": ["Read", "Bash(ls:*)"]}),
        ("tools: [Read,  Write , 1]", {"tools": ["Read", "Write", "1"]}),
        ("a: |\n    x\n      y", {"a": "x\ny"}),
        ("a: > \n  x\n  y", {"a": "x y"}),
        ("a: one\n  two", {"a": "one two"}),
        ('a: "say \\"hi\\"" # c', {"a": 'say "hi"'}),
        ("a: 'it''s' # c", {"a": "it's"}),
    ],
)
def test_heads_of_people_are_read_as_they_were_meant(head, meant):
    found = library.parse(f"\ufeff---\r\n{head}\r\n--- \r\nbody")
    assert (found.head, found.body) == (meant, "body")
    assert found.doubts == []


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("no head at all", "no header"),
        ("---\na: b", "is not closed"),
        ("---\nmeta:\n  owner: me\n---\n", "could not read the value of meta"),
        ("---\n??? what\n---\n", "could not parse: ??? what"),
    ],
)
def test_what_cannot_be_understood_is_told(text, doubt):
    assert any(line.startswith(doubt) or doubt in line for line in library.parse(text).doubts)
