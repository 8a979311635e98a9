"""The part of YAML that CI files are written in."""

from contextlib import suppress

import pytest

from ultrawork.gates.find.yaml import YamlError, parse_yaml

READ = {
    "nothing": ("# only a comment\n\n", ""),
    "a map": ("a: 1\nb: two words # why\n'c d': \"x # y\"\n", {"a": "1", "b": "two words", "c d": "x # y"}),
    "words that are no words elsewhere": ("on: push\nyes: no\nx: ~\n", {"on": "push", "yes": "no", "x": ""}),
    "a list below its key, indented or not": ("a:\n- 1\n- 2\nb:\n  - 3\n", {"a": ["1", "2"], "b": ["3"]}),
    "maps in a list": (
        "steps:\n  - uses: x@v4\n    with:\n      a: b\n  - run: make\n",
        {"steps": [{"uses": "x@v4", "with": {"a": "b"}}, {"run": "make"}]},
    ),
    "lists in lists": ("- - a\n  - b\n-\n  - c\n", [["a", "b"], ["c"]]),
    "literal text": ("run: |\n  a \\\n    b\n\n  c\nnext: 1\n", {"run": "a \\\n  b\n\nc", "next": "1"}),
    "literal text in a list": ("- |-\n  a\n  b\n- c\n", ["a\nb", "c"]),
    "folded text": ("run: >-\n  a\n  b\n\n  c\n", {"run": "a b\nc"}),
    "a comment is text in a block": ("run: |\n  # not a comment\n  x\n", {"run": "# not a comment\nx"}),
    "plain text over lines": ("run: a\n  b\n  c\nd: e\n", {"run": "a b c", "d": "e"}),
    "quoted text over lines": ('run: "a\n  b"\nd: e\n', {"run": "a b", "d": "e"}),
    "escapes": ("a: \"x\\ty\\\\\"\nb: 'it''s'\n", {"a": "x\ty\\", "b": "it's"}),
    "flow": ("a: [1, 'b, c', {d: e, f: [g]}]\nh: {i: , j: k}\n",
             {"a": ["1", "b, c", {"d": "e", "f": ["g"]}], "h": {"i": "", "j": "k"}}),
    "flow over lines": ("a: [\n  1, # one\n  2,\n]\nb: 3\n", {"a": ["1", "2"], "b": "3"}),
    "colons in values": ("a: http://x/y\nb: c:d\n", {"a": "http://x/y", "b": "c:d"}),
    "anchors and merges": (
        ".d: &d\n  image: x\n  tags: [t]\njob:\n  <<: *d\n  image: y\n  also: *d\n",
        {
            ".d": {"image": "x", "tags": ["t"]},
            "job": {"image": "y", "tags": ["t"], "also": {"image": "x", "tags": ["t"]}},
        },
    ),
    "a tag of a product": ("script:\n  - !reference [.a, script]\n  - x\n", {"script": ["", "x"]}),
    "marks around a document": ("%YAML 1.2\n---\na: 1\n...\nb: 2\n", {"a": "1"}),
    "only the first document": ("a: 1\n---\nb: 2\n", {"a": "1"}),
}  # fmt: skip


@pytest.mark.parametrize("name", list(READ))
def test_it_is_read(name):
    text, value = READ[name]
    assert parse_yaml(text) == value


def test_a_text_knows_its_line():
    found = parse_yaml("a: 1\nsteps:\n  - run: x\n  - run: |\n      y\n")
    assert [step["run"].line for step in found["steps"]] == [3, 5]


REFUSED = {
    "a tab": ("a:\n\tb: 1\n", "line 2 is indented by a tab"),
    "an indent of nothing": ("a:\n    b: 1\n  c: 2\n", "line 3 is indented"),
    "an open quote": ("a: 'x\nb: 1\n", "line 1 opens a quote that is never closed"),
    "an open bracket": ("a: [1, 2\nb: 1\n", "line 1"),
    "an unknown anchor": ("a: *b\n", "line 1 uses an anchor"),
    "no key": ("a: 1\nwhat\n", "line 2 is not a key and value"),
    "reserved": ("a: @x\n", "line 1 begins with @"),
    "too deep": ("".join(" " * n + "a:\n" for n in range(60)), "nested too deep"),
    "too deep in brackets": ("a: " + "[" * 60 + "]" * 60, "nested too deep"),
    "too long": ("a: 1\n" * 6_000, "too long"),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_it_is_refused_with_its_line(name):
    text, why = REFUSED[name]
    with pytest.raises(YamlError, match=why):
        parse_yaml(text)


@pytest.mark.parametrize("seed", range(4))
def test_odd_input_is_read_or_refused_and_nothing_else(seed):
    from random import Random

    dice = Random(seed)
    whole = "".join(text for text, _ in READ.values())
    for _ in range(150):
        at, end = sorted(dice.randrange(len(whole)) for _ in "ab")
        odd = whole[at:end] + dice.choice("\0\t&*!|>'\"{}[]:#-\n%@`?") + whole[: dice.randrange(200)]
        with suppress(YamlError):
            parse_yaml(odd)
